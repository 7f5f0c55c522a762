// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

namespace halfmark::tools::lab {
namespace {

using backends::MemoryAnswer;
using nlohmann::json;

constexpr std::uint64_t kMegabyte = 1'000'000;
// Runtimes count in pages, the largest of which have 2 MiB, and a system's pages come and go.
constexpr std::uint64_t kSlack = 4 * kMegabyte;
constexpr std::chrono::milliseconds kPause(50);
constexpr std::uint64_t kSides[] = {1000, 2000, 4096, 5000};
constexpr const formats::Format* kFormats[] = {&formats::kFp32, &formats::kFp16, &formats::kBf16,
                                               &formats::kE4m3fn};

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.4g} MB", static_cast<double>(bytes) / kMegabyte);
}

// Buffers by number; every byte is written, since memory that nobody touched may not exist.
MemoryDevice on(backends::Device& device) {
  const auto buffers = std::make_shared<std::map<std::size_t, backends::Buffer>>();
  const auto chunk = std::make_shared<std::vector<std::byte>>(1 << 20, std::byte{0x3c});
  return {.come =
              [&device, buffers, chunk](std::size_t tensor, std::uint64_t bytes) {
                backends::Buffer buffer = device.allocate(bytes);
                for (std::uint64_t at = 0; at < bytes; at += chunk->size())
                  buffer.write(at, std::span(*chunk).first(std::min(chunk->size(), bytes - at)));
                buffers->insert_or_assign(tensor, std::move(buffer));
              },
          .go = [buffers](std::size_t tensor) { buffers->erase(tensor); },
          .ask = [&device] { return device.memory(); }};
}

// The runtime's figure above a first one. Remembers the first reason not to believe it.
class Meter {
 public:
  explicit Meter(const MemoryDevice& device) : device_(device) {
    const MemoryAnswer before = device.ask();
    if (!before.known) {
      doubt_ = before.answer;
      return;
    }
    std::this_thread::sleep_for(kPause);
    first_ = device.ask();
    if (!first_.known) {
      doubt_ = first_.answer;
      return;
    }
    const auto [least, most] = std::minmax(before.used_bytes, first_.used_bytes);
    if (most - least > kSlack)
      doubt_ = fmt::format("{} changes by {} while nothing is done: others use this memory too",
                           first_.source, megabytes(most - least));
  }

  /// 0 where less is in use than at first.
  std::uint64_t read() {
    if (!doubt_.empty()) return 0;
    const MemoryAnswer now = device_.ask();
    if (!now.known) doubt_ = now.answer;
    return now.known && now.used_bytes > first_.used_bytes ? now.used_bytes - first_.used_bytes : 0;
  }
  /// What the device was asked for at the peak, and the figure there.
  void judge(std::uint64_t asked, std::uint64_t figure) {
    const std::uint64_t slack = std::min(kSlack, asked / 2);
    if (!doubt_.empty() || figure + slack >= asked) return;
    const std::string_view source = first_.source;
    doubt_ = figure < slack ? fmt::format("{} says the same before and after {} were written",
                                          source, megabytes(asked))
                            : fmt::format("{} says that {} are in use where {} were written",
                                          source, megabytes(figure), megabytes(asked));
  }
  [[nodiscard]] const std::string& doubt() const { return doubt_; }
  [[nodiscard]] const MemoryAnswer& first() const { return first_; }

 private:
  const MemoryDevice& device_;
  MemoryAnswer first_;
  std::string doubt_;
};

}  // namespace

Measured measure(const MemoryDevice& device, const Schedule& schedule) {
  Meter meter(device);
  Measured measured;
  std::uint64_t asked = 0, most = 0;
  for (const Event& event : schedule.events) {
    if (event.mark == Mark::kPrepared) measured.prepared = meter.read();
    if (event.mark == Mark::kForward) measured.forward = meter.read();
    if (event.mark != Mark::kNone) continue;
    const std::uint64_t bytes = schedule.tensors[event.tensor].bytes;
    if (event.comes) device.come(event.tensor, bytes);
    if (!event.comes) device.go(event.tensor);
    asked = event.comes ? asked + bytes : asked - bytes;
    if (asked <= most) continue;
    most = asked;
    measured.peak = std::max(measured.peak, meter.read());
  }
  meter.judge(most, measured.peak);
  for (std::size_t tensor = 0; tensor < schedule.tensors.size(); ++tensor) device.go(tensor);
  measured.left = meter.read();
  measured.doubt = meter.doubt();
  measured.source = meter.first().source;
  measured.of_process = meter.first().of_process;
  measured.free_before = meter.first().free_bytes;
  return measured;
}

json to_json(const Measured& measured) {
  if (!measured.is_known()) return {{"doubt", measured.doubt}};
  return {{"source", measured.source},
          {"of_process", measured.of_process},
          {"prepared", measured.prepared},
          {"forward", measured.forward},
          {"peak", measured.peak},
          {"left", measured.left},
          {"free_before", measured.free_before}};
}

json asked_json(const Design& design, const Size& size, const MemoryMode& mode) {
  const Asked asked = asked_of(schedule_of(design, size, mode));
  const auto most = [&](Holds holds) { return asked.most[static_cast<std::size_t>(holds)]; };
  return {{"name", mode.name},
          {"title", mode.title},
          {"asked",
           {{"weights", most(Holds::kWeights)},
            {"copies", most(Holds::kCopies)},
            {"gradients", most(Holds::kGradients)},
            {"state", most(Holds::kState)},
            {"activations", asked.kept},
            {"passing", most(Holds::kPassing)},
            {"prepared", asked.prepared},
            {"forward", asked.forward},
            {"peak", asked.peak}}}};
}

json memory_of_mode(backends::Device& device, const Design& design, const Size& size,
                    const MemoryMode& mode) {
  return to_json(measure(on(device), schedule_of(design, size, mode)));
}

json matrices_on(const MemoryDevice& device) {
  Meter meter(device);
  json list = json::array();
  std::uint64_t asked = 0, before = meter.read();
  for (const std::uint64_t side : kSides) {
    for (const formats::Format* format : kFormats) {
      const std::uint64_t bytes = side * side * static_cast<std::uint64_t>(format->storage_bytes());
      device.come(list.size(), bytes);
      asked += bytes;
      const std::uint64_t after = meter.read();
      list.push_back({{"side", side},
                      {"format", format->name},
                      {"asked", bytes},
                      {"runtime", after > before ? after - before : 0}});
      before = std::max(after, before);
    }
  }
  meter.judge(asked, before);
  for (std::size_t i = 0; i < list.size(); ++i) device.go(i);
  if (!meter.doubt().empty()) {
    for (json& row : list) row["runtime"] = nullptr;
  }
  return {{"rows", std::move(list)}, {"doubt", meter.doubt()}};
}

json memory_of_matrices(backends::Device& device) { return matrices_on(on(device)); }

}  // namespace halfmark::tools::lab
