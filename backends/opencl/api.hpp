// SPDX-License-Identifier: Apache-2.0
//
// The OpenCL calls that Halfmark uses, found at run time, with RAII handles and errors that carry
// the name of their code. Decides nothing about devices.
//
// Assumptions:
//  1. libOpenCL.so.1 is opened once and never unloaded: drivers leave threads running.
//  2. Loaders dispatch by the handle, so a platform obtained directly from a driver library works
//  with the loader's calls (cl_khr_icd requires it).
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>
#include <utility>

#include "backends/device_info.hpp"

namespace halfmark::backends::opencl {

// clang-format off: one call a line, which the formatter will not keep
#define HM_OPENCL_CALLS(X) \
  X(clBuildProgram) \
  X(clCreateBuffer) \
  X(clCreateCommandQueue) \
  X(clCreateContext) \
  X(clCreateKernel) \
  X(clCreateProgramWithSource) \
  X(clEnqueueMarkerWithWaitList) \
  X(clEnqueueNDRangeKernel) \
  X(clEnqueueReadBuffer) \
  X(clEnqueueWriteBuffer) \
  X(clFinish) \
  X(clGetDeviceIDs) \
  X(clGetDeviceInfo) \
  X(clGetEventInfo) \
  X(clGetEventProfilingInfo) \
  X(clGetKernelInfo) \
  X(clGetKernelWorkGroupInfo) \
  X(clGetPlatformIDs) \
  X(clGetPlatformInfo) \
  X(clGetProgramBuildInfo) \
  X(clGetProgramInfo) \
  X(clReleaseCommandQueue) \
  X(clReleaseContext) \
  X(clReleaseEvent) \
  X(clReleaseKernel) \
  X(clReleaseMemObject) \
  X(clReleaseProgram) \
  X(clSetKernelArg) \
  X(clWaitForEvents)
// clang-format on

struct Api {
#define HM_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;
  HM_OPENCL_CALLS(HM_OPENCL_MEMBER)
#undef HM_OPENCL_MEMBER
};

// The first call opens the loader. Throws BackendError with the remedy when it is missing.
[[nodiscard]] const Api& calls();

[[nodiscard]] std::string error_name(cl_int code);  // "CL_INVALID_VALUE"
[[noreturn]] void fail(const char* call, cl_int code, const std::string& detail = {});
inline void check(const char* call, cl_int code) {
  if (code != CL_SUCCESS) fail(call, code);
}

// Owns one reference to an OpenCL object.
template <typename Raw, auto Release>
class Handle {
 public:
  Handle() = default;
  explicit Handle(Raw raw) : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    if (raw_ != nullptr) (calls().*Release)(raw_);
  }
  [[nodiscard]] Raw raw() const { return raw_; }

 private:
  Raw raw_ = nullptr;
};

using Context = Handle<cl_context, &Api::clReleaseContext>;
using Queue = Handle<cl_command_queue, &Api::clReleaseCommandQueue>;
using Memory = Handle<cl_mem, &Api::clReleaseMemObject>;
using BuiltProgram = Handle<cl_program, &Api::clReleaseProgram>;
using Kernel = Handle<cl_kernel, &Api::clReleaseKernel>;
using Event = Handle<cl_event, &Api::clReleaseEvent>;

}  // namespace halfmark::backends::opencl
