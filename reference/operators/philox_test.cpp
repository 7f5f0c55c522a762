// SPDX-License-Identifier: Apache-2.0
// The known answers that Random123 is published with (tests/kat_vectors, philox4x32), and that
// every departure shows in them.
#include "reference/operators/philox.hpp"

#include <gtest/gtest.h>

namespace halfmark::operators {
namespace {

struct Known {
  PhiloxCounter counter;
  PhiloxKey key;
  PhiloxCounter ten_rounds;
};

constexpr Known kKnown[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(Philox, GivesTheKnownAnswers) {
  for (const Known& known : kKnown)
    EXPECT_EQ(known.ten_rounds, philox4x32(known.counter, known.key));
}

TEST(Philox, GivesTheKnownAnswerOfSevenRounds) {
  EXPECT_EQ((PhiloxCounter{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}),
            philox4x32(kKnown[2].counter, kKnown[2].key, {.rounds = 7}));
}

TEST(Philox, EveryVariantGivesOthers) {
  const Known& known = kKnown[2];
  for (const PhiloxVariant& variant :
       {PhiloxVariant{.rounds = 7}, {.keeps_key = true}, {.signed_high = true}})
    EXPECT_NE(known.ten_rounds, philox4x32(known.counter, known.key, variant));
}

}  // namespace
}  // namespace halfmark::operators
