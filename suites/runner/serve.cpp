// SPDX-License-Identifier: Apache-2.0
// The worker's side: one request per line, one answer per line. Everything that a driver can do to
// a process happens here.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "backends/environment_fault.hpp"
#include "reference/files/descriptor.hpp"
#include "suites/arithmetic/canaries.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/execute/progress.hpp"
#include "suites/core/experiment/experiment.hpp"
#include "suites/core/identify/device_functions.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/run/self_test.hpp"
#include "suites/core/shrink/shrink.hpp"
#include "suites/registry.hpp"
#include "suites/runner/tensor_files.hpp"
#include "suites/runner/training_step.hpp"
#include "suites/runner/worker.hpp"
#include "suites/throughput/duel.hpp"
#include "suites/throughput/measure.hpp"
#include "suites/throughput/sizes.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;

// The runner quotes the last line of a worker that ends. A driver may have closed a descriptor that
// is none of its own.
void last_words(const char* what) { std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno)); }

class LineReader {
 public:
  [[nodiscard]] std::optional<std::string> next() {
    while (true) {
      const auto end = pending_.find('\n');
      if (end != std::string::npos) {
        std::string line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return line;
      }
      char chunk[65536];
      const ssize_t n = ::read(kRequestFd, chunk, sizeof chunk);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) last_words("its requests cannot be read");
      if (n <= 0) return std::nullopt;
      pending_.append(chunk, static_cast<std::size_t>(n));
    }
  }

 private:
  std::string pending_;
};

// Two threads write answers and heartbeats; a lock keeps lines intact.
bool answer(const json& message) {
  static std::mutex one_line_at_a_time;
  const std::lock_guard lock(one_line_at_a_time);
  // A vendor's log may contain any bytes; an answer must be valid UTF-8.
  const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  return files::write_all(kResponseFd, line) == 0;
}

// Sends heartbeats with the current stage to the runner while a request is in progress. The thread
// is Halfmark's own: it beats while a driver hangs, and stops only when the whole process does.
class Heart {
 public:
  Heart() : thread_([this](const std::stop_token& stop) { beat(stop); }) {}

  void work(bool at_work) {
    {
      const std::lock_guard lock(mutex_);
      at_work_ = at_work;
    }
    changed_.notify_all();
  }

 private:
  void beat(const std::stop_token& stop) {
    constexpr auto kInterval = std::chrono::milliseconds(200);
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return at_work_; })) {
      // A request that is answered within the interval sends no beat.
      if (changed_.wait_for(lock, stop, kInterval, [this] { return !at_work_; })) continue;
      if (stop.stop_requested()) return;
      const Stage stage = current_stage();
      lock.unlock();
      static_cast<void>(answer(
          {{"beat",
            {{"stage", stage.name}, {"count", stage.count}, {"of_driver", stage.of_driver}}}}));
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool at_work_ = false;
  std::jthread thread_;  // last: starts after the other members exist
};

json report_of(const backends::BackendStatus& status) {
  json devices = json::array();
  for (const backends::DeviceInfo& info : status.devices)
    devices.push_back(backends::to_json_object(info));
  return {{"backend", status.backend},
          {"status", status.status},
          {"broken", status.broken},
          {"devices", std::move(devices)}};
}

// A worker loads only the plug-in of its device.
Session open_session(const json& request) {
  const std::string plugin = request.value("plugin", std::string());
  if (!plugin.empty()) {
    const backends::BackendStatus status = backends::load_plugin(plugin);
    if (status.devices.empty()) throw EnvironmentError(status.status);
  }
  return Session(backends::Device::open(request.at("device").get<std::string>()));
}

json shrink_case(Session& session, const json& request) {
  enter_stage("inputs", false);
  const Case c = parse_case(request.at("name").get<std::string>());
  const Failure failure = failure_from_json(request.at("failure"));
  const ShrinkBudget budget{
      .time = std::chrono::milliseconds(request.at("milliseconds").get<std::int64_t>())};
  const auto found = shrink(session, find_suite(c.suite), c, failure, budget);
  return {{"reduction", found ? to_json(*found) : json()}};
}

std::optional<Identified> found_in(Session& session, const json& request) {
  const auto given = request.find("found");
  if (given == request.end()) return std::nullopt;
  Identified found = identified_from_json(*given);
  found.functions = own_functions(session);
  return found;
}

std::optional<GoldenCheck> golden_in(const json& request) {
  const auto given = request.find("golden");
  if (given == request.end()) return std::nullopt;
  return GoldenCheck{.expected = {.digest = given->at("digest"), .sum = given->at("sum")},
                     .recompute = given->at("recompute")};
}

json run_one(Session& session, const json& request) {
  enter_stage("inputs", false);
  const Case c = parse_case(request.at("name").get<std::string>());
  const std::optional<Identified> found = found_in(session, request);
  const std::optional<GoldenCheck> golden = golden_in(request);
  const CaseResult result = run_case(session, find_suite(c.suite), c, found ? &*found : nullptr,
                                     golden ? &*golden : nullptr);
  return {{"result", to_json(result, true)}};
}

// The first of the cases that the device offers.
json test_itself(Session& session, const json& request) {
  enter_stage("inputs", false);
  SelfTest test;
  for (const json& name : request.at("names")) {
    const Case c = parse_case(name.get<std::string>());
    test = self_test(session, find_suite(c.suite), c);
    if (test.is_done) break;
  }
  return {{"self_test",
           {{"case", test.case_name},
            {"done", test.is_done},
            {"caught", test.caught},
            {"located", test.located},
            {"what", test.what}}}};
}

