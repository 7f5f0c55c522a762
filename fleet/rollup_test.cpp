// SPDX-License-Identifier: Apache-2.0
#include "fleet/rollup.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "fleet/agent.hpp"
#include "fleet/digest64.hpp"
#include "fleet/merge.hpp"
#include "fleet/rollup_of.hpp"
#include "fleet/testing/sample.hpp"
#include "fleet/writers.hpp"
#include "reference/text/json.hpp"
#include "reports/incidents.hpp"

namespace halfmark::fleet {
namespace {

using nlohmann::json;
using testing::right;
using testing::wrong;

std::string read(const std::string& path) {
  std::ifstream in(std::string(HALFMARK_ROOT) + "/" + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool fits(const json& j, const std::string& schema_file) {
  valijson::Schema schema;
  const json text = json::parse(read("reports/schema/" + schema_file));
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(text), schema);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  return validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(j), nullptr);
}

Rollup full() {
  Rollup rollup = wrong("node01", "00ff");
  testing::set_rate(rollup, "fma.fp32", 12.5, 1410);
  return rollup;
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_rollup(text));
    return "";
  } catch (const RollupError& error) {
    return error.what();
  }
}

TEST(Rollup, PrintsAndParses) {
  const Rollup rollup = full();
  const std::string text = print(rollup);
  EXPECT_EQ(rollup, parse_rollup(text));
  EXPECT_LT(text.size(), 2048U);
  EXPECT_EQ('\n', text.back());
  EXPECT_EQ(1, std::count(text.begin(), text.end(), '\n'));
}

TEST(Rollup, FitsItsSchema) {
  EXPECT_TRUE(fits(json::parse(print(full())), "rollup.schema.json"));
  json more = json::parse(print(full()));
  more["more"] = 1;
  EXPECT_FALSE(fits(more, "rollup.schema.json"));
}

Rollup with_store() {
  Rollup rollup = full();
  rollup.question.golden = std::string(64, 'b');
  rollup.golden = {.matched = 90, .confirmed = 2, .refuted = 1};
  rollup.self_test = SelfTest::kMissed;
  return rollup;
}

TEST(Rollup, HasAStoreAndASelfTestOnlyIfThereWereAny) {
  const json j = json::parse(print(with_store()));
  EXPECT_TRUE(fits(j, "rollup.schema.json"));
  EXPECT_EQ(with_store(), parse_rollup(j.dump()));
  EXPECT_TRUE(is_doubtful(with_store()));
  EXPECT_FALSE(is_doubtful(full()));
  for (const char* key : {"self_test", "golden"}) {
    EXPECT_FALSE(json::parse(print(full())).contains(key));
    for (const json& other : {json(nullptr), json(-1), json("?"), json::array({1})}) {
      json bad = j;
      bad[key] = other;
      EXPECT_FALSE(fits(bad, "rollup.schema.json")) << key << " " << other;
      EXPECT_NE("", error_of(bad.dump())) << key << " " << other;
    }
  }
}

// Whatever the schema refuses the parser refuses, too.
TEST(Rollup, RefusesWhatTheSchemaRefuses) {
  const json good = json::parse(print(full()));
  for (const auto& [key, value] : good.items()) {
    for (const json& other : {json(nullptr), json(-1), json("?"), json::array({1})}) {
      json bad = good;
      bad[key] = other;
      if (!fits(bad, "rollup.schema.json")) {
        EXPECT_NE("", error_of(bad.dump())) << key << " " << other;
      }
    }
    json without = good;
    without.erase(key);
    EXPECT_FALSE(fits(without, "rollup.schema.json")) << key;
    EXPECT_NE("", error_of(without.dump())) << key;
  }
}

// Folders of cards that no agent wrote name nodes, and folders may have any name.
TEST(Rollup, PrintsAnyBytes) {
  Rollup rollup = full();
  rollup.origin.node = "caf\xe9";
  EXPECT_EQ("caf\xef\xbf\xbd", parse_rollup(print(rollup)).origin.node);
}

TEST(Rollup, AVariationThatAFreedomPermitsBreaksNoPromise) {
  EXPECT_FALSE(breaks_a_promise(right("a")));
  EXPECT_FALSE(breaks_a_promise(testing::varying("a", MissKind::kVaries)));
  EXPECT_TRUE(breaks_a_promise(testing::varying("a", MissKind::kContradicts)));
  Rollup unlisted = wrong("a", "ff");
  EXPECT_TRUE(breaks_a_promise(unlisted));
  unlisted.misses.clear();
  EXPECT_TRUE(breaks_a_promise(unlisted));
}

