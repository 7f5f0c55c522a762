// SPDX-License-Identifier: Apache-2.0
// The fast matrix product against the soft-float's, bit for bit: every target of this host, every
// covered arithmetic, shapes around the edges of tiles and blocks, hostile operands, and hosts that
// left a hostile floating-point state.
#include "reference/fast/gemm.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "reference/fast/hostile.hpp"
#include "reference/fast/tile_kernels.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;
using models::Arithmetic;
using operators::GemmProblem;

enum class Fill { kNormal, kEveryEncoding, kSubnormal, kCancelling, kOverflowing, kInteger };
constexpr Fill kFills[] = {Fill::kNormal,     Fill::kEveryEncoding, Fill::kSubnormal,
                           Fill::kCancelling, Fill::kOverflowing,   Fill::kInteger};

// An encoding with this exponent field and a random fraction and sign.
Bits with_field(const Format& f, int field, std::uint64_t word) {
  const Bits sign = (word >> 63) != 0 ? f.sign_mask() : 0;
  return sign | static_cast<Bits>(field) << f.fraction_bits | (word & f.fraction_mask());
}

Bits element(const Format& f, Fill fill, std::mt19937_64& random) {
  const std::uint64_t word = random();
  const int spread = static_cast<int>(word >> 40 & 7);
  const int top = f.max_exponent_field();
  switch (fill) {
    case Fill::kNormal:
      return with_field(f, std::min(top - 1, f.bias - 4 + spread), word);
    case Fill::kEveryEncoding:
      return word & f.mask();
    case Fill::kSubnormal:
      return with_field(f, spread < 6 ? 0 : f.bias, word);
    case Fill::kCancelling:  // few values, both signs, so that sums meet zero and their neighbours
      return with_field(f, f.bias + spread % 2, word >> 62 == 0 ? f.fraction_mask() : 0) ^
             ((word >> 50 & 1) != 0 ? f.sign_mask() : 0);
    case Fill::kOverflowing:
      return with_field(f, spread == 0 ? f.bias : std::max(f.bias, top / 2 + top / 4), word);
    case Fill::kInteger:
      return with_field(f, f.bias, 0) ^ ((word >> 50 & 1) != 0 ? f.sign_mask() : 0);
  }
  return 0;
}

Tensor filled(const Format& f, std::size_t count, Fill fill, std::mt19937_64& random) {
  Tensor tensor = Tensor::zeros(f, count);
  for (std::size_t i = 0; i < count; ++i) tensor.set(i, element(f, fill, random));
  return tensor;
}

struct Trial {
  GemmProblem problem;
  Arithmetic arithmetic;
  const Format* a = &formats::kFp16;
  const Format* b = &formats::kFp16;
  const Format* c = nullptr;
  Fill fill = Fill::kNormal;
  bool must_be_covered = true;
};

std::string describe(const Trial& t) {
  return fmt::format("{} m{} n{} k{} batch {} {}{} {} x {} -> {} fill {}",
                     models::print(t.arithmetic), t.problem.m, t.problem.n, t.problem.k,
                     t.problem.batch, t.problem.transpose_a ? 't' : 'n',
                     t.problem.transpose_b ? 't' : 'n', t.a->name, t.b->name,
                     t.problem.d_format->name, static_cast<int>(t.fill));
}

