// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/infer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/inference/boxes.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::inference {
namespace {

using formats::Bits;
using formats::kBf16;
using formats::kE2m1;
using formats::kE4m3fn;
using formats::kFp16;
using formats::kFp32;

bool is_named(const Inference& result, const std::string& name) {
  if (result.outcome != Outcome::kNamed) return false;
  return result.name == name || std::any_of(result.equivalents.begin(), result.equivalents.end(),
                                            [&](const Equivalent& e) { return e.name == name; });
}

std::string said(const Inference& result) {
  return std::string(to_string(result.outcome)) + ' ' + result.name + ' ' +
         (result.structure.tree ? print(*result.structure.tree) : "without a tree");
}

std::string finding(const Inference& result, std::string_view name) {
  for (const Finding& f : result.findings) {
    if (f.name == name) return f.value;
  }
  return "missing";
}

TEST(Infer, NamesOfTheGrammar) {
  for (const char* name :
       {"exact", "fp32.sequential.fma", "fp16.pairwise.fma", "fp32.strided-4.fma",
        "fp32.strided-4-halves.mul", "fp32.blocked-4.fma.c_last", "fp32.splitk-3.fma.parts-fp16",
        "fp16.blocked-4.fma.total-fp32", "fp32.sequential.fma.toward_zero",
        "fp32.reversed.mul.flush_out", "fp32.sequential.mul.product-bf16",
        "fp32.sequential.fma.early-bf16",
        "fp32.tree-([c+0+1+2]+([3+4+5+6+7]+((8+9)+(10+11)))).fma"}) {
    const Inference result = infer(box_of(name, kBf16, kFp32, 12));
    EXPECT_TRUE(is_named(result, name)) << name << " -> " << said(result);
    EXPECT_EQ(result.agreement.outputs, result.agreement.equal_outputs);
    EXPECT_GT(result.agreement.outputs, 1000U);
    EXPECT_LT(result.calls, 60U);
  }
}

// Loops over registers, with products left over, and sums that are added to a cleared result.
TEST(Infer, OrdersOfProcessors) {
  for (const char* name :
       {"fp32.vectors-4x4-sequential-folded.fma", "fp32.vectors-4x4-halves-folded.mul",
        "fp32.vectors-8-halves.fma", "fp32.strided-8-folded.fma", "fp32.unrolled-2x4.fma"}) {
    const Inference result = infer(box_of(name, kFp32, kFp32, 39, nullptr));
    EXPECT_EQ(Outcome::kNamed, result.outcome) << name;
    EXPECT_TRUE(is_named(result, name)) << name << " -> " << said(result);
    EXPECT_LT(result.equivalents.size(), 4U) << said(result);
  }
  const Inference other = infer(box_of("fp32.vectors-8-halves.fma", kFp32, kFp32, 39, nullptr));
  EXPECT_FALSE(is_named(other, "fp32.strided-8-halves.fma")) << said(other);
}

// Only a sum that ends at -0 shows it, which few data have: the name is claimed where one did.
TEST(Infer, AClearedResultIsNamedWhereASumShowsIt) {
  std::size_t shown = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Inference cleared =
        infer(box_of("fp32.sequential.fma.zero_last", kFp32, kFp32, 3, nullptr), seed);
    EXPECT_TRUE(is_named(cleared, "fp32.sequential.fma.zero_last") ||
                is_named(cleared, "fp32.sequential.fma"))
        << said(cleared);
    shown += cleared.name == "fp32.sequential.fma.zero_last" ? 1U : 0U;
    const Inference kept = infer(box_of("fp32.sequential.fma", kFp32, kFp32, 3, nullptr), seed);
    EXPECT_FALSE(is_named(kept, "fp32.sequential.fma.zero_last")) << said(kept);
  }
  EXPECT_GT(shown, 0U);
}

// Flushing results matters only where the very last one is tiny: the candidates' own contest finds
// such sums, and the box decides.
TEST(Infer, CandidatesAreToldApartByTheBox) {
  const Inference result = infer(box_of("fp32.sequential.mul.flush", kBf16, kFp32, 16));
  EXPECT_EQ(result.name, "fp32.sequential.mul.flush") << said(result);
  EXPECT_FALSE(is_named(result, "fp32.sequential.mul.flush_in"));
}

