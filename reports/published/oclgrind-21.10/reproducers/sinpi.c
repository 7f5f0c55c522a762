// sinpi of an integer is not zero, and of a large one has no good bit: the product by pi is rounded before the sine.
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && oclgrind ./a.out; exit code 1: wrong results; 0: all right; 2: no such device
#include <CL/cl.h>
#include <stdio.h>

static const char* kText = "__kernel void f(__global const float* x, __global float* y) {"
                           "  int i = get_global_id(0); y[i] = sinpi(x[i]); }";

int main(void) {
  float x[4] = {1.0f, 2.0f, 1048577.0f, 0x1.000002p60f}, y[4];
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS) return 2;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) return 2;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &kText, NULL, NULL);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 2;
  cl_kernel kernel = clCreateKernel(program, "f", NULL);
  cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
  cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof y, NULL, NULL);
  clSetKernelArg(kernel, 0, sizeof a, &a);
  clSetKernelArg(kernel, 1, sizeof b, &b);
  const size_t count = 4;
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
  int wrong = 0;
  for (int i = 0; i < 4; ++i) {
    printf("sinpi(%.9g) = %a, right is 0\n", x[i], y[i]);
    wrong |= y[i] != 0;
  }
  return wrong;
}
