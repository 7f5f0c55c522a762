// SPDX-License-Identifier: Apache-2.0
#include "suites/core/judge/result.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace halfmark::suites {
namespace {

using nlohmann::json;

template <typename T>
T field(const json& object, const char* name) {
  const auto it = object.find(name);
  if (it == object.end()) throw std::runtime_error(fmt::format("field '{}' is missing", name));
  try {
    return it->get<T>();
  } catch (const json::exception&) {
    throw std::runtime_error(fmt::format("field '{}' has the wrong type", name));
  }
}

json to_json(const Element& e) {
  json operands = json::array();
  for (const OperandText& o : e.operands) {
    operands.push_back({{"label", o.label}, {"hex", o.hex}, {"value", o.value}});
  }
  return {{"tensor", e.tensor},
          {"index", e.index},
          {"operands", std::move(operands)},
          {"expected", {{"hex", e.expected_hex}, {"value", e.expected_value}}},
          {"actual", {{"hex", e.actual_hex}, {"value", e.actual_value}}},
          {"ulps", std::to_string(e.ulps)}};  // text: it may exceed 2^53
}

Element element_from_json(const json& j) {
  Element e;
  e.tensor = field<std::string>(j, "tensor");
  e.index = field<std::uint64_t>(j, "index");
  for (const json& o : field<json>(j, "operands")) {
    e.operands.push_back({field<std::string>(o, "label"), field<std::string>(o, "hex"),
                          field<std::string>(o, "value")});
  }
  const json expected = field<json>(j, "expected");
  const json actual = field<json>(j, "actual");
  e.expected_hex = field<std::string>(expected, "hex");
  e.expected_value = field<std::string>(expected, "value");
  e.actual_hex = field<std::string>(actual, "hex");
  e.actual_value = field<std::string>(actual, "value");
  e.ulps = std::stoull(field<std::string>(j, "ulps"));
  return e;
}

json to_json(const Explanation& e) {
  json j = {{"hypothesis", e.hypothesis}, {"class", e.finding_class},
            {"freedoms", e.freedoms},     {"sentence", e.sentence},
            {"explained", e.explained},   {"contradicted", e.contradicted}};
  if (e.in_part) j["in_part"] = true;
  if (e.is_generic) j["generic"] = true;
  if (!e.substituted.empty()) j["substituted"] = e.substituted;
  if (!e.computed_in.empty()) j["computed_in"] = e.computed_in;
  return j;
}

Explanation explanation_from_json(const json& j) {
  return {.hypothesis = field<std::string>(j, "hypothesis"),
          .finding_class = field<std::string>(j, "class"),
          .sentence = field<std::string>(j, "sentence"),
          .freedoms = field<std::vector<std::string>>(j, "freedoms"),
          .explained = field<std::uint64_t>(j, "explained"),
          .contradicted = field<std::uint64_t>(j, "contradicted"),
          .in_part = j.value("in_part", false),
          .is_generic = j.value("generic", false),
          .substituted = j.value("substituted", ""),
          .computed_in = j.value("computed_in", "")};
}

json to_json(const Question& q) {
  return {{"case", q.case_name},
          {"wrong", q.wrong},
          {"confirms", q.confirms},
          {"excludes", q.excludes},
          {"remark", q.remark}};
}

Question question_from_json(const json& j) {
  return {.case_name = field<std::string>(j, "case"),
          .wrong = field<std::uint64_t>(j, "wrong"),
          .confirms = field<std::vector<std::string>>(j, "confirms"),
          .excludes = field<std::vector<std::string>>(j, "excludes"),
          .remark = field<std::string>(j, "remark")};
}

json to_json(const Geometry& g) {
  return {{"tensor", g.tensor},
          {"rows", g.rows},
          {"columns", g.columns},
          {"wrong", g.wrong},
          {"first_row", g.first_row},
          {"last_row", g.last_row},
          {"first_column", g.first_column},
          {"last_column", g.last_column},
          {"complete", g.complete},
          {"patterns", g.patterns},
          {"differ_ever", g.differ_ever},
          {"differ_always", g.differ_always},
          {"sentence", g.sentence}};
}

Geometry geometry_from_json(const json& j) {
  return {.tensor = field<std::string>(j, "tensor"),
          .rows = field<std::uint64_t>(j, "rows"),
          .columns = field<std::uint64_t>(j, "columns"),
          .wrong = field<std::uint64_t>(j, "wrong"),
          .first_row = field<std::uint64_t>(j, "first_row"),
          .last_row = field<std::uint64_t>(j, "last_row"),
          .first_column = field<std::uint64_t>(j, "first_column"),
          .last_column = field<std::uint64_t>(j, "last_column"),
          .complete = field<bool>(j, "complete"),
          .patterns = field<std::vector<std::string>>(j, "patterns"),
          .differ_ever = field<std::string>(j, "differ_ever"),
          .differ_always = field<std::string>(j, "differ_always"),
          .sentence = field<std::string>(j, "sentence")};
}

json to_json(const ReducedTensor& t) {
  return {{"name", t.name},       {"format", t.format}, {"count", t.count},
          {"indices", t.indices}, {"hex", t.hex},       {"values", t.values}};
}

ReducedTensor reduced_tensor_from_json(const json& j) {
  ReducedTensor t{.name = field<std::string>(j, "name"),
                  .format = field<std::string>(j, "format"),
                  .count = field<std::uint64_t>(j, "count"),
                  .indices = field<std::vector<std::uint64_t>>(j, "indices"),
                  .hex = field<std::vector<std::string>>(j, "hex"),
                  .values = field<std::vector<std::string>>(j, "values")};
  if (t.hex.size() != t.indices.size() || t.values.size() != t.indices.size())
    throw std::runtime_error("field 'tensors' has lists of different lengths");
  return t;
}

template <typename Row>
json list_of(const std::vector<Row>& rows) {
  json list = json::array();
  for (const Row& row : rows) list.push_back(to_json(row));
  return list;
}

Standing parse_standing(const std::string& text) {
  for (const Standing s : {Standing::kNone, Standing::kViolation, Standing::kDeviation}) {
    if (text == name_of(s)) return s;
  }
  throw std::runtime_error(fmt::format("'{}' is not a standing", text));
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kNotSupported:
      return "not-supported";
    case Verdict::kSkipped:
      return "skipped";
    case Verdict::kUntrusted:
      return "untrusted";
    case Verdict::kError:
      return "error";
    case Verdict::kCrash:
      return "crash";
    case Verdict::kHang:
      return "hang";
    case Verdict::kDeviceLost:
      return "device-lost";
  }
  return "";
}

