// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/layernorm.hpp"

#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"
#include "reference/operators/well_formed.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::Format;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using models::Machine;
using Variant = LayernormVariant;
using Row = std::vector<Bits>;

constexpr std::string_view kName = "layernorm";
constexpr const char* kNeedsFormat = "layernorm needs the format of its results";

void require_statistic(const LayernormParams& params, std::string_view name, const Tensor& tensor) {
  require_count(kName, name, tensor, params.rows);
  require(*tensor.format == kFp32, "layernorm: mean and rstd are in fp32");
}

struct Statistics {
  Bits mean, rstd;
};

// Shared by both directions: fp32 operations, and the variant's narrowing.
class Evaluator {
 public:
  Evaluator(const Machine& machine, const LayernormParams& params)
      : op_(machine),
        params_(params),
        count_(soft::from_int(kFp32, static_cast<std::int64_t>(params.width)).bits) {}

  [[nodiscard]] bool is(Variant variant) const { return params_.variant == variant; }

  // `value` rounded to `format` under the given variant; unchanged under all others.
  [[nodiscard]] Bits narrowed_if(Variant variant, const Format& format, Bits value) const {
    return is(variant) ? op_.load(format, op_.store(format, value)) : value;
  }

  [[nodiscard]] Row read(const Tensor& tensor, std::size_t start, std::size_t count) const {
    Row row(count);
    for (std::size_t i = 0; i < count; ++i) row[i] = op_.load(*tensor.format, tensor.at(start + i));
    return row;
  }

  [[nodiscard]] Row read_row(const Tensor& x, std::size_t row) const {
    Row values = read(x, row * params_.width, params_.width);
    for (Bits& value : values) value = narrowed_if(Variant::kInputsInBf16, kBf16, value);
    return values;
  }

  [[nodiscard]] Bits product_sum(Bits a, Bits b, Bits sum) const {
    if (is(Variant::kSumsNotFused)) return op_.add(op_.mul(a, b), sum);
    return op_.fma(a, b, sum);
  }

  [[nodiscard]] bool centered() const { return params_.centered || is(Variant::kCentered); }
  [[nodiscard]] Bits distance(Bits x, Bits mean) const { return centered() ? op_.sub(x, mean) : x; }
  [[nodiscard]] Bits unit(Bits x, const Statistics& s) const {
    return op_.mul(distance(x, s.mean), s.rstd);
  }

  // A sum over a row; `kept` maps the accumulator after each addition to the value kept.
  template <typename Step, typename Kept>
  [[nodiscard]] Bits row_sum(std::size_t count, Step&& step, Kept&& kept) const {
    return reduce_lanes(
        count, 0, [&](Bits s, std::size_t i) { return kept(step(s, i)); },
        [&](Bits a, Bits b) { return kept(op_.add(a, b)); });
  }
  template <typename Step>
  [[nodiscard]] Bits row_sum(std::size_t count, Step&& step) const {
    return row_sum(count, step, [](Bits sum) { return sum; });
  }

  [[nodiscard]] const Fp32& op() const { return op_; }
  [[nodiscard]] Bits count() const { return count_; }

 private:
  Fp32 op_;
  const LayernormParams& params_;
  Bits count_;
};

// The number of elements of a row that enter the statistics.
std::size_t summed(const LayernormParams& params) {
  if (params.variant == Variant::kTailNotSummed) return params.width / kLanes * kLanes;
  if (params.variant == Variant::kRemainderNotSummed) return params.width / 4 * 4;
  return params.width;
}

Bits naive_variance(const Evaluator& e, const LayernormParams& params, const Row& x, Bits mean) {
  const Fp32& op = e.op();
  const Bits squares =
      e.row_sum(summed(params), [&](Bits s, std::size_t i) { return op.fma(x[i], x[i], s); });
  const Bits variance = op.sub(op.div(squares, e.count()), op.mul(mean, mean));
  const bool clamps = e.is(Variant::kNaiveVarianceClamped) && Fp32::greater(0, variance);
  return clamps ? 0 : variance;
}

Bits variance_of_row(const Evaluator& e, const LayernormParams& params, const Row& x, Bits mean) {
  const Fp32& op = e.op();
  if (e.is(Variant::kNaiveVariance) || e.is(Variant::kNaiveVarianceClamped)) {
    return naive_variance(e, params, x, mean);
  }
  const auto add_square = [&](Bits s, std::size_t i) {
    const Bits distance = e.distance(x[i], mean);
    return op.fma(distance, distance, s);
  };
  const Bits squares = e.row_sum(summed(params), add_square, [&](Bits sum) {
    return e.narrowed_if(Variant::kSquaresInHalf, kFp16, sum);
  });
  const bool unbiased = e.is(Variant::kUnbiasedVariance);
  return op.div(squares, unbiased ? op.sub(e.count(), Fp32::kOne) : e.count());
}

