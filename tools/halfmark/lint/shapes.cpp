// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lint/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace halfmark::tools::lint {
namespace {

using nlohmann::json;
using Operands = std::span<const Shape* const>;

constexpr std::uint64_t kMost = std::uint64_t{1} << 48;  // elements of a tensor

std::uint64_t product(std::uint64_t a, std::uint64_t b, const char* field) {
  if (b != 0 && a > kMost / b)
    throw ModelError(fmt::format("{}: more than 2^48 elements; a tensor has fewer", field));
  return a * b;
}

void require_operands(Operands operands, std::size_t count) {
  if (operands.size() == count) return;
  throw ModelError(
      fmt::format("inputs: {} of them; the operator takes {}", operands.size(), count));
}

void require_rank(const Shape& shape, std::size_t least, const char* what) {
  if (shape.size() >= least) return;
  throw ModelError(
      fmt::format("inputs: the operand is {}; the operator takes {}", text_of(shape), what));
}

std::uint64_t required(const json& fields, const char* field) {
  const auto found = fields.find(field);
  if (found != fields.end()) return found->get<std::uint64_t>();
  throw ModelError(fmt::format("{}: it is missing; the operator's result depends on it", field));
}

void require_extent(const json& fields, const char* field, std::uint64_t extent) {
  if (!fields.contains(field) || fields[field].get<std::uint64_t>() == extent) return;
  throw ModelError(fmt::format("{}: {}, but the operand has {} there", field,
                               fields[field].get<std::uint64_t>(), extent));
}

bool flag(const json& fields, const char* field, bool otherwise) {
  return fields.value(field, otherwise);
}

Shape with_last(Shape shape, std::uint64_t extent) {
  shape.back() = extent;
  return shape;
}

Sized linear(const json& fields, Operands operands) {
  require_operands(operands, 1);
  const Shape& x = *operands[0];
  require_rank(x, 1, "rows");
  require_extent(fields, "in", x.back());
  const std::uint64_t out = required(fields, "out");
  const std::uint64_t bias = flag(fields, "bias", true) ? out : 0;
  return {.shape = with_last(x, out),
          .weights = product(x.back(), out, "out") + bias,
          .terms = x.back()};
}

Sized matrix_product(const json&, Operands operands) {
  require_operands(operands, 2);
  const Shape &a = *operands[0], &b = *operands[1];
  require_rank(a, 2, "matrices");
  require_rank(b, 2, "matrices");
  const std::size_t inner = b.size() - 2;
  const bool same_batch =
      a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin(), b.end() - 2);
  if (a.back() != b[inner] || !same_batch)
    throw ModelError(
        fmt::format("inputs: {} and {} cannot be multiplied; the last extent of the "
                    "first is the last but one of the second",
                    text_of(a), text_of(b)));
  return {.shape = with_last(a, b.back()), .terms = a.back()};
}

Sized convolution(const json& fields, Operands operands) {
  require_operands(operands, 1);
  const Shape& x = *operands[0];
  if (x.size() != 4)
    throw ModelError(
        fmt::format("inputs: the operand is {}; a convolution takes batch x channels x "
                    "height x width",
                    text_of(x)));
  require_extent(fields, "in", x[1]);
  const std::uint64_t out = required(fields, "out"), kernel = required(fields, "kernel");
  const std::uint64_t stride = fields.value("stride", std::uint64_t{1});
  const std::uint64_t padding = fields.value("padding", std::uint64_t{0});
  Shape shape = {x[0], out, 0, 0};
  for (const std::size_t axis : {std::size_t{2}, std::size_t{3}}) {
    const std::uint64_t padded = x[axis] + 2 * padding;
    if (padded < kernel)
      throw ModelError(fmt::format("kernel: {}, but the padded operand has {}", kernel, padded));
    shape[axis] = (padded - kernel) / stride + 1;
  }
  const std::uint64_t terms = product(product(x[1], kernel, "kernel"), kernel, "kernel");
  return {.shape = shape,
          .weights = product(terms, out, "out") + (flag(fields, "bias", true) ? out : 0),
          .terms = terms};
}

