// SPDX-License-Identifier: Apache-2.0
// The right library of the software device passes every library case, earned; each fault that can
// be planted in it is found and named; the controls are not accused.
#include <gtest/gtest.h>

#include <map>

#include "suites/core/line.hpp"
#include "suites/layernorm/binding.hpp"
#include "suites/layernorm/suite.hpp"

namespace halfmark::suites::layernorm {
namespace {

Session open_host(const std::string& fault) {
  std::map<std::string, std::string> options;
  if (!fault.empty()) options.emplace("fault", fault);
  return Session(backends::Device::open("host", options));
}

// Findings as "operation class", and how many cases had each.
std::map<std::string, int> findings(const std::string& fault, std::string_view operation,
                                    std::string_view format) {
  Session session = open_host(fault);
  std::map<std::string, int> found;
  for (const Case& c : suite().cases(Level::kStandard, 7)) {
    if (c.word("provider") != "library" || c.word("format") != format) continue;
    if (!operation.empty() && c.word("operation") != operation) continue;
    // The tallest are for faults of the grid.
    if (c.number("shape", 'r') > 5000 && fault != "L09") continue;
    const CaseResult result = run_case(session, suite(), c);
    if (result.verdict == Verdict::kPass) continue;
    EXPECT_EQ("fail", name_of(result.verdict)) << result.name << ": " << result.reason;
    ++found[result.finding_class];
  }
  return found;
}

TEST(LayernormLibrary, TheRightOneAndTheControlsAreNotAccused) {
  for (const char* fault : {"", "N01", "N03", "N04", "N05", "N07"}) {
    for (const char* format : {"fp16", "bf16", "fp32"}) {
      for (const auto& [finding_class, cases] : findings(fault, "", format)) {
        ADD_FAILURE() << fault << ": " << cases << " " << format
                      << " cases fail: " << finding_class;
      }
    }
  }
}

struct Planted {
  const char *fault, *operation, *finding_class;
};

TEST(LayernormLibrary, EveryFaultIsFoundAndNamed) {
  constexpr Planted kPlanted[] = {
      {"L01", "forward", "var_cancel"},  {"L02", "forward", "acc_narrow"},
      {"L03", "forward", "early_round"}, {"L04", "forward", "eps_lost"},
      {"L05", "forward", "formula"},     {"L06", "forward", "formula"},
      {"L07", "forward", "nan_made"},    {"L08", "forward", "early_round"},
      {"L09", "forward", "grid_limit"},  {"L10", "forward", "edge_tile"},
      {"L11", "forward", "layout"},      {"L12", "backward", "acc_narrow"},
      {"L13", "backward", "wave_width"}, {"L14", "backward", "formula"},
      {"L15", "backward", "layout"},     {"L16", "forward", "low_precision"},
      {"L17", "forward", "over_read"},
  };
  for (const Planted& row : kPlanted) {
    const auto found = findings(row.fault, row.operation, "fp16");
    EXPECT_TRUE(found.contains(row.finding_class)) << row.fault;
    int named = 0;
    int all = 0;
    for (const auto& [name, cases] : found) {
      all += cases;
      if (name == row.finding_class) named += cases;
    }
    EXPECT_LT(all, 2 * named + 1) << row.fault << ": most cases say something else";
  }
}

}  // namespace
}  // namespace halfmark::suites::layernorm
