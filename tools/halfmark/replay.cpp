// SPDX-License-Identifier: Apache-2.0
// `halfmark replay CASE|SCORECARD#FINDING`: runs one case again and explains it.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "reports/files.hpp"
#include "reports/scorecard.hpp"
#include "reports/validate.hpp"
#include "reports/writers/explain.hpp"
#include "reports/writers/story.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/suite/metamorphic.hpp"
#include "suites/runner/arithmetics.hpp"
#include "suites/runner/run.hpp"
#include "tools/halfmark/options.hpp"
#include "tools/halfmark/record.hpp"
#include "tools/halfmark/reproducers/reproducer.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

using suites::UsageError;

struct ReplayOptions {
  std::string what;
  DeviceOptions devices;
  std::string reproducer;  // output file; empty: none
  std::string tensors;     // output folder; empty: none
};

std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Takes what the original run was given and this one was not: device, plug-in, stand-in, fault.
void use_device_of(const reports::Scorecard& card, DeviceOptions& options) {
  if (options.devices.empty()) options.devices.push_back(reports::device_text(card, "selector"));
  const nlohmann::json device = card.environment.value("device", nlohmann::json::object());
  const std::string plugin = text_of(device, "plugin");
  if (options.plugins.empty() && !plugin.empty()) options.plugins.push_back(plugin);
  if (!plugin.empty()) return;  // a plug-in is no stand-in of Halfmark's, and has no faults of ours
  const nlohmann::json extra = device.value("extra", nlohmann::json::object());
  if (options.stand_in.empty()) {
    options.stand_in = stand_in_of(reports::device_text(card, "kind"),
                                   reports::device_text(card, "backend"), extra);
  }
  if (options.fault.empty()) options.fault = text_of(extra, "fault");
}

