// SPDX-License-Identifier: Apache-2.0
// `halfmark list`: the cases that the options select, of all interfaces. It knows no device: a run
// takes only the cases of its device's interface (Suite::concerns).
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "backends/host/faults.hpp"
#include "kernels/catalog.hpp"
#include "reference/text/visible.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/golden/device_digest.hpp"
#include "tools/halfmark/contract_rows.hpp"
#include "tools/halfmark/estimate.hpp"
#include "tools/halfmark/options.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

struct ListOptions {
  CaseOptions cases;
  bool json = false;
  bool axes = false;
  bool programs = false;
  bool faults = false;
  bool rows = false;
  std::vector<std::string> fault_ids;  // empty: all
};

std::string_view kind_of(const backends::host::FaultRow& row) {
  switch (row.kind) {
    case backends::host::FaultKind::kFault:
      return "fault";
    case backends::host::FaultKind::kControl:
      return "control";
  }
  return "";
}

nlohmann::json parameters_of(const backends::host::FaultRow& row) {
  nlohmann::json parameters = nlohmann::json::object();
  for (const backends::host::FaultParameter& p : row.parameters) {
    if (p.name.empty()) continue;
    parameters[std::string(p.name)] = {
        {"value", p.value}, {"help", p.help}, {"least", p.least}, {"reach", p.reach}};
  }
  return parameters;
}

std::string parameters_in_line(const backends::host::FaultRow& row) {
  std::string text;
  for (const backends::host::FaultParameter& p : row.parameters) {
    if (!p.name.empty()) text += fmt::format("; {}={}: {}", p.name, p.value, p.help);
  }
  return text;
}

// Prints one fault in full.
void print_fault(const backends::host::FaultRow& row) {
  fmt::print(std::cout, "{}  {} of {}\n  does      {}\n  imitates  {}\n", row.id, kind_of(row),
             row.operation, row.does, row.imitates);
  if (!row.must_report.empty())
    fmt::print(std::cout, "  report    {}, severity {}\n", row.must_report, row.severity);
  for (const backends::host::FaultParameter& p : row.parameters) {
    if (p.name.empty()) continue;
    fmt::print(std::cout, "  {}={}  {}; values from {} to {} are found at level standard\n", p.name,
               p.value, p.help, p.least, p.reach);
  }
}

std::vector<backends::host::FaultRow> faults_named(const std::vector<std::string>& ids) {
  const auto all = backends::host::all_faults();
  if (ids.empty()) return {all.begin(), all.end()};
  std::vector<backends::host::FaultRow> rows;
  for (const std::string& id : ids) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& r) { return r.id == id; });
    if (found == all.end()) {
      throw suites::UsageError(fmt::format(
          "there is no fault '{}'; `halfmark list --faults` lists them", text::visible_line(id)));
    }
    rows.push_back(*found);
  }
  return rows;
}

void print_faults(const std::vector<std::string>& ids, bool as_json) {
  nlohmann::json list = nlohmann::json::array();
  for (const backends::host::FaultRow& row : faults_named(ids)) {
    if (as_json) {
      list.push_back({{"id", row.id},
                      {"kind", kind_of(row)},
                      {"operation", row.operation},
                      {"does", row.does},
                      {"imitates", row.imitates},
                      {"must_report", row.must_report},
                      {"severity", row.severity},
                      {"parameters", parameters_of(row)}});
    } else if (!ids.empty()) {
      print_fault(row);
    } else {
      fmt::print(std::cout, "{}  {:<19} {:<18} {}{}\n", row.id, row.operation,
                 row.must_report.empty() ? kind_of(row) : row.must_report, row.does,
                 parameters_in_line(row));
    }
  }
  if (as_json) fmt::print(std::cout, "{}\n", list.dump(2));
}

void print_axes(const std::vector<std::string>& names) {
  std::vector<const suites::Suite*> shown;
  for (const std::string& name : names) shown.push_back(&suites::find_suite(name));
  if (names.empty()) shown.assign(suites::all_suites().begin(), suites::all_suites().end());
  for (const suites::Suite* suite : shown) {
    fmt::print(std::cout, "{}: {}\n  {}", suite->name, suite->summary, suite->name);
    for (const suites::Axis& axis : suite->axes) {
      const bool has_default = !axis.words.empty() && axis.words.front().empty();
      const std::string token = fmt::format(".<{}>", axis.name);
      fmt::print(std::cout, "{}", has_default ? "[" + token + "]" : token);
    }
    fmt::print(std::cout, ".s<seed>\n");
    for (const suites::Axis& axis : suite->axes) {
      std::string accepted;
      for (const auto word : axis.words)
        accepted += word.empty() ? " nothing" : fmt::format(" {}", word);
      for (const char letter : axis.letters)
        accepted += fmt::format("{}{}<n>", letter == axis.letters[0] ? " " : "", letter);
      fmt::print(std::cout, "    {:<12} {}:{}\n", axis.name, axis.help, accepted);
    }
  }
}

constexpr double kSecondsForTheEstimate = 1.5;

