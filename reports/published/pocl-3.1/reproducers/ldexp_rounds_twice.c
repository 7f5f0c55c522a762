// ldexp rounds subnormal results more than once
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char* source =
    "__kernel void f(__global const float* x, __global const int* n, __global float* y) {\n"
    "  size_t i = get_global_id(0);\n"
    "  y[i] = ldexp(x[i], n[i]);\n"
    "}\n";
// 0x1.effffep-74 * 2^-72 = 15.49999952 * 2^-149; 0x1.000002p-86 * 2^-64 = 0.50000006 * 2^-149; 1.5 * 2^-149 is a tie
static const unsigned x[] = {0x1af7ffff, 0x14800001, 0x0ec00000};
static const int n[] = {-72, -64, -51};
static const unsigned expected[] = {0x0000000f, 0x00000001, 0x00000002};
int main(int argc, char** argv) {
  cl_platform_id platforms[16];
  cl_device_id devices[16], device = 0;
  cl_uint platform_count = 0, count = 0;
  cl_int e;
  char name[256];
  unsigned got[3], wrong = 0;
  size_t size = 3;
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (cl_uint i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "pthread")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  cl_kernel kernel = clCreateKernel(program, "f", &e);
  cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, (void*)x, &e), b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof n, (void*)n, &e);
  cl_mem out = clCreateBuffer(context, 0, sizeof got, 0, &e);
  clSetKernelArg(kernel, 0, sizeof a, &a), clSetKernelArg(kernel, 1, sizeof b, &b), clSetKernelArg(kernel, 2, sizeof out, &out);
  clEnqueueNDRangeKernel(queue, kernel, 1, 0, &size, 0, 0, 0, 0);
  if (clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, 0, 0)) return 2;
  for (size_t i = 0; i < size; ++i) wrong += got[i] != expected[i], printf("ldexp(%08x, %d): expected %08x, got %08x\n", x[i], n[i], expected[i], got[i]);
  return wrong != 0;
}