TEST(Infer, WithoutAddendAndWithNarrowResults) {
  const Inference none = infer(box_of("fp32.blocked-4.fma", kFp16, kFp32, 16, nullptr));
  EXPECT_TRUE(is_named(none, "fp32.blocked-4.fma")) << said(none);
  EXPECT_TRUE(is_named(none, "fp32.blocked-4.mul")) << "products of fp16 are exact in fp32";
  const Inference narrow = infer(box_of("fp16.sequential.fma", kFp16, kFp16, 16, &kFp16));
  EXPECT_TRUE(is_named(narrow, "fp16.sequential.fma")) << said(narrow);
  const Inference stored = infer(box_of("fp32.sequential.fma", kFp16, kFp16, 16, &kFp16));
  EXPECT_TRUE(is_named(stored, "fp32.sequential.fma")) << said(stored);
}

// The range of these formats is too small to measure a tree, and few of their random sums round.
// Every name on the list must explain a sum that tells the box from its neighbours.
void expect_names_explain(const Subject& box, std::vector<Bits> a, std::vector<Bits> b,
                          Bits expected) {
  a.resize(box.k);
  b.resize(box.k);
  const Question sum{{.m = 1, .n = 1, .k = box.k, .d_format = box.d},
                     Tensor::from_bits(*box.a, a),
                     Tensor::from_bits(*box.b, b),
                     {}};
  ASSERT_EQ(expected, box.gemm(sum.problem, sum.a, sum.b, nullptr).at(0));
  const Inference result = infer(box);
  EXPECT_EQ(Outcome::kNamed, result.outcome);
  EXPECT_FALSE(result.structure.tree);
  std::vector<Equivalent> names = result.equivalents;
  names.insert(names.begin(), {result.name, ""});
  constexpr int kExactly = 1000;
  int width = kExactly;
  for (const Equivalent& name : names) {
    const Hypothesis listed{*models::parse_arithmetic(name.name), {}};
    EXPECT_EQ(expected, predict(listed, sum).at(0)) << name.name;
    EXPECT_EQ(std::string::npos, name.reason.find("tree")) << name.name << ": " << name.reason;
    const int next =
        listed.arithmetic.is_exact() ? kExactly : models::sum_format(listed.arithmetic).precision();
    EXPECT_GE(width, next) << name.name << " is wider than the names before it";
    width = next;
  }
}

TEST(Infer, NarrowFormatsHaveNoWrongName) {
  // 2^-18, 448 * 448 and its opposite, then 1 + 2^-4, a tie: in this order the first is lost.
  expect_names_explain(box_of("fp32.reversed.fma", kE4m3fn, kE4m3fn, 32, nullptr),
                       {0x01, 0x7e, 0xfe, 0x38, 0x18}, {0x01, 0x7e, 0x7e, 0x38, 0x38}, 0x39);
  // 16 times 6 * 6, then 16 times 0.5 * 0.5: fp16 keeps none of those.
  std::vector<Bits> numbers(32, 0x1);
  std::fill_n(numbers.begin(), 16, Bits{0x7});
  expect_names_explain(box_of("fp32.sequential.fma", kE2m1, kBf16, 32, nullptr), numbers, numbers,
                       0x4411);
}

TEST(Infer, UnitsOfEachRule) {
  for (const char* name :
       {"unit.volta.mma.fp16.fp32", "unit.hopper.wgmma.e4m3fn.fp32", "unit.hopper.mma.e4m3fn.fp32",
        "unit.cdna1.mfma.fp16.fp32", "unit.cdna2.mfma.fp16.fp32", "unit.cdna3.mfma.fp16.fp32",
        "unit.cdna3.mfma.e4m3fnuz.fp32", "unit.amx.tdp.bf16.fp32", "unit.avx512.dp.bf16.fp32",
        "unit.arm.bfmmla.bf16.fp32"}) {
    const models::Unit* unit = models::find_unit(name);
    ASSERT_NE(unit, nullptr) << name;
    const Inference result =
        infer(box_of({.unit = unit}, *unit->a[0], *unit->output, 32, unit->output));
    EXPECT_TRUE(is_named(result, name)) << name << " -> " << said(result);
  }
}

