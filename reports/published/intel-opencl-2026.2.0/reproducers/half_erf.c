// erf of half at infinity, by the OpenCL driver that the loader finds first (Intel OpenCL 2026.2.0)
// Rule: OpenCL C 1.2, 7.5.1 with ISO C99 F.9.5.1: erf of an infinity is exactly 1 with its sign
// cc -DCL_TARGET_OPENCL_VERSION=120 half_erf.c -lOpenCL && ./a.out; exit code 1: results differ; 0: the driver is right
#include <CL/cl.h>
#include <stdio.h>
static const char* kText =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "__kernel void k(__global const ushort* x, __global ushort* y) {\n"
    "  size_t i = get_global_id(0);\n"
    "  y[i] = as_ushort(erf(as_half(x[i])));\n"
    "}\n";
int main(void) {
  const cl_ushort x[6] = {0x7c00, 0xfc00, 0x7bff, 0x4400, 0x4200, 0x3c00};
  const cl_ushort expected[6] = {0x3c00, 0xbc00, 0x3c00, 0x3c00, 0x3c00, 0x3abe};
  cl_ushort y[6] = {0};
  cl_platform_id platform; cl_device_id device; cl_int e = 0; char name[200] = "", version[200] = "";
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) return puts("no device"), 2;
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &kText, NULL, &e);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL)) return puts("the program does not compile: no half?"), 2;
  cl_kernel kernel = clCreateKernel(program, "k", &e);
  cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, (void*)x, &e), out = clCreateBuffer(context, 0, sizeof y, NULL, &e);
  clSetKernelArg(kernel, 0, sizeof in, &in), clSetKernelArg(kernel, 1, sizeof out, &out);
  const size_t items = 6;
  e = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) || clEnqueueReadBuffer(queue, out, 1, 0, sizeof y, y, 0, NULL, NULL);
  printf("%s, driver %s\n", name, version);
  for (int i = 0; i < 6; ++i) printf("erf(%04x): expected %04x, got %04x\n", x[i], expected[i], y[i]);
  return e ? 2 : y[0] != expected[0] || y[1] != expected[1];
}
