// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "reference/text/visible.hpp"
#include "reports/writers/text.hpp"
#include "tools/halfmark/lab/convergence.hpp"
#include "tools/halfmark/lab/gains.hpp"
#include "tools/halfmark/lab/mismatch.hpp"
#include "tools/halfmark/lab/progress.hpp"
#include "tools/halfmark/lab/sweep.hpp"
#include "tools/halfmark/lab/words.hpp"

namespace halfmark::tools::lab {
namespace {

using nlohmann::json;

// Of a classifier: its accuracy, and what clipping multiplied the gradients by.
std::string of_classifier(const json& step) {
  if (step.at("accuracy").is_null()) return "";
  return fmt::format("{:>10} {:>10} ", percent(step.at("accuracy").get<double>()),
                     step.at("clip_factor").is_null() ? "-" : word(step.at("clip_factor")));
}

void print_steps(const json& mode, std::ostream& out) {
  const bool classifies = !mode.at("steps").front().at("accuracy").is_null();
  fmt::print(out, "  {:>4} {:>10} {}{:>10} {:>10} {:>10} {:>10} {:>7}\n", "step", "loss",
             classifies ? fmt::format("{:>10} {:>10} ", "accuracy", "clip") : "", "norm", "zero",
             "subnormal", "swallowed", "scale");
  for (const json& step : mode.at("steps")) {
    fmt::print(out, "  {:>4} {:>10} {}{:>10} {:>10} {:>10} {:>10} {:>7}{}\n",
               step.at("step").get<std::size_t>(), word(step.at("loss")), of_classifier(step),
               word(step.at("norm")), percent(step.at("zero_share").get<double>()),
               percent(step.at("subnormal_share").get<double>()),
               percent(step.at("swallowed_share").get<double>()),
               power(step.at("scale_log2").get<int>()),
               step.at("skipped").get<bool>() ? "  skipped" : "");
  }
}

// What 8 bits could not hold: of every step the operand that is largest beside its scale.
void print_scaled(const json& mode, std::ostream& out) {
  if (mode.at("steps").front().at("scaled").empty()) return;
  fmt::print(out, "  {:>4} {:>11} {:>10}  {}\n", "step", "at largest", "to zero",
             "largest beside what its scale was made for");
  for (const json& step : mode.at("steps")) {
    std::uint64_t beyond = 0, lost = 0, count = 0;
    const json* worst = nullptr;
    for (const json& tensor : step.at("scaled")) {
      beyond += tensor.at("beyond").get<std::uint64_t>();
      lost += tensor.at("lost").get<std::uint64_t>();
      count += tensor.at("count").get<std::uint64_t>();
      if (worst == nullptr || tensor.at("excess") > worst->at("excess")) worst = &tensor;
    }
    const auto whole = static_cast<double>(count);
    fmt::print(out, "  {:>4} {:>11} {:>10}  {}, {:.4g} times\n", step.at("step").get<std::size_t>(),
               percent(static_cast<double>(beyond) / whole),
               percent(static_cast<double>(lost) / whole), worst->at("name").get<std::string>(),
               worst->at("excess").get<double>());
  }
}

constexpr std::size_t kMostOfCause = 600;  // bytes

void print_cause(const char* where, const json& mode, std::ostream& out) {
  const std::string of = mode.at("died_of");
  const json& cause = mode.at("cause");
  const bool recovered = cause.at("recovered").get<bool>();
  const std::string verdict = of.empty()  ? "reached its last step"
                              : recovered ? fmt::format("recovered from {}", of)
                                          : fmt::format("died of {}", of);
  fmt::print(out, "  {:<10} {}\n", where, verdict);
  const std::string why = cause.at("text");
  if (!why.empty()) fmt::print(out, "  {:<10} {}\n", "", text::visible_line(why, kMostOfCause));
}

void print_gradients(const json& mode, std::ostream& out) {
  fmt::print(out, "  {:<5} {:>11} {:>11} {:>9} {:>10}  {:>24} {:>10}\n", "", "greatest", "norm",
             "zero", "subnormal", "lost at scale 1 and 2^16", "suggested");
  for (const json& tensor : mode.at("steps").front().at("tensors")) {
    const std::string name = tensor.at("name");
    if (!name.starts_with('d')) continue;
    const json& count = tensor.at("count");
    const json& suggested = tensor.at("suggested_scale_log2");
    fmt::print(out, "  {:<5} {:>11} {:>11} {:>9} {:>10}  {:>12} {:>11} {:>10}\n", name,
               word(tensor.at("amax")), word(tensor.at("norm")), percent(tensor.at("zeros"), count),
               percent(tensor.at("subnormals"), count),
               percent(tensor.at("fp16_at_scale_1").at("lost"), count),
               percent(tensor.at("fp16_at_scale_65536").at("lost"), count),
               suggested.is_null() ? "-" : power(suggested.get<int>()));
  }
}

bool same_course(const json& a, const json& b) {
  return a.at("weights") == b.at("weights") && a.at("steps") == b.at("steps");
}

// The greatest relative difference of the losses; nothing if one is not finite.
std::optional<double> loss_gap(const json& a, const json& b) {
  double gap = 0;
  if (a.at("steps").size() != b.at("steps").size()) return std::nullopt;
  for (std::size_t i = 0; i < a.at("steps").size(); ++i) {
    const json& first = a.at("steps")[i].at("loss");
    const json& second = b.at("steps")[i].at("loss");
    if (!first.is_number() || !second.is_number()) return std::nullopt;
    gap = std::max(gap, std::abs(second.get<double>() / first.get<double>() - 1));
  }
  return gap;
}

// What the device has counted, and what that costs.
void print_observed(const json& device, std::ostream& out) {
  for (const auto& [member, what] :
       {std::pair("observed_step", "tensors of the second step"),
        std::pair("observed", "gradients of weights in other steps")}) {
    const json& observed = device.at(member);
    const auto tensors = observed.at("tensors").get<std::uint64_t>();
    if (tensors == 0) continue;
    const auto different = observed.at("different").get<std::uint64_t>();
    const std::string counts = different == 0
                                   ? "all as the host counts"
                                   : fmt::format("{} of them not as the host counts", different);
    const auto whole = observed.at("operators_ns").get<double>();
    const std::string cost =
        whole == 0 ? ""
                   : fmt::format("; {:.2g} % of the time of the operators' kernels",
                                 100 * observed.at("counting_ns").get<double>() / whole);
    fmt::print(out, "  {:<10} {} {} counted on the device, {}{}\n", "", tensors, what, counts,
               cost);
  }
}

void print_device(const json& reference, const json& device, std::ostream& out) {
  const std::size_t wrong = device.at("deviations").size();
  fmt::print(out, "  {:<10} {} operators replayed, {} of them portable kernels: {}\n", "device",
             device.at("operators").get<std::uint64_t>(),
             device.at("portable").get<std::uint64_t>(),
             wrong == 0 ? std::string("each is as specified, or within the bound of its rule")
                        : fmt::format("{} are not as specified", wrong));
  print_observed(device, out);
  print_cause("", device, out);
  if (same_course(reference, device)) {
    fmt::print(out, "  {:<10} every number of the training has the reference's bits\n", "");
    return;
  }
  const std::optional<double> gap = loss_gap(reference, device);
  if (wrong == 0 && gap) {
    if (*gap == 0)
      fmt::print(out, "  {:<10} its losses are the reference's; other numbers differ\n", "");
    else
      fmt::print(out, "  {:<10} its losses are the reference's to {:.1e}\n", "", *gap);
    return;
  }
  fmt::print(out, "  its own course:\n");
  print_steps(device, out);
}

const json* mode_named(const json& modes, const json& name) {
  const auto found = std::find_if(modes.begin(), modes.end(),
                                  [&](const json& mode) { return mode.at("name") == name; });
  return found == modes.end() ? nullptr : &*found;
}

// What took the time of all modes.
std::string shares_of_time(const json& device) {
  double executing = 0, judging = 0, counting = 0;
  for (const json& mode : device.at("modes")) {
    const auto seconds = mode.find("seconds");
    if (seconds == mode.end()) continue;
    executing += seconds->at("executing").get<double>();
    judging += seconds->at("judging").get<double>();
    counting += seconds->at("counting").get<double>();
  }
  if (executing + judging + counting == 0) return "";
  return fmt::format(", of which {:.1f} executing, {:.1f} judging, {:.1f} counting", executing,
                     judging, counting);
}

void print_head(const json& report, std::ostream& out) {
  const json& size = report.at("size");
  fmt::print(out, "{}: {}, biases, {}, {}, seed {}\n", report.at("experiment").get<std::string>(),
             size.at("shape").get<std::string>(), report.at("training").get<std::string>(),
             reports::plural(report.at("steps").get<std::uint64_t>(), "step"),
             report.at("seed").get<std::uint64_t>());
  if (size.at("name") != "full")
    fmt::print(out, "size       {}: narrower layers than the experiment's {}{}\n",
               size.at("name").get<std::string>(), size.at("full_shape").get<std::string>(),
               size.at("attenuation_log2").get<int>() == 0
                   ? ""
                   : "; gradients in 16 bits have its magnitudes");
  fmt::print(out, "reference  {:.1f} s, exact arithmetic as specified\n",
             report.at("reference").at("seconds").get<double>());
  const auto device = report.find("device");
  if (device == report.end()) return;
  fmt::print(out, "device     {} ({}), {}: {:.1f} s{}\n",
             text::visible_line(device->at("selector").get<std::string>()),
             text::visible_line(device->at("name").get<std::string>()),
             device->at("provider").get<std::string>(), device->at("seconds").get<double>(),
             shares_of_time(*device));
}

void print_replayed(const json& device, std::ostream& out) {
  std::uint64_t operators = 0;
  std::size_t wrong = 0;
  for (const json& mode : device.at("modes")) {
    operators += mode.at("operators").get<std::uint64_t>();
    wrong += mode.at("deviations").size();
  }
  if (operators == 0) return;
  fmt::print(out, "  {} operators replayed: {}\n", operators,
             wrong == 0 ? std::string("each is as specified, or within the bound of its rule")
                        : fmt::format("{} are not as specified", wrong));
}

void print_deviating(const json& modes, std::ostream& out) {
  for (const json& mode : modes) {
    if (!mode.at("deviations").empty())
      print_cause(mode.at("name").get<std::string>().c_str(), mode, out);
  }
}

using Table = void (*)(const char* where, const json& modes, std::ostream& out);

void print_tables(const json& report, Table table, std::ostream& out) {
  table("reference", report.at("reference").at("modes"), out);
  const auto device = report.find("device");
  if (device != report.end() && !device->contains("lost"))
    table("device", device->at("modes"), out);
}

void print_tables_and_deviating(const json& report, Table table, std::ostream& out) {
  print_tables(report, table, out);
  const auto device = report.find("device");
  if (device == report.end() || device->contains("lost")) return;
  print_replayed(*device, out);
  print_deviating(device->at("modes"), out);
}

// Of the modes that died, by the rows of the convergence.
void print_causes(const json& modes, const json& rows, std::ostream& out) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].at("died_of").get<std::string>().empty())
      print_cause(rows[i].at("name").get<std::string>().c_str(), modes[i], out);
  }
}

