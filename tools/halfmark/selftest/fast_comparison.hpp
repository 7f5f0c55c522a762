// SPDX-License-Identifier: Apache-2.0
// What the checks of the fast engine share: random tensors, floating-point states of the host, and
// the comparison of results.
#pragma once

#include <iterator>

#include "reference/fast/hostile.hpp"
#include "reference/formats/tensor.hpp"
#include "tools/halfmark/selftest/session.hpp"

namespace halfmark::tools {

enum class Spread {
  kAny,       // three in four tensors are kOrdinary; the others are finite or hold any encoding
  kOrdinary,  // within a few binades of one
  kPositive,  // the same, above zero
};
[[nodiscard]] formats::Tensor random_tensor(slow::Operands& operands, const formats::Format& f,
                                            std::size_t count, Spread spread = Spread::kAny);

[[nodiscard]] inline std::uint64_t random_state(slow::Operands& operands) {
  return fast::kHostStates[operands.word() % std::size(fast::kHostStates)];
}

// Compares element by element, and counts each as a comparison; `call` says what computed them.
void compare_tensors(Session& session, const formats::Tensor& expected,
                     const formats::Tensor& actual, const std::function<std::string()>& call);

}  // namespace halfmark::tools
