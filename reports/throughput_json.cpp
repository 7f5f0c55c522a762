// SPDX-License-Identifier: Apache-2.0
// Each struct has its two conversions side by side: `json_of` and a `from` for the same members.
#include "reports/throughput_json.hpp"

#include "reports/findings.hpp"
#include "reports/json_lists.hpp"
#include "reports/throughput.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;

json json_of(const Gain& g) {
  return {{"fp32_formats", g.fp32_formats},
          {"ratio", g.ratio},
          {"fp32_gflops", g.fp32_gflops},
          {"apart", g.apart},
          {"band", g.band},
          {"sentence", g.sentence}};
}

Gain gain_from(const json& j) {
  return {.fp32_formats = j.at("fp32_formats"),
          .ratio = j.at("ratio"),
          .fp32_gflops = j.at("fp32_gflops"),
          .apart = j.at("apart"),
          .band = j.at("band"),
          .sentence = j.at("sentence")};
}

json json_of(const VerifiedCase& v) {
  json row = {{"name", v.name}, {"tier", v.tier}, {"verdict", v.verdict}, {"elements", v.elements}};
  if (v.results > 0) row["results"] = v.results;
  return row;
}

VerifiedCase verified_from(const json& j) {
  return {.name = j.at("name"),
          .tier = j.at("tier"),
          .verdict = j.at("verdict"),
          .elements = j.at("elements"),
          .results = j.value("results", std::uint64_t{0})};
}

json json_of(const Duel& d) {
  return {{"against", d.against},
          {"against_flops", d.against_flops},
          {"pairs_ns", list_of(d.pairs, [](const Duel::Pair& pair) {
             return json::array({pair.against_ns, pair.own_ns});
           })}};
}

Duel duel_from(const json& j) {
  return {.against = j.at("against"),
          .against_flops = j.at("against_flops"),
          .pairs = rows_of<Duel::Pair>(j.at("pairs_ns"), [](const json& pair) {
            return Duel::Pair{.against_ns = pair.at(0), .own_ns = pair.at(1)};
          })};
}

json json_of(const Evidence& e) { return {{"source", e.source}, {"statement", e.statement}}; }

Evidence evidence_from(const json& j) {
  return {.source = j.at("source"), .statement = j.at("statement")};
}

json optional_number(const std::optional<double>& number) {
  return number ? json(*number) : json(nullptr);
}

std::optional<double> number_from(const json& j) {
  return j.is_null() ? std::nullopt : std::optional<double>(j.get<double>());
}

json json_of(const Fp16Operation& o) {
  return {{"operation", o.operation},
          {"kind", o.kind},
          {"width", o.width},
          {"gflops", o.gflops},
          {"fp32_gflops", optional_number(o.fp32_gflops)},
          {"gain", optional_number(o.gain)},
          {"sentence", o.sentence}};
}

Fp16Operation operation_from(const json& j) {
  return {.operation = j.at("operation"),
          .kind = j.at("kind"),
          .width = j.at("width"),
          .gflops = j.at("gflops"),
          .fp32_gflops = number_from(j.at("fp32_gflops")),
          .gain = number_from(j.at("gain")),
          .sentence = j.at("sentence")};
}

json json_of(const WidthRate& r) {
  return {{"width", r.width},
          {"gflops", r.gflops},
          {"low", r.low},
          {"high", r.high},
          {"of_declared", r.of_declared}};
}

WidthRate width_from(const json& j) {
  return {.width = j.at("width"),
          .gflops = j.at("gflops"),
          .low = j.at("low"),
          .high = j.at("high"),
          .of_declared = j.at("of_declared")};
}

json json_of(const Roof& r) {
  return {{"operation", r.operation},
          {"formats", r.formats},
          {"best", json_of(r.best)},
          {"widths", list_of(r.widths, [](const WidthRate& w) { return json_of(w); })}};
}

Roof roof_from(const json& j) {
  return {.operation = j.at("operation"),
          .formats = j.at("formats"),
          .best = width_from(j.at("best")),
          .widths = rows_of<WidthRate>(j.at("widths"), width_from)};
}

json json_of(const MemoryRoof& m) {
  return {{"operation", m.operation},
          {"word_bytes", m.word_bytes},
          {"gbytes_per_s", m.gbytes_per_s},
          {"low", m.low},
          {"high", m.high}};
}

MemoryRoof memory_from(const json& j) {
  return {.operation = j.at("operation"),
          .word_bytes = j.at("word_bytes"),
          .gbytes_per_s = j.at("gbytes_per_s"),
          .low = j.at("low"),
          .high = j.at("high")};
}

json json_of(const BestRate& b) { return {{"gflops", b.gflops}, {"row", b.row}}; }

BestRate best_from(const json& j) { return {.gflops = j.at("gflops"), .row = j.at("row")}; }

constexpr auto kToJson = [](const auto& row) { return json_of(row); };

