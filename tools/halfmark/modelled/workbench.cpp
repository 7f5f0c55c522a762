// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/modelled/workbench.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "suites/gemm/testing/planted.hpp"
#include "suites/runner/run.hpp"
#include "tools/halfmark/record.hpp"

namespace halfmark::tools {
namespace {

constexpr const char* kSelector = "planted";

void plant(const std::string& what) { ::setenv(suites::gemm::kPlantedVariable, what.c_str(), 1); }

}  // namespace

reports::Scorecard run_of_gemm(const RunOfGemm& run) {
  plant(run.planted);
  suites::Selection selection{
      .level = suites::Level::kSmoke, .seed = 7, .suites = {"gemm"}, .filters = {"*.library.*"}};
  suites::RunOptions options;
  options.cases = suites::select_cases(selection);
  selection.suites.clear();  // for the marks, the selected cases are all cases
  selection.filters.clear();
  options.identity = identity_of(selection, "");
  options.environment = nlohmann::json::object();
  options.resume = run.resume;
  options.throughput = false;
  options.worker.plugin = HM_FIXTURE;
  return reports::tally(record_of(suites::run_device(kSelector, options, run.journal, {}), {}));
}

}  // namespace halfmark::tools

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], halfmark::suites::kWorkerArgument) == 0)
    return halfmark::suites::serve_worker();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
