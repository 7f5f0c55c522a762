// SPDX-License-Identifier: Apache-2.0
// What a description may contain, and that what it may not names its field.
#include "tools/halfmark/lint/model.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace halfmark::tools::lint {
namespace {

using nlohmann::json;

json description() {
  return {{"schema", "halfmark-model/1"},
          {"input", {{"shape", {64, 4096}}}},
          {"layers",
           {{{"name", "fc1"}, {"op", "linear"}, {"out", 4096}},
            {{"name", "act"}, {"op", "gelu"}},
            {{"name", "fc2"}, {"op", "linear"}, {"in", 4096}, {"out", 1024}},
            {{"name", "loss"}, {"op", "mse_loss"}}}}};
}

Model parsed(const json& description) { return parse_model(description.dump()); }

std::string refusal(const json& description) {
  try {
    static_cast<void>(parsed(description));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

// The model with one layer after the input.
json with_layer(const json& shape, json layer) {
  json j = description();
  j["input"]["shape"] = shape;
  layer["name"] = "layer";
  j["layers"] = json::array({std::move(layer)});
  return j;
}

const Layer& only(const Model& model) { return model.layers.front(); }

TEST(Model, HasShapesWeightsAndSums) {
  const Model model = parsed(description());
  EXPECT_EQ((Shape{64, 4096}), model.layers[0].shape);
  EXPECT_EQ(4096u * 4096 + 4096, model.layers[0].weights);
  EXPECT_EQ((Shape{64, 1024}), model.layers[2].shape);
  EXPECT_EQ(4096u, model.layers[2].terms);
  EXPECT_EQ(Shape{}, model.layers[3].shape);
  EXPECT_EQ(nullptr, model.casts);
}

TEST(Model, KnowsTheShapesOfOperators) {
  const Model conv = parsed(
      with_layer({8, 3, 32, 30},
                 {{"op", "conv2d"}, {"out", 16}, {"kernel", 3}, {"stride", 2}, {"padding", 1}}));
  EXPECT_EQ((Shape{8, 16, 16, 15}), only(conv).shape);
  EXPECT_EQ(16u * 3 * 9 + 16, only(conv).weights);
  EXPECT_EQ(27u, only(conv).terms);
  const Model table =
      parsed(with_layer({8, 128}, {{"op", "embedding"}, {"in", 30000}, {"out", 768}}));
  EXPECT_EQ((Shape{8, 128, 768}), only(table).shape);
  EXPECT_EQ(30000u * 768, only(table).weights);
  const Model flat = parsed(with_layer({8, 3, 4}, {{"op", "flatten"}}));
  EXPECT_EQ((Shape{8, 12}), only(flat).shape);
  const Model norm = parsed(with_layer({8, 16, 4, 4}, {{"op", "batch_norm"}}));
  EXPECT_EQ(32u, only(norm).weights);
}

TEST(Model, MayBranch) {
  json j = description();
  j["layers"][3] = {{"name", "product"}, {"op", "matmul"}, {"inputs", {"act", "turned"}}};
  j["layers"][2] = {{"name", "turned"}, {"op", "fft_fft"}, {"shape", {4096, 32}}};
  const Model model = parsed(j);
  EXPECT_EQ((Shape{64, 32}), model.layers[3].shape);
  EXPECT_EQ((std::vector<std::size_t>{2, 3}), model.layers[3].inputs);
}

TEST(Model, TakesTheProfileOfTheCommandLine) {
  json j = description();
  j["autocast"] = {{"profile", "pytorch-gpu"}};
  EXPECT_EQ("fp16", parsed(j).narrow->name);
  EXPECT_EQ("bf16", parse_model(j.dump(), "pytorch-cpu").narrow->name);
  EXPECT_EQ("tensorflow-gpu", parse_model(description().dump(), "tensorflow-gpu").casts->name);
}

struct Bad {
  const char* pointer;
  json value;
  const char* message;
};

TEST(Model, RefusesWhatCannotBe) {
  const Bad kBad[] = {
      {"/layers/1/op", "gelo", "layers[1].op: \"gelo\" is no operator on any list"},
      {"/layers/2/in", 4000, "layers[2].in: 4000, but the operand has 4096 there"},
      {"/layers/0/shape", {64, 100}, "layers[0].shape: 64 x 100, but the result is 64 x 4096"},
      {"/layers/2/name", "fc1", "layers[2].name: \"fc1\" is taken"},
      {"/layers/2/inputs", {"nobody"}, "layers[2].inputs: no layer before it is called \"nobody\""},
      {"/layers/2/inputs", {"loss"}, "layers[2].inputs: no layer before it is called \"loss\""},
      {"/layers/1/op", "matmul", "layers[1].inputs: 1 of them; the operator takes 2"},
      {"/layers/1/op", "fft_fft", "layers[1].shape: it is missing"},
      {"/layers/0/format", "fp17", "layers[0].format: \"fp17\" is no format"},
      {"/autocast", {{"profile", "mine"}}, "autocast.profile: \"mine\" is no list of casts"},
      {"/autocast",
       {{"profile", "tensorflow-gpu"}, {"format", "bf16"}},
       "autocast.format: \"bf16\", but tensorflow-gpu narrows to fp16"},
      {"/scaler", {{"profile", "mine"}}, "scaler.profile: \"mine\" is no scaler"},
      {"/scaler", {{"profile", "constant"}}, "scaler.scale: it is missing"},
      {"/scaler", {{"profile", "constant"}, {"scale", 0}}, "scaler.scale: 0; it must be"},
      {"/scaler", {{"profile", "pytorch"}, {"growth_factor", 0.5}}, "scaler.growth_factor: 0.5"},
      {"/scaler", {{"profile", "pytorch"}, {"growth_interval", 0}}, "scaler.growth_interval: 0"},
      {"/scaler", {{"profile", "pytorch"}, {"scale", -1}}, "scaler.scale: -1"},
      {"/scaler", {{"profile", "pytorch"}, {"scale", "inf"}}, "scaler.scale: inf"},
      {"/scaler", {{"profile", "pytorch"}, {"scale", "nan"}}, "scaler.scale: nan"},
      {"/optimizer", {{"rule", "adam"}, {"epsilon", -1}}, "optimizer.epsilon: -1"},
      {"/clip", {{"norm", "nan"}}, "clip.norm: nan"},
      {"/input/largest", "inf", "input.largest: inf"},
  };
  for (const Bad& bad : kBad) {
    json j = description();
    j[json::json_pointer(bad.pointer)] = bad.value;
    EXPECT_EQ(0u, refusal(j).find(bad.message)) << refusal(j) << " instead of " << bad.message;
  }
}

TEST(Model, RefusesWhatDoesNotFitItsSchema) {
  const Bad kBad[] = {
      {"/schema", "halfmark-model/2", "schema"},
      {"/layers/0/outt", 5, "layers[0]: it has no field 'outt'"},
      {"/layers/0/out", "5", "layers[0].out: it is of another type"},
      {"/layers/0/out", 0, "layers"},
      {"/layers", json::array(), "layers"},
      {"/input/shape", {64, -1}, "input"},
      {"/optimizer", {{"rule", "lion"}}, "optimizer"},
      {"/scaler", {{"scale", 5}}, "profile"},
  };
  for (const Bad& bad : kBad) {
    json j = description();
    j[json::json_pointer(bad.pointer)] = bad.value;
    EXPECT_NE(std::string::npos, refusal(j).find(bad.message)) << refusal(j);
    EXPECT_EQ(std::string::npos, refusal(j).find('\n')) << refusal(j);
  }
}

TEST(Model, RefusesTextThatIsCutOff) {
  const std::string text = description().dump();
  for (const std::size_t length : {std::size_t{0}, text.size() / 2, text.size() - 1})
    EXPECT_THROW(static_cast<void>(parse_model(text.substr(0, length))), ModelError) << length;
}

TEST(Model, NamesTheFieldWhereTextIsNoJson) {
  const auto message = [](const char* text) {
    try {
      static_cast<void>(parse_model(text));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(std::string::npos, message(R"({"a":1,"scale":NaN})").find("in or after \"scale\""));
  EXPECT_EQ("a number is too large to be read", message(R"({"scale": 1e999})"));
  EXPECT_NE(std::string::npos, message(R"({"layers":[{"op":"li)").find("in or after \"op\""));
  EXPECT_EQ("not JSON (at byte 1)", message("x"));
}

TEST(Model, RefusesTensorsThatNoMemoryHolds) {
  const std::uint64_t huge = std::uint64_t{1} << 40;
  EXPECT_EQ(0u, refusal(with_layer({64, huge}, {{"op", "linear"}, {"out", huge}}))
                    .find("layers[0].out: more than 2^48 elements"));
  EXPECT_EQ(0u, refusal(with_layer({huge, huge}, {{"op", "flatten"}}))
                    .find("input.shape: more than 2^48 elements"));
}

TEST(Model, RefusesAttentionAcrossBatches) {
  json j = with_layer({2, 8, 16}, {{"op", "fft_fft"}, {"shape", {4, 8, 16}}});
  const std::string keys = j["layers"][0]["name"];
  j["layers"].push_back({{"name", "attention"},
                         {"op", "scaled_dot_product_attention"},
                         {"inputs", {"input", keys, keys}}});
  EXPECT_EQ(0u, refusal(j).find("layers[1].inputs: query 2 x 8 x 16, key 4 x 8 x 16"));
  j["layers"][0]["shape"] = {2, 4, 16};
  EXPECT_EQ((Shape{2, 8, 16}), parse_model(j.dump()).layers.back().shape);
}

}  // namespace
}  // namespace halfmark::tools::lint
