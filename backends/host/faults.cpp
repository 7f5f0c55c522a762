// SPDX-License-Identifier: Apache-2.0
#include "backends/host/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "reference/text/visible.hpp"

namespace halfmark::backends::host {
namespace {

// The first and the last of each letter, in the table's order.
std::string spans_of_ids() {
  std::string spans;
  const std::span<const FaultRow> rows = all_faults();
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last + 1) {
    last = first;
    while (last + 1 < rows.size() && rows[last + 1].id[0] == rows[first].id[0]) ++last;
    spans += fmt::format("{}{}", spans.empty() ? "" : ", ", rows[first].id);
    if (last > first) spans += fmt::format(" to {}", rows[last].id);
  }
  return spans;
}

std::string parameters_of(const FaultRow& row) {
  std::string names;
  for (const FaultParameter& p : row.parameters) {
    if (!p.name.empty())
      names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", p.name, p.value);
  }
  return names.empty() ? "none" : names;
}

const FaultRow& find(std::string_view id) {
  for (const FaultRow& row : all_faults()) {
    if (row.id == id) return row;
  }
  throw FaultError(fmt::format("there is no fault '{}'; `halfmark list --faults` lists them: {}",
                               text::visible_line(id), spans_of_ids()));
}

// Parses "block=16".
void assign(const FaultRow& row, std::string_view text, std::vector<std::uint64_t>& values) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const auto parameter =
      std::ranges::find(row.parameters, text.substr(0, equals), &FaultParameter::name);
  if (parameter == row.parameters.end() || parameter->name.empty()) {
    throw FaultError(fmt::format("fault {} has no parameter '{}'; it has: {}", row.id,
                                 text::visible_line(text.substr(0, equals)), parameters_of(row)));
  }
  const std::string_view number = text.substr(std::min(equals + 1, text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (number.empty() || error != std::errc{} || end != number.data() + number.size() ||
      value < parameter->least || value > 0xffffffff) {
    throw FaultError(fmt::format("fault {}: {} takes a whole number from {} to 2^32 - 1, not '{}'",
                                 row.id, parameter->name, parameter->least,
                                 text::visible_line(number)));
  }
  values[static_cast<std::size_t>(parameter - row.parameters.begin())] = value;
}

}  // namespace

std::uint64_t Fault::value(std::string_view parameter) const {
  for (std::size_t i = 0; row_ != nullptr && i < row_->parameters.size(); ++i) {
    if (row_->parameters[i].name == parameter) return values_.at(i);
  }
  throw std::logic_error(fmt::format("fault '{}' has no parameter '{}'", id(), parameter));
}

std::string Fault::name() const {
  std::string text(id());
  for (std::size_t i = 0; row_ != nullptr && i < row_->parameters.size(); ++i) {
    const FaultParameter& p = row_->parameters[i];
    if (!p.name.empty()) text += fmt::format("{}{}={}", i == 0 ? ":" : ",", p.name, values_.at(i));
  }
  return text;
}

Fault parse_fault(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const FaultRow& row = find(text.substr(0, colon));
  std::vector<std::uint64_t> values;
  for (const FaultParameter& p : row.parameters) values.push_back(p.value);
  std::string_view rest = text.substr(std::min(colon + 1, text.size()));
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    assign(row, rest.substr(0, comma), values);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return Fault(row, std::move(values));
}

Fault fault_of_environment() {
  const char* text = std::getenv(kFaultVariable);
  return parse_fault(text == nullptr ? "" : text);
}

}  // namespace halfmark::backends::host
