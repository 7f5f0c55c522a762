// SPDX-License-Identifier: Apache-2.0
// Results of real matrix units, as problems with answers.
//
// The vectors are those published with Khattak and Mikaitis, "Accurate Models of Tensor Cores",
// arXiv:2512.07004 (BSD-2), one file per device, input and output (h200.bf16.fp32.txt): a comment
// line, then lines of `a... | b... | c | d` in hex. tf32 operands and c are fp32 words. The folder
// is $HALFMARK_VECTORS, or lies next to the repository.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/slow/unit.hpp"

namespace halfmark::slow {

struct VectorFile {
  std::string name;
  const models::Unit* unit;  // null if the file's name is not understood
  std::vector<UnitProblem> problems;
  std::vector<formats::Bits> answers;
};

[[nodiscard]] std::filesystem::path vectors_folder();
// Empty if there is no such folder.
[[nodiscard]] std::vector<VectorFile> read_vectors();

}  // namespace halfmark::slow
