// SPDX-License-Identifier: Apache-2.0
// The operands of a reduced case as text, and back.
#include <stdexcept>

#include "reference/formats/text.hpp"
#include "suites/core/shrink/shrink.hpp"
#include "suites/core/suite/describe.hpp"

namespace halfmark::suites {

std::vector<ReducedTensor> listed_operands(const Problem& problem, const TensorSet& inputs) {
  std::vector<ReducedTensor> list;
  for (const auto& [name, tensor] : inputs) {
    const formats::Format& f = *tensor.format;
    ReducedTensor reduced{.name = name,
                          .format = std::string(f.name),
                          .count = tensor.count(),
                          .indices = {},
                          .hex = {},
                          .values = {}};
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      if (tensor.at(i) == 0) continue;
      reduced.indices.push_back(i);
      reduced.hex.push_back(formats::hex(f, tensor.at(i)));
      reduced.values.push_back(describe_value(problem, name, f, tensor.at(i)));
    }
    list.push_back(std::move(reduced));
  }
  return list;
}

TensorSet operands_of(const Reduction& reduction) {
  TensorSet inputs;
  for (const ReducedTensor& t : reduction.tensors) {
    const formats::Format* format = formats::find_format(t.format);
    if (format == nullptr) throw std::runtime_error("there is no format " + t.format);
    formats::Tensor tensor = formats::Tensor::zeros(*format, t.count);
    for (std::size_t i = 0; i < t.indices.size(); ++i)
      tensor.set(t.indices[i], formats::parse_hex(*format, t.hex[i]).value_or(0));
    inputs.emplace(t.name, std::move(tensor));
  }
  return inputs;
}

}  // namespace halfmark::suites
