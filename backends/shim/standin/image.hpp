// SPDX-License-Identifier: Apache-2.0
//
// What the stand-in of a run-time compiler hands out as machine code, and its driver takes: one
// line and the source. A driver gets an image without its length, so the line says it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace halfmark::backends::shim::standin {

struct SourceImage {
  std::string backend;
  std::string architecture;
  bool contracts = false;  // a * b + c may be fused, as these compilers do unless told otherwise
  std::string source;
};

[[nodiscard]] std::string packed(const SourceImage& image);

// Empty for anything that `packed` has not made. Reads no byte beyond what the line announces.
[[nodiscard]] std::optional<SourceImage> unpacked(const void* image);

}  // namespace halfmark::backends::shim::standin
