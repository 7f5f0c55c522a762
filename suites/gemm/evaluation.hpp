// SPDX-License-Identifier: Apache-2.0
// Shared by the hypotheses of this folder: a case with its operands loaded, to be changed and
// evaluated, and the list that hypotheses are added to.
#pragma once

#include <functional>
#include <set>

#include "reference/formats/classify.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// A hypothesis may change the members.
struct Evaluation {
  Binding bound;
  const TensorSet& inputs;  // as stored in memory
  Operands operands;        // as the views show them
  models::Arithmetic arithmetic;

  [[nodiscard]] formats::Tensor sums() const { return sums_of(bound, operands, arithmetic, {}); }
  [[nodiscard]] formats::Tensor finished(const formats::Tensor& sums,
                                         Scaling scaling = Scaling::kSpecified) const {
    return finish(bound, sums, operands, {}, scaling);
  }
  [[nodiscard]] formats::Tensor whole() const { return evaluate(bound, operands, arithmetic, {}); }
};

using Evaluate = std::function<formats::Tensor(Evaluation&)>;

struct Entry {
  std::string name;
  FindingClassName finding_class;
  std::string sentence;
  std::vector<std::string> freedoms = {};
};
void add(std::vector<Hypothesis>& list, Entry entry, Evaluate evaluate);

/// What a store takes that flushes subnormal results; whose zeros are all +0, the sign, too.
[[nodiscard]] inline std::vector<std::string> freedoms_of_flushed_stores(bool keeps_sign) {
  std::vector<std::string> freedoms{"conversion_subnormals"};
  if (!keeps_sign) freedoms.emplace_back("signed_zero");
  return freedoms;
}

template <typename Map>
void change_each(formats::Tensor& tensor, const Map& map) {
  for (std::size_t i = 0; i < tensor.count(); ++i) tensor.set(i, map(tensor.at(i)));
}

/// Rounds every element to another format and converts it back.
void through(formats::Tensor& tensor, const formats::Format& narrow, soft::Rounding rounding);

/// Reads op(A) or op(B) by offsets instead of the view. Offsets past the end of the tensor
/// give NaN.
template <typename Offset>
formats::Tensor read(const formats::Tensor& stored, std::size_t batch, std::size_t rows,
                     std::size_t columns, Offset offset) {
  formats::Tensor dense = formats::Tensor::zeros(*stored.format, batch * rows * columns);
  std::size_t next = 0;
  for (std::size_t item = 0; item < batch; ++item) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        const std::size_t at = offset(item, i, j);
        dense.set(next++, at < stored.count() ? stored.at(at) : formats::quiet_nan(*stored.format));
      }
    }
  }
  return dense;
}

/// Operands in other formats.
void add_formats(std::vector<Hypothesis>& list, const Binding& bound);
/// Sums of other widths and orders.
void add_sums(std::vector<Hypothesis>& list, const Binding& bound);
/// Edges, layouts, offsets and limits: the wrong elements are used.
void add_places(std::vector<Hypothesis>& list, const Binding& bound);
/// Single reads that go wrong.
void add_reads(std::vector<Hypothesis>& list, const Binding& bound);
/// Batches that use the operands of other batches.
void add_batches(std::vector<Hypothesis>& list, const Binding& bound);
/// Batches that are wrong from some index on, given the first wrong one.
[[nodiscard]] std::vector<Hypothesis> hypotheses_from_batch(const Binding& bound,
                                                            std::size_t first_wrong);
/// Calls of some sizes that go wrong, given those sizes.
[[nodiscard]] std::vector<Hypothesis> hypotheses_of_pieces(const Binding& bound,
                                                           const std::set<std::size_t>& sizes);
/// Parts of k that each scale or add C, and results that are rounded twice.
void add_parts(std::vector<Hypothesis>& list, const Binding& bound);
/// The steps after the bias.
void add_activations(std::vector<Hypothesis>& list, const Binding& bound);
/// Subnormal operands, NaN, infinities and zeros.
void add_special_operands(std::vector<Hypothesis>& list, const Binding& bound);
/// Scalars, biases, special operands and stores.
void add_values(std::vector<Hypothesis>& list, const Binding& bound);

}  // namespace halfmark::suites::gemm
