// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as a scorecard. Validation must report problems, and reading may only throw; a
// card that can be read prints the same bytes after it is read again.
#include <cstdlib>

#include "reports/scorecard_json.hpp"
#include "reports/validate.hpp"

using namespace halfmark;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto json = nlohmann::json::parse(bytes, bytes + size, nullptr, false);
  if (json.is_discarded()) return 0;
  (void)reports::validate(json);
  std::string text;
  try {
    text = reports::print_json(reports::scorecard_from_json(json));
  } catch (const std::exception&) {
    return 0;  // promised for cards that do not pass validation
  }
  const auto again = reports::scorecard_from_json(nlohmann::json::parse(text));
  if (reports::print_json(again) != text) std::abort();
  return 0;
}
