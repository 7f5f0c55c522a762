// SPDX-License-Identifier: Apache-2.0
//
// Faults of groups X and O, and controls like them: the text of a kernel is changed before it is
// compiled, as a slip in the kernel or in its compiler would change it. Each is a row: what is
// replaced by what. Decides nothing about which kernels exist; a text without the words is left as
// it is.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "backends/host/faults.hpp"

namespace halfmark::backends::host {

struct TextFault {
  std::string_view id;
  std::string_view family;  // of the kernel, whose text has the words once
  std::string_view words, replacement;
};

[[nodiscard]] std::span<const TextFault> text_faults();

// The text with the planted fault; unchanged if that is none of these, or the words are not there.
[[nodiscard]] std::string with_fault(std::string source, const Fault& fault);

}  // namespace halfmark::backends::host
