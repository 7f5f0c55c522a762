// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "backends/opencl/api.hpp"
#include "backends/opencl/clock.hpp"
#include "backends/opencl/promises.hpp"
#include "backends/process_memory.hpp"

namespace halfmark::backends::opencl {
namespace {

// Drivers end texts with a NUL, some with several, some with a space.
std::string trimmed(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

std::string device_text(cl_device_id device, cl_device_info key) {
  std::size_t bytes = 0;
  if (calls().clGetDeviceInfo(device, key, 0, nullptr, &bytes) != CL_SUCCESS) return "";
  std::string text(bytes, '\0');
  if (calls().clGetDeviceInfo(device, key, bytes, text.data(), nullptr) != CL_SUCCESS) return "";
  return trimmed(std::move(text));
}

// 0 when the driver does not answer.
template <typename Number>
Number device_number(cl_device_id device, cl_device_info key) {
  Number value{};
  return calls().clGetDeviceInfo(device, key, sizeof value, &value, nullptr) == CL_SUCCESS
             ? value
             : Number{};
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result(1);
  for (const char letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      result.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else if (!result.back().empty()) {
      result.emplace_back();
    }
  }
  if (result.back().empty()) result.pop_back();
  return result;
}

std::string kind_of(cl_device_id device, const std::string& platform) {
  if (platform == "Oclgrind") return "simulator";  // it claims to be every type at once
  const auto type = device_number<cl_device_type>(device, CL_DEVICE_TYPE);
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return "gpu";
  return (type & CL_DEVICE_TYPE_CPU) != 0 ? "cpu" : "accelerator";
}

FloatConfig float_config(cl_device_id device, cl_device_info key, const char* name) {
  cl_device_fp_config bits = 0;
  const cl_int code = calls().clGetDeviceInfo(device, key, sizeof bits, &bits, nullptr);
  if (code != CL_SUCCESS) return {fmt::format("{} refused with {}:", name, error_name(code)), 0};
  return {fmt::format("{}={:#x}", name, bits), bits};
}

Answers answers_of(cl_device_id device) {
  return {.version = device_text(device, CL_DEVICE_VERSION),
          .profile = device_text(device, CL_DEVICE_PROFILE),
          .extensions = device_text(device, CL_DEVICE_EXTENSIONS),
          .single = float_config(device, CL_DEVICE_SINGLE_FP_CONFIG, "CL_DEVICE_SINGLE_FP_CONFIG"),
          .half = float_config(device, CL_DEVICE_HALF_FP_CONFIG, "CL_DEVICE_HALF_FP_CONFIG")};
}

constexpr cl_device_info kDeviceUuid = 0x106A;  // CL_DEVICE_UUID_KHR, newer than some headers

// Everything that identifies the card or explains a result, named after the queries.
nlohmann::json extra_of(const FoundDevice& found) {
  const cl_device_id device = found.device;
  nlohmann::json extra = {
      {"CL_PLATFORM_VERSION", platform_text(found.platform, CL_PLATFORM_VERSION)},
      {"CL_PLATFORM_ICD_SUFFIX_KHR", platform_text(found.platform, CL_PLATFORM_ICD_SUFFIX_KHR)},
      {"CL_DEVICE_PROFILE", device_text(device, CL_DEVICE_PROFILE)},
      {"CL_DEVICE_OPENCL_C_VERSION", device_text(device, CL_DEVICE_OPENCL_C_VERSION)},
      {"CL_DEVICE_EXTENSIONS", device_text(device, CL_DEVICE_EXTENSIONS)},
      {"CL_DEVICE_VENDOR_ID", device_number<cl_uint>(device, CL_DEVICE_VENDOR_ID)},
      {"CL_DEVICE_TYPE", device_number<cl_device_type>(device, CL_DEVICE_TYPE)},
      {"CL_DEVICE_MAX_CLOCK_FREQUENCY",
       device_number<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY)},
      {"CL_DEVICE_MAX_MEM_ALLOC_SIZE",
       device_number<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE)},
      {"CL_DEVICE_GLOBAL_MEM_CACHE_SIZE",
       device_number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE)},
      {"CL_DEVICE_ADDRESS_BITS", device_number<cl_uint>(device, CL_DEVICE_ADDRESS_BITS)},
      {"CL_DEVICE_ERROR_CORRECTION_SUPPORT",
       device_number<cl_bool>(device, CL_DEVICE_ERROR_CORRECTION_SUPPORT) != CL_FALSE},
      {"CL_DEVICE_PROFILING_TIMER_RESOLUTION",
       device_number<std::size_t>(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION)},
      {"clock", DeviceClock(has_timer(device)).words()},
      {"CL_DEVICE_SINGLE_FP_CONFIG", device_number<cl_ulong>(device, CL_DEVICE_SINGLE_FP_CONFIG)},
      {"CL_DEVICE_HALF_FP_CONFIG", device_number<cl_ulong>(device, CL_DEVICE_HALF_FP_CONFIG)},
      {"CL_DEVICE_DOUBLE_FP_CONFIG", device_number<cl_ulong>(device, CL_DEVICE_DOUBLE_FP_CONFIG)},
      {"registered_with_loader", found.known_to_loader},
      {"variables", recorded_variables()}};
  if (has_extension(device, "cl_khr_device_uuid")) {
    const auto uuid = device_number<std::array<unsigned char, 16>>(device, kDeviceUuid);
    extra["CL_DEVICE_UUID_KHR"] = fmt::format("{:02x}", fmt::join(uuid, ""));
  }
  return extra;
}

