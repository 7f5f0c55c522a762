// SPDX-License-Identifier: Apache-2.0
// What the tokens of a case mean, its three results, and what the files of this folder share.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/execute/execute.hpp"
#include "suites/core/suite/suite.hpp"
#include "suites/transfer/pattern.hpp"

namespace halfmark::suites::transfer {

/// A range of memory, and the sizes in which it is copied.
struct Binding {
  std::size_t bytes = 0, offset = 0;
  std::size_t upload_part = 0, read_part = 0;  // bytes; 0: in one piece

  [[nodiscard]] std::size_t end() const { return offset + bytes; }
  [[nodiscard]] bool holds(std::size_t place) const { return place >= offset && place < end(); }
  /// All of the memory, and the range within it.
  [[nodiscard]] std::size_t memory_bytes() const;
};

/// One result of a case: as long as the memory, with every byte at its place in the memory.
struct Image {
  std::string_view name;
  Generation inside, outside;  // the range
};

/// `first` and `second` are the range as read after each upload, with the host's memory around it;
/// `memory` is all of the memory, read last.
inline constexpr std::string_view kMemory = "memory";
inline constexpr Image kImages[] = {{"first", Generation::kFirst, Generation::kHostBeforeFirst},
                                    {"second", Generation::kSecond, Generation::kHostBeforeSecond},
                                    {kMemory, Generation::kSecond, Generation::kBefore}};

[[nodiscard]] std::span<const Axis> axes();
[[nodiscard]] Binding bind(const Case& c);
[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);

[[nodiscard]] std::vector<std::byte> expected_image(const Binding& b, const Image& image);
[[nodiscard]] formats::Tensor tensor_of(std::vector<std::byte> bytes);

/// If no allocation of the device can be so large: its own words. Nothing if it sets no such limit.
[[nodiscard]] std::optional<std::string> beyond_an_allocation(const backends::DeviceInfo& device,
                                                              std::size_t bytes);

/// Writes, reads, writes and reads again. Driver exceptions are reported in the result; memory that
/// is refused beyond a limit of the device is not supported.
[[nodiscard]] DeviceResult copy(Session& session, const Case& c);

/// Explains wrong bytes from the origin that they encode: one hypothesis, which reproduces every
/// wrong byte that can be decoded.
[[nodiscard]] std::vector<Hypothesis> decoded(const Case& c, const TensorSet& outputs);

}  // namespace halfmark::suites::transfer
