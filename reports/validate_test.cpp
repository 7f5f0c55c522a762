// SPDX-License-Identifier: Apache-2.0
// For every check, a card that breaks only that check proves it.
#include "reports/validate.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>

#include "reports/digest.hpp"
#include "reports/files.hpp"
#include "reports/scorecard_json.hpp"
#include "reports/testing/sample_record.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;
using Pointer = json::json_pointer;

json sample_json() { return to_json(tally(sample_record())); }
json fp16_json() { return to_json(tally(fp16_record())); }

// What the sample lacks, reduced so that the tests take at most a second: verdicts on fp16, roofs,
// and rows with a duel.
json timed_json() {
  json card = fp16_json();
  json rows = json::array();
  for (const json& row : card.at("throughput")) {
    if (!row.at("duel").is_null() && rows.size() < 2) rows.push_back(row);
  }
  card["throughput"] = rows;
  for (const char* key : {"fp16_operators", "roofs"}) {
    json& list = card[key].is_array() ? card[key] : card[key]["operations"];
    list.erase(list.begin() + 2, list.end());
  }
  return card;
}

bool is_timed(const std::string& place) {
  for (const char* part : {"/throughput", "/roofs", "/true_fp16", "/fp16_operators"}) {
    if (place.starts_with(part)) return true;
  }
  return false;
}

json redigested(json card) {
  card["digest"] = digest_of(card);
  return card;
}

// Backends and hosts may add members to these; everything else is closed.
bool is_open(const std::string& path) {
  return path.starts_with("/device") || path.starts_with("/environment");
}

void for_each_member(const json& value, const std::string& path,
                     const std::function<void(const std::string&)>& visit) {
  if (!value.is_structured() || is_open(path)) return;
  for (const auto& [key, inner] : value.items()) {
    const std::string place = path + "/" + key;
    if (value.is_object()) visit(place);
    for_each_member(inner, place, visit);
  }
}

TEST(Validate, AcceptsWhatTallyMakes) {
  EXPECT_EQ(validate(sample_json()), std::vector<std::string>{});
  EXPECT_EQ(validate(to_json(tally(clean_record()))), std::vector<std::string>{});
  EXPECT_EQ(validate(fp16_json()), std::vector<std::string>{});
  RunRecord partial = sample_record();
  partial.completed = false;
  partial.results.pop_back();
  EXPECT_EQ(validate(to_json(tally(partial))), std::vector<std::string>{});
}

// Members that some cards or some rows lack.
bool is_optional(const std::string& place) {
  return place == "/accuracy" || place.find("/conditions/") != std::string::npos ||
         place.ends_with("/casts");
}

// Every member of the sample, and those of a timed card that hold times.
void for_each_place(const std::function<void(const json&, const std::string&)>& visit) {
  const json sample = sample_json(), timed = timed_json();
  for_each_member(sample, "", [&](const std::string& place) { visit(sample, place); });
  for_each_member(timed, "", [&](const std::string& place) {
    if (is_timed(place)) visit(timed, place);
  });
}

TEST(Validate, EveryMemberIsNeeded) {
  std::size_t tried = 0;
  for_each_place([&](const json& card, const std::string& place) {
    if (is_optional(place)) return;
    json broken = card;
    const Pointer pointer(place);
    broken[pointer.parent_pointer()].erase(pointer.back());
    EXPECT_FALSE(validate(broken.contains("digest") ? redigested(broken) : broken).empty())
        << place;
    ++tried;
  });
  EXPECT_GT(tried, 400u);
}

TEST(Validate, EveryMemberHasItsType) {
  for_each_place([](const json& card, const std::string& place) {
    json broken = card;
    json& value = broken[Pointer(place)];
    value = value.is_number() ? json("a text") : json(42);
    EXPECT_FALSE(validate(place == "/digest" ? broken : redigested(broken)).empty()) << place;
  });
}

TEST(Validate, NoMemberMayBeAdded) {
  for_each_place([](const json& card, const std::string& place) {
    const Pointer parent = Pointer(place).parent_pointer();
    json broken = card;
    broken[parent]["surprise"] = 1;
    EXPECT_FALSE(validate(redigested(broken)).empty()) << place;
  });
}

