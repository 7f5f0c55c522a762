// a kernel inverts a bound if an earlier kernel of the same program compares its index with 0
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char* sources[] = {
    "#define INDEX ((int)get_group_id(0) * (int)get_local_size(0) + (int)get_local_id(0))\n",
    "__kernel void other(__global int* x) { if (INDEX == 0) x[0] = 2; }\n",
    "__kernel void mark(__global int* x, int count) { int i = get_global_id(0); if (i < count) x[i] = 1; }\n",
};
#define ITEMS 16
static const cl_int marked = 4;
// `mark` alone, and behind a kernel that is never launched
static int wrong_results(cl_context context, cl_device_id device, int alone) {
  cl_int e, got[ITEMS] = {0}, wrong = 0;
  const char* text[] = {sources[0], alone ? "" : sources[1], sources[2]};
  size_t items = ITEMS;
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 3, text, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no build"), -1;
  cl_kernel kernel = clCreateKernel(program, "mark", &e);
  cl_mem out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof got, got, &e);
  clSetKernelArg(kernel, 0, sizeof out, &out), clSetKernelArg(kernel, 1, sizeof marked, &marked);
  clEnqueueNDRangeKernel(queue, kernel, 1, 0, &items, 0, 0, 0, 0);
  if (clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, 0, 0)) return -1;
  printf("%s: expected 1111000000000000, got ", alone ? "alone" : "behind another kernel");
  for (cl_int i = 0; i < ITEMS; ++i) wrong += got[i] != (i < marked), printf("%d", got[i]);
  return puts(""), wrong;
}
int main(int argc, char** argv) {
  cl_platform_id platforms[16];
  cl_device_id devices[16], device = 0;
  cl_uint platform_count = 0, count = 0;
  cl_int e;
  char name[256];
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (cl_uint i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && (argc < 2 || strstr(name, argv[1]))) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  if (e) return puts("no device"), 2;
  int alone = wrong_results(context, device, 1), behind = wrong_results(context, device, 0);
  return alone < 0 || behind < 0 ? 2 : alone + behind > 0;
}