Bits twelve_bits(Bits value) {
  return formats::is_finite(kFp32, value) ? (value + 0x800) & ~Bits{0xfff} : value;
}

Bits reciprocal_deviation(const Evaluator& e, const LayernormParams& params, Bits variance) {
  const Fp32& op = e.op();
  if (e.is(Variant::kEpsDropped)) return op.div(Fp32::kOne, op.sqrt(variance));
  if (e.is(Variant::kEpsOutsideRoot)) {
    return op.div(Fp32::kOne, op.add(op.sqrt(variance), params.eps));
  }
  const Bits eps = e.narrowed_if(Variant::kEpsInHalf, kFp16, params.eps);
  const Bits radicand = op.add(e.narrowed_if(Variant::kVarianceInHalf, kFp16, variance), eps);
  const Bits rstd =
      op.div(Fp32::kOne, op.sqrt(e.narrowed_if(Variant::kRadicandInHalf, kFp16, radicand)));
  return e.is(Variant::kRstdTwelveBits) ? twelve_bits(rstd) : rstd;
}

Statistics statistics_of(const Evaluator& e, const LayernormParams& params, const Row& x) {
  const Fp32& op = e.op();
  if (!e.centered()) {
    const Bits rstd = reciprocal_deviation(e, params, variance_of_row(e, params, x, 0));
    return {.mean = 0, .rstd = e.narrowed_if(Variant::kStatisticsInHalf, kFp16, rstd)};
  }
  const Bits sum =
      e.row_sum(summed(params), [&](Bits s, std::size_t i) { return op.add(s, x[i]); });
  Bits mean = e.narrowed_if(Variant::kMeanInHalf, kFp16, op.div(sum, e.count()));
  mean = e.narrowed_if(Variant::kStatisticsInHalf, kFp16, mean);
  const Bits rstd = reciprocal_deviation(e, params, variance_of_row(e, params, x, mean));
  return {.mean = mean, .rstd = e.narrowed_if(Variant::kStatisticsInHalf, kFp16, rstd)};
}

// Without a mean there is no beta.
Bits affine(const Evaluator& e, bool has_beta, Bits unit, Bits gamma, Bits beta) {
  const Fp32& op = e.op();
  const Bits u = e.narrowed_if(Variant::kUnitInHalf, kFp16, unit);
  if (!has_beta) return op.mul(u, gamma);
  if (e.is(Variant::kAffineNotFused)) return op.add(op.mul(u, gamma), beta);
  return op.fma(u, gamma, beta);
}

// The inputs of one row's gradient.
struct RowTape {
  Row units, dy, gradients;
  const Row& gamma;
  Bits rstd;
};

// a, the mean of the gradients.
Bits plain_mean(const Evaluator& e, const LayernormParams& params, const RowTape& t) {
  const Fp32& op = e.op();
  const bool fused = e.is(Variant::kGradientFused);
  const Bits sum = e.row_sum(params.width, [&](Bits s, std::size_t i) {
    return fused ? op.fma(t.dy[i], t.gamma[i], s) : op.add(s, t.gradients[i]);
  });
  return op.div(sum, e.count());
}

Row row_gradient(const Evaluator& e, const LayernormParams& params, const RowTape& t) {
  const Fp32& op = e.op();
  const Bits plain = e.centered() ? plain_mean(e, params, t) : 0;
  const Bits along = e.row_sum(params.width, [&](Bits s, std::size_t i) {
    return e.product_sum(t.gradients[i], t.units[i], s);
  });
  const Bits projected = op.div(along, e.count());
  const bool fused = e.is(Variant::kCenteringFused) || e.is(Variant::kGradientFused);
  Row dx(params.width);
  for (std::size_t i = 0; i < params.width; ++i) {
    Bits centered =
        fused ? op.fma(t.dy[i], t.gamma[i], Fp32::negated(plain)) : op.sub(t.gradients[i], plain);
    if (e.is(Variant::kNoMeanTerm) || !e.centered()) centered = t.gradients[i];
    if (!e.is(Variant::kNoProjection)) {
      centered = op.fma(Fp32::negated(t.units[i]), projected, centered);
    }
    dx[i] = op.mul(t.rstd, centered);
  }
  return dx;
}

