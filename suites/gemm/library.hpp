// SPDX-License-Identifier: Apache-2.0
// A gemm case as a call of a library's operator: the same tensors, described by strides only.
#pragma once

#include "suites/core/execute/plan.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// The call only; the caller owns the tensors. Reports when the device has no such library.
[[nodiscard]] Plan library_plan(const Binding& bound, const backends::DeviceInfo& device);

}  // namespace halfmark::suites::gemm
