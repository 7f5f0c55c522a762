// SPDX-License-Identifier: Apache-2.0
// The operator gemm: the layout of operands, the sums (gemm_sum.cpp), and the epilogue that turns a
// sum into an element of D. Correct by itself; a fault alters the policy before anything is read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "backends/host/library/exact_gelu.hpp"
#include "backends/host/library/gemm_policy.hpp"
#include "backends/host/library/gemm_sum.hpp"
#include "backends/host/library/operators.hpp"

namespace halfmark::backends::host::library {
namespace {

using formats::kFp16;
using formats::kFp32;
using formats::kFp64;
using formats::kTf32;

// A matrix, or one per batch: element (row, column) as the operator indexes it.
struct Matrix {
  Tensor tensor;
  std::int64_t batches = 1, rows = 0, columns = 0;
  std::int64_t batch_stride = 0, row_stride = 0, column_stride = 0;
  int offset_bits = 63;    // bits kept of the row stride's contribution to an offset
  std::int64_t shift = 0;  // in elements, added to every access

  [[nodiscard]] std::int64_t offset(std::int64_t item, std::int64_t row,
                                    std::int64_t column) const {
    std::int64_t by_row = row * row_stride;
    std::int64_t by_column = column * column_stride;
    const std::int64_t mask = static_cast<std::int64_t>((std::uint64_t{1} << offset_bits) - 1);
    (row_stride >= column_stride ? by_row : by_column) &= mask;
    return item * batch_stride + by_row + by_column + shift;
  }
};

Matrix matrix(const Context& context, std::string_view role) {
  const Tensor tensor = context.tensor(role, 2, 3);
  const std::size_t axis = tensor.sizes.size() - 2;
  return {.tensor = tensor,
          .batches = axis == 1 ? tensor.sizes[0] : 1,
          .rows = tensor.sizes[axis],
          .columns = tensor.sizes[axis + 1],
          .batch_stride = axis == 1 ? tensor.strides[0] : 0,
          .row_stride = tensor.strides[axis],
          .column_stride = tensor.strides[axis + 1]};
}

double relu(double x) { return x > 0 || std::isnan(x) ? x : 0; }
// 1 + tanh(z) is 2 / (1 + e^-2z), which loses no accuracy far below zero.
double gelu_tanh_of(double x, double cubic) {
  const double z = M_2_SQRTPI * M_SQRT1_2 * (x + cubic * x * x * x);
  return std::isinf(x) ? std::max(x, 0.0) : x / (1 + std::exp(-2 * z));
}
double gelu_tanh(double x) { return gelu_tanh_of(x, 0.044715); }
double silu(double x) {
  const auto power = static_cast<double>(static_cast<float>(std::exp(-x)));
  return x / static_cast<double>(static_cast<float>(1 + power));
}

struct ActivationRow {
  std::string_view name;
  double (*of)(double x);
};
constexpr ActivationRow kActivations[] = {
    {"relu", relu}, {"gelu", exact_gelu}, {"gelu_tanh", gelu_tanh}, {"silu", silu}};

const ActivationRow* activation_named(std::string_view name) {
  const auto* found = std::find_if(std::begin(kActivations), std::end(kActivations),
                                   [name](const ActivationRow& row) { return row.name == name; });
  return found == std::end(kActivations) ? nullptr : found;
}

class Gemm {
 public:
  explicit Gemm(const Context& context)
      : context_(context),
        a_(matrix(context, "a")),
        b_(matrix(context, "b")),
        d_(matrix(context, "d")),
        activation_(context.call.option("activation")),
        alpha_(context.call.scalar("alpha", 1)),
        beta_(context.call.scalar("beta", 0)) {
    if (context.has("c")) c_ = matrix(context, "c");
    if (context.has("bias")) bias_ = context.tensor("bias", 1, 1);
    require_agreement();
    choose_arithmetic();
    const GemmCase shape{.a = a_.tensor.format,
                         .b = b_.tensor.format,
                         .d = d_.tensor.format,
                         .m = d_.rows,
                         .n = d_.columns,
                         .k = a_.columns,
                         .one_b_for_all = d_.batches > 1 && (b_.batch_stride == 0),
                         .half_sums = *policy_.sum.accumulator == kFp16,
                         .caller = context.caller};
    plant(context.fault, shape, policy_);
    if (policy_.epilogue.gelu_by_tanh && activation_ == "gelu") activation_ = "gelu_tanh";
    alter_addresses();
  }

