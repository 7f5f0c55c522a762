// SPDX-License-Identifier: Apache-2.0
//
// Whether a BLAS works with a driver, found by letting it multiply two numbers on the first device;
// and in which of its vendor's ways it wants to be told the computation. For vendor processes:
// libraries may crash here.
#pragma once

#include <string>

#include "backends/shim/blas.hpp"

namespace halfmark::backends::shim {

struct TriedBlas {
  std::string version;
  std::size_t way;  // in BlasVendor::computes
};

class BlasTrial {
 public:
  // Makes the first device of that driver library current. Throws BackendError.
  BlasTrial(const Vendor& vendor, const std::string& driver);
  // Throws BackendError that says why it cannot be used.
  [[nodiscard]] TriedBlas of(const OpenLibrary& library) const;

 private:
  void refuse_mixture(const OpenLibrary& library) const;
  [[nodiscard]] float product(const Blas& blas) const;

  const Vendor& vendor_;
  DriverCalls calls_{};
  bool is_stand_in_ = false;
};

}  // namespace halfmark::backends::shim
