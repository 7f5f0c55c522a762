// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "reports/plain_plural.hpp"
#include "reports/scorecard_json.hpp"
#include "reports/throughput_json.hpp"
#include "tools/halfmark/options.hpp"
#include "tools/halfmark/version.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

constexpr const char* kNoArithmetic = "none";

reports::RunIdentity identity_from(const json& j) {
  return {.version = j.at("version"),
          .contract_revision = j.at("contract_revision"),
          .level = j.at("level"),
          .seed = j.at("seed"),
          .filters = j.at("filters"),
          .shard = j.at("shard"),
          .suites = j.at("suites"),
          .golden = j.value("golden", std::string())};
}

reports::ThroughputRun throughput_from(const json& j) {
  reports::ThroughputRun run{.name = j.at("name"),
                             .provider = j.at("provider"),
                             .operation = j.at("operation"),
                             .formats = j.at("formats"),
                             .shape = j.at("shape"),
                             .fill = j.at("fill"),
                             .shape_class = j.at("shape_class"),
                             .samples_ns = j.at("samples_ns"),
                             .flops = j.at("flops"),
                             .bytes = j.at("bytes"),
                             .passed_case = j.at("passed_case"),
                             .declared_gflops = j.at("declared_gflops"),
                             .fresh_ns = j.at("fresh_ns"),
                             .conditions = j.at("conditions"),
                             .doubt = j.at("doubt")};
  reports::read_verification(j, run);
  return run;
}

// Drivers answer some queries differently in each process (free memory, clocks): those answers
// belong in the environment, which need not repeat.
json stable_part(json device, json& environment) {
  for (const char* key : {"memory_bytes", "local_memory_bytes", "plugin", "extra"}) {
    if (!device.contains(key)) continue;
    environment["device"][key] = device.at(key);
    device.erase(key);
  }
  if (device.contains("libraries")) environment["libraries"] = device.at("libraries");
  device.erase("libraries");
  return device;
}

// The passing cases of one class of cases: those that its arithmetic explains, and those that it
// does not.
struct Covered {
  std::size_t explained = 0;
  std::vector<std::string> contradicted;
};

std::map<std::string, Covered> covered_cases(const suites::DeviceRun& run) {
  std::map<std::string, Covered> covered;
  for (const suites::CaseResult& result : run.results) {
    const suites::Modelling* modelling = suites::find_suite(result.suite).modelling;
    if (modelling == nullptr || result.verdict != suites::Verdict::kPass) continue;
    Covered& of_class = covered[modelling->key(suites::parse_case(result.name))];
    if (result.tier == name_of(suites::Tier::kModelled)) {
      ++of_class.explained;
    } else {
      of_class.contradicted.push_back(result.name);
    }
  }
  return covered;
}

// A name that explains the probes and not every case is not what the operator computes there.
void withdraw_name(reports::ArithmeticEntry& entry) {
  entry.evidence =
      fmt::format("{} explains {} cases and not {}; of the probes, {}", entry.arithmetic,
                  entry.explained_cases, entry.contradicted_cases.front(), entry.evidence);
  entry.others.insert(entry.others.begin(), std::exchange(entry.arithmetic, kNoArithmetic));
  entry.outcome = name_of(suites::Identity::kUnexplained);
}

reports::ArithmeticEntry entry_of(const suites::Identified& found, Covered covered) {
  reports::ArithmeticEntry entry{
      .operation = found.suite,
      .provider = found.provider,
      .library = found.library,
      .formats = found.formats,
      .shapes = {},
      .outcome = std::string(name_of(found.identity)),
      .arithmetic = found.arithmetic.empty() ? kNoArithmetic : found.arithmetic,
      .evidence = found.evidence,
      .others = found.others,
      .observed = found.observed,
      .explained_cases = covered.explained,
      .contradicted_cases = std::move(covered.contradicted)};
  if (found.named() && !entry.contradicted_cases.empty()) withdraw_name(entry);
  if (!found.shape.empty()) entry.shapes.push_back(found.shape);
  return entry;
}

bool are_named_alike(const reports::ArithmeticEntry& a, const reports::ArithmeticEntry& b) {
  const auto identity = [](const reports::ArithmeticEntry& e) {
    return std::tie(e.outcome, e.operation, e.provider, e.library, e.formats, e.arithmetic);
  };
  return a.outcome == name_of(suites::Identity::kNamed) && identity(a) == identity(b);
}

// Shapes at which an operator was found to be the same share an entry.
std::vector<reports::ArithmeticEntry> arithmetic_of(const suites::DeviceRun& run) {
  std::map<std::string, Covered> covered = covered_cases(run);
  std::vector<reports::ArithmeticEntry> entries;
  for (const suites::Identified& found : run.arithmetics) {
    if (found.identity == suites::Identity::kNotOffered) continue;
    reports::ArithmeticEntry entry = entry_of(found, std::move(covered[found.key]));
    const auto same = std::ranges::find_if(
        entries, [&](const auto& other) { return are_named_alike(other, entry); });
    if (same == entries.end()) {
      entries.push_back(std::move(entry));
      continue;
    }
    same->explained_cases += entry.explained_cases;
    same->shapes.insert(same->shapes.end(), entry.shapes.begin(), entry.shapes.end());
  }
  return entries;
}

