// SPDX-License-Identifier: Apache-2.0
// Each struct has its two conversions side by side: `json_of` and a `from` for the same members.
#include "reports/scorecard_json.hpp"

#include <stdexcept>

#include "reports/findings.hpp"
#include "reports/json_lists.hpp"
#include "reports/throughput_json.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;
using suites::Verdict;

json json_of(const RunIdentity& r) {
  json j = {{"version", r.version}, {"contract_revision", r.contract_revision},
            {"level", r.level},     {"seed", r.seed},
            {"filters", r.filters}, {"shard", r.shard},
            {"selected", r.suites}};
  if (!r.golden.empty()) j["golden"] = r.golden;
  return j;
}

RunIdentity identity_from(const json& j) {
  return {.version = j.at("version"),
          .contract_revision = j.at("contract_revision"),
          .level = j.at("level"),
          .seed = j.at("seed"),
          .filters = j.at("filters"),
          .shard = j.at("shard"),
          .suites = j.at("selected"),
          .golden = j.value("golden", std::string())};
}

json json_of(const VerdictCounts& counts) {
  json j;
  for (const Verdict verdict : suites::kAllVerdicts)
    j[std::string(name_of(verdict))] = counts[verdict];
  return j;
}

VerdictCounts counts_from(const json& j) {
  VerdictCounts counts;
  for (const Verdict verdict : suites::kAllVerdicts)
    counts[verdict] = j.at(std::string(name_of(verdict)));
  return counts;
}

json json_of(const SuiteTally& s) {
  json tiers = json::object();
  for (const auto& [tier, counts] : s.tiers) tiers[tier] = json_of(counts);
  return {{"name", s.name},
          {"cases", s.verdicts.total()},
          {"verdicts", json_of(s.verdicts)},
          {"tiers", tiers}};
}

SuiteTally suite_from(const json& j) {
  SuiteTally s{.name = j.at("name"), .verdicts = counts_from(j.at("verdicts")), .tiers = {}};
  for (const auto& [tier, counts] : j.at("tiers").items()) s.tiers[tier] = counts_from(counts);
  return s;
}

json json_of(const CaseLine& c) {
  json line = {{"name", c.name},
               {"verdict", name_of(c.verdict)},
               {"digest", c.digest},
               {"reason", c.reason}};
  if (c.process == 0) return line;  // no process ran it
  line["process"] = c.process;
  line["attempt"] = c.attempt;
  return line;
}

CaseLine case_from(const json& j) {
  const auto verdict = suites::parse_verdict(j.at("verdict").get<std::string>());
  if (!verdict) throw std::runtime_error("a case has an unknown verdict");
  return {.name = j.at("name"),
          .verdict = *verdict,
          .digest = j.at("digest"),
          .reason = j.at("reason"),
          .process = j.value("process", std::uint64_t{0}),
          .attempt = j.value("attempt", std::uint64_t{1})};
}

// A result's own JSON, with names that fit a finding and the derived facts that readers of the
// file need.
json json_of(const Finding& f) {
  json j = suites::to_json(f.result, false);
  j["case"] = j.at("name");
  j.erase("name");
  j.erase("accuracy");  // has its own section
  j["id"] = f.id;
  j["operator"] = f.result.operation;
  j.erase("operation");
  j["severity"] = f.severity;
  j["replay"] = f.replay;
  for (std::size_t i = 0; i < f.result.explanations.size(); ++i) {
    const suites::Explanation& e = f.result.explanations[i];
    j["explanations"][i]["exact"] = e.exact(f.result.mismatches);
    j["explanations"][i]["explained_percent"] = explained_percent(e, f.result.mismatches);
  }
  return j;
}

Finding finding_from(const json& j) {
  json result = j;
  result["name"] = j.at("case");
  result["operation"] = j.at("operator");
  return {.id = j.at("id"),
          .severity = j.at("severity"),
          .replay = j.at("replay"),
          .result = suites::case_result_from_json(result)};
}

json json_of(const Canary& c) {
  return {{"name", c.name},
          {"observed", c.observed},
          {"meaning", c.meaning},
          {"standing", c.standing},
          {"claim", c.claim}};
}

json json_of(const ArithmeticEntry& a) {
  return {{"operator", a.operation},
          {"provider", a.provider},
          {"library", a.library},
          {"formats", a.formats},
          {"shapes", a.shapes},
          {"outcome", a.outcome},
          {"arithmetic", a.arithmetic},
          {"evidence", a.evidence},
          {"others", a.others},
          {"observed", a.observed},
          {"explained_cases", a.explained_cases},
          {"contradicted_cases", a.contradicted_cases}};
}

ArithmeticEntry arithmetic_from(const json& j) {
  return {.operation = j.at("operator"),
          .provider = j.at("provider"),
          .library = j.at("library"),
          .formats = j.at("formats"),
          .shapes = j.at("shapes"),
          .outcome = j.at("outcome"),
          .arithmetic = j.at("arithmetic"),
          .evidence = j.at("evidence"),
          .others = j.at("others"),
          .observed = j.at("observed"),
          .explained_cases = j.at("explained_cases"),
          .contradicted_cases = j.at("contradicted_cases")};
}

json json_of(const AccuracyEntry& a) {
  json j = suites::to_json(a.farthest);
  j["rule"] = a.rule;
  j["case"] = a.case_name;
  return j;
}

