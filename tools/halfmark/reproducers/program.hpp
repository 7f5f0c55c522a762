// SPDX-License-Identifier: Apache-2.0
// The parts of a stand-alone program that do not depend on who computes: its memory, and how it is
// checked. Decides how a finding is demonstrated: by one value, or by runs that disagree. The texts
// of an interface belong to its backend (backends/reproducers.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "backends/reproducers.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/execute/plan.hpp"
#include "suites/core/judge/result.hpp"
#include "tools/halfmark/reproducers/kernel_cut.hpp"
#include "tools/halfmark/reproducers/no_program.hpp"

namespace halfmark::tools {

enum class Form : std::uint8_t {
  kValue,  // one element has a wrong value
  kRuns,   // runs with other poison differ, or memory past the end of a tensor is written
};

/// A reduced finding: a case, its plan for the device, and its operands.
struct Remnant {
  suites::Case c;
  suites::Plan plan;
  suites::TensorSet inputs;
  suites::Element wrong;  // for kRuns: only the tensor is set
  Form form = Form::kValue;
  std::size_t runs = 2;
  std::size_t columns = 0;  // lines are filled up to this width; 0: one statement per line
  Helpers helpers = Helpers::kFilled;
  std::string kernel = {};     // a kernel that is not in its family's text
  std::string feature = {};    // appended to the architecture for the compiler
  std::string otherwise = {};  // what it means if the program finds no difference
};

/// The maximum width of lists.
[[nodiscard]] std::size_t columns_of(const Remnant& left);
/// The index of a tensor among those of the plan.
[[nodiscard]] std::size_t place_of(const suites::Plan& plan, std::string_view name);

/// The name of the array that holds a tensor: the tensor's name without the number that orders it.
[[nodiscard]] std::string array_name(std::string_view tensor);
/// The words "tensors", "count", "result" and those that belong to the result. Throws NoProgram if
/// there are too many operands to list. For C++, avoids designators such as "[4] = ".
[[nodiscard]] backends::Words memory_words(const Remnant& left, bool is_cpp);

/// The end of main(): buffers, `call`, and the verdict. `frame` has the words that move bytes; a
/// frame without them computes in the arrays themselves.
[[nodiscard]] std::string run_text(const Remnant& left, const backends::ReproducerFrame& frame,
                                   const std::string& call, const std::string& prepare);

}  // namespace halfmark::tools
