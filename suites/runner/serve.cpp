// SPDX-License-Identifier: Apache-2.0
// The worker's side: one request a line, one answer a line. Everything that a driver can do to a
// process happens here.
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "suites/arithmetic/canaries.hpp"
#include "suites/core/line.hpp"
#include "suites/registry.hpp"
#include "suites/runner/worker.hpp"
#include "suites/throughput/measure.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;

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
      if (n <= 0) return std::nullopt;
      pending_.append(chunk, static_cast<std::size_t>(n));
    }
  }

 private:
  std::string pending_;
};

bool answer(const json& message) {
  // A vendor's log may hold any bytes; an answer must be valid UTF-8.
  const std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t n = ::write(kResponseFd, line.data() + sent, line.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

json list_backends() {
  json list = json::array();
  for (const backends::BackendStatus& status : backends::enumerate()) {
    json devices = json::array();
    for (const backends::DeviceInfo& info : status.devices)
      devices.push_back(backends::to_json_object(info));
    list.push_back(
        {{"backend", status.backend}, {"status", status.status}, {"devices", std::move(devices)}});
  }
  return {{"backends", std::move(list)}};
}

json respond(const json& request, std::optional<Session>& session) {
  const std::string op = request.at("op");
  if (op == "enumerate") return list_backends();
  if (op == "plugin") {
    backends::load_plugin(request.at("file").get<std::string>());
    return {{"ok", true}};
  }
  if (op == "open") {
    session.emplace(backends::Device::open(request.at("device").get<std::string>()));
    return {{"device", backends::to_json_object(session->device().info())}};
  }
  if (!session) return {{"error", "no device is open"}};
  if (op == "case") {
    const Case c = parse_case(request.at("name").get<std::string>());
    return {{"result", to_json(run_case(*session, find_suite(c.suite), c), true)}};
  }
  if (op == "throughput-list") {
    return {{"names", throughput::choose(request.at("passed").get<std::vector<std::string>>())}};
  }
  if (op == "throughput") {
    return {{"throughput",
             throughput::measure(*session, parse_case(request.at("name").get<std::string>()))}};
  }
  if (op == "canaries") return {{"canaries", arithmetic::run_canaries(*session)}};
  return {{"error", "unknown request " + op}};
}

}  // namespace

int serve_worker() {
  LineReader reader;
  std::optional<Session> session;
  while (const auto line = reader.next()) {
    json message;
    try {
      message = respond(json::parse(*line), session);
    } catch (const std::exception& e) {
      message = {{"error", e.what()}};
    }
    if (!answer(message)) return 1;
  }
  return 0;
}

}  // namespace halfmark::suites
