// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/report_verbs/report_verbs.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "reference/text/json.hpp"
#include "reference/text/visible.hpp"
#include "reports/compare.hpp"
#include "reports/exit_codes.hpp"
#include "reports/files.hpp"
#include "reports/fleet_page.hpp"
#include "reports/gate.hpp"
#include "reports/lab_page.hpp"
#include "reports/validate.hpp"
#include "reports/writers/comparison.hpp"
#include "reports/writers/explain.hpp"
#include "reports/writers/text.hpp"
#include "reports/writers/writers.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;
using reports::Scorecard;

// Some ten times the report of 100,000 devices; reading what never ends takes twice this.
constexpr std::size_t kMostPageBytes = std::size_t{128} << 20;

// The user named something that cannot be used; the message is one line.
struct BadRequest : std::runtime_error {
  using std::runtime_error::runtime_error;
};

int say(std::ostream& err, const std::exception& error, int code) {
  fmt::print(err, "halfmark: {}\n", text::visible_line(error.what(), text::kMostOfMessage));
  return code;
}

// The only place where an exception that ends a verb becomes a line and an exit code.
int guarded(std::ostream& err, const std::function<int()>& verb) {
  try {
    return verb();
  } catch (const reports::CardError& error) {
    return say(err, error, reports::kExitUnusable);
  } catch (const reports::WaiverError& error) {
    return say(err, error, reports::kExitUnusable);
  } catch (const BadRequest& error) {
    return say(err, error, reports::kExitUnusable);
  } catch (const reports::FileError& error) {
    return say(err, error, reports::kExitNoAnswer);
  }
}

std::string today_utc() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

using GateWriter = void (*)(const reports::GateResult&, std::ostream&);

// A file that cannot be written takes nothing from the gate's answer: its code is one of several.
int write_gate_file(const std::optional<std::filesystem::path>& path, GateWriter write,
                    const reports::GateResult& result, std::ostream& err) {
  if (!path) return reports::kExitConforms;
  std::ostringstream text;
  write(result, text);
  try {
    reports::write_file_atomically(*path, text.str());
  } catch (const reports::FileError& error) {
    return say(err, error, reports::kExitNoAnswer);
  }
  return reports::kExitConforms;
}

int run_gate(const GateOptions& options, Streams streams) {
  const std::vector<reports::Waiver> waivers =
      options.waivers ? reports::read_waivers(*options.waivers) : std::vector<reports::Waiver>{};
  const Scorecard baseline = reports::read_scorecard(options.baseline);
  const Scorecard candidate = reports::read_scorecard(options.candidate);
  const reports::GateResult result = reports::gate(
      baseline, candidate, waivers, options.today.empty() ? today_utc() : options.today);
  const bool is_refused = !result.alignment_gaps.empty();
  if (!is_refused) reports::write_gate_console(result, streams.out);
  int code = result.exit_code();
  code = reports::worse(
      code, write_gate_file(options.junit, reports::write_gate_junit, result, streams.err));
  code = reports::worse(
      code, write_gate_file(options.markdown, reports::write_gate_markdown, result, streams.err));
  if (!is_refused) return code;
  throw BadRequest(fmt::format(
      "{} cannot be compared with {}: {}; {}", text::visible_line(options.candidate.string()),
      text::visible_line(options.baseline.string()), reports::joined(result.alignment_gaps, "; "),
      reports::kRemedyForGaps));
}

int run_explain(const ExplainOptions& options, std::ostream& out) {
  const std::size_t hash = options.target.rfind('#');
  const std::string file = options.target.substr(0, hash);
  const Scorecard card = reports::read_scorecard(file);
  if (hash == std::string::npos) {
    reports::list_findings(card, out);
    return 0;
  }
  const std::string id = options.target.substr(hash + 1);
  const reports::Finding* finding = reports::find_finding(card, id);
  if (!finding) {
    throw BadRequest(
        fmt::format("{} has no finding '{}' among its {}; `halfmark explain {}` lists them",
                    text::visible_line(file), text::visible_line(id), card.findings.size(),
                    text::visible_line(file)));
  }
  reports::explain(card, *finding, out);
  return 0;
}

int run_validate(const ValidateOptions& options, std::ostream& out) {
  bool all_valid = true;
  for (const std::filesystem::path& path : options.cards) {
    const std::vector<std::string> problems = reports::validate(reports::read_card_json(path));
    fmt::print(out, "{}: {}\n", path.string(),
               problems.empty()
                   ? "valid"
                   : fmt::format("not valid, {}", reports::plural(problems.size(), "problem")));
    for (const std::string& problem : problems) fmt::print(out, "  {}\n", problem);
    all_valid = all_valid && problems.empty();
  }
  return all_valid ? reports::kExitConforms : reports::kExitDoesNotConform;
}

const reports::Writer& writer_named(const std::string& format) {
  if (const reports::Writer* writer = reports::find_writer(format)) return *writer;
  std::vector<std::string> formats;
  for (const reports::Writer& writer : reports::all_writers()) formats.emplace_back(writer.format);
  throw BadRequest(fmt::format("'{}' is not a report format; choose from: {}",
                               text::visible_line(format), reports::joined(formats, ", ")));
}

