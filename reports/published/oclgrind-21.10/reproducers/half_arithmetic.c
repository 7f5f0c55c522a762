// A kernel with fp16 arithmetic compiles, is abandoned when it runs, and the queue says that all went well.
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && oclgrind ./a.out [DEVICE]; exit code 1: wrong result, no error; 0: refused; 2: no such device
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char* source =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "__kernel void f(__global const ushort* a, __global const ushort* b, __global ushort* d) {\n"
    "  d[0] = as_ushort((half)(as_half(a[0]) + as_half(b[0])));\n"
    "}\n";
static const unsigned short a = 0x3c00, b = 0x3e00, expected = 0x4100;  // 1 + 1.5 = 2.5
int main(int argc, char** argv) {
  cl_platform_id platforms[16];
  cl_device_id devices[16], device = 0;
  cl_uint platform_count = 0, count = 0;
  cl_int e;
  char name[256], extensions[4096];
  unsigned short got = 0;
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (cl_uint i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "Oclgrind"))
        device = devices[i];
  if (!device) return puts("no such device"), 2;
  clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, 0);
  printf("cl_khr_fp16 is %sreported\n", strstr(extensions, "cl_khr_fp16") ? "" : "not ");
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("refused, as it should be"), 0;
  cl_kernel kernel = clCreateKernel(program, "f", &e);
  cl_mem in[] = {clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 2, (void*)&a, &e), clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 2, (void*)&b, &e), clCreateBuffer(context, 0, 2, 0, &e)};
  for (cl_uint i = 0; i < 3; ++i) clSetKernelArg(kernel, i, sizeof *in, &in[i]);
  puts("it compiles; now it runs"), fflush(stdout);
  clEnqueueTask(queue, kernel, 0, 0, 0);
  e = clEnqueueReadBuffer(queue, in[2], CL_TRUE, 0, 2, &got, 0, 0, 0);
  printf("expected %x, got %x, error %d\n", expected, got, e);
  return e ? 0 : got != expected;
}
