// SPDX-License-Identifier: Apache-2.0
// What a model needs to be trained, by mode, in bytes: weights, their copies, gradients, the
// optimizer's state, and the tensors that the forward pass keeps for the backward pass. Computed
// from shapes and formats; what a runtime reserves on top of it is not known here.
//
// Assumption: an operator keeps what its derivative needs (Keeps), in the format in which it took
// it; a tensor that two operators keep in one format is kept once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/halfmark/lint/layer_formats.hpp"

namespace halfmark::tools::lint {

struct Memory {
  std::string_view mode = {}, title = {};
  std::uint64_t weights = 0;  // that the optimizer updates, or that are computed with
  std::uint64_t copies = 0;   // masters in fp32, or what autocast keeps in 16 bits
  std::uint64_t gradients = 0;
  std::uint64_t state = 0;  // of the optimizer
  std::uint64_t activations = 0;
  bool is_described = false;  // every tensor is as the description says

  [[nodiscard]] std::uint64_t total() const {
    return weights + copies + gradients + state + activations;
  }
};

/// The largest batch with which a mode fits into that many bytes, if its activations grow with the
/// batch and nothing else does; nothing where there are none. The row is of a batch of `batch`.
[[nodiscard]] std::optional<std::uint64_t> largest_batch(const Memory& row, std::uint64_t batch,
                                                         double bytes);

/// fp32 first, then three modes with the model's narrow format. If none of them is the
/// description's, a row of its own follows.
[[nodiscard]] std::vector<Memory> memory_by_mode(const Model& model);

}  // namespace halfmark::tools::lint
