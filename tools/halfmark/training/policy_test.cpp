// SPDX-License-Identifier: Apache-2.0
// The lists of operators, against what is often said of them and is not so.
#include "tools/halfmark/training/policy.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "suites/core/case/errors.hpp"
#include "tools/halfmark/training/autocast.hpp"
#include "tools/halfmark/training/operators.hpp"

namespace halfmark::tools {
namespace {

Cast on(const char* profile, std::string_view name) {
  return cast_in(*find_cast_profile(profile), name);
}

TEST(OperatorPolicy, EachOperatorIsOnOneListOnce) {
  for (const CastProfile& profile : cast_profiles()) {
    std::set<std::string_view> names;
    for (const CastList& list : profile.lists) {
      for (const std::string_view name : list.operators)
        EXPECT_TRUE(names.insert(name).second) << profile.name << ": " << name;
    }
    EXPECT_LT(50u, names.size()) << profile.name;
  }
}

TEST(OperatorPolicy, HasTheThreeListsAndWhatIsRefused) {
  EXPECT_EQ(Cast::kNarrow, on("pytorch-gpu", "linear"));
  EXPECT_EQ(Cast::kNarrow, on("pytorch-gpu", "conv2d"));
  for (const char* name : {"softmax", "log_softmax", "layer_norm", "group_norm", "cross_entropy",
                           "binary_cross_entropy_with_logits", "cumsum", "cumprod", "sum", "exp",
                           "log", "pow", "cosine_similarity", "pdist"}) {
    EXPECT_TRUE(is_wide(on("pytorch-gpu", name))) << name;
  }
  EXPECT_EQ(Cast::kWidest, on("pytorch-gpu", "bilinear"));
  EXPECT_EQ(Cast::kWidest, on("pytorch-gpu", "tensordot"));
  EXPECT_EQ(Cast::kRefused, on("pytorch-gpu", "binary_cross_entropy"));
}

// Some operators are given a result in fp32 and read their 16-bit operands themselves.
TEST(OperatorPolicy, TellsACastOfOperandsFromAWideResult) {
  EXPECT_EQ(Cast::kWideResult, on("pytorch-gpu", "softmax"));
  EXPECT_EQ(Cast::kWideResult, on("pytorch-gpu", "sum"));
  EXPECT_EQ(Cast::kWide, on("pytorch-gpu", "layer_norm"));
  EXPECT_EQ(Cast::kWide, on("pytorch-gpu", "mse_loss"));
}

// Lists in circulation put these among the operators that are kept in fp32; they run as their
// operands are.
TEST(OperatorPolicy, LeavesMeanSqrtAndBatchNormAlone) {
  for (const char* name : {"mean", "sqrt", "batch_norm", "gelu", "relu", "dropout", "add"}) {
    EXPECT_EQ(Cast::kAsOperands, on("pytorch-gpu", name)) << name;
  }
}

// A processor's list is another one: softmax and layer normalisation run in bf16.
TEST(OperatorPolicy, DiffersOnAProcessor) {
  for (const char* name : {"softmax", "layer_norm", "exp", "sum", "dot"}) {
    EXPECT_EQ(Cast::kAsOperands, on("pytorch-cpu", name)) << name;
  }
  EXPECT_EQ(Cast::kWide, on("pytorch-cpu", "binary_cross_entropy"));
  EXPECT_EQ(Cast::kWidest, on("pytorch-cpu", "cat"));
  EXPECT_EQ("bf16", find_cast_profile("pytorch-cpu")->narrow.front());
}

// The older extension widens what PyTorch's own lists give a wide result, and promotes sums of two.
TEST(OperatorPolicy, HasTheListsOfTheOlderExtension) {
  EXPECT_EQ(Cast::kNarrow, on("apex-o1", "linear"));
  EXPECT_EQ(Cast::kNarrow, on("apex-o1", "bmm"));
  for (const char* name : {"softmax", "sum", "layer_norm", "cross_entropy", "std", "interpolate"})
    EXPECT_EQ(Cast::kWide, on("apex-o1", name)) << name;
  EXPECT_EQ(Cast::kWidest, on("apex-o1", "add"));
  EXPECT_EQ(Cast::kRefused, on("apex-o1", "binary_cross_entropy"));
  for (const char* name : {"gelu", "relu", "mean", "batch_norm", "einsum", "log1p", "logsumexp"})
    EXPECT_EQ(Cast::kAsOperands, on("apex-o1", name)) << name;
  EXPECT_EQ(1U, find_cast_profile("apex-o1")->narrow.size()) << "fp16 alone";
}

TEST(OperatorPolicy, HasTheFourListsOfGraphs) {
  EXPECT_EQ(Cast::kNarrow, on("tensorflow-gpu", "MatMul"));
  EXPECT_EQ(Cast::kNarrow, on("tensorflow-gpu", "linear")) << "by its name elsewhere";
  EXPECT_EQ(Cast::kFollows, on("tensorflow-gpu", "softmax"));
  EXPECT_EQ(Cast::kWide, on("tensorflow-gpu", "Exp"));
  EXPECT_EQ(Cast::kNeutral, on("tensorflow-gpu", "relu"));
  EXPECT_EQ(Cast::kUntouched, on("tensorflow-gpu", "rsqrt"));
  EXPECT_EQ(Cast::kFollows, on("tensorflow-cpu", "rsqrt"));
  EXPECT_EQ(Cast::kWide, on("tensorflow-gpu", "mean"));
  EXPECT_EQ(Cast::kFollows, on("tensorflow-cpu", "mean"));
  EXPECT_EQ(Cast::kUntouched, on("tensorflow-gpu", "layer_norm")) << "made of several nodes";
}

TEST(OperatorRows, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const OperatorRow& row : operator_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (!row.tensorflow.empty()) {
      EXPECT_TRUE(names.insert(row.tensorflow).second) << row.tensorflow;
    }
  }
}

TEST(OperatorRows, AreFoundByEitherName) {
  EXPECT_EQ("gemm", find_operator("linear")->suite);
  EXPECT_EQ("softmax", find_operator("LogSoftmax")->suite);
  EXPECT_EQ("", find_operator("conv2d")->suite);
  EXPECT_EQ(nullptr, find_operator("no_such_operator"));
  EXPECT_EQ(nullptr, find_operator("")) << "rows without a second name";
  EXPECT_TRUE(is_known_operator("fft_fft")) << "on a list, without a row";
  EXPECT_FALSE(is_known_operator("no_such_operator"));
}

std::string listed(const AutocastOptions& options) {
  std::ostringstream out;
  list_casts(options, out);
  return out.str();
}

TEST(ListCasts, NamesTheClassInEachProfileAndTheSuite) {
  const std::string text = listed({.operators = {"softmax", "linear"}});
  EXPECT_NE(
      text.find(
          "softmax   wide-result    as-operands    wide           follows        follows        "
          "softmax: forward\n"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "linear    narrow         narrow         narrow         narrow         narrow         "
          "gemm\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("auto_mixed_precision_lists.h"), std::string::npos) << "the sources";
}

TEST(ListCasts, OfOneProfileAreItsWholeList) {
  const std::string text = listed({.profile = "pytorch-gpu"});
  EXPECT_NE(text.find("binary_cross_entropy "), std::string::npos);
  EXPECT_NE(text.find("triplet_margin_loss "), std::string::npos);
  EXPECT_EQ(text.find("linalg_eigh "), std::string::npos);
}

TEST(ListCasts, RefusesWhatNobodyHas) {
  EXPECT_THROW(listed({.operators = {"no_such_operator"}}), suites::UsageError);
  EXPECT_THROW(listed({.profile = "no-such-profile"}), suites::UsageError);
}

}  // namespace
}  // namespace halfmark::tools
