// SPDX-License-Identifier: Apache-2.0
#include "reports/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reference/text/json.hpp"
#include "reports/digest.hpp"
#include "reports/files.hpp"
#include "reports/marks.hpp"
#include "reports/plain_plural.hpp"
#include "reports/schema_check.hpp"
#include "reports/scorecard_json.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;
using Problems = std::vector<std::string>;

// Some twenty times the largest card of level `full`.
constexpr text::JsonLimits kCardLimits{
    .bytes = std::size_t{32} << 20, .values = 2'000'000, .string_bytes = std::size_t{1} << 18};

void expect_equal(Problems& problems, const std::string& what, std::uint64_t expected,
                  std::uint64_t actual) {
  if (expected != actual)
    problems.push_back(fmt::format("{}: expected {}, the card says {}", what, expected, actual));
}

void check_digest(const json& card, Problems& problems) {
  const std::string expected = digest_of(card);
  const std::string actual = card.at("digest");
  if (expected == actual) return;
  problems.push_back(fmt::format(
      "digest: the content gives {}, the card says {}: it was changed after it was written",
      expected, actual));
}

void check_suites(const Scorecard& card, const json& j, Problems& problems) {
  std::map<std::string, VerdictCounts> counted;
  for (const CaseLine& line : card.cases) ++counted[std::string(suite_of(line.name))][line.verdict];
  std::size_t index = 0;
  for (const SuiteTally& suite : card.suites) {
    const std::string what = fmt::format("suite {}", suite.name);
    expect_equal(problems, what + ", cases", suite.verdicts.total(),
                 j.at("suites").at(index++).at("cases"));
    for (const suites::Verdict verdict : suites::kAllVerdicts) {
      expect_equal(problems, fmt::format("{}, {}", what, name_of(verdict)),
                   counted[suite.name][verdict], suite.verdicts[verdict]);
      std::uint64_t in_tiers = 0;
      for (const auto& [tier, counts] : suite.tiers) in_tiers += counts[verdict];
      expect_equal(problems, fmt::format("{}, {} over all tiers", what, name_of(verdict)),
                   suite.verdicts[verdict], in_tiers);
    }
    counted.erase(suite.name);
  }
  for (const auto& [name, counts] : counted)
    problems.push_back(fmt::format("suite {} has cases but no counts", name));
}

void check_roster(const Scorecard& card, const json& j, Problems& problems) {
  expect_equal(problems, "roster, reported", card.cases.size(), j.at("roster").at("reported"));
  if (card.complete)
    expect_equal(problems, "roster, expected of a COMPLETE card", card.cases.size(),
                 card.expected_cases);
  const auto disorder = std::ranges::adjacent_find(card.cases, std::greater<>{}, &CaseLine::name);
  if (disorder != card.cases.end())
    problems.push_back(fmt::format("cases: {} is out of order", disorder->name));
}

void check_findings(const Scorecard& card, Problems& problems) {
  std::set<std::string> ids, names;
  for (const Finding& finding : card.findings) {
    if (!ids.insert(finding.id).second)
      problems.push_back(fmt::format("finding {} appears twice", finding.id));
    const std::string& name = finding.result.name;
    const auto line = std::ranges::lower_bound(card.cases, name, {}, &CaseLine::name);
    if (line == card.cases.end() || line->name != name) {
      problems.push_back(
          fmt::format("finding {}: its case {} is not among the cases", finding.id, name));
    } else if (line->verdict != finding.result.verdict) {
      problems.push_back(fmt::format("finding {}: its case says {}, the finding says {}",
                                     finding.id, name_of(line->verdict),
                                     name_of(finding.result.verdict)));
    }
    if (finding.result.mismatches > finding.result.elements) {
      problems.push_back(fmt::format("finding {}: more wrong elements than elements", finding.id));
    }
    names.insert(name);
  }
  for (const CaseLine& line : card.cases) {
    if (line.verdict == suites::Verdict::kFail && !names.contains(line.name)) {
      problems.push_back(fmt::format("case {} fails without a finding", line.name));
    }
  }
}

void check_marks(const Scorecard& card, Problems& problems) {
  for (const std::string_view id : kMarkIds) {
    const auto count = static_cast<std::uint64_t>(std::ranges::count(card.marks, id, &Mark::id));
    expect_equal(problems, fmt::format("mark {}, entries", id), 1, count);
  }
  for (const Mark& mark : card.marks) {
    if (mark.held && !may_hold(card, mark.id))
      problems.push_back(fmt::format("a partial card holds mark {}", mark.id));
    if (mark.level != card.suite.level)
      problems.push_back(fmt::format("mark {} is of another level", mark.id));
  }
}

// Reports show the scales of all tensors of a step in the columns of the first.
void check_training_step(const json& step, Problems& problems) {
  if (step.is_null()) return;
  const auto scales_of = [](const json& tensor) {
    std::vector<int> scales;
    for (const json& scale : tensor.at("scales")) scales.push_back(scale.at("scale_log2"));
    return scales;
  };
  for (const json& tensor : step.at("tensors")) {
    if (scales_of(tensor) != scales_of(step.at("tensors").front()))
      problems.push_back(fmt::format("training step: the scales of tensor {} are not those of {}",
                                     tensor.at("name").get<std::string>(),
                                     step.at("tensors").front().at("name").get<std::string>()));
  }
}

}  // namespace

std::vector<std::string> validate(const json& j) {
  Problems problems = check_schema(j);
  if (!problems.empty()) return problems;
  check_digest(j, problems);
  Scorecard card;
  try {
    card = scorecard_from_json(j);
  } catch (const std::exception& error) {  // what a schema cannot express: lists of equal length
    problems.emplace_back(error.what());
    return problems;
  }
  check_roster(card, j, problems);
  check_suites(card, j, problems);
  check_findings(card, problems);
  check_marks(card, problems);
  check_training_step(card.training_step, problems);
  return problems;
}

json read_card_json(const std::filesystem::path& given) {
  std::error_code unknown;
  const std::filesystem::path path =
      std::filesystem::is_directory(given, unknown) ? given / "scorecard.json" : given;
  std::string text;
  try {
    text = read_file(path, kCardLimits.bytes);
  } catch (const FileError& error) {
    throw CardError(
        fmt::format("{}; name a scorecard.json that `halfmark run` wrote", error.what()));
  }
  json card;
  try {
    card = text::read_json(text, kCardLimits);
  } catch (const text::JsonError& error) {
    throw CardError(
        fmt::format("{} is not a scorecard: {}; if it was cut off, write it again with "
                    "`halfmark run --resume`",
                    path.string(), error.what()));
  }
  const std::string schema =
      card.is_object() ? card.value("schema", json("missing")).dump() : "\"missing\"";
  if (schema == fmt::format("\"{}\"", kSchemaName)) return card;
  throw CardError(
      fmt::format("{} is not a scorecard of this version: its schema is {}, expected \"{}\"",
                  path.string(), schema, kSchemaName));
}

Scorecard read_scorecard(const std::filesystem::path& path) {
  const json card = read_card_json(path);
  const Problems problems = validate(card);
  if (problems.empty()) return scorecard_from_json(card);
  throw CardError(fmt::format("{} is not a valid scorecard ({}): {}; see `halfmark validate`",
                              path.string(), plain_plural(problems.size(), "problem"),
                              problems.front()));
}

}  // namespace halfmark::reports
