// SPDX-License-Identifier: Apache-2.0
//
// Barriers, ids, local memory, order, threads, and every mistake that a caller can make.
#include "backends/host/host_test.hpp"

#include <algorithm>
#include <numeric>

namespace halfmark::backends::host {
namespace {

constexpr std::string_view kReverse = R"(
HM_KERNEL test(HM_GLOBAL int* out, int rounds) {
  HM_LOCAL(int, values, 1024);
  HM_LOCAL(int, others, 1024);
  int item = HM_LID(0);
  int items = HM_LSIZE(0);
  values[item] = item * 3 + HM_GID(0);
  HM_BARRIER();
  for (int round = 0; round < rounds; round += 1) {
    others[items - 1 - item] = values[item] + 1;
    HM_BARRIER();
    values[item] = others[item];
    HM_BARRIER();
  }
  out[HM_GID(0) * items + item] = values[item];
}
)";

[[nodiscard]] std::vector<int> expected_reverse(int groups, int items, int rounds) {
  std::vector<int> expected;
  for (int group = 0; group < groups; ++group) {
    for (int item = 0; item < items; ++item) {
      const int from = rounds % 2 == 0 ? item : items - 1 - item;
      expected.push_back(from * 3 + group + rounds);
    }
  }
  return expected;
}

TEST_F(HostTest, BarriersOrderManyItemsManyTimes) {
  const auto device = open();
  for (const std::uint32_t items : {1u, 2u, 63u, 256u, 1024u}) {
    const Grid grid{.groups = {5, 1, 1}, .items = {items, 1, 1}};
    EXPECT_EQ(output_of<int>(*device, std::string(kReverse), grid, 5 * items, {std::int32_t{101}}),
              expected_reverse(5, static_cast<int>(items), 101));
  }
}

TEST_F(HostTest, ResultDependsOnNeitherThreadsNorOrder) {
  const Grid grid{.groups = {97, 1, 1}, .items = {64, 1, 1}};
  for (const int threads : {1, 2, 7}) {
    for (const auto& options : {nlohmann::json{{"threads", threads}},
                                nlohmann::json{{"threads", threads}, {"shuffle", 3}}}) {
      const auto device = open(options);
      EXPECT_EQ(device->describe().compute_units, static_cast<std::uint32_t>(threads));
      EXPECT_EQ(output_of<int>(*device, std::string(kReverse), grid, 97 * 64, {std::int32_t{4}}),
                expected_reverse(97, 64, 4));
    }
  }
}

TEST_F(HostTest, ShuffledOrderExposesARace) {
  const std::string last_writer = R"(
HM_KERNEL test(HM_GLOBAL int* out) {
  HM_LOCAL(int, shared, 1);
  shared[0] = HM_LID(0);
  HM_BARRIER();
  out[HM_GID(0)] = shared[0];
}
)";
  const Grid grid{.groups = {16, 1, 1}, .items = {64, 1, 1}};
  const std::vector<int> natural = output_of<int>(*open(), last_writer, grid, 16);
  EXPECT_EQ(natural, std::vector<int>(16, 63));
  const auto device = open({{"shuffle", 1}, {"threads", 1}});
  const std::vector<int> shuffled = output_of<int>(*device, last_writer, grid, 16);
  EXPECT_NE(shuffled, natural);
  EXPECT_NE(output_of<int>(*open({{"shuffle", 2}}), last_writer, grid, 16), shuffled);
  // The order is a property of the group: neither earlier groups nor the thread that runs
  // it matter.
  EXPECT_EQ(output_of<int>(*device, last_writer, {.groups = {7, 1, 1}, .items = grid.items}, 7),
            std::vector<int>(shuffled.begin(), shuffled.begin() + 7));
  EXPECT_EQ(output_of<int>(*open({{"shuffle", 1}, {"threads", 3}}), last_writer, grid, 16),
            shuffled);
}

TEST_F(HostTest, IdsCoverThreeDimensions) {
  const std::string source = R"(
HM_KERNEL test(HM_GLOBAL int* out) {
  int item = (HM_LID(2) * HM_LSIZE(1) + HM_LID(1)) * HM_LSIZE(0) + HM_LID(0);
  int group = (HM_GID(2) * HM_NGROUPS(1) + HM_GID(1)) * HM_NGROUPS(0) + HM_GID(0);
  out[group * HM_LSIZE(0) * HM_LSIZE(1) * HM_LSIZE(2) + item] += group * 1000 + item + 1;
}
)";
  const std::vector<int> actual =
      output_of<int>(*open(), source, {.groups = {3, 4, 5}, .items = {2, 3, 4}}, 60 * 24);
  for (int i = 0; i < 60 * 24; ++i)
    EXPECT_EQ(i / 24 * 1000 + i % 24 + 1, actual[static_cast<std::size_t>(i)]);
}

