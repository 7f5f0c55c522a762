// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/loss_scaled_backward.hpp"

#include <string_view>
#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/operators/elementary.hpp"
#include "reference/operators/gemm.hpp"
#include "reference/operators/lanes.hpp"
#include "reference/operators/well_formed.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kE4m3fn;
using formats::kE5m2;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using models::Machine;

constexpr Bits kTwo = 0x40000000;

// The state of a step in progress, which every stage needs.
struct Context {
  const TrainingProblem& problem;
  const TrainingState& state;
  const Machine& machine;
  const TrainingVariant& variant;
  const TrainingProducts* products;
  Fp32 op;

  [[nodiscard]] const formats::Format& half() const { return *problem.format; }
};

Bits through(const Context& x, const formats::Format& format, Bits value) {
  return x.op.load(format, x.op.store(format, value));
}
Bits to_half(const Context& x, Bits value) {
  return x.op.store(x.half(), x.variant.casts_through_fp16 ? through(x, kFp16, value) : value);
}
Bits from_half(const Context& x, Bits stored) { return x.op.load(x.half(), stored); }
Bits through_half(const Context& x, Bits value) { return from_half(x, to_half(x, value)); }

// A gradient as it is stored.
Bits gradient(const Context& x, Bits stored) {
  if (x.variant.flush_gradients && formats::is_subnormal(x.half(), stored))
    return formats::zero(x.half(), formats::sign(x.half(), stored));
  return stored;
}

template <typename Map>
Tensor map(const formats::Format& format, std::size_t count, const Map& value_at) {
  Tensor result = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i) result.set(i, value_at(i));
  return result;
}

struct Shape {
  std::size_t m, n, k;
  bool transpose_a, transpose_b;
};

// op(A) op(B), in a format.
Tensor multiplied(const Context& x, const formats::Format& to, const Shape& shape, const Tensor& a,
                  const Tensor& b) {
  GemmProblem p{.m = shape.m, .n = shape.n, .k = shape.k};
  p.transpose_a = shape.transpose_a;
  p.transpose_b = shape.transpose_b;
  p.d_format = &to;
  const formats::Format& accumulator = x.variant.narrow_accumulator ? x.half() : kFp32;
  return gemm(p, a, b, nullptr, specified_arithmetic(accumulator), x.machine);
}

// An operand of products: in 16 bits, and, where products are in 8 bits, scaled.
struct Operand {
  const Tensor& wide;
  const ScaledTensor& eight;
};

Tensor scaled_product(const Context& x, const formats::Format& to, Tensor& sums, const Shape& shape,
                      const Operand& a, const Operand& b, const Tensor* given) {
  const ScaledTensorVariant& variant = x.variant.scaled;
  const auto stored = [&](const Tensor& wide) {
    const bool is_detour = to != kFp32 && x.variant.products_through_fp16;
    return map(to, wide.count(), [&](std::size_t i) {
      return x.op.store(to, is_detour ? through(x, kFp16, wide.at(i)) : wide.at(i));
    });
  };
  if (variant.multiplied_unrounded) {
    sums = multiplied(x, kFp32, shape, a.wide, b.wide);
    return stored(sums);
  }
  sums = given != nullptr ? *given : multiplied(x, kFp32, shape, a.eight.eight, b.eight.eight);
  return stored(scaled_back(sums, a.eight, b.eight, x.machine, variant));
}

// The given one, or that of the operands, in a format.
Tensor product(const Context& x, TrainingStep& s, Tensor TrainingProducts::* member,
               const formats::Format& to, const Shape& shape, const Operand& a, const Operand& b) {
  const Tensor* given = x.products == nullptr ? nullptr : &(x.products->*member);
  if (x.problem.has_scaled_products)
    return scaled_product(x, to, s.sums.*member, shape, a, b, given);
  if (given != nullptr) return *given;
  const bool is_detour = to != kFp32 && x.variant.products_through_fp16;
  Tensor d = multiplied(x, is_detour ? kFp16 : to, shape, a.wide, b.wide);
  if (!is_detour) return d;
  return map(to, d.count(),
             [&](std::size_t i) { return x.op.store(to, x.op.load(kFp16, d.at(i))); });
}

