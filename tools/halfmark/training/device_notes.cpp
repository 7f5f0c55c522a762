// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/device_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "reports/files.hpp"
#include "reports/true_fp16.hpp"
#include "reports/validate.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/registry.hpp"
#include "tools/halfmark/training/operators.hpp"

namespace halfmark::tools {
namespace {

using suites::Case;

std::string_view without_suffix(std::string_view word, std::string_view suffix) {
  if (word.ends_with(suffix)) word.remove_suffix(suffix.size());
  return word;
}

std::string without_prefix(const std::string& word, std::string_view prefix) {
  return word.starts_with(prefix) ? word.substr(prefix.size()) : word;
}

// "log" of log-forward and log-backward, "gelu" of gelu and gelu-backward, "" of backward.
std::string_view without_direction(std::string_view operation) {
  operation = without_suffix(without_suffix(operation, "backward"), "forward");
  return without_suffix(operation, "-");
}

std::string word_of(const Case& c, std::initializer_list<std::string_view> axes) {
  for (const suites::Token& token : c.tokens) {
    if (std::find(axes.begin(), axes.end(), token.axis) != axes.end()) return token.text;
  }
  return {};
}

// A case of another version may not parse: then the note concerns every operator of the suite.
DeviceNote note_at(const std::string& case_name) {
  DeviceNote note{.suite = case_name.substr(0, case_name.find('.'))};
  try {
    const Case c = suites::parse_case(case_name);
    note.operation = without_direction(without_suffix(word_of(c, {"operation"}), "_ulp"));
    note.format = word_of(c, {"format", "from"});
    note.accumulator = word_of(c, {"accumulator"});
    note.result = without_prefix(word_of(c, {"to"}), "to-");
    note.extents = extents_in(word_of(c, {"shape", "rows", "size"}));
  } catch (const suites::UsageError&) {
    note.of_whole_suite = true;
  }
  return note;
}

DeviceNote note_of(const reports::Finding& finding) {
  DeviceNote note = note_at(finding.result.name);
  note.kind = finding.result.standing == suites::Standing::kDeviation ? NoteKind::kDeviation
                                                                      : NoteKind::kViolation;
  note.what = fmt::format("{} {}", finding.id, finding.result.name);
  return note;
}

// Nothing for a verdict that names no kind: it is undecided or disputed.
std::optional<NoteKind> kind_of(const reports::Fp16Operator& op) {
  using reports::Fp16Kind;
  for (const Fp16Kind kind : reports::kAllFp16Kinds) {
    if (reports::name_of(kind) != op.kind) continue;
    const bool is_native = kind == Fp16Kind::kNative || kind == Fp16Kind::kHalfAccumulation;
    return is_native ? NoteKind::kNative : NoteKind::kEmulated;
  }
  return std::nullopt;
}

// Of "nn.m384n384k384.plain" the part that is a shape.
Extents extents_of(std::string_view shape) {
  while (!shape.empty()) {
    const std::size_t end = std::min(shape.find('.'), shape.size());
    if (Extents extents = extents_in(shape.substr(0, end)); !extents.empty()) return extents;
    shape.remove_prefix(std::min(end + 1, shape.size()));
  }
  return {};
}

// "fp16.acc-fp32.out-fp16" is about operands in fp16 whose sums are in fp32; chain.add about add.
DeviceNote note_of(const reports::Fp16Operator& op, NoteKind kind) {
  DeviceNote note{.kind = kind,
                  .suite = op.operation,
                  .operation = without_prefix(op.operation, "chain."),
                  .format = op.formats.substr(0, op.formats.find('.')),
                  .extents = extents_of(op.shape),
                  .what = fmt::format("{} at {}", op.kind, op.shape)};
  const std::size_t at = op.formats.find("acc-");
  if (at != std::string::npos)
    note.accumulator = op.formats.substr(at, op.formats.find('.', at) - at);
  return note;
}

}  // namespace

std::vector<DeviceNote> notes_of(const reports::Scorecard& card) {
  std::vector<DeviceNote> notes;
  for (const reports::Finding& finding : card.findings) notes.push_back(note_of(finding));
  for (const reports::Fp16Operator& op : card.fp16_operators) {
    if (const auto kind = kind_of(op)) notes.push_back(note_of(op, *kind));
  }
  return notes;
}

std::vector<DeviceNote> read_device_notes(const std::filesystem::path& card) {
  try {
    return notes_of(reports::read_scorecard(card));
  } catch (const reports::CardError& error) {
    throw suites::UsageError(error.what());
  } catch (const reports::FileError& error) {
    throw suites::UsageError(error.what());
  }
}

bool concerns(const DeviceNote& note, const OperatorUse& use) {
  const OperatorRow* row = find_operator(use.name);
  if (row == nullptr || row->suite.empty()) return false;
  const std::string_view operation = without_direction(row->operation);
  const bool is_operator =
      note.kind == NoteKind::kEmulated || note.kind == NoteKind::kNative
          ? note.suite == row->suite || note.operation == operation
          : note.suite == row->suite && (note.of_whole_suite || note.operation == operation);
  const bool has_format = note.format.empty() || use.format.empty() || note.format == use.format ||
                          note.format == use.operands;
  const bool has_result = note.result.empty() || use.result.empty() || note.result == use.result;
  const bool has_sum = note.accumulator.empty() || use.accumulator.empty() ||
                       note.accumulator == "acc-" + use.accumulator;
  return is_operator && has_format && has_result && has_sum;
}

Extents extents_in(std::string_view token) {
  Extents extents;
  while (!token.empty()) {
    const char letter = token.front();
    std::uint64_t number = 0;
    const auto [end, error] =
        std::from_chars(token.data() + 1, token.data() + token.size(), number);
    if (!std::isalpha(static_cast<unsigned char>(letter)) || error != std::errc()) return {};
    extents.emplace_back(letter, number);
    token.remove_prefix(static_cast<std::size_t>(end - token.data()));
  }
  return extents;
}

double distance(const Extents& a, const Extents& b) {
  double sum = 0;
  for (const auto& [letter, mine] : a) {
    for (const auto& [other, its] : b) {
      if (letter == other && mine > 0 && its > 0)
        sum += std::abs(std::log2(static_cast<double>(mine) / static_cast<double>(its)));
    }
  }
  return sum;
}

}  // namespace halfmark::tools
