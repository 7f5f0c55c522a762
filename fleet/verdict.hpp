// SPDX-License-Identifier: Apache-2.0
// The verdicts of a fleet about one device, how far a verdict reaches, and the rules of majorities
// that give them. A majority is two thirds: without one, no device is blamed.
#pragma once

#include <cstdint>
#include <string_view>

namespace halfmark::fleet {

enum class DeviceVerdict {
  kConformant,
  kNondeterministicKernel,  // it varies from call to call, as its peers do or a freedom permits
  kDeterministicDeviation,  // its peers give the same wrong bits: a driver or operator is wrong
  kNoConsensus,             // its peers agree on nothing
  kLoneDeviation,           // it alone gives other bits, always the same: a defect
  kIntermittent,            // it alone contradicts itself, unpermitted: silent corruption
  kAbsent,                  // expected, and gave no answer
  kError,                   // cannot be used, or gave an incomplete answer
};

inline constexpr DeviceVerdict kAllDeviceVerdicts[] = {DeviceVerdict::kConformant,
                                                       DeviceVerdict::kNondeterministicKernel,
                                                       DeviceVerdict::kDeterministicDeviation,
                                                       DeviceVerdict::kNoConsensus,
                                                       DeviceVerdict::kLoneDeviation,
                                                       DeviceVerdict::kIntermittent,
                                                       DeviceVerdict::kAbsent,
                                                       DeviceVerdict::kError};

/// What to look at.
enum class Scope {
  kNone,  // nothing is wrong, or nothing tells where
  kDevice,
  kNode,    // every device of the node deviates: power, memory of the host, the bus
  kDriver,  // every device with this driver deviates
  kSuite,   // devices of every kind deviate: Halfmark itself is the suspect
};

[[nodiscard]] std::string_view name_of(DeviceVerdict);
[[nodiscard]] std::string_view name_of(Scope);

/// With several verdicts about one device, the greatest counts.
[[nodiscard]] int severity_of(DeviceVerdict);

/// Whether the device, or its driver, was found to be wrong. Absence and errors are no finding.
[[nodiscard]] bool is_found_wrong(DeviceVerdict);

/// Whether the node should get no work until somebody has looked.
[[nodiscard]] bool is_suspect(DeviceVerdict);

[[nodiscard]] constexpr bool is_majority(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 && 3 * part >= 2 * whole;
}

/// How peers answered one question, the device itself included.
struct Poll {
  std::uint64_t members = 0;
  std::uint64_t same = 0;     // gave the bits of this device
  std::uint64_t largest = 0;  // gave the most frequent bits
  std::uint64_t right = 0;    // broke no rule
};

/// About a device that broke a rule, so its bits are wrong.
[[nodiscard]] DeviceVerdict verdict_on_wrong_bits(const Poll& poll);

/// About a device that broke none; the poll is among those that broke none. Its bits may still be
/// other ones than its peers': rules leave room where no standard fixes the order of a sum.
[[nodiscard]] DeviceVerdict verdict_on_right_bits(const Poll& poll);

/// About a device that contradicts itself, as `varying` of its `members` peers do. `permitted`: an
/// open freedom allows it.
[[nodiscard]] DeviceVerdict verdict_on_varying_bits(std::uint64_t varying, std::uint64_t members,
                                                    bool permitted);

}  // namespace halfmark::fleet
