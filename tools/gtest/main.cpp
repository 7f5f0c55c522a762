// SPDX-License-Identifier: Apache-2.0
// `halfmark-gtest` runs every case on every device as a GoogleTest test, through the same steps as
// `halfmark run`. Decides which tests exist and for which devices; GoogleTest filters, shards,
// repeats and writes its XML as always. Exit codes: 0 passed, 1 failed, 2 wrong usage, 3 the
// environment prevents an answer. Assumes that the cases of each device run in a worker process, so
// that a crash or a hang fails only one test.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "backends/select.hpp"
#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/runner/arithmetics.hpp"
#include "suites/runner/worker.hpp"
#include "tools/gtest/names.hpp"
#include "tools/gtest/outcome.hpp"
#include "tools/halfmark/numbers.hpp"
#include "tools/halfmark/options.hpp"

namespace {

using namespace halfmark;

constexpr const char* kFooter = R"(
All options of GoogleTest are available: --gtest_filter, --gtest_list_tests, --gtest_output=xml:FILE, ..., and so are
GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX. A test is named CASE@DEVICE with '_' for ':' and '-':
  halfmark-gtest --device opencl:pocl --gtest_filter='gemm.fp16.acc_fp32.*'

Not supported is skipped. A deviation, which the device's specification permits, is printed and passes.)";

struct GtestOptions {
  tools::DeviceOptions devices;
  std::vector<std::string> suites;
  std::string level = "standard";
  std::uint64_t seed = 1;
  bool forbid_deviations = false;
};

// A device and its worker, shared by all tests on the device. The first test starts the worker, so
// that listing the tests is quick.
class DeviceUnderTest {
 public:
  DeviceUnderTest(backends::DeviceInfo device, suites::WorkerOptions options)
      : device_(std::move(device)), options_(std::move(options)) {}

  [[nodiscard]] const backends::DeviceInfo& device() const { return device_; }

  // Empty if the environment prevents an answer; the reason is printed once.
  [[nodiscard]] std::optional<suites::CaseResult> run(const suites::Case& c) {
    if (!prevented_.empty()) return std::nullopt;
    try {
      return run_in_worker(c);
    } catch (const suites::EnvironmentError& e) {
      prevented_ = e.what();
      fmt::print(std::cerr, "halfmark-gtest: {}\n", prevented_);
      return std::nullopt;
    }
  }
  [[nodiscard]] const std::string& prevented() const { return prevented_; }

 private:
  [[nodiscard]] suites::CaseResult run_in_worker(const suites::Case& c) {
    if (worker_ == nullptr) {
      auto worker = std::make_unique<suites::Worker>(options_);
      static_cast<void>(worker->open(device_.selector));
      worker_ = std::move(worker);
    }
    return worker_->run(c, arithmetics_.of(c, *worker_));
  }

  backends::DeviceInfo device_;
  suites::WorkerOptions options_;
  std::unique_ptr<suites::Worker> worker_;
  suites::Arithmetics arithmetics_;
  std::string prevented_;
};

bool g_prevented = false;  // some test had no answer

class CaseTest : public ::testing::Test {
 public:
  CaseTest(std::shared_ptr<DeviceUnderTest> target, suites::Case c, bool forbid_deviations)
      : target_(std::move(target)), case_(std::move(c)), forbid_deviations_(forbid_deviations) {}

  void TestBody() override {
    RecordProperty("case", print(case_));
    RecordProperty("device", target_->device().selector);
    const std::optional<suites::CaseResult> result = target_->run(case_);
    if (!result) {
      g_prevented = true;
      GTEST_SKIP() << target_->prevented();
    }
    RecordProperty("verdict", std::string(name_of(result->verdict)));
    tools::Outcome outcome = tools::outcome_of(
        *result, tools::replay_line(case_, target_->device()), forbid_deviations_);
    outcome.text = text::visible(outcome.text);
    switch (outcome.kind) {
      case tools::OutcomeKind::kSuccess:
        break;
      case tools::OutcomeKind::kNote:
        fmt::print(std::cout, "{}", outcome.text);
        break;
      case tools::OutcomeKind::kSkip:
        GTEST_SKIP() << outcome.text;
      case tools::OutcomeKind::kFailure:
        ADD_FAILURE() << outcome.text;
        break;
    }
  }

