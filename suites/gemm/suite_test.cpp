// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every case has a row and a justified pass, exact rows hold in any order, and
// each fill exposes the faults that README.md lists.
#include "suites/gemm/suite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "reference/soft/soft.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr std::uint64_t kSeed = 7;

Case named(std::string_view tail) {
  return parse_case("gemm", suite().axes, std::string("gemm.") + std::string(tail));
}

// The number of elements that change under one of the suite's hypotheses.
std::uint64_t changed_by(const Case& c, std::string_view hypothesis) {
  const TensorSet inputs = suite().bind(c)->inputs();
  for (const Hypothesis& h : suite().bind(c)->mistakes()) {
    if (h.name == hypothesis)
      return compare(suite().bind(c)->expect(inputs).middle, h.evaluate(c, inputs).middle, 0)
          .mismatches;
  }
  ADD_FAILURE() << "no hypothesis " << hypothesis << " for " << print(c);
  return 0;
}

std::uint64_t changed_by(const Case& c, const models::Machine& machine) {
  const TensorSet inputs = suite().bind(c)->inputs();
  return compare(suite().bind(c)->expect(inputs).middle,
                 suite().bind(c)->expect(inputs, machine).middle, 0)
      .mismatches;
}

TEST(GemmSuite, NamesParseBackAndAreUniqueAtEveryLevel) {
  std::set<std::string> before;
  for (const Level level : {Level::kSmoke, Level::kStandard, Level::kFull, Level::kExhaustive}) {
    std::set<std::string> names;
    for (const Case& c : suite().cases(level, kSeed)) {
      EXPECT_EQ(c, parse_case("gemm", suite().axes, print(c)));
      EXPECT_TRUE(names.insert(print(c)).second) << print(c);
    }
    for (const std::string& name : before) EXPECT_TRUE(names.contains(name)) << name;
    EXPECT_GT(names.size(), before.size());
    before = std::move(names);
  }
}

TEST(GemmSuite, SmokeIsSmall) {
  std::size_t steps = 0;
  const std::vector<Case> smoke = suite().cases(Level::kSmoke, kSeed);
  for (const Case& c : smoke) {
    const operators::GemmProblem p = bind(c).problem;
    EXPECT_LE(p.d_count() * p.k, std::size_t{1} << 21) << print(c);
    steps += p.d_count() * p.k;
  }
  // 164, ten half-precision sums for libraries, three products of processors' units, three of two
  // formats, and two in tf32 of 2^21 products each, which are timed.
  EXPECT_LE(smoke.size(), 182u);
  EXPECT_LE(steps, std::size_t{15} << 20);
}

TEST(GemmSuite, EveryCaseHasItsRow) {
  std::set<std::string_view> used;
  for (const Case& c : suite().cases(Level::kFull, kSeed)) {
    used.insert(suite().bind(c)->row({}).id);
    if (const auto relation = suite().bind(c)->relation()) used.insert(relation->row->id);
    if (!suite().modelling->key(c).empty()) used.insert(suite().modelling->row->id);
  }
  for (const ContractRow& row : suite().contract) EXPECT_TRUE(used.contains(row.id)) << row.id;
}

TEST(GemmSuite, ImpossibleCasesAreRefusedWithARemedy) {
  for (const char* name : {"fp32.acc-fp16.out-fp32.portable.nn.m1n1k1.plain.normal.s1",
                           "fp16.acc-fp32.out-fp16.portable.nn.m0n1k1.plain.normal.s1",
                           "fp16.acc-fp32.out-fp16.portable.nn.m65536n65536k1.plain.normal.s1",
                           "fp16.acc-fp32.out-fp16.portable.nn.m4194241n1k1.plain.integer.s1",
                           "fp16.acc-fp32.out-fp16.portable.nn.m2n2k2.bias.normal.s1",
                           "tf32.acc-fp32.out-fp32.portable.nt.m2n2k2.plain.integer.s1",
                           "tf32.acc-fp32.out-fp32.library.nt.m2n2k2.plain.normal.s1",
                           "fp16.acc-fp32.out-fp16.library.nt.m2n2k2.ac.related.s1",
                           "fp16.acc-fp32.out-fp16.library.nt.m2n2k4097.plain.related.s1",
                           "fp16.acc-fp16.out-fp16.library.nt.m2n2k5.ab.normal.s1",
                           "fp16.acc-fp16.out-fp16.library.nt.m2n2k5.small.integer.s1",
                           "fp16.acc-fp16.out-fp16.library.nt.m2n2k5.gelu.uniform.s1",
                           "fp16.acc-fp16.out-fp16.library.nt.m2n2k5.plain.border.s1",
                           "fp16.acc-fp16.out-fp16.library.nt.m2n2k5.plain.large.s1",
                           "fp16.acc-fp16.out-fp16.library.nt.m2n2k2049.plain.normal.s1",
                           "fp16.acc-fp16.out-fp16.unit.nt.m2n2k5.plain.normal.s1"}) {
    EXPECT_THROW(static_cast<void>(suite().bind(named(name))->inputs()), UsageError) << name;
  }
  const Case most = named("fp16.acc-fp32.out-fp16.portable.nn.m4194240n1k1.plain.integer.s1");
  EXPECT_EQ(65535U, suite().bind(most)->plan({}).launches[0].groups[1]);
}

