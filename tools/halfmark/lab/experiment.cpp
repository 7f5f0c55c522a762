// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <functional>

#include "reference/fast/digest.hpp"
#include "reference/formats/text.hpp"
#include "reference/soft/soft.hpp"
#include "tools/halfmark/lab/resident.hpp"

namespace halfmark::tools::lab {
namespace {

using nlohmann::json;

// JSON has no infinities; logs of trainings write them so, too (training/log.hpp).
json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

template <typename T>
json optional(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

double decoded(const formats::Format& format, formats::Bits bits) {
  return std::bit_cast<double>(soft::convert(format, formats::kFp64, bits).bits);
}

json zones_json(const fast::Zones& zones) {
  return {{"normal", zones.normal},
          {"subnormal", zones.subnormal},
          {"lost", zones.lost},
          {"overflow", zones.overflow}};
}

// `scale` is what the tensor's numbers are multiplied by, of log2.
json tensor_json(const TensorTrace& trace, int scale) {
  const fast::Statistics& s = trace.statistics;
  json exponents = json::object();
  for (const auto& [exponent, count] : s.exponents) exponents[std::to_string(exponent)] = count;
  const auto finite = static_cast<double>(std::max<std::uint64_t>(s.finite(), 1));
  const double mean = s.sum / finite;
  const std::optional<int> suggested = fast::suggested_scale(s, formats::kFp16);
  return {{"name", trace.name},
          {"format", s.format->name},
          {"count", s.count},
          {"zeros", s.zeros},
          {"subnormals", s.subnormals},
          {"infinities", s.infinities},
          {"nans", s.nans},
          {"amax", decoded(*s.format, s.amax)},
          {"amax_hex", formats::hex(*s.format, s.amax)},
          {"least", s.least ? json(decoded(*s.format, *s.least)) : json()},
          {"largest", s.largest ? json(decoded(*s.format, *s.largest)) : json()},
          {"norm", number(s.norm())},
          {"mean", number(mean)},
          {"deviation", number(std::sqrt(std::max(0.0, s.sum_of_squares / finite - mean * mean)))},
          {"exponents", std::move(exponents)},
          {"fp16_at_scale_1", zones_json(fast::zones_of(s, formats::kFp16, -scale))},
          {"fp16_at_scale_65536", zones_json(fast::zones_of(s, formats::kFp16, 16 - scale))},
          {"suggested_scale_log2", suggested ? json(*suggested + scale) : json()},
          {"first_non_finite", optional(s.first_non_finite)}};
}

bool is_gradient(std::string_view name) { return name.starts_with('d'); }

json logits_json(const std::vector<std::vector<double>>& logits) {
  json rows = json::array();
  for (const std::vector<double>& row : logits) {
    json& numbers = rows.emplace_back(json::array());
    for (const double logit : row) numbers.push_back(number(logit));
  }
  return rows;
}

json scaled_json(const std::vector<ScaledTrace>& scaled) {
  json list = json::array();
  for (const ScaledTrace& t : scaled)
    list.push_back({{"name", t.name},
                    {"format", t.format->name},
                    {"count", t.count},
                    {"beyond", t.beyond},
                    {"lost", t.lost},
                    {"scale", decoded(formats::kFp32, t.scale)},
                    {"amax", decoded(formats::kFp32, t.amax)},
                    {"expected_amax", decoded(formats::kFp32, t.expected)},
                    {"excess", t.excess()}});
  return list;
}

json step_json(const StepTrace& step) {
  json tensors = json::array();
  for (const TensorTrace& trace : step.tensors)
    tensors.push_back(tensor_json(trace, is_gradient(trace.name) ? step.scale : 0));
  const json first = step.first_non_finite ? json{{"tensor", step.first_non_finite->first},
                                                  {"index", step.first_non_finite->second}}
                                           : json();
  return {{"step", step.step},
          {"loss", number(step.loss)},
          {"norm", number(step.norm)},
          {"accuracy", optional(step.accuracy)},
          {"clip_factor", step.clip_factor ? number(*step.clip_factor) : json()},
          {"logits", logits_json(step.logits)},
          {"scaled", scaled_json(step.scaled)},
          {"zero_share", step.zero_share()},
          {"subnormal_share", step.subnormal_share()},
          {"swallowed_share", step.swallowed_share()},
          {"recomputed", {{"elements", step.recomputed}, {"changed", step.changed}}},
          {"scale_log2", step.scale},
          {"skipped", step.skipped},
          {"first_non_finite", first},
          {"tensors", std::move(tensors)}};
}

json deviation_json(const Deviation& d) {
  return {{"step", d.step},         {"operator", d.operation}, {"tensor", d.tensor},
          {"rule", d.rule},         {"fault", d.fault},        {"flushed", d.flushed},
          {"elements", d.elements}, {"wrong", d.wrong},        {"index", d.index},
          {"expected", d.expected}, {"actual", d.actual},      {"class", d.finding_class},
          {"sentence", d.sentence}};
}

// Without a scaler that skips the step, a number that is not finite is in the weights from then on,
// and the training is over.
bool is_over(const ModeResult& result) {
  return !result.mode->dynamic && result.steps.back().first_non_finite.has_value();
}

Training begun(const Request& request, const Mode& mode, const Network& network) {
  return {request.experiment->design(), *request.size, mode, network, request.seed};
}

// All steps, or the one evaluation; `begin` is called before each.
ModeResult taken(const Request& request, const Mode& mode, Training& training, const Engine& engine,
                 const std::function<void(std::size_t)>& begin) {
  ModeResult result{.mode = &mode};
  const bool infers = request.experiment->infers;
  if (!infers) result.step_bytes = step_bytes(request.experiment->design(), *request.size, mode);
  const std::size_t steps = std::min(request.steps, result.mode->most_steps);
  for (std::size_t i = 0; i < (infers ? 1 : steps); ++i) {
    begin(i);
    result.steps.push_back(infers ? training.evaluate(engine) : training.step(engine));
    if (is_over(result)) break;
  }
  return result;
}

ModeResult finished(ModeResult result, const Training& training) {
  result.cause = cause_of(result.steps, result.deviations, *result.mode);
  for (const formats::Tensor& weights : training.network().weights)
    result.digests.push_back(fast::digest(weights).word());
  return result;
}

}  // namespace

Network first_network(const Request& request) {
  const Design& design = request.experiment->design();
  Network network = initial_network(design, *request.size, request.seed);
  if (!request.experiment->infers) return network;
  constexpr Mode kWide{
      .name = "fp32", .title = "fp32", .format = &formats::kFp32, .scale = 0, .dynamic = false};
  Training training(design, *request.size, kWide, std::move(network), request.seed);
  for (std::size_t i = 0; i < request.steps; ++i) static_cast<void>(training.step(specified));
  return training.network();
}

ModeResult in_reference(const Request& request, const Mode& mode, const Network& network) {
  Training training = begun(request, mode, network);
  return finished(taken(request, mode, training, specified, [](std::size_t) {}), training);
}

ModeResult on_device(const Request& request, const Mode& mode, const Network& network,
                     suites::Session& session, const ReplayOptions& options) {
  Training training = begun(request, mode, network);
  ReplayOptions own = options;
  if (mode.is_portable) own.provider = "portable";
  Replay replay(session, own);
  const Engine engine = [&](const Operator& op, const Operands& operands) {
    return replay.run(op, operands);
  };
  ModeResult result =
      taken(request, mode, training, engine, [&](std::size_t step) { replay.begin_step(step); });
  result.deviations = replay.deviations();
  result.operators = replay.operators();
  result.whole_step = replay.whole_step();
  result.observation = replay.observation();
  result.portable = replay.portable();
  result.seconds = replay.seconds();
  return finished(std::move(result), training);
}

namespace {

json observation_json(const Observation& observation) {
  return {{"tensors", observation.tensors},
          {"different", observation.different},
          {"counting_ns", observation.counting_ns},
          {"operators_ns", observation.operators_ns}};
}

}  // namespace

json to_json(const ModeResult& result) {
  json steps = json::array();
  for (const StepTrace& step : result.steps) steps.push_back(step_json(step));
  json deviations = json::array();
  for (const Deviation& d : result.deviations) deviations.push_back(deviation_json(d));
  const Cause& cause = result.cause;
  return {{"name", result.mode->name},
          {"title", result.mode->title},
          {"format", result.mode->format->name},
          {"died_of", cause.of},
          {"cause",
           {{"step", cause.step},
            {"tensor", cause.tensor},
            {"index", optional(cause.index)},
            {"recovered", cause.recovered},
            {"text", cause.text}}},
          {"steps", std::move(steps)},
          {"step_bytes", optional(result.step_bytes)},
          {"operators", result.operators},
          {"portable", result.portable},
          {"seconds",
           {{"executing", result.seconds.executing},
            {"judging", result.seconds.judging},
            {"counting", result.seconds.counting}}},
          {"observed_step", observation_json(result.whole_step)},
          {"observed", observation_json(result.observation)},
          {"deviations", std::move(deviations)},
          {"weights", fmt::format("{:016x}", fmt::join(result.digests, "."))}};
}

}  // namespace halfmark::tools::lab
