// SPDX-License-Identifier: Apache-2.0
// Elementwise operations against the soft-float, bit for bit: every operation and vector format on
// every target of this host, with operands that careless code would round twice.
#include "reference/fast/elementwise.hpp"

#include <gtest/gtest.h>

#include "reference/fast/hostile.hpp"
#include "reference/fast/testing/operands.hpp"
#include "reference/formats/classify.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;
using testing::Fill;

constexpr Operation kOperations[] = {
    Operation::kAdd,           Operation::kSub,          Operation::kMul,     Operation::kDiv,
    Operation::kSqrt,          Operation::kFma,          Operation::kMinimum, Operation::kMaximum,
    Operation::kMinimumNumber, Operation::kMaximumNumber};

struct Columns {
  Tensor a, b, c;
};

void expect_soft(Operation operation, const Columns& x, const soft::Environment& environment = {},
                 std::initializer_list<unsigned> thread_counts = {2}) {
  const Format& format = *x.a.format;
  Tensor expected = Tensor::zeros(format, x.a.count());
  for (std::size_t i = 0; i < x.a.count(); ++i) {
    expected.set(i, soft_element(operation, format, x.a.at(i), x.b.at(i), x.c.at(i), environment));
  }
  for (const Target target : host_targets()) {
    for (const unsigned threads : thread_counts) {
      const Tensor actual = elementwise(operation, {x.a, &x.b, &x.c}, environment,
                                        {.threads = threads, .target = target});
      for (std::size_t i = 0; expected != actual && i < expected.count(); ++i) {
        ASSERT_EQ(expected.at(i), actual.at(i))
            << format.name << '.' << to_string(operation) << ", " << to_string(target) << std::hex
            << ": " << x.a.at(i) << ' ' << x.b.at(i) << ' ' << x.c.at(i);
      }
      ASSERT_EQ(expected, actual);
    }
  }
}

const Format* const kVectorFormats[] = {&formats::kFp16, &formats::kBf16, &formats::kFp32};

TEST(FastElementwise, EveryFillAgainstEveryFill) {
  std::mt19937_64 random(1);
  for (const Format* format : kVectorFormats) {
    for (const Fill a : testing::kFills) {
      for (const Fill b : testing::kFills) {
        const Columns x{testing::filled(*format, 2001, a, random),
                        testing::filled(*format, 2001, b, random),
                        testing::filled(*format, 2001, random() % 2 == 0 ? a : b, random)};
        for (const Operation operation : kOperations) expect_soft(operation, x);
      }
    }
  }
}

TEST(FastElementwise, RandomEncodings) {
  std::mt19937_64 random(2);
  for (const Format* format : kVectorFormats) {
    const auto column = [&] {
      return testing::filled(*format, 200'000, Fill::kEveryEncoding, random);
    };
    const Columns x{column(), column(), column()};
    for (const Operation operation : kOperations) expect_soft(operation, x);
  }
}

TEST(FastElementwise, EverySquareRootOf16Bits) {
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    Columns x{Tensor::zeros(*format, 65536), Tensor::zeros(*format, 65536),
              Tensor::zeros(*format, 65536)};
    for (std::size_t i = 0; i < 65536; ++i) x.a.set(i, i);
    expect_soft(Operation::kSqrt, x);
  }
}

// A number with this exponent, or the nearest subnormal.
Bits power(const Format& f, int exponent, std::uint64_t fraction) {
  const int field = exponent + f.bias;
  if (field >= 1) {
    return static_cast<Bits>(std::min(field, f.max_exponent_field() - 1)) << f.fraction_bits |
           (fraction & f.fraction_mask());
  }
  const int shift = std::min(1 - field, f.precision());
  return ((Bits{1} << f.fraction_bits) | (fraction & f.fraction_mask())) >> shift;
}