// Adds one row's contribution to dgamma and dbeta.
void add_to_weights(const Evaluator& e, const Row& units, const Row& dy, Row& dgamma, Row& dbeta) {
  const auto kept = [&](Bits sum) {
    return e.narrowed_if(Variant::kWeightsInBf16, kBf16,
                         e.narrowed_if(Variant::kWeightsInHalf, kFp16, sum));
  };
  for (std::size_t i = 0; i < units.size(); ++i) {
    dgamma[i] = kept(e.product_sum(dy[i], units[i], dgamma[i]));
    dbeta[i] = kept(e.op().add(dbeta[i], dy[i]));
  }
}

void store_row(const Evaluator& e, Tensor& tensor, std::size_t start, const Row& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    tensor.set(start + i, e.op().store(*tensor.format, row[i]));
  }
}

}  // namespace

void require_well_formed(const LayernormParams& params, const Tensor& x, const Tensor& gamma,
                         const Tensor& beta) {
  require(params.output != nullptr, kNeedsFormat);
  require_count(kName, "x", x, params.rows * params.width);
  require_count(kName, "gamma", gamma, params.width);
  if (params.centered) require_count(kName, "beta", beta, params.width);
}

void require_well_formed(const LayernormParams& params, const LayernormTape& tape) {
  require(params.output != nullptr, kNeedsFormat);
  require_count(kName, "x", tape.x, params.rows * params.width);
  require_count(kName, "gamma", tape.gamma, params.width);
  require_count(kName, "dy", tape.dy, params.rows * params.width);
  require_statistic(params, "rstd", tape.rstd);
  if (params.centered) require_statistic(params, "mean", tape.mean);
}

LayernormOutputs layernorm_forward(const LayernormParams& params, const Tensor& x,
                                   const Tensor& gamma, const Tensor& beta,
                                   const Machine& machine) {
  require_well_formed(params, x, gamma, beta);
  const Evaluator e(machine, params);
  const Row scale = e.read(gamma, 0, params.width);
  const Row offset = params.centered ? e.read(beta, 0, params.width) : Row(params.width, 0);
  LayernormOutputs out{.y = Tensor::zeros(*params.output, params.rows * params.width),
                       .mean = Tensor::zeros(kFp32, params.rows),
                       .rstd = Tensor::zeros(kFp32, params.rows)};
  for (std::size_t r = 0; r < params.rows; ++r) {
    Row row = e.read_row(x, r);
    const Statistics s = statistics_of(e, params, row);
    for (std::size_t i = 0; i < params.width; ++i) {
      const std::size_t weight = params.variant == Variant::kGammaByRow ? r % params.width : i;
      row[i] = affine(e, params.centered, e.unit(row[i], s), scale[weight], offset[weight]);
    }
    store_row(e, out.y, r * params.width, row);
    out.mean.set(r, s.mean);
    out.rstd.set(r, s.rstd);
  }
  return out;
}

LayernormGradients layernorm_backward(const LayernormParams& params, const LayernormTape& tape,
                                      const Machine& machine) {
  require_well_formed(params, tape);
  const Evaluator e(machine, params);
  const Row scale = e.read(tape.gamma, 0, params.width);
  Row dgamma(params.width, 0);
  Row dbeta(params.width, 0);
  const bool halved = params.variant == Variant::kHalfOfRows && params.rows >= kLanes;
  const std::size_t counted_rows = halved ? params.rows / 2 : params.rows;
  LayernormGradients out{.dx = Tensor::zeros(*params.output, params.rows * params.width),
                         .dgamma = Tensor::zeros(*params.output, params.width),
                         .dbeta = Tensor::zeros(*params.output, params.width)};
  for (std::size_t r = 0; r < params.rows; ++r) {
    const Statistics s{.mean = params.centered ? tape.mean.at(r) : 0, .rstd = tape.rstd.at(r)};
    RowTape t{.units = e.read_row(tape.x, r),
              .dy = e.read(tape.dy, r * params.width, params.width),
              .gradients = Row(params.width),
              .gamma = scale,
              .rstd = s.rstd};
    for (std::size_t i = 0; i < params.width; ++i) {
      t.units[i] = e.unit(t.units[i], s);
      t.gradients[i] =
          e.narrowed_if(Variant::kGradientInHalf, kFp16, e.op().mul(t.dy[i], scale[i]));
    }
    store_row(e, out.dx, r * params.width, row_gradient(e, params, t));
    if (r < counted_rows) add_to_weights(e, t.units, t.dy, dgamma, dbeta);
  }
  store_row(e, out.dgamma, 0, dgamma);
  store_row(e, out.dbeta, 0, dbeta);
  return out;
}

}  // namespace halfmark::operators
