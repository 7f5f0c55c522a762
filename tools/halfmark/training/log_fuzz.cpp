// SPDX-License-Identifier: Apache-2.0
// Any bytes as a training log: it is refused with a line, or every rule can be applied to it.
#include <cstdint>
#include <cstdlib>

#include "tools/halfmark/training/log.hpp"
#include "tools/halfmark/training/rules.hpp"

using namespace halfmark::tools;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const TrainingLog log = parse_training_log({reinterpret_cast<const char*>(bytes), size});
    for (const std::string_view profile : norm_profiles()) {
      for (const Applied& each : apply_rules({.log = log}, profile)) {
        if (each.hit.times == 0 || each.hit.what.empty()) std::abort();
      }
    }
    static_cast<void>(death_of(log));
    if (figures_of(log.steps).skipped > log.steps.size()) std::abort();
  } catch (const LogError&) {
  }
  return 0;
}
