// SPDX-License-Identifier: Apache-2.0
//
// Stand-alone programs for OpenCL: of a kernel, and of a product by CLBlast's C interface.
#include <string>
#include <vector>

#include "backends/opencl/embedded.hpp"
#include "backends/reproducers.hpp"

namespace halfmark::backends::opencl {
namespace {

// Both programs begin with it: the device whose name holds the argument, a context and a queue.
constexpr const char* kOpen =
    R"(  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; char name[256];
  cl_uint platform_count = 0, count = 0, i = 0; cl_int e;
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) &&
          strstr(name, argc > 1 ? argv[1] : "@device@")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);)";

const Words& words() {
  static const Words all = {
      {"open", kOpen},
      {"options.plain", "-cl-std=CL1.2"},
      {"options.rounded", "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"},
      {"operation.none", "CLBlastTransposeNo"},
      {"operation.transpose", "CLBlastTransposeYes"},
      {"compute.fp16", "CLBlastHgemm"},
      {"compute.fp32", "CLBlastSgemm"},
      {"compute.fp64", "CLBlastDgemm"},
      {"scalars.fp16", "fp16"},
      {"scalars.fp32", "fp32"},
      {"scalars.fp64", "fp64"},
      {"variant.one", ""},
      {"variant.batch", "StridedBatched"},
      {"in_place", "yes"}};
  return all;
}

}  // namespace

std::vector<ReproducerFrame> reproducers() {
  return {{.library = {},
           .dialect = std::string(dialect_h),
           .text = std::string(reproducer_c),
           .words = words()},
          {.library = "CLBlast",
           .dialect = {},
           .text = std::string(reproducer_gemm_c),
           .words = words()}};
}

}  // namespace halfmark::backends::opencl