bool is_case(const std::string& name) {
  try {
    static_cast<void>(suites::parse_case(name));
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// SCORECARD#FINDING names the case and, unless --device is given, the device on which it was found.
std::string case_named(const std::string& what, DeviceOptions& devices) {
  const auto hash = what.rfind('#');
  if (hash == std::string::npos) {
    if (std::error_code error; !is_case(what) && std::filesystem::exists(what, error))
      throw UsageError(fmt::format(
          "{0} is a file or a folder, and no case: name one of its findings, such as {0}#F001; "
          "`halfmark explain {0}` lists them",
          text::visible_line(what)));
    return what;
  }
  const std::string file = what.substr(0, hash);
  const std::string id = what.substr(hash + 1);
  try {
    const reports::Scorecard card = reports::read_scorecard(file);
    const reports::Finding* finding = reports::find_finding(card, id);
    if (finding == nullptr) {
      throw UsageError(fmt::format("{} has no finding '{}'; it has {}", text::visible_line(file),
                                   text::visible_line(id), card.findings.size()));
    }
    use_device_of(card, devices);
    return finding->result.name;
  } catch (const reports::CardError& e) {
    throw UsageError(e.what());
  }
}

// Returns whether the program was written; if not, prints the reason on standard error.
bool write_reproducer_file(const std::string& file, const suites::CaseResult& result,
                           const backends::DeviceInfo& device) {
  Reproducer reproducer = write_reproducer(result, device);
  try {
    if (!reproducer.text.empty()) reports::write_file_atomically(file, reproducer.text);
  } catch (const reports::FileError& e) {
    reproducer = {"", e.what()};
  }
  if (reproducer.text.empty()) {
    fmt::print(
        std::cerr,
        "halfmark: no stand-alone program was written: {}; `halfmark replay` shows the case\n",
        reproducer.reason);
    return false;
  }
  fmt::print(std::cout, "\nreproducer {}\n", file);
  return true;
}

// Returns whether the files were written; if not, prints the reason on standard error.
bool write_tensor_files(suites::Worker& worker, const suites::Case& c, const std::string& folder) {
  std::error_code error;
  const std::filesystem::path place = std::filesystem::absolute(folder);
  std::filesystem::create_directories(place, error);
  const nlohmann::json answer =
      worker.request({{"op", "tensors"}, {"name", suites::print(c)}, {"folder", place.string()}});
  if (!answer.contains("files")) {
    fmt::print(std::cerr, "halfmark: the tensors were not written: {}\n",
               text::visible_line(answer.value("error", "the worker did not answer")));
    return false;
  }
  fmt::print(std::cout, "\ntensors in {}:\n", folder);
  for (const nlohmann::json& file : answer.at("files"))
    fmt::print(std::cout, "  {}\n", file.get<std::string>());
  return true;
}

// A verdict takes precedence over a missing file.
int code_of(const reports::Scorecard& card, bool is_all_written) {
  const int code = reports::exit_code(card, {});
  return code == reports::kExitConforms && !is_all_written ? reports::kExitNoAnswer : code;
}

bool explain_all(const reports::Scorecard& card) {
  bool is_all_written = true;
  for (const reports::Finding& finding : card.findings) {
    try {
      reports::explain(card, finding, std::cout);
    } catch (const std::exception& e) {
      fmt::print(std::cerr, "halfmark: the explanation of {} was not written: {}\n", finding.id,
                 text::visible_line(e.what()));
      is_all_written = false;
    }
  }
  return is_all_written;
}

// Throws UsageError when the suite refuses the case, or when the case needs more memory than this
// machine has.
void check_size(const suites::Case& c, const backends::DeviceInfo& device) {
  const suites::Plan plan = suites::plan_of_calls(*suites::find_suite(c.suite).bind(c), device);
  double bytes = 0;
  for (const suites::TensorSpec& spec : plan.tensors)
    bytes += static_cast<double>(spec.count) * static_cast<double>(spec.format->storage_bytes());
  const double memory =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  if (bytes <= memory) return;
  throw UsageError(fmt::format(
      "case '{}' is too large: its tensors take {:.0f} GiB, and this machine has {:.0f} "
      "GiB of memory; reduce its sizes",
      print(c), bytes / kGiB, memory / kGiB));
}

int replay_on(const backends::DeviceInfo& device, const suites::Case& c,
              const ReplayOptions& replayed) {
  const DeviceOptions& options = replayed.devices;
  suites::Worker worker(worker_options(options, device));
  suites::DeviceRun run;
  suites::Selection selection;
  selection.seed = c.seed;
  run.identity = identity_of(selection, "");
  run.environment = nlohmann::json::object();
  run.device = worker.open(device.selector);
  check_size(c, run.device);
  // Searches for the arithmetic again, on the device as it is now.
  suites::Arithmetics arithmetics;
  run.results.push_back(worker.run(c, arithmetics.of(c, worker)));
  run.arithmetics = arithmetics.all();
  if (run.results[0].verdict == suites::Verdict::kFail)
    worker.shrink(c, suites::Patience{.total = worker_options(options, device).case_limit},
                  run.results[0]);
  run.expected_cases = 1;
  run.completed = true;
  const suites::CaseResult& result = run.results.front();
  fmt::print(std::cout, "{} on {} ({}): {}\n", result.name, run.device.selector, run.device.name,
             name_of(result.verdict));
  fmt::print(std::cout, "  rule {}: {}\n  source {}\n", result.rule, result.promise, result.source);
  if (!result.reason.empty()) fmt::print(std::cout, "  {}\n", result.reason);
  fmt::print(std::cout, "  {} elements compared, {} differ; digest of the outputs {}\n",
             result.elements, result.mismatches, result.digest.empty() ? "none" : result.digest);
  const reports::Scorecard card = reports::tally(record_of(run, {}));
  for (const reports::ArithmeticEntry& entry : card.arithmetic)
    fmt::print(std::cout, "  probed {}\n", reports::arithmetic_line(entry));
  bool is_all_written = explain_all(card);
  std::cout.flush();
  if (!replayed.reproducer.empty())
    is_all_written =
        write_reproducer_file(replayed.reproducer, result, run.device) && is_all_written;
  if (!replayed.tensors.empty())
    is_all_written = write_tensor_files(worker, c, replayed.tensors) && is_all_written;
  return code_of(card, is_all_written);
}

int replay(ReplayOptions options) {
  const suites::Case c = suites::parse_case(case_named(options.what, options.devices));
  int code = reports::kExitConforms;
  for (const auto& device : choose_devices(options.devices).devices) {
    code = reports::worse(code, replay_on(device, c, options));
  }
  return code;
}

}  // namespace

void add_replay(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* verb = app.add_subcommand("replay", "One case again, explained");
  verb->add_option("what", options->what,
                   "a case's whole name, or SCORECARD#FINDING such as out/host/scorecard.json#F001")
      ->required()
      ->type_name("CASE|SCORECARD#FINDING");
  add_device_options(*verb, options->devices);
  verb->add_option("--reproducer", options->reproducer,
                   "write the failure as one source file that does not need Halfmark")
      ->type_name("FILE");
  verb->add_option("--tensors", options->tensors,
                   "write operands, results and expected results into this folder, as .npy files")
      ->type_name("DIR");
  verb->callback([&action, options] { action = [options] { return replay(*options); }; });
}

}  // namespace halfmark::tools