// Names a file after its device, since every card is called scorecard.json; the digest
// distinguishes names that would collide.
std::string file_name(const Scorecard& card, const reports::Writer& writer,
                      std::set<std::string>& taken) {
  std::string stem = reports::device_text(card, "selector");
  std::ranges::replace_if(
      stem, [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_'; }, '-');
  if (!taken.insert(stem).second) {
    stem += fmt::format("-{}", reports::short_digest(card.digest));
    for (int copy = 2; !taken.insert(stem).second; ++copy) stem += fmt::format("-{}", copy);
  }
  return fmt::format("{}.{}", stem, writer.suffix);
}

bool is_folder(const ReportOptions& options) {
  std::error_code unknown;
  return options.cards.size() > 1 || !options.out->has_filename() ||
         std::filesystem::is_directory(*options.out, unknown);
}

// Where a page goes: a file, a folder or `out`.
void deliver(const std::string& text, const std::string& name, const ReportOptions& options,
             std::ostream& out) {
  if (!options.out) {
    out << text;
    return;
  }
  const auto target = is_folder(options) ? *options.out / name : *options.out;
  reports::write_file_atomically(target, text);
  fmt::print(out, "{}\n", target.string());
}

// Reports of their own, which have a page and no other form.
struct PageKind {
  std::string_view schema, stem, what, maker;
  std::vector<std::string> (*check)(const json&);
  void (*write)(const json&, std::ostream&);
};
constexpr PageKind kPages[] = {
    {reports::kFleetSchemaName, "fleet", "a fleet", "fleet merge", reports::check_fleet_schema,
     reports::write_fleet_page},
    {reports::kLabSchemaName, "lab", "an experiment", "lab", reports::check_lab_schema,
     reports::write_lab_page},
};

struct PageSource {
  const PageKind* kind = nullptr;  // null: the file is none, and is read as a card
  json report;
};

PageSource page_source_in(const std::filesystem::path& path) {
  try {
    const std::string text = reports::read_file(path, kMostPageBytes);
    for (const PageKind& kind : kPages) {
      if (text.find(kind.schema) == std::string::npos) continue;
      json j = text::read_json(text, {.bytes = kMostPageBytes});
      if (j.is_object() && j.value("schema", json()) == kind.schema) return {&kind, std::move(j)};
    }
  } catch (const std::exception&) {
  }
  return {};
}

std::string page_of(const PageSource& source, const std::filesystem::path& path,
                    const ReportOptions& options) {
  const std::string name = text::visible_line(path.string());
  if (options.format != "html")
    throw BadRequest(
        fmt::format("{} is the report of {}, which only html shows", name, source.kind->what));
  const std::vector<std::string> problems = source.kind->check(source.report);
  if (!problems.empty())
    throw BadRequest(fmt::format("{} is no report of this version's `halfmark {}`: {}", name,
                                 source.kind->maker, problems.front()));
  std::ostringstream text;
  source.kind->write(source.report, text);
  return text.str();
}

int run_report(const ReportOptions& options, std::ostream& out) {
  const reports::Writer& writer = writer_named(options.format);
  if (!options.out && options.cards.size() > 1)
    throw BadRequest("several scorecards need a folder to go to: add -o DIR");
  std::set<std::string> taken;
  std::map<std::string_view, int> pages;
  for (const std::filesystem::path& path : options.cards) {
    if (const PageSource source = page_source_in(path); source.kind != nullptr) {
      const std::string_view stem = source.kind->stem;
      const int count = ++pages[stem];
      const std::string number = count == 1 ? "" : fmt::format("-{}", count);
      deliver(page_of(source, path, options), fmt::format("{}{}.html", stem, number), options, out);
      continue;
    }
    const Scorecard card = reports::read_scorecard(path);
    std::ostringstream text;
    writer.write(card, text);
    deliver(text.str(), file_name(card, writer, taken), options, out);
  }
  return 0;
}

}  // namespace

int verb_compare(const CompareOptions& options, Streams streams) {
  return guarded(streams.err, [&] {
    const Scorecard a = reports::read_scorecard(options.a), b = reports::read_scorecard(options.b);
    reports::write_comparison(a, b, reports::compare(a, b), streams.out);
    return 0;
  });
}

int verb_gate(const GateOptions& options, Streams streams) {
  return guarded(streams.err, [&] { return run_gate(options, streams); });
}

int verb_explain(const ExplainOptions& options, Streams streams) {
  return guarded(streams.err, [&] { return run_explain(options, streams.out); });
}

int verb_validate(const ValidateOptions& options, Streams streams) {
  return guarded(streams.err, [&] { return run_validate(options, streams.out); });
}

int verb_report(const ReportOptions& options, Streams streams) {
  return guarded(streams.err, [&] { return run_report(options, streams.out); });
}

}  // namespace halfmark::tools
