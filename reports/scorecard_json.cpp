// SPDX-License-Identifier: Apache-2.0
// Each struct has its two halves side by side: `json_of` and a `from` of the same members.
#include "reports/scorecard_json.hpp"

#include <stdexcept>

#include "reports/findings.hpp"
#include "reports/throughput.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;
using suites::Verdict;

template <typename Row, typename Function>
json list_of(const std::vector<Row>& rows, Function to) {
  json list = json::array();
  for (const Row& row : rows) list.push_back(to(row));
  return list;
}

template <typename Row, typename Function>
std::vector<Row> rows_of(const json& list, Function from) {
  std::vector<Row> rows;
  for (const json& entry : list) rows.push_back(from(entry));
  return rows;
}

json json_of(const RunIdentity& r) {
  return {{"version", r.version}, {"contract_revision", r.contract_revision},
          {"level", r.level},     {"seed", r.seed},
          {"filters", r.filters}, {"shard", r.shard},
          {"selected", r.suites}};
}

RunIdentity identity_from(const json& j) {
  return {.version = j.at("version"),
          .contract_revision = j.at("contract_revision"),
          .level = j.at("level"),
          .seed = j.at("seed"),
          .filters = j.at("filters"),
          .shard = j.at("shard"),
          .suites = j.at("selected")};
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
  return {{"name", c.name},
          {"verdict", name_of(c.verdict)},
          {"digest", c.digest},
          {"reason", c.reason}};
}

CaseLine case_from(const json& j) {
  const auto verdict = suites::parse_verdict(j.at("verdict").get<std::string>());
  if (!verdict) throw std::runtime_error("a case has an unknown verdict");
  return {.name = j.at("name"),
          .verdict = *verdict,
          .digest = j.at("digest"),
          .reason = j.at("reason")};
}

