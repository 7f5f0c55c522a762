// SPDX-License-Identifier: Apache-2.0
#include "fleet/rollup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "fleet/digest64.hpp"
#include "reference/text/json.hpp"

namespace halfmark::fleet {
namespace {

using nlohmann::json;

constexpr text::JsonLimits kLimits{
    .bytes = kMostRollupBytes, .depth = 8, .values = 4096, .string_bytes = 4096};

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

// A reader of one object that refuses members it was not asked about.
class Members {
 public:
  explicit Members(const json& object) : object_(object) {
    if (!object.is_object()) throw RollupError("an object is missing");
  }
  const json& at(const char* key) {
    read_.insert(key);
    const auto found = object_.find(key);
    if (found == object_.end()) throw RollupError(fmt::format("'{}' is missing", key));
    return *found;
  }
  std::string text(const char* key) {
    const json& value = at(key);
    if (!value.is_string()) throw RollupError(fmt::format("'{}' is no text", key));
    return value.get<std::string>();
  }
  std::uint64_t whole(const char* key) {
    const json& value = at(key);
    if (!value.is_number_unsigned()) throw RollupError(fmt::format("'{}' is no whole number", key));
    return value.get<std::uint64_t>();
  }
  double number(const char* key) {
    const json& value = at(key);
    if (!value.is_number() || value.get<double>() < 0)
      throw RollupError(fmt::format("'{}' is no number of 0 or more", key));
    return value.get<double>();
  }
  std::uint64_t digits(const char* key) {
    const std::string value = text(key);
    std::uint64_t number = 0;
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), number, 16);
    if (error != std::errc{} || end != value.data() + value.size() || value != hex(number))
      throw RollupError(fmt::format("'{}' has not 16 hexadecimal digits", key));
    return number;
  }
  // Members that older roll-ups lack, and that are left out where they say nothing.
  const json* find(const char* key) {
    read_.insert(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  const json& list(const char* key, std::size_t most) {
    const json& value = at(key);
    if (!value.is_array() || value.size() > most)
      throw RollupError(fmt::format("'{}' is no list of at most {}", key, most));
    return value;
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> found;
    for (const json& one : list(key, 256)) {
      if (!one.is_string()) throw RollupError(fmt::format("'{}' is no list of texts", key));
      found.push_back(one.get<std::string>());
    }
    return found;
  }
  void finish() const {
    for (const auto& [key, value] : object_.items()) {
      if (!read_.contains(key)) throw RollupError("a member is unknown to this version");
    }
  }

 private:
  const json& object_;
  std::set<std::string> read_;
};

template <typename Enum, std::size_t n>
Enum parse_name(const std::string& name, const Enum (&all)[n], const char* key) {
  for (const Enum value : all) {
    if (name_of(value) == name) return value;
  }
  throw RollupError(fmt::format("'{}' has an unknown value", key));
}

constexpr Completeness kAllCompleteness[] = {Completeness::kComplete, Completeness::kPartial,
                                             Completeness::kError};
constexpr SelfTest kAllSelfTests[] = {SelfTest::kNone, SelfTest::kCaught, SelfTest::kMissed,
                                      SelfTest::kNotDone};
constexpr MissKind kAllMissKinds[] = {MissKind::kViolation, MissKind::kDied, MissKind::kVaries,
                                      MissKind::kContradicts};

Origin origin_from(const json& j) {
  Members m(j);
  Origin origin{.run = m.text("run"), .task = m.text("task"), .node = m.text("node")};
  m.finish();
  return origin;
}

DeviceIdentity device_from(const json& j) {
  Members m(j);
  DeviceIdentity device{.selector = m.text("selector"),
                        .backend = m.text("backend"),
                        .name = m.text("name"),
                        .platform = m.text("platform"),
                        .driver = m.text("driver")};
  m.finish();
  return device;
}

Question question_from(const json& j) {
  Members m(j);
  Question question{.version = m.text("version"),
                    .contract_revision = m.text("contract_revision"),
                    .level = m.text("level"),
                    .shard = m.text("shard"),
                    .seed = m.whole("seed"),
                    .filters = m.texts("filters"),
                    .suites = m.texts("suites")};
  if (m.find("golden") != nullptr) question.golden = m.text("golden");
  m.finish();
  return question;
}

GoldenCounts golden_from(const json& j) {
  Members m(j);
  GoldenCounts golden{.matched = m.whole("matched"),
                      .confirmed = m.whole("confirmed"),
                      .refuted = m.whole("refuted")};
  m.finish();
  return golden;
}

SuiteAnswers answers_from(const json& j) {
  Members m(j);
  SuiteAnswers answers{.suite = m.text("suite"),
                       .passed = m.whole("passed"),
                       .missed = m.whole("missed"),
                       .asked = m.digits("asked"),
                       .bits = m.digits("bits")};
  m.finish();
  return answers;
}

Miss miss_from(const json& j) {
  Members m(j);
  Miss miss{.case_name = m.text("case"),
            .finding_class = m.text("class"),
            .result = m.text("result"),
            .kind = parse_name(m.text("kind"), kAllMissKinds, "kind")};
  m.finish();
  return miss;
}

Rate rate_from(const json& j) {
  Members m(j);
  Rate rate{.name = m.text("name"),
            .per_second = m.number("giga_per_second"),
            .clock_mhz = m.number("clock_mhz")};
  m.finish();
  return rate;
}

std::string text_of(const json& j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string check_of(const json& unchecked) { return hex(digest64(text_of(unchecked))); }

void check_sense(const Rollup& rollup) {
  if (rollup.origin.node.empty()) throw RollupError("'node' is empty");
  if (rollup.device.selector.empty()) throw RollupError("'selector' is empty");
  if (rollup.total_misses < rollup.misses.size())
    throw RollupError("'total_misses' is less than the misses listed");
  if ((rollup.completeness == Completeness::kComplete) != rollup.reason.empty())
    throw RollupError("'reason' is due exactly if the answer is not complete");
}

json answers_json(const Rollup& rollup) {
  json list = json::array();
  for (const SuiteAnswers& one : rollup.answers) {
    list.push_back({{"suite", one.suite},
                    {"passed", one.passed},
                    {"missed", one.missed},
                    {"asked", hex(one.asked)},
                    {"bits", hex(one.bits)}});
  }
  return list;
}

json misses_json(const Rollup& rollup) {
  json list = json::array();
  for (const Miss& miss : rollup.misses) {
    list.push_back({{"case", miss.case_name},
                    {"class", miss.finding_class},
                    {"result", miss.result},
                    {"kind", name_of(miss.kind)}});
  }
  return list;
}

json rates_json(const Rollup& rollup) {
  json list = json::array();
  for (const Rate& rate : rollup.rates) {
    list.push_back(
        {{"name", rate.name}, {"giga_per_second", rate.per_second}, {"clock_mhz", rate.clock_mhz}});
  }
  return list;
}

Rollup rollup_from(const json& j) {
  Members m(j);
  if (m.text("schema") != kRollupSchema)
    throw RollupError(fmt::format("its schema is not {}", kRollupSchema));
  Rollup rollup{
      .origin = origin_from(m.at("origin")),
      .device = device_from(m.at("device")),
      .question = question_from(m.at("question")),
      .completeness = parse_name(m.text("completeness"), kAllCompleteness, "completeness"),
      .reason = m.text("reason"),
      .card = m.text("card"),
      .started = m.text("started"),
      .expected = m.whole("expected"),
      .reported = m.whole("reported"),
      .answers = {},
      .misses = {},
      .total_misses = m.whole("total_misses"),
      .rates = {},
      .self_test = SelfTest::kNone,
      .golden = {}};
  for (const json& one : m.list("answers", kMostSuites))
    rollup.answers.push_back(answers_from(one));
  for (const json& one : m.list("misses", kMostMisses)) rollup.misses.push_back(miss_from(one));
  for (const json& one : m.list("rates", kMostRates)) rollup.rates.push_back(rate_from(one));
  if (m.find("self_test") != nullptr)
    rollup.self_test = parse_name(m.text("self_test"), kAllSelfTests, "self_test");
  if (const json* golden = m.find("golden")) rollup.golden = golden_from(*golden);
  m.finish();
  check_sense(rollup);
  return rollup;
}

}  // namespace

std::uint64_t trials(const Rollup& rollup) {
  std::uint64_t sum = 0;
  for (const SuiteAnswers& one : rollup.answers) sum += one.passed;
  return sum;
}

std::string_view name_of(Completeness completeness) {
  switch (completeness) {
    case Completeness::kComplete:
      return "complete";
    case Completeness::kPartial:
      return "partial";
    case Completeness::kError:
      return "error";
  }
  return "error";
}

std::string_view name_of(MissKind kind) {
  switch (kind) {
    case MissKind::kViolation:
      return "violation";
    case MissKind::kDied:
      return "died";
    case MissKind::kVaries:
      return "varies";
    case MissKind::kContradicts:
      return "contradicts";
  }
  return "violation";
}

std::string_view name_of(SelfTest test) {
  switch (test) {
    case SelfTest::kNone:
      return "none";
    case SelfTest::kCaught:
      return "caught";
    case SelfTest::kMissed:
      return "missed";
    case SelfTest::kNotDone:
      return "not-done";
  }
  return "none";
}

bool breaks_a_promise(const Rollup& rollup) {
  const auto is_wrong = [](const SuiteAnswers& one) { return one.missed > 0; };
  const auto is_unpermitted = [](const Miss& miss) { return miss.kind != MissKind::kVaries; };
  return std::ranges::any_of(rollup.answers, is_wrong) ||
         std::ranges::any_of(rollup.misses, is_unpermitted);
}

bool is_doubtful(const Rollup& rollup) {
  return rollup.golden.refuted > 0 || rollup.self_test == SelfTest::kMissed ||
         rollup.self_test == SelfTest::kNotDone;
}

json to_json(const Rollup& rollup) {
  const Question& q = rollup.question;
  json j = {
      {"schema", kRollupSchema},
      {"origin",
       {{"run", rollup.origin.run}, {"task", rollup.origin.task}, {"node", rollup.origin.node}}},
      {"device",
       {{"selector", rollup.device.selector},
        {"backend", rollup.device.backend},
        {"name", rollup.device.name},
        {"platform", rollup.device.platform},
        {"driver", rollup.device.driver}}},
      {"question",
       {{"version", q.version},
        {"contract_revision", q.contract_revision},
        {"level", q.level},
        {"shard", q.shard},
        {"seed", q.seed},
        {"filters", q.filters},
        {"suites", q.suites}}},
      {"completeness", name_of(rollup.completeness)},
      {"reason", rollup.reason},
      {"card", rollup.card},
      {"started", rollup.started},
      {"expected", rollup.expected},
      {"reported", rollup.reported},
      {"answers", answers_json(rollup)},
      {"misses", misses_json(rollup)},
      {"total_misses", rollup.total_misses},
      {"rates", rates_json(rollup)}};
  if (rollup.self_test != SelfTest::kNone) j["self_test"] = name_of(rollup.self_test);
  if (q.golden.empty()) return j;
  j["question"]["golden"] = q.golden;
  j["golden"] = {{"matched", rollup.golden.matched},
                 {"confirmed", rollup.golden.confirmed},
                 {"refuted", rollup.golden.refuted}};
  return j;
}

std::string print(const Rollup& rollup) {
  json j = to_json(rollup);
  j["check"] = check_of(j);
  return text_of(j) + "\n";
}

Rollup parse_rollup(std::string_view text) {
  json j;
  try {
    j = text::read_json(text, kLimits);
  } catch (const text::JsonError& error) {
    throw RollupError(error.what());
  }
  if (!j.is_object() || !j.contains("check") || !j.at("check").is_string())
    throw RollupError("'check' is missing");
  const std::string check = j.at("check").get<std::string>();
  j.erase("check");
  Rollup rollup = rollup_from(j);
  if (check_of(j) != check) throw RollupError("its content does not fit its 'check'");
  return rollup;
}

}  // namespace halfmark::fleet