TEST(Rollup, NoticesDamage) {
  std::string text = print(full());
  EXPECT_NE("", error_of(text.substr(0, text.size() / 2)));
  json edited = json::parse(text);
  edited["answers"][0]["missed"] = 0;
  EXPECT_EQ("its content does not fit its 'check'", error_of(edited.dump()));
  EXPECT_NE("", error_of("[]"));
  EXPECT_NE("", error_of(""));
  edited = json::parse(text);
  edited["answers"][0]["bits"] = "0123456789ABCDEF";
  EXPECT_EQ("'bits' has not 16 hexadecimal digits", error_of(edited.dump()));
}

TEST(Rollup, RefusesMembersThatItDoesNotKnow) {
  json more = json::parse(print(full()));
  more.erase("check");
  more["origin"]["rack"] = "7";
  more["check"] = fmt::format("{:016x}", digest64(more.dump()));
  EXPECT_EQ("a member is unknown to this version", error_of(more.dump()));
}

TEST(Rollup, HoldsARealCard) {
  const json card = text::read_json(read("reports/golden/sample.json"));
  const Rollup rollup = rollup_of(card, {.run = "r", .task = "0", .node = "n"});
  std::uint64_t violations = 0;
  for (const json& finding : card.at("findings"))
    violations += finding.at("standing") == "violation";
  EXPECT_GE(rollup.total_misses, violations);
  EXPECT_GT(violations, 0U);
  EXPECT_EQ(card.at("roster").at("reported"), rollup.reported);
  EXPECT_EQ(card.at("digest"), rollup.card);
  EXPECT_EQ(card.at("device").at("name"), rollup.device.name);
  EXPECT_EQ(rollup, parse_rollup(print(rollup)));
  EXPECT_TRUE(fits(json::parse(print(rollup)), "rollup.schema.json"));
  EXPECT_LT(print(rollup).size(), 5000U);
}

TEST(Rollup, DependsOnEachBitAndOnNoOrder) {
  json card = text::read_json(read("reports/published/halfmark-host/scorecard.json"));
  const Rollup before = rollup_of(card, {});
  std::ranges::reverse(card["cases"]);
  EXPECT_EQ(before, rollup_of(card, {}));
  card["cases"][3]["digest"] = "0000000000000000";
  const Rollup after = rollup_of(card, {});
  int other_bits = 0;
  for (std::size_t i = 0; i < before.answers.size(); ++i) {
    EXPECT_EQ(before.answers[i].asked, after.answers[i].asked);
    other_bits += before.answers[i].bits != after.answers[i].bits;
  }
  EXPECT_EQ(1, other_bits);
}

TEST(Rollup, CountsDeathsAndContradictions) {
  json card = text::read_json(read("reports/published/halfmark-host/scorecard.json"));
  card["cases"][0]["verdict"] = "crash";
  card["cases"][2]["verdict"] = "error";
  card["findings"].push_back({{"case", card["cases"][1]["name"]},
                              {"class", "nondet"},
                              {"standing", "deviation"},
                              {"digest", ""}});
  card["canaries"][0]["standing"] = "violation";
  const Rollup rollup = rollup_of(card, {});
  ASSERT_EQ(4U, rollup.total_misses);
  std::vector<std::string> kinds;
  for (const Miss& miss : rollup.misses) kinds.emplace_back(name_of(miss.kind));
  std::ranges::sort(kinds);
  EXPECT_EQ((std::vector<std::string>{"died", "died", "varies", "violation"}), kinds);
  std::uint64_t missed = 0;
  for (const SuiteAnswers& one : rollup.answers) missed += one.missed;
  EXPECT_EQ(3U, missed);  // the case that varies is not wrong
}

// Else the device would be the only one that was asked the rest of the suite, and conform.
TEST(Rollup, ACaseThatDiedIsHeldAgainstThePeersThatAnsweredIt) {
  const json card = text::read_json(read("reports/published/halfmark-host/scorecard.json"));
  const auto on = [](const json& answers, const char* node) {
    return rollup_of(answers, {.run = "r", .task = node, .node = node});
  };
  for (const char* verdict : {"error", "crash", "hang", "device-lost"}) {
    json dead = card;
    dead["cases"][0]["verdict"] = verdict;
    const Rollup right = on(card, "a"), wrong = on(dead, "b");
    for (std::size_t i = 0; i < right.answers.size(); ++i)
      EXPECT_EQ(right.answers[i].asked, wrong.answers[i].asked) << verdict;
    Merge merge;
    for (const Rollup& rollup : {right, wrong, on(card, "c")}) merge.add(rollup);
    const FleetReport report = merge.finish(std::nullopt);
    EXPECT_EQ(1U, report.count(DeviceVerdict::kLoneDeviation)) << verdict;
    EXPECT_EQ(1, exit_code(report)) << verdict;
  }
}