void print_courses(const json& report, std::ostream& out) {
  const json& rows = report.at("convergence");
  print_convergence("reference", rows.at("reference"), out);
  print_causes(report.at("reference").at("modes"), rows.at("reference"), out);
  const auto device = report.find("device");
  if (device == report.end()) return;
  if (rows.contains("device")) {
    print_convergence("device", rows.at("device"), out);
    print_causes(device->at("modes"), rows.at("device"), out);
  }
  print_replayed(*device, out);
  print_deviating(device->at("modes"), out);
}

void print_recomputed(const json& mode, std::ostream& out) {
  std::uint64_t elements = 0;
  std::uint64_t changed = 0;
  for (const json& step : mode.at("steps")) {
    elements += step.at("recomputed").at("elements").get<std::uint64_t>();
    changed += step.at("recomputed").at("changed").get<std::uint64_t>();
  }
  if (elements == 0) return;
  fmt::print(out,
             "  {:<10} {} of {} recomputed activations have other bits than in the first pass\n",
             "", changed == 0 ? std::string("none") : std::to_string(changed), elements);
}

void print_mismatch(const json& report, std::ostream& out) {
  print_mismatches(report.at("mismatches"), out);
  const auto device = report.find("device");
  if (device == report.end()) return;
  print_replayed(*device, out);
  print_deviating(device->at("modes"), out);
}

