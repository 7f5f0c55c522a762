// SPDX-License-Identifier: Apache-2.0
// A 64-bit digest of named tensors: equal digests mean, in practice, equal bits. Not cryptographic.
#pragma once

#include <string>

#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

/// FNV-1a over names, formats and bytes; 16 hex digits. NaN encodings are replaced by the format's
/// quiet NaN first, since NaN compares as a class.
[[nodiscard]] std::string digest(const TensorSet& tensors);

}  // namespace halfmark::suites
