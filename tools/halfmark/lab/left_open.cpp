// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/left_open.hpp"

#include "reference/formats/classify.hpp"

namespace halfmark::tools::lab {

using formats::Tensor;

bool is_left_open(const Operator& op, const Operands& operands, std::size_t i,
                  const ComparedElement& element) {
  const Tensor& h = *operands.back();
  const Tensor& dy = *operands.front();
  const bool is_gelu = op.kind == Kind::kGelu || op.kind == Kind::kGeluGradient;
  if (is_gelu && formats::is_infinity(*h.format, h.at(i))) return true;
  if (op.kind == Kind::kGeluGradient && formats::is_infinity(*dy.format, dy.at(i)))
    return formats::is_nan(element.format, element.actual) ||
           formats::is_nan(element.format, element.expected);
  if (op.kind != Kind::kReluGradient) return false;
  return formats::is_nan(*h.format, h.at(i)) || !formats::is_finite(*dy.format, dy.at(i));
}

}  // namespace halfmark::tools::lab
