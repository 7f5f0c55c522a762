// SPDX-License-Identifier: Apache-2.0
//
// Stand-alone programs for OpenCL: for a kernel, and for a product by CLBlast's C interface.
#include <string>
#include <vector>

#include "backends/opencl/embedded.hpp"
#include "backends/reproducers.hpp"

namespace halfmark::backends::opencl {
namespace {

// The start of both programs: the device whose name contains the argument, a context and a queue.
constexpr const char* kOpen =
    R"(  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; cl_uint found = 0, count = 0, i = 0; cl_int e; char name[256];
  for (clGetPlatformIDs(16, platforms, &found); found-- > 0;)
    for (i = clGetDeviceIDs(platforms[found], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "@device@")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e); cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);)";

constexpr const char* kLaunch =
    R"(kernel = clCreateKernel(program, "@entry@", &e), @arguments@;
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){@items@}, (size_t[]){@group@}, 0, 0, 0);)";

constexpr const char* kMultiply =
    R"(e = @compute@@variant@(CLBlastLayoutColMajor, @first.operation@, @second.operation@, @m@, @n@, @k@, @alpha@,
      at[@first@], @first.offset@, @first.ld@@first.step@, at[@second@], @second.offset@, @second.ld@@second.step@, @beta@,
      at[@d@], @d.offset@, @d.ld@@d.step@@batch.step@, &queue, 0);)";

const Words& words() {
  static const Words all = {
      {"open", kOpen},
      {"place",
       "at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, "
       "&e)"},
      {"create", "at[i] = clCreateBuffer(context, 0, tensors[i].size@guard@, 0, &e)"},
      {"write",
       "clEnqueueWriteBuffer(queue, at[i], CL_TRUE, 0, tensors[i].size@guard@, tensors[i].data, 0, "
       "0, 0)"},
      {"read", "clEnqueueReadBuffer(queue, at[@result.at@], CL_TRUE, 0, @bytes@, @into@, 0, 0, 0)"},
      {"launch", kLaunch},
      {"argument.tensor", "clSetKernelArg(kernel, @number@, sizeof *at, &at[@tensor@])"},
      {"argument.int", "clSetKernelArg(kernel, @number@, 4, (cl_int[]){@value@})"},
      {"argument.unsigned", "clSetKernelArg(kernel, @number@, 4, (cl_uint[]){@value@})"},
      {"argument.float", "clSetKernelArg(kernel, @number@, 4, (cl_float[]){@value@})"},
      {"operate", kMultiply},
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
