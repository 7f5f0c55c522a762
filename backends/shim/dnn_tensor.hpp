// SPDX-License-Identifier: Apache-2.0
//
// What a library for neural networks is told of one operand: type, four sizes, four strides. Owned
// by the operation that it is for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backends/shim/dnn.hpp"

namespace halfmark::backends::shim {

class DnnTensor {
 public:
  // Throws NotOffered or BackendError.
  DnnTensor(const Dnn& dnn, int type, const std::array<std::int64_t, 4>& sizes,
            const std::array<std::int64_t, 4>& strides)
      : dnn_(dnn) {
    std::array<int, 4> narrow_sizes{};
    std::array<int, 4> narrow_strides{};
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      narrow_sizes[axis] = narrow(sizes[axis]);
      narrow_strides[axis] = narrow(strides[axis]);
    }
    dnn.check("create tensor", dnn.calls().create_tensor(&raw_));
    const Status status =
        dnn.calls().describe_tensor(raw_, type, 4, narrow_sizes.data(), narrow_strides.data());
    if (status == 0) return;
    dnn.calls().destroy_tensor(raw_);
    dnn.refuse("describe tensor", status);
  }
  DnnTensor(const DnnTensor&) = delete;
  DnnTensor& operator=(const DnnTensor&) = delete;
  ~DnnTensor() { dnn_.calls().destroy_tensor(raw_); }
  [[nodiscard]] void* raw() const { return raw_; }

 private:
  const Dnn& dnn_;
  void* raw_ = nullptr;
};

}  // namespace halfmark::backends::shim