  void run() {
    if (a_.columns == 0 && policy_.extent.empty_sum_returns) return;
    if (policy_.extent.keeps_workspace) before_ = workspace();
    for (std::int64_t item = 0; item < d_.batches; ++item) {
      for (std::int64_t first = 0; first < d_.columns; first += kColumns) run_columns(item, first);
    }
  }

 private:
  static constexpr std::int64_t kColumns = 64;  // columns of op(B) kept at a time
  static constexpr std::int64_t kRacingTile = 16;

  // The sums that the first outputs of the latest call had.
  using Workspace = std::array<double, 1024>;
  static Workspace& workspace() {
    static Workspace sums{};
    return sums;
  }
  // Adds what the workspace held before the call, and leaves the sum there.
  [[nodiscard]] double over_previous(std::int64_t item, std::int64_t i, std::int64_t j,
                                     double sum) const {
    const auto place = static_cast<std::size_t>((item * d_.rows + i) * d_.columns + j);
    if (place >= before_.size()) return sum;
    workspace()[place] = sum;
    return rounded(kFp32, sum + before_[place]);
  }

  void require_agreement() const {
    const bool agree =
        a_.rows == d_.rows && b_.columns == d_.columns && a_.columns == b_.rows &&
        a_.batches == d_.batches && b_.batches == d_.batches &&
        (!c_ || (c_->rows == d_.rows && c_->columns == d_.columns && c_->batches == d_.batches)) &&
        (!bias_ || bias_->size(0) == d_.columns);
    if (!agree) throw Unsupported{"gemm: the sizes of the tensors do not agree"};
    if (!activation_.empty() && activation_named(activation_) == nullptr)
      throw Unsupported{fmt::format("gemm: no activation '{}'", activation_)};
  }

  void choose_arithmetic() {
    const std::string& compute = context_.call.compute;
    const bool wide = *a_.tensor.format == kFp64 || *b_.tensor.format == kFp64;
    if (compute == "fp64") {
      policy_.sum.accumulator = &kFp64;
    } else if (wide || (compute != "fp32" && compute != "fp32-reduced" && compute != "tf32" &&
                        compute != "fp16")) {
      throw Unsupported{
          fmt::format("gemm of {} has no compute type '{}'", a_.tensor.format->name, compute)};
    }
    if (compute == "fp16") policy_.sum.accumulator = &kFp16;
    if (compute == "tf32") policy_.reading.through = &kTf32;
  }

  void alter_addresses() {
    const GemmExtent& extent = policy_.extent;
    d_.offset_bits = extent.offset_bits_of_d;
    if (extent.repeats_one_b && d_.batches > 1 && b_.batch_stride == 0)
      b_.batch_stride = b_.rows * b_.columns;
    if (extent.ignores_square_transpose && b_.row_stride < b_.column_stride)
      std::swap(b_.row_stride, b_.column_stride);
    for (Matrix* m : {&a_, &b_}) {
      m->offset_bits = extent.offset_bits;
      if (extent.ignores_row_distance) {
        if (m->row_stride >= m->column_stride) {
          m->row_stride = m->columns * m->column_stride;
        } else {
          m->column_stride = m->rows * m->row_stride;
        }
      }
      const bool odd_pair =
          m->tensor.format->storage_bytes() == 2 && m->tensor.origin_bytes % 4 == 2;
      if (extent.pair_loads && odd_pair) m->shift = -1;
    }
  }

