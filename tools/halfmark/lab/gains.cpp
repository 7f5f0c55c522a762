// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/gains.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <optional>
#include <string>

#include "tools/halfmark/lab/sweep.hpp"
#include "tools/halfmark/lab/words.hpp"

namespace halfmark::tools::lab {
namespace {

using nlohmann::json;

double step_ns(const json& mode) {
  return mode.at("observed_step").at("operators_ns").get<double>();
}

bool is_comparable(const json& mode) {
  return mode.at("deviations").empty() && mode.at("died_of").get<std::string>().empty() &&
         step_ns(mode) > 0;
}

// Of the memory that fp32's tensors take.
json share_of_memory(const json& mode, const json& wide) {
  const json &own = mode.at("step_bytes"), &most = wide.at("step_bytes");
  if (own.is_null() || most.is_null()) return {};
  return own.get<double>() / most.get<double>();
}

json row_of(const json& modes, const json& wide, const json& mode) {
  const std::optional<double> gap = gap_to_fp32(modes, mode);
  return {{"name", mode.at("name")},
          {"times", step_ns(wide) / step_ns(mode)},
          {"memory", share_of_memory(mode, wide)},
          {"loss_gap", gap ? json(*gap) : json()},
          {"accuracy", mode.at("steps").back().at("accuracy")},
          {"fp32_accuracy", wide.at("steps").back().at("accuracy")}};
}

}  // namespace

json gains_of(const json& modes) {
  json rows = json::array();
  const auto wide =
      std::ranges::find_if(modes, [](const json& mode) { return mode.at("name") == "fp32"; });
  if (wide == modes.end() || !is_comparable(*wide)) return rows;
  for (const json& mode : modes) {
    if (mode.at("format") != "fp32" && is_comparable(mode))
      rows.push_back(row_of(modes, *wide, mode));
  }
  return rows;
}

void print_gains(const json& modes, std::ostream& out) {
  const json rows = gains_of(modes);
  if (rows.empty()) return;
  fmt::print(out,
             "\nspeed, by the operators' kernels of the second step, and memory, by its tensors\n");
  for (const json& row : rows) {
    std::string kept;
    if (!row.at("memory").is_null())
      kept += fmt::format(", in {} of its memory", percent(row.at("memory").get<double>()));
    if (!row.at("loss_gap").is_null())
      kept += fmt::format("; its last loss is {} from fp32's",
                          percent(row.at("loss_gap").get<double>()));
    if (!row.at("accuracy").is_null())
      kept += fmt::format(", its accuracy {} beside {}", percent(row.at("accuracy").get<double>()),
                          percent(row.at("fp32_accuracy").get<double>()));
    fmt::print(out, "  {:<13} {:.3g} times as fast as fp32{}\n", row.at("name").get<std::string>(),
               row.at("times").get<double>(), kept);
  }
}

}  // namespace halfmark::tools::lab
