// SPDX-License-Identifier: Apache-2.0
//
// The stand-in of a vendor's management library, made from the rows of its telemetry.hpp: for each
// row X(role, symbol), `symbol` is a function with the signature of the role. Its answers are a
// table in the vendor's folder; calls without a row there are refused.
//
// HALFMARK_STAND_IN_MISBEHAVE may hold fail-telemetry, crash-telemetry and hang-telemetry, each
// with @ROLE (misbehaviour.hpp).
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "backends/shim/calls.hpp"
#include "backends/standin/misbehaviour.hpp"

namespace halfmark::backends::shim::standin {

// The bus location of the stand-in's device, which no machine uses.
inline constexpr std::uint32_t kPlaceDomain = 0xffff;
inline constexpr std::uint32_t kPlaceBus = 0xff;
inline constexpr std::uint32_t kPlaceDevice = 0x1f;
inline constexpr const char* kPlace = "ffff:ff:1f.0";

inline constexpr std::uint64_t kAny = ~std::uint64_t{0};

struct TelemetryAnswer {
  std::string_view role;
  std::uint64_t numbers;  // the caller's integer arguments as base-16 digits, or kAny
  std::uint64_t number;   // the value that the call returns
  const char* text = "";
  std::span<const std::byte> structure = {};
};

// What the vendor's folder supplies in addition to its rows.
struct TelemetryTable {
  std::span<const TelemetryAnswer> answers;
  Status refusal;
};

[[nodiscard]] inline const TelemetryAnswer* find_answer(const TelemetryTable& table,
                                                        std::string_view role,
                                                        std::uint64_t numbers) {
  const auto found =
      std::find_if(table.answers.begin(), table.answers.end(), [&](const TelemetryAnswer& row) {
        return row.role == role && (row.numbers == numbers || row.numbers == kAny);
      });
  return found == table.answers.end() ? nullptr : &*found;
}

template <typename T>
std::uint64_t with_digit(std::uint64_t numbers, T argument) {
  if constexpr (std::is_integral_v<T>) {
    return 16 * numbers + static_cast<std::uint64_t>(argument);
  } else {
    return numbers;
  }
}

// A text argument must equal the row's text.
template <typename T>
bool fits(const TelemetryAnswer& row, T argument) {
  if constexpr (std::is_same_v<T, const char*>) {
    return std::string_view(row.text) == argument;
  } else {
    return true;
  }
}

template <typename T>
void give(const TelemetryAnswer& row, T argument) {
  if constexpr (std::is_same_v<T, char*>) {
    std::strcpy(argument, row.text);
  } else if constexpr (std::is_same_v<T, const char**>) {
    *argument = row.text;
  } else if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<Pointee>) {
      static int object;  // its address serves as every handle
      *argument = &object;
    } else if constexpr (std::is_class_v<Pointee> && !std::is_const_v<Pointee>) {
      std::memcpy(argument, row.structure.data(), row.structure.size());
    } else if constexpr (std::is_integral_v<Pointee> && !std::is_const_v<Pointee>) {
      *argument = static_cast<Pointee>(row.number);
    }
  }
}

// Whether the call must fail; may also hang or crash. An unknown word makes every call fail; the
// driver reports it.
inline bool refuses_call(std::string_view role) try {
  const char* words = std::getenv("HALFMARK_STAND_IN_MISBEHAVE");
  Misbehaviour misbehaviour(words == nullptr ? "" : words);
  if (misbehaviour.strikes("crash-telemetry", role)) std::abort();
  if (misbehaviour.strikes("hang-telemetry", role)) {
    while (true) ::pause();
  }
  return misbehaviour.strikes("fail-telemetry", role);
} catch (const std::invalid_argument&) {
  return true;
}

template <std::size_t n>
struct RoleName {
  char text[n];
  constexpr explicit(false) RoleName(const char (&name)[n]) { std::copy_n(name, n, text); }
};

template <typename Call, RoleName role, const TelemetryTable& table>
struct Answering;
template <typename... P, RoleName role, const TelemetryTable& table>
struct Answering<Status (*)(P...), role, table> {
  static Status call(P... arguments) {
    if (refuses_call(role.text)) return table.refusal;
    std::uint64_t numbers = 0;
    ((numbers = with_digit(numbers, arguments)), ...);
    const TelemetryAnswer* row = find_answer(table, role.text, numbers);
    if (row == nullptr || !(fits(*row, arguments) && ...)) return table.refusal;
    (give(*row, arguments), ...);
    return 0;
  }
};
template <RoleName role, const TelemetryTable& table>
struct Answering<const char* (*)(Status), role, table> {
  static const char* call(Status) { return "stand-in: not supported"; }
};

}  // namespace halfmark::backends::shim::standin

// The loader calls a resolver for the function's address, so a template instance can be exported.
#define HM_STAND_IN_TELEMETRY(role, symbol)                                                   \
  extern "C" decltype(Calls::role) resolve_##symbol() {                                       \
    return halfmark::backends::shim::standin::Answering<decltype(Calls::role), #role,         \
                                                        kTable>::call;                        \
  }                                                                                           \
  extern "C"                                                                                  \
      __attribute__((visibility("default"),                                                   \
                     ifunc("resolve_" #symbol))) std::remove_pointer_t<decltype(Calls::role)> \
          symbol;