// Only suites that took part: a run says nothing about suites that it did not touch.
std::vector<reports::NotAsserted> not_asserted_by(const suites::DeviceRun& run) {
  std::set<std::string> taking_part;
  for (const suites::CaseResult& result : run.results) taking_part.insert(result.suite);
  std::vector<reports::NotAsserted> rows;
  for (const std::string& name : taking_part) {
    for (const suites::NotAssertedRow& row : suites::find_suite(name).not_asserted) {
      rows.push_back(
          {.subject = name + ": " + std::string(row.subject), .reason = std::string(row.reason)});
    }
  }
  return rows;
}

// Quotes the text for a POSIX shell.
std::string shell_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("_./:=,+@-", c) != nullptr;
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Only the software device has faults; in a plug-in's own information the word means something
// else.
std::string planted_fault(const backends::DeviceInfo& device) {
  const auto fault = device.extra.find("fault");
  const bool is_planted =
      device.plugin.empty() && fault != device.extra.end() && fault->is_string();
  return is_planted ? fault->get<std::string>() : "";
}

// The options that created this device: without them, a replay would find another device or none.
std::string replay_options_of(const backends::DeviceInfo& device) {
  if (!device.plugin.empty()) return " --plugin " + shell_word(device.plugin);
  std::string options;
  const std::string stand_in = stand_in_of(device.kind, device.backend, device.extra);
  if (!stand_in.empty()) options += " --standin " + stand_in;
  const std::string fault = planted_fault(device);
  if (!fault.empty()) options += " --fault " + shell_word(fault);
  return options;
}

// What was learned of the golden store: it need not be the same on every node, and thus is no part
// of the digest.
void add_golden(const suites::DeviceRun& run, reports::RunRecord& record) {
  if (record.identity.golden.empty()) return;
  std::map<std::string, std::uint64_t> counts{
      {suites::kGoldenMatched, 0}, {suites::kGoldenConfirmed, 0}, {suites::kGoldenRefuted, 0}};
  std::string first_refuted;
  for (const suites::CaseResult& result : run.results) {
    if (result.golden.empty()) continue;
    ++counts[result.golden];
    if (result.golden == suites::kGoldenRefuted && first_refuted.empty())
      first_refuted = result.name;
  }
  record.environment["golden"] = counts;
  if (first_refuted.empty()) return;
  record.doubts.push_back(
      fmt::format("the golden store is in error: the reference has other digests for {}, first {}; "
                  "run again without --golden",
                  reports::plain_plural(counts[suites::kGoldenRefuted], "case"), first_refuted));
}

void add_self_test(const json& test, reports::RunRecord& record) {
  if (test.is_null()) return;
  record.environment["self_test"] = test;
  if (test.at("caught").get<bool>()) return;
  record.doubts.push_back(fmt::format(
      "the self-test {}: {} ({})", test.at("done").get<bool>() ? "failed" : "was not done",
      test.at("what").get<std::string>(), test.at("case").get<std::string>()));
}

}  // namespace

json identity_of(const suites::Selection& selection, const std::string& shard,
                 const std::string& golden) {
  json identity = {{"version", kVersion},
                   {"contract_revision", kContractRevision},
                   {"level", name_of(selection.level)},
                   {"seed", selection.seed},
                   {"filters", selection.filters},
                   {"suites", selection.suites},
                   {"shard", shard}};
  if (!golden.empty()) identity["golden"] = golden;
  return identity;
}

reports::RunRecord record_of(const suites::DeviceRun& run,
                             const std::vector<std::string>& required_marks) {
  reports::RunRecord record;
  record.identity = identity_from(run.identity);
  record.required_marks = required_marks;
  record.environment = run.environment;
  // A loss that did not happen again may not repeat, so it is no verdict; but it must not vanish.
  if (!run.incidents.empty()) record.environment["incidents"] = run.incidents;
  if (const auto files = run.device_identity.find("loaded_files");
      files != run.device_identity.end())
    record.environment["loaded_files"] = *files;
  record.replay_options = replay_options_of(run.device);
  record.device = stable_part(backends::to_json_object(run.device), record.environment);
  for (const json& canary : run.canaries) record.canaries.push_back(reports::canary_from(canary));
  if (run.device.kind == "stand-in")
    record.mark_bars.push_back(
        "the device is a stand-in: another device behind a vendor's interface");
  if (const std::string fault = planted_fault(run.device); !fault.empty())
    record.mark_bars.push_back("a fault is planted in the device: " + fault);
  record.results = run.results;
  record.expected_cases = run.expected_cases;
  record.completed = run.completed;
  for (const json& throughput : run.throughput)
    record.throughput.push_back(throughput_from(throughput));
  record.training_step = run.training_step;
  record.arithmetic = arithmetic_of(run);
  record.not_asserted = not_asserted_by(run);
  add_golden(run, record);
  add_self_test(run.self_test, record);
  return record;
}

}  // namespace halfmark::tools
