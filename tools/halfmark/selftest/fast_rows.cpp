// SPDX-License-Identifier: Apache-2.0
// The operators of the fast engine other than the matrix product.
#include <fmt/format.h>

#include <array>

#include "tools/halfmark/selftest/checks.hpp"
#include "tools/halfmark/selftest/fast_comparison.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;
using formats::Tensor;
using models::Machine;

constexpr std::array<const Format*, 3> kFormats{&formats::kFp16, &formats::kBf16, &formats::kFp32};

// One target and host state to run an operator on.
struct Place {
  Session& session;
  std::uint64_t state;
  fast::Options options;

  template <typename Evaluate>
  [[nodiscard]] auto in_hostile_host(const Evaluate& evaluate) const {
    const fast::HostileHost host(state);
    return evaluate();
  }
  void compare(const Tensor& expected, const Tensor& actual, std::string_view what) const {
    compare_tensors(session, expected, actual, [&] {
      return fmt::format("{} to {} on {}, control register {:x}, {} elements", what,
                         expected.format->name, fast::to_string(*options.target), state,
                         expected.count());
    });
  }
};

struct Shape {
  std::size_t rows, width;
  const Format& in;
  const Format& out;
};

Shape random_shape(slow::Operands& operands) {
  const auto format = [&]() -> const Format& { return *kFormats[operands.word() % 3]; };
  return {1 + operands.word() % 4, 1 + operands.word() % 150, format(), format()};
}

void compare_softmax(const Subject& subject, const Place& place) {
  slow::Operands& operands = place.session.operands();
  const Shape s = random_shape(operands);
  const operators::SoftmaxParams params{.rows = s.rows, .width = s.width, .output = &s.out};
  const Tensor x = random_tensor(operands, s.in, s.rows * s.width);
  const Tensor dy = random_tensor(operands, s.in, s.rows * s.width);
  const Machine machine;
  const RowOperators& rows = subject.rows;
  place.compare(operators::softmax_forward(params, x, machine), place.in_hostile_host([&] {
    return rows.softmax_forward(params, x, machine, place.options);
  }),
                "softmax");
  place.compare(operators::softmax_log_forward(params, x, machine), place.in_hostile_host([&] {
    return rows.softmax_log_forward(params, x, machine, place.options);
  }),
                "log_softmax");
  place.compare(operators::softmax_backward(params, x, dy, machine), place.in_hostile_host([&] {
    return rows.softmax_backward(params, x, dy, machine, place.options);
  }),
                "softmax_backward");
}

void compare_layernorm(const Subject& subject, const Place& place) {
  slow::Operands& operands = place.session.operands();
  const Shape s = random_shape(operands);
  constexpr formats::Bits kEps = 0x3727c5ac;  // 1e-5
  const operators::LayernormParams params{
      .rows = s.rows, .width = s.width, .eps = kEps, .output = &s.out};
  const Tensor x = random_tensor(operands, s.in, s.rows * s.width);
  const Tensor gamma = random_tensor(operands, s.in, s.width);
  const Tensor beta = random_tensor(operands, s.in, s.width);
  const Tensor dy = random_tensor(operands, s.in, s.rows * s.width);
  const Machine machine;
  const auto forward = operators::layernorm_forward(params, x, gamma, beta, machine);
  const auto y = place.in_hostile_host([&] {
    return subject.rows.layernorm_forward(params, x, gamma, beta, machine, place.options);
  });
  place.compare(forward.y, y.y, "layernorm");
  place.compare(forward.mean, y.mean, "layernorm, mean");
  place.compare(forward.rstd, y.rstd, "layernorm, rstd");
  const operators::LayernormTape tape{x, gamma, dy, forward.mean, forward.rstd};
  const auto backward = operators::layernorm_backward(params, tape, machine);
  const auto gradients = place.in_hostile_host(
      [&] { return subject.rows.layernorm_backward(params, tape, machine, place.options); });
  place.compare(backward.dx, gradients.dx, "layernorm_backward, dx");
  place.compare(backward.dgamma, gradients.dgamma, "layernorm_backward, dgamma");
  place.compare(backward.dbeta, gradients.dbeta, "layernorm_backward, dbeta");
}

// In a training step each tensor depends on the ones before, so the last ones reveal any error.
void compare_training(const Subject& subject, const Place& place) {
  slow::Operands& operands = place.session.operands();
  const operators::TrainingProblem p{.batch = 1 + operands.word() % 4,
                                     .in = 1 + operands.word() % 20,
                                     .hidden = 1 + operands.word() % 20,
                                     .out = 1 + operands.word() % 12,
                                     .rate = 0x3c23d70a,  // 0.01
                                     .growth_interval = 2};
  const Format& half = formats::kFp16;
  const Format& wide = formats::kFp32;
  // Most steps must not overflow, or they would show nothing.
  const Spread spread = operands.word() % 8 == 0 ? Spread::kAny : Spread::kOrdinary;
  const operators::TrainingState state{
      .x = random_tensor(operands, half, p.batch * p.in, spread),
      .t = random_tensor(operands, half, p.batch * p.out, spread),
      .w1 = random_tensor(operands, wide, p.hidden * p.in, spread),
      .w2 = random_tensor(operands, wide, p.out * p.hidden, spread),
      .scale = (127 - 4 + operands.word() % 8) << 23,  // 2^-4 to 2^3
      .growth = static_cast<std::uint32_t>(operands.word() % 2)};
  const auto expected = operators::loss_scaled_backward(p, state, {});
  const auto actual = place.in_hostile_host(
      [&] { return subject.rows.loss_scaled_backward(p, state, {}, {}, place.options); });
  using Step = operators::TrainingStep;
  for (Tensor Step::* const tensor :
       {&Step::h, &Step::g, &Step::loss, &Step::dy, &Step::dw1, &Step::dw2, &Step::w1, &Step::w2}) {
    place.compare(expected.*tensor, actual.*tensor, "loss_scaled_backward");
  }
  place.session.compare(
      expected.scale == actual.scale && expected.growth == actual.growth &&
          expected.found_inf == actual.found_inf,
      [] { return std::string("loss_scaled_backward: scale, growth or found_inf"); });
}

}  // namespace

void check_fast_rows(Session& session, const Subject& subject, fast::Target target) {
  do {
    const Place place{session, random_state(session.operands()), {.threads = 1, .target = target}};
    compare_softmax(subject, place);
    compare_layernorm(subject, place);
    compare_training(subject, place);
  } while (session.goes_on());
}

}  // namespace halfmark::tools