Tensor gradients(const Context& x, Tensor tensor) {
  for (std::size_t i = 0; i < tensor.count(); ++i) tensor.set(i, gradient(x, tensor.at(i)));
  return tensor;
}

Tensor cast(const Context& x, const Tensor& weights) {
  return map(x.half(), weights.count(), [&](std::size_t i) {
    if (!x.variant.truncated_casts) return to_half(x, weights.at(i));
    return soft::convert(kFp32, x.half(), weights.at(i), {.rounding = soft::Rounding::kTowardZero})
        .bits;
  });
}

Bits count_of(const TrainingProblem& p) {
  return soft::from_int(kFp32, static_cast<std::int64_t>(p.batch * p.out)).bits;
}

Bits residual(const Context& x, const TrainingStep& s, std::size_t i) {
  return x.op.sub(from_half(x, s.y.at(i)), from_half(x, x.state.t.at(i)));
}

Tensor loss(const Context& x, const TrainingStep& s) {
  const auto add_square = [&](Bits sum, std::size_t i) {
    const Bits r = residual(x, s, i);
    if (!x.variant.squares_in_half) return x.op.fma(r, r, sum);
    const Bits narrow = through_half(x, r);
    return x.op.add(sum, through_half(x, x.op.mul(narrow, narrow)));
  };
  const Bits sum =
      reduce_lanes(s.y.count(), 0, add_square, [&](Bits a, Bits b) { return x.op.add(a, b); });
  return Tensor::from_bits(kFp32, std::array<Bits, 1>{x.op.div(sum, count_of(x.problem))});
}

Tensor output_gradient(const Context& x, const TrainingStep& s) {
  const Bits share = x.op.div(kTwo, count_of(x.problem));
  const Bits factor = x.variant.factor_in_half ? through_half(x, share) : share;
  const Bits scale = x.variant.scale_in_half ? through(x, kFp16, x.state.scale) : x.state.scale;
  return map(x.half(), s.y.count(), [&](std::size_t i) {
    const Bits part = x.op.mul(factor, residual(x, s, i));
    const Bits rounded = x.variant.factor_in_half ? through_half(x, part) : part;
    return gradient(x, to_half(x, x.op.mul(scale, rounded)));
  });
}

Tensor hidden_gradient(const Context& x, const TrainingStep& s) {
  return map(x.half(), s.dg.count(), [&](std::size_t i) {
    const Bits slope = gelu_derivative(x.machine, from_half(x, s.h.at(i)));
    return gradient(x, to_half(x, x.op.mul(from_half(x, s.dg.at(i)), slope)));
  });
}

// The sums of a layer with its bias, rounded.
Tensor biased(const Context& x, const Tensor& sums, const Tensor& narrow, const Tensor& master) {
  return map(x.half(), sums.count(), [&](std::size_t i) {
    const std::size_t column = i % narrow.count();
    const Bits bias = x.variant.bias_not_cast ? master.at(column) : from_half(x, narrow.at(column));
    const Bits sum = x.variant.bias_after_rounding ? through_half(x, sums.at(i)) : sums.at(i);
    return to_half(x, x.variant.bias_left_out ? sum : x.op.add(sum, bias));
  });
}

Tensor bias_gradient(const Context& x, const Tensor& d, std::size_t columns) {
  const std::size_t rows = d.count() / columns;
  const Bits count = soft::from_int(kFp32, static_cast<std::int64_t>(rows)).bits;
  const auto add = [&](Bits a, Bits b) {
    return x.variant.bias_sums_in_half ? through_half(x, x.op.add(a, b)) : x.op.add(a, b);
  };
  return map(x.half(), columns, [&](std::size_t j) {
    const auto step = [&](Bits sum, std::size_t i) {
      return add(sum, from_half(x, d.at(i * columns + j)));
    };
    const Bits sum = reduce_lanes(rows, 0, step, add);
    return gradient(x, to_half(x, x.variant.bias_averaged_twice ? x.op.div(sum, count) : sum));
  });
}

