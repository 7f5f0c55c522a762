// SPDX-License-Identifier: Apache-2.0
//
// A vendor's library for neural networks in use: row operators in the words of its table. Decides
// which of its answers mean "not offered"; the operators are in files of their own.
#pragma once

#include <memory>
#include <string>

#include "backends/shim/dnn_vendor.hpp"
#include "backends/shim/operator_library.hpp"

namespace halfmark::backends::shim {

[[nodiscard]] LibraryRow library_row(const DnnVendor& vendor);

// An operator whose operands the library has been told of: one call away from its result.
class DnnOperation {
 public:
  DnnOperation() = default;
  DnnOperation(const DnnOperation&) = delete;
  DnnOperation& operator=(const DnnOperation&) = delete;
  virtual ~DnnOperation() = default;
  // 0 when it was accepted.
  [[nodiscard]] virtual Status start() = 0;
};

// The library as its operators see it.
class Dnn {
 public:
  // Throws BackendError.
  Dnn(const DnnVendor& vendor, const DriverCalls& driver, OpenLibrary library);
  Dnn(const Dnn&) = delete;
  Dnn& operator=(const Dnn&) = delete;

  [[nodiscard]] const DnnVendor& vendor() const { return vendor_; }
  [[nodiscard]] const DnnCalls& calls() const { return calls_; }
  [[nodiscard]] const DriverCalls& driver() const { return driver_; }
  [[nodiscard]] void* handle() const { return handle_.raw(); }
  [[nodiscard]] std::string version() const;

  // Throws NotOffered or BackendError.
  [[noreturn]] void refuse(const std::string& what, Status status) const;
  void check(const std::string& what, Status status) const {
    if (status != 0) refuse(what, status);
  }
  [[nodiscard]] const DnnType& type_of(const DriverTensorView& view) const {
    return type_of(vendor_, view);
  }
  // Throws NotOffered.
  [[nodiscard]] static const DnnType& type_of(const DnnVendor& vendor,
                                              const DriverTensorView& view);
  // Throws BackendError where the call has none.
  [[nodiscard]] static const DriverTensorView& needed(const DriverOperatorCall& call,
                                                      std::string_view role);

 private:
  const DnnVendor& vendor_;
  const DriverCalls& driver_;
  OpenLibrary library_;
  DnnCalls calls_{};
  LibraryHandle handle_;
};

}  // namespace halfmark::backends::shim
