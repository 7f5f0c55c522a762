// SPDX-License-Identifier: Apache-2.0
//
// RAII owner of the library's descriptor for one operand: type, sizes, strides. It belongs to the
// operation that uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/shim/dnn.hpp"

namespace halfmark::backends::shim {

class DnnTensor {
 public:
  // Throws NotOffered or BackendError.
  DnnTensor(const Dnn& dnn, int type, std::span<const std::int64_t> sizes,
            std::span<const std::int64_t> strides)
      : dnn_(dnn) {
    std::vector<int> narrow_sizes;
    std::vector<int> narrow_strides;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      narrow_sizes.push_back(narrow(sizes[axis]));
      narrow_strides.push_back(narrow(strides[axis]));
    }
    dnn.check("create tensor", dnn.calls().create_tensor(&raw_));
    const Status status = dnn.calls().describe_tensor(raw_, type, static_cast<int>(sizes.size()),
                                                      narrow_sizes.data(), narrow_strides.data());
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
