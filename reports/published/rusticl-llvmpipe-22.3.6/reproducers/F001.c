// elementary.fp32.erfc.standard.opencl-c.portable.n4096.moderate.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: erfc(x) is within 16 ULP of the exact value [OpenCL C 1.2, 7.4 relative error as ULPs, single precision, full profile; the same in OpenCL C 3.0.19, 7.4]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: the device is right
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char* source =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define HM_VENDOR_ERFC(x) erfc((float)(x))\n"
    "__kernel void function_standard_erfc(__global const float* x, __global float* y, int n) { int i = 0; if (i < n) y[i] = HM_VENDOR_ERFC(x[i]); }\n";
static const unsigned x[] = {0x40ffb680};
static const unsigned expected = 0x0f8388c3; static unsigned got;  // allowed: 0x0f8388b3 to 0x0f8388d2
static const struct { const void* data; unsigned size; } operands[] = {{x, sizeof x}};
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
  cl_int last = 1;
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  cl_kernel kernel = clCreateKernel(program, "function_standard_erfc", &e);
  for (i = 0; i < sizeof operands / sizeof *operands; ++i)
    clSetKernelArg(kernel, i, sizeof(cl_mem), (cl_mem[]){clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, operands[i].size, (void*)operands[i].data, &e)});
  cl_mem d = clCreateBuffer(context, 0, sizeof got, 0, &e);
  clSetKernelArg(kernel, i, sizeof d, &d), clSetKernelArg(kernel, i + 1, sizeof last, &last);
  clEnqueueTask(queue, kernel, 0, 0, 0);
  e = clEnqueueReadBuffer(queue, d, CL_TRUE, 0, sizeof got, &got, 0, 0, 0);
  printf("expected %x, got %x, error %d\n", expected, got, e);
  return e ? 2 : (got & 0x80000000 ? -(int)(got & 0x7fffffff) : (int)got) < 260278451 || (got & 0x80000000 ? -(int)(got & 0x7fffffff) : (int)got) > 260278482;
}