json experiment(Session& session, const json& request) {
  enter_stage("inputs", false);
  const Case c = parse_case(request.at("name").get<std::string>());
  const CaseResult failed = case_result_from_json(request.at("failed"));
  const auto time = std::chrono::milliseconds(request.at("milliseconds").get<std::int64_t>());
  return {{"result", to_json(tested(session, find_suite(c.suite), c, failed, time), true)}};
}

json identify(Session& session, const json& request) {
  const Case c = parse_case(request.at("name").get<std::string>());
  const Modelling* modelling = find_suite(c.suite).modelling;
  if (modelling == nullptr) return {{"error", "suite " + c.suite + " has no modelled tier"}};
  std::vector<Identified> known;
  for (const json& found : request.at("known")) known.push_back(identified_from_json(found));
  enter_stage("probe", true);
  Identified found = modelling->identify(session, c, known);
  enter_stage("reference", false);
  return {{"identified", to_json(found)}};
}

json count_step(Session& session, const json& request) {
  json counted = training_step(session, request.at("name"));
  return counted.contains("error") ? counted : json{{"training_step", std::move(counted)}};
}

// State kept from one request to the next.
struct State {
  std::optional<Session> session;
  std::unique_ptr<throughput::Launcher> launcher;  // for the case that was launched last
};

// Launches nothing if the device lacks what the name requires.
json launch(State& state, const json& request) {
  const std::string name = request.at("name");
  if (state.launcher == nullptr || state.launcher->name() != name) {
    state.launcher.reset();  // frees its buffers first
    state.launcher = throughput::launcher_for(*state.session, name);
  }
  if (state.launcher == nullptr) return {{"launched", nullptr}};
  const auto launches = request.at("launches").get<std::int64_t>();
  return {{"launched", throughput::to_json(state.launcher->launch(launches))},
          {"bytes", state.launcher->bytes()}};
}

json respond(const json& request, State& state) {
  std::optional<Session>& session = state.session;
  const std::string op = request.at("op");
  enter_stage("begin", true);  // until a stage of Halfmark's own work begins
  if (op == "backends") return {{"names", backends::backend_names()}};
  if (op == "enumerate") {
    return report_of(request.contains("plugin")
                         ? backends::load_plugin(request.at("plugin").get<std::string>())
                         : backends::status_of(request.at("backend").get<std::string>()));
  }
  if (op != "launch") state.launcher.reset();
  if (op == "open") {
    session.emplace(open_session(request));
    backends::DeviceInfo info = session->device().info();
    info.plugin = request.value("plugin", std::string());
    return {{"device", backends::to_json_object(info)}};
  }
  if (!session) return {{"error", "no device is open"}};
  if (op == "case") return run_one(*session, request);
  if (op == "self-test") return test_itself(*session, request);
  if (op == "identify") return identify(*session, request);
  if (op == "experiment") return experiment(*session, request);
  if (op == "shrink") return shrink_case(*session, request);
  if (op == "throughput-list") {
    return {{"names", throughput::choose(request.at("passed").get<std::vector<std::string>>())}};
  }
  if (op == "throughput") {
    const std::optional<Identified> found = found_in(*session, request);
    return {{"throughput",
             throughput::measure(*session, request.at("name"), request.value("passed", ""),
                                 found ? &*found : nullptr)}};
  }
  if (op == "speaking-size") {
    const Case c = parse_case(request.at("name").get<std::string>());
    return {{"name", print(throughput::speaking_size(*session, c))}};
  }
  if (op == "duel")
    return {{"duel", throughput::duel(*session, request.at("name"), request.at("against"))}};
  if (op == "launch") return launch(state, request);
  if (op == "tensors") {
    return {{"files", write_tensors(*session, parse_case(request.at("name").get<std::string>()),
                                    request.at("folder").get<std::string>())}};
  }
  if (op == "training-step") return count_step(*session, request);
  if (op == "canaries") return {{"canaries", arithmetic::run_canaries(*session)}};
  return {{"error", "unknown request " + op}};
}

// Whether Halfmark's own work found neither memory nor a thread: what a driver throws is another
// type by now.
bool is_of_machine(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  const auto* refused = dynamic_cast<const std::system_error*>(&error);
  return refused != nullptr && (refused->code() == std::errc::resource_unavailable_try_again ||
                                refused->code() == std::errc::not_enough_memory);
}

}  // namespace

int serve_worker() {
  LineReader reader;
  State state;
  Heart heart;
  while (const auto line = reader.next()) {
    json message, asked;
    heart.work(true);
    try {
      const json request = json::parse(*line);
      asked = request.value("ask", json());
      message = respond(request, state);
    } catch (const backends::EnvironmentFault& e) {
      message = {{"environment", e.what()}};
    } catch (const backends::BackendError& e) {
      message = {{"error", e.what()}};
      if (e.device_lost) message["lost"] = true;
    } catch (const std::exception& e) {
      message = {{"error", e.what()}};
      if (is_of_machine(e)) message["machine"] = true;
    } catch (...) {
      message = {{"error", "an exception of no known type"}};
    }
    heart.work(false);
    message["ask"] = std::move(asked);
    if (answer(message)) continue;
    last_words("its answer cannot be written");
    return 1;
  }
  return 0;
}

}  // namespace halfmark::suites
