// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/reproducer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "backends/reproducers.hpp"
#include "reference/text/visible.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/reproducers/program.hpp"
#include "tools/halfmark/reproducers/remnant.hpp"
#include "tools/halfmark/reproducers/reproducer_call.hpp"
#include "tools/halfmark/reproducers/reproducer_launch.hpp"
#include "tools/halfmark/reproducers/reproducer_text.hpp"

namespace halfmark::tools {
namespace {

std::string without_empty_lines(const std::string& text) {
  std::string kept;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string line = text.substr(start, end - start);
    if (line.find_first_not_of(" \n") != std::string::npos) kept += line;
    start = end;
  }
  return kept;
}

backends::Words title_of(const suites::CaseResult& finding, const Remnant& left,
                         const backends::DeviceInfo& device) {
  const bool is_kernel = left.plan.operators.empty();
  const std::string right = is_kernel ? "the device is right" : "the library is right";
  return {{"title", one_line(fmt::format("{} on {} ({} {})", finding.name, device.name,
                                         device.platform, device.driver_version))},
          {"rule", one_line(fmt::format("{} [{}]", finding.promise, finding.source))},
          {"device", one_line(device.name.substr(0, device.name.find_first_of(" \"-")))},
          {"device.index", fmt::format("{}", device.index)},
          {"otherwise", left.otherwise.empty() ? right : left.otherwise}};
}

std::string program_text(const backends::ReproducerFrame& frame, const backends::Words& title,
                         const Remnant& left, const backends::DeviceInfo& device) {
  backends::Words words =
      left.plan.operators.empty() ? launch_words(frame, left, device) : call_words(frame, left);
  words.insert(title.begin(), title.end());
  words.insert(frame.words.begin(), frame.words.end());
  const auto text = backends::filled(frame.text, words);
  if (!text) throw NoProgram{"the interface cannot express a part of it"};
  return without_empty_lines(*text);
}

// One statement per line if forty lines suffice, else the smallest width that fits. Beyond the
// width of a window only the kernels are wrapped, and the functions that they call are long lines.
std::string fitted_text(const backends::ReproducerFrame& frame, const backends::Words& title,
                        Remnant left, const backends::DeviceInfo& device) {
  constexpr std::ptrdiff_t kMostLines = 40;
  constexpr std::size_t kNarrowest = 120, kStep = 20, kWindow = 200, kWidest = 400;
  std::ptrdiff_t lines = 0;
  for (const Helpers helpers : {Helpers::kFilled, Helpers::kLines, Helpers::kBlock}) {
    left.helpers = helpers;
    const bool first = helpers == Helpers::kFilled;
    for (left.columns = first ? 0 : kNarrowest; left.columns <= (first ? kWindow : kWidest);
         left.columns += left.columns == 0 ? kNarrowest : kStep) {
      const std::string text = program_text(frame, title, left, device);
      lines = std::ranges::count(text, '\n');
      if (lines <= kMostLines) return text;
    }
  }
  throw NoProgram{fmt::format("its {} need {} lines of {} columns; a program has at most forty",
                              left.plan.launches.empty() ? "operands" : "kernels", lines, kWidest)};
}

std::string no_frame(const std::string& library,
                     const std::vector<backends::ReproducerFrame>& frames) {
  if (library.empty()) return "there is no program for a kernel of this backend";
  const bool calls_any = std::ranges::any_of(
      frames, [](const backends::ReproducerFrame& frame) { return !frame.library.empty(); });
  return calls_any ? fmt::format("there is no program that calls {}", library)
                   : "there is no program for a library of this backend";
}

}  // namespace

Reproducer write_reproducer(const suites::CaseResult& finding, const backends::DeviceInfo& device) {
  std::string reason;
  try {
    const std::vector<backends::ReproducerFrame> frames = backends::reproducer_frames(device);
    if (frames.empty()) return {"", "this backend has no program template"};
    Remnant left = remnant_of(finding, device);
    const std::string library =
        left.plan.operators.empty() ? std::string() : left.plan.operators.front().library;
    const auto frame = std::ranges::find_if(frames, [&](const backends::ReproducerFrame& one) {
      return one.library == library || (!library.empty() && one.library == "*");
    });
    if (frame == frames.end()) return {"", no_frame(library, frames)};
    if (frame->kernel_of_call) make_kernel(*frame, left, device);
    return {fitted_text(*frame, title_of(finding, left, device), left, device), ""};
  } catch (const NoProgram& none) {
    reason = none.reason;
  } catch (const suites::UsageError& e) {
    reason = e.what();
  } catch (const std::exception& e) {
    return {"", fmt::format("writing it failed unexpectedly: {}", text::visible_line(e.what())),
            true};
  }
  return {"", reason};
}

}  // namespace halfmark::tools
