// SPDX-License-Identifier: Apache-2.0
// Any bytes as the input of the filter and as an operand of the calculator: the exit code is 0
// without a message, or 2 with one printable line.
#include <fuzzer/FuzzedDataProvider.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "tools/halfmark/ref/calculator.hpp"
#include "tools/halfmark/ref/ref_op.hpp"

using namespace halfmark;

namespace {

void require_answer(int code, const std::string& err) {
  const bool one_line = !err.empty() && err.find('\n') == err.size() - 1 && err.size() < 600;
  if (code == 0 ? !err.empty() : code != 2 || !one_line) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const int in = memfd_create("in", 0);
  static const int out = memfd_create("out", 0);
  constexpr const char* kOperations[] = {"fp16.fma", "fp32.ldexp", "e4m3.add", "fp64.to_e2m1"};
  FuzzedDataProvider data(bytes, size);
  const std::string operation = data.PickValueInArray(kOperations);
  const std::string text = data.ConsumeRemainingBytesAsString();
  if (ftruncate(in, 0) != 0 || ftruncate(out, 0) != 0) return 0;
  if (pwrite(in, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) return 0;
  lseek(in, 0, SEEK_SET);
  lseek(out, 0, SEEK_SET);
  std::ostringstream err;
  require_answer(tools::ref_op(in, out, err, {.operation = operation, .environment = {}}),
                 err.str());
  std::ostringstream shown;
  std::ostringstream problem;
  require_answer(tools::ref_value(shown, problem, {.subject = "fp32", .words = {text}}),
                 problem.str());
  return 0;
}
