// loss_scaled_backward.portable.b3i5h19o7.scale65536.tail.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: a non-finite gradient is seen wherever it is, the weights stay, and the scale backs off [Halfmark kernel specification, reference/operators/loss_scaled_backward.hpp, steps 0 to 12; IEEE 754-2019, 5.4.1; OpenCL C 1.2, 6.1.1.1: conversions of half are exact to float and correctly rounded from it]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: the device is right
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source = "#pragma OPENCL FP_CONTRACT OFF\n" TEXT(
__kernel void gemm(__global const ushort* a, __global const ushort* b, __global const ushort* c, __global ushort* d, int m, int n, int k, int a_row, int a_column, int a_batch, int b_row, int b_column, int b_batch, int c_row, int c_batch, int d_row, int d_batch, int scaled, float
  alpha, float beta, int a_start, int b_start, int c_start, int d_start) { __local float a_tile[16 * 16]; __local float b_tile[16 * 16]; int x = (int)get_local_id(0); int y = (int)get_local_id(1); int tiles = (n + 16 - 1) / 16; int batch = (int)get_group_id(0) / tiles;
  int column = ((int)get_group_id(0) - batch * tiles) * 16 + x; int row = (int)get_group_id(1) * 16 + y; int a_first = a_start + batch * a_batch; int b_first = b_start + batch * b_batch; int inside = row < m && column < n; float acc = 0.0f;
  for (int start = 0; start < k; start += 16) { int depth = k - start < 16 ? k - start : 16; float from_a = 0.0f; float from_b = 0.0f; if (row < m && x < depth) from_a = vload_half(a_first + row * a_row + (start + x) * a_column, (__global const half*)a);
  if (column < n && y < depth) from_b = vload_half(b_first + (start + y) * b_row + column * b_column, (__global const half*)b); a_tile[y * 16 + x] = from_a; b_tile[y * 16 + x] = from_b; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); for (int t = 0; t < depth; t += 1) {
  acc = fma(a_tile[y * 16 + t], b_tile[t * 16 + x], acc); } barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); } if (inside) { float value = acc; if (scaled != 0) { value = alpha * value; int from = c_start + batch * c_batch + row * c_row + column;
  if (beta != 0.0f) value = fma(beta, vload_half(from, (__global const half*)c), value); } vstore_half_rte(value, d_start + batch * d_batch + row * d_row + column, (__global half*)d); } });
static unsigned short x[15] = {0x3c00}, w1h[95] = {0x30a0, 0xb47f, 0x3763, 0x3410, 0x351e, 0x9e00, 0x3174, 0x39b5, 0xabcf, 0x3ccf, 0x3130, 0x3328, 0x33c1, 0x384c, 0xb7f6, 0xb0f0, 0xb4f0, 0xb03d, 0xb19d, 0x38e1, 0x2e60, 0x3871, 0xb396, 0xb568, 0xb399, 0xa980, 0x3a48, 0x3ca5, 0x2e37, 0x304d, 0x2c20, 0xbb5b, 0x2d5c, 0xb061,
    0xb107, 0xb130, 0xb061, 0xb7d9, 0x3a62, 0xb91a, 0x30a0, 0x3825, 0x3508, 0xad53, 0xb1cb, 0x2f20, 0xa8a3, 0xad29, 0xac47, 0xaeef, 0x3260, 0xb033, 0xb3dd, 0x2d21, 0x388a, 0x2f40, 0xb6e4, 0x3763, 0x9ff3, 0x3854, 0xa500, 0xbaff, 0xb6d7, 0x2fbc, 0x2e4b, 0xb390, 0xb459, 0x3a23,
    0xb7d2, 0xb99b, 0xb230, 0x2eec, 0x2d8a, 0x38da, 0xbae7, 0x2e40, 0xa667, 0x38e2, 0xb9cb, 0xb4d0, 0x3300, 0xa157, 0xb1ed, 0xaf7f, 0xb878, 0xb310, 0xb3cd, 0xb41b, 0x2cab, 0x389c, 0x4400, 0xb084, 0x2d84, 0x316e, 0x32ae}, h[57];
static const struct { void* data; unsigned size; } tensors[] = {{x, sizeof x}, {w1h, sizeof w1h}, {h, sizeof h}};
static const unsigned short expected = 0x0000;
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; cl_uint found = 0, count = 0, i = 0; cl_int e; char name[256];
  for (clGetPlatformIDs(16, platforms, &found); found-- > 0;)
    for (i = clGetDeviceIDs(platforms[found], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e); cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e); cl_kernel kernel; cl_mem at[3];
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  memset(h, 0xff, sizeof h);  // the kernel must overwrite all of it
  for (i = 0; i < 3; ++i) at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, &e);
  kernel = clCreateKernel(program, "gemm", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[0]), clSetKernelArg(kernel, 1, sizeof *at, &at[1]), clSetKernelArg(kernel, 2, sizeof *at, &at[2]), clSetKernelArg(kernel, 3, sizeof *at, &at[2]), clSetKernelArg(kernel, 4, 4, (cl_int[]){3}),
    clSetKernelArg(kernel, 5, 4, (cl_int[]){19}), clSetKernelArg(kernel, 6, 4, (cl_int[]){5}), clSetKernelArg(kernel, 7, 4, (cl_int[]){5}), clSetKernelArg(kernel, 8, 4, (cl_int[]){1}), clSetKernelArg(kernel, 9, 4, (cl_int[]){0}), clSetKernelArg(kernel, 10, 4, (cl_int[]){1}),
    clSetKernelArg(kernel, 11, 4, (cl_int[]){5}), clSetKernelArg(kernel, 12, 4, (cl_int[]){0}), clSetKernelArg(kernel, 13, 4, (cl_int[]){0}), clSetKernelArg(kernel, 14, 4, (cl_int[]){0}), clSetKernelArg(kernel, 15, 4, (cl_int[]){19}), clSetKernelArg(kernel, 16, 4, (cl_int[]){0}),
    clSetKernelArg(kernel, 17, 4, (cl_int[]){0}), clSetKernelArg(kernel, 18, 4, (cl_float[]){0x0p+0f}), clSetKernelArg(kernel, 19, 4, (cl_float[]){0x0p+0f}), clSetKernelArg(kernel, 20, 4, (cl_int[]){0}), clSetKernelArg(kernel, 21, 4, (cl_int[]){0}),
    clSetKernelArg(kernel, 22, 4, (cl_int[]){0}), clSetKernelArg(kernel, 23, 4, (cl_int[]){0});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){32, 16, 1}, (size_t[]){16, 16, 1}, 0, 0, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[2], CL_TRUE, 0, sizeof h, h, 0, 0, 0);
  const unsigned short got = h[21]; printf("expected %04x, got %04x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
