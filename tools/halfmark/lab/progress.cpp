// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/progress.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <optional>
#include <string>

#include "tools/halfmark/lab/words.hpp"

namespace halfmark::tools::lab {
namespace {

using nlohmann::json;

// By how much the loss has fallen; nothing if it is not finite.
std::optional<double> fall_of(const json& mode) {
  const json& first = mode.at("steps").front().at("loss");
  const json& last = mode.at("steps").back().at("loss");
  if (!first.is_number() || !last.is_number()) return std::nullopt;
  return first.get<double>() - last.get<double>();
}

std::string share_of_progress(const json& modes, const json& mode) {
  const std::optional<double> whole = fall_of(modes.front());
  const std::optional<double> fall = fall_of(mode);
  return fall && whole ? percent(*fall / *whole) : "-";
}

// "16 16 17 (18) 17": the scale of each step, in parentheses if the step was skipped.
std::string course_of(const json& mode) {
  std::string course;
  for (const json& step : mode.at("steps")) {
    const int scale = step.at("scale_log2").get<int>();
    course += fmt::format(
        "{}{}", course.empty() ? "" : " ",
        step.at("skipped").get<bool>() ? fmt::format("({})", scale) : fmt::to_string(scale));
  }
  return course;
}

std::size_t skipped_in(const json& mode) {
  return static_cast<std::size_t>(std::ranges::count_if(
      mode.at("steps"), [](const json& step) -> bool { return step.at("skipped"); }));
}

}  // namespace

void print_left_progress(const char* where, const json& modes, std::ostream& out) {
  fmt::print(out, "\n{}\n  {:<13} {:>10} {:>11} {:>10} {:>10} {:>10}  {}\n", where, "",
             "loss falls", "of fp32's", "zero", "subnormal", "swallowed", "died of");
  for (const json& mode : modes) {
    const json& last = mode.at("steps").back();
    const std::optional<double> fall = fall_of(mode);
    const std::string of = mode.at("died_of");
    fmt::print(out, "  {:<13} {:>10} {:>11} {:>10} {:>10} {:>10}  {}\n",
               mode.at("name").get<std::string>(), fall ? fmt::format("{:.5g}", *fall) : "-",
               share_of_progress(modes, mode), percent(last.at("zero_share").get<double>()),
               percent(last.at("subnormal_share").get<double>()),
               percent(last.at("swallowed_share").get<double>()), of.empty() ? "-" : of);
  }
}

void print_scalers(const char* where, const json& modes, std::ostream& out) {
  fmt::print(out,
             "\n{}: the power of two of each step's scale, in parentheses where it was skipped\n",
             where);
  for (auto mode = modes.begin() + 1; mode != modes.end(); ++mode)
    fmt::print(out, "  {:<10} {}\n", mode->at("name").get<std::string>(), course_of(*mode));
  fmt::print(out, "\n  {:<10} {:>8} {:>8} {:>10} {:>11}  {}\n", "", "made", "skipped", "last loss",
             "of fp32's", "died of");
  for (const json& mode : modes) {
    const std::size_t steps = mode.at("steps").size();
    const std::string of = mode.at("died_of");
    const bool recovered = mode.at("cause").at("recovered");
    fmt::print(out, "  {:<10} {:>8} {:>8} {:>10} {:>11}  {}\n", mode.at("name").get<std::string>(),
               steps - skipped_in(mode), skipped_in(mode), word(mode.at("steps").back().at("loss")),
               share_of_progress(modes, mode), of.empty() || recovered ? "-" : of);
  }
}

}  // namespace halfmark::tools::lab
