// SPDX-License-Identifier: Apache-2.0
// What a library may do that the kernel may not, on data with one right answer as on any other:
// flush subnormals as it loads and stores, and store a sum before C is added. Each is a deviation
// where no document excludes it, and else a violation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/formats/classify.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/gemm/binding.hpp"
#include "suites/gemm/suite.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::kFp16;

enum class Word { kSilence, kOpen, kPromise };

std::vector<backends::Promise> promises_of(std::string_view capability, Word word) {
  if (word == Word::kSilence) return {};
  return {{.capability = std::string(capability),
           .offered = word == Word::kPromise,
           .evidence = "its manual",
           .clause = "page 1"}};
}

// A case whose results a library gave, and what the diagnosis says of them.
struct Diagnosed {
  Prepared all;
  CaseResult result = {};

  explicit Diagnosed(const std::string& tail)
      : all(suite(), parse_case("gemm", suite().axes,
                                fmt::format("gemm.fp16.acc-fp32.out-fp16.{}.s1", tail))) {}

  void take(const TensorSet& actual) {
    const Comparison comparison = compare(all.allowance(), actual);
    ASSERT_LT(0U, comparison.mismatches) << print(all.problem->c());
    result.mismatches = comparison.mismatches;
    result.explanations = diagnose(*all.problem, all.inputs, all.allowance(), actual);
  }
  // If nothing else explains them.
  [[nodiscard]] Standing standing(const Promisor& promisor, std::string_view name) const {
    CaseResult decided = result;
    std::erase_if(decided.explanations, [&](const Explanation& e) { return e.hypothesis != name; });
    EXPECT_EQ(1U, decided.explanations.size()) << name << ": " << print(all.problem->c());
    decide_standing(decided, all.problem->row(promisor.device), promisor);
    EXPECT_NE("unexplained", decided.finding_class) << name;
    return decided.standing;
  }
};

bool grants(const ContractRow& row, std::string_view freedom) {
  return std::ranges::count(row.freedoms, freedom, &Freedom::name) > 0;
}

TEST(GemmFreedoms, OfALibrarysBoundAreThoseOfItsExactRows) {
  const auto bound = std::ranges::find(suite().contract, "gemm.library.bound", &ContractRow::id);
  ASSERT_NE(suite().contract.end(), bound);
  std::size_t rows = 0;
  for (const Case& c : suite().cases(Level::kStandard, kTestSeed)) {
    const ContractRow& row = suite().bind(c)->row({});
    if (row.tier != Tier::kExact || *bind(c).accumulator != formats::kFp32) continue;
    const bool is_library = c.word("provider") != kPortable;
    rows += is_library ? 1 : 0;
    for (const Freedom& freedom : bound->freedoms) {
      const bool is_of_kernels =
          freedom.name == "operation_subnormals" || freedom.name == "signed_zero";
      // Nothing but a ReLU lets a number win against a NaN.
      if (freedom.name == "nan_operands") continue;
      EXPECT_EQ(is_library || is_of_kernels, grants(row, freedom.name))
          << print(c) << ' ' << row.id << ' ' << freedom.name;
    }
  }
  EXPECT_LT(200U, rows);
}

// Each sum has one term that is not zero, so that double holds it.
TensorSet flushed_as_stored(const Prepared& all) {
  const Binding bound = bind(all.problem->c());
  const Operands operands = operands_of(bound, all.inputs);
  const operators::GemmProblem& p = bound.problem;
  TensorSet actual = all.expected.middle;
  for (std::size_t i = 0; i < p.m * p.n; ++i) {
    double sum = 0;
    for (std::size_t x = 0; x < p.k; ++x)
      sum += value_of(kFp16, operands.a.at(i / p.n * p.k + x)) *
             value_of(kFp16, operands.b.at(x * p.n + i % p.n));
    actual.at("d").set(i, nearest(kFp16, std::abs(sum) < 0x1p-14 ? std::copysign(0, sum) : sum));
  }
  return actual;
}

// These data have no result that rounds up to a normal number; others do, and leave one name.
TEST(GemmFreedoms, ToFlushAsResultsAreStoredIsOneOfLibrariesAlone) {
  Diagnosed by_library("library.nt.m17n33k65.plain.shrunk");
  by_library.take(flushed_as_stored(by_library.all));
  Diagnosed by_kernel("portable.nt.m17n33k65.plain.shrunk");
  by_kernel.take(flushed_as_stored(by_kernel.all));
  backends::DeviceInfo open;
  open.promises = promises_of("fp32.subnormals", Word::kOpen);
  for (const char* name : {"tiny-results-as-zero", "subnormal-results-as-zero"}) {
    const auto standing = [&](Word device, Word library) {
      backends::DeviceInfo info;
      info.promises = promises_of("fp32.subnormals", device);
      backends::Library called;
      called.promises = promises_of("fp32.subnormals", library);
      return by_library.standing({info, &called}, name);
    };
    EXPECT_EQ(Standing::kDeviation, standing(Word::kPromise, Word::kOpen)) << name;
    EXPECT_EQ(Standing::kDeviation, standing(Word::kOpen, Word::kSilence)) << name;
    EXPECT_EQ(Standing::kViolation, standing(Word::kPromise, Word::kSilence)) << name;
    EXPECT_EQ(Standing::kViolation, standing(Word::kOpen, Word::kPromise)) << name;
    EXPECT_EQ(Standing::kViolation, by_kernel.standing({open}, name)) << name;
  }
}

