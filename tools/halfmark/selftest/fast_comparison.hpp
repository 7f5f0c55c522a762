// SPDX-License-Identifier: Apache-2.0
// What the checks of the fast engine share: tensors to compute from, hosts to compute in, and the
// comparison of what comes out.
#pragma once

#include <iterator>

#include "reference/fast/hostile.hpp"
#include "reference/formats/tensor.hpp"
#include "tools/halfmark/selftest/session.hpp"

namespace halfmark::tools {

enum class Spread {
  kAny,       // three tensors of four ordinary, the others all finite or whatever the format has
  kOrdinary,  // within some binades of one
  kPositive,  // the same, above zero
};
[[nodiscard]] formats::Tensor random_tensor(slow::Operands& operands, const formats::Format& f,
                                            std::size_t count, Spread spread = Spread::kAny);

[[nodiscard]] inline std::uint64_t random_state(slow::Operands& operands) {
  return fast::kHostStates[operands.word() % std::size(fast::kHostStates)];
}

// Element by element, each a comparison; `call` says what computed them.
void compare_tensors(Session& session, const formats::Tensor& expected,
                     const formats::Tensor& actual, const std::function<std::string()>& call);

}  // namespace halfmark::tools