// Products and quotients of every size around the border of the subnormal numbers, where rounding
// first to fp32 and then to the format differs from rounding once.
TEST(FastElementwise, ResultsAroundTheSubnormalBorder) {
  std::mt19937_64 random(3);
  constexpr std::size_t kCount = 100'000;
  for (const Format* format : kVectorFormats) {
    Columns x{Tensor::zeros(*format, kCount), Tensor::zeros(*format, kCount),
              Tensor::zeros(*format, kCount)};
    for (const bool quotient : {false, true}) {
      for (std::size_t i = 0; i < kCount; ++i) {
        const int border = format->min_exponent() + 2 - static_cast<int>(random() % 16);
        const int left = static_cast<int>(random() % 20) - (quotient ? format->bias - 4 : 10);
        x.a.set(i, power(*format, left, random()));
        x.b.set(i, power(*format, quotient ? left - border : border - left, random()) |
                       (random() % 2 == 0 ? format->sign_mask() : 0));
        x.c.set(i, random() % 8);
      }
      expect_soft(quotient ? Operation::kDiv : Operation::kMul, x);
      expect_soft(Operation::kFma, x);
    }
  }
}

// Every pair of bf16 significands with every result from normal to less than half the least number,
// without and with every kind of addend; operands with fewer digits are among them. These are the
// cases of the proofs in elementwise_kernels.cpp.
TEST(FastElementwise, EveryTinyBf16Result) {
  constexpr std::size_t kPairsOfSignificands = 128 * 128;
  const Format& f = formats::kBf16;
  Columns x{Tensor::zeros(f, kPairsOfSignificands), Tensor::zeros(f, kPairsOfSignificands),
            Tensor::zeros(f, kPairsOfSignificands)};
  for (int exponent = -138; exponent <= -124; ++exponent) {
    for (std::size_t i = 0; i < kPairsOfSignificands; ++i) {
      x.a.set(i, power(f, exponent / 2, i >> 7));
      x.b.set(i, power(f, exponent - exponent / 2, i));
    }
    expect_soft(Operation::kMul, x);
    for (const Bits c : {0x0000U, 0x8000U, 0x0001U, 0x8001U, 0x8002U, 0x007fU, 0x8080U, 0x0101U}) {
      for (std::size_t i = 0; i < kPairsOfSignificands; ++i) x.c.set(i, c);
      expect_soft(Operation::kFma, x);
    }
    for (std::size_t i = 0; i < kPairsOfSignificands; ++i) {
      x.a.set(i, power(f, exponent + 70, i >> 7));
      x.b.set(i, power(f, 70, i));
    }
    expect_soft(Operation::kDiv, x);
  }
}

// a * b lies on or next to a midpoint of the format, and a c of any size decides: fma must not
// round this twice. b = 1 + 2^-j makes products whose last places all come from the product.
TEST(FastElementwise, FusedSumsBesideMidpoints) {
  std::mt19937_64 random(4);
  constexpr std::size_t kCount = 200'000;
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    Columns x{Tensor::zeros(*format, kCount), Tensor::zeros(*format, kCount),
              Tensor::zeros(*format, kCount)};
    const int p = format->precision();
    for (std::size_t i = 0; i < kCount; ++i) {
      const int scale = static_cast<int>(random() % 24) - 12;
      const auto j = random() % static_cast<unsigned>(p);
      x.a.set(i, power(*format, scale, random() & ~(random() % 64)));
      x.b.set(i, power(*format, 0, format->fraction_mask() >> j & random()));
      const int distance = static_cast<int>(random() % static_cast<unsigned>(6 * p)) - p;
      x.c.set(i, power(*format, scale - distance, random() % 3 == 0 ? random() : 0) |
                     (random() % 2 == 0 ? format->sign_mask() : 0));
    }
    expect_soft(Operation::kFma, x);
  }
}

