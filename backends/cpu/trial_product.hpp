// SPDX-License-Identifier: Apache-2.0
//
// The gemm with which every library is tried: matrices of one element each, 2 times 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/driver.hpp"
#include "backends/host/host_buffer.hpp"

namespace halfmark::backends::cpu {

struct TrialProduct {
  host::HostBuffer memory{3 * sizeof(float)};  // a, b and d
  DriverOperatorCall call{.library = {},
                          .name = "gemm",
                          .compute = "fp32",
                          .tensors = {},
                          .scalars = {},
                          .options = {}};

  TrialProduct() {
    const float numbers[] = {2, 3, 0};
    memory.write(0, std::as_bytes(std::span(numbers)));
    for (std::uint64_t i = 0; const char* role : {"a", "b", "d"}) {
      call.tensors.push_back({.role = role,
                              .buffer = &memory,
                              .offset_bytes = i++ * sizeof(float),
                              .format = "fp32",
                              .sizes = {1, 1},
                              .strides = {1, 1}});
    }
  }
  [[nodiscard]] float result() {
    float number = 0;
    memory.read(2 * sizeof(float), std::as_writable_bytes(std::span(&number, 1)));
    return number;
  }
};

}  // namespace halfmark::backends::cpu
