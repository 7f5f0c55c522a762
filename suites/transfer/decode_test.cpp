// SPDX-License-Identifier: Apache-2.0
// Results of broken copies, and what the decoder finds in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "suites/core/diagnose/diagnose.hpp"
#include "suites/transfer/binding.hpp"
#include "suites/transfer/suite.hpp"

namespace halfmark::suites::transfer {
namespace {

constexpr const char* kName = "transfer.portable.n1000o8.upload-whole.read-whole.s1";

// One or more of the three results, and how their bytes change.
struct Broken {
  std::vector<std::string> images;
  std::function<void(std::vector<std::byte>& bytes)> change;
};

Explanation explained(const std::vector<Broken>& broken, const char* name = kName) {
  const Case c = parse_case("transfer", suite().axes, name);
  const TensorSet expected = suite().bind(c)->expect({}).middle;
  TensorSet got = expected;
  for (const Broken& b : broken) {
    for (const std::string& image : b.images) b.change(got.at(image).bytes);
  }
  const std::uint64_t wrong = compare(expected, got, 0).mismatches;
  const std::vector<Explanation> found = diagnose(*suite().bind(c), {}, {expected}, got);
  if (found.empty()) return {};
  EXPECT_TRUE(found[0].exact(wrong)) << found[0].sentence;
  return found[0];
}

// Bytes of another generation, from `distance` further on.
auto put(std::size_t first, std::size_t last, Generation g, std::ptrdiff_t distance = 0) {
  return [=](std::vector<std::byte>& bytes) {
    for (std::size_t i = first; i <= last; ++i) {
      const auto from = static_cast<std::ptrdiff_t>(i) + distance;
      bytes[i] = byte_at(g, static_cast<std::size_t>(from));
    }
  };
}

void expect(std::string_view finding_class, std::string_view sentence, const Explanation& e) {
  EXPECT_EQ(finding_class, e.finding_class);
  EXPECT_EQ(sentence, e.sentence);
}

TEST(TransferDecode, AnUploadIsShort) {
  const std::vector<Broken> broken = {
      {{"first", "second", "memory"}, put(905, 1007, Generation::kBefore)}};
  expect("short_copy",
         "an upload of 1000 bytes loses its last 103: the device's memory holds what it held "
         "before",
         explained(broken));
}

TEST(TransferDecode, AnUploadLosesOneByteInTheMiddle) {
  expect("short_copy",
         "an upload of 1000 bytes in parts of 1021 loses byte 92: the device's memory holds what "
         "it held before",
         explained({{{"first"}, put(100, 100, Generation::kBefore)},
                    {{"second", "memory"}, put(100, 100, Generation::kFirst)}},
                   "transfer.portable.n1000o8.upload-by1021.read-whole.s1"));
}

TEST(TransferDecode, AReadBackIsStale) {
  expect("stale_copy",
         "a read-back of 1000 bytes gives in all of them what memory held before the last upload",
         explained({{{"second"}, put(8, 1007, Generation::kFirst)}}));
}

TEST(TransferDecode, AReadBackIsShort) {
  expect("short_copy",
         "a read-back of 1000 bytes loses its last 8: the host's memory holds what it held before",
         explained({{{"first"}, put(1000, 1007, Generation::kHostBeforeFirst)},
                    {{"second"}, put(1000, 1007, Generation::kHostBeforeSecond)}}));
  expect("short_copy",
         "a read-back of 4096 bytes loses its last 96: the host's memory holds what it held before",
         explained({{{"memory"}, put(4000, 4095, Generation::kHostBeforeLast)}}));
}

TEST(TransferDecode, ABlockIsMoved) {
  expect("misplaced_copy",
         "an upload of 1000 bytes puts into bytes 92 to 191 what belongs 100 bytes before",
         explained({{{"first"}, put(100, 199, Generation::kFirst, -100)},
                    {{"second", "memory"}, put(100, 199, Generation::kSecond, -100)}}));
  expect("misplaced_copy",
         "a read-back of 1000 bytes puts into bytes 92 to 191 what belongs 3 bytes behind",
         explained({{{"second"}, put(100, 199, Generation::kSecond, 3)}}));
}

TEST(TransferDecode, WordsAreReversed) {
  const auto reverse = [](std::vector<std::byte>& bytes) {
    for (auto word = bytes.begin() + 8; word != bytes.begin() + 1008; word += 4)
      std::reverse(word, word + 4);
  };
  expect("misplaced_copy",
         "a read-back of 1000 bytes reverses the bytes of each word in all of them",
         explained({{{"second"}, reverse}}));
}

TEST(TransferDecode, BytesAroundAreChanged) {
  const auto spill = [](std::size_t first, std::size_t count) {
    return [=](std::vector<std::byte>& bytes) {
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(first), count, std::byte{0});
    };
  };
  EXPECT_EQ("out_of_bounds", explained({{{"memory"}, spill(1008, 3)}}).finding_class);
  const Explanation before = explained({{{"first"}, spill(7, 1)}});
  expect("out_of_bounds",
         "a read-back of 1000 bytes changes 1 byte of the host's memory before its beginning",
         before);
}

TEST(TransferDecode, MemoryAroundIsNotWhatWasWrittenThere) {
  const auto zero = [](std::size_t first, std::size_t count) {
    return [=](std::vector<std::byte>& bytes) {
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(first), count, std::byte{0});
    };
  };
  expect("out_of_bounds",
         "memory around the range does not hold what was written there, in 256 bytes behind its "
         "end",
         explained({{{"memory"}, zero(3840, 256)}}));
  expect("out_of_bounds",
         "memory around the range does not hold what was written there, in 1 byte before its "
         "beginning",
         explained({{{"memory"}, zero(7, 1)}}));
  expect("out_of_bounds",
         "an upload of 1 byte changes 4 bytes of the device's memory behind its end",
         explained({{{"memory"}, put(1, 4, Generation::kSecond)}},
                   "transfer.portable.n1o0.upload-whole.read-whole.s1"));
}

TEST(TransferDecode, AReadBackOfAllMemoryLosesAWordAroundTheRange) {
  expect("short_copy",
         "a read-back of 4096 bytes loses bytes 2000 to 2003: the host's memory holds what it held "
         "before",
         explained({{{"memory"}, put(2000, 2003, Generation::kHostBeforeLast)}}));
}

TEST(TransferDecode, OfTheFirstUploadNobodyKnowsWhetherItArrived) {
  expect("undecided",
         "the upload or the read-back of 1000 bytes gives in all of them what memory held before",
         explained({{{"first"}, put(8, 1007, Generation::kBefore)}}));
}

// Neither by the pattern nor by arithmetic, which a copy has none of.
TEST(TransferDecode, WhatNobodyWroteIsNotExplained) {
  for (const char* image : {"first", "second", "memory"}) {
    const auto zero = [](std::vector<std::byte>& bytes) {
      std::fill_n(bytes.begin() + 4096, 4096, std::byte{0});
    };
    const Explanation e =
        explained({{{image}, zero}}, "transfer.portable.n65536o0.upload-whole.read-whole.s1");
    EXPECT_EQ("", e.hypothesis) << image << ": " << e.sentence;
  }
}

}  // namespace
}  // namespace halfmark::suites::transfer
