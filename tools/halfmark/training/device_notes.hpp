// SPDX-License-Identifier: Apache-2.0
// What a scorecard says of operators: findings, and of operators on fp16 data whether they run on
// units for fp16, where that was decided. Decides when an entry of a card is about an operator that
// a model uses: the same operator, forward or backward, with the same formats. Judges nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "reports/scorecard.hpp"
#include "tools/halfmark/training/log.hpp"

namespace halfmark::tools {

enum class NoteKind : std::uint8_t { kViolation, kDeviation, kEmulated, kNative };

struct DeviceNote {
  NoteKind kind = NoteKind::kViolation;
  std::string suite = {}, operation = {};  // the operation without its direction: "gelu", "log"
  bool of_whole_suite = false;             // the operation is unknown
  std::string format = {};                 // of the operands; empty: unknown
  std::string accumulator = {};            // empty: the operator has none
  std::string result = {};                 // format of a conversion's result; empty: any
  Extents extents = {};                    // of the case
  std::string what = {};                   // "F001 gemm.fp16...", "emulated at nn.m64n64k64"
};

[[nodiscard]] std::vector<DeviceNote> notes_of(const reports::Scorecard& card);
/// Throws UsageError if the card cannot be read.
[[nodiscard]] std::vector<DeviceNote> read_device_notes(const std::filesystem::path& card);

[[nodiscard]] bool concerns(const DeviceNote& note, const OperatorUse& use);

/// "m33n65k129" of a token; nothing if it has another form.
[[nodiscard]] Extents extents_in(std::string_view token);
/// How far two shapes are apart: the sum of |log2| of the ratios of extents that both have.
[[nodiscard]] double distance(const Extents& a, const Extents& b);

}  // namespace halfmark::tools