// An operator that is right says nothing of a fault that is in none.
void print_fault(const json& device, std::ostream& out) {
  const std::string fault = device.value("fault", "");
  if (fault.empty() || device.contains("lost")) return;
  for (const json& mode : device.at("modes")) {
    const bool miscounts =
        mode.at("observed_step").at("different") != 0 || mode.at("observed").at("different") != 0;
    if (miscounts || !mode.at("deviations").empty()) return;
  }
  fmt::print(out,
             "\nthe planted {} shows in no operator of this experiment, which may not reach it; "
             "`halfmark run --fault {}` asks every suite\n",
             text::visible_line(fault), text::visible_line(fault));
}

void print_end(const std::string& experiment, const json& device, std::ostream& out) {
  if (device.contains("lost"))
    fmt::print(out, "\nthe device was lost: {}\n",
               text::visible_line(device.at("lost").get<std::string>()));
  if (experiment != "sweep") print_gains(device.at("modes"), out);
  print_fault(device, out);
}

}  // namespace

void print_report(const json& report, std::ostream& out) {
  print_head(report, out);
  const std::string experiment = report.at("experiment");
  if (experiment == "sweep") print_tables_and_deviating(report, print_scales, out);
  if (experiment == "mismatch") print_mismatch(report, out);
  if (experiment == "convergence") print_courses(report, out);
  if (experiment == "scalers") print_tables_and_deviating(report, print_scalers, out);
  const bool compares_only = experiment == "sweep" || experiment == "mismatch" ||
                             experiment == "convergence" || experiment == "scalers";
  const auto device = report.find("device");
  for (const json& mode : report.at("reference").at("modes")) {
    if (compares_only) break;
    fmt::print(out, "\n{}\n", mode.at("title").get<std::string>());
    print_steps(mode, out);
    print_scaled(mode, out);
    print_gradients(mode, out);
    print_cause("reference", mode, out);
    print_recomputed(mode, out);
    if (device == report.end()) continue;
    if (const json* other = mode_named(device->at("modes"), mode.at("name"))) {
      print_device(mode, *other, out);
      print_recomputed(*other, out);
    } else if (!device->contains("lost")) {
      fmt::print(out, "  {:<10} left out: the device has no arithmetic in fp16\n", "device");
    }
  }
  if (experiment == "ablation") print_tables(report, print_left_progress, out);
  if (device != report.end()) print_end(experiment, *device, out);
}

}  // namespace halfmark::tools::lab
