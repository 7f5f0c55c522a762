// SPDX-License-Identifier: Apache-2.0
// Bytes by mode, counted by hand.
#include "tools/halfmark/lint/memory.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace halfmark::tools::lint {
namespace {

using nlohmann::json;

// 4 x 8 -> linear 8 to 6 with a bias -> ReLU -> softmax -> squared error.
constexpr const char* kSmall = R"({"schema":"halfmark-model/1","input":{"shape":[4,8]},
    "autocast":{"profile":"pytorch-gpu"},
    "layers":[{"name":"a","op":"linear","out":6},{"name":"b","op":"relu"},
              {"name":"c","op":"softmax"},{"name":"d","op":"mse_loss"}],
    "optimizer":{"rule":"adam"}})";
Model small() { return parse_model(kSmall); }

constexpr std::uint64_t kWeights = 8 * 6 + 6;

TEST(Memory, OfFp32) {
  const Memory fp32 = memory_by_mode(small())[0];
  EXPECT_EQ(4 * kWeights, fp32.weights);
  EXPECT_EQ(0u, fp32.copies);
  EXPECT_EQ(4 * kWeights, fp32.gradients);
  EXPECT_EQ(8 * kWeights, fp32.state);
  // Kept: x for the product, the results of ReLU and softmax; the loss takes the latter again.
  EXPECT_EQ(4u * (4 * 8 + 4 * 6 + 4 * 6), fp32.activations);
  EXPECT_FALSE(fp32.is_described);
}

TEST(Memory, OfAutocast) {
  const Memory cast = memory_by_mode(small())[1];
  EXPECT_EQ(4 * kWeights, cast.weights);
  EXPECT_EQ(2 * kWeights, cast.copies) << "cast once in a step";
  EXPECT_EQ(4 * kWeights, cast.gradients);
  EXPECT_EQ(8 * kWeights, cast.state);
  // x and ReLU's result in fp16, softmax's in fp32.
  EXPECT_EQ(2u * (4 * 8 + 4 * 6) + 4u * (4 * 6), cast.activations);
  EXPECT_TRUE(cast.is_described);
}

TEST(Memory, OfWeightsIn16Bits) {
  const std::vector<Memory> rows = memory_by_mode(small());
  EXPECT_EQ(2 * kWeights, rows[2].weights);
  EXPECT_EQ(4 * kWeights, rows[2].copies) << "masters";
  EXPECT_EQ(2 * kWeights, rows[2].gradients);
  EXPECT_EQ(8 * kWeights, rows[2].state);
  EXPECT_EQ(0u, rows[3].copies);
  EXPECT_EQ(4 * kWeights, rows[3].state);
  EXPECT_EQ(2u * (4 * 8 + 4 * 6 + 4 * 6), rows[3].activations);
  EXPECT_EQ(rows[0].total(), 2 * rows[3].total()) << "half of everything";
}

// Adam keeps its moments in fp32 unless the description says otherwise.
TEST(Memory, OfADescriptionHasItsOwnStateFormat) {
  json description = json::parse(kSmall);
  description.erase("autocast");
  description["weights"]["format"] = "fp16";
  const std::vector<Memory> rows = memory_by_mode(parse_model(description.dump()));
  ASSERT_EQ(5u, rows.size());
  EXPECT_FALSE(rows[3].is_described) << "its state is in 16 bits";
  EXPECT_TRUE(rows[4].is_described);
  EXPECT_EQ(2 * kWeights, rows[4].weights);
  EXPECT_EQ(0u, rows[4].copies);
  EXPECT_EQ(2 * kWeights, rows[4].gradients);
  EXPECT_EQ(8 * kWeights, rows[4].state);
  EXPECT_EQ(rows[3].activations, rows[4].activations);
  description["optimizer"]["state_format"] = "fp16";
  const std::vector<Memory> narrow = memory_by_mode(parse_model(description.dump()));
  ASSERT_EQ(4u, narrow.size());
  EXPECT_TRUE(narrow[3].is_described);
}

TEST(Memory, OfADescriptionHasTheFormatsOfItsLayers) {
  json description = json::parse(kSmall);
  description.erase("autocast");
  for (json& layer : description["layers"]) layer["format"] = "fp16";
  const std::vector<Memory> rows = memory_by_mode(parse_model(description.dump()));
  ASSERT_EQ(5u, rows.size());
  EXPECT_FALSE(rows[0].is_described) << "not everything is in fp32";
  EXPECT_EQ(4u * (4 * 8 + 4 * 6 + 4 * 6), rows[0].activations);
  EXPECT_TRUE(rows[4].is_described);
  EXPECT_EQ(2u * (4 * 8 + 4 * 6 + 4 * 6), rows[4].activations);
  EXPECT_EQ(4 * kWeights, rows[4].weights);
  EXPECT_EQ(8 * kWeights, rows[4].state);
}

TEST(LargestBatch, FillsWhatTheRestLeaves) {
  const Memory row{.weights = 100, .gradients = 50, .activations = 40};
  EXPECT_EQ(10u, largest_batch(row, 4, 250)) << "10 bytes each";
  EXPECT_EQ(9u, largest_batch(row, 4, 249));
  EXPECT_EQ(0u, largest_batch(row, 4, 150));
  EXPECT_EQ(0u, largest_batch(row, 4, 10));
  EXPECT_EQ(std::nullopt, largest_batch({.weights = 100}, 4, 1e9));
  EXPECT_EQ(std::nullopt, largest_batch({.weights = 100}, 4, 100));
  EXPECT_EQ(0u, largest_batch({.weights = 100}, 4, 99)) << "not even the weights fit";
}

// What is predicted is what the same model with that batch needs.
TEST(LargestBatch, IsRightForABatchOfThatSize) {
  const Memory four = memory_by_mode(small())[1];
  json larger = json::parse(kSmall);
  larger["input"]["shape"][0] = 100;
  const Memory hundred = memory_by_mode(parse_model(larger.dump()))[1];
  EXPECT_EQ(100u, largest_batch(four, 4, static_cast<double>(hundred.total())));
}

TEST(Memory, OfNormalisationAndDropout) {
  const Model model = parse_model(R"({"schema":"halfmark-model/1","input":{"shape":[4,8]},
    "layers":[{"name":"a","op":"layer_norm"},{"name":"b","op":"dropout"}]})");
  const Memory fp32 = memory_by_mode(model)[0];
  EXPECT_EQ(4u * (8 + 8), fp32.weights);
  // The operand, two statistics of each of 4 rows, and a mask of bytes.
  EXPECT_EQ(4u * 32 + 4u * 2 * 4 + 32u, fp32.activations);
  EXPECT_TRUE(fp32.is_described);
}

}  // namespace
}  // namespace halfmark::tools::lint
