// @title@
// Rule: @rule@
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char* source =
@kernel@;
@operands@
int main(int argc, char** argv) {
  cl_platform_id platforms[16];
  cl_device_id devices[16], device = 0;
  cl_uint platform_count = 0, count = 0;
  cl_int e;
  char name[256];
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (cl_uint i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) &&
          strstr(name, argc > 1 ? argv[1] : "@device@")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "@options@", 0, 0)) return puts("no device or no build"), 2;
  cl_kernel kernel = clCreateKernel(program, "@entry@", &e);
  cl_mem d = clCreateBuffer(context, 0, sizeof got, 0, &e);
@arguments@
  clEnqueueTask(queue, kernel, 0, 0, 0);
  e = clEnqueueReadBuffer(queue, d, CL_TRUE, 0, sizeof got, &got, 0, 0, 0);
  printf("expected %x, got %x, error %d\n", expected, got, e);
  return e ? 2 : @differs@;
}
