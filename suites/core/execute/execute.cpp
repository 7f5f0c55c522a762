// SPDX-License-Identifier: Apache-2.0
#include "suites/core/execute/execute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <latch>
#include <optional>
#include <thread>

#include "suites/core/execute/progress.hpp"
#include "suites/core/execute/variants.hpp"

namespace halfmark::suites {
namespace {

// The poison is negative in one run and positive in the other, so that no right result equals both.
constexpr Unset kFirst;
constexpr Unset kSecond{.contents = kFirst.behind, .behind = kFirst.contents};

bool all_equal(std::span<const std::byte> bytes, std::byte value) {
  return std::all_of(bytes.begin(), bytes.end(), [value](std::byte b) { return b == value; });
}

std::span<const std::byte> element(const formats::Tensor& t, std::size_t index) {
  const auto width = static_cast<std::size_t>(t.format->storage_bytes());
  return std::span(t.bytes).subspan(index * width, width);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void compare_runs(const std::string& name, const formats::Tensor& first,
                  const formats::Tensor& second, DeviceResult& result) {
  if (first.has_bytes_of(second)) return;
  for (std::size_t i = 0; i < first.count(); ++i) {
    const auto a = element(first, i);
    const auto b = element(second, i);
    if (std::equal(a.begin(), a.end(), b.begin())) continue;
    const bool poison = all_equal(a, kFirst.contents) && all_equal(b, kSecond.contents);
    (poison ? result.unwritten : result.unrepeated)[name].push_back(i);
  }
}

void note(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Guards and operands must be what they were.
void check_surroundings(const PreparedPlan& run, const Plan& plan, const TensorSet& inputs,
                        DeviceResult& result) {
  for (const TensorSpec& spec : plan.tensors) {
    if (!run.guard_is_intact(spec)) note(result.guards_broken, spec.name);
    if (spec.role == Role::kInput && !run.holds(spec, inputs.at(spec.name)))
      note(result.inputs_changed, spec.name);
  }
}

TensorSet outputs_of(const PreparedPlan& run, const Plan& plan) {
  TensorSet outputs;
  for (const TensorSpec& spec : plan.tensors) {
    if (is_output(spec)) outputs.emplace(spec.name, run.read(spec).first);
  }
  return outputs;
}

void collect(const PreparedPlan& run, const Plan& plan, const TensorSet& inputs,
             DeviceResult& result) {
  result.outputs = outputs_of(run, plan);
  check_surroundings(run, plan, inputs, result);
}

// Reads outputs whole only where they differ from the first run's.
void collect_again(const PreparedPlan& run, const Plan& plan, const TensorSet& inputs,
                   DeviceResult& result) {
  check_surroundings(run, plan, inputs, result);
  const bool repeats = std::ranges::all_of(plan.tensors, [&](const TensorSpec& spec) {
    return !is_output(spec) || run.holds(spec, result.outputs.at(spec.name));
  });
  if (repeats) return;
  TensorSet outputs = outputs_of(run, plan);
  for (const auto& [name, tensor] : outputs)
    compare_runs(name, result.outputs.at(name), tensor, result);
  if (outputs != result.outputs) keep_variant(result, std::move(outputs));
}

// Compares the places of one output that hold the same work.
void compare_places(const Plan& plan, DeviceResult& result) {
  const bool were_alike = result.unrepeated.empty();
  for (const TensorSpec& spec : plan.tensors) {
    if (!is_output(spec) || spec.alike < 2) continue;
    const formats::Tensor& tensor = result.outputs.at(spec.name);
    const std::size_t stretch = tensor.bytes.size() / spec.alike;
    const auto width = static_cast<std::size_t>(spec.format->storage_bytes());
    for (std::size_t place = 1; place < spec.alike; ++place) {
      const auto part = std::span(tensor.bytes).subspan(place * stretch, stretch);
      bool differs = false;
      for (std::size_t at = 0; at < stretch; at += width) {
        const auto a = std::span(tensor.bytes).subspan(at, width);
        const auto b = part.subspan(at, width);
        if (std::equal(a.begin(), a.end(), b.begin())) continue;
        differs = true;
        result.unrepeated[spec.name].push_back((place * stretch + at) / width);
      }
      if (!differs) continue;
      TensorSet variant = result.outputs;
      std::vector<std::byte>& bytes = variant.at(spec.name).bytes;
      for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = part[i % stretch];
      keep_variant(result, std::move(variant));
    }
  }
  if (were_alike && !result.unrepeated.empty()) result.apart = ComparedRuns::kPlaces;
}

// Sorts the elements and removes duplicates.
void list_once(std::map<std::string, std::vector<std::size_t>>& places) {
  for (auto& [name, elements] : places) {
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  }
}

// Runs the repeats, for results that seldom differ. Each run starts from fresh poison.
void repeat(PreparedPlan& run, const Plan& plan, const TensorSet& inputs, DeviceResult& result) {
  for (std::size_t i = 0; i < plan.repeats; ++i) {
    run.restore(inputs);
    run.launch();
    collect_again(run, plan, inputs, result);
  }
}

// Runs the first one again, since `result` holds only the second.
void repeat_first(Session& session, const Plan& plan, const TensorSet& inputs,
                  DeviceResult& result) {
  TensorSet second = std::exchange(result.outputs, {});
  PreparedPlan run(session, plan, inputs, kFirst);
  run.launch();
  collect(run, plan, inputs, result);
  for (const auto& [name, tensor] : second)
    compare_runs(name, result.outputs.at(name), tensor, result);
  if (second != result.outputs) keep_variant(result, std::move(second));
}

// The same operand values in reverse order, so that mixing up two concurrent launches shows.
TensorSet reversed(TensorSet inputs) {
  for (auto& [name, tensor] : inputs) {
    const formats::Tensor forward = tensor;
    const auto width = static_cast<std::size_t>(tensor.format->storage_bytes());
    for (std::size_t at = 0; at < tensor.bytes.size(); at += width) {
      const auto word = std::span(forward.bytes).subspan(forward.bytes.size() - at - width, width);
      std::copy(word.begin(), word.end(), std::span(tensor.bytes).subspan(at, width).begin());
    }
  }
  return inputs;
}

// Runs a plan continuously on a thread of its own for the lifetime of this object. The plan has run
// once when the constructor returns.
class Load {
 public:
  Load(Session& session, const Plan& plan, const TensorSet& inputs)
      : run_(session, plan, inputs, kSecond, Reporting::kSilent),
        thread_([this](const std::stop_token& stop) { work(stop); }) {
    begun_.wait();
  }
  // Rethrows what a launch threw.
  void end() {
    thread_.request_stop();
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work(const std::stop_token& stop) {
    bool first = true;
    try {
      while (!stop.stop_requested()) {
        run_.launch();
        if (std::exchange(first, false)) begun_.count_down();
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    if (first) begun_.count_down();
  }

  PreparedPlan run_;
  std::latch begun_{1};
  std::exception_ptr failure_;
  std::jthread thread_;  // last: starts after the other members exist
};

// The second session on the device; if the backend refuses to open it, stores its answer and
// returns null.
Session* second_session(Session& session, DeviceResult& result) {
  try {
    return &session.beside();
  } catch (const backends::BackendError& e) {
    result.not_supported = fmt::format("the device opens once only: {}", first_line(e.what()));
    return nullptr;
  }
}

void repeat_as_planned(Session& session, PreparedPlan& run, const Plan& plan,
                       const TensorSet& inputs, DeviceResult& result) {
  if (plan.concurrency == Concurrency::kNone) return repeat(run, plan, inputs, result);
  const bool were_alike = result.unrepeated.empty();
  Session* const beside = second_session(session, result);
  if (beside == nullptr) return;
  if (plan.concurrency == Concurrency::kOtherQueue) {
    PreparedPlan other(*beside, plan, inputs, kSecond);
    repeat(other, plan, inputs, result);
  } else {
    Load load(*beside, plan, reversed(inputs));
    repeat(run, plan, inputs, result);
    load.end();
  }
  if (were_alike && !result.unrepeated.empty())
    result.apart =
        plan.concurrency == Concurrency::kBusy ? ComparedRuns::kLoads : ComparedRuns::kQueues;
}

// An allocation that fails for a tensor spread past 2^31 elements means "not supported".
constexpr const char* kAllocate = "allocate";
bool lies_far(const Plan& plan) {
  return std::any_of(plan.tensors.begin(), plan.tensors.end(),
                     [](const TensorSpec& spec) { return spec.stretches > 1; });
}

bool comes_back(Session& session, const Plan& plan, const TensorSet& inputs, const Unset& unset,
                const TensorSet& outputs) {
  PreparedPlan run(session, plan, inputs, unset);
  run.launch();
  return std::all_of(plan.tensors.begin(), plan.tensors.end(), [&](const TensorSpec& spec) {
    return !is_output(spec) || run.holds(spec, outputs.at(spec.name));
  });
}

// Whether each poison reproduces its result twice. The order is not strictly alternating, since a
// fault in every second call would then also seem to follow the poison.
LeakSource what_is_followed(Session& session, const Plan& plan, const TensorSet& inputs,
                            const DeviceResult& result) {
  if (result.unrepeated.empty() || result.variants.empty() || plan.repeats > 0)
    return LeakSource::kNothing;
  const auto returns = [&](const Unset& unset, const TensorSet& seen) {
    return comes_back(session, plan, inputs, unset, seen);
  };
  for (const bool first : {false, true, true, false}) {
    if (!returns(first ? kFirst : kSecond, first ? result.outputs : result.variants[0]))
      return LeakSource::kNothing;
  }
  const Unset other_behind{.contents = kFirst.contents, .behind = kSecond.behind};
  return returns(other_behind, result.outputs) ? LeakSource::kContents : LeakSource::kSurroundings;
}

using Enter = std::function<void(const char*)>;

// False: the device does not offer the plan.
bool launched(PreparedPlan& run, bool first, const Enter& enter, DeviceResult& result) {
  enter("launch");
  const std::uint64_t ns = run.launch();
  result.not_supported = run.not_supported();
  if (result.not_supported) return false;
  if (first) result.device_ns = ns;
  enter("read back");
  return true;
}

// One of the two runs, and after the second one its repeats. False: the device does not
// offer the plan.
bool run_once(Session& session, PreparedPlan& run, const Plan& plan, const TensorSet& inputs,
              bool first, const Known& known, const Enter& enter, DeviceResult& result) {
  if (!first) {
    enter("upload");
    run.start_again(inputs, kSecond);
  }
  if (!launched(run, first, enter, result)) return false;
  const bool was_known = result.known;
  result.known = known && (first || was_known) && known(run);
  if (result.known) return true;
  if (first || was_known) {
    collect(run, plan, inputs, result);
    return true;
  }
  collect_again(run, plan, inputs, result);
  repeat_as_planned(session, run, plan, inputs, result);
  return !result.not_supported;
}

// `was_known`: the first run was known to be right and was not read, and `result` holds the second.
void compare_further(Session& session, const Plan& plan, const TensorSet& inputs, bool was_known,
                     DeviceResult& result) {
  if (was_known) repeat_first(session, plan, inputs, result);
  result.follows = what_is_followed(session, plan, inputs, result);
  compare_places(plan, result);
  list_once(result.unrepeated);
}

// A function that drives the device, with its errors as data. `work` names the stages.
template <typename Work>
DeviceResult guarded(const Plan& plan, const Work& work) {
  DeviceResult result;
  std::string_view stage;
  const Enter enter = [&stage](const char* name) {
    stage = name;
    enter_stage(name, true);
  };
  try {
    work(result, enter);
  } catch (const backends::BackendError& e) {
    if (stage == kAllocate && !e.device_lost && lies_far(plan)) {
      result.not_supported = fmt::format("the device has no such memory: {}", first_line(e.what()));
      return result;
    }
    result.error = DeviceError{.stage = std::string(stage),
                               .text = fmt::format("{} failed: {}", stage, first_line(e.what())),
                               .log = e.vendor_text,
                               .device_lost = e.device_lost};
  }
  enter_stage("reference", false);
  return result;
}

void build(Session& session, const Plan& plan, const Enter& enter) {
  for (const Launch& launch : plan.launches) {
    enter("build");
    static_cast<void>(session.program(launch));
  }
}

}  // namespace

DeviceResult execute(Session& session, const Plan& plan, const TensorSet& inputs,
                     const Known& known, std::unique_ptr<PreparedPlan>* kept) {
  return guarded(plan, [&](DeviceResult& result, const Enter& enter) {
    build(session, plan, enter);
    bool was_known = false;
    enter(kAllocate);
    auto run = std::make_unique<PreparedPlan>(session, plan, inputs, kFirst);
    for (const bool first : {true, false}) {
      was_known = result.known;
      if (!run_once(session, *run, plan, inputs, first, known, enter, result)) return;
    }
    if (kept != nullptr && result.unrepeated.empty()) *kept = std::move(run);
    run.reset();  // frees memory that the comparisons may need
    if (!result.known) compare_further(session, plan, inputs, was_known, result);
  });
}

DeviceResult execute_once(Session& session, const Plan& plan, const TensorSet& inputs) {
  constexpr Unset kNan{.contents = std::byte{0xff}, .behind = kFirst.behind};
  return guarded(plan, [&](DeviceResult& result, const Enter& enter) {
    build(session, plan, enter);
    enter(kAllocate);
    PreparedPlan run(session, plan, inputs, kNan);
    if (launched(run, true, enter, result)) collect(run, plan, inputs, result);
  });
}

}  // namespace halfmark::suites
