// SPDX-License-Identifier: Apache-2.0
// Has a `main` of its own, since a worker finds the devices, and the worker is this program
// started again.
#include "tools/halfmark/bench/bench.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "suites/core/case/errors.hpp"

namespace halfmark::tools {
namespace {

BenchOptions options_for(const std::string& filter) {
  BenchOptions options;
  options.cases.level = "smoke";
  options.cases.filters = {filter};
  options.devices.devices = {"host"};
  return options;
}

// Runs in a child process, since Google Benchmark keeps what was registered.
int bench_once(const BenchOptions& options) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int code = verb_bench(options);
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(code);
  }
  int status = 0;
  EXPECT_EQ(child, ::waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(Bench, RefusesFlagsThatNobodyKnows) {
  BenchOptions options = options_for("arithmetic.fp32.add.*");
  options.benchmark_arguments = {"--benchmark_color=false", "--bogus"};
  try {
    static_cast<void>(verb_bench(options));
    FAIL() << "--bogus was taken";
  } catch (const suites::UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("'--bogus'"), std::string::npos) << e.what();
  }
}

TEST(Bench, TimesAProductWithItsCastsToo) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "halfmark_bench_cast_test.json";
  const std::string name = "gemm.fp16.acc-fp32.out-fp16.library.nt.m17n33k33.plain.normal.";
  BenchOptions options = options_for(name + "*");
  options.benchmark_arguments = {"--benchmark_min_time=0.001", "--benchmark_out=" + file.string(),
                                 "--benchmark_out_format=json"};
  ::testing::internal::CaptureStdout();
  const int code = bench_once(options);
  const std::string shown = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(code, 0) << shown;
  const auto rows = nlohmann::json::parse(std::ifstream(file)).at("benchmarks");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at(0).at("name"), name + "s1/manual_time");
  EXPECT_EQ(rows.at(1).at("name"), "autocast." + name + "s1/manual_time");
  const auto bytes = [&](std::size_t i) {
    return rows.at(i).at("bytes_per_second").get<double>() *
           rows.at(i).at("real_time").get<double>() * 1e-9;
  };
  EXPECT_NEAR(bytes(0), 2.0 * (17 * 33 + 33 * 33 + 17 * 33), 1);
  EXPECT_NEAR(bytes(1) - bytes(0), 6.0 * (17 * 33 + 33 * 33), 1);
  std::filesystem::remove(file);
}

// A device with a modelled clock declares 4 Gflop/s of fp16; with F03 a launch returns when a
// twentieth of the work is done.
nlohmann::json row_of_half_product(const char* fault, int expected_code) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "halfmark_bench_declared.json";
  BenchOptions options =
      options_for("gemm.fp16.acc-fp32.out-fp16.library.nt.m17n33k33.plain.normal.*");
  options.devices.fault = fault;
  options.benchmark_arguments = {"--benchmark_min_time=0.001", "--benchmark_out=" + file.string(),
                                 "--benchmark_out_format=json"};
  ::testing::internal::CaptureStdout();
  const int code = bench_once(options);
  const std::string shown = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(expected_code, code) << shown;
  auto rows = nlohmann::json::parse(std::ifstream(file)).at("benchmarks");
  std::filesystem::remove(file);
  return rows.at(0);
}

TEST(Bench, TellsThePartOfTheDeclaredRate) {
  const auto row = row_of_half_product("N08", 0);
  // 37,026 operations take 22.11 us for their 4,422 bytes at 0.2 Gbyte/s, and 5 us to launch.
  EXPECT_NEAR(row.at("of_declared").get<double>(), 37026 / 27110.0 / 4, 1e-4);
  EXPECT_FALSE(row.contains("error_message"));
}

TEST(Bench, RefusesARateAboveTheDeclaredOne) {
  const auto row = row_of_half_product("F03", 1);
  ASSERT_TRUE(row.contains("error_message")) << row;
  EXPECT_NE(std::string::npos, row.at("error_message").get<std::string>().find("implausible"))
      << row;
}

TEST(Bench, RefusesCasesThatAreNotTimed) {
  EXPECT_THROW(static_cast<void>(verb_bench(options_for("arithmetic.fp32.sqrt.*"))),
               suites::UsageError);
}

TEST(Bench, VerifiesAndTimesACase) {
  const auto file = std::filesystem::path(::testing::TempDir()) / "halfmark_bench_test.json";
  BenchOptions options = options_for("arithmetic.fp32.add.portable.n262144.near.*");
  options.benchmark_arguments = {"--benchmark_min_time=0.001", "--benchmark_out=" + file.string(),
                                 "--benchmark_out_format=json"};
  ::testing::internal::CaptureStdout();
  const int code = bench_once(options);
  const std::string shown = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(code, 0) << shown;
  const auto written = nlohmann::json::parse(std::ifstream(file));
  ASSERT_EQ(written.at("benchmarks").size(), 1u);
  const auto& row = written.at("benchmarks").at(0);
  EXPECT_EQ(row.at("name"), "arithmetic.fp32.add.portable.n262144.near.s1/manual_time");
  EXPECT_GT(row.at("real_time").get<double>(), 0.0);
  EXPECT_GT(row.at("flops_per_second").get<double>(), 0.0);
  EXPECT_GT(row.at("bytes_per_second").get<double>(), row.at("flops_per_second").get<double>());
  EXPECT_TRUE(written.at("context").contains("host"));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace halfmark::tools

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], halfmark::suites::kWorkerArgument) == 0) {
    return halfmark::suites::serve_worker();
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
