// SPDX-License-Identifier: Apache-2.0
// The golden store: for each case with a single right answer, the digests of that answer, in one
// text that the reference makes once and every node reads. Decides its form, what makes it
// unusable, and which cases a node recomputes.
//
//   halfmark-golden 1
//   contract-revision 11
//   level smoke
//   seed 1
//   seeds 1
//   CASE DIGEST SUM      one line for each case, sorted, 16 hexadecimal digits each
//   sha256 DIGITS        of all lines before; scorecards name the store by it
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "suites/core/golden/golden.hpp"

namespace halfmark::suites {

/// One line that says why a text is no golden store of this program.
struct GoldenError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A larger file is refused.
inline constexpr std::size_t kMostGoldenBytes = std::size_t{256} << 20;

struct GoldenStore {
  std::string contract_revision, level;
  std::uint64_t seed = 1, seeds = 1;  // cases of seeds seed, seed + 1, ...
  std::map<std::string, Golden, std::less<>> cases;
  std::string sha256;  // of its text; print() computes it
};

[[nodiscard]] std::string print(const GoldenStore& store);

/// Throws GoldenError: the text is damaged, cut off, or of another contract revision.
[[nodiscard]] GoldenStore parse_golden(std::string_view text, std::string_view contract_revision);

/// A node recomputes one case in so many: which ones follows from its name, so that a fleet
/// recomputes them all.
inline constexpr unsigned kGoldenSample = 64;
[[nodiscard]] bool is_recomputed(std::string_view case_name, std::string_view node);

}  // namespace halfmark::suites
