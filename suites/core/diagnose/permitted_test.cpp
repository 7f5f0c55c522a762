// SPDX-License-Identifier: Apache-2.0
// An accusation is only what is left when nothing that is permitted explains the bits: neither a
// hypothesis that is tried later, nor one about the same part, nor one that knows no operator.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/diagnose/generic_hypotheses.hpp"
#include "suites/core/testing/demo_problem.hpp"

namespace halfmark::suites {
namespace {

using formats::Tensor;
using Names = std::vector<std::string>;

constexpr std::size_t kSmall = 4096, kLarge = 70000;
const Case kCase{.suite = "demo", .tokens = {}, .seed = 7};

class WithMistakes : public DemoProblem {
 public:
  explicit WithMistakes(std::vector<Hypothesis> own) : DemoProblem(kCase), own_(std::move(own)) {}
  bool follows_machine() const override { return false; }
  std::vector<Hypothesis> mistakes() const override { return own_; }

 private:
  std::vector<Hypothesis> own_;
};

// Ones, but the given number from the element `first` on.
TensorSet ones(std::size_t elements, formats::Bits other = 0x3c00, std::size_t first = 0) {
  Tensor d = Tensor::zeros(formats::kFp16, elements);
  for (std::size_t i = 0; i < elements; ++i) d.set(i, i < first ? 0x3c00 : other);
  return {{"d", std::move(d)}};
}

Hypothesis gives(std::string name, const TensorSet& results, int tier, Names freedoms = {}) {
  return {.name = std::move(name),
          .finding_class = "formula",
          .sentence = "",
          .evaluate = [results](const Case&, const TensorSet&) { return results; },
          .freedoms = std::move(freedoms),
          .tier = tier};
}

bool takes_what_is_open(const Explanation& e) { return e.freedoms == Names{"open"}; }

Names found(const std::vector<Hypothesis>& own, const TensorSet& expected, const TensorSet& actual,
            const Permits& permits = takes_what_is_open) {
  Names names;
  for (const Explanation& e : diagnose(WithMistakes(own), {}, {expected}, actual, permits))
    names.push_back(e.hypothesis);
  return names;
}

TEST(Permitted, IsTriedAfterAnAccusationInEveryTier) {
  for (const std::size_t elements : {kSmall, kLarge}) {
    const TensorSet wrong = ones(elements, 0x4000);
    const auto names = [&](int tier, const Names& freedoms) {
      return found({gives("accuses", wrong, 0), gives("clears", wrong, tier, freedoms)},
                   ones(elements), wrong);
    };
    for (const int tier : {0, 1, 2, 3})
      EXPECT_EQ((Names{"accuses", "clears"}), names(tier, {"open"})) << elements << " " << tier;
    EXPECT_EQ(Names{"accuses"}, names(1, {"closed"})) << elements;
    EXPECT_EQ(Names{"accuses"}, names(1, {})) << elements;
  }
}

TEST(Permitted, OnceFoundEndsTheSearchOfHigherTiers) {
  const TensorSet wrong = ones(kSmall, 0x4000);
  const std::vector<Hypothesis> own = {gives("clears", wrong, 0, {"open"}),
                                       gives("clears-too", wrong, 1, {"open"})};
  EXPECT_EQ(Names{"clears"}, found(own, ones(kSmall), wrong));
  EXPECT_EQ(Names{"clears"}, found(own, ones(kSmall), wrong, nullptr));
}

TEST(Permitted, OfThePartThatIsWrongIsNamedBesideAnAccusation) {
  const TensorSet wrong = ones(kSmall, 0x4000, kSmall / 2), everywhere = ones(kSmall, 0x4000);
  const Hypothesis accuses = gives("accuses", everywhere, 0);
  const Hypothesis clears = gives("clears", everywhere, 0, {"open"});
  EXPECT_EQ((Names{"accuses-in-part", "clears-in-part"}),
            found({accuses, accuses, clears, clears}, ones(kSmall), wrong));
  EXPECT_EQ(Names{"clears-in-part"}, found({clears, accuses}, ones(kSmall), wrong));
  EXPECT_EQ(Names{"accuses-in-part"}, found({accuses, clears}, ones(kSmall), wrong, nullptr));
}

// Subnormal results that became zeros, in all or in a part of them.
TEST(Permitted, MayKnowNoOperator) {
  const Permits flushes = [](const Explanation& e) {
    return e.freedoms == Names{"conversion_subnormals"};
  };
  TensorSet expected = ones(kSmall, 0x0123, kSmall / 2), flushed = ones(kSmall, 0, kSmall / 2);
  const std::string general = "general-d-subnormals-flushed";
  const auto names = [&](const TensorSet& results, const Permits& permits) {
    return found({gives("accuses", results, 0)}, expected, flushed, permits);
  };
  EXPECT_EQ((Names{"accuses", general}), names(flushed, flushes));
  EXPECT_EQ(Names{"accuses"}, names(flushed, nullptr));
  EXPECT_EQ(Names{general}, names(ones(kSmall, 0), flushes)) << "not the accusation of a part";
  EXPECT_EQ(Names{"accuses-in-part"}, names(ones(kSmall, 0), nullptr));
  const Permits both = [&](const Explanation& e) { return flushes(e) || takes_what_is_open(e); };
  EXPECT_EQ(Names{"clears-in-part"},
            found({gives("clears", ones(kSmall, 0), 0, {"open"})}, expected, flushed, both))
      << "nothing more is needed";
  flushed.at("d").set(0, 0);
  EXPECT_EQ(Names{"accuses"}, names(flushed, flushes)) << "more is wrong than subnormal numbers";
}

// An experiment asks what a general name predicts of data on which the device is right, too.
TEST(Permitted, GeneralNamesAreRefutedByRightResults) {
  const TensorSet right = ones(kSmall, 0x0123, kSmall / 2);
  const WithMistakes problem({});
  const Allowance allowed{right};
  const Places none;
  const TensorSet no_operands;
  const Failed failed{problem, no_operands, allowed, right, none};
  const std::vector<Hypothesis> all = changed_numbers(failed);
  const auto flushed = std::ranges::find(all, "general-d-subnormals-flushed", &Hypothesis::name);
  ASSERT_NE(all.end(), flushed);
  EXPECT_FALSE(predicts(*flushed, nullptr, kCase, {}, allowed, right, compare(allowed, right)));
}

}  // namespace
}  // namespace halfmark::suites