ScaledTensor scaled(const Context& x, const formats::Format& format, const Tensor& tensor) {
  if (!x.problem.has_scaled_products) return {};
  return scaled_tensor(tensor, format, x.machine, x.variant.scaled);
}

ScaledTensor scaled_gradient(const Context& x, const Tensor& tensor) {
  return scaled(x, x.variant.scaled.gradients_in_e4m3fn ? kE4m3fn : kE5m2, tensor);
}

void cast_weights(const Context& x, TrainingStep& s) {
  s.w1h = cast(x, x.state.w1);
  s.w2h = cast(x, x.state.w2);
  s.eight.w1h = scaled(x, kE4m3fn, s.w1h);
  s.eight.w2h = scaled(x, kE4m3fn, s.w2h);
  if (!x.problem.has_biases) return;
  s.b1h = cast(x, x.state.b1);
  s.b2h = cast(x, x.state.b2);
}

void forward(const Context& x, TrainingStep& s) {
  const TrainingProblem& p = x.problem;
  const formats::Format& sums = p.has_biases ? kFp32 : x.half();
  cast_weights(x, s);
  s.eight.x = scaled(x, kE4m3fn, x.state.x);
  s.h = product(x, s, &TrainingProducts::h, sums, {p.batch, p.hidden, p.in, false, true},
                {x.state.x, s.eight.x}, {s.w1h, s.eight.w1h});
  if (p.has_biases) {
    s.s1 = std::move(s.h);
    s.h = biased(x, s.s1, s.b1h, x.state.b1);
  }
  s.g = map(x.half(), s.h.count(),
            [&](std::size_t i) { return to_half(x, gelu(x.machine, from_half(x, s.h.at(i)))); });
  s.eight.g = scaled(x, kE4m3fn, s.g);
  s.y = product(x, s, &TrainingProducts::y, sums, {p.batch, p.out, p.hidden, false, true},
                {s.g, s.eight.g}, {s.w2h, s.eight.w2h});
  if (p.has_biases) {
    s.s2 = std::move(s.y);
    s.y = biased(x, s.s2, s.b2h, x.state.b2);
  }
  s.loss = loss(x, s);
}

void backward(const Context& x, TrainingStep& s) {
  using Products = TrainingProducts;
  const TrainingProblem& p = x.problem;
  const formats::Format& half = x.half();
  s.dy = output_gradient(x, s);
  s.eight.dy = scaled_gradient(x, s.dy);
  s.dw2 = gradients(x, product(x, s, &Products::dw2, half, {p.out, p.hidden, p.batch, true, false},
                               {s.dy, s.eight.dy}, {s.g, s.eight.g}));
  if (p.has_biases) s.db2 = bias_gradient(x, s.dy, p.out);
  s.dg = gradients(x, product(x, s, &Products::dg, half, {p.batch, p.hidden, p.out, false, false},
                              {s.dy, s.eight.dy}, {s.w2h, s.eight.w2h}));
  s.dh = hidden_gradient(x, s);
  s.eight.dh = scaled_gradient(x, s.dh);
  s.dw1 = gradients(x, product(x, s, &Products::dw1, half, {p.hidden, p.in, p.batch, true, false},
                               {s.dh, s.eight.dh}, {x.state.x, s.eight.x}));
  if (p.has_biases) s.db1 = bias_gradient(x, s.dh, p.hidden);
}

// Whether an operand in 8 bits was infinite before it saturated.
bool is_saturated(const Context& x, const TrainingStep& s) {
  if (!x.problem.has_scaled_products || x.variant.scaled.infinities_unnoticed) return false;
  const ScaledOperands& o = s.eight;
  return o.x.has_infinity() || o.w1h.has_infinity() || o.w2h.has_infinity() || o.g.has_infinity() ||
         o.dy.has_infinity() || o.dh.has_infinity();
}

