// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/convergence.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <string>

namespace halfmark::tools::lab {
namespace {

using nlohmann::json;

constexpr double kMostOfTheWay = 0.95;

// The mean of a field over the `turn` steps that end before `end`; nothing if one is no number.
std::optional<double> mean(const json& steps, const char* field, std::size_t end,
                           std::size_t turn) {
  double sum = 0;
  for (std::size_t i = end - turn; i < end; ++i) {
    const json& value = steps[i].at(field);
    if (!value.is_number() || !steps[i].at("first_non_finite").is_null()) return std::nullopt;
    sum += value.get<double>();
  }
  return sum / static_cast<double>(turn);
}

template <typename T>
json optional(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

std::string cell(const json& value, const char* form) {
  return value.is_null() ? "-" : fmt::format(fmt::runtime(form), value.get<double>());
}

std::string percent(const json& share) {
  return share.is_null() ? "-" : fmt::format("{:.4g} %", 100 * share.get<double>());
}

}  // namespace

Reached reached(const json& wide, const json& steps, std::size_t turn) {
  const std::optional<double> start = mean(wide, "loss", turn, turn);
  const std::optional<double> end_of_wide = mean(wide, "loss", wide.size(), turn);
  const std::optional<double> best = mean(wide, "accuracy", wide.size(), turn);
  const double whole = start && end_of_wide ? *start - *end_of_wide : 0;
  Reached r{.has_goal = whole > 0 && best.value_or(0) > 0};
  if (steps.size() < wide.size()) return r;
  r.loss = mean(steps, "loss", steps.size(), turn);
  r.accuracy = mean(steps, "accuracy", steps.size(), turn);
  if (!r.loss || !r.accuracy || !r.has_goal) return r;
  r.progress = (*start - *r.loss) / whole;
  r.kept_accuracy = *r.accuracy / *best;
  const double goal = *start - kMostOfTheWay * whole;
  for (std::size_t end = turn; end <= steps.size() && !r.steps; ++end) {
    if (mean(steps, "loss", end, turn).value_or(goal + 1) <= goal) r.steps = end;
  }
  return r;
}

std::string_view type_of(const Reached& r) {
  if (!r.has_goal) return "unknown";
  if (!r.progress || !r.kept_accuracy) return "type 2";
  const double lost = 1 - std::min(*r.progress, *r.kept_accuracy);
  if (lost <= 0) return "none";
  if (lost <= kAcceptable) return "type 1";
  return lost <= kUnacceptable ? "between" : "type 2";
}

bool has_died(const Reached& r) { return type_of(r) == "between" || type_of(r) == "type 2"; }

json convergence_of(const json& modes, std::size_t turn) {
  json rows = json::array();
  const json& wide = modes.front().at("steps");
  for (const json& mode : modes) {
    const Reached r = reached(wide, mode.at("steps"), std::min(turn, wide.size()));
    rows.push_back({{"name", mode.at("name")},
                    {"loss", optional(r.loss)},
                    {"accuracy", optional(r.accuracy)},
                    {"progress", optional(r.progress)},
                    {"kept_accuracy", optional(r.kept_accuracy)},
                    {"steps", optional(r.steps)},
                    {"taken", mode.at("steps").size()},
                    {"type", type_of(r)},
                    {"died_of", has_died(r) ? mode.at("died_of") : json("")}});
  }
  return rows;
}

void print_convergence(const char* where, const json& rows, std::ostream& out) {
  fmt::print(out, "\n{}\n  {:<14} {:>10} {:>11} {:>10} {:>11} {:>12}  {:<8} {}\n", where, "",
             "last loss", "of progress", "accuracy", "of fp32's", "95 % after", "loss of",
             "died of");
  for (const json& row : rows) {
    const std::string of = row.at("died_of");
    const bool is_first = &row == &rows.front();
    fmt::print(out, "  {:<14} {:>10} {:>11} {:>10} {:>11} {:>12}  {:<8} {}\n",
               row.at("name").get<std::string>(), cell(row.at("loss"), "{:.5g}"),
               percent(row.at("progress")), percent(row.at("accuracy")),
               percent(row.at("kept_accuracy")),
               row.at("steps").is_null() ? "never" : cell(row.at("steps"), "{} steps"),
               is_first ? "" : row.at("type").get<std::string>(), of.empty() ? "-" : of);
  }
}

}  // namespace halfmark::tools::lab
