// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/serve.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <limits>
#include <optional>
#include <tuple>

#include "backends/backend.hpp"
#include "reference/files/descriptor.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/runner/child.hpp"
#include "tools/halfmark/lab/memory.hpp"

namespace halfmark::tools::lab {
namespace {

using nlohmann::json;
using suites::AnswerKind;

bool say(const json& message) {
  const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  return files::write_all(suites::kResponseFd, line) == 0;
}

std::optional<json> next_request() {
  std::string line;
  for (char c = 0; ::read(suites::kRequestFd, &c, 1) == 1;) {
    if (c == '\n') return json::parse(line);
    line += c;
  }
  return std::nullopt;
}

suites::Session open_session(const json& request) {
  const std::string plugin = request.at("plugin");
  if (!plugin.empty()) {
    const backends::BackendStatus status = backends::load_plugin(plugin);
    if (status.devices.empty()) throw suites::EnvironmentError(status.status);
  }
  return suites::Session(backends::Device::open(request.at("device").get<std::string>()));
}

// All modes of an experiment begin with the same network.
const Network& begun_with(const Request& request) {
  static std::optional<Network> network;
  static std::tuple<const Experiment*, const Size*, std::uint64_t, std::size_t> of;
  const std::tuple asked(request.experiment, request.size, request.seed, request.steps);
  if (!network || of != asked) network = first_network(request);
  of = asked;
  return *network;
}

// Tensors of tens of megabytes come and go with every operator. Memory that is kept for the next
// one needs no new pages from the system, which took a third of the time.
void keep_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

// Beats once per operator; a beat names what is under way.
void beat(const std::string& stage) {
  static std::uint64_t count = 0;
  static_cast<void>(say({{"beat", {{"stage", stage}, {"count", ++count}, {"of_driver", false}}}}));
}

json one_mode(suites::Session& session, const json& asked) {
  const Experiment& experiment = experiment_named(asked.at("experiment").get<std::string>());
  const Mode& mode = mode_of(experiment, asked.at("mode").get<std::string>());
  const Request request{.experiment = &experiment,
                        .size = &size_of(experiment.design(), asked.at("size").get<std::string>()),
                        .modes = {},
                        .seed = asked.at("seed"),
                        .steps = asked.at("steps")};
  const ReplayOptions options{
      .provider = asked.at("provider"), .diagnoses = asked.at("diagnoses"), .progress = beat};
  return {{"result", to_json(on_device(request, mode, begun_with(request), session, options))}};
}

// What is released must leave the process, since processors' memory is what the process has.
void return_memory() {
  constexpr int kLeastMapped = 1 << 16;
  mallopt(M_MMAP_THRESHOLD, kLeastMapped);
  mallopt(M_TRIM_THRESHOLD, kLeastMapped);
}

json memory(suites::Session& session, const json& asked) {
  if (asked.at("memory") == "matrices") return {{"result", memory_of_matrices(session.device())}};
  const MemoryNetwork& network = memory_networks()[asked.at("network").get<std::size_t>()];
  return {{"result", memory_of_mode(session.device(), network.design(), network.size,
                                    memory_modes()[asked.at("mode").get<std::size_t>()])}};
}

std::string how_it_ended(const suites::Answer& answer) {
  const std::string where = answer.stage.empty() ? "" : " in " + answer.stage;
  switch (answer.kind) {
    case AnswerKind::kDied:
      return fmt::format("its process died{}: {}", where, answer.how);
    case AnswerKind::kInterrupted:
      return "interrupted";
    case AnswerKind::kAnswered:
    case AnswerKind::kTimedOut:
    case AnswerKind::kStalled:
    case AnswerKind::kFrozen:
    case AnswerKind::kOverdue:
      break;
  }
  return fmt::format("it gave no answer in time{}", where);
}

}  // namespace

int serve_lab() {
  std::optional<suites::Session> session;
  while (const auto request = next_request()) {
    json message;
    try {
      const bool measures = request->contains("memory");
      if (!session) {
        measures ? return_memory() : keep_memory();
        session.emplace(open_session(*request));
      }
      message = measures ? memory(*session, *request) : one_mode(*session, *request);
    } catch (const std::exception& e) {
      message = {{"error", e.what()}};
    }
    message["ask"] = request->value("ask", json());
    if (!say(message)) return 1;
  }
  return 0;
}

json ask_device(const DeviceRequest& asked, const backends::DeviceInfo& device) {
  suites::Child child({"/proc/self/exe", kLabArgument});
  json report = {{"modes", json::array()}};
  for (const Mode* mode : asked.request.modes) {
    const suites::Answer answer = child.ask({{"device", device.selector},
                                             {"plugin", device.plugin},
                                             {"experiment", asked.request.experiment->name},
                                             {"mode", mode->name},
                                             {"size", asked.request.size->name},
                                             {"seed", asked.request.seed},
                                             {"steps", asked.request.steps},
                                             {"provider", asked.provider},
                                             {"diagnoses", asked.diagnoses}},
                                            suites::Patience{.total = asked.limit});
    if (answer.kind != AnswerKind::kAnswered) {
      report["lost"] = fmt::format("{}: {}", mode->title, how_it_ended(answer));
      return report;
    }
    if (const auto error = answer.message.find("error"); error != answer.message.end())
      throw suites::EnvironmentError(
          fmt::format("{}: {}", device.selector, error->get<std::string>()));
    report["modes"].push_back(answer.message.at("result"));
  }
  return report;
}

json ask_memory(json request, const backends::DeviceInfo& device, std::chrono::milliseconds limit) {
  suites::Child child({"/proc/self/exe", kLabArgument});
  request["device"] = device.selector;
  request["plugin"] = device.plugin;
  const suites::Answer answer = child.ask(request, suites::Patience{.total = limit});
  if (answer.kind != AnswerKind::kAnswered) return {{"lost", how_it_ended(answer)}};
  if (answer.message.contains("error")) return {{"error", answer.message.at("error")}};
  return answer.message.at("result");
}

}  // namespace halfmark::tools::lab
