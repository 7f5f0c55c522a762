// SPDX-License-Identifier: Apache-2.0
// `halfmark run`: the main job. For each device it runs cases in worker processes and writes a
// journal, a scorecard, an HTML report and a report on the console.
#include "suites/runner/run.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "reports/marks.hpp"
#include "reports/scorecard.hpp"
#include "reports/writers/writers.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/runner/folder_lock.hpp"
#include "tools/halfmark/environment.hpp"
#include "tools/halfmark/golden.hpp"
#include "tools/halfmark/numbers.hpp"
#include "tools/halfmark/options.hpp"
#include "tools/halfmark/outputs.hpp"
#include "tools/halfmark/progress.hpp"
#include "tools/halfmark/record.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

using suites::EnvironmentError;
using suites::UsageError;

constexpr const char* kJournalName = "journal.jsonl";

struct RunVerbOptions {
  CaseOptions cases;
  DeviceOptions devices;
  std::string out = "halfmark-out";
  bool resume = false;
  bool no_throughput = false;
  std::uint64_t most_failures = 0;  // 0: no limit
  std::vector<std::string> required_marks;
  std::filesystem::path golden;  // empty: none
  bool self_test = false;
};

std::filesystem::path make_folder(const std::string& out, const std::string& selector) {
  const auto folder = std::filesystem::path(out) / folder_name(selector);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw EnvironmentError(fmt::format("cannot create the folder {}: {}; choose another with --out",
                                       text::visible_line(folder.string()), error.message()));
  }
  return folder;
}

// The console report is the least important output: failing to write it must not cost the others.
void write_to_console(const reports::Scorecard& card) {
  try {
    reports::write_console(card, std::cout);
  } catch (const std::exception& e) {
    fmt::print(std::cerr, "halfmark: the summary was not written: {}; it is in the report\n",
               text::visible_line(e.what()));
  }
}

// Without a complete line there is nothing that a run could continue.
bool holds_a_line(const std::filesystem::path& journal) {
  std::error_code unknown;
  if (!std::filesystem::exists(journal, unknown)) return false;
  std::ifstream in(journal);
  std::string line;
  return !in || (std::getline(in, line) && !in.eof());  // one that cannot be read is refused later
}

int run_one(const backends::DeviceInfo& device, const RunVerbOptions& options,
            suites::RunOptions run_options) {
  run_options.worker = worker_options(options.devices, device);
  const auto folder = make_folder(options.out, device.selector);
  const suites::FolderLock lock(folder);
  const auto journal = folder / kJournalName;
  if (!options.resume || !holds_a_line(journal)) remove_outputs(folder);
  Progress progress(device.selector, ::isatty(STDERR_FILENO) != 0);
  const suites::DeviceRun run =
      suites::run_device(device.selector, run_options, journal, progress.callbacks());
  progress.finish();
  const reports::Scorecard card = reports::tally(record_of(run, options.required_marks));
  const Written written = write_outputs(card, run.device, folder, std::cerr);
  write_to_console(card);
  fmt::print(std::cout, "\n");
  if (written.card) fmt::print(std::cout, "scorecard {}\n", (folder / kCardName).string());
  if (written.report) fmt::print(std::cout, "report    {}\n", (folder / kReportName).string());
  std::cout.flush();
  const int code = reports::exit_code(card, options.required_marks);
  return written.card ? code : reports::worse(code, reports::kExitNoAnswer);
}

