// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/blas_answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/driver.hpp"
#include "backends/gemm_problem.hpp"

namespace halfmark::backends::shim {

std::string BlasAnswers::words_of(Status status) const {
  const char* name = name_of == nullptr ? nullptr : name_of(status);
  if (name != nullptr) return fmt::format("{}: {} {}", library, status, name);
  const auto row = std::ranges::find(declines, status, &BlasNumber::number);
  return fmt::format("{}: {} {}", library, status, row == declines.end() ? "(no name)" : row->word);
}

void BlasAnswers::refuse(const char* call, Status status) const {
  const auto row = std::ranges::find(declines, status, &BlasNumber::number);
  if (row != declines.end()) throw NotOffered(words_of(status));
  throw BackendError(call, status, words_of(status));
}

int BlasAnswers::type_of(std::string_view format) const {
  const auto row = std::ranges::find(types, format, &BlasNumber::word);
  if (row != types.end()) return row->number;
  throw NotOffered(fmt::format("{} has no gemm of {} matrices", library, format));
}

}  // namespace halfmark::backends::shim
