// SPDX-License-Identifier: Apache-2.0
//
// Compares a vendor's rows with the vendor's own headers at compile time: signatures as the calling
// convention sees them, numbers exactly. For tests; included after the headers.
//
// Assumption: two parameters are equal when they are passed in the same way: pointers as pointers
// (the pointee counts when both sides point to a number), integers and enumerations by size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "backends/shim/calls.hpp"

namespace halfmark::backends::shim::header_check {

template <typename T>
using Plain = std::remove_cv_t<T>;

template <typename T>
inline constexpr bool is_number = std::is_integral_v<T> || std::is_enum_v<T>;

template <typename Ours, typename Theirs>
constexpr bool same();

template <typename Ours, typename Theirs>
constexpr bool same_number() {
  return is_number<Ours> && is_number<Theirs> && sizeof(Ours) == sizeof(Theirs);
}

// A char* may point to text or to arbitrary bytes.
template <typename Ours, typename Theirs>
constexpr bool same_pointee() {
  if constexpr (std::is_void_v<Ours> || std::is_class_v<Theirs> || std::is_void_v<Theirs>) {
    return true;
  } else {
    return same<Ours, Theirs>();
  }
}

template <typename OursRaw, typename TheirsRaw>
constexpr bool same() {
  using Ours = Plain<OursRaw>;
  using Theirs = Plain<TheirsRaw>;
  if constexpr (std::is_same_v<Ours, Theirs>) {
    return true;
  } else if constexpr (std::is_same_v<Ours, Address>) {
    return same_number<Ours, Theirs>() || std::is_same_v<Theirs, void*>;
  } else if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    return same_pointee<Plain<std::remove_pointer_t<Ours>>, Plain<std::remove_pointer_t<Theirs>>>();
  } else {
    return same_number<Ours, Theirs>();
  }
}

template <typename Ours, typename Theirs>
struct Compare : std::false_type {};
template <typename Result, typename... Ours, typename TheirResult, typename... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct Compare<Result (*)(Ours...), TheirResult (*)(Theirs...)>
    : std::bool_constant<same<Result, TheirResult>() && (same<Ours, Theirs>() && ...)> {};
// noexcept is part of a type but not of the calling convention.
template <typename Ours, typename Result, typename... Theirs>
struct Compare<Ours, Result (*)(Theirs...) noexcept> : Compare<Ours, Result (*)(Theirs...)> {};

template <typename Ours, typename Theirs>
inline constexpr bool kSameCall = Compare<Plain<Ours>, Plain<Theirs>>::value;

// The comparison rejects a wrong width, a wrong count, a wrong order, a number in place of a
// pointer, and the old call with 32-bit sizes.
static_assert(kSameCall<Status (*)(int*, Ordinal), int (*)(int*, int)>);
static_assert(!kSameCall<Status (*)(std::size_t*, Ordinal), int (*)(unsigned*, int)>);
static_assert(!kSameCall<Status (*)(std::size_t), int (*)(unsigned)>);
static_assert(!kSameCall<Status (*)(int*), int (*)(int)>);
static_assert(!kSameCall<Status (*)(int*, Ordinal), int (*)(int*)>);
static_assert(!kSameCall<Status (*)(Address), int (*)(unsigned)>);
static_assert(!kSameCall<Status (*)(void**, Ordinal), int (*)(int, void**)>);
static_assert(!kSameCall<Status (*)(float*), int (*)(int*)>);
static_assert(!kSameCall<Status (*)(void), const char* (*)(void)>);

// Headers redefine some names as macros; the library then has two functions, and the row names one
// of them.
constexpr bool is_no_macro(std::string_view written, std::string_view expanded) {
  return written == expanded;
}

}  // namespace halfmark::backends::shim::header_check

#define HM_CHECK_TEXT(name) #name
#define HM_CHECK_EXPANDED(name) HM_CHECK_TEXT(name)

// `written` is the name before the headers' macros expand it.
#define HM_CHECK_CALL(calls, role, symbol, written) \
  HM_CHECK_CALL_OF(halfmark::backends::shim::calls, role, symbol, written)
#define HM_CHECK_CALL_OF(calls, role, symbol, written)                                             \
  static_assert(                                                                                   \
      halfmark::backends::shim::header_check::is_no_macro(written, HM_CHECK_EXPANDED(symbol)),     \
      written " is another call in the headers");                                                  \
  static_assert(                                                                                   \
      halfmark::backends::shim::header_check::kSameCall<decltype(calls::role), decltype(&symbol)>, \
      #role " is not " #symbol);
#define HM_CHECK_DRIVER_CALL(role, symbol) HM_CHECK_CALL(DriverCalls, role, symbol, #symbol)
#define HM_CHECK_COMPILER_CALL(role, symbol) HM_CHECK_CALL(CompilerCalls, role, symbol, #symbol)
#define HM_CHECK_TELEMETRY_CALL(role, symbol) HM_CHECK_CALL_OF(Calls, role, symbol, #symbol)
#define HM_CHECK_NUMBER(role, enumerator, value) \
  static_assert(static_cast<int>(enumerator) == value, #enumerator " is not " #value);
