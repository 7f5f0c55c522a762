// SPDX-License-Identifier: Apache-2.0
// What loss_scaled_backward asserts, and who promises it. An API may leave the sign of a zero open.
// Permission to flush in fp32 operations changes nothing but the fill `faint` (suite_test.cpp):
// subnormals of fp16 are normal fp32 numbers, and other data lead to none of bf16 and fp32.
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

constexpr std::string_view kStep =
    "Halfmark kernel specification, reference/operators/loss_scaled_backward.hpp, steps 0 to 12; "
    "IEEE 754-2019, 5.4.1; "
    "OpenCL C 1.2, 6.1.1.1: conversions of half are exact to float and correctly rounded from it";

constexpr std::string_view kLibrary =
    "gemm.library.bound: Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, "
    "lemma 3.1 and section 4.2; Halfmark kernel specification, "
    "reference/operators/loss_scaled_backward.hpp, steps 0 to 12, with these products; IEEE "
    "754-2019, 5.4.1";

constexpr ContractRow kRows[] = {
    {.id = "loss_scaled_backward.step",
     .tier = Tier::kSpecified,
     .promise = "forward, loss, scaled gradients, unscaling, weights and scale are the specified "
                "operations, in order",
     .source = kStep,
     .freedoms = kFp32Freedoms},
    {.id = "loss_scaled_backward.skip",
     .tier = Tier::kSpecified,
     .promise =
         "a non-finite gradient is seen wherever it is, the weights stay, and the scale backs off",
     .source = kStep,
     .freedoms = kFp32Freedoms},
    {.id = "loss_scaled_backward.library",
     .tier = Tier::kBounded,
     .promise =
         "each matrix product lies within gemm.library.bound for its operands, and every other "
         "tensor follows from the products as loss_scaled_backward.step specifies, in order",
     .source = kLibrary,
     .freedoms = kProductFreedoms},
};

consteval const ContractRow& row(std::string_view id) { return row_with_id(kRows, id); }

}  // namespace

std::span<const ContractRow> contract() { return kRows; }

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  if (!b.is_portable()) return row("loss_scaled_backward.library");
  const std::string_view fill = b.fill;
  return fill == "lone" || fill == "tail" || fill == "lonebias" || fill == "inf" || fill == "nan"
             ? row("loss_scaled_backward.skip")
             : row("loss_scaled_backward.step");
}

}  // namespace halfmark::suites::loss_scaled_backward
