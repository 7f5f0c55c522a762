// SPDX-License-Identifier: Apache-2.0
// Reads any text as the name of an arithmetic: it must never crash, and an accepted name must print
// as a name of the same arithmetic.
#include "reference/models/arithmetic.hpp"
#include "reference/slow/fuzz.hpp"

using namespace halfmark;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  const auto arithmetic = models::parse_arithmetic(text);
  if (!arithmetic) return 0;
  const std::string name = models::print(*arithmetic);
  if (models::parse_arithmetic(name) != arithmetic) slow::differ(text + " printed as " + name);
  (void)models::describe(*arithmetic);
  return 0;
}