// Expects the soft-float's bits on every target with several thread counts.
void expect_soft(const Trial& t, std::initializer_list<unsigned> thread_counts = {1, 3}) {
  std::mt19937_64 random(t.problem.m * 1000003 + t.problem.n * 1009 + t.problem.k);
  const Tensor a = filled(*t.a, t.problem.a_count(), t.fill, random);
  const Tensor b = filled(*t.b, t.problem.b_count(), t.fill, random);
  Tensor c;
  if (t.c != nullptr) c = filled(*t.c, t.problem.c_count(), t.fill, random);
  const Tensor* addend = t.c == nullptr ? nullptr : &c;
  const Tensor expected = operators::gemm(t.problem, a, b, addend, t.arithmetic, {});
  for (const Target target : host_targets()) {
    if (t.must_be_covered && target != Target::kPortable) {
      EXPECT_TRUE(covers(*t.a, *t.b, t.arithmetic, {}, target)) << describe(t);
    }
    for (const unsigned threads : thread_counts) {
      const Tensor actual = fast::gemm(t.problem, a, b, addend, t.arithmetic, {},
                                       {.threads = threads, .target = target});
      ASSERT_EQ(expected.count(), actual.count());
      for (std::size_t i = 0; i < expected.count() && expected != actual; ++i) {
        ASSERT_EQ(expected.at(i), actual.at(i))
            << describe(t) << ", " << to_string(target) << ", " << threads << " threads, element "
            << i << std::hex << " bits " << expected.at(i) << " and " << actual.at(i);
      }
    }
  }
}

GemmProblem shape(std::size_t m, std::size_t n, std::size_t k,
                  const Format& d_format = formats::kFp32) {
  GemmProblem p{.m = m, .n = n, .k = k};
  p.d_format = &d_format;
  return p;
}

// Every named arithmetic with a fast path on this host, with operands that it takes.
std::vector<Trial> covered_trials() {
  std::vector<Trial> all;
  for (const auto& row : models::all_arithmetics()) {
    Trial trial{.problem = shape(1, 1, 1), .arithmetic = row.arithmetic};
    if (row.arithmetic.unit != nullptr) {
      trial.a = row.arithmetic.unit->a[0];
      trial.b = row.arithmetic.unit->b.back();
    }
    if (covers(*trial.a, *trial.b, row.arithmetic, {}, host_targets().front()))
      all.push_back(trial);
  }
  return all;
}

// The same without units that differ only in numbers.
std::vector<Trial> representative_trials() {
  std::vector<Trial> all;
  for (const Trial& trial : covered_trials()) {
    const std::string name = models::print(trial.arithmetic);
    if (!name.starts_with("unit.") || name.starts_with("unit.hopper.wgmma.fp16") ||
        name == "unit.hopper.wgmma.bf16.fp32" || name == "unit.hopper.wgmma.e4m3fn.fp32") {
      all.push_back(trial);
    }
  }
  return all;
}

TEST(FastGemm, EveryArithmeticEveryFill) {
  ASSERT_EQ(host_targets().size() == 1, covered_trials().empty());
  for (Trial trial : covered_trials()) {
    for (const Fill fill : kFills) {
      for (const std::size_t k : {1U, 3U, 70U}) {
        trial.problem = shape(9, 11, k);
        trial.fill = fill;
        trial.c = nullptr;
        expect_soft(trial);
        trial.c = &formats::kFp32;
        expect_soft(trial, {1});
      }
    }
  }
}

TEST(FastGemm, EveryInputFormatAndOutputFormat) {
  for (const Trial& trial : representative_trials()) {
    for (const Format& input : formats::all_formats()) {
      for (const Format& output : formats::all_formats()) {
        if (!output.has_sign || !output.has_zero) continue;
        Trial t{.problem = shape(3, 5, 7, output),
                .arithmetic = trial.arithmetic,
                .a = &input,
                .b = &input,
                .fill = Fill::kEveryEncoding,
                .must_be_covered = false};
        if (trial.arithmetic.unit != nullptr) t.a = trial.a, t.b = trial.b;
        expect_soft(t, {1});
      }
    }
  }
}

TEST(FastGemm, OperandsOfDifferentFormats) {
  for (const Trial& trial : representative_trials()) {
    if (trial.arithmetic.unit != nullptr) continue;
    expect_soft({.problem = shape(5, 4, 19),
                 .arithmetic = trial.arithmetic,
                 .a = &formats::kBf16,
                 .b = &formats::kFp16,
                 .must_be_covered = false});
  }
}