std::optional<Verdict> parse_verdict(std::string_view text) {
  for (const Verdict verdict : kAllVerdicts) {
    if (text == name_of(verdict)) return verdict;
  }
  return std::nullopt;
}

std::string_view name_of(Standing standing) {
  switch (standing) {
    case Standing::kNone:
      return "none";
    case Standing::kViolation:
      return "violation";
    case Standing::kDeviation:
      return "deviation";
  }
  return "";
}

json to_json(const Reduction& r) {
  return {{"case", r.case_name},
          {"tensors", list_of(r.tensors)},
          {"wrong", list_of(r.wrong)},
          {"trials", r.trials},
          {"end", r.end}};
}

Reduction reduction_from_json(const json& j) {
  Reduction r{.case_name = field<std::string>(j, "case"),
              .tensors = {},
              .wrong = {},
              .trials = field<std::uint64_t>(j, "trials"),
              .end = field<std::string>(j, "end")};
  for (const json& t : field<json>(j, "tensors")) r.tensors.push_back(reduced_tensor_from_json(t));
  for (const json& e : field<json>(j, "wrong")) r.wrong.push_back(element_from_json(e));
  return r;
}

json to_json(const Experiments& e) {
  return {{"asked", list_of(e.asked)}, {"excluded", list_of(e.excluded)}, {"end", e.end}};
}

Experiments experiments_from_json(const json& j) {
  Experiments e;
  for (const json& q : field<json>(j, "asked")) e.asked.push_back(question_from_json(q));
  for (const json& x : field<json>(j, "excluded")) e.excluded.push_back(explanation_from_json(x));
  e.end = field<std::string>(j, "end");
  return e;
}

json to_json(const Accuracy& a) {
  const bool is_whole = a.allowed_halves % 2 == 0;
  return {{"ulps", static_cast<double>(a.thousandths) / 1000},
          {"allowed_ulps",
           is_whole ? json(a.allowed_halves / 2) : json(static_cast<double>(a.allowed_halves) / 2)},
          {"results", a.results},
          {"farthest", to_json(a.farthest)}};
}