// bf16 products beyond fp32's range that c brings back into it: fp32 arithmetic would overflow.
TEST(FastElementwise, FusedSumsThatReturnFromOverflow) {
  std::mt19937_64 random(5);
  for (const Format* format : kVectorFormats) {
    Columns x{Tensor::zeros(*format, 20'000), Tensor::zeros(*format, 20'000),
              Tensor::zeros(*format, 20'000)};
    for (std::size_t i = 0; i < x.a.count(); ++i) {
      const int left = static_cast<int>(random() % 10);
      x.a.set(i, power(*format, left, random()));
      x.b.set(i, power(*format, format->max_exponent() + static_cast<int>(random() % 2) - left,
                       random()));
      x.c.set(i, power(*format, format->max_exponent(), random()) | format->sign_mask());
    }
    expect_soft(Operation::kFma, x);
  }
}

TEST(FastElementwise, EveryLengthAndNumberOfThreads) {
  std::mt19937_64 random(6);
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 15U, 16U, 17U, 33U, 16384U, 40000U}) {
    const Columns x{testing::filled(formats::kFp16, count, Fill::kNormal, random),
                    testing::filled(formats::kFp16, count, Fill::kNormal, random),
                    testing::filled(formats::kFp16, count, Fill::kNormal, random)};
    expect_soft(Operation::kFma, x, {}, {1, 2, 3, 0});
  }
}

TEST(FastElementwise, HostileHostStatesDoNotShow) {
  std::mt19937_64 random(7);
  for (const Format* format : kVectorFormats) {
    for (const Fill fill : {Fill::kSubnormal, Fill::kNormal, Fill::kEveryEncoding}) {
      const Columns x{testing::filled(*format, 3000, fill, random),
                      testing::filled(*format, 3000, fill, random),
                      testing::filled(*format, 3000, fill, random)};
      for (const std::uint64_t state : kHostStates) {
        const HostileHost host(state);
        for (const Operation operation : kOperations) expect_soft(operation, x, {}, {1, 2});
      }
    }
  }
}

TEST(FastElementwise, OtherEnvironmentsAndFormatsAreTheSoftFloats) {
  std::mt19937_64 random(8);
  const Columns x{testing::filled(formats::kFp16, 500, Fill::kSubnormal, random),
                  testing::filled(formats::kFp16, 500, Fill::kSubnormal, random),
                  testing::filled(formats::kFp16, 500, Fill::kSubnormal, random)};
  expect_soft(Operation::kMul, x, {.rounding = soft::Rounding::kUp});
  expect_soft(Operation::kAdd, x, {.subnormals = soft::Subnormals::kFlush});
  for (const Format& format : formats::all_formats()) {
    const Columns y{testing::filled(format, 500, Fill::kEveryEncoding, random),
                    testing::filled(format, 500, Fill::kEveryEncoding, random),
                    testing::filled(format, 500, Fill::kEveryEncoding, random)};
    if (format.use == formats::Use::kStorage) continue;
    for (const Operation operation : kOperations) expect_soft(operation, y);
  }
}

TEST(FastElementwise, NamesAreRead) {
  for (const Operation operation : kOperations) {
    EXPECT_EQ(operation, parse_operation(to_string(operation)));
  }
  EXPECT_EQ(std::nullopt, parse_operation("muladd"));
}

TEST(FastElementwise, RefusesOperandsThatDoNotMatch) {
  const Tensor four = Tensor::zeros(formats::kFp16, 4);
  const Tensor three = Tensor::zeros(formats::kFp16, 3);
  const Tensor other = Tensor::zeros(formats::kBf16, 4);
  const auto call = [](Operation operation, const Operands& x) {
    static_cast<void>(elementwise(operation, x));
  };
  EXPECT_THROW(call(Operation::kAdd, {four, &three}), std::invalid_argument);
  EXPECT_THROW(call(Operation::kAdd, {four, &other}), std::invalid_argument);
  EXPECT_THROW(call(Operation::kAdd, {four}), std::invalid_argument);
  EXPECT_THROW(call(Operation::kFma, {four, &four}), std::invalid_argument);
  EXPECT_NO_THROW(call(Operation::kSqrt, {four}));
}

}  // namespace
}  // namespace halfmark::fast
