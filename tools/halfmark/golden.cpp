// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/golden.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <optional>

#include "reference/text/visible.hpp"
#include "reports/files.hpp"
#include "reports/scorecard.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/registry.hpp"
#include "suites/runner/content_digest.hpp"
#include "tools/halfmark/version.hpp"

namespace halfmark::tools {
namespace {

using suites::UsageError;

// Which row a case is held to may depend on what the device promises; its right answer does not. So
// the rows of the device with the strictest promises decide; others hold fewer cases to a digest.
const backends::DeviceInfo& strictest() {
  static const backends::DeviceInfo kDevice = [] {
    backends::DeviceInfo device;
    device.promises.push_back({.capability = "fp32.divide_sqrt_correctly_rounded",
                               .offered = true,
                               .evidence = {},
                               .clause = {}});
    return device;
  }();
  return kDevice;
}

std::optional<suites::Golden> golden_of_case(const suites::Case& c) {
  const auto problem = suites::find_suite(c.suite).bind(c);
  return suites::golden_by_reference(*problem, problem->row(strictest()));
}

suites::GoldenStore made(const GoldenOptions& options, suites::Level level) {
  suites::GoldenStore store{.contract_revision = kContractRevision,
                            .level = options.level,
                            .seed = options.seed,
                            .seeds = options.seeds,
                            .cases = {},
                            .sha256 = {}};
  for (std::uint64_t i = 0; i < options.seeds; ++i) {
    suites::Selection selection;
    selection.level = level;
    selection.seed = options.seed + i;
    for (const suites::Case& c : suites::select_cases(selection)) {
      if (auto golden = golden_of_case(c)) store.cases.emplace(print(c), std::move(*golden));
    }
  }
  return store;
}

int make_store(const GoldenOptions& options, std::ostream& out) {
  const auto level = suites::parse_level(options.level);
  if (!level)
    throw UsageError(
        fmt::format("there is no level '{}'; choose from: smoke, standard, full, exhaustive",
                    text::visible_line(options.level)));
  const suites::GoldenStore store = made(options, *level);
  const std::string text = print(store);
  try {
    reports::write_file_atomically(options.file, text);
  } catch (const reports::FileError& error) {
    throw suites::EnvironmentError(error.what());
  }
  const std::string sha256 = suites::parse_golden(text, store.contract_revision).sha256;
  fmt::print(out, "{} cases with a single right answer, contract revision {}, sha256 {}\n",
             store.cases.size(), store.contract_revision, sha256);
  return reports::kExitConforms;
}

bool is_chosen(const std::string& name, double percent) {
  constexpr double kParts = 65536;
  const auto part = std::stoul(suites::content_digest({name}).substr(0, 4), nullptr, 16);
  return static_cast<double>(part) < kParts * percent / 100;
}

int check_store(const GoldenOptions& options, std::ostream& out) {
  const auto store = read_golden(options.file);
  std::uint64_t checked = 0, wrong = 0;
  for (const auto& [name, golden] : store->cases) {
    if (!is_chosen(name, options.percent)) continue;
    ++checked;
    if (golden_of_case(suites::parse_case(name)) == golden) continue;
    if (++wrong <= 10) fmt::print(out, "wrong: {}\n", text::visible_line(name));
  }
  if (checked == 0) throw UsageError("no case was chosen; raise --percent");
  fmt::print(out, "{} of {} cases recomputed, {} wrong; sha256 {}\n", checked, store->cases.size(),
             wrong, store->sha256);
  return wrong == 0 ? reports::kExitConforms : reports::kExitDoesNotConform;
}

}  // namespace

void add_golden_option(CLI::App& verb, std::filesystem::path& file) {
  verb.add_option("--golden", file,
                  "digests of the right results, made by `halfmark fleet golden`: the reference "
                  "computes only what differs, what has several right answers, and a sample")
      ->type_name("FILE");
}

std::shared_ptr<const suites::GoldenStore> read_golden(const std::filesystem::path& file) {
  if (file.empty()) return nullptr;
  try {
    return std::make_shared<const suites::GoldenStore>(suites::parse_golden(
        reports::read_file(file, suites::kMostGoldenBytes), kContractRevision));
  } catch (const reports::FileError& error) {
    throw UsageError(fmt::format("{}; `halfmark fleet golden FILE` makes one", error.what()));
  } catch (const suites::GoldenError& error) {
    throw UsageError(
        fmt::format("{} cannot be used: {}", text::visible_line(file.string()), error.what()));
  }
}

int fleet_golden(const GoldenOptions& options, std::ostream& out) {
  return options.check ? check_store(options, out) : make_store(options, out);
}

}  // namespace halfmark::tools
