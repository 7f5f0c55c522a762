// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/trace.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace halfmark::tools::lab {
namespace {

double share_of_weights(const StepTrace& trace, std::uint64_t fast::Statistics::* counted) {
  std::uint64_t some = 0;
  std::uint64_t all = 0;
  for (const TensorTrace& tensor : trace.tensors) {
    if (!is_gradient_of_weights(tensor.name)) continue;
    some += tensor.statistics.*counted;
    all += tensor.statistics.count;
  }
  return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

}  // namespace

double ScaledTrace::excess() const {
  const auto number = [](formats::Bits fp32) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(fp32)));
  };
  return expected == 0 ? 1 : number(amax) / number(expected);
}

bool is_gradient_of_weights(std::string_view tensor) { return tensor.starts_with("dW"); }
bool is_gradient_of_parameters(std::string_view tensor) {
  return is_gradient_of_weights(tensor) || tensor.starts_with("db");
}

const fast::Statistics& StepTrace::of(std::string_view tensor) const {
  return std::find_if(tensors.begin(), tensors.end(),
                      [&](const TensorTrace& trace) { return trace.name == tensor; })
      ->statistics;
}

double StepTrace::zero_share() const { return share_of_weights(*this, &fast::Statistics::zeros); }
double StepTrace::subnormal_share() const {
  return share_of_weights(*this, &fast::Statistics::subnormals);
}

double StepTrace::swallowed_share() const {
  return updates == 0 ? 0 : static_cast<double>(swallowed) / static_cast<double>(updates);
}

double StepTrace::stored_norm() const {
  double squares = 0;
  for (const TensorTrace& tensor : tensors) {
    if (is_gradient_of_parameters(tensor.name)) squares += std::pow(tensor.statistics.norm(), 2);
  }
  return std::sqrt(squares);
}

}  // namespace halfmark::tools::lab