 private:
  std::shared_ptr<DeviceUnderTest> target_;
  suites::Case case_;
  bool forbid_deviations_;
};

void add_options(CLI::App& app, GtestOptions& options) {
  app.add_option("--device", options.devices.devices,
                 "a device, as of `halfmark run` (repeatable); without it the devices that `run` "
                 "would take")
      ->type_name("SEL");
  app.add_option("--plugin", options.devices.plugins,
                 "load a vendor's backend from this file (repeatable)")
      ->type_name("FILE");
  app.add_option("--suite", options.suites, "only this suite (repeatable)")->type_name("NAME");
  app.add_option("--level", options.level, "smoke, standard, full or exhaustive")
      ->type_name("LEVEL")
      ->capture_default_str();
  tools::add_seed(app, options.seed, "of all inputs");
  tools::add_timeout(app, "--halfmark-timeout", options.devices.timeout_seconds,
                     "seconds for one case before it counts as hung");
  app.add_flag("--require-no-deviation", options.forbid_deviations,
               "a deviation fails its test, too");
  app.footer(kFooter);
}

void register_tests(const GtestOptions& options) {
  const tools::CaseOptions case_options{.suites = options.suites,
                                        .filters = {},
                                        .level = options.level,
                                        .seed = options.seed,
                                        .shard = {}};
  const std::vector<suites::Case> cases = suites::select_cases(tools::selection_of(case_options));
  for (backends::DeviceInfo& device : tools::choose_devices(options.devices).devices) {
    const suites::WorkerOptions worker = tools::worker_options(options.devices, device);
    const auto target = std::make_shared<DeviceUnderTest>(std::move(device), worker);
    for (const suites::Case& c : suites::cases_for(target->device(), cases)) {
      const std::string parameter = fmt::format("{} on {}", print(c), target->device().selector);
      const bool forbid = options.forbid_deviations;
      ::testing::RegisterTest(
          c.suite.c_str(), tools::test_name(c, target->device()).c_str(), nullptr,
          parameter.c_str(), __FILE__, __LINE__,
          [target, c, forbid]() -> CaseTest* { return new CaseTest(target, c, forbid); });
    }
  }
}

int fail(int code, const std::string& text) {
  fmt::print(std::cerr, "halfmark-gtest: {}\n", text::visible_line(text, text::kMostOfMessage));
  return code;
}

// A share of a few tests may be none, and a list runs none.
bool has_asked_nothing() {
  return std::getenv("GTEST_TOTAL_SHARDS") == nullptr && !GTEST_FLAG_GET(list_tests) &&
         ::testing::UnitTest::GetInstance()->test_to_run_count() == 0;
}

int register_and_run(const GtestOptions& options) {
  try {
    register_tests(options);
  } catch (const suites::UsageError& e) {
    return fail(reports::kExitUnusable, e.what());
  } catch (const backends::NoSuchDevice& e) {
    return fail(reports::kExitNoAnswer, e.what());
  } catch (const suites::EnvironmentError& e) {
    return fail(reports::kExitNoAnswer, e.what());
  }
  const int code = RUN_ALL_TESTS();
  if (has_asked_nothing())
    return fail(reports::kExitUnusable,
                "no test was selected; --gtest_list_tests shows the names that --gtest_filter can "
                "pick from");
  return code == reports::kExitConforms && g_prevented ? reports::kExitNoAnswer : code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], suites::kWorkerArgument) == 0) return suites::serve_worker();
  ::testing::InitGoogleTest(&argc, argv);  // removes its own options
  GtestOptions options;
  CLI::App app{"Every case of Halfmark as a GoogleTest test.", "halfmark-gtest"};
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return fail(reports::kExitUnusable,
                fmt::format("{}; `halfmark-gtest --help` shows what is accepted",
                            text::visible_line(e.what(), 400)));
  }
  return register_and_run(options);
}