Accuracy accuracy_from_json(const json& j) {
  return {.thousandths = static_cast<std::uint64_t>(field<double>(j, "ulps") * 1000 + 0.5),
          .allowed_halves = static_cast<std::uint64_t>(field<double>(j, "allowed_ulps") * 2),
          .results = field<std::uint64_t>(j, "results"),
          .farthest = element_from_json(field<json>(j, "farthest"))};
}

json to_json(const CaseResult& r, bool timed) {
  json j = {{"name", r.name},
            {"suite", r.suite},
            {"provider", r.provider},
            {"tier", r.tier},
            {"rule", r.rule},
            {"promise", r.promise},
            {"source", r.source},
            {"verdict", name_of(r.verdict)},
            {"reason", r.reason},
            {"standing", name_of(r.standing)},
            {"class", r.finding_class},
            {"permitted_by", r.permitted_by},
            {"elements", r.elements},
            {"mismatches", r.mismatches},
            {"wrong", list_of(r.wrong)},
            {"explanations", list_of(r.explanations)},
            {"geometry", list_of(r.geometry)},
            {"reduction", r.reduction ? to_json(*r.reduction) : json()},
            {"digest", r.digest}};
  if (!r.operation.empty() && r.operation != r.suite) j["operation"] = r.operation;
  if (r.accuracy) j["accuracy"] = to_json(*r.accuracy);
  if (r.experiments) j["experiments"] = to_json(*r.experiments);
  if (timed) {
    j["process"] = r.process;
    j["attempt"] = r.attempt;
    j["times"] = {{"execute_seconds", r.execute_seconds},
                  {"refer_seconds", r.refer_seconds},
                  {"device_ns", r.device_ns}};
    if (!r.golden.empty()) {
      j["golden"] = r.golden;
      j["times"]["verify_seconds"] = r.verify_seconds;
    }
  }
  return j;
}

CaseResult case_result_from_json(const json& j) {
  CaseResult r;
  r.name = field<std::string>(j, "name");
  r.suite = field<std::string>(j, "suite");
  r.operation = j.value("operation", r.suite);
  r.provider = field<std::string>(j, "provider");
  r.tier = field<std::string>(j, "tier");
  r.rule = field<std::string>(j, "rule");
  r.promise = field<std::string>(j, "promise");
  r.source = field<std::string>(j, "source");
  const auto verdict = parse_verdict(field<std::string>(j, "verdict"));
  if (!verdict) throw std::runtime_error("field 'verdict' is not a verdict");
  r.verdict = *verdict;
  r.reason = field<std::string>(j, "reason");
  r.standing = parse_standing(field<std::string>(j, "standing"));
  r.finding_class = field<std::string>(j, "class");
  r.permitted_by = field<std::string>(j, "permitted_by");
  r.elements = field<std::uint64_t>(j, "elements");
  r.mismatches = field<std::uint64_t>(j, "mismatches");
  for (const json& e : field<json>(j, "wrong")) r.wrong.push_back(element_from_json(e));
  for (const json& e : field<json>(j, "explanations"))
    r.explanations.push_back(explanation_from_json(e));
  for (const json& g : field<json>(j, "geometry")) r.geometry.push_back(geometry_from_json(g));
  if (const json& reduced = field<json>(j, "reduction"); !reduced.is_null())
    r.reduction = reduction_from_json(reduced);
  if (const auto accuracy = j.find("accuracy"); accuracy != j.end())
    r.accuracy = accuracy_from_json(*accuracy);
  if (const auto experiments = j.find("experiments"); experiments != j.end())
    r.experiments = experiments_from_json(*experiments);
  r.digest = field<std::string>(j, "digest");
  r.golden = j.value("golden", r.golden);
  r.process = j.value("process", r.process);
  r.attempt = j.value("attempt", r.attempt);
  if (const auto times = j.find("times"); times != j.end()) {
    r.execute_seconds = field<double>(*times, "execute_seconds");
    r.refer_seconds = field<double>(*times, "refer_seconds");
    r.verify_seconds = times->value("verify_seconds", 0.0);
    r.device_ns = field<std::uint64_t>(*times, "device_ns");
  }
  return r;
}

}  // namespace halfmark::suites
