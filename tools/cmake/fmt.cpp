// SPDX-License-Identifier: Apache-2.0
// Defines what fmt's headers declare and leave to its library: the functions of format-inl.h, and
// the templates that format.h or precompiled_fmt.hpp declares `extern`, or that format.h does not
// define.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API locale_ref::locale_ref(const std::locale& locale);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto thousands_sep_impl(locale_ref locale) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref locale) -> char;
template void vformat_to<char>(buffer<char>&, string_view, format_args, locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