  [[nodiscard]] double read(const Matrix& m, std::int64_t offset) const {
    const GemmReading& reading = policy_.reading;
    const Format& f = *(reading.one_type_of_a ? a_ : m).tensor.format;
    if (!m.tensor.in_memory(offset)) return 0;
    Bits encoding = f.from_word(load_word(f, m.tensor.at(offset)));
    if (reading.cuts_nan) {
      constexpr Bits kLow = (Bits{1} << 13) - 1;
      const Bits infinity = f.magnitude_mask() & ~f.fraction_mask();
      if ((encoding & f.magnitude_mask()) > infinity && (encoding & f.fraction_mask() & ~kLow) == 0)
        encoding &= ~kLow;
    }
    const double value = decode(f, encoding);
    if (reading.nan_is_zero && std::isnan(value)) return 0;
    if (reading.flushes && std::abs(value) < std::ldexp(1, f.min_exponent()))
      return std::copysign(0, value);
    return reading.through == nullptr ? value : rounded(*reading.through, value, reading.how);
  }

  [[nodiscard]] std::int64_t products() const {
    const GemmExtent& extent = policy_.extent;
    const auto counted = static_cast<std::int64_t>((std::uint64_t{1} << extent.count_bits) - 1);
    const std::int64_t k = std::min(a_.columns, extent.most_products) & counted;
    if (extent.whole_multiple > 0) return k - k % extent.whole_multiple;
    if (extent.rounded_up_to > 0)
      return (k + extent.rounded_up_to - 1) / extent.rounded_up_to * extent.rounded_up_to;
    return k;
  }

  void run_columns(std::int64_t item, std::int64_t first) {
    const std::int64_t count = std::min(kColumns, d_.columns - first);
    const std::int64_t source = item >= policy_.extent.batch_limit ? 0 : item;
    const std::int64_t k = products();
    std::vector<double> columns(static_cast<std::size_t>(count * k));
    for (std::int64_t j = 0; j < count; ++j) {
      for (std::int64_t x = 0; x < k; ++x)
        columns[static_cast<std::size_t>(j * k + x)] = read(b_, b_.offset(source, x, first + j));
    }
    rows_do(context_.pool, d_.rows, [&](std::int64_t i) {
      std::vector<double> row(static_cast<std::size_t>(k));
      for (std::int64_t x = 0; x < k; ++x)
        row[static_cast<std::size_t>(x)] = read(a_, a_.offset(source, i, x));
      for (std::int64_t j = 0; j < count; ++j) {
        const auto column = std::span(columns).subspan(static_cast<std::size_t>(j * k),
                                                       static_cast<std::size_t>(k));
        const double products_sum = sum(item, i, first + j, row, column);
        write(item, i, first + j,
              policy_.extent.keeps_workspace ? over_previous(item, i, first + j, products_sum)
                                             : products_sum);
      }
    });
  }

  [[nodiscard]] double sum(std::int64_t item, std::int64_t i, std::int64_t j,
                           std::span<const double> row, std::span<const double> column) const {
    std::size_t k = row.size();
    const GemmExtent& extent = policy_.extent;
    if (k > 0 && extent.odd_row_short && d_.rows % 2 == 1 && i == d_.rows - 1) --k;
    const std::int64_t tile = extent.short_row_tile;
    if (k > 0 && tile > 0 && d_.rows % tile == tile - 1 && i == d_.rows - 1) --k;
    if (k > 0 && extent.missing_tile_block > 0 && i < kRacingTile && j < kRacingTile) {
      k -= (k - 1) % static_cast<std::size_t>(extent.missing_tile_block) + 1;
    }
    const auto parts = static_cast<std::size_t>(extent.parts_in_one_workspace);
    if (parts > 0 && calls_in_flight() > 1) k -= k / parts;
    const bool by_batch = policy_.sum.order_by_batch;
    return sum_of_products(policy_.sum, {row.first(k), column.first(k), a_.tensor.format},
                           by_batch ? static_cast<std::uint64_t>(item) : context_.caller.call);
  }

