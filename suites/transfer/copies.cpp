// SPDX-License-Identifier: Apache-2.0
// The copies of a case, in their order.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "suites/core/execute/progress.hpp"
#include "suites/transfer/binding.hpp"

namespace halfmark::suites::transfer {
namespace {

// Calls work(from, bytes) for each part of the range.
template <typename Work>
void for_each_part(const Binding& b, std::size_t part, Work work) {
  const std::size_t step = part == 0 ? b.bytes : part;
  for (std::size_t from = b.offset; from < b.end(); from += step)
    work(from, std::min(step, b.end() - from));
}

class Copies {
 public:
  Copies(const Binding& b, backends::Device& device)
      : b_(b), memory_(device.allocate(b.memory_bytes())) {}

  DeviceResult run() {
    enter_stage("write", true);
    memory_.write(0, pattern(Generation::kBefore, b_.memory_bytes()));
    DeviceResult result;
    for (const Image& image : kImages) {
      const bool is_last = image.name == kMemory;
      if (!is_last) upload(image.inside);
      enter_stage("read back", true);
      std::vector<std::byte> got =
          is_last ? whole_memory() : read_range(pattern(image.outside, b_.memory_bytes()));
      result.outputs.emplace(image.name, tensor_of(std::move(got)));
    }
    return result;
  }

 private:
  void upload(Generation generation) {
    enter_stage("write", true);
    const std::vector<std::byte> source = pattern(generation, b_.memory_bytes());
    for_each_part(b_, b_.upload_part, [&](std::size_t from, std::size_t bytes) {
      memory_.write(from, std::span(source).subspan(from, bytes));
    });
  }

  [[nodiscard]] std::vector<std::byte> read_range(std::vector<std::byte> host) const {
    for_each_part(b_, b_.read_part, [&](std::size_t from, std::size_t bytes) {
      memory_.read(from, std::span(host).subspan(from, bytes));
    });
    return host;
  }

  [[nodiscard]] std::vector<std::byte> whole_memory() const {
    std::vector<std::byte> host = pattern(Generation::kHostBeforeLast, b_.memory_bytes());
    memory_.read(0, host);
    return host;
  }

  const Binding& b_;
  backends::Buffer memory_;
};

DeviceError error_of(const backends::BackendError& e, const std::string& stage) {
  const std::string text = e.what();
  return {.stage = stage,
          .text = fmt::format("{} failed: {}", stage, text.substr(0, text.find('\n'))),
          .log = e.vendor_text,
          .device_lost = e.device_lost};
}

}  // namespace

std::optional<std::string> beyond_an_allocation(const backends::DeviceInfo& device,
                                                std::size_t bytes) {
  constexpr const char* kLimit = "CL_DEVICE_MAX_MEM_ALLOC_SIZE";
  const auto limit = device.extra.find(kLimit);
  if (limit == device.extra.end() || !limit->is_number_unsigned()) return std::nullopt;
  const auto most = limit->get<std::uint64_t>();
  if (bytes <= most) return std::nullopt;
  return fmt::format("{} is {} bytes, and the case needs {}", kLimit, most, bytes);
}

DeviceResult copy(Session& session, const Case& c) {
  constexpr const char* kAllocate = "allocate";
  const Binding b = bind(c);
  DeviceResult result;
  enter_stage(kAllocate, true);
  try {
    result = Copies(b, session.device()).run();
  } catch (const backends::BackendError& e) {
    const std::string stage = current_stage().name;
    if (stage == kAllocate && !e.device_lost)
      result.not_supported = beyond_an_allocation(session.device().info(), b.memory_bytes());
    if (!result.not_supported) result.error = error_of(e, stage);
  }
  enter_stage("reference", false);
  return result;
}

}  // namespace halfmark::suites::transfer
