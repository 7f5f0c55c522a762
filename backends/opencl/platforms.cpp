// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/platforms.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "backends/opencl/api.hpp"
#include "backends/opencl/describe.hpp"
#include "backends/opencl/registered.hpp"

namespace halfmark::backends::opencl {
namespace {

// Driver libraries that distributions install without registering them with the loader. Debian puts
// Oclgrind here for its own wrapper script, but it is a full driver.
constexpr const char* kUnregisteredDrivers[] = {
    "/usr/lib/oclgrind/liboclgrind-rt-icd.so",
    "/usr/lib/x86_64-linux-gnu/oclgrind/liboclgrind-rt-icd.so",
    "/usr/local/lib/liboclgrind-rt-icd.so",
};

// Mesa's rusticl shows a device only when the environment names it. Halfmark tests its processor
// device; if the user has set the variable, even to nothing, that setting stands.
void enable_rusticl() {
  std::error_code ignored;
  if (std::filesystem::exists(vendors_folder() / "rusticl.icd", ignored))
    setenv("RUSTICL_ENABLE", "llvmpipe", 0);
}

using Faults = std::vector<std::string>;

std::vector<cl_platform_id> loader_platforms(Faults& faults) {
  cl_uint count = 0;
  const cl_int code = calls().clGetPlatformIDs(0, nullptr, &count);
  // A loader without drivers returns this error, which means the same as an empty list.
  if (code != CL_SUCCESS && code != CL_PLATFORM_NOT_FOUND_KHR)
    faults.push_back(fmt::format("the OpenCL loader lists no platforms: {}", error_name(code)));
  if (code != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> platforms(count);
  check("clGetPlatformIDs", calls().clGetPlatformIDs(count, platforms.data(), nullptr));
  return platforms;
}

// cl_khr_icd: a driver library exposes its platforms through this function.
std::vector<cl_platform_id> library_platforms(const char* path, Faults& faults) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* words = dlerror();
    faults.push_back(fmt::format("{} cannot be opened: {}", path, words == nullptr ? "" : words));
    return {};
  }
  using FindFunction = void* (*)(const char*);
  const auto find = reinterpret_cast<FindFunction>(dlsym(library, "clGetExtensionFunctionAddress"));
  if (find == nullptr) return {};
  const auto list = reinterpret_cast<decltype(&clGetPlatformIDs)>(find("clIcdGetPlatformIDsKHR"));
  cl_uint count = 0;
  if (list == nullptr || list(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> platforms(count);
  return list(count, platforms.data(), nullptr) == CL_SUCCESS ? platforms
                                                              : std::vector<cl_platform_id>{};
}

std::vector<cl_device_id> devices_of(cl_platform_id platform, Faults& faults) {
  cl_uint count = 0;
  const cl_int code = calls().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND)
    faults.push_back(fmt::format("the platform {} lists no devices: {}",
                                 platform_text(platform, CL_PLATFORM_NAME), error_name(code)));
  if (code != CL_SUCCESS || count == 0) return {};
  std::vector<cl_device_id> devices(count);
  check("clGetDeviceIDs",
        calls().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr));
  return devices;
}

std::string status_of(const std::vector<cl_platform_id>& platforms,
                      const std::vector<FoundDevice>& devices, const Faults& faults) {
  if (!devices.empty()) return "ok";
  if (!faults.empty()) return fmt::format("no OpenCL device: {}", fmt::join(faults, "; "));
  if (platforms.empty()) {
    return "the OpenCL loader knows no driver: install the device's (for the processor, Debian: "
           "pocl-opencl-icd)";
  }
  std::string names;
  for (const cl_platform_id platform : platforms) {
    names += (names.empty() ? "" : ", ") + platform_text(platform, CL_PLATFORM_NAME);
  }
  return fmt::format("no OpenCL platform has a device ({}): install the driver of the device",
                     names);
}

}  // namespace

Discovery discover() {
  enable_rusticl();
  Discovery result;
  std::vector<cl_platform_id> platforms = loader_platforms(result.faults);
  const std::size_t from_loader = platforms.size();
  for (const char* path : kUnregisteredDrivers) {
    for (const cl_platform_id platform : library_platforms(path, result.faults)) {
      // If the driver is registered after all, both ways give the same platform.
      if (std::find(platforms.begin(), platforms.end(), platform) == platforms.end())
        platforms.push_back(platform);
    }
  }
  for (std::size_t i = 0; i < platforms.size(); ++i) {
    for (const cl_device_id device : devices_of(platforms[i], result.faults)) {
      result.devices.push_back({platforms[i], device, i < from_loader});
    }
  }
  for (std::string& fault : drivers_that_do_not_open()) result.faults.push_back(std::move(fault));
  result.status = status_of(platforms, result.devices, result.faults);
  return result;
}

}  // namespace halfmark::backends::opencl
