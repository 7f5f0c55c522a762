// SPDX-License-Identifier: Apache-2.0
// Which launches of a case a program needs to show one wrong tensor. A result of an earlier launch
// that is no longer needed becomes an operand with the value that the reference has for it: it was
// right, since the wrong tensor is the first one in the order in which the case computes.
//
// Assumption: the launch that takes an output first writes it, and another one writes it only if
// the same kernel takes it at the same place. Tensors that are updated in place and scratch may be
// written by any launch that takes them.
#pragma once

#include "tools/halfmark/reproducers/program.hpp"

namespace halfmark::tools {

/// Keeps the launches that make the wrong tensor from operands, and the tensors that they take.
void cut_to_slice(Remnant& left);

}  // namespace halfmark::tools
