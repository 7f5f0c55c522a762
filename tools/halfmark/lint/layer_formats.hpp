// SPDX-License-Identifier: Apache-2.0
// Which formats each layer of a model gets: its operands, its arithmetic, its result. Decides by
// the class of its operator in the model's list of casts, or by what the description says by hand.
//
// Assumption: a graph rewriter (TensorFlow's) paints nodes as its documents say: allow, deny,
// forward from deny through infer and clear, then between allow, then clear next to allow.
#pragma once

#include <vector>

#include "tools/halfmark/lint/model.hpp"

namespace halfmark::tools::lint {

struct LayerFormats {
  const formats::Format* operands;    // as the operator takes them
  const formats::Format* arithmetic;  // of what lies between
  const formats::Format* result;
  Cast cast = Cast::kAsOperands;
};

/// One for each layer.
[[nodiscard]] std::vector<LayerFormats> formats_of(const Model& model);
/// The same if everything were in one format.
[[nodiscard]] std::vector<LayerFormats> all_in(const Model& model, const formats::Format& format);

}  // namespace halfmark::tools::lint
