// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/training_step.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/execute/progress.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;

constexpr std::string_view kSuite = "loss_scaled_backward";
constexpr int kNormalFrom = -14,
              kSubnormalFrom = -25;  // half of the least fp16 number rounds to it
constexpr int kHighestBinade = 15, kHeadroom = 2;
constexpr int kScales[] = {0, 16};

struct Binding {
  std::unique_ptr<const Problem> problem;
  Plan plan;
};

Binding bound(Session& session, const std::string& name) {
  const Case c = parse_case(name);
  Binding binding{.problem = find_suite(c.suite).bind(c), .plan = {}};
  binding.plan = binding.problem->plan(session.device().info());
  return binding;
}

// Single numbers are the loss, flags and the scaler's state.
bool is_counted(const formats::Tensor& tensor) {
  const formats::Format& format = *tensor.format;
  return tensor.count() > 1 &&
         (format == formats::kFp16 || format == formats::kBf16 || format == formats::kFp32);
}

bool is_usable(const DeviceResult& got) { return !got.error && !got.not_supported; }

// What there is instead of figures.
json failure_of(const DeviceResult& got) {
  if (!got.error) return nullptr;
  return {{"error", got.error->text}, {"lost", got.error->device_lost}};
}

// Of the finite elements. No square of an fp32 number overflows or vanishes in fp64.
double norm_of(const formats::Tensor& tensor) {
  double squares = 0;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const double value = value_of(*tensor.format, tensor.at(i));
    if (std::isfinite(value)) squares += value * value;
  }
  return std::sqrt(squares);
}

// How many elements the step left as they were; null of what was no input.
json unchanged(const std::string& name, const formats::Tensor& tensor, const TensorSet& inputs) {
  const auto before = inputs.find(name);
  if (before == inputs.end() || before->second.count() != tensor.count()) return nullptr;
  std::uint64_t same = 0;
  for (std::size_t i = 0; i < tensor.count(); ++i)
    same += before->second.at(i) == tensor.at(i) ? 1U : 0U;
  return same;
}

json figures_of(const std::string& name, const formats::Tensor& tensor,
                const statistics::Counted& counted, const TensorSet& inputs) {
  std::vector<std::uint64_t> histogram;
  for (std::size_t i = 0; i < statistics::kPlaces; ++i)
    histogram.push_back(counted.histogram.at(i));
  const float amax = std::bit_cast<float>(static_cast<std::uint32_t>(counted.summary.at(0)));
  const std::uint64_t first = counted.summary.at(1);
  json scales = json::array();
  for (const int scale : kScales) {
    const ZoneShares zones = zones_of(histogram, scale);
    scales.push_back({{"scale_log2", scale},
                      {"normal", zones.normal},
                      {"subnormal", zones.subnormal},
                      {"lost", zones.lost}});
  }
  return {{"name", name},
          {"format", tensor.format->name},
          {"elements", tensor.count()},
          {"zeros", histogram[statistics::kZero]},
          {"not_finite", histogram[statistics::kNotFinite]},
          {"first_not_finite", first < tensor.count() ? json(first) : json()},
          {"amax", amax},
          {"norm", norm_of(tensor)},
          {"unchanged", unchanged(name, tensor, inputs)},
          {"suggested_scale_log2",
           amax == 0 ? json() : json(kHighestBinade - kHeadroom - std::ilogb(amax))},
          {"scales", std::move(scales)},
          {"histogram", std::move(histogram)}};
}

// Counts every tensor once. Nothing, or what there is instead of figures.
std::optional<json> count_all(Session& session, const TensorSet& inputs, const TensorSet& tensors,
                              json& report) {
  std::uint64_t counting_ns = 0, different = 0;
  json list = json::array();
  for (const auto& [name, tensor] : tensors) {
    if (!is_counted(tensor)) continue;
    const Binding counts = bound(session, fmt::format("statistics.{}.portable.n{}.normal.s1",
                                                      tensor.format->name, tensor.count()));
    if (counts.plan.needs) return json();
    const DeviceResult got = execute_once(session, counts.plan, {{"x", tensor}});
    if (!is_usable(got)) return failure_of(got);
    counting_ns += got.device_ns;
    list.push_back(tensor_figures(
        name, tensor, {got.outputs.at("histogram"), got.outputs.at("summary")}, inputs));
    if (list.back().contains("counted_by_host")) ++different;
  }
  report["counting_ns"] = counting_ns;
  report["different"] = different;
  report["tensors"] = std::move(list);
  return std::nullopt;
}

// "b64i256h512o64"
std::uint64_t weights_of(const Case& c) {
  unsigned long batch = 0, inputs = 0, hidden = 0, outputs = 0;
  const std::string shape(c.word("shape"));
  if (std::sscanf(shape.c_str(), "b%lui%luh%luo%lu", &batch, &inputs, &hidden, &outputs) != 4)
    return 0;
  return hidden * (inputs + outputs);
}

}  // namespace

std::string step_to_count(const std::vector<CaseResult>& results) {
  std::string chosen;
  std::uint64_t most = 0;
  for (const CaseResult& result : results) {
    if (result.verdict != Verdict::kPass || !result.name.starts_with(kSuite)) continue;
    const Case c = parse_case(result.name);
    const bool is_of_kernels = c.word("provider") == "portable" && c.word("format").empty();
    if (!is_of_kernels || c.word("scale") != "scale1" || c.word("fill") != "fragile") continue;
    if (weights_of(c) <= most) continue;
    most = weights_of(c);
    chosen = result.name;
  }
  return chosen;
}

ZoneShares zones_of(const std::vector<std::uint64_t>& histogram, int scale_log2) {
  double all = 0;
  ZoneShares zones;
  for (std::size_t place = statistics::kBelow; place <= statistics::kAbove; ++place) {
    const auto count = static_cast<double>(histogram.at(place));
    const int binade = static_cast<int>(place) - static_cast<int>(statistics::kBelow) - 1 +
                       statistics::kFirstBinade + scale_log2;
    double& zone = binade >= kNormalFrom      ? zones.normal
                   : binade >= kSubnormalFrom ? zones.subnormal
                                              : zones.lost;
    zone += count;
    all += count;
  }
  if (all == 0) return {};
  return {zones.normal / all, zones.subnormal / all, zones.lost / all};
}

json tensor_figures(const std::string& name, const formats::Tensor& tensor,
                    const statistics::Counted& by_device, const TensorSet& inputs) {
  const statistics::Counted own = statistics::counted(tensor);
  json figures = figures_of(name, tensor, own, inputs);
  if (own.histogram != by_device.histogram || own.summary != by_device.summary)
    figures["counted_by_host"] = true;
  return figures;
}

json training_step(Session& session, const std::string& name) {
  enter_stage("inputs", false);
  const Binding step = bound(session, name);
  if (step.plan.needs) return nullptr;
  const TensorSet inputs = step.problem->inputs();
  json report = {{"case", name}};
  for (int round = 0; round < 2; ++round) {  // in the first one drivers still compile
    const DeviceResult got = execute_once(session, step.plan, inputs);
    if (!is_usable(got)) return failure_of(got);
    report["step_ns"] = got.device_ns;
    if (auto instead = count_all(session, inputs, got.outputs, report)) return std::move(*instead);
  }
  return report;
}

}  // namespace halfmark::suites
