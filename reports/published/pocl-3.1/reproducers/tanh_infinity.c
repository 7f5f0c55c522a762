// tanh(+-infinity) is not +-1 but the number next to it
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char* source =
    "__kernel void f(__global const float* x, __global float* y) {\n"
    "  size_t i = get_global_id(0);\n"
    "  y[i] = tanh(x[i]);\n"
    "}\n";
// infinity, -infinity; then numbers: 8.2, 8.5, 9.1, 20, whose errors the bound of 5 ULP allows
static const unsigned x[] = {0x7f800000, 0xff800000, 0x41033333, 0x41080000, 0x4111999a, 0x41a00000};
static const unsigned expected[] = {0x3f800000, 0xbf800000, 0x3f7ffffb, 0x3f7ffffd, 0x3f800000, 0x3f800000};
int main(int argc, char** argv) {
  cl_platform_id platforms[16];
  cl_device_id devices[16], device = 0;
  cl_uint platform_count = 0, count = 0;
  cl_int e;
  char name[256];
  unsigned got[6];
  size_t n = 6;
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (cl_uint i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "pthread"))
        device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  cl_kernel kernel = clCreateKernel(program, "f", &e);
  cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, (void*)x, &e), out = clCreateBuffer(context, 0, sizeof got, 0, &e);
  clSetKernelArg(kernel, 0, sizeof in, &in), clSetKernelArg(kernel, 1, sizeof out, &out);
  clEnqueueNDRangeKernel(queue, kernel, 1, 0, &n, 0, 0, 0, 0);
  if (clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, 0, 0)) return 2;
  for (size_t i = 0; i < n; ++i) printf("tanh %08x: exact value rounds to %08x, got %08x\n", x[i], expected[i], got[i]);
  return got[0] != expected[0] || got[1] != expected[1];
}
