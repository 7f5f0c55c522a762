// SPDX-License-Identifier: Apache-2.0
// The step on the built-in device and on every driver of this machine: equal to the reference on
// every smoke case, and caught when launches are omitted, swapped or given wrong numbers. A library
// is played by the kernels where the machine has none.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/forwarding_problem.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/loss_scaled_backward/binding.hpp"
#include "suites/loss_scaled_backward/suite.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::kFp16;

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

TEST(LossScaledBackwardOnEveryDriver, EverySmokeCasePasses) {
  constexpr bool kDeviations = true;  // a driver may flush where its promises permit it
  expect_conforming_everywhere(suite(), Level::kSmoke, kDeviations);
}

std::size_t find(const Plan& plan, std::string_view entry, std::size_t nth) {
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    if (plan.launches[i].entry == entry && nth-- == 0) return i;
  }
  ADD_FAILURE() << "no launch of " << entry;
  return 0;
}

void remove(Plan& plan, std::string_view entry, std::size_t nth) {
  plan.launches.erase(plan.launches.begin() + static_cast<std::ptrdiff_t>(find(plan, entry, nth)));
}

// After "loss_scaled_backward."
struct Sabotage {
  const char* name;
  const char* what;
  std::function<void(Plan&)> apply;
};

TEST(LossScaledBackwardOnHost, WrongWorkIsCaught) {
  const Sabotage sabotages[] = {
      {"portable.b3i5h19o7.scale65536.lone.s7", "the gradient of W2 is not checked",
       [](Plan& p) {
         p.launches[find(p, "training_check", 1)].arguments[0] = TensorRef{"09_dw1"};
       }},
      {"portable.b3i5h19o7.scale65536.nan.s7", "the last elements are not checked",
       [](Plan& p) { p.launches[find(p, "training_found", 0)].arguments[2] = 0; }},
      {"portable.b5i7h19o3.scale65536.normal.s7", "the scaler is not updated",
       [](Plan& p) { remove(p, "training_scaler", 0); }},
      {"portable.b5i7h19o3.scale1000.normal.s7", "the scale is updated before it is used",
       [](Plan& p) {
         const Launch scaler = p.launches.back();
         p.launches.pop_back();
         const auto at = static_cast<std::ptrdiff_t>(find(p, "training_step_each", 0));
         p.launches.insert(p.launches.begin() + at, scaler);
       }},
      {"portable.b5i7h19o3.scale1.normal.s7", "W1 is stepped twice",
       [](Plan& p) {
         const auto at = static_cast<std::ptrdiff_t>(find(p, "training_step_each", 0));
         p.launches.insert(p.launches.begin() + at, p.launches[static_cast<std::size_t>(at)]);
       }},
      {"portable.b5i7h19o3.scale1.normal.s7", "W2 is cast after its step",
       [](Plan& p) {
         const std::size_t at = find(p, "training_cast_each", 1);
         std::rotate(p.launches.begin() + static_cast<std::ptrdiff_t>(at),
                     p.launches.begin() + static_cast<std::ptrdiff_t>(at) + 1, p.launches.end());
       }},
      {"portable.b17i33h40o9.scale1.fragile.s7", "the activation is skipped in the gradient",
       [](Plan& p) {
         p.launches[find(p, "training_hidden_gradient_each", 0)].arguments[1] = TensorRef{"02_g"};
       }},
      {"biases.portable.b3i5h19o7.scale65536.lonebias.s7", "the last flags are not looked at",
       [](Plan& p) { p.launches[find(p, "training_found", 0)].arguments[2] = 3; }},
      {"biases.portable.b17i33h40o9.scale1.fragile.s7", "a sample is left out of the sums",
       [](Plan& p) { p.launches[find(p, "training_bias_gradient", 1)].arguments[2] = 16; }},
      {"biases.portable.b5i7h19o3.scale1.normal.s7", "biases are taken by rows",
       [](Plan& p) { p.launches[find(p, "training_bias_each", 0)].arguments[3] = 1; }},
      {"biases.portable.b5i7h19o3.scale1.normal.s7", "b2 stays",
       [](Plan& p) { remove(p, "training_step_each", 3); }},
      {"fp8.portable.b5i7h19o3.scale1.normal.s7", "sums are scaled back by another tensor's scale",
       [](Plan& p) {
         p.launches[find(p, "scale_back_each", 0)].arguments[1] = TensorRef{"00_w2h_amax"};
       }},
      {"fp8.portable.b5i7h19o3.scale1.normal.s7", "gradients are stored in e4m3fn",
       [](Plan& p) {
         p.launches[find(p, "scale_each", 4)].defines.back().second = kernel_word(formats::kE4m3fn);
       }},
      {"fp8.portable.b5i7h19o3.scale1.normal.s7", "gradients are multiplied as e4m3fn",
       [](Plan& p) {
         p.launches[find(p, "gemm", 2)].defines.front().second = kernel_word(formats::kE4m3fn);
       }},
      {"fp8.portable.b3i5h19o7.scale65536.inf.s7", "only gradients of weights are checked",
       [](Plan& p) { p.launches[find(p, "training_found", 0)].arguments[2] = 2; }},
      {"bf16.portable.b5i7h19o3.scale1.normal.s7", "numbers of bf16 are taken for fp16",
       [](Plan& p) {
         p.launches[find(p, "training_gelu_each", 0)].defines.back().second = kernel_word(kFp16);
       }},
  };
  for (const Sabotage& s : sabotages) {
    const Case c = parse_case("loss_scaled_backward", suite().axes,
                              std::string("loss_scaled_backward.") + s.name);
    const TensorSet inputs = suite().bind(c)->inputs();
    Plan plan = suite().bind(c)->plan(session().device().info());
    s.apply(plan);
    const DeviceResult got = execute(session(), plan, inputs);
    ASSERT_FALSE(got.error) << s.what << ": " << got.error->text << got.error->log;
    EXPECT_GT(compare(suite().bind(c)->expect(inputs).middle, got.outputs, 0).mismatches, 0u)
        << s.what;
  }
}