Sized embedding(const json& fields, Operands operands) {
  require_operands(operands, 1);
  Sized result{.shape = *operands[0]};
  const std::uint64_t out = required(fields, "out");
  result.weights = product(required(fields, "in"), out, "out");
  result.shape.push_back(out);
  return result;
}

Sized normalised(const json& fields, const Shape& x, std::uint64_t width) {
  require_extent(fields, "in", width);
  const std::uint64_t rows = flag(fields, "bias", true) ? 2 : 1;
  return {.shape = x, .weights = flag(fields, "affine", true) ? rows * width : 0, .terms = width};
}

Sized alike(Operands operands) {
  if (operands.size() < 2) throw ModelError("inputs: the operator takes two; name both");
  for (const Shape* other : operands) {
    if (*other != *operands[0])
      throw ModelError(fmt::format("inputs: {} and {} have different shapes", text_of(*operands[0]),
                                   text_of(*other)));
  }
  return {.shape = *operands[0]};
}

Sized attention(const json&, Operands operands) {
  require_operands(operands, 3);
  const Shape &query = *operands[0], &key = *operands[1], &value = *operands[2];
  require_rank(query, 3, "... x rows x width");
  const bool same_batch = key.size() == query.size() &&
                          std::equal(query.begin(), query.end() - 2, key.begin(), key.end() - 2);
  const bool fits = key == value && same_batch && key.back() == query.back();
  if (!fits)
    throw ModelError(fmt::format("inputs: query {}, key {} and value {} do not fit together",
                                 text_of(query), text_of(key), text_of(value)));
  return {.shape = query, .terms = std::max(query.back(), key[key.size() - 2])};
}

Sized reduced(const json&, Operands operands) {
  require_operands(operands, 1);
  require_rank(*operands[0], 1, "rows");
  Shape shape = *operands[0];
  const std::uint64_t terms = shape.back();
  shape.pop_back();
  return {.shape = shape, .terms = terms};
}

Sized stated(const json& fields) {
  if (!fields.contains("shape"))
    throw ModelError("shape: it is missing; no rule says what the operator's result is");
  return {.shape = fields["shape"].get<Shape>(),
          .weights = fields.value("weights", std::uint64_t{0})};
}

Sized by_rule(ShapeRule rule, const json& fields, Operands operands) {
  const Shape& x = *operands[0];
  switch (rule) {
    case ShapeRule::kSame:
      require_operands(operands, 1);
      return {.shape = x, .terms = x.empty() ? 0 : x.back()};
    case ShapeRule::kElementwise:
      return alike(operands);
    case ShapeRule::kLinear:
      return linear(fields, operands);
    case ShapeRule::kProduct:
      return matrix_product(fields, operands);
    case ShapeRule::kConvolution2d:
      return convolution(fields, operands);
    case ShapeRule::kEmbedding:
      return embedding(fields, operands);
    case ShapeRule::kNormalise:
      require_operands(operands, 1);
      require_rank(x, 1, "rows");
      return normalised(fields, x, x.back());
    case ShapeRule::kNormaliseChannels:
      require_operands(operands, 1);
      require_rank(x, 2, "batch x channels");
      return normalised(fields, x, x[1]);
    case ShapeRule::kAttention:
      return attention(fields, operands);
    case ShapeRule::kLoss:
      return {.shape = {}, .terms = count_of(x)};
    case ShapeRule::kReduce:
      return reduced(fields, operands);
    case ShapeRule::kFlatten:
      require_operands(operands, 1);
      require_rank(x, 1, "a batch");
      return {.shape = {x[0], count_of(x) / x[0]}};
    case ShapeRule::kStated:
      return stated(fields);
  }
  throw ModelError("op: it has no rule");
}

}  // namespace

void require_possible(const Shape& shape) {
  std::uint64_t elements = 1;
  for (const std::uint64_t extent : shape) elements = product(elements, extent, "shape");
}

Sized sized(ShapeRule rule, const json& fields, Operands operands) {
  Sized result = by_rule(rule, fields, operands);
  require_possible(result.shape);
  if (fields.contains("shape") && fields["shape"].get<Shape>() != result.shape)
    throw ModelError(fmt::format("shape: {}, but the result is {}",
                                 text_of(fields["shape"].get<Shape>()), text_of(result.shape)));
  return result;
}

}  // namespace halfmark::tools::lint
