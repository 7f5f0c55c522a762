// SPDX-License-Identifier: Apache-2.0
// What a chain computes: the operands of its steps, and its value after a given number of rounds.
// Decides the numbers that keep a chain within the normal range and make every step visible in the
// result; knows no case and no device.
//
// Assumptions:
// clang-format off
//  1. A round is kUpSteps steps with one pair of operands and kDownSteps with another. The up steps
//     outweigh the down steps by about one unit in the last place per round, so that a missing
//     round, a wider register or a fused pair gives other bits.
//  2. Lanes repeat: lane i holds what lane i mod kPeriod holds. A launch may be as long as a device
//     needs, and costs the reference only kPeriod chains. Words of streams repeat with a prime
//     period, so that a word from another row, pack or group is another word.
// clang-format on
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "reference/formats/tensor.hpp"
#include "reference/models/machine.hpp"

namespace halfmark::suites::rates {

inline constexpr int kUpSteps = 8, kDownSteps = 7;
inline constexpr std::size_t kPeriod = 1024, kPeriodOfStreams = 1021;
/// Chains per work-item, as in kernels/rates.hk.
inline constexpr std::size_t kChains = 8;

enum class Operation : std::uint8_t { kAdd, kMul, kFma, kMuladd, kConvert, kCopy, kTriad };

struct OperationRow {
  Operation operation;
  std::string_view word, entry;  // token, kernel entry
  bool is_chain;
};
/// The operation must exist; anything else is a programming error.
[[nodiscard]] const OperationRow& operation_row(std::string_view word);

/// Encodings. For kConvert, the terms are added to and subtracted from an fp32 encoding.
struct StepOperands {
  formats::Bits factor_up = 0, term_up = 0, factor_down = 0, term_down = 0;
};
[[nodiscard]] StepOperands step_operands(Operation operation, const formats::Format& format);

/// The factor of a triad, as an encoding of `format`.
[[nodiscard]] formats::Bits triad_factor(const formats::Format& format);

/// The largest number of rounds after which a chain of this format is still in its range: all its
/// numbers lie between 1 and 8.
[[nodiscard]] std::uint64_t most_rounds(const formats::Format& format);

/// The start values of `count` chains: encodings of 1 plus a few units in the last place.
[[nodiscard]] formats::Tensor first_values(const formats::Format& format, std::size_t count,
                                           std::uint64_t key);

/// How an evaluation differs from what the kernel's source specifies.
struct Mistake {
  bool fuses = false;          // product and sum are one operation
  bool splits = false;         // an fma is a product and a sum
  bool is_wide = false;        // registers hold fp32 until the end
  bool skips_a_round = false;  // one round is missing
  bool skips_half = false;     // the second half of the rounds is missing
  bool operator==(const Mistake&) const = default;
};

/// The values after `rounds` rounds, element by element.
[[nodiscard]] formats::Tensor after_rounds(Operation operation, const formats::Tensor& first,
                                           std::uint64_t rounds, const models::Machine& machine,
                                           const Mistake& mistake = {});

}  // namespace halfmark::suites::rates
