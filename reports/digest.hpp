// SPDX-License-Identifier: Apache-2.0
// The digest of a scorecard: SHA-256 of its canonical text. Decides which members count: all but
// the digest itself and those that may differ between two runs of the same device. Verdicts on fp16
// rest on times, so they are among those, and of a mark that rests on them its id, title and level
// count alone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace halfmark::reports {

inline constexpr std::string_view kNotInDigest[] = {
    "digest", "environment", "fp16_operators", "roofs", "throughput", "times", "true_fp16"};

/// Of a case: who gave its verdict.
inline constexpr std::string_view kNotInDigestOfCase[] = {"attempt", "process"};

/// A mark that rests on times, and what of it the digest leaves out.
inline constexpr std::string_view kTimedMark = "TF16";
inline constexpr std::string_view kNotInDigestOfTimedMark[] = {"held", "reasons", "scope"};

/// JSON with sorted keys, no whitespace, UTF-8 unescaped (as Python's json.dumps with sort_keys,
/// separators (',', ':') and ensure_ascii=False gives); bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string canonical_text(const nlohmann::json& card);

/// 64 hexadecimal digits.
[[nodiscard]] std::string digest_of(const nlohmann::json& card);

}  // namespace halfmark::reports