// Adds the members that follow from a row's times.
void add_statistics(const ThroughputRow& t, json& j) {
  j["median_ns"] = t.median_ns;
  j["median_interval_95_ns"] = nullptr;
  j["excluded"] = t.excluded;
  j["gflops"] = gigaflops(t);
  j["gbytes_per_s"] = gigabytes_per_second(t);
  j["of_declared"] = of_declared(t);
  j["fp32_over_fp16"] = t.gain ? json_of(*t.gain) : json(nullptr);
  j["fault"] = nullptr;
  if (t.interval) j["median_interval_95_ns"] = {t.interval->low_ns, t.interval->high_ns};
  if (t.casts) j["casts"] = {{"ns", t.casts->ns}, {"bytes", t.casts->bytes}};
  if (t.fault) {
    j["fault"] = {{"class", t.fault->name},
                  {"severity", severity_of(suites::Standing::kViolation, t.fault->name)},
                  {"sentence", t.fault->sentence}};
  }
}

void read_statistics(const json& j, ThroughputRow& t) {
  t.median_ns = j.at("median_ns");
  t.excluded = j.at("excluded");
  if (const json& i = j.at("median_interval_95_ns"); !i.is_null())
    t.interval = {.low_ns = i[0], .high_ns = i[1]};
  if (const json& g = j.at("fp32_over_fp16"); !g.is_null()) t.gain = gain_from(g);
  if (const json& f = j.at("fault"); !f.is_null())
    t.fault = {.name = f.at("class"), .sentence = f.at("sentence")};
  if (const auto casts = j.find("casts"); casts != j.end())
    t.casts = {.ns = casts->at("ns"), .bytes = casts->at("bytes")};
}

}  // namespace

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
            {"shape_class", r.shape_class},
            {"declared_gflops", r.declared_gflops},
            {"fresh_ns", r.fresh_ns},
            {"whole_work_ns", r.whole_work_ns},
            {"half_work_ns", r.half_work_ns},
            {"verified", list_of(r.verified, kToJson)},
            {"duel", r.duel ? json_of(*r.duel) : json(nullptr)},
            {"conditions", r.conditions}};
  if (r.beside) j["beside"] = json_of(*r.beside);
  add_statistics(t, j);
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
  read_verification(j, t.run);
  read_statistics(j, t);
  return t;
}

void read_verification(const json& j, ThroughputRun& run) {
  if (const auto verified = j.find("verified"); verified != j.end())
    run.verified = rows_of<VerifiedCase>(*verified, verified_from);
  if (const auto duel = j.find("duel"); duel != j.end() && !duel->is_null())
    run.duel = duel_from(*duel);
  if (const auto beside = j.find("beside"); beside != j.end()) run.beside = duel_from(*beside);
  run.whole_work_ns = j.value("whole_work_ns", std::uint64_t{0});
  run.half_work_ns = j.value("half_work_ns", std::uint64_t{0});
}

json json_of(const Roofs& r) {
  return {{"operations", list_of(r.operations, kToJson)},
          {"memory", list_of(r.memory, kToJson)},
          {"fp32_best", json_of(r.fp32_best)},
          {"fp32_step_best", json_of(r.fp32_step_best)},
          {"wide_product_best", json_of(r.wide_product_best)},
          {"unrest", r.unrest},
          {"clocks", r.clocks}};
}

Roofs roofs_from(const json& j) {
  return {.operations = rows_of<Roof>(j.at("operations"), roof_from),
          .memory = rows_of<MemoryRoof>(j.at("memory"), memory_from),
          .fp32_best = best_from(j.at("fp32_best")),
          .fp32_step_best = best_from(j.at("fp32_step_best")),
          .wide_product_best = best_from(j.at("wide_product_best")),
          .unrest = j.at("unrest"),
          .clocks = j.at("clocks")};
}

json json_of(const TrueFp16& t) {
  return {{"kind", t.kind},
          {"verdict", t.verdict},
          {"operations", list_of(t.operations, kToJson)},
          {"evidence", list_of(t.evidence, kToJson)}};
}

TrueFp16 true_fp16_from(const json& j) {
  return {.kind = j.at("kind"),
          .verdict = j.at("verdict"),
          .operations = rows_of<Fp16Operation>(j.at("operations"), operation_from),
          .evidence = rows_of<Evidence>(j.at("evidence"), evidence_from)};
}

json json_of(const Fp16Operator& o) {
  return {{"operator", o.operation},
          {"provider", o.provider},
          {"formats", o.formats},
          {"shape_class", o.shape_class},
          {"shape", o.shape},
          {"kind", o.kind},
          {"verdict", o.verdict},
          {"gflops", o.gflops},
          {"fp32_gflops", optional_number(o.fp32_gflops)},
          {"gain", optional_number(o.gain)},
          {"evidence", list_of(o.evidence, kToJson)}};
}

Fp16Operator fp16_operator_from(const json& j) {
  return {.operation = j.at("operator"),
          .provider = j.at("provider"),
          .formats = j.at("formats"),
          .shape_class = j.at("shape_class"),
          .shape = j.at("shape"),
          .kind = j.at("kind"),
          .verdict = j.at("verdict"),
          .gflops = j.at("gflops"),
          .fp32_gflops = number_from(j.at("fp32_gflops")),
          .gain = number_from(j.at("gain")),
          .evidence = rows_of<Evidence>(j.at("evidence"), evidence_from)};
}

}  // namespace halfmark::reports
