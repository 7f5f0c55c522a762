// SPDX-License-Identifier: Apache-2.0
#include "suites/core/execute/memory_fault.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace halfmark::suites {
namespace {

// Differences that only this project forbids: libraries promise equal bits only for identical
// calls, and may let the order of a sum depend on place, queue and load.
struct ApartRow {
  std::string_view between, freedom;
};
ApartRow row_of(ComparedRuns apart) {
  switch (apart) {
    case ComparedRuns::kRuns:
      break;
    case ComparedRuns::kPlaces:
      return {"places of a batch", "the order of a sum in another place of a batch"};
    case ComparedRuns::kQueues:
      return {"queues", "the order of a sum on another queue"};
    case ComparedRuns::kLoads:
      return {"runs, one of them beside other work", "the order of a sum beside other work"};
  }
  return {"identical runs", ""};
}

std::string sentence(const std::map<std::string, std::vector<std::size_t>>& places,
                     std::string_view what) {
  const auto& [name, elements] = *places.begin();
  return fmt::format("{} elements of '{}' {}, the first at {}", elements.size(), name, what,
                     elements[0]);
}

}  // namespace

std::string_view memory_fault(const DeviceResult& got) {
  if (!got.guards_broken.empty()) return "out_of_bounds";
  if (!got.inputs_changed.empty()) return "input_changed";
  if (!got.unwritten.empty()) return "uninit";
  if (got.unrepeated.empty()) return "";
  switch (got.follows) {
    case LeakSource::kContents:
      return "uninit";
    case LeakSource::kSurroundings:
      return "over_read";
    case LeakSource::kNothing:
      break;
  }
  return "race";
}

std::string_view freedom_of(ComparedRuns apart) { return row_of(apart).freedom; }

std::string memory_fault_reason(const DeviceResult& got) {
  const std::string_view fault = memory_fault(got);
  if (fault == "out_of_bounds")
    return fmt::format("memory behind the end of '{}' was written", got.guards_broken[0]);
  if (fault == "input_changed")
    return fmt::format("input '{}' was written to", got.inputs_changed[0]);
  if (fault == "uninit") {
    return got.unwritten.empty()
               ? sentence(got.unrepeated, "follow what stood there before the call")
               : sentence(got.unwritten, "were never written");
  }
  if (fault == "race")
    return sentence(got.unrepeated,
                    fmt::format("differ between two {}", row_of(got.apart).between));
  if (fault == "over_read")
    return sentence(got.unrepeated, "follow what lies in memory outside the operands");
  return "";
}

}  // namespace halfmark::suites
