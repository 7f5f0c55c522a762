// SPDX-License-Identifier: Apache-2.0
// Decides the verdict about each device that answered, from its own answers and those of its peers.
// Peers have the same device name and driver, and are compared only where they were asked the same
// cases with the same seed.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "fleet/kept.hpp"
#include "fleet/verdict.hpp"

namespace halfmark::fleet {

/// How the devices of a fleet answered, counted once for each device and question.
class Polls {
 public:
  explicit Polls(const std::vector<KeptDevice>& devices);

  /// Peers that had the case for certain: those that list it, and those that list all their misses.
  [[nodiscard]] std::uint64_t members(const KeptAnswer& answer, const KeptMiss& miss) const;
  /// Among all peers, or among those that broke no rule of the suite.
  [[nodiscard]] Poll among_all(const KeptAnswer& answer, const KeptSuite& suite) const;
  [[nodiscard]] Poll among_right(const KeptAnswer& answer, const KeptSuite& suite) const;
  /// About one case that the device missed: for answers that nobody else was asked as a whole.
  [[nodiscard]] Poll on_case(const KeptAnswer& answer, const KeptMiss& miss) const;
  [[nodiscard]] std::uint64_t varying(const KeptAnswer& answer, const KeptMiss& miss) const;

 private:
  struct Count {
    std::uint64_t all = 0, right = 0, largest = 0, largest_right = 0;
  };
  void add_suite(const KeptAnswer& answer, const KeptSuite& suite);
  void add_misses(const KeptAnswer& answer);
  [[nodiscard]] Count count(std::uint64_t key) const;

  std::unordered_map<std::uint64_t, Count> counts_;
};

/// One sentence about one answer, and how grave it is.
struct Judged {
  DeviceVerdict verdict = DeviceVerdict::kConformant;
  std::string evidence = {};
  std::uint32_t suite = 0;  // of a deviation
  bool violates = false;
  const KeptAnswer* answer = nullptr;  // that decided
  bool of_store = false;               // the golden store is in error, not the device
};

[[nodiscard]] Judged judge(const KeptDevice& device, const Polls& polls, const Words& words);

}  // namespace halfmark::fleet