// A result's own JSON, with the names that fit a finding and the derived facts that readers of the
// file want.
json json_of(const Finding& f) {
  json j = suites::to_json(f.result, false);
  j["case"] = j.at("name");
  j.erase("name");
  j.erase("accuracy");  // a part of its own
  j["id"] = f.id;
  j["operator"] = f.operation;
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
  return {.id = j.at("id"),
          .operation = j.at("operator"),
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

Canary canary_from(const json& j) {
  return {.name = j.at("name"),
          .observed = j.at("observed"),
          .meaning = j.at("meaning"),
          .standing = j.at("standing"),
          .claim = j.at("claim")};
}

json json_of(const Gain& g) {
  return {{"fp32_formats", g.fp32_formats},
          {"ratio", g.ratio},
          {"band", g.band},
          {"sentence", g.sentence}};
}

json json_of(const ThroughputRow& t) {
  const ThroughputRun& r = t.run;
  json j = {{"name", r.name},
            {"provider", r.provider},
            {"operator", r.operation},
            {"formats", r.formats},
            {"shape", r.shape},
            {"fill", r.fill},
            {"flops", r.flops},
            {"bytes", r.bytes},
            {"samples_ns", r.samples_ns},
            {"case", r.passed_case},
            {"median_ns", t.median_ns},
            {"excluded", t.excluded},
            {"gflops", gigaflops(t)},
            {"gbytes_per_s", gigabytes_per_second(t)},
            {"median_interval_95_ns", nullptr},
            {"fp32_over_fp16", nullptr},
            {"shape_class", r.shape_class},
            {"declared_gflops", r.declared_gflops},
            {"of_declared", of_declared(t)},
            {"fresh_ns", r.fresh_ns},
            {"conditions", r.conditions},
            {"fault", nullptr}};
  if (t.interval) j["median_interval_95_ns"] = {t.interval->low_ns, t.interval->high_ns};
  if (t.gain) j["fp32_over_fp16"] = json_of(*t.gain);
  if (t.casts) j["casts"] = {{"ns", t.casts->ns}, {"bytes", t.casts->bytes}};
  if (t.fault) {
    j["fault"] = {{"class", t.fault->name},
                  {"severity", severity_of(suites::Standing::kViolation, t.fault->name)},
                  {"sentence", t.fault->sentence}};
  }
  return j;
}

ThroughputRow throughput_from(const json& j) {
  ThroughputRow t;
  t.run = {.name = j.at("name"),
           .provider = j.at("provider"),
           .operation = j.at("operator"),
           .formats = j.at("formats"),
           .shape = j.at("shape"),
           .fill = j.at("fill"),
           .samples_ns = j.at("samples_ns"),
           .flops = j.at("flops"),
           .bytes = j.at("bytes"),
           .passed_case = j.at("case")};
  t.run.shape_class = j.at("shape_class");
  t.run.declared_gflops = j.at("declared_gflops");
  t.run.fresh_ns = j.at("fresh_ns");
  t.run.conditions = j.at("conditions");
  if (const json& f = j.at("fault"); !f.is_null())
    t.fault = {.name = f.at("class"), .sentence = f.at("sentence")};
  if (const auto casts = j.find("casts"); casts != j.end())
    t.casts = {.ns = casts->at("ns"), .bytes = casts->at("bytes")};
  t.median_ns = j.at("median_ns");
  t.excluded = j.at("excluded");
  if (const json& i = j.at("median_interval_95_ns"); !i.is_null())
    t.interval = {.low_ns = i[0], .high_ns = i[1]};
  if (const json& g = j.at("fp32_over_fp16"); !g.is_null()) {
    t.gain = {.fp32_formats = g.at("fp32_formats"),
              .ratio = g.at("ratio"),
              .band = g.at("band"),
              .sentence = g.at("sentence")};
  }
  return t;
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

json json_of(const Evidence& e) { return {{"source", e.source}, {"statement", e.statement}}; }

Evidence evidence_from(const json& j) {
  return {.source = j.at("source"), .statement = j.at("statement")};
}

constexpr auto kToJsonOfEvidence = [](const Evidence& e) { return json_of(e); };

json json_of(const Fp16Operator& o) {
  return {{"operator", o.operation},
          {"provider", o.provider},
          {"formats", o.formats},
          {"shape_class", o.shape_class},
          {"shape", o.shape},
          {"kind", o.kind},
          {"verdict", o.verdict},
          {"compute_bound", o.compute_bound},
          {"evidence", list_of(o.evidence, kToJsonOfEvidence)}};
}

Fp16Operator fp16_operator_from(const json& j) {
  return {.operation = j.at("operator"),
          .provider = j.at("provider"),
          .formats = j.at("formats"),
          .shape_class = j.at("shape_class"),
          .shape = j.at("shape"),
          .kind = j.at("kind"),
          .verdict = j.at("verdict"),
          .compute_bound = j.at("compute_bound"),
          .evidence = rows_of<Evidence>(j.at("evidence"), evidence_from)};
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

json to_json(const Scorecard& card) {
  return {{"schema", kSchemaName},
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
          {"true_fp16",
           {{"kind", card.true_fp16.kind},
            {"verdict", card.true_fp16.verdict},
            {"evidence", list_of(card.true_fp16.evidence, kToJson)}}},
          {"fp16_operators", list_of(card.fp16_operators, kToJson)},
          {"not_asserted", list_of(card.not_asserted, kToJson)},
          {"marks", list_of(card.marks, kToJson)},
          {"times",
           {{"suites", list_of(card.times.suites, kToJson)},
            {"slowest", list_of(card.times.slowest, kToJson)}}},
          {"cases", list_of(card.cases, kToJson)}};
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
  if (j.contains("accuracy"))  // cards of before it was measured have none
    card.accuracy = rows_of<AccuracyEntry>(j.at("accuracy"), accuracy_from);
  card.findings = rows_of<Finding>(j.at("findings"), finding_from);
  card.canaries = rows_of<Canary>(j.at("canaries"), canary_from);
  card.throughput = rows_of<ThroughputRow>(j.at("throughput"), throughput_from);
  const json& fp16 = j.at("true_fp16");
  card.true_fp16 = {.kind = fp16.at("kind"),
                    .verdict = fp16.at("verdict"),
                    .evidence = rows_of<Evidence>(fp16.at("evidence"), evidence_from)};
  card.fp16_operators = rows_of<Fp16Operator>(j.at("fp16_operators"), fp16_operator_from);
  card.not_asserted = rows_of<NotAsserted>(j.at("not_asserted"), not_asserted_from);
  card.marks = rows_of<Mark>(j.at("marks"), mark_from);
  card.times = {.suites = rows_of<SuiteTimes>(j.at("times").at("suites"), suite_times_from),
                .slowest = rows_of<SlowCase>(j.at("times").at("slowest"), slow_case_from)};
  card.cases = rows_of<CaseLine>(j.at("cases"), case_from);
  return card;
}

}  // namespace halfmark::reports
