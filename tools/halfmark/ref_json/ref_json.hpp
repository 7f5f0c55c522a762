// SPDX-License-Identifier: Apache-2.0
// The operators of the reference as JSON filters: one problem per line in, one answer per line out.
// Each lives in a file named after its operator, which also documents the fields. They return the
// exit code: 0, or 2 after one line on `err`.
#pragma once

#include <iosfwd>

namespace halfmark::tools {

[[nodiscard]] int ref_gemm(std::istream& in, std::ostream& out, std::ostream& err);
[[nodiscard]] int ref_softmax(std::istream& in, std::ostream& out, std::ostream& err);
[[nodiscard]] int ref_layernorm(std::istream& in, std::ostream& out, std::ostream& err);
[[nodiscard]] int ref_loss_scaled_backward(std::istream& in, std::ostream& out, std::ostream& err);

// The named arithmetics and, with all their parameters, the matrix units: one JSON document.
void write_arithmetics(std::ostream& out);

}  // namespace halfmark::tools
