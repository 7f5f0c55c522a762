// SPDX-License-Identifier: Apache-2.0
// The verb: what it finds in the examples, with and without a scorecard, its exit code, its JSON.
// The rules' own borders are in training/rules_test.cpp.
#include "tools/halfmark/lint/lint.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "suites/core/case/errors.hpp"
#include "tools/halfmark/lint/layer_formats.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

const std::filesystem::path kExamples = HM_EXAMPLES;

std::string read(const char* example) {
  std::ifstream file(kExamples / example);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::set<std::string> ids(const std::vector<lint::Found>& found) {
  std::set<std::string> set;
  for (const lint::Found& each : found) set.insert(std::string(each.rule->id));
  return set;
}

std::vector<lint::Found> found_in(const std::string& text,
                                  const std::vector<DeviceNote>& notes = {}) {
  return lint::findings_of(lint::parse_model(text), notes, !notes.empty());
}

const lint::Found* with_id(const std::vector<lint::Found>& found, std::string_view id) {
  for (const lint::Found& each : found) {
    if (each.rule->id == id) return &each;
  }
  return nullptr;
}

TEST(Lint, LeavesAUsualTrainingInPeace) {
  EXPECT_EQ((std::set<std::string>{"model.ragged-product", "model.classifier-narrow"}),
            ids(found_in(read("perceptron.json"))))
      << "notes alone";
}

TEST(Lint, FindsWhatIsWrongWithAModelConvertedByHand) {
  const std::vector<lint::Found> found = found_in(read("by_hand.json"));
  EXPECT_EQ((std::set<std::string>{"model.classifier-narrow", "model.epsilon-lost",
                                   "model.halved-by-hand", "model.no-clip", "model.no-scaler",
                                   "model.second-moment-lost", "model.sum-sticks",
                                   "model.wide-operator-narrow", "data.beyond-fp16"}),
            ids(found));
  std::set<std::string> wide;
  for (const lint::Found& each : found) {
    if (each.rule->id == "model.wide-operator-narrow") wide.insert(each.layer);
  }
  EXPECT_EQ((std::set<std::string>{"norm", "probabilities", "loss"}), wide);
  EXPECT_EQ("back", with_id(found, "model.sum-sticks")->layer) << "768 terms are few enough";
  EXPECT_EQ("3072 terms of linear", with_id(found, "model.sum-sticks")->what);
}

std::string without_scaler(const char* example) {
  json j = json::parse(read(example));
  j.erase("scaler");
  return j.dump();
}

TEST(Lint, AsksForAScalerInFp16Only) {
  EXPECT_NE(nullptr, with_id(found_in(without_scaler("perceptron.json")), "model.no-scaler"));
  json j = json::parse(without_scaler("perceptron.json"));
  j["autocast"]["format"] = "bf16";
  EXPECT_EQ(nullptr, with_id(found_in(j.dump()), "model.no-scaler"));
}

TEST(Lint, LetsTheClassifierStayInFp32) {
  json j = json::parse(read("perceptron.json"));
  j["layers"][5]["format"] = "fp32";
  EXPECT_EQ(std::set<std::string>{}, ids(found_in(j.dump()))) << "nor do its 10 outputs matter";
  const lint::Model model = lint::parse_model(j.dump());
  EXPECT_EQ("fp16", lint::formats_of(model)[4].result->name);
  EXPECT_EQ("fp32", lint::formats_of(model)[5].operands->name);
}

// No format of its operand would make it accepted.
TEST(Lint, FindsARefusedOperatorBehindAWideOne) {
  json j = json::parse(read("perceptron.json"));
  j["layers"][6] = {{"name", "p"}, {"op", "sigmoid"}};
  j["layers"][7] = {{"name", "loss"}, {"op", "binary_cross_entropy"}};
  const std::vector<lint::Found> found = found_in(j.dump());
  ASSERT_NE(nullptr, with_id(found, "model.refused-operator"));
  EXPECT_EQ("loss", with_id(found, "model.refused-operator")->layer);
  j["autocast"]["profile"] = "pytorch-cpu";
  j["autocast"]["format"] = "bf16";
  EXPECT_EQ(nullptr, with_id(found_in(j.dump()), "model.refused-operator"));
}

DeviceNote of_product(NoteKind kind, const char* accumulator, std::uint64_t size) {
  return {.kind = kind,
          .suite = "gemm",
          .format = "fp16",
          .accumulator = accumulator,
          .extents = {{'m', size}, {'n', size}, {'k', size}},
          .what = "F007"};
}

TEST(Lint, HoldsTheDevicesFindingsAgainstLayersOfTheirFormats) {
  const std::string model = read("perceptron.json");
  const auto wrong = found_in(model, {of_product(NoteKind::kViolation, "acc-fp32", 64)});
  ASSERT_NE(nullptr, with_id(wrong, "model.wrong-on-device"));
  EXPECT_EQ("fc1", with_id(wrong, "model.wrong-on-device")->layer);
  EXPECT_EQ("linear in fp16: F007", with_id(wrong, "model.wrong-on-device")->what);
  const auto other = found_in(model, {of_product(NoteKind::kViolation, "acc-fp16", 64)});
  EXPECT_EQ(nullptr, with_id(other, "model.wrong-on-device")) << "the layers add in fp32";
}

TEST(Lint, SaysThatAFindingHasTheLayersShape) {
  DeviceNote note = of_product(NoteKind::kViolation, "acc-fp32", 0);
  note.extents = {{'m', 64}, {'n', 512}, {'k', 784}};
  const auto found =
      found_in(read("perceptron.json"), {of_product(NoteKind::kViolation, "acc-fp32", 64), note});
  EXPECT_EQ("linear in fp16: F007, which is its shape, and 1 more",
            with_id(found, "model.wrong-on-device")->what);
}

// The conversions that automatic casts insert are the device's, too.
TEST(Lint, HoldsFindingsAgainstCasts) {
  DeviceNote note{.kind = NoteKind::kViolation,
                  .suite = "convert",
                  .format = "fp32",
                  .result = "bf16",
                  .what = "F001"};
  EXPECT_EQ(nullptr, with_id(found_in(read("perceptron.json"), {note}), "model.wrong-on-device"))
      << "nothing is cast to bf16";
  note.result = "fp16";
  const auto found = found_in(read("perceptron.json"), {note});
  ASSERT_NE(nullptr, with_id(found, "model.wrong-on-device"));
  EXPECT_EQ("(casts)", with_id(found, "model.wrong-on-device")->layer);
  EXPECT_EQ("fp32 to fp16: F001", with_id(found, "model.wrong-on-device")->what);
}

class LintVerb : public testing::Test {
 protected:
  LintVerb() { std::filesystem::create_directories(path_.parent_path()); }

  int run(const std::string& text, bool as_json = false) {
    std::ofstream(path_) << text;
    out_.str("");
    return lint_model({.model = path_, .as_json = as_json}, out_);
  }

  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / "halfmark-lint" / "model.json";
  std::ostringstream out_;
};

TEST_F(LintVerb, EndsWithOneForWarningsOnly) {
  EXPECT_EQ(0, run(read("perceptron.json")));
  EXPECT_EQ(1, run(read("by_hand.json")));
}

TEST_F(LintVerb, PrintsFormatsMemoryAndFindings) {
  static_cast<void>(run(read("by_hand.json")));
  const std::string text = out_.str();
  EXPECT_NE(std::string::npos, text.find("8 x 128 x 3072")) << text;
  EXPECT_NE(std::string::npos, text.find("* narrow")) << text;
  EXPECT_NE(std::string::npos,
            text.find("warning  model.wide-operator-narrow: layer probabilities: softmax in fp16"))
      << text;
  EXPECT_NE(std::string::npos, text.find("source: R025 R038 of suites/LEDGER.md")) << text;
}

TEST_F(LintVerb, JsonHasWhatTheTextHas) {
  EXPECT_EQ(1, run(read("by_hand.json"), true));
  const json report = json::parse(out_.str());
  EXPECT_EQ(6u, report["layers"].size());
  EXPECT_EQ(4u, report["memory"].size());
  EXPECT_EQ("model.wide-operator-narrow", report["findings"][0]["id"]);
  EXPECT_EQ("norm", report["findings"][0]["layer"]);
}

TEST_F(LintVerb, NamesFromOutsideCannotSteerATerminal) {
  json j = json::parse(read("by_hand.json"));
  j["layers"][0]["name"] = "a\x1b[31m";
  static_cast<void>(run(j.dump()));
  EXPECT_EQ(std::string::npos, out_.str().find('\x1b'));
}

TEST_F(LintVerb, WhatCannotBeUsedIsOneLineAndPrintsNothing) {
  EXPECT_THROW(static_cast<void>(run("{\"schema\":")), suites::UsageError);
  EXPECT_EQ("", out_.str());
  try {
    static_cast<void>(run(R"({"schema":"halfmark-model/1","input":{"shape":[1]},"layers":[]})"));
    FAIL();
  } catch (const suites::UsageError& error) {
    EXPECT_EQ(std::string::npos, std::string(error.what()).find('\n')) << error.what();
    EXPECT_NE(std::string::npos, std::string(error.what()).find("layers")) << error.what();
  }
  std::ofstream(path_) << read("perceptron.json");
  EXPECT_THROW(static_cast<void>(lint_model({.model = path_, .card = path_}, out_)),
               suites::UsageError);
  EXPECT_THROW(static_cast<void>(lint_model({.model = path_, .profile = "x"}, out_)),
               suites::UsageError);
  EXPECT_EQ("", out_.str());
}

}  // namespace
}  // namespace halfmark::tools
