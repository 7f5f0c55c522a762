// SPDX-License-Identifier: Apache-2.0
// What automatic mixed precision does to each operator: the published lists of frameworks, as data
// (policy_lists.cpp, each with its source), and what the classes of these lists mean. Decides
// neither what a device does nor which operators a suite asserts (operators.hpp).
//
// Assumption: an operator has the name that the framework of the list gives it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace halfmark::tools {

enum class Cast : std::uint8_t {
  kNarrow,      // operands are cast to the narrow format, which the result has, too
  kWide,        // operands are cast to fp32, and the result is in fp32
  kWideResult,  // operands stay as they are; arithmetic and result are in fp32
  kWidest,      // operands are cast to the widest of their formats
  kAsOperands,  // nothing is cast: it runs in the formats of its operands
  kFollows,     // narrow between narrow operators, fp32 after a wide one
  kNeutral,     // narrow next to narrow operators, as it only moves or selects numbers
  kUntouched,   // it stays in fp32, in which the graph was written
  kRefused,     // an error under automatic mixed precision
};

struct CastList {
  Cast cast;
  std::span<const std::string_view> operators;
};

struct CastProfile {
  std::string_view name;                     // "pytorch-gpu"
  std::string_view framework;                // whose names the lists use: pytorch, tensorflow
  std::span<const std::string_view> narrow;  // formats that it can narrow to, the default first
  Cast unlisted;                             // of operators on no list
  std::string_view source;
  std::span<const CastList> lists;
};

/// The first is the default.
[[nodiscard]] std::span<const CastProfile> cast_profiles();
/// Null if there is none.
[[nodiscard]] const CastProfile* find_cast_profile(std::string_view name);
/// Throws UsageError if there is none.
[[nodiscard]] const CastProfile& known_cast_profile(std::string_view name);
/// "pytorch-gpu, pytorch-cpu, ..."
[[nodiscard]] std::string names_of_cast_profiles();

[[nodiscard]] bool is_listed(const CastProfile& profile, std::string_view name);
/// `name` as the framework of the profile spells it; the class of unlisted ones for any other word.
[[nodiscard]] Cast cast_of(const CastProfile& profile, std::string_view name);

/// Whether the framework computes it in fp32 whatever its operands are.
[[nodiscard]] bool is_wide(Cast cast);

/// "narrow", "wide-result", ...
[[nodiscard]] std::string_view word_of(Cast cast);
[[nodiscard]] std::string_view meaning_of(Cast cast);
inline constexpr Cast kAllCasts[] = {Cast::kNarrow,  Cast::kWide,       Cast::kWideResult,
                                     Cast::kWidest,  Cast::kAsOperands, Cast::kFollows,
                                     Cast::kNeutral, Cast::kUntouched,  Cast::kRefused};

}  // namespace halfmark::tools
