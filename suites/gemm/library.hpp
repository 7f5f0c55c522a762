// SPDX-License-Identifier: Apache-2.0
// A gemm case as a call of a library's operator: the same tensors, told by strides alone.
#pragma once

#include "suites/core/execute/plan.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// The call alone; the tensors are the caller's. Says so where the device has no such library.
[[nodiscard]] Plan library_plan(const Binding& bound, const backends::DeviceInfo& device);

}  // namespace halfmark::suites::gemm
