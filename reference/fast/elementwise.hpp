// SPDX-License-Identifier: Apache-2.0
// One elementary operation on whole tensors: element i is the operation of reference/soft/ on the
// elements i of the operands, bit for bit. Vector code handles fp16, bf16 and fp32 in the default
// environment; the soft-float, on the same number of threads, handles everything else.
//
// Returns no flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "reference/fast/parallel.hpp"
#include "reference/formats/tensor.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::fast {

enum class Operation : std::uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kSqrt,
  kFma,
  kMinimum,
  kMaximum,
  kMinimumNumber,
  kMaximumNumber,
};
inline constexpr std::size_t kOperationCount = 10;

[[nodiscard]] int arity(Operation operation);
[[nodiscard]] std::string_view to_string(Operation operation);
[[nodiscard]] std::optional<Operation> parse_operation(std::string_view name);

// As many tensors as the arity, of one format and one length. Views, which must outlive only
// the call.
struct Operands {
  const formats::Tensor& a;
  const formats::Tensor* b = nullptr;
  const formats::Tensor* c = nullptr;
};

// Throws std::invalid_argument if the operands are not as Operands requires.
[[nodiscard]] formats::Tensor elementwise(Operation operation, const Operands& operands,
                                          const soft::Environment& environment = {},
                                          const Options& options = {});

// The soft-float operation on one element; operands beyond the arity are ignored.
[[nodiscard]] formats::Bits soft_element(Operation operation, const formats::Format& format,
                                         formats::Bits a, formats::Bits b, formats::Bits c,
                                         const soft::Environment& environment = {});

}  // namespace halfmark::fast
