// Two threads, each with a context, a queue and a kernel of its own, add to numbers of their own, which come out wrong.
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL -lpthread && oclgrind ./a.out [DEVICE]; exit code 1: wrong results; 0: all right; 2: no such device
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static const char* source = "__kernel void f(__global float* x) { for (int i = 0; i < 16; ++i) x[get_global_id(0)] += 1; }";
static const float expected = 3200;  // 200 launches of 16 additions of 1
static cl_device_id device;
static void* work(void* wrong) {
  cl_int e;
  float x[64] = {0};
  const size_t count = sizeof x / sizeof *x;
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  cl_kernel kernel = clBuildProgram(program, 1, &device, "", 0, 0) ? NULL : clCreateKernel(program, "f", &e);
  cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, &e);
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
  for (int i = 0; i < 200; ++i) clEnqueueNDRangeKernel(queue, kernel, 1, 0, &count, 0, 0, 0, 0);
  e = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof x, x, 0, 0, 0);
  for (size_t i = 0; i < count; ++i) *(int*)wrong += x[i] != expected;
  return printf("expected %g, got %g, error %d; %d wrong\n", expected, x[0], e, *(int*)wrong), NULL;
}
int main(int argc, char** argv) {
  cl_platform_id platforms[16];
  cl_device_id devices[16];
  cl_uint platform_count = 0, count = 0;
  char name[256]; pthread_t threads[2];
  int wrong[2] = {0};
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (cl_uint i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "Oclgrind"))
        device = devices[i];
  if (!device) return puts("no such device"), 2;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, &wrong[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return wrong[0] + wrong[1] != 0;
}
