// SPDX-License-Identifier: Apache-2.0
// The formats of each layer under the lists of casts, against what the frameworks document.
#include "tools/halfmark/lint/layer_formats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace halfmark::tools::lint {
namespace {

Model sequence(const char* profile, const std::vector<const char*>& operators) {
  Model model{.input = {8, 16}};
  model.casts = find_cast_profile(profile);
  model.narrow = formats::find_format(model.casts->narrow.front());
  for (const char* op : operators) {
    Layer layer{.name = op, .op = op};
    layer.row = find_operator(op);
    layer.inputs = {model.layers.size()};
    layer.shape = {8, 16};
    model.layers.push_back(std::move(layer));
  }
  return model;
}

// "operands>arithmetic>result" of each layer.
std::string formats_in(const Model& model) {
  std::vector<std::string> words;
  for (const LayerFormats& f : formats_of(model))
    words.push_back(fmt::format("{}>{}>{}", f.operands->name, f.arithmetic->name, f.result->name));
  return fmt::format("{}", fmt::join(words, " "));
}

TEST(LayerFormats, FollowTheListsOfAGpu) {
  EXPECT_EQ("fp16>fp16>fp16 fp16>fp16>fp16 fp16>fp32>fp32 fp32>fp32>fp32",
            formats_in(sequence("pytorch-gpu", {"linear", "gelu", "softmax", "mse_loss"})));
  EXPECT_EQ("fp32>fp32>fp32 fp16>fp16>fp16",
            formats_in(sequence("pytorch-gpu", {"layer_norm", "linear"})));
}

// On a processor softmax and layer normalisation run in bf16; only losses are wide.
TEST(LayerFormats, FollowTheListsOfAProcessor) {
  EXPECT_EQ("bf16>bf16>bf16 bf16>bf16>bf16 fp32>fp32>fp32",
            formats_in(sequence("pytorch-cpu", {"linear", "softmax", "cross_entropy"})));
}

TEST(LayerFormats, OfAdditionAreTheWidestOfItsOperands) {
  Model model = sequence("pytorch-gpu", {"linear", "add"});
  model.layers[1].inputs = {0, 1};
  EXPECT_EQ("fp16>fp16>fp16 fp32>fp32>fp32", formats_in(model)) << "the input is in fp32";
}

// Their weights stay in fp32, and so do their statistics.
TEST(LayerFormats, OfUnlistedNormalisationHaveWideStatistics) {
  EXPECT_EQ("fp16>fp16>fp16 fp16>fp32>fp16",
            formats_in(sequence("pytorch-gpu", {"linear", "batch_norm"})));
}

TEST(LayerFormats, ByHandAreNotCast) {
  Model model = sequence("pytorch-gpu", {"linear", "softmax"});
  model.layers[1].by_hand = &formats::kFp16;
  EXPECT_EQ("fp16>fp16>fp16 fp16>fp16>fp16", formats_in(model));
}

// A rewriter of graphs: what infers is narrow between allowed nodes and wide after a denied one,
// what is clear joins its neighbours, and what is on no list stays.
TEST(LayerFormats, ArePaintedInGraphs) {
  EXPECT_EQ("fp16>fp16>fp16 fp16>fp16>fp16 fp16>fp16>fp16",
            formats_in(sequence("tensorflow-gpu", {"linear", "softmax", "linear"})));
  EXPECT_EQ("fp16>fp16>fp16 fp32>fp32>fp32",
            formats_in(sequence("tensorflow-gpu", {"linear", "softmax"})))
      << "nothing allowed follows";
  EXPECT_EQ("fp16>fp16>fp16 fp16>fp16>fp16",
            formats_in(sequence("tensorflow-gpu", {"linear", "relu"})))
      << "clear";
  EXPECT_EQ("fp16>fp16>fp16 fp32>fp32>fp32 fp32>fp32>fp32 fp16>fp16>fp16",
            formats_in(sequence("tensorflow-gpu", {"linear", "exp", "softmax", "linear"})))
      << "denied, and what follows it";
  EXPECT_EQ("fp16>fp16>fp16 fp32>fp32>fp32 fp16>fp16>fp16",
            formats_in(sequence("tensorflow-gpu", {"linear", "gelu", "linear"})))
      << "made of nodes that no list has";
}

TEST(LayerFormats, WithoutCastsAreThoseOfWeightsAndOperands) {
  Model model = sequence("pytorch-gpu", {"linear", "softmax"});
  model.casts = nullptr;
  model.weights = &formats::kFp16;
  model.layers[0].weights = 256;
  EXPECT_EQ("fp16>fp16>fp16 fp16>fp16>fp16", formats_in(model));
}

}  // namespace
}  // namespace halfmark::tools::lint
