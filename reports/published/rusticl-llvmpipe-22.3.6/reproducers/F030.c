// loss_scaled_backward.biases.portable.b3i5h19o7.scale65536.lone.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: a non-finite gradient is seen wherever it is, the weights stay, and the scale backs off [Halfmark kernel specification, reference/operators/loss_scaled_backward.hpp, steps 0 to 12; IEEE 754-2019, 5.4.1; OpenCL C 1.2, 6.1.1.1: conversions of half are exact to float and correctly rounded from it]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: the device is right
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source = "#pragma OPENCL FP_CONTRACT OFF\n" TEXT(
__kernel void gemm(__global const ushort* a, __global const ushort* b, __global const float* c, __global float* d, int m, int n, int k, int a_row, int a_column, int a_batch, int b_row, int b_column, int b_batch, int c_row, int c_batch, int d_row, int d_batch, int scaled, float alpha, float beta,
  int a_start, int b_start, int c_start, int d_start) { __local float a_tile[16 * 16]; __local float b_tile[16 * 16]; int x = (int)get_local_id(0); int y = (int)get_local_id(1); int tiles = (n + 16 - 1) / 16; int batch = (int)get_group_id(0) / tiles;
  int column = ((int)get_group_id(0) - batch * tiles) * 16 + x; int row = (int)get_group_id(1) * 16 + y; int a_first = a_start + batch * a_batch; int b_first = b_start + batch * b_batch; int inside = row < m && column < n; float acc = 0.0f; for (int start = 0; start < k; start += 16) {
  int depth = k - start < 16 ? k - start : 16; float from_a = 0.0f; float from_b = 0.0f; if (row < m && x < depth) from_a = vload_half(a_first + row * a_row + (start + x) * a_column, (__global const half*)a);
  if (column < n && y < depth) from_b = vload_half(b_first + (start + y) * b_row + column * b_column, (__global const half*)b); a_tile[y * 16 + x] = from_a; b_tile[y * 16 + x] = from_b; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); for (int t = 0; t < depth; t += 1) {
  acc = fma(a_tile[y * 16 + t], b_tile[t * 16 + x], acc); } barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); } if (inside) { float value = acc; if (scaled != 0) { value = alpha * value; int from = c_start + batch * c_batch + row * c_row + column;
  if (beta != 0.0f) value = fma(beta, c[from], value); } d[d_start + batch * d_batch + row * d_row + column] = value; } });
static unsigned short x[15] = {0x3c00}, w1h[95] = {0x2f40, 0xb996, 0x2afa, 0xb3e1, 0x3afd, 0xb3a0, 0xb51a, 0xa420, 0xb0a8, 0x30d3, 0x4400, 0xaa7a, 0x3622, 0x3547, 0x38b9, 0xb0d0, 0x2f13, 0x3623, 0xb230, 0xb804, 0xb160, 0xb754, 0x3024, 0xbc9d, 0x393d, 0xa300, 0x2d99, 0x35d5, 0x3298, 0xb719, 0x2d00, 0xb1e8, 0xb2ab, 0x37ea, 0x350b, 0x2c40, 0x31bd,
    0xa5c1, 0x3629, 0xb810, 0x2f00, 0x3341, 0x35e0, 0xa6d9, 0x3474, 0xb2b0, 0x3943, 0x3ccc, 0xb1ec, 0x3141, 0x31a0, 0xb07c, 0x34ff, 0xba81, 0xb81d, 0xb370, 0x364d, 0xbc52, 0xaf11, 0x3896, 0x3250, 0xac51, 0xbd24, 0xb628, 0xb78f, 0xb0f0, 0x39ac, 0x3668, 0xa8df, 0xa790, 0xaa80, 0x36cb, 0xaffb, 0xb0cf,
    0x3528, 0x2e80, 0x391b, 0xaff5, 0xb83f, 0xb1cb, 0xad40, 0xae86, 0x2e5d, 0x3a85, 0x2b63, 0xb070, 0xb484, 0xba0d, 0xb718, 0xb071, 0xb1d0, 0x2c5d, 0x3d89, 0xa27f, 0x36bf};
static unsigned acc[57];
static const struct { void* data; unsigned size; } tensors[] = {{x, sizeof x}, {w1h, sizeof w1h}, {acc, sizeof acc}};
static const unsigned expected = 0x00000000;
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; cl_uint found = 0, count = 0, i = 0; cl_int e; char name[256];
  for (clGetPlatformIDs(16, platforms, &found); found-- > 0;)
    for (i = clGetDeviceIDs(platforms[found], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e); cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e); cl_kernel kernel; cl_mem at[3];
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  memset(acc, 0xff, sizeof acc);  // the kernel must overwrite all of it
  for (i = 0; i < 3; ++i) at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, &e);
  kernel = clCreateKernel(program, "gemm", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[0]), clSetKernelArg(kernel, 1, sizeof *at, &at[1]), clSetKernelArg(kernel, 2, sizeof *at, &at[2]), clSetKernelArg(kernel, 3, sizeof *at, &at[2]), clSetKernelArg(kernel, 4, 4, (cl_int[]){3}), clSetKernelArg(kernel, 5, 4, (cl_int[]){19}),
    clSetKernelArg(kernel, 6, 4, (cl_int[]){5}), clSetKernelArg(kernel, 7, 4, (cl_int[]){5}), clSetKernelArg(kernel, 8, 4, (cl_int[]){1}), clSetKernelArg(kernel, 9, 4, (cl_int[]){0}), clSetKernelArg(kernel, 10, 4, (cl_int[]){1}), clSetKernelArg(kernel, 11, 4, (cl_int[]){5}),
    clSetKernelArg(kernel, 12, 4, (cl_int[]){0}), clSetKernelArg(kernel, 13, 4, (cl_int[]){0}), clSetKernelArg(kernel, 14, 4, (cl_int[]){0}), clSetKernelArg(kernel, 15, 4, (cl_int[]){19}), clSetKernelArg(kernel, 16, 4, (cl_int[]){0}), clSetKernelArg(kernel, 17, 4, (cl_int[]){0}),
    clSetKernelArg(kernel, 18, 4, (cl_float[]){0x0p+0f}), clSetKernelArg(kernel, 19, 4, (cl_float[]){0x0p+0f}), clSetKernelArg(kernel, 20, 4, (cl_int[]){0}), clSetKernelArg(kernel, 21, 4, (cl_int[]){0}), clSetKernelArg(kernel, 22, 4, (cl_int[]){0}), clSetKernelArg(kernel, 23, 4, (cl_int[]){0});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){32, 16, 1}, (size_t[]){16, 16, 1}, 0, 0, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[2], CL_TRUE, 0, sizeof acc, acc, 0, 0, 0);
  const unsigned got = acc[22]; printf("expected %08x, got %08x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
