// SPDX-License-Identifier: Apache-2.0
// Any bytes as the description of a model: it is refused with a line, or everything that is printed
// of it can be computed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tools/halfmark/lint/layer_formats.hpp"
#include "tools/halfmark/lint/lint.hpp"
#include "tools/halfmark/lint/memory.hpp"

using namespace halfmark::tools;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const lint::Model model = lint::parse_model({reinterpret_cast<const char*>(bytes), size});
    if (lint::formats_of(model).size() != model.layers.size()) std::abort();
    if (lint::memory_by_mode(model).empty()) std::abort();
    for (const lint::Found& each : lint::findings_of(model, {}, false)) {
      if (each.what.empty()) std::abort();
    }
  } catch (const lint::ModelError&) {
  }
  return 0;
}
