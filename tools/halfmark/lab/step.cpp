// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/step.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "reference/fast/convert.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Bits;
using formats::Format;
using formats::kE4m3fn;
using formats::kE5m2;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

constexpr Bits kOne = 0x3f800000;

Tensor broadcast(const Tensor& row, std::size_t rows) {
  Tensor all = Tensor::zeros(*row.format, row.count() * rows);
  for (std::size_t i = 0; i < rows; ++i)
    std::copy(row.bytes.begin(), row.bytes.end(),
              all.bytes.begin() + static_cast<std::ptrdiff_t>(i * row.bytes.size()));
  return all;
}

Watch watch_of(Activation activation) {
  return activation == Activation::kRelu ? Watch::kMasked : Watch::kYes;
}

// A part of a matrix; ends are exclusive.
struct Block {
  std::size_t first_row, end_row, first_column, end_column;
};

Tensor block_of(const Tensor& x, std::size_t columns, const Block& b) {
  const std::size_t width = b.end_column - b.first_column;
  Tensor part = Tensor::zeros(*x.format, (b.end_row - b.first_row) * width);
  for (std::size_t row = b.first_row; row < b.end_row; ++row) {
    for (std::size_t i = 0; i < width; ++i)
      part.set((row - b.first_row) * width + i, x.at(row * columns + b.first_column + i));
  }
  return part;
}

// Numbers that have become zero.
std::uint64_t lost_between(const Tensor& before, const Tensor& after) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < before.count(); ++i) {
    const bool is_lost = formats::is_zero(*after.format, after.at(i)) &&
                         !formats::is_zero(*before.format, before.at(i));
    count += is_lost ? 1U : 0U;
  }
  return count;
}

}  // namespace

double fp32_number(formats::Bits bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

const Format& Step::accumulator() const { return mode_.narrow_sums ? kFp16 : kFp32; }

Tensor Step::run(const Operator& op, const Operands& operands, Watch watch) {
  Tensor result = std::move(engine_(op, operands)[0]);
  if (watch == Watch::kNo) return result;
  TensorTrace seen{.name = op.tensor,
                   .statistics = fast::statistics(result),
                   .is_masked = watch == Watch::kMasked};
  if (!trace_.first_non_finite && seen.statistics.first_non_finite)
    trace_.first_non_finite = {seen.name, *seen.statistics.first_non_finite};
  trace_.tensors.push_back(std::move(seen));
  return result;
}

Tensor Step::cast(std::string name, const Tensor& from, Watch watch) {
  if (*mode_.format != *from.format)
    return run({.kind = Kind::kCast, .tensor = std::move(name), .to = mode_.format}, {&from},
               watch);
  if (watch != Watch::kNo)
    trace_.tensors.push_back({std::move(name), fast::statistics(from), watch == Watch::kMasked});
  return from;
}

Tensor Step::scaled(const std::string& name, const Tensor& x, Bits factor) {
  const Tensor one = Tensor::from_bits(kFp32, std::array<Bits, 1>{factor});
  const Tensor wide = fast::convert(x, kFp32);
  return run({.kind = Kind::kScale, .tensor = name, .to = &kFp32}, {&wide, &one}, Watch::kNo);
}

const Step::Eight& Step::in_8_bits(const Operand& operand) {
  if (const auto found = eights_.find(operand.name); found != eights_.end()) return found->second;
  const fast::Statistics s = fast::statistics(operand.tensor);
  const Bits amax = soft::convert(*s.format, kFp32, s.amax).bits;
  const Bits expected = scales_->expected(operand.name);
  const Bits scale = scales_->next(operand.name, operand.format, amax);
  const Tensor wide = scaled("scaled " + operand.name, operand.tensor, scale);
  const Tensor eight =
      run({.kind = Kind::kCast, .tensor = operand.name, .to = &operand.format, .saturates = true},
          {&wide}, Watch::kNo);
  Eight result{.values = fast::convert(eight, kFp16),
               .inverse = soft::div(kFp32, kOne, scale).bits};
  trace_.scaled.push_back({.name = operand.name,
                           .format = &operand.format,
                           .count = s.count,
                           .beyond = beyond(wide, operand.format),
                           .lost = lost_between(operand.tensor, result.values),
                           .scale = scale,
                           .amax = amax,
                           .expected = expected});
  return eights_.emplace(operand.name, std::move(result)).first->second;
}

Tensor Step::product(Operator op, const Operand& a, const Operand& b, Watch watch) {
  if (scales_ == nullptr) return run(op, {&a.tensor, &b.tensor}, watch);
  const Eight& x = in_8_bits(a);
  const Eight& y = in_8_bits(b);
  const bool is_wide = *op.to == kFp32;
  const std::string name = op.tensor;
  op.tensor = "sums in 8 bits of " + name;
  op.to = &kFp32;
  const Tensor sums = run(op, {&x.values, &y.values}, Watch::kNo);
  const Tensor wide =
      scaled("unscaled sums of " + name, sums, soft::mul(kFp32, x.inverse, y.inverse).bits);
  return is_wide ? wide : cast(name, wide, watch);
}

// x W^T, tile by tile; the parts of a sum are added from the first to the last.
Tensor Step::sums(const std::string& name, const Tensor& x, const Tensor& w, std::size_t outputs) {
  const std::size_t k = x.count() / batch_;
  const auto tile_of = [&](const Tensor& a, const Tensor& b) {
    return product({.kind = Kind::kProduct,
                    .tensor = name + " sums",
                    .to = &accumulator(),
                    .accumulator = &accumulator(),
                    .m = a.count() / (b.count() / outputs),
                    .n = outputs,
                    .k = b.count() / outputs,
                    .transpose_b = true},
                   {"input of " + name, kE4m3fn, a}, {"weights of " + name, kE4m3fn, b},
                   Watch::kNo);
  };
  const std::size_t rows = mode_.parts_of_rows, parts = mode_.parts_of_sums;
  if (rows == 1 && parts == 1) return tile_of(x, w);
  Tensor all{.format = &accumulator(), .bytes = {}};
  for (std::size_t r = 0; r < rows; ++r) {
    Tensor tile;
    for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t first = k * p / parts, end = k * (p + 1) / parts;
      const Tensor a = block_of(x, k, {batch_ * r / rows, batch_ * (r + 1) / rows, first, end});
      Tensor part = tile_of(a, block_of(w, k, {0, outputs, first, end}));
      if (mode_.narrow_parts)
        part = fast::convert(cast(name + " narrow part", part), accumulator());
      tile = p == 0 ? std::move(part)
                    : run({.kind = Kind::kAdd, .tensor = name + " parts", .to = &kFp32},
                          {&tile, &part}, Watch::kNo);
    }
    all.bytes.insert(all.bytes.end(), tile.bytes.begin(), tile.bytes.end());
  }
  return all;
}