TEST(Infer, FindingsStandOnNoModel) {
  const Inference hopper = infer(box_of("unit.hopper.wgmma.fp16.fp32", kFp16, kFp32, 20));
  EXPECT_EQ(finding(hopper, "fused.kept_bits"), "25");
  EXPECT_EQ(finding(hopper, "fused.direction"), "nothing remains");
  EXPECT_EQ(finding(hopper, "nan.operand"), "7fffffff");
  EXPECT_EQ(finding(hopper, "subnormal.operand"), "kept");
  const Inference down = infer(box_of("fp32.sequential.fma.down.flush_in", kBf16, kFp32, 5));
  EXPECT_EQ(finding(down, "addition.kept_bits"), "23");
  EXPECT_EQ(finding(down, "addition.direction"), "down");
  EXPECT_EQ(finding(down, "nan.operand"), "7fc00000");
  EXPECT_EQ(finding(down, "zero.cancelled"), "80000000");
  EXPECT_EQ(finding(down, "subnormal.operand"), "lost");
  const Inference exact = infer(box_of("exact", kBf16, kFp32, 5));
  EXPECT_EQ(finding(exact, "fused.kept_bits"), "at least 119");
  const Inference narrow = infer(box_of("fp16.pairwise.fma", kFp16, kFp16, 5, &kFp16));
  EXPECT_EQ(finding(narrow, "overflow"), "7c00");
  EXPECT_EQ(finding(narrow, "overflow.negative"), "fc00");
  EXPECT_EQ(finding(narrow, "addition.kept_bits"), "10");
}

// A fused sum with the parameters of no existing unit.
TEST(Infer, AnUnlistedFusedSumIsDescribed) {
  auto unit = std::make_shared<models::Unit>(*models::find_unit("unit.ampere.mma.bf16.fp32"));
  unit->block = 5;
  unit->fraction_bits = 27;
  unit->zero_exponent = -135;
  Subject subject = box_of({.unit = unit.get()}, kBf16, kFp32, 16);
  const Inference result = infer(subject);
  EXPECT_EQ(result.outcome, Outcome::kDescribed) << said(result);
  EXPECT_NE(result.name.find("of 5 products and c in blocks, truncated 27 bits"), std::string::npos)
      << result.name;
  EXPECT_EQ(print(*result.structure.tree), "({{{c+0+1+2+3+4}+5+6+7+8+9}+10+11+12+13+14}+15)");
}

// A box with the sums of `plain`, changed by `change`.
template <typename Change>
Subject changed(Subject subject, Change change) {
  subject.gemm = [plain = subject.gemm, change](const GemmProblem& p, const Tensor& a,
                                                const Tensor& b, const Tensor* c) {
    return change(plain, p, a, b, c);
  };
  return subject;
}

// The elements of each row of A, together with those of B, in an order chosen by `key`.
template <typename Key>
Subject reordered(Subject subject, Key key) {
  return changed(std::move(subject), [key](const Gemm& plain, const GemmProblem& p, const Tensor& a,
                                           const Tensor& b, const Tensor* c) {
    Tensor d = Tensor::zeros(*p.d_format, p.d_count());
    for (std::size_t i = 0; i < p.m; ++i) {
      GemmProblem row = p;
      row.m = 1;
      std::vector<std::pair<std::uint64_t, std::size_t>> order;
      for (std::size_t x = 0; x < p.k; ++x) order.emplace_back(key(a, i * p.k + x, x), x);
      std::sort(order.begin(), order.end());
      Tensor row_a = Tensor::zeros(*a.format, p.k);
      Tensor row_b = Tensor::zeros(*b.format, p.k * p.n);
      for (std::size_t x = 0; x < p.k; ++x) {
        row_a.set(x, a.at(i * p.k + order[x].second));
        for (std::size_t j = 0; j < p.n; ++j) {
          row_b.set(x * p.n + j, b.at(order[x].second * p.n + j));
        }
      }
      Tensor row_c;
      if (c != nullptr) row_c = Tensor::zeros(*c->format, p.n);
      for (std::size_t j = 0; j < row_c.count(); ++j) row_c.set(j, c->at(i * p.n + j));
      const Tensor answer = plain(row, row_a, row_b, c == nullptr ? nullptr : &row_c);
      for (std::size_t j = 0; j < p.n; ++j) d.set(i * p.n + j, answer.at(j));
    }
    return d;
  });
}

