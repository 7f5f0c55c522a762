// SPDX-License-Identifier: Apache-2.0
// The tensors of one case as files that NumPy reads: operands, what the device returned, and what
// it should have returned. Decides the names and the layout of the files; judges nothing.
//
// A file is named ROLE.NAME.npy (operand.x.npy, result.y.npy, expected.y.npy) and holds one axis in
// the order of memory, gaps between rows included (NumPy Enhancement Proposal 1, version 1.0).
// NumPy has fp16, fp32 and fp64; the encodings of other formats are unsigned integers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/formats/tensor.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/execute/execute.hpp"

namespace halfmark::suites {

/// The bytes of a .npy file.
[[nodiscard]] std::string npy_of(const formats::Tensor& tensor);

/// Runs the case once and writes its tensors into the folder, which must exist. Returns the names
/// of the files. Throws std::runtime_error, naming the file, if one cannot be written, or if the
/// device gave no result.
std::vector<std::string> write_tensors(Session& session, const Case& c,
                                       const std::filesystem::path& folder);

}  // namespace halfmark::suites
