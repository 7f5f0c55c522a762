// SPDX-License-Identifier: Apache-2.0
//
// RAII owner of one descriptor of a library's graph interface: creates it, sets its attributes,
// finalises it, destroys it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/shim/dnn.hpp"

namespace halfmark::backends::shim {

class DnnDescriptor {
 public:
  DnnDescriptor(const Dnn& dnn, int kind) : dnn_(dnn) {
    dnn.check("create descriptor", dnn.calls().create_descriptor(kind, &raw_));
  }
  DnnDescriptor(const DnnDescriptor&) = delete;
  DnnDescriptor& operator=(const DnnDescriptor&) = delete;
  ~DnnDescriptor() { dnn_.calls().destroy_descriptor(raw_); }
  [[nodiscard]] void* raw() const { return raw_; }

  template <typename Value>
  void set(int attribute, int type, std::span<const Value> values) const {
    dnn_.check("set attribute",
               dnn_.calls().set_attribute(raw_, attribute, type,
                                          static_cast<std::int64_t>(values.size()), values.data()));
  }
  template <typename Value>
  void set(int attribute, int type, const Value& value) const {
    set(attribute, type, std::span<const Value>(&value, 1));
  }
  void set_descriptor(int attribute, const DnnDescriptor& other) const {
    set(attribute, dnn_.vendor().graph->type_descriptor, other.raw_);
  }
  [[nodiscard]] Status finalised() const { return dnn_.calls().finalise(raw_); }
  void finalise() const { dnn_.check("finalise", finalised()); }

 private:
  const Dnn& dnn_;
  void* raw_ = nullptr;
};

using DnnDescriptors = std::vector<std::unique_ptr<DnnDescriptor>>;

}  // namespace halfmark::backends::shim
