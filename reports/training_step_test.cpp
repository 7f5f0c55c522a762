// SPDX-License-Identifier: Apache-2.0
// A card with what the device counted of a training step: valid, read back whole, of the same
// digest as without it, and shown.
#include <gtest/gtest.h>

#include <sstream>

#include "reports/digest.hpp"
#include "reports/scorecard_json.hpp"
#include "reports/testing/sample_record.hpp"
#include "reports/validate.hpp"
#include "reports/writers/writers.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;

json counted_step() {
  json histogram(64, 0);
  histogram[0] = 25;
  histogram[20] = 75;
  return {{"case", "loss_scaled_backward.portable.b17i33h40o9.scale1.fragile.s1"},
          {"step_ns", 20'000'000},
          {"counting_ns", 500'000},
          {"different", 0},
          {"tensors",
           {{{"name", "09_dw1"},
             {"format", "fp16"},
             {"elements", 100},
             {"zeros", 25},
             {"not_finite", 0},
             {"first_not_finite", nullptr},
             {"amax", 0.000002},
             {"norm", 0.0000125},
             {"unchanged", 40},
             {"suggested_scale_log2", 32},
             {"scales",
              {{{"scale_log2", 0}, {"normal", 0.0}, {"subnormal", 0.875}, {"lost", 0.125}},
               {{"scale_log2", 16}, {"normal", 1.0}, {"subnormal", 0.0}, {"lost", 0.0}}}},
             {"histogram", histogram}}}}};
}

RunRecord counted_record() {
  RunRecord record = sample_record();
  record.training_step = counted_step();
  return record;
}

std::string written(const char* format, const Scorecard& card) {
  std::ostringstream out;
  find_writer(format)->write(card, out);
  return out.str();
}

TEST(TrainingStep, IsReadBackAndValid) {
  const Scorecard card = tally(counted_record());
  EXPECT_EQ(counted_step(), card.training_step);
  EXPECT_EQ(std::vector<std::string>(), validate(json::parse(print_json(card))));
}

TEST(TrainingStep, DoesNotChangeTheDigestAndIsNotMissed) {
  const Scorecard with = tally(counted_record()), without = tally(sample_record());
  EXPECT_EQ(without.digest, with.digest);
  EXPECT_TRUE(without.training_step.is_null());
  EXPECT_FALSE(to_json(without).contains("training_step"));
  EXPECT_EQ(without.digest, digest_of(to_json(with)));
}

TEST(TrainingStep, BadFiguresAreRefused) {
  json card = json::parse(print_json(tally(counted_record())));
  card["training_step"]["tensors"][0]["scales"][0]["lost"] = 1.5;
  EXPECT_FALSE(validate(card).empty());
}

// A foreign card may be read by a report without being validated first.
TEST(TrainingStep, OtherScalesOfASecondTensorAreRefusedAndCostNoReport) {
  RunRecord record = counted_record();
  json& tensors = record.training_step["tensors"];
  tensors.push_back(tensors[0]);
  EXPECT_EQ(std::vector<std::string>(), validate(to_json(tally(record))));
  tensors[1]["name"] = "10_dw2";
  tensors[1]["scales"].erase(1);
  const Scorecard card = tally(record);
  EXPECT_EQ(std::vector<std::string>{"training step: the scales of tensor 10_dw2 are not those of "
                                     "09_dw1"},
            validate(to_json(card)));
  EXPECT_NE(std::string::npos, written("console", card).find("10_dw2"));
}

TEST(TrainingStep, IsShownOnTheConsoleAndThePage) {
  for (const char* format : {"console", "html"}) {
    const std::string text = written(format, tally(counted_record()));
    for (const char* words :
         {"09_dw1", "lost at 2^16", "87.5 %", "12.5 %", "25 %", "1.25e-05", "40 %", "2^32",
          "All counts are those of the host", "0.5 ms, the step 20 ms", "norm (host)",
          "unchanged (host)", "norm and unchanged by the host from its results"}) {
      EXPECT_NE(std::string::npos, text.find(words)) << format << " lacks " << words;
    }
    EXPECT_EQ(std::string::npos, written(format, tally(sample_record())).find("lost at")) << format;
  }
}

TEST(TrainingStep, CountsThatAreNotTheHostsAreNamed) {
  RunRecord record = counted_record();
  record.training_step["different"] = 1;
  constexpr const char* kSentence = "Counts that are not those of the host: 1 tensor";
  EXPECT_NE(std::string::npos,
            written("console", tally(record)).find(std::string(kSentence) + "; counting"));
  record.training_step["tensors"][0]["counted_by_host"] = true;
  const Scorecard card = tally(record);
  EXPECT_EQ(std::vector<std::string>(), validate(json::parse(print_json(card))));
  const std::string text = written("console", card);
  EXPECT_NE(std::string::npos, text.find(std::string(kSentence) + ", shown as the host counts;"));
  EXPECT_NE(std::string::npos, text.find("09_dw1 (host)"));
}

}  // namespace
}  // namespace halfmark::reports