AccuracyEntry accuracy_from(const json& j) {
  return {
      .rule = j.at("rule"), .case_name = j.at("case"), .farthest = suites::accuracy_from_json(j)};
}

json json_of(const NotAsserted& n) { return {{"subject", n.subject}, {"reason", n.reason}}; }

NotAsserted not_asserted_from(const json& j) {
  return {.subject = j.at("subject"), .reason = j.at("reason")};
}

json json_of(const Mark& m) {
  return {{"id", m.id},       {"title", m.title},     {"held", m.held},
          {"level", m.level}, {"reasons", m.reasons}, {"scope", m.scope}};
}

Mark mark_from(const json& j) {
  return {.id = j.at("id"),
          .title = j.at("title"),
          .held = j.at("held"),
          .level = j.at("level"),
          .reasons = j.at("reasons"),
          .scope = j.at("scope")};
}

json json_of(const SuiteTimes& s) {
  return {{"name", s.name},
          {"execute_seconds", s.execute_seconds},
          {"refer_seconds", s.refer_seconds},
          {"device_ns", s.device_ns}};
}

SuiteTimes suite_times_from(const json& j) {
  return {.name = j.at("name"),
          .execute_seconds = j.at("execute_seconds"),
          .refer_seconds = j.at("refer_seconds"),
          .device_ns = j.at("device_ns")};
}

json json_of(const SlowCase& s) { return {{"case", s.name}, {"seconds", s.seconds}}; }

SlowCase slow_case_from(const json& j) {
  return {.name = j.at("case"), .seconds = j.at("seconds")};
}

constexpr auto kToJson = [](const auto& row) { return json_of(row); };

}  // namespace

Canary canary_from(const json& j) {
  return {.name = j.at("name"),
          .observed = j.at("observed"),
          .meaning = j.at("meaning"),
          .standing = j.at("standing"),
          .claim = j.at("claim")};
}

json to_json(const Scorecard& card) {
  json object = {{"schema", kSchemaName},
                 {"digest", card.digest},
                 {"status", card.complete ? "COMPLETE" : "PARTIAL"},
                 {"incomplete_reasons", card.incomplete_reasons},
                 {"suite", json_of(card.suite)},
                 {"device", card.device},
                 {"environment", card.environment},
                 {"roster", {{"expected", card.expected_cases}, {"reported", card.cases.size()}}},
                 {"suites", list_of(card.suites, kToJson)},
                 {"arithmetic", list_of(card.arithmetic, kToJson)},
                 {"accuracy", list_of(card.accuracy, kToJson)},
                 {"findings", list_of(card.findings, kToJson)},
                 {"canaries", list_of(card.canaries, kToJson)},
                 {"throughput", list_of(card.throughput, kToJson)},
                 {"roofs", json_of(card.roofs)},
                 {"true_fp16", json_of(card.true_fp16)},
                 {"fp16_operators", list_of(card.fp16_operators, kToJson)},
                 {"not_asserted", list_of(card.not_asserted, kToJson)},
                 {"marks", list_of(card.marks, kToJson)},
                 {"times",
                  {{"suites", list_of(card.times.suites, kToJson)},
                   {"slowest", list_of(card.times.slowest, kToJson)}}},
                 {"cases", list_of(card.cases, kToJson)}};
  if (!card.training_step.is_null()) object["training_step"] = card.training_step;
  return object;
}

Scorecard scorecard_from_json(const json& j) {
  Scorecard card;
  card.digest = j.at("digest");
  card.complete = j.at("status") == "COMPLETE";
  card.incomplete_reasons = j.at("incomplete_reasons");
  card.suite = identity_from(j.at("suite"));
  card.device = j.at("device");
  card.environment = j.at("environment");
  card.expected_cases = j.at("roster").at("expected");
  card.suites = rows_of<SuiteTally>(j.at("suites"), suite_from);
  card.arithmetic = rows_of<ArithmeticEntry>(j.at("arithmetic"), arithmetic_from);
  if (j.contains("accuracy"))  // absent in cards from before it was measured
    card.accuracy = rows_of<AccuracyEntry>(j.at("accuracy"), accuracy_from);
  card.findings = rows_of<Finding>(j.at("findings"), finding_from);
  card.canaries = rows_of<Canary>(j.at("canaries"), canary_from);
  card.throughput = rows_of<ThroughputRow>(j.at("throughput"), throughput_from);
  card.roofs = roofs_from(j.at("roofs"));
  card.true_fp16 = true_fp16_from(j.at("true_fp16"));
  card.fp16_operators = rows_of<Fp16Operator>(j.at("fp16_operators"), fp16_operator_from);
  card.not_asserted = rows_of<NotAsserted>(j.at("not_asserted"), not_asserted_from);
  card.training_step = j.value("training_step", json());  // absent where none was counted
  card.marks = rows_of<Mark>(j.at("marks"), mark_from);
  card.times = {.suites = rows_of<SuiteTimes>(j.at("times").at("suites"), suite_times_from),
                .slowest = rows_of<SlowCase>(j.at("times").at("slowest"), slow_case_from)};
  card.cases = rows_of<CaseLine>(j.at("cases"), case_from);
  return card;
}

}  // namespace halfmark::reports
