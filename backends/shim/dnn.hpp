// SPDX-License-Identifier: Apache-2.0
//
// Runs row operators on a vendor's library for neural networks through its table. Decides which of
// its statuses mean "not offered"; the operators are in files of their own.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "backends/shim/dnn_vendor.hpp"
#include "backends/shim/operator_library.hpp"

namespace halfmark::backends::shim {

[[nodiscard]] LibraryRow library_row(const DnnVendor& vendor);

// A prepared operator: the library knows its operands, and one call computes the result.
class DnnOperation {
 public:
  DnnOperation() = default;
  DnnOperation(const DnnOperation&) = delete;
  DnnOperation& operator=(const DnnOperation&) = delete;
  virtual ~DnnOperation() = default;
  // Returns 0 when the library accepted the call.
  [[nodiscard]] virtual Status start() = 0;
};

class NormPlan;

// The library as its operators use it.
class Dnn {
 public:
  // Throws BackendError.
  Dnn(const DnnVendor& vendor, OpenLibrary library, const LibrarySetting& setting);
  Dnn(const Dnn&) = delete;
  Dnn& operator=(const Dnn&) = delete;

  [[nodiscard]] const DnnVendor& vendor() const { return vendor_; }
  [[nodiscard]] const DnnCalls& calls() const { return calls_; }
  [[nodiscard]] const DriverCalls& driver() const { return driver_; }
  [[nodiscard]] void* handle() const { return handle_.raw(); }
  [[nodiscard]] std::string version() const;
  // Those that were made so far, by NormPlan::key_of().
  [[nodiscard]] std::map<std::string, std::shared_ptr<NormPlan>>& plans() const { return plans_; }

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
  // Throws BackendError when the call lacks the tensor.
  [[nodiscard]] static const DriverTensorView& needed(const DriverOperatorCall& call,
                                                      std::string_view role);

 private:
  const DnnVendor& vendor_;
  const DriverCalls& driver_;
  OpenLibrary library_;
  DnnCalls calls_{};
  LibraryHandle handle_;
  mutable std::map<std::string, std::shared_ptr<NormPlan>> plans_;  // last: they need the handle
};

// Throws NotOffered when an operand extends over more elements than the vendor's documents allow.
void refuse_extents(const DnnVendor& vendor, const DriverOperatorCall& call);

}  // namespace halfmark::backends::shim