TEST(FastGemm, UnitsTakeTheUpperBitsOfFp32Words) {
  for (Trial trial : covered_trials()) {
    if (*trial.a != formats::kTf32) continue;
    trial.problem = shape(4, 5, 40);
    trial.a = trial.b = &formats::kFp32;
    for (const Fill fill : kFills) {
      trial.fill = fill;
      expect_soft(trial);
    }
  }
}

TEST(FastGemm, EveryEdgeOfATile) {
  const Arithmetic arithmetic = operators::specified_arithmetic(formats::kFp32);
  std::size_t rows = 1;
  std::size_t columns = 1;
  for (const Target target : host_targets()) {
    const TileKernels<float>* kernels = fp32_tile_kernels(target);
    if (kernels == nullptr) continue;
    rows = std::max(rows, kernels->rows);
    columns = std::max(columns, kernels->columns);
  }
  for (std::size_t m = 1; m <= 2 * rows + 1; ++m) {
    expect_soft({.problem = shape(m, columns + 1, 3), .arithmetic = arithmetic}, {1});
  }
  for (std::size_t n = 1; n <= 2 * columns + 1; ++n) {
    expect_soft({.problem = shape(rows + 1, n, 3), .arithmetic = arithmetic}, {1});
  }
}

TEST(FastGemm, EveryEdgeOfABlockOfK) {
  for (Trial trial : representative_trials()) {
    for (const std::size_t k : {kBlockDepth - 1, kBlockDepth, kBlockDepth + 1, 2 * kBlockDepth,
                                2 * kBlockDepth + 1, 7 * kBlockDepth + 77}) {
      trial.problem = shape(3, 5, k);
      expect_soft(trial);
    }
  }
}

TEST(FastGemm, ManyBlocksOfRowsAndColumns) {
  const Arithmetic arithmetic = operators::specified_arithmetic(formats::kFp32);
  expect_soft({.problem = shape(230, 3, 40), .arithmetic = arithmetic}, {1, 2, 3, 4, 5});
  expect_soft({.problem = shape(2, 2500, 40), .arithmetic = arithmetic}, {1, 2, 3, 4, 5});
}

TEST(FastGemm, LayoutsBatchesScalarsAndInitialSums) {
  for (Trial plain : representative_trials()) {
    for (unsigned layout = 0; layout < 4; ++layout) {
      GemmProblem p = shape(7, 19, 33, formats::kFp16);
      p.batch = 3;
      p.transpose_a = (layout & 1) != 0;
      p.transpose_b = (layout & 2) != 0;
      p.lda = p.a_columns() + layout;
      p.ldb = p.b_columns() + 2 * layout;
      p.ldc = p.n + layout;
      plain.problem = p;
      plain.fill = layout == 2 ? Fill::kEveryEncoding : Fill::kNormal;
      plain.c = &formats::kFp32;
      expect_soft(plain);
      Trial scaled = plain;
      scaled.problem.alpha = 0x3eaaaaab;
      for (const Bits beta : {0xbf333333U, 0U, 0x80000000U, 0x7f800000U, 0x7fc00000U}) {
        scaled.problem.beta = beta;
        expect_soft(scaled, {2});
      }
      scaled.c = &formats::kBf16;
      expect_soft(scaled, {1});
    }
  }
}