// A hypothesis that an experiment excluded is described like one that remained.
TEST(Validate, ExcludedHypothesesSayWhereTheyHold) {
  const json excluded = {
      {"hypothesis", "another"}, {"class", "layout"}, {"freedoms", json::array()},
      {"sentence", "words"},     {"explained", 1},    {"contradicted", 1},
      {"in_part", true},         {"generic", true},   {"substituted", "bf16"}};
  json card = sample_json();
  card["findings"][0]["experiments"] = {
      {"asked", json::array()}, {"excluded", {excluded}}, {"end", "one is left"}};
  EXPECT_EQ(std::vector<std::string>{}, validate(redigested(card)));
  card["findings"][0]["experiments"]["excluded"][0]["in_part"] = "yes";
  EXPECT_FALSE(validate(redigested(card)).empty());
}

struct Break {
  const char* what;  // part of the expected message
  const char* place;
  json value;
};

TEST(Validate, SchemaNamesThePlace) {
  const Break breaks[] = {
      {"[level]", "/suite/level", "heroic"},
      {"[cases]", "/suites/0/cases", 0},
      {"[verdict]", "/cases/0/verdict", "fine"},
      {"[digest]", "/digest", "XYZ"},
      {"[seed]", "/suite/seed", -1},
      {"[standing]", "/findings/0/standing", "none"},
      {"[standing]", "/canaries/0/standing", "great"},
      {"[kind]", "/true_fp16/kind", "probably"},
      {"[hex]", "/findings/0/wrong/0/actual/hex", "0x3C"},
      {"[explained_percent]", "/findings/0/explanations/0/explained_percent", 101},
      {"[name]", "/cases/0/name", "no dots and blanks"},
      {"[permitted_by]", "/findings/1/permitted_by", ""},
      {"[reasons]", "/marks/0/reasons", json::array()},
      {"[incomplete_reasons]", "/incomplete_reasons", json::array({"because"})},
      {"[replay]", "/findings/0/replay", "rm -rf /"},
  };
  for (const Break& b : breaks) {
    json card = sample_json();
    card[Pointer(b.place)] = b.value;
    const auto problems = validate(card);
    ASSERT_FALSE(problems.empty()) << b.place;
    bool named = false;
    for (const std::string& problem : problems)
      named = named || problem.find(b.what) != std::string::npos;
    EXPECT_TRUE(named) << b.place << ": " << problems.front();
  }
}

void expect_problem(const json& card, const std::string& part) {
  const auto problems = validate(card);
  bool named = false;
  for (const std::string& problem : problems)
    named = named || problem.find(part) != std::string::npos;
  EXPECT_TRUE(named) << part
                     << " is not in: " << (problems.empty() ? "(no problem)" : problems.front());
}

TEST(Validate, ChangedContentBreaksTheDigest) {
  json card = sample_json();
  card["device"]["name"] = "Better A1";
  expect_problem(card, "digest: the content gives");
}

TEST(Validate, TimesAndEnvironmentMayChange) {
  json card = sample_json();
  card["environment"]["note"] = "moved to another rack";
  card["throughput"] = json::array();
  EXPECT_TRUE(validate(card).empty());
}

TEST(Validate, LibrariesOfTheEnvironmentAreClosed) {
  json card = sample_json();
  json& library = card["environment"]["libraries"][0];
  library["colour"] = "blue";
  EXPECT_FALSE(validate(card).empty());
  library.erase("colour");
  EXPECT_TRUE(validate(card).empty());
  library["kind"] = "shelf";
  EXPECT_FALSE(validate(card).empty());
}

// Marks on bits do not wait for times: `tally` holds them, so such a card is valid.
TEST(Validate, ARunEndedWhileItMeasuredSpeedHoldsMarksOnBitsAlone) {
  RunRecord record = clean_record();
  record.completed = false;
  const Scorecard partial = tally(record);
  ASSERT_TRUE(find_mark(partial, "H1")->held);
  json card = to_json(partial);
  EXPECT_EQ(std::vector<std::string>{}, validate(card));
  card["marks"][3]["held"] = true;
  card["marks"][3]["reasons"] = json::array();
  expect_problem(redigested(card), "a partial card holds mark TF16");
  card = to_json(partial);
  card["roster"]["expected"] = partial.expected_cases + 1;
  expect_problem(redigested(card), "a partial card holds mark H1");
}

