// SPDX-License-Identifier: Apache-2.0
// The layout of a scorecard's JSON in its file.
#include <algorithm>

#include "reference/text/visible.hpp"
#include "reports/scorecard_json.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;

// Reading order of the file. Members not named here would follow in alphabetical order; the schema
// allows none.
constexpr const char* kReadingOrder[] = {
    "schema",   "digest",     "status",        "incomplete_reasons", "suite",
    "device",   "marks",      "true_fp16",     "fp16_operators",     "roofs",
    "roster",   "suites",     "arithmetic",    "accuracy",           "findings",
    "canaries", "throughput", "training_step", "not_asserted",       "environment",
    "times",    "cases"};

std::string flat(const json& value) {
  return text::visible_json(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

// A member that fits on one line stays on one: people read cards with thousands of cases, and
// compare them line by line.
constexpr std::size_t kLineWidth = 160;

void print_value(const json& value, std::size_t indent, std::string& out) {
  const std::string line = flat(value);
  if (!value.is_structured() || value.empty() || indent + line.size() <= kLineWidth) {
    out += line;
    return;
  }
  bool first = true;
  out += value.is_object() ? '{' : '[';
  for (const auto& [key, inner] : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 2, ' ');
    if (value.is_object()) out += flat(key) + ": ";
    print_value(inner, indent + 2, out);
  }
  out += '\n';
  out.append(indent, ' ');
  out += value.is_object() ? '}' : ']';
}

}  // namespace

std::string print_json(const Scorecard& card) { return print_json(to_json(card)); }

std::string print_json(const json& card) {
  std::string text = "{";
  const auto append = [&](const std::string& key) {
    text += (text.size() > 1 ? ",\n  " : "\n  ") + flat(key) + ": ";
    print_value(card.at(key), 2, text);
  };
  for (const char* key : kReadingOrder) {
    if (card.contains(key)) append(key);
  }
  for (const auto& [key, value] : card.items()) {
    if (std::ranges::count(kReadingOrder, key) == 0) append(key);
  }
  return text + "\n}\n";
}

}  // namespace halfmark::reports
