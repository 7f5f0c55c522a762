// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <functional>
#include <map>
#include <sstream>
#include <string>

#include "reference/text/visible.hpp"
#include "reports/files.hpp"
#include "reports/writers/writers.hpp"
#include "suites/runner/cause.hpp"
#include "tools/halfmark/reproducers/reproducer.hpp"

namespace halfmark::tools {
namespace {

namespace fs = std::filesystem;

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
      : device_(device), folder_(std::move(folder)) {}

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
    const fs::path none = folder_ / "none.txt";
    std::string fault;
    if (!without_.empty()) fault = fault_of_writing(none, [&] { return without_; });
    if (lost_ == 0 && fault.empty()) return;
    const std::string others = lost_ > 1 ? fmt::format("; and {} more", lost_ - 1) : "";
    if (lost_ > 0)
      fmt::print(err, "halfmark: {}{}; `halfmark replay CASE` shows a case\n", first_lost_, others);
    if (!fault.empty()) fmt::print(err, "halfmark: none.txt was not written: {}\n", fault);
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
  std::string without_, first_lost_;
  std::size_t lost_ = 0;
  std::map<suites::Cause, std::string> shown_;  // each cause and the finding with its program
};

}  // namespace

std::string folder_name(std::string selector) {
  for (char& c : selector) {
    if (c == ':' || c == '/') c = '-';
  }
  return selector;
}

bool write_outputs(const reports::Scorecard& card, const backends::DeviceInfo& device,
                   const fs::path& folder, std::ostream& err) {
  const std::string place = text::visible_line(folder.string());
  const bool is_there = write_card(card, folder / "scorecard.json", reports::write_json,
                                   fmt::format("{}/journal.jsonl has the verdicts", place), err);
  write_card(card, folder / "report.html", reports::write_html,
             fmt::format("`halfmark report html {} -o FILE` writes it", place), err);
  Programs programs(device, folder / "reproducers");
  for (const reports::Finding& finding : card.findings) programs.add(finding);
  programs.finish(err);
  return is_there;
}

}  // namespace halfmark::tools