// Words that could name a device, best first: the suffix that the platform chose for itself, if its
// version also contains it, then the words of its names.
std::vector<std::string> alias_candidates(const DeviceInfo& info) {
  std::vector<std::string> version = words(info.extra.value("CL_PLATFORM_VERSION", std::string()));
  std::vector<std::string> result;
  for (const std::string& suffix :
       words(info.extra.value("CL_PLATFORM_ICD_SUFFIX_KHR", std::string()))) {
    if (std::find(version.begin(), version.end(), suffix) != version.end())
      result.push_back(suffix);
  }
  const std::vector<std::string> of_platform = words(info.platform);
  // A platform with a one-word name is identified by it; one with a longer name is better
  // identified by its device.
  if (of_platform.size() == 1 && info.kind == "simulator") result.push_back(of_platform[0]);
  for (const std::string& word : words(info.name)) result.push_back(word);
  result.insert(result.end(), of_platform.begin(), of_platform.end());
  return result;
}

bool is_named(const DeviceInfo& info, const std::string& word) {
  for (const std::string* text : {&info.platform, &info.name, &info.api_version}) {
    const std::vector<std::string> all = words(*text);
    if (std::find(all.begin(), all.end(), word) != all.end()) return true;
  }
  return false;
}

}  // namespace

std::string platform_text(cl_platform_id platform, cl_platform_info key) {
  std::size_t bytes = 0;
  if (calls().clGetPlatformInfo(platform, key, 0, nullptr, &bytes) != CL_SUCCESS) return "";
  std::string text(bytes, '\0');
  if (calls().clGetPlatformInfo(platform, key, bytes, text.data(), nullptr) != CL_SUCCESS)
    return "";
  return trimmed(std::move(text));
}

bool has_extension(cl_device_id device, const std::string& name) {
  return is_listed(device_text(device, CL_DEVICE_EXTENSIONS), name);
}

bool has_timer(cl_device_id device) {
  return device_number<std::size_t>(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION) != 0;
}

nlohmann::json recorded_variables() {
  nlohmann::json set = nlohmann::json::object();
  for (const char* name :
       {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES", "RUSTICL_ENABLE",
        "RUSTICL_FEATURES", "POCL_DEVICES", "POCL_AFFINITY", "POCL_MAX_PTHREAD_COUNT",
        "POCL_WORK_GROUP_METHOD", "POCL_EXTRA_BUILD_FLAGS", "CL_CONFIG_CPU_TARGET_ARCH",
        "CL_CONFIG_USE_FAST_RELAXED_MATH"}) {
    if (const char* value = std::getenv(name)) set[name] = value;
  }
  return set;
}

DeviceInfo describe(const FoundDevice& found) {
  const std::vector<int> kEveryWidth = {1, 2, 4, 8, 16};  // OpenCL C 1.2, 6.1.2 without 3
  const cl_device_id device = found.device;
  const std::string platform = platform_text(found.platform, CL_PLATFORM_NAME);
  return {.selector = "",
          .alias = "",
          .backend = "opencl",
          .name = device_text(device, CL_DEVICE_NAME),
          .platform = platform,
          .vendor = device_text(device, CL_DEVICE_VENDOR),
          .driver_version = device_text(device, CL_DRIVER_VERSION),
          .api_version = device_text(device, CL_DEVICE_VERSION),
          .index = 0,
          .kind = kind_of(device, platform),
          .memory_bytes = device_number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE),
          .local_memory_bytes = device_number<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE),
          .max_group_items = static_cast<std::uint32_t>(
              device_number<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE)),
          .compute_units = device_number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS),
          .promises = promises_of(answers_of(device)),
          .packs = {{"fp16", kEveryWidth}, {"fp32", kEveryWidth}, {"half", kEveryWidth}},
          .extra = extra_of(found)};
}

MemoryAnswer memory_of(cl_device_id device) {
  constexpr std::uint64_t kKib = 1024;
  constexpr std::size_t kMostNumbers = 64;  // what is free in all, then in the largest blocks
  std::size_t kib[kMostNumbers] = {};
  std::size_t bytes = 0;
  const bool answers = calls().clGetDeviceInfo(device, CL_DEVICE_GLOBAL_FREE_MEMORY_AMD, 0, nullptr,
                                               &bytes) == CL_SUCCESS &&
                       bytes >= sizeof kib[0] && bytes <= sizeof kib &&
                       calls().clGetDeviceInfo(device, CL_DEVICE_GLOBAL_FREE_MEMORY_AMD, bytes, kib,
                                               nullptr) == CL_SUCCESS;
  if (answers) {
    return {.known = true,
            .source = "CL_DEVICE_GLOBAL_FREE_MEMORY_AMD",
            .free_bytes = kib[0] * kKib,
            .total_bytes = device_number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE)};
  }
  const std::string lack = "clGetDeviceInfo answers no CL_DEVICE_GLOBAL_FREE_MEMORY_AMD";
  if (kind_of(device, "") != "cpu") return {.answer = lack};
  MemoryAnswer answer = process_memory();
  answer.source += ", since " + lack;
  return answer;
}

void choose_aliases(std::vector<DeviceInfo>& devices) {
  for (DeviceInfo& info : devices) {
    for (const std::string& word : alias_candidates(info)) {
      const auto bearers =
          std::count_if(devices.begin(), devices.end(),
                        [&](const DeviceInfo& other) { return is_named(other, word); });
      const bool number = std::all_of(word.begin(), word.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
      if (bearers != 1 || number) continue;
      info.alias = "opencl:" + word;
      break;
    }
  }
}

}  // namespace halfmark::backends::opencl