nlohmann::json as_json(const std::vector<suites::Case>& cases) {
  nlohmann::json list = nlohmann::json::array();
  for (const suites::Case& c : cases) {
    nlohmann::json axes = nlohmann::json::object();
    for (const suites::Token& token : c.tokens) axes[token.axis] = token.text;
    list.push_back({{"name", print(c)}, {"suite", c.suite}, {"axes", axes}, {"seed", c.seed}});
  }
  const Estimate estimate = estimate_reference(cases, kSecondsForTheEstimate);
  return {{"cases", list},
          {"count", cases.size()},
          {"estimate",
           {{"reference_seconds", estimate.reference_seconds},
            {"sampled_cases", estimate.sampled_cases},
            {"complete", estimate.complete}}}};
}

// A device that offers everything, so that no case is left out.
backends::DeviceInfo generous_device() {
  backends::DeviceInfo device;
  device.max_group_items = 1024;
  for (const char* capability : {"fp16.storage", "fp16.arithmetic"})
    device.promises.push_back({capability, true, "", ""});
  return device;
}

nlohmann::json program_of(const suites::Launch& launch) {
  std::string definitions;
  for (const auto& [name, value] : launch.defines)
    definitions += fmt::format("#define {} {}\n", name, value);
  return {{"family", launch.family}, {"definitions", definitions}};
}

// Each kernel text once, with every set of definitions with which the cases build it, and those
// that check golden digests.
nlohmann::json programs_of(const std::vector<suites::Case>& cases) {
  const backends::DeviceInfo device = generous_device();
  std::set<nlohmann::json> programs;
  for (const suites::Launch& launch : suites::digest_programs())
    programs.insert(program_of(launch));
  for (const suites::Case& c : cases) {
    for (const suites::Launch& launch : suites::find_suite(c.suite).bind(c)->plan(device).launches)
      programs.insert(program_of(launch));
  }
  nlohmann::json list = nlohmann::json::array();
  for (nlohmann::json program : programs) {
    program["text"] = kernels::program_text(program["family"].get<std::string>());
    list.push_back(std::move(program));
  }
  return list;
}

// One in each line; what they are and cost goes to stderr.
void print_cases(const std::vector<suites::Case>& cases) {
  std::map<std::string, std::size_t> counts;
  for (const suites::Case& c : cases) {
    fmt::print(std::cout, "{}\n", print(c));
    ++counts[c.suite];
  }
  std::string summary, in_part;
  for (const auto& [suite, count] : counts) {
    summary += fmt::format(", {} {}", count, suite);
    if (suites::find_suite(suite).concerns != nullptr)
      in_part += fmt::format("{}{}", in_part.empty() ? "" : " and ", suite);
  }
  if (!in_part.empty())
    in_part = fmt::format("of {}, a run takes only the cases of its device's interface\n", in_part);
  // The list is for the next program in the pipe, which need not wait for the estimate.
  std::cout.flush();
  const Estimate estimate = estimate_reference(cases, kSecondsForTheEstimate);
  fmt::print(std::cerr,
             "{} cases: {}\n{}estimate: {} {} of reference on this machine (from {} of the cases), "
             "plus the device's own time and kernel compilation\n",
             cases.size(), summary.substr(2), in_part, estimate.complete ? "about" : "roughly",
             say_duration(estimate.reference_seconds), estimate.sampled_cases);
}

int list(const ListOptions& options) {
  if (!options.fault_ids.empty() && !options.faults) {
    throw suites::UsageError(
        fmt::format("'{}' is an argument of --faults, which is not given; `halfmark list --help` "
                    "shows what is accepted",
                    text::visible_line(options.fault_ids.front())));
  }
  if (options.axes) {
    print_axes(options.cases.suites);
    return 0;
  }
  if (options.faults) {
    print_faults(options.fault_ids, options.json);
    return 0;
  }
  const auto cases = suites::select_cases(selection_of(options.cases));
  if (options.rows) {
    const nlohmann::json rows = contract_rows(options.cases.suites, cases);
    fmt::print(std::cout, "{}", options.json ? rows.dump(2) + "\n" : in_words(rows));
    return 0;
  }
  if (options.programs) {
    fmt::print(std::cout, "{}\n", programs_of(cases).dump(2));
    return 0;
  }
  if (options.json) {
    fmt::print(std::cout, "{}\n", as_json(cases).dump(2));
    return 0;
  }
  print_cases(cases);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* verb = app.add_subcommand(
      "list",
      "The cases that the options select, of all interfaces; a run takes those of its "
      "device's interface");
  add_case_options(*verb, options->cases);
  verb->add_flag("--json", options->json, "as JSON, with every axis of every case");
  verb->add_flag("--axes", options->axes, "instead: each suite's parameters and what they accept");
  verb->add_flag("--programs", options->programs,
                 "instead: the kernel texts that the cases build and their definitions, as JSON");
  verb->add_flag("--rows", options->rows,
                 "instead: the rules that results are held to, their documents, who is bound, and "
                 "what a promise that is not given permits");
  verb->add_flag("--faults", options->faults,
                 "instead: what --fault can plant in the software device, and what must be found");
  // list() checks that --faults was given. The parser would check this before it reports an unknown
  // option, whose value it takes for a fault.
  verb->add_option("fault", options->fault_ids, "with --faults: only these, with their parameters")
      ->type_name("ID");
  verb->callback([&action, options] { action = [options] { return list(*options); }; });
}

}  // namespace halfmark::tools
