// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent.hpp"

#include <fmt/format.h>

#include "reference/text/json.hpp"

namespace halfmark::fleet {
namespace {

using nlohmann::json;

constexpr text::JsonLimits kLimits{
    .bytes = kMostRollupBytes, .depth = 8, .values = 4096, .string_bytes = 4096};

constexpr std::uint64_t kMostTasks = 10'000'000;

// The library would convert any number to any other.
std::uint64_t whole(const json& j, const char* key) {
  const json& value = j.at(key);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= kMostTasks)
    return value.get<std::uint64_t>();
  throw RollupError(fmt::format("'{}' is no whole number up to {}", key, kMostTasks));
}

std::int64_t seconds(const json& j, const char* key) {
  const json& value = j.at(key);
  if (value.is_number_integer()) return value.get<std::int64_t>();
  throw RollupError(fmt::format("'{}' is no whole number", key));
}

}  // namespace

std::string print(const AgentRecord& record) {
  const json j = {{"schema", kAgentSchema},
                  {"run", record.origin.run},
                  {"task", record.origin.task},
                  {"node", record.origin.node},
                  {"launcher", record.launcher},
                  {"tier", record.tier},
                  {"started", record.started},
                  {"tasks", record.tasks},
                  {"attempts", record.attempts},
                  {"devices", record.devices},
                  {"finished", record.finished},
                  {"error", record.error},
                  {"clock_ahead_s", record.clock_ahead_s}};
  return j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

AgentRecord parse_agent(std::string_view text) {
  try {
    const json j = text::read_json(text, kLimits);
    if (j.at("schema") != kAgentSchema)
      throw RollupError(fmt::format("its schema is not {}", kAgentSchema));
    return {.origin = {.run = j.at("run"), .task = j.at("task"), .node = j.at("node")},
            .launcher = j.at("launcher"),
            .tier = j.at("tier"),
            .started = j.at("started"),
            .tasks = whole(j, "tasks"),
            .attempts = whole(j, "attempts"),
            .devices = j.at("devices"),
            .finished = j.at("finished"),
            .error = j.at("error"),
            .clock_ahead_s = seconds(j, "clock_ahead_s")};
  } catch (const text::JsonError& error) {
    throw RollupError(error.what());
  } catch (const json::exception&) {
    throw RollupError("it is not what an agent writes");
  }
}

}  // namespace halfmark::fleet
