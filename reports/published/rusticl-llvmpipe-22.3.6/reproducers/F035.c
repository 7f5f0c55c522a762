// softmax.backward.fp32.out-fp32.portable.r16n129.special.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: every gradient has the bits of the specified sequence [Halfmark kernel specification, reference/operators/softmax.hpp: order, fused steps and roundings of every operation; IEEE 754-2019, 5.4.1 and 4.3.1 for each of them]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: the device is right
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source = "#pragma OPENCL FP_CONTRACT OFF\n" "#define HM_FN static inline __attribute__((always_inline))\n" TEXT(
HM_FN float hm_lanes_sum(__local float* lanes, int lane, float value) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); lanes[lane] = value;
  for (int stride = 64 / 2; stride > 0; stride /= 2) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (lane < stride) lanes[lane] = lanes[lane] + lanes[lane + stride]; }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); return lanes[0]; }
__kernel void softmax_backward(__global const float* y, __global const float* dy, __global float* dx, int width) {
  __local float lanes[64]; int lane = (int)get_local_id(0); int start = (int)get_group_id(0) * width; float sum = 0.0f;
  for (int i = lane; i < width; i += 64) { sum = fma(dy[start + i], y[start + i], sum); }
  sum = hm_lanes_sum(lanes, lane, sum); for (int i = lane; i < width; i += 64) {
  float difference = (dy[start + i]) - sum; dx[start + i] = (y[start + i]) * difference; } });
static unsigned y[7] = {[6] = 0x3f800000}, dy[7] = {[6] = 0x00400000}, dx[7];
static const struct { void* data; unsigned size; } tensors[] = {{y, sizeof y}, {dy, sizeof dy}, {dx, sizeof dx}};
static const unsigned expected = 0x00000000;
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; cl_uint found = 0, count = 0, i = 0; cl_int e; char name[256];
  for (clGetPlatformIDs(16, platforms, &found); found-- > 0;)
    for (i = clGetDeviceIDs(platforms[found], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e); cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e); cl_kernel kernel; cl_mem at[3];
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  memset(dx, 0xff, sizeof dx);  // the kernel must overwrite all of it
  for (i = 0; i < 3; ++i) at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, &e);
  kernel = clCreateKernel(program, "softmax_backward", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[0]), clSetKernelArg(kernel, 1, sizeof *at, &at[1]),
    clSetKernelArg(kernel, 2, sizeof *at, &at[2]), clSetKernelArg(kernel, 3, 4, (cl_int[]){1});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){448, 1, 1}, (size_t[]){64, 1, 1}, 0, 0, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[2], CL_TRUE, 0, sizeof dx, dx, 0, 0, 0);
  const unsigned got = dx[6]; printf("expected %08x, got %08x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
