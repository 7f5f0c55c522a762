// SPDX-License-Identifier: Apache-2.0
// fmt among the precompiled headers: the template behind format_to, which two dozen sources use, is
// defined once (fmt.cpp).
#pragma once

#include <fmt/format.h>

extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view,
                                                   fmt::format_args, fmt::detail::locale_ref);
