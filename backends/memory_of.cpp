// SPDX-License-Identifier: Apache-2.0
#include "backends/memory_of.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "backends/foreign_text.hpp"
#include "backends/tables.hpp"

namespace halfmark::backends {
namespace {

bool is_offered(const HmBackendApi& api) {
  constexpr std::size_t kNeeded =
      offsetof(HmBackendApi, device_memory) + sizeof(HmBackendApi::device_memory);
  return api.struct_bytes >= kNeeded && api.device_memory != nullptr;
}

// Numbers that cannot be true are those of nobody.
MemoryAnswer believable(const HmMemory& said) {
  MemoryAnswer answer{.known = true,
                      .answer = {},
                      .source = one_line(kept_words(said.source)),
                      .of_process = said.of_process != 0,
                      .used_bytes = said.used_bytes,
                      .free_bytes = said.free_bytes,
                      .total_bytes = said.total_bytes};
  if (answer.source.empty()) answer.source = "the backend";
  if (!answer.of_process) answer.used_bytes = said.total_bytes - said.free_bytes;
  const char* part = answer.free_bytes > answer.total_bytes   ? "free"
                     : answer.used_bytes > answer.total_bytes ? "used"
                                                              : nullptr;
  if (part == nullptr && answer.total_bytes != 0) return answer;
  if (part == nullptr) return {.answer = answer.source + " says that the device has no memory"};
  return {.answer = fmt::format("{} says that {} of {} bytes are {}, which cannot be",
                                answer.source, *part == 'f' ? answer.free_bytes : answer.used_bytes,
                                answer.total_bytes, part)};
}

}  // namespace

MemoryAnswer memory_of(const HmBackendApi& api, HmDevice* device) {
  if (!is_offered(api)) return {.answer = "the backend's table has no 'device_memory'"};
  HmMemory said{};
  try {
    const std::int32_t status =
        called("device_memory", [&] { return api.device_memory(device, &said); });
    if (status == 0) return believable(said);
    const BackendError error = last_error_of(api, "device_memory");
    if (error.device_lost) throw error;
    return {.answer = one_line(status == HM_NOT_SUPPORTED ? error.vendor_text : error.what())};
  } catch (const BackendError& error) {
    if (error.device_lost) throw;
    return {.answer = one_line(error.what())};
  }
}

}  // namespace halfmark::backends
