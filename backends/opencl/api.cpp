// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

namespace halfmark::backends::opencl {
namespace {

// The linker's message names the missing file, which need not be the loader itself.
std::string loader_missing(const char* words) {
  const std::string_view said = words == nullptr ? "the linker gives no reason" : words;
  return said.starts_with("libOpenCL.so.1:")
             ? fmt::format(
                   "no OpenCL loader: install one (Debian: ocl-icd-libopencl1) and the driver of "
                   "the device ({})",
                   said)
             : fmt::format("the OpenCL loader cannot be opened: {}", said);
}

Api load() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw BackendError("dlopen libOpenCL.so.1", 0, loader_missing(dlerror()));
  Api found;
#define HM_OPENCL_LOAD(name)                                                  \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, #name)); \
  if (found.name == nullptr) throw BackendError("dlsym", 0, "libOpenCL.so.1 lacks " #name);
  HM_OPENCL_CALLS(HM_OPENCL_LOAD)
#undef HM_OPENCL_LOAD
  return found;
}

struct CodeName {
  cl_int code;
  const char* name;
};

#define HM_OPENCL_CODE(name) {name, #name}
constexpr CodeName kCodes[] = {
    HM_OPENCL_CODE(CL_DEVICE_NOT_FOUND),
    HM_OPENCL_CODE(CL_DEVICE_NOT_AVAILABLE),
    HM_OPENCL_CODE(CL_COMPILER_NOT_AVAILABLE),
    HM_OPENCL_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    HM_OPENCL_CODE(CL_OUT_OF_RESOURCES),
    HM_OPENCL_CODE(CL_OUT_OF_HOST_MEMORY),
    HM_OPENCL_CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
    HM_OPENCL_CODE(CL_BUILD_PROGRAM_FAILURE),
    HM_OPENCL_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    HM_OPENCL_CODE(CL_COMPILE_PROGRAM_FAILURE),
    HM_OPENCL_CODE(CL_LINKER_NOT_AVAILABLE),
    HM_OPENCL_CODE(CL_LINK_PROGRAM_FAILURE),
    HM_OPENCL_CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    HM_OPENCL_CODE(CL_INVALID_VALUE),
    HM_OPENCL_CODE(CL_INVALID_DEVICE_TYPE),
    HM_OPENCL_CODE(CL_INVALID_PLATFORM),
    HM_OPENCL_CODE(CL_INVALID_DEVICE),
    HM_OPENCL_CODE(CL_INVALID_CONTEXT),
    HM_OPENCL_CODE(CL_INVALID_QUEUE_PROPERTIES),
    HM_OPENCL_CODE(CL_INVALID_COMMAND_QUEUE),
    HM_OPENCL_CODE(CL_INVALID_HOST_PTR),
    HM_OPENCL_CODE(CL_INVALID_MEM_OBJECT),
    HM_OPENCL_CODE(CL_INVALID_BINARY),
    HM_OPENCL_CODE(CL_INVALID_BUILD_OPTIONS),
    HM_OPENCL_CODE(CL_INVALID_PROGRAM),
    HM_OPENCL_CODE(CL_INVALID_PROGRAM_EXECUTABLE),
    HM_OPENCL_CODE(CL_INVALID_KERNEL_NAME),
    HM_OPENCL_CODE(CL_INVALID_KERNEL_DEFINITION),
    HM_OPENCL_CODE(CL_INVALID_KERNEL),
    HM_OPENCL_CODE(CL_INVALID_ARG_INDEX),
    HM_OPENCL_CODE(CL_INVALID_ARG_VALUE),
    HM_OPENCL_CODE(CL_INVALID_ARG_SIZE),
    HM_OPENCL_CODE(CL_INVALID_KERNEL_ARGS),
    HM_OPENCL_CODE(CL_INVALID_WORK_DIMENSION),
    HM_OPENCL_CODE(CL_INVALID_WORK_GROUP_SIZE),
    HM_OPENCL_CODE(CL_INVALID_WORK_ITEM_SIZE),
    HM_OPENCL_CODE(CL_INVALID_GLOBAL_OFFSET),
    HM_OPENCL_CODE(CL_INVALID_EVENT_WAIT_LIST),
    HM_OPENCL_CODE(CL_INVALID_EVENT),
    HM_OPENCL_CODE(CL_INVALID_OPERATION),
    HM_OPENCL_CODE(CL_INVALID_BUFFER_SIZE),
    HM_OPENCL_CODE(CL_INVALID_GLOBAL_WORK_SIZE),
    HM_OPENCL_CODE(CL_INVALID_PROPERTY),
    HM_OPENCL_CODE(CL_PLATFORM_NOT_FOUND_KHR),
};
#undef HM_OPENCL_CODE

// OpenCL has no code for a lost device. The first two appear on a queue that was valid when it was
// made; -9999 is one vendor driver's code after an illegal access, after which no call on the
// device succeeds.
bool means_lost(cl_int code) {
  return code == CL_DEVICE_NOT_AVAILABLE || code == CL_INVALID_COMMAND_QUEUE || code == -9999;
}

}  // namespace

const Api& calls() {
  static const Api loaded = load();
  return loaded;
}

std::string error_name(cl_int code) {
  for (const CodeName& row : kCodes) {
    if (row.code == code) return row.name;
  }
  return fmt::format("OpenCL error {}", code);
}

void fail(const char* call, cl_int code, const std::string& detail) {
  throw BackendError(call, code,
                     detail.empty() ? error_name(code) : error_name(code) + ": " + detail,
                     means_lost(code));
}

}  // namespace halfmark::backends::opencl
