// SPDX-License-Identifier: Apache-2.0
//
// Tests whether a library of operators works with a driver, by running its first operator on a few
// numbers on the first device, and finds the way in which it takes the computation. For vendor
// processes only: libraries may crash here.
#pragma once

#include <string>
#include <string_view>

#include "backends/shim/operator_library.hpp"

namespace halfmark::backends::shim {

struct TriedLibrary {
  std::string version;
  std::size_t way;  // index below LibraryRow::ways
};

class LibraryTrial {
 public:
  // Makes the first device of that driver library current. Throws BackendError.
  LibraryTrial(const Vendor& vendor, const std::string& driver);
  // Throws BackendError with the reason when the library cannot be used.
  [[nodiscard]] TriedLibrary of(const LibraryRow& row, const OpenLibrary& library) const;

 private:
  void refuse_mixture(const OpenLibrary& library) const;
  // Empty when the library gives the right result; else a description of the wrong one.
  [[nodiscard]] std::string wrong_result(OperatorLibrary& library, std::string_view name) const;

  DriverCalls calls_{};
  std::string stand_in_;  // empty for a real device's driver
};

}  // namespace halfmark::backends::shim
