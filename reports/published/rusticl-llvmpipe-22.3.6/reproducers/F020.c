// gemm.fp32.acc-fp32.out-fp32.portable.nt.m17n33k65.plain.permutation.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: each output is one product, stored with one rounding [IEEE 754-2019, 5.4.1 and 4.3.1: each operation returns the exact result whenever it is representable]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: one chain alone is right, so the failure needs the whole kernel
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char* source =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define HM_FMA(a, b, c) fma((float)(a), (float)(b), (float)(c))\n"
    "__kernel void chain(__global const float* a, __global const float* b, __global float* d, int n) { float sum = 0.0f; for (int x = 0; x < n; x += 1) sum = HM_FMA(a[x], b[x], sum); d[0] = sum; }\n";
static const unsigned a[] = {0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00400000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000}, b[] = {0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x3f800000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000};
static const unsigned expected = 0x00400000; static unsigned got;
static const struct { const void* data; unsigned size; } operands[] = {{a, sizeof a}, {b, sizeof b}};
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; char name[256];
  cl_uint platform_count = 0, count = 0, i = 0; cl_int e;
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) &&
          strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_int last = 59;
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  cl_kernel kernel = clCreateKernel(program, "chain", &e);
  for (i = 0; i < sizeof operands / sizeof *operands; ++i)
    clSetKernelArg(kernel, i, sizeof(cl_mem), (cl_mem[]){clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, operands[i].size, (void*)operands[i].data, &e)});
  cl_mem d = clCreateBuffer(context, 0, sizeof got, 0, &e);
  clSetKernelArg(kernel, i, sizeof d, &d), clSetKernelArg(kernel, i + 1, sizeof last, &last);
  clEnqueueTask(queue, kernel, 0, 0, 0);
  e = clEnqueueReadBuffer(queue, d, CL_TRUE, 0, sizeof got, &got, 0, 0, 0);
  printf("expected %x, got %x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