Tensor Step::linear(const std::string& name, const Tensor& x, const Tensor& w, const Tensor& b) {
  const Tensor row = fast::convert(cast(name + " bias", b), kFp32);
  const Tensor wide = fast::convert(sums(name, x, w, b.count()), kFp32);
  const Tensor rows = broadcast(row, batch_);
  const Tensor biased = run({.kind = Kind::kAdd, .tensor = name + " biased", .to = &kFp32},
                            {&wide, &rows}, Watch::kNo);
  return cast(name, biased, Watch::kYes);
}

Tensor Step::activated(Activation activation, std::string name, const Tensor& h) {
  const Kind kind = activation == Activation::kGelu ? Kind::kGelu : Kind::kRelu;
  return run({.kind = kind, .tensor = std::move(name), .to = mode_.format}, {&h},
             watch_of(activation));
}

Tensor Step::through_activation(Activation activation, std::string name, const Tensor& gradient,
                                const Tensor& h) {
  const Kind kind = activation == Activation::kGelu ? Kind::kGeluGradient : Kind::kReluGradient;
  return run({.kind = kind, .tensor = std::move(name), .to = mode_.format}, {&gradient, &h},
             watch_of(activation));
}

Tensor Step::masked(const std::string& name, const Tensor& x, const Tensor& mask) {
  const Tensor wide = fast::convert(x, kFp32);
  const Tensor product = run({.kind = Kind::kMask, .tensor = name + " fp32", .to = &kFp32},
                             {&wide, &mask}, Watch::kNo);
  return cast(name, product, Watch::kMasked);
}

Tensor Step::weight_gradient(std::string name, const std::string& layer, const Tensor& gradient,
                             const Tensor& x) {
  return product({.kind = Kind::kProduct,
                  .tensor = std::move(name),
                  .to = mode_.format,
                  .accumulator = &accumulator(),
                  .m = gradient.count() / batch_,
                  .n = x.count() / batch_,
                  .k = batch_,
                  .transpose_a = true},
                 {"gradient of " + layer, kE5m2, gradient}, {"input of " + layer, kE4m3fn, x},
                 Watch::kYes);
}

Tensor Step::input_gradient(std::string name, const std::string& layer, const Tensor& gradient,
                            const Tensor& w) {
  const std::size_t outputs = gradient.count() / batch_;
  return product({.kind = Kind::kProduct,
                  .tensor = std::move(name),
                  .to = mode_.format,
                  .accumulator = &accumulator(),
                  .m = batch_,
                  .n = w.count() / outputs,
                  .k = outputs},
                 {"gradient of " + layer, kE5m2, gradient}, {"weights of " + layer, kE4m3fn, w},
                 Watch::kYes);
}

Tensor Step::bias_gradient(std::string name, const Tensor& gradient) {
  return run({.kind = Kind::kColumnSums,
              .tensor = std::move(name),
              .to = mode_.format,
              .m = batch_,
              .n = gradient.count() / batch_},
             {&gradient});
}

}  // namespace halfmark::tools::lab
