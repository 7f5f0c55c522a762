// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/selftest/fast_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/formats/classify.hpp"

namespace halfmark::tools {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

// A number whose exponent is within four of that of one.
Bits ordinary(slow::Operands& operands, const Format& f, Bits kept) {
  const std::uint64_t word = operands.word();
  const int spread = static_cast<int>(word >> 40 & 7);
  const int field = std::clamp(f.bias - 4 + spread, 0, f.max_exponent_field() - 1);
  return static_cast<Bits>(field) << f.fraction_bits | (word & kept);
}

Bits finite(slow::Operands& operands, const Format& f) {
  Bits bits = operands.any(f) & f.mask();
  while (!formats::is_finite(f, bits)) bits = operands.any(f) & f.mask();
  return bits;
}

}  // namespace

Tensor random_tensor(slow::Operands& operands, const Format& f, std::size_t count, Spread spread) {
  Tensor tensor = Tensor::zeros(f, count);
  const std::uint64_t kind = spread == Spread::kAny ? operands.word() % 8 : 7;
  const Bits signs = spread == Spread::kPositive ? 0 : f.sign_mask();
  for (std::size_t i = 0; i < count; ++i) {
    if (kind == 0) {
      tensor.set(i, operands.any(f) & f.mask());
    } else if (kind == 1) {
      tensor.set(i, finite(operands, f));
    } else {
      tensor.set(i, ordinary(operands, f, f.fraction_mask() | signs));
    }
  }
  return tensor;
}

void compare_tensors(Session& session, const Tensor& expected, const Tensor& actual,
                     const std::function<std::string()>& call) {
  const Format& f = *expected.format;
  for (std::size_t i = 0; i < expected.count(); ++i) {
    session.compare({expected.at(i), 0}, {actual.at(i), 0}, f,
                    [&] { return fmt::format("{}, element {}", call(), i); });
  }
}

}  // namespace halfmark::tools
