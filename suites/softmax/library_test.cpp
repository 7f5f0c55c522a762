// SPDX-License-Identifier: Apache-2.0
// The right library of the software device passes every library case, earned; each fault that can
// be planted in it is found and named; the controls are not accused.
#include <gtest/gtest.h>

#include <map>

#include "suites/core/line.hpp"
#include "suites/softmax/binding.hpp"
#include "suites/softmax/suite.hpp"

namespace halfmark::suites::softmax {
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
    const CaseResult result = run_case(session, suite(), c);
    if (result.verdict == Verdict::kPass) continue;
    EXPECT_EQ("fail", name_of(result.verdict)) << result.name << ": " << result.reason;
    ++found[result.finding_class];
  }
  return found;
}

TEST(SoftmaxLibrary, TheRightOneAndTheControlsAreNotAccused) {
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

TEST(SoftmaxLibrary, EveryFaultIsFoundAndNamed) {
  constexpr Planted kPlanted[] = {
      {"S01", "forward", "overflow"},     {"S02", "forward", "acc_narrow"},
      {"S03", "forward", "bad_identity"}, {"S04", "forward", "nan_dropped"},
      {"S05", "forward", "masked_row"},   {"S06", "forward", "edge"},
      {"S07", "forward", "edge_tile"},    {"S08", "forward", "race"},
      {"S09", "forward", "early_round"},  {"S10", "forward", "layout"},
      {"S11", "forward", "index_ovf"},    {"S12", "log-forward", "underflow"},
      {"S13", "forward", "fmt_subst"},    {"S14", "backward", "formula"},
      {"S15", "backward", "acc_narrow"},  {"S16", "forward", "ftz_out"},
      {"S17", "forward", "nan_made"},     {"S18", "forward", "masked_row"},
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
}  // namespace halfmark::suites::softmax