// A device may answer every case in the end, and be lost on the way more often than allowed.
TEST(Rollup, LossesBeyondTheAllowanceAreAMiss) {
  const json card = text::read_json(read("reports/published/halfmark-host/scorecard.json"));
  const auto losing = [&](std::size_t losses, const char* node) {
    json lossy = card;
    lossy["environment"]["incidents"] = json(losses, json{{"lost", true}});
    return rollup_of(lossy, {.run = "r", .task = node, .node = node});
  };
  const std::size_t allowed = reports::losses_in(json::object(), losing(0, "a").expected).allowed;
  EXPECT_EQ(losing(0, "a"), losing(allowed, "a"));
  const Rollup lossy = losing(allowed + 1, "b");
  ASSERT_EQ(1U, lossy.misses.size());
  EXPECT_EQ(kLosses, lossy.misses[0].case_name);
  EXPECT_EQ(MissKind::kDied, lossy.misses[0].kind);
  EXPECT_TRUE(breaks_a_promise(lossy));
  EXPECT_TRUE(fits(json::parse(print(lossy)), "rollup.schema.json"));
  Merge merge;
  for (const Rollup& rollup : {losing(0, "a"), lossy, losing(0, "c")}) merge.add(rollup);
  const FleetReport report = merge.finish(std::nullopt);
  EXPECT_EQ(1U, report.count(DeviceVerdict::kLoneDeviation));
  EXPECT_EQ(2U, report.count(DeviceVerdict::kConformant));
  EXPECT_EQ(1, exit_code(report));
  for (const DeviceRow& row : report.rows)
    EXPECT_EQ(std::string::npos, row.next.find("replay")) << row.next;  // no case would show it
}

TEST(Rollup, APlantedFaultHasThePeersOfTheDevice) {
  json card = text::read_json(read("reports/published/halfmark-host/scorecard.json"));
  const Rollup before = rollup_of(card, {});
  card["device"]["name"] = before.device.name + " with fault S01";
  card["environment"]["device"]["extra"]["fault"] = "S01";
  EXPECT_EQ(before.device, rollup_of(card, {}).device);
  card["environment"]["device"]["extra"]["fault"] = "S02";
  EXPECT_NE(before.device, rollup_of(card, {}).device);
}

TEST(Rollup, RefusesOtherJson) {
  EXPECT_THROW(static_cast<void>(rollup_of(json::object(), {})), RollupError);
  EXPECT_THROW(static_cast<void>(rollup_of(json::array(), {})), RollupError);
  json card = text::read_json(read("reports/published/halfmark-host/scorecard.json"));
  card.erase("roofs");
  EXPECT_THROW(static_cast<void>(rollup_of(card, {})), RollupError);
}

TEST(Agent, PrintsAndParses) {
  const AgentRecord record{.origin = {"r", "1", "n"},
                           .launcher = "slurm",
                           .tier = "pulse",
                           .started = "t",
                           .tasks = 4,
                           .attempts = 2,
                           .devices = {"x:0"},
                           .finished = true,
                           .error = "",
                           .clock_ahead_s = -3};
  EXPECT_EQ(record, parse_agent(print(record)));
  for (const json& bad : {json(1e300), json(-1), json("4"), json(10'000'001)}) {
    json odd = json::parse(print(record));
    odd["tasks"] = bad;
    EXPECT_THROW(static_cast<void>(parse_agent(odd.dump())), RollupError) << bad;
  }
  EXPECT_THROW(static_cast<void>(parse_agent("{}")), RollupError);
  EXPECT_THROW(static_cast<void>(parse_agent(print(record).substr(0, 40))), RollupError);
}

TEST(FleetJson, FitsItsSchema) {
  Merge merge;
  merge.add(right("a"));
  merge.add(wrong("b", "00ff"));
  merge.add(rollup_of_error(
      {"r", "2", "c"}, {.selector = "x:0", .backend = {}, .name = {}, .platform = {}, .driver = {}},
      "no driver"));
  const json report = to_json(merge.finish(parse_roster("a\nb\nc\nd 2\n")));
  EXPECT_TRUE(fits(report, "fleet.schema.json")) << report.dump(2);
  json bad = report;
  bad["deviating"][0]["verdict"] = "broken";
  EXPECT_FALSE(fits(bad, "fleet.schema.json"));
}

}  // namespace
}  // namespace halfmark::fleet
