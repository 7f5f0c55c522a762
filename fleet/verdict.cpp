// SPDX-License-Identifier: Apache-2.0
#include "fleet/verdict.hpp"

namespace halfmark::fleet {

std::string_view name_of(DeviceVerdict verdict) {
  switch (verdict) {
    case DeviceVerdict::kConformant:
      return "conformant";
    case DeviceVerdict::kNondeterministicKernel:
      return "nondeterministic-kernel";
    case DeviceVerdict::kDeterministicDeviation:
      return "deterministic-deviation";
    case DeviceVerdict::kNoConsensus:
      return "no-consensus";
    case DeviceVerdict::kLoneDeviation:
      return "lone-deviation";
    case DeviceVerdict::kIntermittent:
      return "intermittent";
    case DeviceVerdict::kAbsent:
      return "absent";
    case DeviceVerdict::kError:
      return "error";
  }
  return "error";
}

std::string_view name_of(Scope scope) {
  switch (scope) {
    case Scope::kNone:
      return "none";
    case Scope::kDevice:
      return "device";
    case Scope::kNode:
      return "node";
    case Scope::kDriver:
      return "driver";
    case Scope::kSuite:
      return "suite";
  }
  return "none";
}

int severity_of(DeviceVerdict verdict) {
  switch (verdict) {
    case DeviceVerdict::kConformant:
      return 0;
    case DeviceVerdict::kNondeterministicKernel:
      return 1;
    case DeviceVerdict::kAbsent:
      return 2;
    case DeviceVerdict::kError:
      return 3;
    case DeviceVerdict::kDeterministicDeviation:
      return 4;
    case DeviceVerdict::kNoConsensus:
      return 5;
    case DeviceVerdict::kLoneDeviation:
      return 6;
    case DeviceVerdict::kIntermittent:
      return 7;
  }
  return 3;
}

bool is_found_wrong(DeviceVerdict verdict) {
  return severity_of(verdict) >= severity_of(DeviceVerdict::kDeterministicDeviation);
}

bool is_suspect(DeviceVerdict verdict) {
  return severity_of(verdict) >= severity_of(DeviceVerdict::kLoneDeviation);
}

DeviceVerdict verdict_on_wrong_bits(const Poll& poll) {
  if (is_majority(poll.same, poll.members)) return DeviceVerdict::kDeterministicDeviation;
  // Of two, the one that is right decides.
  const bool pair = poll.members == 2 && poll.right == 1;
  if (pair || is_majority(poll.right, poll.members) || is_majority(poll.largest, poll.members))
    return DeviceVerdict::kLoneDeviation;
  return DeviceVerdict::kNoConsensus;
}

DeviceVerdict verdict_on_right_bits(const Poll& poll) {
  if (is_majority(poll.same, poll.members)) return DeviceVerdict::kConformant;
  if (is_majority(poll.largest, poll.members)) return DeviceVerdict::kLoneDeviation;
  return DeviceVerdict::kNoConsensus;
}

DeviceVerdict verdict_on_varying_bits(std::uint64_t varying, std::uint64_t members,
                                      bool permitted) {
  const bool all_alike = members > 1 && is_majority(varying, members);
  return permitted || all_alike ? DeviceVerdict::kNondeterministicKernel
                                : DeviceVerdict::kIntermittent;
}

}  // namespace halfmark::fleet