// Pairs of products that cancel except for a last place, far apart in size, at any k, to test the
// slices and their bound. Every third sum is zero, some of them sums of negative zeros only.
TEST(FastGemm, ExactSumsOfManyCancellingProducts) {
  std::mt19937_64 random(11);
  for (const Format* f : {&formats::kFp16, &formats::kBf16, &formats::kFp32, &formats::kE4m3fn}) {
    for (const std::size_t k : {2U, 64U, 1000U, 9000U}) {
      const GemmProblem p = shape(2, 19, k, k == 64 ? formats::kFp16 : formats::kFp32);
      Tensor a = Tensor::zeros(*f, p.a_count());
      Tensor b = Tensor::zeros(*f, p.b_count());
      const auto spread = static_cast<unsigned>(std::min(f->max_exponent_field() - 1, 28));
      const int lowest = f == &formats::kFp16 || f->bits == 8 ? 0 : f->bias - 14;
      for (std::size_t x = 0; x < k; ++x) {
        const auto size = with_field(*f, lowest + static_cast<int>(random() % spread), random());
        a.set(x, x % 2 == 0 ? size : a.at(x - 1));
        a.set(k + x, f->sign_mask());
        for (std::size_t j = 0; j < p.n; ++j) {
          const auto other = with_field(*f, lowest + static_cast<int>(random() % spread), random());
          const Bits nudge = x + 2 >= k && j % 3 != 0 && x % 2 == 1 ? 1 : 0;
          b.set(x * p.n + j,
                x % 2 == 0 ? other : (b.at((x - 1) * p.n + j) ^ f->sign_mask()) ^ nudge);
        }
      }
      const Tensor expected = operators::gemm(p, a, b, nullptr, {}, {});
      for (const Target target : host_targets()) {
        EXPECT_EQ(expected, fast::gemm(p, a, b, nullptr, {}, {}, {.threads = 2, .target = target}))
            << f->name << " k " << k << " " << to_string(target);
      }
    }
  }
}

void expect_bits(const GemmProblem& p, const Tensor& a, const Tensor& b,
                 const std::vector<Bits>& expected, const Arithmetic& arithmetic = {}) {
  EXPECT_EQ(expected, operators::gemm(p, a, b, nullptr, arithmetic, {}).to_bits());
  for (const Target target : host_targets()) {
    const Tensor d = fast::gemm(p, a, b, nullptr, arithmetic, {}, {.threads = 1, .target = target});
    EXPECT_EQ(expected, d.to_bits()) << to_string(target) << ' ' << models::print(arithmetic);
  }
}

// 2^30, half of its last place in fp32, and the smallest product, far below: rounds up, not
// to even.
TEST(FastGemm, ATieOfAnExactSumIsBrokenFromFarBelow) {
  const Tensor a = Tensor::from_bits(formats::kFp16, std::array<Bits, 3>{0x7800, 0x5400, 0x0001});
  const Tensor b = Tensor::from_bits(formats::kFp16, std::array<Bits, 3>{0x7800, 0x3c00, 0x0001});
  expect_bits(shape(1, 1, 3), a, b, {0x4e800001});
  const Tensor less =
      Tensor::from_bits(formats::kFp16, std::array<Bits, 3>{0x7800, 0x3c00, 0x8001});
  expect_bits(shape(1, 1, 3), a, less, {0x4e800000});
}

TEST(FastGemm, AnExactZeroIsMinusZeroWhenAllItsTermsAre) {
  const Tensor a = Tensor::from_bits(formats::kFp16, std::array<Bits, 2>{0x8000, 0x8000});
  const Tensor b = Tensor::from_bits(
      formats::kFp16, std::array<Bits, 6>{0x3c00, 0x3c00, 0x0000, 0x3c00, 0xbc00, 0x0000});
  expect_bits(shape(1, 3, 2), a, b, {0x80000000, 0, 0x80000000});
}

// Significands of all ones, so that every bound on slices is nearly reached, first added and then
// subtracted: a partial sum of more than 53 bits would leave its lost bits behind.
TEST(FastGemm, ExactSumsAtTheirBound) {
  for (const std::size_t k : {32U, 64U, 512U, 2048U, 8192U}) {
    const GemmProblem p = shape(1, 2, k);
    Tensor a = Tensor::zeros(formats::kFp32, p.a_count());
    Tensor b = Tensor::zeros(formats::kFp32, p.b_count());
    for (std::size_t x = 0; x < k; ++x) {
      a.set(x, 0x3fffffff);
      const Bits sign = x < k / 2 ? 0 : 0x80000000;
      b.set(2 * x, sign | 0x3fffffff);
      b.set(2 * x + 1, sign | (x + 1 == k ? 0x3ffffffe : 0x3fffffff));
    }
    expect_bits(p, a, b, {0, 0x347fffff});  // (2 - 2^-23) * 2^-23
  }
}

