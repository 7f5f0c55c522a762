// SPDX-License-Identifier: Apache-2.0
// A library's gemm as a black box of reference/inference: the device's answers to questions of any
// size, posed as products in a case's formats, provider and layout. Decides how questions become
// calls, not what the answers mean.
//
// Assumption: an output depends only on its row of A, its column of B and its element of C. The
// inference checks that first.
#pragma once

#include <stdexcept>
#include <string>

#include "reference/inference/subject.hpp"
#include "suites/core/execute/execute.hpp"
#include "suites/core/suite/identified_arithmetic.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// The size of the products in which a question is posed.
enum class ProbeShape {
  kTall,   // all rows of a question in one call: cheap
  kExact,  // m x n of the case, in as many calls as needed: uses the case's own route
};

class Probe {
 public:
  Probe(Session& session, const Case& c, ProbeShape shape);

  /// Sums of `terms` products. The probe must outlive the subject.
  [[nodiscard]] inference::Subject subject(std::size_t terms) const;
  /// The same, scaled as the case's variant specifies, and always with a C.
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