float number(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
float half(float x) { return static_cast<float>(through(&kFp16, static_cast<double>(x))); }
float product(float x, float y) { return x * y; }

using Scale = float (*)(float alpha, float sum, float beta, float c);

// One fp32 fma per term, k ascending, and then `scale`.
TensorSet scaled_by(const Prepared& all, Scale scale) {
  const Binding bound = bind(all.problem->c());
  const Operands operands = operands_of(bound, all.inputs);
  const operators::GemmProblem& p = bound.problem;
  const auto at = [](const formats::Tensor& t, std::size_t i) {
    return static_cast<float>(value_of(kFp16, t.at(i)));
  };
  TensorSet actual = all.expected.middle;
  for (std::size_t i = 0; i < p.m * p.n; ++i) {
    float sum = 0;
    for (std::size_t x = 0; x < p.k; ++x)
      sum = std::fma(at(operands.a, i / p.n * p.k + x), at(operands.b, x * p.n + i % p.n), sum);
    const float d = scale(number(*p.alpha), sum, number(*p.beta), at(operands.c, i));
    actual.at("d").set(i, nearest(kFp16, static_cast<double>(d)));
  }
  return actual;
}

struct Stored {
  const char* name;
  Scale scale;
};
constexpr Stored kStored[] = {
    {"rounded-before-alpha", [](float alpha, float sum, float beta,
                                float c) { return std::fma(beta, c, product(alpha, half(sum))); }},
    {"rounded-behind-alpha", [](float alpha, float sum, float beta,
                                float c) { return std::fma(beta, c, half(product(alpha, sum))); }},
    {"rounded-before-alpha-and-alpha-fused",
     [](float alpha, float sum, float beta, float c) {
       return std::fma(alpha, half(sum), product(beta, c));
     }},
    {"rounded-before-alpha-and-scaled-unfused", [](float alpha, float sum, float beta, float c) {
       return product(alpha, half(sum)) + product(beta, c);
     }}};

void expect_a_violation_where_excluded(const std::string& tail, Scale scale, const char* name) {
  Diagnosed one(tail);
  one.take(scaled_by(one.all, scale));
  const auto standing = [&](Word word) {
    const backends::DeviceInfo device;
    backends::Library called;
    called.promises = promises_of("products.internal_precision", word);
    return one.standing({device, &called}, name);
  };
  EXPECT_EQ(Standing::kDeviation, standing(Word::kOpen)) << tail << ' ' << name;
  EXPECT_EQ(Standing::kViolation, standing(Word::kPromise)) << tail << ' ' << name;
  EXPECT_EQ(Standing::kViolation, standing(Word::kSilence)) << tail << ' ' << name;
}

TEST(GemmFreedoms, ToStoreASumBeforeCIsAViolationOnlyWhereDocumentsExcludeIt) {
  expect_a_violation_where_excluded("library.nt.m17n24k130.ac.wide", kStored[0].scale,
                                    "rounded-before-alpha");
  for (const Stored& row : std::span(kStored).first(2))
    expect_a_violation_where_excluded("library.nt.m17n33k33.ab.normal", row.scale, row.name);
}

// How C is then added shows in few results.
TEST(GemmFreedoms, EveryWayToAddCBehindAStoredSumHasItsHypothesis) {
  const Diagnosed one("library.nt.m181n179k9.ab.normal");
  const std::vector<Hypothesis> mistakes = one.all.problem->mistakes();
  for (const Stored& row : kStored) {
    const TensorSet actual = scaled_by(one.all, row.scale);
    for (const Stored& other : kStored) {
      const auto mistake = std::ranges::find(mistakes, other.name, &Hypothesis::name);
      ASSERT_NE(mistakes.end(), mistake) << other.name;
      const TensorSet predicted = mistake->evaluate(one.all.problem->c(), one.all.inputs).middle;
      EXPECT_EQ(&row == &other, compare(predicted, actual, 0).mismatches == 0)
          << row.name << " as " << other.name;
    }
  }
}

}  // namespace
}  // namespace halfmark::suites::gemm