Tensor descended(const Context& x, const Tensor& weights, const Tensor& unscaled_gradient,
                 bool skipped) {
  return map(kFp32, weights.count(), [&](std::size_t i) {
    const Bits weight = weights.at(i);
    if (skipped) return weight;
    const Bits g = unscaled_gradient.at(i);
    const Bits next = x.variant.step_unfused ? x.op.sub(weight, x.op.mul(x.problem.rate, g))
                                             : x.op.fma(Fp32::negated(x.problem.rate), g, weight);
    return x.variant.weights_in_half ? through_half(x, next) : next;
  });
}

// Whether one of the gradients was found not to be finite.
bool unscale_biases(const Context& x, TrainingStep& s) {
  const LossScaler scaler = scaler_of(x.problem);
  LossScalerVariant variant = x.variant.scaler;
  if (x.variant.bias_unchecked) variant.check = LossScalerVariant::Check::kNever;
  if (x.variant.bias_not_unscaled) variant.unscale = LossScalerVariant::Unscale::kNever;
  UnscaledGradients gb1 = unscaled(scaler, x.state.scale, s.db1, x.machine, variant);
  UnscaledGradients gb2 = unscaled(scaler, x.state.scale, s.db2, x.machine, variant);
  s.gb1 = std::move(gb1.gradients);
  s.gb2 = std::move(gb2.gradients);
  return gb1.found || gb2.found;
}

void update(const Context& x, TrainingStep& s) {
  const LossScaler scaler = scaler_of(x.problem);
  const LossScalerVariant& variant = x.variant.scaler;
  UnscaledGradients g1 = unscaled(scaler, x.state.scale, s.dw1, x.machine, variant);
  UnscaledGradients g2 = unscaled(scaler, x.state.scale, s.dw2, x.machine, variant);
  s.found_inf = g1.found || g2.found || is_saturated(x, s);
  s.g1 = std::move(g1.gradients);
  s.g2 = std::move(g2.gradients);
  if (x.problem.has_biases) s.found_inf = unscale_biases(x, s) || s.found_inf;
  const LossScalerUpdate next =
      updated(scaler, {.scale = x.state.scale, .clean_steps = x.state.growth}, s.found_inf ? 1 : 0,
              x.machine, variant);
  const bool skipped = next.outcome != StepOutcome::kTaken;
  s.w1 = descended(x, x.state.w1, s.g1, skipped);
  s.w2 = descended(x, x.state.w2, s.g2, skipped);
  if (x.problem.has_biases) {
    s.b1 = descended(x, x.state.b1, s.gb1, skipped || x.variant.bias_kept);
    s.b2 = descended(x, x.state.b2, s.gb2, skipped || x.variant.bias_kept);
  }
  s.scale = next.state.scale;
  s.growth = static_cast<std::uint32_t>(next.state.clean_steps);
}

}  // namespace

LossScaler scaler_of(const TrainingProblem& problem) {
  const auto wide = [](Bits fp32) { return soft::convert(kFp32, formats::kFp64, fp32).bits; };
  return {.profile = find_loss_scaler_profile("halfmark"),
          .settings = {.growth_factor = wide(problem.growth_factor),
                       .backoff_factor = wide(problem.backoff_factor),
                       .growth_interval = problem.growth_interval}};
}

void require_well_formed(const TrainingProblem& p, const TrainingState& state) {
  constexpr std::string_view kName = "loss_scaled_backward";
  require_count(kName, "x", state.x, p.batch * p.in);
  require_count(kName, "t", state.t, p.batch * p.out);
  require_count(kName, "w1", state.w1, p.hidden * p.in);
  require_count(kName, "w2", state.w2, p.out * p.hidden);
  if (p.has_biases) {
    require_count(kName, "b1", state.b1, p.hidden);
    require_count(kName, "b2", state.b2, p.out);
  }
}

TrainingStep loss_scaled_backward(const TrainingProblem& problem, const TrainingState& state,
                                  const Machine& machine, const TrainingVariant& variant,
                                  const TrainingProducts* products) {
  require_well_formed(problem, state);
  const Context context{problem, state, machine, variant, products, Fp32(machine)};
  TrainingStep step;
  forward(context, step);
  backward(context, step);
  update(context, step);
  return step;
}

}  // namespace halfmark::operators
