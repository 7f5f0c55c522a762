// SPDX-License-Identifier: Apache-2.0
//
// What the two interfaces of a vendor's BLAS have in common: how a status reads, which statuses
// mean "not offered", and which formats there are.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "backends/shim/blas_vendor.hpp"

namespace halfmark::backends::shim {

struct BlasAnswers {
  const char* library;
  std::span<const BlasNumber> types, declines;
  const char* (*name_of)(Status status) = nullptr;  // the library's own; optional

  [[nodiscard]] std::string words_of(Status status) const;
  // Throws NotOffered for a status that declines, else BackendError.
  [[noreturn]] void refuse(const char* call, Status status) const;
  // Throws NotOffered.
  [[nodiscard]] int type_of(std::string_view format) const;
};

}  // namespace halfmark::backends::shim
