// SPDX-License-Identifier: Apache-2.0
// A library's gemm as a black box of reference/inference: the device's answers to questions of any
// size, asked as products of a case's formats, provider and layout. Decides how questions become
// calls; not what the answers mean.
//
// Assumption: an output depends on nothing but its row of A, its column of B and its element of C.
// The inference looks at that first.
#pragma once

#include <stdexcept>
#include <string>

#include "reference/inference/subject.hpp"
#include "suites/core/execute/execute.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// The library's own answer when it declines a product.
struct NotOffered : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// How large the products are that one question is asked in.
enum class ProbeShape {
  kTall,   // all rows of a question in one call: cheap
  kExact,  // m x n of the case, as many calls as that takes: by the case's own route
};

class Probe {
 public:
  Probe(Session& session, const Case& c, ProbeShape shape);

  /// Sums of `terms` products. The probe outlives it.
  [[nodiscard]] inference::Subject subject(std::size_t terms) const;
  /// The same, scaled as the case's variant says, and always with a C.
  [[nodiscard]] inference::Subject scaled_subject(std::size_t terms) const;

 private:
  [[nodiscard]] formats::Tensor answer(const std::string& variant, const inference::GemmProblem& p,
                                       const formats::Tensor& a, const formats::Tensor& b,
                                       const formats::Tensor* c) const;

  Session& session_;
  Case case_;
  Binding bound_;
  ProbeShape shape_;
};

}  // namespace halfmark::suites::gemm