// A library case on the built-in device, whose own kernels play the library, with a changed plan.
CaseResult played(const std::string& kind, const std::string& rest,
                  const std::function<void(Plan&)>& change) {
  const auto named = [&](const char* provider) {
    return suite().bind(parse_case("loss_scaled_backward", suite().axes,
                                   "loss_scaled_backward." + kind + provider + rest));
  };
  const AlteredProblem problem(named("library"), [&](const Plan&) {
    Plan plan = named("portable")->plan(session().device().info());
    change(plan);
    return plan;
  });
  return run_problem(session(), problem);
}

TEST(LossScaledBackwardOfALibrary, EverySmokeCasePassesWithOtherProducts) {
  for (const char* kind : {"", "bf16.", "biases.", "bf16.biases."}) {
    for (const char* rest : {".b5i7h19o3.scale65536.normal.s7", ".b17i33h40o9.scale1.fragile.s7",
                             ".b3i5h19o7.scale65536.inf.s7"}) {
      const CaseResult result = played(kind, rest, [](Plan&) {});
      EXPECT_EQ(name_of(Verdict::kPass), name_of(result.verdict)) << result.name << result.reason;
      EXPECT_EQ("loss_scaled_backward.library", result.rule);
    }
  }
}

// What follows from a wrong product is right.
TEST(LossScaledBackwardOfALibrary, AWrongProductIsBlamedAlone) {
  constexpr std::size_t kK = 6;  // of the arguments of kernels/gemm.hk
  const CaseResult result = played("", ".b17i33h40o9.scale1.fragile.s7", [](Plan& p) {
    p.launches[find(p, "gemm", 2)].arguments[kK] = 16;  // 17 samples
  });
  EXPECT_EQ(name_of(Verdict::kFail), name_of(result.verdict));
  ASSERT_FALSE(result.geometry.empty());
  EXPECT_EQ(1U, result.geometry.size());
  for (const auto& element : result.wrong) EXPECT_EQ("06_dw2", element.tensor);
}

TEST(LossScaledBackwardOfALibrary, AMistakeAroundItsProductsIsNamed) {
  const CaseResult result = played("biases.", ".b3i5h19o7.scale65536.lonebias.s7", [](Plan& p) {
    p.launches[find(p, "training_found", 0)].arguments[2] = 2;  // flags of weights alone
  });
  EXPECT_EQ(name_of(Verdict::kFail), name_of(result.verdict));
  EXPECT_EQ("amp_state", result.finding_class);
  const auto is_it = [](const Explanation& e) { return e.hypothesis == "bias-unchecked"; };
  EXPECT_TRUE(std::ranges::any_of(result.explanations, is_it));
}

}  // namespace
}  // namespace halfmark::suites::loss_scaled_backward