// Every row of D is computed once, in calls of 1, 2, 3, ... rows.
TEST(GemmSuite, NanMayBecomeZeroByReluAlone) {
  for (const bool relu : {false, true}) {
    const Case c =
        parse_case("gemm", suite().axes,
                   fmt::format("gemm.fp32.acc-fp32.out-fp32.library.nt.m33n17k40.{}.nonfinite.s1",
                               relu ? "relu" : "plain"));
    const auto problem = suite().bind(c);
    const auto all = problem->mistakes();
    const auto found = std::ranges::find(all, "nan-results-as-zero", &Hypothesis::name);
    ASSERT_NE(all.end(), found);
    EXPECT_EQ(relu ? std::vector<std::string>{"nan_operands"} : std::vector<std::string>{},
              found->freedoms);
  }
}

// Which zero a ReLU gives of a negative number is not asserted; every other zero has its sign.
TEST(GemmSuite, ZerosOfReluHaveEitherSign) {
  for (const std::string_view variant : {"relu", "bias"}) {
    const auto problem = suite().bind(
        named(fmt::format("fp16.acc-fp32.out-fp16.library.nt.m33n17k40.{}.wide.s1", variant)));
    EXPECT_EQ("gemm.exact.epilogue", problem->row({}).id);
    EXPECT_EQ(variant == "relu", problem->expect(problem->inputs(), {}).enclosure.has_value());
  }
  const auto plain = suite().bind(named("fp16.acc-fp32.out-fp16.library.nt.m3n3k4.plain.wide.s1"));
  EXPECT_EQ("gemm.library.exact.representable", plain->row({}).id);
  EXPECT_FALSE(plain->expect(plain->inputs(), {}).enclosure);
}

// Row of A times column of B, each widened by itself, is what the specified sum is of.
TEST(GemmSuite, TwoFormatsOf8BitsAreReadEachAsItIs) {
  const auto problem =
      suite().bind(named("e5m2-e4m3fn.acc-fp32.out-fp32.library.nt.m16n16k16.plain.integer.s1"));
  const TensorSet inputs = problem->inputs();
  EXPECT_EQ(formats::kE5m2, *inputs.at("a").format);
  EXPECT_EQ(formats::kE4m3fn, *inputs.at("b").format);
  double sum = 0;
  for (std::size_t x = 0; x < 16; ++x) {
    const auto value = [x](const formats::Tensor& row) {
      const formats::Bits wide = soft::convert(*row.format, formats::kFp32, row.at(x)).bits;
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(wide)));
    };
    sum += value(inputs.at("a")) * value(inputs.at("b"));
  }
  const auto first = problem->expect(inputs, {}).middle.at("d").at(0);
  EXPECT_EQ(sum, static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(first))));
}

TEST(GemmSuite, PiecesCoverTheProductOnce) {
  backends::DeviceInfo device;
  device.libraries.push_back({.name = "a library",
                              .version = "1",
                              .kind = "library",
                              .operators = {"gemm"},
                              .usable = true,
                              .evidence = ""});
  for (const bool by_rows : {true, false}) {
    const Case c =
        named(fmt::format("fp16.acc-fp32.out-fp16.library.nt.{}k5.{}.integer.s7",
                          by_rows ? "m20n3" : "m3n20", by_rows ? "byrows" : "bycolumns"));
    const Plan plan = suite().bind(c)->plan(device);
    ASSERT_EQ(6u, plan.operators.size()) << "1 + 2 + 3 + 4 + 5, and 5 that are left";
    std::vector<int> written(60, 0);
    for (std::size_t call = 0; call < plan.operators.size(); ++call) {
      const TensorSlice& d = plan.operators[call].tensors.at(2);
      EXPECT_EQ(std::min<std::int64_t>(static_cast<std::int64_t>(call) + 1, 5),
                d.sizes[by_rows ? 0 : 1]);
      for (std::int64_t i = 0; i < d.sizes[0]; ++i) {
        for (std::int64_t j = 0; j < d.sizes[1]; ++j)
          ++written.at(d.offset + static_cast<std::size_t>(i * d.strides[0] + j * d.strides[1]));
      }
    }
    EXPECT_EQ(std::vector<int>(60, 1), written);
  }
}