TEST_F(HostTest, ScalarsArriveWithTheirTypes) {
  const std::string source = R"(
HM_KERNEL test(HM_GLOBAL unsigned* out, int a, unsigned b, float c) {
  out[0] = (unsigned)a; out[1] = b; out[2] = HM_F2U(c);
}
)";
  const auto actual = output_of<std::uint32_t>(
      *open(), source, {}, 3, {std::int32_t{-2}, std::uint32_t{0xfffffff0}, -0.0f});
  EXPECT_EQ(actual, (std::vector<std::uint32_t>{0xfffffffe, 0xfffffff0, 0x80000000}));
}

// One place for each fault of group K, on operands where it shows; `a` is 1 at run time.
TEST_F(HostTest, EachFaultOfKernelsChangesItsFunctionAlone) {
  const std::string source = R"(
HM_KERNEL test(HM_GLOBAL unsigned* out, float a) {
  out[0] = HM_F2U(HM_VENDOR_TANH(a * 5.0f));
  out[1] = HM_F2U(HM_VENDOR_LOG1P(a * 1.1e-6f));
  out[2] = HM_F2U(HM_VENDOR_EXPM1(a * 1.1e-6f));
  out[3] = HM_F2U(HM_VENDOR_RSQRT(a * 3.0f));
  out[4] = HM_F2U(HM_VENDOR_EXP(a * -20.0f));
  out[5] = HM_F2U(HM_FMA(a * (1 + 0x1p-12f), 1 + 0x1p-12f, 0x1p-80f));
  out[6] = HM_F2U(HM_LDEXP(a, -140));
}
)";
  const auto right = output_of<std::uint32_t>(*open(), source, {}, 7, {1.0f});
  for (std::size_t fault = 0; fault < right.size(); ++fault) {
    const std::string id = "K0" + std::to_string(fault + 1);
    const auto wrong =
        output_of<std::uint32_t>(*open({{"fault", id}}), source, {}, right.size(), {1.0f});
    for (std::size_t i = 0; i < right.size(); ++i)
      EXPECT_EQ(i == fault, right[i] != wrong[i]) << id << ' ' << i;
  }
}

TEST_F(HostTest, LocalMemoryStartsAsNanInEveryGroup) {
  const std::string source = R"(
HM_KERNEL test(HM_GLOBAL unsigned* out) {
  HM_LOCAL(float, values, 8);
  out[HM_GID(0)] = HM_F2U(values[HM_GID(0) % 8]);
  for (int i = 0; i < 8; i += 1) values[i] = 1.0f;
}
)";
  const auto actual =
      output_of<std::uint32_t>(*open({{"threads", 1}}), source, {.groups = {16, 1, 1}}, 16);
  EXPECT_EQ(actual, std::vector<std::uint32_t>(16, 0xffffffffu));
}

TEST_F(HostTest, DivergenceNamesKernelAndGroup) {
  const std::string early_return = R"(
HM_KERNEL test(HM_GLOBAL int* out, int stop) {
  if (HM_GID(1) == 1 && HM_LID(0) == stop) return;
  HM_BARRIER();
  out[HM_LID(0)] = 1;
}
)";
  const Grid grid{.groups = {1, 2, 1}, .items = {16, 1, 1}};
  const auto device = open();
  EXPECT_EQ(
      error_of([&] { (void)output_of<int>(*device, early_return, grid, 16, {std::int32_t{5}}); }),
      "barrier divergence in kernel 'test', group (0, 1, 0): 15 of 16 work-items wait at the "
      "barrier of line 4, "
      "the others have returned");
  EXPECT_EQ(
      error_of([&] { (void)output_of<int>(*device, early_return, grid, 16, {std::int32_t{16}}); }),
      "");
}

TEST_F(HostTest, DifferentBarriersAreDivergence) {
  const std::string branches = R"(
HM_KERNEL test(HM_GLOBAL int* out) {
  if (HM_LID(0) < 3) {
    HM_BARRIER();
  } else {
    HM_BARRIER();
  }
  out[HM_LID(0)] = 1;
}
)";
  EXPECT_EQ(error_of([&] { (void)output_of<int>(*open(), branches, {.items = {8, 1, 1}}, 8); }),
            "barrier divergence in kernel 'test', group (0, 0, 0): work-items wait at the barriers "
            "of lines 4 and 6");
}

