// fma(half) rounds rare subnormal results wrongly
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
typedef unsigned short half_word;
static const char* source =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "__kernel void f(__global const ushort* a, __global const ushort* b, __global const ushort* c, __global ushort* d) {\n"
    "  size_t i = get_global_id(0);\n"
    "  d[i] = as_ushort(fma(as_half(a[i]), as_half(b[i]), as_half(c[i])));\n"
    "}\n";
#define COUNT 2
// Subnormal results, in units of 2^-24: just below 209.5, which rounds to 209; and 212, which is exact
static const half_word a[] = {0x1369, 0x1400}, b[] = {0x1727, 0x1400}, c[] = {0x00b7, 0x00d3}, expected[] = {0x00d1, 0x00e3};
int main(int argc, char** argv) {
  cl_platform_id platforms[16];
  cl_device_id devices[16], device = 0;
  cl_uint platform_count = 0, count = 0;
  cl_int e;
  char name[256];
  half_word got[COUNT], wrong = 0;
  size_t size = COUNT;
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (cl_uint i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && (argc < 2 || strstr(name, argv[1]))) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  cl_kernel kernel = clCreateKernel(program, "f", &e);
  cl_mem in_a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, (void*)a, &e);
  cl_mem in_b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof b, (void*)b, &e);
  cl_mem in_c = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof c, (void*)c, &e);
  cl_mem out = clCreateBuffer(context, 0, sizeof got, 0, &e);
  clSetKernelArg(kernel, 0, sizeof in_a, &in_a), clSetKernelArg(kernel, 1, sizeof in_b, &in_b), clSetKernelArg(kernel, 2, sizeof in_c, &in_c), clSetKernelArg(kernel, 3, sizeof out, &out);
  clEnqueueNDRangeKernel(queue, kernel, 1, 0, &size, 0, 0, 0, 0);
  if (clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, 0, 0)) return 2;
  for (size_t i = 0; i < size; ++i) wrong += got[i] != expected[i], printf("fma(%04x, %04x, %04x): expected %04x, got %04x\n", a[i], b[i], c[i], expected[i], got[i]);
  return wrong != 0;
}