TEST(GemmSuite, Tf32LiesInMemoryAsFp32AndIsAnArithmeticToBeAskedFor) {
  const Case c = named("tf32.acc-fp32.out-fp32.library.nt.m16n16k16.plain.integer.s1");
  backends::DeviceInfo device;
  device.libraries = {{.name = "blas",
                       .version = "1",
                       .kind = "library",
                       .operators = {"gemm"},
                       .usable = true,
                       .evidence = ""}};
  const OperatorStep step = suite().bind(c)->plan(device).operators.at(0);
  EXPECT_EQ("tf32", step.compute);
  EXPECT_EQ("fp32", step.tensors.at(0).format);
  EXPECT_EQ("fp32", step.tensors.at(1).format);
  EXPECT_EQ("", step.tensors.at(2).format);
}

TEST(GemmSuite, NarrowAccumulationNeedsArithmetic) {
  const Case c = named("fp16.acc-fp16.out-fp16.portable.nn.m2n2k2.plain.normal.s1");
  EXPECT_EQ(suite().bind(c)->plan({}).needs, "fp16.arithmetic");
}

// The library decides whether it offers such an arithmetic.
TEST(GemmSuite, ALibraryIsAskedForNarrowAccumulation) {
  backends::DeviceInfo device;
  device.libraries = {{.name = "blas",
                       .version = "1",
                       .kind = "library",
                       .operators = {"gemm"},
                       .usable = true,
                       .evidence = ""}};
  const Plan plan = suite()
                        .bind(named("fp16.acc-fp16.out-fp16.library.nn.m2n2k5.abhalf.normal.s1"))
                        ->plan(device);
  EXPECT_FALSE(plan.needs);
  const OperatorStep& step = plan.operators.at(0);
  EXPECT_EQ("fp16", step.compute);
  ASSERT_EQ(2u, step.scalars.size());
  EXPECT_EQ(0x1.554p-2, step.scalars[0].second);
  EXPECT_EQ(-0x1.668p-1, step.scalars[1].second);
}

TEST(GemmSuite, EveryCaseEarnsItsPass) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const TensorSet inputs = suite().bind(c)->inputs();
    EXPECT_EQ("", unearned(inputs, suite().bind(c)->expect(inputs).middle, 0)) << print(c);
  }
}

// In an "exact" row, order, width beyond the accumulator and fusion cannot matter.
TEST(GemmSuite, ExactRowsHoldInEveryOrder) {
  std::size_t exact = 0;
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    const operators::GemmProblem p = bind(c).problem;
    if (suite().bind(c)->row({}).tier != Tier::kExact || p.d_count() * p.k > 50000) continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const TensorSet expected = suite().bind(c)->expect(inputs).middle;
    const std::string sum = "sum-" + std::string(bind(c).accumulator->name);
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      if (h.name != sum + ".reversed.fma" && h.name != sum + ".pairwise.mul" &&
          h.name != "sum-exact")
        continue;
      EXPECT_EQ(compare(expected, h.evaluate(c, inputs).middle, 0).mismatches, 0u)
          << print(c) << " as " << h.name;
      ++exact;
    }
  }
  EXPECT_GT(exact, 200u);
}

struct Catch {
  const char* name;
  const char* hypothesis;
  std::uint64_t at_least;  // elements
};