TEST(InferTraps, SumsInAnyOrderAreNotRepeatable) {
  const auto state = std::make_shared<std::uint64_t>(1);
  const Inference result =
      infer(reordered(box_of("fp32.sequential.fma", kFp16, kFp32, 16),
                      [state](const Tensor&, std::size_t, std::size_t) {
                        return *state = *state * 6364136223846793005U + 1442695040888963407U;
                      }));
  EXPECT_EQ(result.outcome, Outcome::kNotRepeatable) << said(result);
}

TEST(InferTraps, AnOrderThatDependsOnTheDataIsNotNamed) {
  const Inference result = infer(
      reordered(box_of("fp32.sequential.fma", kFp16, kFp32, 16),
                [](const Tensor& a, std::size_t at, std::size_t) { return ~a.at(at) & 0x7fff; }));
  EXPECT_EQ(result.outcome, Outcome::kUnexplained) << said(result);
  EXPECT_LT(result.agreement.equal_outputs, result.agreement.outputs);
  EXPECT_GT(result.agreement.equal_outputs, 0U);
}

TEST(InferTraps, ZeroOperandsSkipped) {
  // Nonzero elements are moved to the front, so they are summed as if they were the whole.
  const Subject plain = box_of("fp32.pairwise.fma", kFp16, kFp32, 16);
  const Inference compacted =
      infer(reordered(plain, [](const Tensor& a, std::size_t at, std::size_t x) {
        return (formats::is_zero(*a.format, a.at(at)) ? 1000 : 0) + x;
      }));
  EXPECT_EQ(compacted.outcome, Outcome::kUnexplained) << said(compacted);
  const Inference skipping = infer(changed(box_of("fp32.sequential.fma", kFp16, kFp32, 16),
                                           [](const Gemm& gemm, const GemmProblem& p,
                                              const Tensor& a, const Tensor& b, const Tensor* c) {
                                             Tensor kept = a;
                                             for (std::size_t i = 0; i < kept.count(); ++i) {
                                               // Infinities in A become zeros: times a zero of B
                                               // they would otherwise give a NaN.
                                               const Bits x = kept.at(i);
                                               if (p.n > 1 && !formats::is_finite(*a.format, x))
                                                 kept.set(i, 0);
                                             }
                                             return gemm(p, kept, b, c);
                                           }));
  EXPECT_EQ(skipping.outcome, Outcome::kUnexplained) << said(skipping);
}

TEST(InferTraps, SplitOperands) {
  // fp32 by three products of bf16 halves, as libraries emulate it: the product of the low halves
  // is lost.
  const Inference result = infer(changed(
      box_of("fp32.sequential.fma", kFp32, kFp32, 8),
      [](const Gemm&, const GemmProblem& p, const Tensor& a, const Tensor& b, const Tensor* c) {
        const auto part = [](const Tensor& t, bool low) {
          Tensor half = Tensor::zeros(kFp32, t.count());
          for (std::size_t i = 0; i < t.count(); ++i) {
            const Bits high = t.at(i) & 0xffff0000;
            half.set(i, low ? soft::sub(kFp32, t.at(i), high).bits : high);
          }
          return half;
        };
        const Arithmetic chain = *models::parse_arithmetic("fp32.sequential.fma");
        const auto add = [&](bool low_a, bool low_b, const Tensor* to) {
          return operators::gemm(p, part(a, low_a), part(b, low_b), to, chain, {});
        };
        const Tensor first = add(true, false, c);
        const Tensor second = add(false, true, &first);
        return add(false, false, &second);
      }));
  EXPECT_EQ(result.outcome, Outcome::kUnexplained) << said(result);
}

TEST(InferTraps, TiesAwayInOnePlaceOnly) {
  // A sequential sum in which only the last addition rounds ties away.
  const Inference result = infer(changed(
      box_of("fp32.sequential.fma", kFp16, kFp32, 8),
      [](const Gemm&, const GemmProblem& p, const Tensor& a, const Tensor& b, const Tensor* c) {
        GemmProblem head = p;
        head.k = p.k - 1;
        head.lda = p.k;
        Tensor head_b = b;
        head_b.bytes.resize(head.k * p.n * 2);
        const Tensor sums = operators::gemm(head, a, head_b, c,
                                            *models::parse_arithmetic("fp32.sequential.fma"), {});
        Tensor d = sums;
        for (std::size_t i = 0; i < d.count(); ++i) {
          d.set(i, soft::fma(kFp16, a.at((i / p.n) * p.k + p.k - 1), kFp16,
                             b.at((p.k - 1) * p.n + i % p.n), kFp32, sums.at(i),
                             {.rounding = soft::Rounding::kNearAway})
                       .bits);
        }
        return d;
      }));
  EXPECT_EQ(result.outcome, Outcome::kUnexplained) << said(result);
}