// A device that gives no answer costs one line and its own answer; the others are still tested.
int run_or_explain(const backends::DeviceInfo& device, const RunVerbOptions& options,
                   const suites::RunOptions& run_options) {
  const auto say = [](int code, std::string_view line) {
    fmt::print(std::cerr, "halfmark: {}\n", line);
    return code;
  };
  try {
    return run_one(device, options, run_options);
  } catch (const suites::DeviceUnusable& e) {
    if (suites::interrupted()) return reports::kExitIncomplete;
    return say(reports::kExitNoAnswer, e.what());
  } catch (const UsageError& e) {
    return say(reports::kExitUnusable, text::visible_line(e.what(), text::kMostOfMessage));
  } catch (const EnvironmentError& e) {
    return say(reports::kExitNoAnswer, e.what());
  } catch (const std::exception& e) {
    const auto journal =
        std::filesystem::path(options.out) / folder_name(device.selector) / kJournalName;
    return say(reports::kExitNoAnswer,
               fmt::format("{}: unexpected: {}{}", device.selector,
                           text::visible_line(e.what(), text::kMostOfMessage),
                           holds_a_line(journal) ? "; its journal.jsonl has the verdicts" : ""));
  }
}

// Cases that every device offers, with results large enough to be digested on the device.
std::vector<std::string> self_test_cases(std::uint64_t seed) {
  return {fmt::format("arithmetic.fp32.add.portable.n262144.near.s{}", seed),
          fmt::format("arithmetic.fp32.mul.portable.n4096.bits.s{}", seed)};
}

void check_marks(const std::vector<std::string>& marks) {
  for (const std::string& mark : marks) {
    if (std::ranges::find(reports::kMarkIds, mark) == std::end(reports::kMarkIds)) {
      throw UsageError(fmt::format("there is no mark '{}'; choose from: {}",
                                   text::visible_line(mark), fmt::join(reports::kMarkIds, ", ")));
    }
  }
}

int run(const RunVerbOptions& options) {
  check_marks(options.required_marks);
  const suites::Selection selection = selection_of(options.cases);
  const auto golden = read_golden(options.golden);
  suites::RunOptions run_options{
      .cases = suites::select_cases(selection),
      .identity = identity_of(selection, options.cases.shard, golden ? golden->sha256 : ""),
      .environment = gather_environment(),
      .resume = options.resume,
      .throughput = !options.no_throughput,
      .most_failures = options.most_failures,
      .worker = {},
      .golden = golden,
      .node = host_name()};
  if (options.self_test) run_options.self_test = self_test_cases(selection.seed);
  const auto [devices, asked_in_vain] = choose_devices(options.devices);
  std::string names;
  std::size_t most = 0;
  for (const auto& device : devices) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", device.selector, device.name);
    most = std::max(most, suites::cases_for(device, run_options.cases).size());
  }
  fmt::print(std::cerr, "{} cases at level {} on {}\n", most, name_of(selection.level), names);
  suites::install_interrupt_handler();
  int code = asked_in_vain ? reports::kExitNoAnswer : reports::kExitConforms;
  for (const auto& device : devices) {
    if (suites::interrupted()) {
      code = reports::worse(code, reports::kExitIncomplete);
      break;
    }
    code = reports::worse(code, run_or_explain(device, options, run_options));
  }
  return code;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunVerbOptions>();
  CLI::App* verb = app.add_subcommand("run", "The main job: test devices, write scorecards");
  add_device_options(*verb, options->devices);
  add_case_options(*verb, options->cases);
  verb->add_option("--out", options->out,
                   "folder of the results: DIR/<device>/scorecard.json, journal.jsonl, "
                   "report.html, reproducers")
      ->type_name("DIR")
      ->capture_default_str();
  verb->add_option("--require", options->required_marks,
                   fmt::format("fail unless this mark is held: {} (repeatable)",
                               fmt::join(reports::kMarkIds, ", ")))
      ->type_name("MARK");
  verb->add_flag("--resume", options->resume,
                 "continue from the journal in --out: skip the cases in it");
  verb->add_flag("--no-throughput", options->no_throughput, "verdicts only, measure no speed");
  add_golden_option(*verb, options->golden);
  verb->add_flag("--self-test", options->self_test,
                 "first flip a bit of a result, which must be noticed; otherwise the run is "
                 "incomplete");
  add_whole_number(*verb, "--max-failures", options->most_failures,
                   "end the run after N failed cases; --resume continues from there", 1)
      ->type_name("N");
  verb->callback([&action, options] { action = [options] { return run(*options); }; });
}

}  // namespace halfmark::tools
