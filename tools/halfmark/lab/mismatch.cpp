// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/mismatch.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace halfmark::tools::lab {
namespace {

using nlohmann::json;

// Names of modes (modes.cpp).
constexpr std::pair<const char*, const char*> kPairs[] = {
    {"fp32", "bf16"},      {"fp32", "fp16"},      {"fp16", "bf16"},       {"fp32", "fp32-sums"},
    {"bf16", "bf16-sums"}, {"fp16", "fp16-sums"}, {"bf16", "bf16-split"}, {"fp16", "fp16-split"},
    {"fp32", "fp32-rows"}, {"bf16", "bf16-rows"}, {"fp16", "fp16-rows"},
};

std::vector<double> log_softmax(const std::vector<double>& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - largest);
  std::vector<double> logs;
  for (const double logit : logits) logs.push_back(logit - largest - std::log(sum));
  return logs;
}

std::ptrdiff_t likeliest(const std::vector<double>& logits) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

// A NaN stays.
double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

json to_json(const std::string& first, const std::string& second, const Mismatch& m) {
  const auto number = [](double value) { return std::isnan(value) ? json("nan") : json(value); };
  return {{"first", first},
          {"second", second},
          {"mean_divergence", number(m.mean_divergence)},
          {"largest_divergence", number(m.largest_divergence)},
          {"mean_gap", number(m.mean_gap)},
          {"largest_gap", number(m.largest_gap)},
          {"rows", m.rows},
          {"other_class", m.other_class}};
}

// Logs hold what is not finite as a word.
Logits logits_of(const json& mode) {
  Logits logits;
  for (const json& row : mode.at("steps").back().at("logits")) {
    std::vector<double>& numbers = logits.emplace_back();
    for (const json& logit : row)
      numbers.push_back(logit.is_number() ? logit.get<double>()
                                          : std::numeric_limits<double>::quiet_NaN());
  }
  return logits;
}

const json* mode_named(const json& modes, std::string_view name) {
  for (const json& mode : modes) {
    if (mode.at("name") == name) return &mode;
  }
  return nullptr;
}

json pairs_of(const json& modes) {
  json list = json::array();
  for (const auto& [first, second] : kPairs) {
    const json* a = mode_named(modes, first);
    const json* b = mode_named(modes, second);
    if (a != nullptr && b != nullptr)
      list.push_back(to_json(first, second, mismatch_of(logits_of(*a), logits_of(*b))));
  }
  return list;
}

std::string word(const json& value) {
  return value.is_string() ? value.get<std::string>() : fmt::format("{:.3g}", value.get<double>());
}

void print_list(const char* title, const json& list, std::ostream& out) {
  fmt::print(out, "\n{:<23} {:>10} {:>10} {:>10} {:>10} {:>12}\n", title, "mean KL", "largest",
             "mean gap", "largest", "other class");
  for (const json& m : list)
    fmt::print(out, "  {:<10} {:<10} {:>10} {:>10} {:>10} {:>10} {:>5} of {:>3}\n",
               m.at("first").get<std::string>(), m.at("second").get<std::string>(),
               word(m.at("mean_divergence")), word(m.at("largest_divergence")),
               word(m.at("mean_gap")), word(m.at("largest_gap")),
               m.at("other_class").get<std::size_t>(), m.at("rows").get<std::size_t>());
}

const json* pair_named(const json& list, std::string_view first, std::string_view second) {
  for (const json& m : list) {
    if (m.at("first") == first && m.at("second") == second) return &m;
  }
  return nullptr;
}

void print_ratio(const json& list, std::ostream& out) {
  const json* wide = pair_named(list, "fp32", "bf16");
  const json* narrow = pair_named(list, "fp32", "fp16");
  if (wide == nullptr || narrow == nullptr) return;
  const json& of_bf16 = wide->at("mean_gap");
  const json& of_fp16 = narrow->at("mean_gap");
  if (!of_bf16.is_number() || !of_fp16.is_number() || of_fp16.get<double>() == 0) return;
  fmt::print(out, "  bf16 is {:.3g} times as far from fp32 as fp16 is, by the mean gap\n",
             of_bf16.get<double>() / of_fp16.get<double>());
}

}  // namespace

Mismatch mismatch_of(const Logits& first, const Logits& second) {
  Mismatch m{.rows = first.size()};
  std::size_t classes = 0;
  for (std::size_t row = 0; row < first.size(); ++row) {
    const std::vector<double> p = log_softmax(first[row]);
    const std::vector<double> q = log_softmax(second[row]);
    double divergence = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      divergence += std::exp(p[i]) * (p[i] - q[i]);
      m.mean_gap += std::abs(p[i] - q[i]);
      m.largest_gap = larger(m.largest_gap, std::abs(p[i] - q[i]));
    }
    m.mean_divergence += divergence;
    m.largest_divergence = larger(m.largest_divergence, divergence);
    m.other_class += likeliest(first[row]) != likeliest(second[row]) ? 1U : 0U;
    classes += p.size();
  }
  m.mean_divergence /= static_cast<double>(first.size());
  m.mean_gap /= static_cast<double>(classes);
  return m;
}

json mismatches(const json& report) {
  const json& reference = report.at("reference").at("modes");
  json all = {{"reference", pairs_of(reference)}};
  const auto device = report.find("device");
  if (device == report.end()) return all;
  const json& modes = device->at("modes");
  all["device"] = pairs_of(modes);
  all["between"] = json::array();
  for (const json& mode : modes) {
    const std::string name = mode.at("name");
    all["between"].push_back(
        to_json(name, name, mismatch_of(logits_of(*mode_named(reference, name)), logits_of(mode))));
  }
  return all;
}

void print_mismatches(const json& all, std::ostream& out) {
  constexpr std::pair<const char*, const char*> kLists[] = {
      {"reference", "reference"}, {"device", "device"}, {"between", "reference, device"}};
  for (const auto& [name, title] : kLists) {
    const auto list = all.find(name);
    if (list == all.end() || list->empty()) continue;
    print_list(title, *list, out);
    print_ratio(*list, out);
  }
}

}  // namespace halfmark::tools::lab
