// SPDX-License-Identifier: Apache-2.0
// Any text as the name of a case is either refused with UsageError or prints back unchanged.
#include <cstdlib>

#include "suites/core/case/case.hpp"
#include "suites/core/case/errors.hpp"

using namespace halfmark;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const suites::Axis kAxes[] = {
      {.name = "format", .help = "", .words = {"fp16", "bf16", "fp32"}, .letters = ""},
      {.name = "layout", .help = "", .words = {"nn", "nt", "tn"}, .letters = ""},
      {.name = "shape", .help = "", .words = {}, .letters = "mnk"},
  };
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  (void)suites::matches_glob(text.substr(0, text.size() / 2), text.substr(text.size() / 2));
  try {
    const suites::Case parsed = suites::parse_case("gemm", kAxes, text);
    const std::string name = suites::print(parsed);
    if (name != text || suites::parse_case("gemm", kAxes, name) != parsed) std::abort();
  } catch (const suites::UsageError&) {
    return 0;
  }
  return 0;
}
