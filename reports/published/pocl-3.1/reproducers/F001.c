// elementary.fp32.tanh.standard.opencl-c.portable.n8.edges.s1 on pthread-skylake-avx512-AMD EPYC (Portable Computing Language 3.1+debian)
// Rule: tanh(x) of a zero or an infinity is the exact value, where that is a number or infinite, of a NaN NaN [OpenCL C 1.2, 7.5 edge case behavior: as ISO/IEC 9899:1999 TC2, F.9]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: the device is right
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source = "#pragma OPENCL FP_CONTRACT OFF\n" TEXT(
__kernel void function_standard_tanh(__global const float* x, __global float* y, int n) {
  int i = (int)get_group_id(0) * (int)get_local_size(0) + (int)get_local_id(0);
  if (i < n) y[i] = tanh(x[i]);
});
static unsigned x[1] = {0x7f800000}, y[1];
static const struct { void* data; unsigned size; } tensors[] = {{x, sizeof x}, {y, sizeof y}};
static const unsigned expected = 0x3f800000;
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; cl_uint found = 0, count = 0, i = 0; cl_int e; char name[256];
  for (clGetPlatformIDs(16, platforms, &found); found-- > 0;)
    for (i = clGetDeviceIDs(platforms[found], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "pthread")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e); cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e); cl_kernel kernel; cl_mem at[2];
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt", 0, 0)) return puts("no device or no build"), 2;
  for (i = 0; i < 2; ++i) at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, &e);
  kernel = clCreateKernel(program, "function_standard_tanh", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[0]), clSetKernelArg(kernel, 1, sizeof *at, &at[1]),
    clSetKernelArg(kernel, 2, 4, (cl_int[]){1});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){1, 1, 1}, (size_t[]){1, 1, 1}, 0, 0, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[1], CL_TRUE, 0, sizeof y, y, 0, 0, 0);
  const unsigned got = y[0]; printf("expected %08x, got %08x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