TEST(FastGemm, ZeroLastFlushesASubnormalSumAndKeepsANan) {
  const auto expect_square = [](const char* name, const Format& in, Bits factor, Bits square) {
    const Arithmetic x = *models::parse_arithmetic(name);
    const Tensor operand = Tensor::from_bits(in, std::array{factor});
    expect_bits(shape(1, 1, 1, models::answer_format(x, in)), operand, operand, {square}, x);
  };
  expect_square("fp32.sequential.fma.flush_in.zero_last", formats::kFp32, 0x1c800000, 0);
  expect_square("fp32.splitk-1.fma.flush_out.total-fp16.zero_last", formats::kFp32, 0x3a800000, 0);
  expect_square("e4m3fnuz.sequential.fma.zero_last", formats::kE4m3fnuz, 0x7f, 0x80);
}

TEST(FastGemm, EmptyProblems) {
  const Arithmetic arithmetic = operators::specified_arithmetic(formats::kFp32);
  for (const auto& p : {shape(0, 5, 5), shape(5, 0, 5), shape(5, 5, 0)}) {
    expect_soft({.problem = p, .arithmetic = arithmetic});
    expect_soft({.problem = p, .arithmetic = arithmetic, .c = &formats::kFp32});
  }
}

TEST(FastGemm, AnotherMachineGoesToTheSoftFloat) {
  models::Machine flushing;
  flushing.fma.subnormals = soft::Subnormals::kFlush;
  const GemmProblem p = shape(1, 1, 1);
  const Arithmetic arithmetic = operators::specified_arithmetic(formats::kFp32);
  const Tensor tiny = Tensor::from_bits(formats::kBf16, std::array<Bits, 1>{0x0001});
  const Tensor one = Tensor::from_bits(formats::kBf16, std::array<Bits, 1>{0x3f80});
  EXPECT_EQ(0x00010000U, fast::gemm(p, tiny, one, nullptr, arithmetic, {}).at(0));
  EXPECT_EQ(0U, fast::gemm(p, tiny, one, nullptr, arithmetic, flushing).at(0));
}

TEST(FastGemm, RefusesWhatTheSoftFloatRefuses) {
  GemmProblem p = shape(2, 2, 2);
  const Tensor four = Tensor::zeros(formats::kFp16, 4);
  const Tensor three = Tensor::zeros(formats::kFp16, 3);
  const Arithmetic arithmetic = operators::specified_arithmetic(formats::kFp32);
  const auto call = [&](const Tensor& a, const Tensor& b) {
    static_cast<void>(fast::gemm(p, a, b, nullptr, arithmetic, {}));
  };
  EXPECT_THROW(call(three, four), std::invalid_argument);
  EXPECT_THROW(call(four, three), std::invalid_argument);
  p.alpha = 0x3f800000;
  EXPECT_THROW(call(four, four), std::invalid_argument);
  p.beta = 0x3f800000;
  EXPECT_THROW(call(four, four), std::invalid_argument);
}

TEST(FastGemm, HostileHostStatesDoNotShow) {
  for (const std::uint64_t control : kHostStates) {
    for (Trial trial : representative_trials()) {
      for (const Fill fill : {Fill::kNormal, Fill::kSubnormal, Fill::kEveryEncoding}) {
        const HostileHost host(control | kTrapsMasked);  // the soft-float runs in it as well
        trial.problem = shape(17, 20, 19, formats::kFp16);
        trial.c = &formats::kFp32;
        trial.fill = fill;
        expect_soft(trial, {1, 2, 5});
        trial.problem.d_format = &formats::kBf16;
        if (trial.arithmetic.unit == nullptr) trial.a = trial.b = &formats::kBf16;
        trial.must_be_covered = false;
        expect_soft(trial, {1});
        EXPECT_EQ(control | kTrapsMasked, floating_point_control() & ~kStickyFlags)
            << "left as it was found";
      }
    }
  }
}

}  // namespace
}  // namespace halfmark::fast
