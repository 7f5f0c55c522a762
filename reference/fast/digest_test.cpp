// SPDX-License-Identifier: Apache-2.0
// The order-independent digest: known values of its definition, vector code compared with it, and
// which changes it must and must not detect.
#include "reference/fast/digest.hpp"

#include <gtest/gtest.h>

#include "reference/fast/testing/operands.hpp"

namespace halfmark::fast {
namespace {

using formats::Format;
using formats::Tensor;
using testing::Fill;

// Computed by an independent program from the comment of digest.hpp; device code can be tested with
// the same values.
TEST(Digest, PinnedValues) {
  EXPECT_EQ(0x5e6a1f98144a87a9U, digest_of_element(formats::kFp16, 0x0, 0x0).word());
  EXPECT_EQ(0x059a277fb1396af3U, digest_of_element(formats::kFp16, 0x1, 0x3c00).word());
  EXPECT_EQ(0xb238dbd0f33c7fe3U, digest_of_element(formats::kFp32, 0x3039, 0x3f800001).word());
  EXPECT_EQ(0x1233998e50f5edd0U, digest_of_element(formats::kFp32, 0x100000007, 0x80000000).word());
  EXPECT_EQ(0xf1883ad10576e788U, digest_of_element(formats::kFp64, 0x5, 0x3ff0000000000001).word());
  EXPECT_EQ(0x508b3aa648e0a060U, digest_of_element(formats::kFp16, 3, 0xffff).word());
  const Tensor three = Tensor::from_bits(formats::kFp16, std::array<formats::Bits, 3>{1, 2, 3});
  EXPECT_EQ(0xaca091621ae7bbc9U, digest(three).word());
}

Digest by_definition(const Tensor& tensor, std::uint64_t first) {
  Digest sum;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    sum += digest_of_element(*tensor.format, first + i, tensor.at(i));
  }
  return sum;
}

TEST(Digest, EveryFormatTargetAndNumberOfThreads) {
  std::mt19937_64 random(1);
  for (const Format& format : formats::all_formats()) {
    for (const std::size_t count : {0U, 1U, 15U, 16U, 17U, 1000U, 70000U}) {
      const Tensor tensor = testing::filled(format, count, Fill::kEveryEncoding, random);
      for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{65535},
                                        (std::uint64_t{1} << 32) - 20, std::uint64_t{1} << 40}) {
        const Digest expected = by_definition(tensor, first);
        for (const Target target : host_targets()) {
          for (const unsigned threads : {1U, 3U}) {
            EXPECT_EQ(expected, digest(tensor, first, {.threads = threads, .target = target}))
                << format.name << ", " << count << " elements from " << first << ", "
                << to_string(target);
          }
        }
      }
    }
  }
}

TEST(Digest, PartsAddUp) {
  std::mt19937_64 random(2);
  const Tensor whole = testing::filled(formats::kFp16, 1000, Fill::kEveryEncoding, random);
  Tensor head = Tensor::zeros(formats::kFp16, 400);
  Tensor tail = Tensor::zeros(formats::kFp16, 600);
  for (std::size_t i = 0; i < 1000; ++i) {
    i < 400 ? head.set(i, whole.at(i)) : tail.set(i - 400, whole.at(i));
  }
  Digest sum = digest(tail, 400);
  sum += digest(head);
  EXPECT_EQ(digest(whole), sum);
}

TEST(Digest, NanIsAClassAndSignsOfZeroAreNot) {
  const auto of = [](formats::Bits bits) {
    return digest(Tensor::from_bits(formats::kFp16, std::array{bits}));
  };
  EXPECT_EQ(of(0x7e00), of(0xfc01));
  EXPECT_EQ(of(0x7e00), of(0x7fff));
  EXPECT_NE(of(0x7e00), of(0x7c00));
  EXPECT_NE(of(0x0000), of(0x8000));
}

// Every change of one bit, every exchange of two neighbours, and one element more or less.
TEST(Digest, SeesSmallChanges) {
  std::mt19937_64 random(3);
  Tensor tensor = testing::filled(formats::kBf16, 300, Fill::kNormal, random);
  const Digest before = digest(tensor);
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const formats::Bits kept = tensor.at(i);
    for (int bit = 0; bit < 16; ++bit) {
      tensor.set(i, kept ^ (formats::Bits{1} << bit));
      EXPECT_NE(before, digest(tensor));
    }
    tensor.set(i, kept);
    if (i == 0 || kept == tensor.at(i - 1)) continue;
    tensor.set(i, tensor.at(i - 1));
    tensor.set(i - 1, kept);
    EXPECT_NE(before, digest(tensor)) << "exchanged " << i;
    tensor.set(i - 1, tensor.at(i));
    tensor.set(i, kept);
  }
  EXPECT_EQ(before, digest(tensor));
  EXPECT_NE(digest(Tensor::zeros(formats::kFp16, 0)), digest(Tensor::zeros(formats::kFp16, 1)));
  EXPECT_NE(digest(Tensor::zeros(formats::kFp16, 8)), digest(Tensor::zeros(formats::kFp16, 9)));
}

}  // namespace
}  // namespace halfmark::fast
