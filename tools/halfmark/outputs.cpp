// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "reference/text/visible.hpp"
#include "reports/files.hpp"
#include "reports/writers/writers.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/runner/cause.hpp"
#include "tools/halfmark/reproducers/reproducer.hpp"

namespace halfmark::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrograms = "reproducers";
constexpr const char* kNone = "none.txt";

// "F001.c", as Programs names it.
bool is_program(const std::string& name) {
  if (!name.starts_with('F') || !name.ends_with(".c")) return false;
  const std::string_view number = std::string_view(name).substr(1, name.size() - 3);
  return number.size() >= 3 && number.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_plain_file(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(fs::symlink_status(path, unknown));
}

std::vector<fs::path> programs_in(const fs::path& folder) {
  std::vector<fs::path> programs;
  std::error_code ended;
  for (fs::directory_iterator at(folder, ended), end; !ended && at != end; at.increment(ended)) {
    const std::string name = at->path().filename().string();
    if ((is_program(name) || name == kNone) && is_plain_file(at->path()))
      programs.push_back(at->path());
  }
  return programs;
}

// Why the file could not be written; empty if it was.
std::string fault_of_writing(const fs::path& file, const std::function<std::string()>& text) {
  try {
    reports::write_file_atomically(file, text());
    return {};
  } catch (const std::exception& error) {
    return text::visible_line(error.what(), text::kMostOfMessage);
  }
}

bool write_card(const reports::Scorecard& card, const fs::path& file,
                void (*writer)(const reports::Scorecard&, std::ostream&), const std::string& remedy,
                std::ostream& err) {
  const std::string fault = fault_of_writing(file, [&] {
    std::ostringstream text;
    writer(card, text);
    return text.str();
  });
  if (!fault.empty())
    fmt::print(err, "halfmark: {} was not written: {}; {}\n", file.filename().string(), fault,
               remedy);
  return fault.empty();
}

// Writes one program for each finding; none.txt says why a finding has none.
class Programs {
 public:
  Programs(const backends::DeviceInfo& device, fs::path folder)
      : device_(device), folder_(std::move(folder)) {
    for (const fs::path& old : programs_in(folder_)) {
      std::error_code error;
      fs::remove(old, error);
      if (error && unremoved_++ == 0)
        first_unremoved_ =
            fmt::format("{} of an earlier run was not removed: {}",
                        text::visible_line(old.filename().string()), error.message());
    }
  }

  void add(const reports::Finding& finding) {
    const Reproducer program = write_reproducer(finding.result, device_);
    const auto like = shown_.find(suites::cause_of(finding.result));
    if (program.is_defect) {
      lose(finding, program.reason);
    } else if (!program.text.empty()) {
      write(finding, program.text);
    } else if (like != shown_.end()) {
      leave_out(finding, fmt::format("fails as {} does", like->second));
    } else {
      leave_out(finding, program.reason);
    }
  }

  void finish(std::ostream& err) {
    const fs::path none = folder_ / kNone;
    std::string fault;
    if (!without_.empty()) fault = fault_of_writing(none, [&] { return without_; });
    const auto others = [](std::size_t all) {
      return all > 1 ? fmt::format("; and {} more", all - 1) : "";
    };
    if (unremoved_ > 0)
      fmt::print(err, "halfmark: {}{}; remove {} by hand\n", first_unremoved_, others(unremoved_),
                 unremoved_ == 1 ? "it" : "them");
    if (lost_ > 0)
      fmt::print(err, "halfmark: {}{}; `halfmark replay CASE` shows a case\n", first_lost_,
                 others(lost_));
    if (!fault.empty()) fmt::print(err, "halfmark: {} was not written: {}\n", kNone, fault);
  }

 private:
  void leave_out(const reports::Finding& finding, const std::string& reason) {
    without_ += fmt::format("{} {}: {}\n", finding.id, finding.result.name, reason);
  }

  void lose(const reports::Finding& finding, const std::string& reason) {
    leave_out(finding, reason);
    if (lost_++ == 0)
      first_lost_ = fmt::format("the reproducer of {} was not written: {}", finding.id, reason);
  }

  void write(const reports::Finding& finding, const std::string& text) {
    const std::string fault = fault_of_writing(folder_ / (finding.id + ".c"), [&] { return text; });
    if (!fault.empty()) return lose(finding, fault);
    shown_.emplace(suites::cause_of(finding.result), finding.id);
  }

  const backends::DeviceInfo& device_;
  fs::path folder_;
  std::string without_, first_lost_, first_unremoved_;
  std::size_t lost_ = 0, unremoved_ = 0;
  std::map<suites::Cause, std::string> shown_;  // each cause and the finding with its program
};

}  // namespace

std::string folder_name(std::string selector) {
  for (char& c : selector) {
    if (c == ':' || c == '/') c = '-';
  }
  return selector;
}

void remove_outputs(const fs::path& folder) {
  std::vector<fs::path> files = programs_in(folder / kPrograms);
  for (const char* name : {kCardName, kReportName}) {
    if (is_plain_file(folder / name)) files.push_back(folder / name);
  }
  for (const fs::path& file : files) {
    std::error_code error;
    fs::remove(file, error);
    if (error)
      throw suites::EnvironmentError(
          fmt::format("cannot remove {} of an earlier run: {}; choose another folder with --out",
                      text::visible_line(file.string()), error.message()));
  }
}

Written write_outputs(const reports::Scorecard& card, const backends::DeviceInfo& device,
                      const fs::path& folder, std::ostream& err) {
  const std::string place = text::visible_line(folder.string());
  Written written;
  written.card = write_card(card, folder / kCardName, reports::write_json,
                            fmt::format("{}/journal.jsonl has the verdicts", place), err);
  written.report =
      write_card(card, folder / kReportName, reports::write_html,
                 fmt::format("`halfmark report html {} -o FILE` writes it", place), err);
  Programs programs(device, folder / kPrograms);
  for (const reports::Finding& finding : card.findings) programs.add(finding);
  programs.finish(err);
  return written;
}

}  // namespace halfmark::tools