TEST_F(HostTest, DeviceGoesOnAfterDivergence) {
  const std::string diverging =
      "HM_KERNEL test(HM_GLOBAL int* out) {\n  if (HM_LID(0) > 0) HM_BARRIER();\n  out[0] = "
      "1;\n}\n";
  const auto device = open();
  const Grid grid{.groups = {50, 1, 1}, .items = {32, 1, 1}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(error_of([&] { (void)output_of<int>(*device, diverging, grid, 1); }), "");
    EXPECT_EQ(output_of<int>(*device, std::string(kReverse), grid, 50 * 32, {std::int32_t{3}}),
              expected_reverse(50, 32, 3));
  }
}

TEST_F(HostTest, TooMuchLocalMemoryIsRefused) {
  const std::string greedy =
      "HM_KERNEL test(HM_GLOBAL int* out) {\n  HM_LOCAL(int, big, 20000);\n  big[0] = 1;\n  out[0] "
      "= big[0];\n}\n";
  EXPECT_EQ(
      error_of([&] { (void)output_of<int>(*open(), greedy, {}, 1); }),
      "kernel 'test', group (0, 0, 0) needs 80000 bytes of local memory; the device has 65536");
}

TEST_F(HostTest, TooLargePrivateMemoryDoesNotBuild) {
  const std::string greedy = R"(
HM_KERNEL test(HM_GLOBAL int* out, int n) {
  int big[8000];
  for (int i = 0; i < n; i += 1) big[i] = out[i];
  for (int i = 0; i < n; i += 1) out[i] = big[n - 1 - i];
}
)";
  EXPECT_NE(error_of([&] { (void)open()->build(greedy, {}); }).find("frame"), std::string::npos);
}

TEST_F(HostTest, LaunchMistakesAreNamed) {
  const auto device = open();
  const auto program =
      device->build("HM_KERNEL test(HM_GLOBAL int* out, int n) { out[0] = n; }\n", {});
  const auto buffer = device->allocate(64);
  const auto launch = [&](const char* entry, const Grid& grid,
                          std::vector<DriverArgument> arguments) {
    return error_of([&] { program->launch(entry, grid, arguments); });
  };
  EXPECT_EQ(launch("tset", {}, {}), "no kernel 'tset' in the program; it has: test");
  EXPECT_EQ(launch("test", {}, {buffer.get()}),
            "kernel 'test' takes arguments \"pi\", was given \"p\" (p buffer, i int, u unsigned, f "
            "float)");
  EXPECT_EQ(launch("test", {}, {buffer.get(), std::uint32_t{1}}),
            "kernel 'test' takes arguments \"pi\", was given \"pu\" (p buffer, i int, u unsigned, "
            "f float)");
  EXPECT_EQ(launch("test", {.items = {33, 32, 1}}, {buffer.get(), 1}),
            "a group has 1 to 1024 work-items, not 33 x 32 x 1");
  EXPECT_NE(launch("test", {.groups = {0x80000000, 1, 1}}, {buffer.get(), 1}), "");
  EXPECT_EQ(launch("test", {}, {buffer.get(), 1}), "");
  EXPECT_NE(error_of([&] { (void)open({{"thread", 1}}); }), "");
}

TEST_F(HostTest, KernelsLeftOutByADefinitionAreAbsent) {
  const std::string source = R"(
#if HM_WITH
HM_KERNEL extra(HM_GLOBAL int* out) { out[0] = HM_WITH; }
#endif
// A comment may say
// HM_KERNEL nothing(
HM_KERNEL test(HM_GLOBAL int* out) { out[0] = -1; }
)";
  const auto device = open();
  const auto buffer = device->allocate(4);
  const std::vector<DriverArgument> arguments = {buffer.get()};
  const std::vector<Define> with = {{"HM_WITH", "7"}};
  device->build(source, with)->launch("extra", {}, arguments);
  std::vector<int> value(1);
  download(*buffer, value);
  EXPECT_EQ(value[0], 7);
  EXPECT_EQ(error_of([&] { device->build(source, {})->launch("extra", {}, arguments); }),
            "no kernel 'extra' in the program; it has: test");
}

TEST_F(HostTest, IdentityKeepsEveryPromise) {
  const DeviceInfo info = open()->describe();
  EXPECT_EQ(info.name, "Halfmark software device");
  EXPECT_EQ(info.kind, "software");
  EXPECT_GT(info.memory_bytes, 0u);
  for (const char* capability :
       {"fp16.storage", "fp16.subnormals", "fp16.arithmetic", "fp16.arithmetic.subnormals",
        "fp16.arithmetic.divide_sqrt_correctly_rounded", "fp32.subnormals",
        "fp32.divide_sqrt_correctly_rounded", "fp32.signed_zero", "fp32.fma"}) {
    EXPECT_TRUE(info.offers(capability)) << capability;
    EXPECT_NE(info.promise(capability)->evidence, "");
  }
  EXPECT_TRUE(info.extra.contains("processor"));
}

}  // namespace
}  // namespace halfmark::backends::host