  [[nodiscard]] bool reads_c(std::int64_t item, std::int64_t i, std::int64_t j) const {
    if (!c_) return false;
    if (beta_ != 0) return true;
    const std::int64_t tile = policy_.epilogue.tile;
    const bool at_edge = i >= d_.rows / tile * tile || j >= d_.columns / tile * tile;
    switch (policy_.epilogue.reads_c) {
      case ReadsC::kWhenBetaIsNotZero:
        return false;
      case ReadsC::kAlways:
        return true;
      case ReadsC::kAlwaysInEdgeTiles:
        return at_edge;
      case ReadsC::kAlwaysButInFirst:
        return item > 0;
    }
    return false;
  }

  // alpha * sum + beta * c in one format; the second step is fused.
  [[nodiscard]] double scaled(std::int64_t item, std::int64_t i, std::int64_t j, double sum) const {
    const bool wide = *policy_.sum.accumulator == kFp64;
    const GemmEpilogue& epilogue = policy_.epilogue;
    const bool narrow = epilogue.scaled_in != nullptr && (alpha_ != 1 || beta_ != 0);
    const Format& f = narrow ? *epilogue.scaled_in : wide ? kFp64 : kFp32;
    const double value = rounded(f, rounded(f, alpha_) * sum);
    if (!reads_c(item, i, j)) return value;
    const double c = c_->tensor.load(c_->offset(item, i, j));
    if (wide) return std::fma(beta_, c, value);
    const double product = rounded(f, beta_) * c;
    return rounded(f, sum_to_odd(value, epilogue.unfused_beta ? rounded(f, product) : product));
  }

  [[nodiscard]] double activated(double value) const {
    if (policy_.epilogue.rounds_cubic && activation_ == "gelu_tanh")
      return gelu_tanh_of(value, 0.0447);
    if (policy_.epilogue.relu_by_slope && activation_ == "relu" && value < 0) return -0.0;
    return activation_named(activation_)->of(value);
  }

  void write(std::int64_t item, std::int64_t i, std::int64_t j, double sum) const {
    if (j >= policy_.extent.column_limit) return;
    const GemmEpilogue& epilogue = policy_.epilogue;
    const Format& wide = *policy_.sum.accumulator == kFp64 ? kFp64 : kFp32;
    if (epilogue.early != nullptr) sum = rounded(*epilogue.early, sum);
    double value = scaled(item, i, j, sum);
    if (bias_) {
      if (epilogue.rounds_before_bias) value = rounded(*d_.tensor.format, value);
      value = rounded(wide, value + bias_->load(j * bias_->strides[0]));
    }
    if (!activation_.empty()) {
      if (epilogue.rounds_before_activation) value = rounded(*d_.tensor.format, value);
      value = rounded(wide, activated(value));
    }
    d_.tensor.store(d_.offset(item, i, j), value, epilogue.storing);
    if (j == d_.columns - 1) fill_vector(item, i);
  }

  // What a store of whole vectors writes past the last column; later rows are left alone.
  void fill_vector(std::int64_t item, std::int64_t i) const {
    const std::int64_t vector = policy_.extent.stored_vector;
    const std::int64_t end = (d_.columns + vector - 1) / vector * vector;
    if (d_.column_stride != 1) return;
    for (std::int64_t j = d_.columns; j < std::min(end, d_.row_stride); ++j) {
      const std::int64_t place = d_.offset(item, i, j);
      if (d_.tensor.in_memory(place)) d_.tensor.store(place, 0, policy_.epilogue.storing);
    }
  }

  const Context& context_;
  Matrix a_, b_, d_;
  std::optional<Matrix> c_;
  std::optional<Tensor> bias_;
  std::string_view activation_;
  double alpha_, beta_;
  GemmPolicy policy_;
  Workspace before_{};
};

void run_gemm(const Context& context) { Gemm(context).run(); }

constexpr OperatorRow kRows[] = {{"gemm", run_gemm}};

}  // namespace

std::span<const OperatorRow> gemm_operators() { return kRows; }

}  // namespace halfmark::backends::host::library
