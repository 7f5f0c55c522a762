// SPDX-License-Identifier: Apache-2.0
// The digest of a scorecard: SHA-256 of its canonical text. Decides which members the digest
// covers: all except the digest itself and those that may differ between two runs on the same
// device. Verdicts on fp16 depend on times, so they are left out; of a mark that depends on them,
// the digest covers only the id, title and level.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace halfmark::reports {

inline constexpr std::string_view kNotInDigest[] = {
    "digest",     "environment", "fp16_operators", "roofs",
    "throughput", "times",       "training_step",  "true_fp16"};

/// Members of a case that say which process produced its verdict, and at which attempt.
inline constexpr std::string_view kNotInDigestOfCase[] = {"attempt", "process"};

/// The mark that depends on times, and its members that the digest leaves out.
inline constexpr std::string_view kTimedMark = "TF16";
inline constexpr std::string_view kNotInDigestOfTimedMark[] = {"held", "reasons", "scope"};

/// JSON with sorted keys, no whitespace and unescaped UTF-8, identical to Python's json.dumps
/// with sort_keys, separators (',', ':') and ensure_ascii=False. Bytes that are not valid UTF-8
/// become U+FFFD.
[[nodiscard]] std::string canonical_text(const nlohmann::json& card);

/// 64 hexadecimal digits.
[[nodiscard]] std::string digest_of(const nlohmann::json& card);

}  // namespace halfmark::reports
