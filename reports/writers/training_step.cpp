// SPDX-License-Identifier: Apache-2.0
#include "reports/writers/training_step.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "reports/writers/html_parts.hpp"
#include "reports/writers/text.hpp"
#include "reports/writers/writers.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::string power(const json& log2) {
  return log2.is_null() ? "-" : fmt::format("2^{}", log2.get<int>());
}

std::string unchanged_share(const json& tensor, double elements) {
  const json unchanged = tensor.value("unchanged", json());
  return unchanged.is_null() ? "-" : percent(unchanged.get<double>() / elements);
}

bool is_counted_by_host(const json& tensor) { return tensor.value("counted_by_host", false); }

// Cards of before these figures hold the device's wrong counts, without a word.
std::string sentence_of_counts(const json& step) {
  const auto different = step.at("different").get<std::uint64_t>();
  if (different == 0) return "All counts are those of the host";
  const bool are_of_host = std::ranges::any_of(step.at("tensors"), is_counted_by_host);
  return "Counts that are not those of the host: " + plural(different, "tensor") +
         (are_of_host ? ", shown as the host counts" : "");
}

std::vector<std::string> row_of(const json& tensor) {
  const auto elements = tensor.at("elements").get<double>();
  std::vector<std::string> row = {
      tensor.at("name").get<std::string>() + (is_counted_by_host(tensor) ? " (host)" : ""),
      tensor.at("format"), grouped(tensor.at("elements").get<std::uint64_t>()),
      fmt::format("{:.3g}", tensor.at("amax").get<double>()),
      percent(tensor.at("zeros").get<double>() / elements),
      // cards of before these figures lack them
      tensor.contains("norm") ? fmt::format("{:.3g}", tensor.at("norm").get<double>()) : "-",
      unchanged_share(tensor, elements)};
  for (const json& scale : tensor.at("scales")) {
    row.push_back(percent(scale.at("subnormal")));
    row.push_back(percent(scale.at("lost")));
  }
  row.push_back(power(tensor.at("suggested_scale_log2")));
  const json& first = tensor.at("first_not_finite");
  row.push_back(first.is_null() ? "-"
                                : fmt::format("{} from {} on", tensor.at("not_finite").dump(),
                                              first.get<std::uint64_t>()));
  return row;
}

}  // namespace

TrainingStepText training_step_text(const Scorecard& card) {
  const json& step = card.training_step;
  if (step.is_null() || step.at("tensors").empty()) return {};
  TrainingStepText text{
      .title =
          "Tensors of a training step, counted on the device; norm and unchanged by the host "
          "from its results (" +
          step.at("case").get<std::string>() + ")",
      .cost = {},
      .header = {"tensor", "format", "elements", "greatest", "zero", "norm (host)",
                 "unchanged (host)"},
      .rows = {}};
  for (const json& scale : step.at("tensors")[0].at("scales")) {
    const std::string at = power(scale.at("scale_log2"));
    text.header.push_back("subnormal at " + at);
    text.header.push_back("lost at " + at);
  }
  text.header.insert(text.header.end(), {"suggested scale", "not finite"});
  for (const json& tensor : step.at("tensors")) text.rows.push_back(row_of(tensor));
  text.cost = fmt::format(
      "{}; counting took {:.3g} ms, the step {:.3g} ms. Shares are of numbers other than zero, in "
      "the zones of fp16 at that scale.",
      sentence_of_counts(step), step.at("counting_ns").get<double>() / 1e6,
      step.at("step_ns").get<double>() / 1e6);
  return text;
}

void html::print_training_step(const Scorecard& card, std::ostream& out) {
  const TrainingStepText text = training_step_text(card);
  if (text.title.empty()) return;
  fmt::print(out, "<h2>Training step</h2>\n<p>{}. {}</p>\n<div class=\"scroll\"><table>\n<tr>",
             safe(text.title), safe(text.cost));
  for (const std::string& name : text.header) fmt::print(out, "<th>{}</th>", safe(name));
  out << "</tr>\n";
  for (const std::vector<std::string>& row : text.rows) {
    out << "<tr>";
    for (const std::string& cell : row) fmt::print(out, "<td>{}</td>", safe(cell));
    out << "</tr>\n";
  }
  out << "</table></div>\n";
}

}  // namespace halfmark::reports
