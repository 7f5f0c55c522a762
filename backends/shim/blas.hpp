// SPDX-License-Identifier: Apache-2.0
//
// A vendor's BLAS in use: the operator gemm in the words of its table. Decides which of the
// library's computations a call is, and which of its answers mean "not offered".
//
// Assumptions:
//  1. The vendor's context is current, in the thread of every call.
//  2. A new handle works in the default stream, in which events and copies are too.
#pragma once

#include <functional>
#include <string>

#include "backends/gemm_problem.hpp"
#include "backends/shim/blas_vendor.hpp"
#include "backends/shim/library.hpp"

namespace halfmark::backends::shim {

// What the name of a stand-in's own library is exported as.
inline constexpr const char* kStandInSymbol = "halfmark_stand_in_v1";

// One product in the library's words.
struct BlasProduct {
  GemmProblem problem;
  BlasCompute compute;
};

using AddressOf = std::function<Address(DriverBuffer*)>;

class Blas {
 public:
  // `way` is the index in BlasVendor::computes. Throws BackendError.
  Blas(const BlasVendor& vendor, OpenLibrary library, std::size_t way);
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  ~Blas();

  [[nodiscard]] std::string version() const;
  // Throws NotOffered. Copies c where the library must find it, so that multiply() is one call.
  [[nodiscard]] BlasProduct prepared(const DriverOperatorCall& call) const;
  // Starts the product; 0 when it was accepted.
  [[nodiscard]] Status multiply(const BlasProduct& product, const AddressOf& address_of) const;
  // Throws NotOffered or BackendError.
  [[noreturn]] void refuse(Status status) const;

 private:
  [[nodiscard]] int type_of(const std::string& format) const;
  [[nodiscard]] std::string words_of(Status status) const;

  const BlasVendor& vendor_;
  OpenLibrary library_;
  BlasCalls calls_{};
  std::span<const BlasCompute> computes_;
  void* handle_ = nullptr;
};

}  // namespace halfmark::backends::shim