TEST(Validate, TotalsMustAddUp) {
  const Break breaks[] = {
      {"roster, reported", "/roster/reported", 12},
      {"roster, expected of a COMPLETE card", "/roster/expected", 99},
      {"suite gemm, cases", "/suites/1/cases", 4},
      {"suite gemm, pass", "/suites/1/verdicts/pass", 3},
      {"suite gemm, fail over all tiers", "/suites/1/tiers/specified/fail", 0},
      {"fails without a finding", "/cases/0/verdict", "fail"},
      {"its case says pass", "/findings/0/case", kAddCase},
      {"is not among the cases", "/findings/0/case", "gemm.absent.s7"},
      {"finding F001 appears twice", "/findings/1/id", "F001"},
      {"more wrong elements than elements", "/findings/0/mismatches", 4226},
      {"mark H1, entries", "/marks/0/id", "H2"},
      {"mark H1 is of another level", "/marks/0/level", "full"},
  };
  for (const Break& b : breaks) {
    json card = sample_json();
    card[Pointer(b.place)] = b.value;
    expect_problem(redigested(card), b.what);
  }
  json card = sample_json();
  std::swap(card["cases"][0], card["cases"][1]);
  expect_problem(redigested(card), "is out of order");
  card = sample_json();
  card["suites"].erase(1);
  expect_problem(redigested(card), "suite gemm has cases but no counts");
  card = to_json(tally(clean_record()));
  card["status"] = "PARTIAL";
  card["incomplete_reasons"] = {"stopped"};
  expect_problem(redigested(card), "a partial card holds mark H1");
}

// Regular expressions of the schema recurse for each character.
TEST(Validate, LongWordsAreNoDangerToTheStack) {
  json card = to_json(tally(sample_record()));
  card["cases"][0]["name"] = std::string(200'000, 'x');
  EXPECT_FALSE(validate(card).empty());
}

TEST(Validate, ListsOfDifferentLengthsAreAProblem) {
  json card = to_json(tally(sample_record()));
  for (json& finding : card["findings"]) {
    if (finding["reduction"].is_null() || finding["reduction"]["tensors"].empty()) continue;
    finding["reduction"]["tensors"][0]["values"].push_back("1");
    expect_problem(redigested(card), "lists of different lengths");
    return;
  }
  FAIL() << "no finding of the sample was made small";
}

std::string error_of(const std::filesystem::path& path) {
  try {
    static_cast<void>(read_scorecard(path));
  } catch (const CardError& error) {
    return error.what();
  }
  return "";
}

TEST(Validate, FilesThatAreNoScorecardsGetOneLine) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("halfmark-validate-" + std::to_string(::getpid()));
  const auto expect_line = [&](const std::string& content, const std::string& part) {
    write_file_atomically(folder / "scorecard.json", content);
    const std::string line = error_of(folder / "scorecard.json");
    EXPECT_NE(line.find(part), std::string::npos) << line;
    EXPECT_NE(line.find("scorecard.json"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  };
  const std::string good = print_json(tally(sample_record()));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, good.size() / 2, good.size() - 3}) {
    expect_line(good.substr(0, size), "; if it was cut off, write it again");
  }
  expect_line("[]", "its schema is \"missing\"");
  expect_line("{\"schema\": \"other/3\"}",
              "its schema is \"other/3\", expected \"halfmark-scorecard/1\"");
  expect_line("{\"schema\": 1}", "its schema is 1");
  expect_line("{\"schema\": \"halfmark-scorecard/1\"}", "is not a valid scorecard");
  expect_line("\x89PNG\r\n", "not JSON (at byte");
  expect_line(std::string(100000, '['), "nested deeper than 96 at byte 97");
  std::filesystem::remove(folder / "scorecard.json");
  EXPECT_NE(error_of(folder / "scorecard.json").find("cannot read"), std::string::npos);
  write_file_atomically(folder / "scorecard.json", good);
  EXPECT_EQ(print_json(read_scorecard(folder)), good);  // a folder stands for the card in it
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace halfmark::reports
