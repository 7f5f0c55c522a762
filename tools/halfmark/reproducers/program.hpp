// SPDX-License-Identifier: Apache-2.0
// The parts of a stand-alone program that do not depend on who computes: its memory, and what is
// done with it. Decides what a finding is shown by: one value, or runs that disagree. The words of
// an interface are the backend's (backends/reproducers.hpp).
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

namespace halfmark::tools {

enum class Form : std::uint8_t {
  kValue,  // one element is not what it should be
  kRuns,   // runs with another content of the result differ, or memory behind a tensor is written
};

/// What is left of a finding: a case, what it asks of the device, its operands.
struct Remnant {
  suites::Case c;
  suites::Plan plan;
  suites::TensorSet inputs;
  suites::Element wrong;  // of kRuns: the tensor alone
  Form form = Form::kValue;
  std::size_t runs = 2;
  std::size_t columns = 0;  // lines are filled up to so many; 0: a statement on each line
  Helpers helpers = Helpers::kFilled;
  std::string kernel = {};     // a kernel that is not in its family's text
  std::string feature = {};    // that the compiler is told of, behind the architecture
  std::string otherwise = {};  // what it means when the program finds no difference
};

/// Why there is no program, as the end of a sentence: "the operands are 4096 values".
struct NoProgram {
  std::string reason;
};

/// How wide what is listed may be.
[[nodiscard]] std::size_t columns_of(const Remnant& left);
/// The place of a tensor among those of the plan.
[[nodiscard]] std::size_t place_of(const suites::Plan& plan, std::string_view name);

/// The array that holds a tensor: its name, without a number that orders it before others.
[[nodiscard]] std::string array_name(std::string_view tensor);
/// tensors, count, result and what belongs to it. Throws NoProgram where the operands are too many
/// to be written down. C++ has no "[4] = ".
[[nodiscard]] backends::Words memory_words(const Remnant& left, bool is_cpp);

/// The end of main(): buffers, `call`, and the answer. `frame` has the words that move bytes; one
/// without them computes in the arrays themselves.
[[nodiscard]] std::string run_text(const Remnant& left, const backends::ReproducerFrame& frame,
                                   const std::string& call, const std::string& prepare);

}  // namespace halfmark::tools
