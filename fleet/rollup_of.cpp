// SPDX-License-Identifier: Apache-2.0
#include "fleet/rollup_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "fleet/digest64.hpp"
#include "reference/text/visible.hpp"
#include "reports/incidents.hpp"
#include "reports/scorecard.hpp"

namespace halfmark::fleet {
namespace {

using nlohmann::json;

// Foreign texts (reasons, names of devices) are cut to this, so that a roll-up stays small.
constexpr std::size_t kMostText = 200;

std::string cut(std::string text) {
  if (text.size() <= kMostText) return text;
  std::size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  text.resize(end);
  return text;
}

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return cut(found->get<std::string>());
}

bool is_wrong(MissKind kind) { return kind == MissKind::kViolation || kind == MissKind::kDied; }

MissKind kind_of(std::string_view finding_class, bool is_violation) {
  if (suites::differs_between_runs(finding_class))
    return is_violation ? MissKind::kContradicts : MissKind::kVaries;
  return MissKind::kViolation;
}

bool died(std::string_view verdict) {
  const auto known = suites::parse_verdict(verdict);
  return known && suites::died(*known);
}

// Of cases that gave an answer when they were repeated, and of what is measured beside them.
bool loses_too_often(const json& card) {
  return reports::losses_in(card.at("environment"), card.at("roster").at("expected")).beyond();
}

// By case: what was not answered as it should. A deviation that a freedom permits is an answer
// like any other, unless the device contradicts itself.
std::map<std::string, Miss> misses_of(const json& card) {
  std::map<std::string, Miss> misses;
  for (const json& finding : card.at("findings")) {
    const std::string finding_class = text_of(finding, "class");
    const bool is_violation = finding.at("standing") == "violation";
    if (!is_violation && !suites::differs_between_runs(finding_class)) continue;
    const std::string name = finding.at("case");
    misses[name] = {.case_name = name,
                    .finding_class = finding_class,
                    .result = text_of(finding, "digest"),
                    .kind = kind_of(finding_class, is_violation)};
  }
  for (const json& canary : card.at("canaries")) {
    if (canary.at("standing") != "violation") continue;
    const std::string name = "canary." + text_of(canary, "name");
    misses[name] = {.case_name = name,
                    .finding_class = "canary",
                    .result = fmt::format("{:016x}", digest64(text_of(canary, "observed"))),
                    .kind = MissKind::kViolation};
  }
  for (const json& line : card.at("cases")) {
    const std::string_view verdict = line.at("verdict").get_ref<const std::string&>();
    if (!died(verdict)) continue;
    const std::string name = line.at("name");
    misses[name] = {.case_name = name,
                    .finding_class = std::string(verdict),
                    .result = {},
                    .kind = MissKind::kDied};
  }
  if (loses_too_often(card)) {
    const std::string name(kLosses);
    misses[name] = {.case_name = name,
                    .finding_class = std::string(name_of(suites::Verdict::kDeviceLost)),
                    .result = {},
                    .kind = MissKind::kDied};
  }
  return misses;
}

// A case that was skipped, and one on which the device contradicts itself, have no bits that could
// be compared with a peer's. Of one that died, the verdict is compared.
bool is_comparable(std::string_view verdict, const Miss* miss) {
  if (verdict == "skipped") return false;
  return miss == nullptr || is_wrong(miss->kind);
}

void add_answer(SuiteAnswers& suite, std::string_view name, std::string_view verdict,
                std::string_view result, const Miss* miss) {
  if (miss != nullptr && is_wrong(miss->kind)) ++suite.missed;
  if (!is_comparable(verdict, miss)) return;
  suite.asked += digest64(name);
  suite.bits += digest64(name, verdict, result);
}

std::vector<SuiteAnswers> answers_of(const json& card, const std::map<std::string, Miss>& misses) {
  std::map<std::string, SuiteAnswers, std::less<>> by_suite;
  const auto suite_named = [&](std::string_view suite) -> SuiteAnswers& {
    const auto place = by_suite.find(suite);
    if (place != by_suite.end()) return place->second;
    return by_suite.emplace(suite, SuiteAnswers{.suite = std::string(suite)}).first->second;
  };
  const auto miss_of = [&](const std::string& name) {
    const auto miss = misses.find(name);
    return miss == misses.end() ? nullptr : &miss->second;
  };
  for (const json& line : card.at("cases")) {
    const auto& name = line.at("name").get_ref<const std::string&>();
    const auto& verdict = line.at("verdict").get_ref<const std::string&>();
    SuiteAnswers& suite = suite_named(reports::suite_of(name));
    if (verdict == "pass") ++suite.passed;
    add_answer(suite, name, verdict, line.at("digest").get_ref<const std::string&>(),
               miss_of(name));
  }
  for (const json& canary : card.at("canaries")) {
    const std::string name = "canary." + text_of(canary, "name");
    add_answer(suite_named("canary"), name, text_of(canary, "standing"),
               text_of(canary, "observed"), miss_of(name));
  }
  if (const std::string name(kLosses); const Miss* miss = miss_of(name))
    add_answer(suite_named(name), name, miss->finding_class, miss->result, miss);
  std::vector<SuiteAnswers> answers;
  for (auto& [suite, one] : by_suite) answers.push_back(std::move(one));
  if (answers.size() > kMostSuites) answers.resize(kMostSuites);
  return answers;
}

double clock_of(const json& card) {
  const json::json_pointer place("/device/extra/telemetry/compute_clock_mhz");
  const json& environment = card.at("environment");
  if (!environment.contains(place)) return 0;
  const json& clock = environment.at(place);
  return clock.is_number() ? std::max(0.0, clock.get<double>()) : 0;
}

double best_product(const json& card, std::string_view format) {
  double best = 0;
  for (const json& row : card.at("throughput")) {
    if (row.at("operator") != "gemm" || !row.at("excluded").get_ref<const std::string&>().empty())
      continue;
    const auto& formats = row.at("formats").get_ref<const std::string&>();
    if (formats.substr(0, formats.find('.')) == format)
      best = std::max(best, row.at("gflops").get<double>());
  }
  return best;
}

double roof_of(const json& card, std::string_view operation, std::string_view format) {
  for (const json& roof : card.at("roofs").at("operations")) {
    if (roof.at("operation") == operation && roof.at("formats") == format)
      return roof.at("best").at("gflops").get<double>();
  }
  return 0;
}

double memory_of(const json& card, std::string_view operation) {
  for (const json& roof : card.at("roofs").at("memory")) {
    if (roof.at("operation") == operation && roof.at("word_bytes") == 4)
      return roof.at("gbytes_per_s").get<double>();
  }
  return 0;
}

std::vector<Rate> rates_of(const json& card) {
  const double clock = clock_of(card);
  const std::array<Rate, kMostRates> all{
      {{"fma.fp32", roof_of(card, "fma", "fp32"), clock},
       {"fma.fp16", roof_of(card, "fma", "fp16"), clock},
       {"fma.bf16", roof_of(card, "fma", "bf16"), clock},
       {"muladd.fp32", roof_of(card, "muladd", "fp32"), clock},
       {"gemm.fp32", best_product(card, "fp32"), clock},
       {"gemm.fp16", best_product(card, "fp16"), clock},
       {"copy", memory_of(card, "copy"), 0},  // the compute clock does not drive memory
       {"triad", memory_of(card, "triad"), 0}}};
  std::vector<Rate> measured;
  std::ranges::copy_if(all, std::back_inserter(measured),
                       [](const Rate& rate) { return rate.per_second > 0; });
  return measured;
}

// A planted fault is to be found beside peers without it, so its words are no part of the name.
std::string name_of_device(const json& device, const json& environment) {
  std::string name = text_of(device, "name");
  const json::json_pointer place("/device/extra/fault");
  if (!environment.contains(place) || !environment.at(place).is_string()) return name;
  const std::string end = " with fault " + environment.at(place).get<std::string>();
  if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

DeviceIdentity identity_of_device(const json& device, const json& environment) {
  return {.selector = text_of(device, "selector"),
          .backend = text_of(device, "backend"),
          .name = name_of_device(device, environment),
          .platform = text_of(device, "platform"),
          .driver = text_of(device, "driver_version")};
}

Question question_of(const json& suite) {
  return {.version = suite.at("version"),
          .contract_revision = suite.at("contract_revision"),
          .level = suite.at("level"),
          .shard = suite.at("shard"),
          .seed = suite.at("seed"),
          .filters = suite.at("filters"),
          .suites = suite.at("selected"),
          .golden = suite.value("golden", std::string())};
}

SelfTest self_test_of(const json& environment) {
  const auto test = environment.find("self_test");
  if (test == environment.end()) return SelfTest::kNone;
  if (test->at("caught").get<bool>()) return SelfTest::kCaught;
  return test->at("done").get<bool>() ? SelfTest::kMissed : SelfTest::kNotDone;
}

GoldenCounts golden_of(const json& environment) {
  const auto golden = environment.find("golden");
  if (golden == environment.end()) return {};
  return {.matched = golden->at("matched"),
          .confirmed = golden->at("confirmed"),
          .refuted = golden->at("refuted")};
}

Rollup assembled(const json& card, const Origin& origin) {
  const std::map<std::string, Miss> misses = misses_of(card);
  Rollup rollup{.origin = origin,
                .device = identity_of_device(card.at("device"), card.at("environment")),
                .question = question_of(card.at("suite")),
                .completeness = card.at("status") == "COMPLETE" ? Completeness::kComplete
                                                                : Completeness::kPartial,
                .reason = {},
                .card = text_of(card, "digest"),
                .started = text_of(card.at("environment"), "started"),
                .expected = card.at("roster").at("expected"),
                .reported = card.at("roster").at("reported"),
                .answers = answers_of(card, misses),
                .misses = {},
                .total_misses = misses.size(),
                .rates = rates_of(card),
                .self_test = self_test_of(card.at("environment")),
                .golden = golden_of(card.at("environment"))};
  for (const auto& [name, miss] : misses) {
    if (rollup.misses.size() < kMostMisses) rollup.misses.push_back(miss);
  }
  if (rollup.completeness == Completeness::kPartial) {
    const json& reasons = card.at("incomplete_reasons");
    rollup.reason =
        reasons.empty() ? "the run is incomplete" : cut(reasons.at(0).get<std::string>());
  }
  return rollup;
}

}  // namespace

Rollup rollup_of(const json& card, const Origin& origin) {
  try {
    if (card.at("schema") != reports::kSchemaName)
      throw RollupError(fmt::format("its schema is not {}", reports::kSchemaName));
    return assembled(card, origin);
  } catch (const json::exception&) {
    throw RollupError("it is not a scorecard of this version; `halfmark validate` says why");
  }
}

Rollup rollup_of_error(const Origin& origin, const DeviceIdentity& device,
                       const std::string& reason) {
  Rollup rollup;
  rollup.origin = origin;
  rollup.device = device;
  rollup.reason = reason.empty() ? "no reason is known" : text::visible_line(reason, kMostText);
  return rollup;
}

}  // namespace halfmark::fleet
