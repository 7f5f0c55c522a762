// SPDX-License-Identifier: Apache-2.0
//
// Whether a library of operators works with a driver, found by letting it do its first operator
// with a few numbers on the first device; and in which of its vendor's ways it wants to be told the
// computation. For vendor processes: libraries may crash here.
#pragma once

#include <string>
#include <string_view>

#include "backends/shim/operator_library.hpp"

namespace halfmark::backends::shim {

struct TriedLibrary {
  std::string version;
  std::size_t way;  // of LibraryRow::ways
};

class LibraryTrial {
 public:
  // Makes the first device of that driver library current. Throws BackendError.
  LibraryTrial(const Vendor& vendor, const std::string& driver);
  // Throws BackendError that says why it cannot be used.
  [[nodiscard]] TriedLibrary of(const LibraryRow& row, const OpenLibrary& library) const;

 private:
  void refuse_mixture(const OpenLibrary& library) const;
  // Empty when the library gives the right result; else what it says.
  [[nodiscard]] std::string wrong_result(OperatorLibrary& library, std::string_view name) const;

  DriverCalls calls_{};
  std::string stand_in_;  // empty: a device's driver
};

}  // namespace halfmark::backends::shim