// One wrong bit in about 300 sums: some boxes pass the first questions, none the confirmation.
TEST(InferTraps, RareErrorsAreFoundByTheConfirmation) {
  for (std::uint64_t salt = 1; salt <= 6; ++salt) {
    const Inference result =
        infer(changed(box_of("fp32.sequential.fma", kFp16, kFp32, 16),
                      [salt](const Gemm& gemm, const GemmProblem& p, const Tensor& a,
                             const Tensor& b, const Tensor* c) {
                        Tensor d = gemm(p, a, b, c);
                        for (std::size_t i = 0; i < d.count(); ++i) {
                          const bool hit =
                              (d.at(i) + salt) * 0x9e3779b97f4a7c15U >> 32 < 0xffffffffU / 300;
                          if (hit && !formats::is_zero(kFp32, d.at(i))) d.set(i, d.at(i) ^ 1);
                        }
                        return d;
                      }));
    EXPECT_EQ(result.outcome, Outcome::kUnexplained) << said(result);
    EXPECT_EQ(result.name, "fp32.sequential.fma") << "the best there is";
    EXPECT_GT(result.agreement.equal_outputs * 100, result.agreement.outputs * 98);
  }
}

TEST(InferTraps, OutputsThatDependOnTheirPlace) {
  const Inference result = infer(changed(box_of("fp32.sequential.fma", kFp16, kFp32, 8),
                                         [](const Gemm& gemm, const GemmProblem& p, const Tensor& a,
                                            const Tensor& b, const Tensor* c) {
                                           Tensor d = gemm(p, a, b, c);
                                           for (std::size_t i = 0; i < d.count(); i += 7)
                                             d.set(i, d.at(i) ^ 1);
                                           return d;
                                         }));
  EXPECT_EQ(result.outcome, Outcome::kNotUniform) << said(result);
}

// Rows of A and columns of B that occur twice would confirm what was known before.
TEST(Infer, EachQuestionHasDataOfItsOwn) {
  std::set<std::vector<Bits>> rows, columns;
  std::size_t asked_rows = 0, asked_columns = 0;
  constexpr std::size_t kLength = 64;
  (void)infer(changed(box_of("fp32.sequential.fma", kFp32, kFp32, kLength),
                      [&](const Gemm& gemm, const GemmProblem& p, const Tensor& a, const Tensor& b,
                          const Tensor* c) {
                        const bool confirms = p.m == 256;
                        for (std::size_t i = 0; confirms && i < p.m; ++i, ++asked_rows) {
                          std::vector<Bits> row;
                          for (std::size_t x = 0; x < kLength; ++x)
                            row.push_back(a.at(i * p.k + x));
                          rows.insert(row);
                        }
                        for (std::size_t j = 0; confirms && j < p.n; ++j, ++asked_columns) {
                          std::vector<Bits> column;
                          for (std::size_t x = 0; x < kLength; ++x)
                            column.push_back(b.at(x * p.n + j));
                          columns.insert(column);
                        }
                        return gemm(p, a, b, c);
                      }));
  EXPECT_EQ(3U * 256U, asked_rows);
  EXPECT_GE(rows.size() * 100, asked_rows * 99) << "a few rows of ones or of powers may be alike";
  EXPECT_EQ(asked_columns - 2, columns.size()) << "one column of each question holds ones";
}

TEST(Infer, RefusesWhatItCannotAsk) {
  EXPECT_THROW((void)infer(box_of("exact", kFp16, kFp32, 2)), std::invalid_argument);
  EXPECT_THROW((void)infer(box_of("exact", kFp16, kFp32, kLongest + 1)), std::invalid_argument);
  Subject short_answers = box_of("exact", kFp16, kFp32, 8);
  short_answers.gemm = [](const GemmProblem&, const Tensor&, const Tensor&, const Tensor*) {
    return Tensor::zeros(kFp32, 1);
  };
  EXPECT_THROW((void)infer(short_answers), SubjectError);
}

}  // namespace
}  // namespace halfmark::inference