TEST(GemmFills, RevealWhatTheyAreFor) {
  const Catch catches[] = {
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.cancel.s7", "sum-fp16.sequential.fma",
       500},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.cancel.s7", "sum-fp32.reversed.fma",
       100},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.cancel.s7", "sum-fp32.pairwise.fma",
       100},
      {"fp32.acc-fp32.out-fp32.portable.nt.m17n33k65.plain.cancel.s7", "sum-fp32.sequential.mul",
       100},
      {"fp32.acc-fp32.out-fp32.portable.nt.m17n33k65.plain.cancel.s7", "operands-as-tf32", 500},
      {"fp16.acc-fp32.out-fp16.portable.nn.m2n3k4097.plain.ones.s7", "sum-fp16.sequential.fma", 6},
      {"fp16.acc-fp32.out-fp16.portable.nn.m2n3k4097.plain.splitk.s7", "split-k-2-narrow", 5},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.permutation.s7", "operands-as-bf16",
       400},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.permutation.s7",
       "operands-as-bf16-truncated", 400},
      {"fp32.acc-fp32.out-fp32.portable.nt.m17n33k65.plain.permutation.s7", "operands-as-tf32",
       500},
      {"fp32.acc-fp32.out-fp32.portable.nt.m17n33k65.plain.permutation.s7", "operands-as-fp16",
       500},
      {"fp16.acc-fp32.out-fp16.portable.tn.m17n33k64.plain.border.s7", "store-saturates", 100},
      {"fp16.acc-fp32.out-fp32.portable.tn.m17n33k64.plain.border.s7", "sum-fp16.sequential.fma",
       500},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.special.s7", "nan-operands-as-zero", 30},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.nonfinite.s7",
       "zero-blocks-of-16-of-a-skipped", 8},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.nonfinite.s7",
       "operands-of-one-more-binade", 100},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.subnormal.s7", "sum-bf16.sequential.fma",
       400},
      {"fp16.acc-fp32.out-fp16.portable.nn.m15n17k33.plain.integer.s7", "last-product-dropped",
       150},
      {"fp16.acc-fp32.out-fp16.portable.nn.m15n17k33.plain.integer.s7", "remainder-of-7-dropped",
       150},
      {"fp16.acc-fp32.out-fp16.portable.nn.m15n17k33.plain.integer.s7", "b-read-transposed", 150},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.ldpad.normal.s7", "leading-dimensions-ignored",
       500},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.batch3.normal.s7", "first-batch-for-all",
       1000},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.beta0nan.normal.s7", "c-read-with-beta-zero",
       561},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.abwide.tiny.s7", "scalars-as-fp16", 500},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.ab.normal.s7", "scalars-as-fp16", 50},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.ab.normal.s7", "rounded-before-alpha", 50},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.ab.normal.s7", "rounded-behind-alpha", 50},
      {"fp32.acc-fp32.out-fp32.portable.nt.m40n21k50.ab.normal.s7", "scaled-unfused", 50},
      {"fp16.acc-fp32.out-fp16.portable.tn.m17n33k64.eighth.border.s7", "rounded-before-alpha",
       100},
      {"fp16.acc-fp32.out-fp16.portable.nn.m64n64k1.eighth.subnormal.s7", "zero-sign-lost", 5},
  };
  for (const Catch& c : catches) {
    EXPECT_GE(changed_by(named(c.name), c.hypothesis), c.at_least)
        << c.name << " under " << c.hypothesis;
  }
}

struct MachineCatch {
  const char* name;
  models::Machine machine;
  std::uint64_t at_least;
};

TEST(GemmFills, RevealFlushingAndRounding) {
  using soft::Rounding;
  using soft::Subnormals;
  models::Machine load;
  load.convert.subnormals = Subnormals::kFlushIn;
  models::Machine store;
  store.convert.subnormals = Subnormals::kFlushOut;
  models::Machine truncating_store;
  truncating_store.convert.rounding = Rounding::kTowardZero;
  models::Machine away_store;
  away_store.convert.rounding = Rounding::kNearAway;
  models::Machine flushing_fma;
  flushing_fma.fma.subnormals = Subnormals::kFlush;
  models::Machine truncating_fma;
  truncating_fma.fma.rounding = Rounding::kTowardZero;
  const MachineCatch catches[] = {
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.subnormal.s7", load, 500},
      {"fp16.acc-fp32.out-fp32.portable.nt.m17n33k65.plain.subnormal.s7", load, 500},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.tiny.s7", store, 100},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.ties.s7", truncating_store, 100},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.ties.s7", away_store, 50},
      {"bf16.acc-fp32.out-bf16.portable.nt.m17n33k65.plain.ties.s7", away_store, 50},
      {"fp32.acc-fp32.out-fp32.portable.nt.m17n33k65.plain.tiny.s7", flushing_fma, 100},
      {"fp32.acc-fp32.out-fp32.portable.nt.m17n33k65.plain.subnormal.s7", flushing_fma, 500},
      {"fp16.acc-fp16.out-fp16.portable.nt.m17n33k65.plain.tiny.s7", flushing_fma, 100},
      {"fp16.acc-fp32.out-fp32.portable.nt.m17n33k65.plain.ties.s7", truncating_fma, 100},
  };
  for (const MachineCatch& c : catches) {
    EXPECT_GE(changed_by(named(c.name), c.machine), c.at_least) << c.name;
  }
}

TEST(GemmSuite, OperandsOfAWrongElementAreFewAndNamed) {
  const Case c = named("fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.ldpad.normal.s7");
  const TensorSet inputs = suite().bind(c)->inputs();
  const std::vector<Operand> shown =
      suite().bind(c)->operands(inputs, "d", 18);  // second row, first column
  ASSERT_EQ(shown.size(), 9u);
  EXPECT_EQ(shown[0].label, "a[1,0]");
  EXPECT_EQ(shown[1].label, "b[0,0]");
  EXPECT_EQ(shown[8].label, "c[1,0]");
  EXPECT_TRUE(suite().bind(c)->operands(inputs, "d", 17).empty()) << "padding";
}

}  // namespace
}  // namespace halfmark::suites::gemm
