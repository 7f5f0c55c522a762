// SPDX-License-Identifier: Apache-2.0
// The step on the built-in device: equal to the reference on every smoke case, and caught when
// launches are omitted, swapped or given wrong numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/loss_scaled_backward/binding.hpp"
#include "suites/loss_scaled_backward/suite.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

constexpr std::uint64_t kSeed = 7;

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

TEST(LossScaledBackwardOnHost, EverySmokeCasePasses) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const CaseResult result = run_case(session(), suite(), c);
    EXPECT_EQ(result.verdict, Verdict::kPass) << result.name << ": " << result.reason;
  }
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

struct Sabotage {
  const char* name;
  const char* what;
  std::function<void(Plan&)> apply;
};

TEST(LossScaledBackwardOnHost, WrongWorkIsCaught) {
  const Sabotage sabotages[] = {
      {"b3i5h19o7.scale65536.lone.s7", "the gradient of W2 is not checked",
       [](Plan& p) {
         p.launches[find(p, "training_check", 1)].arguments[0] = TensorRef{"09_dw1"};
       }},
      {"b3i5h19o7.scale65536.nan.s7", "the last elements are not checked",
       [](Plan& p) { p.launches[find(p, "training_found", 0)].arguments[2] = 0; }},
      {"b5i7h19o3.scale65536.normal.s7", "the scaler is not updated",
       [](Plan& p) { remove(p, "training_scaler", 0); }},
      {"b5i7h19o3.scale1000.normal.s7", "the scale is updated before it is used",
       [](Plan& p) {
         const Launch scaler = p.launches.back();
         p.launches.pop_back();
         const auto at = static_cast<std::ptrdiff_t>(find(p, "training_step_each", 0));
         p.launches.insert(p.launches.begin() + at, scaler);
       }},
      {"b5i7h19o3.scale1.normal.s7", "W1 is stepped twice",
       [](Plan& p) {
         const auto at = static_cast<std::ptrdiff_t>(find(p, "training_step_each", 0));
         p.launches.insert(p.launches.begin() + at, p.launches[static_cast<std::size_t>(at)]);
       }},
      {"b5i7h19o3.scale1.normal.s7", "W2 is cast after its step",
       [](Plan& p) {
         const std::size_t at = find(p, "training_cast_each", 1);
         std::rotate(p.launches.begin() + static_cast<std::ptrdiff_t>(at),
                     p.launches.begin() + static_cast<std::ptrdiff_t>(at) + 1, p.launches.end());
       }},
      {"b17i33h40o9.scale1.fragile.s7", "the activation is skipped in the gradient",
       [](Plan& p) {
         p.launches[find(p, "training_hidden_gradient_each", 0)].arguments[1] = TensorRef{"02_g"};
       }},
  };
  for (const Sabotage& s : sabotages) {
    const Case c = parse_case("loss_scaled_backward", suite().axes,
                              std::string("loss_scaled_backward.portable.") + s.name);
    const TensorSet inputs = suite().bind(c)->inputs();
    Plan plan = suite().bind(c)->plan(session().device().info());
    s.apply(plan);
    const DeviceResult got = execute(session(), plan, inputs);
    ASSERT_FALSE(got.error) << s.what << ": " << got.error->text << got.error->log;
    EXPECT_GT(compare(suite().bind(c)->expect(inputs).middle, got.outputs, 0).mismatches, 0u)
        << s.what;
  }
}

}  // namespace
}  // namespace halfmark::suites::loss_scaled_backward
