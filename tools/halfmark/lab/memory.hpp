// SPDX-License-Identifier: Apache-2.0
// Puts the tensors of a training step, or matrices, into a device's memory and asks the runtime
// each time what is in use. Decides what of the runtime's answers can be believed; prints nothing.
//
// Assumption: what is in use before the first tensor is everybody else's and the runtime's own.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "tools/halfmark/lab/resident.hpp"

namespace halfmark::tools::lab {

/// A device's memory as the measurement sees it; tests have their own.
struct MemoryDevice {
  std::function<void(std::size_t tensor, std::uint64_t bytes)> come;  // allocates and writes all
  std::function<void(std::size_t tensor)> go;
  std::function<backends::MemoryAnswer()> ask;
};

/// What the runtime says of one step, above what was in use before; or why that says nothing.
struct Measured {
  std::string source = {}, doubt = {};  // a doubt: the figures are not to be used
  bool of_process = false;
  std::uint64_t prepared = 0, forward = 0, peak = 0, left = 0;  // left: when all tensors have gone
  std::uint64_t free_before = 0;
  [[nodiscard]] bool is_known() const { return doubt.empty(); }
};

[[nodiscard]] Measured measure(const MemoryDevice& device, const Schedule& schedule);

[[nodiscard]] nlohmann::json to_json(const Measured& measured);

/// {"name", "title", "asked": the bytes of Asked}
[[nodiscard]] nlohmann::json asked_json(const Design& design, const Size& size,
                                        const MemoryMode& mode);
/// to_json of what the runtime says.
[[nodiscard]] nlohmann::json memory_of_mode(backends::Device& device, const Design& design,
                                            const Size& size, const MemoryMode& mode);

/// {"doubt", "rows": [{"side", "format", "asked", "runtime"} in bytes, null if in doubt]}: square
/// matrices that are all held at once, so that no memory of one serves another.
[[nodiscard]] nlohmann::json memory_of_matrices(backends::Device& device);
[[nodiscard]] nlohmann::json matrices_on(const MemoryDevice& device);

}  // namespace halfmark::tools::lab
