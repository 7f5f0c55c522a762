// loss_scaled_backward.portable.b3i5h19o7.scale65536.lone.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
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
static unsigned short x[15] = {0x3c00}, w1h[95] = {0x2100, 0xad90, 0x35c3, 0x3592, 0x3803, 0xae80, 0x3574, 0x3bee, 0x3818, 0x36b8, 0xb1e0, 0xb05d, 0x370c, 0xb4d3, 0x3bb6, 0xad80, 0x2ddd, 0xaebb, 0x3937, 0xb418, 0xae00, 0x3454, 0x37d6, 0xb937, 0x3859, 0x2f20, 0xb0eb, 0xb9b0, 0xb1b3, 0xb052, 0xb230, 0xbbf4, 0xb8a3, 0xb832,
    0xb97e, 0xa940, 0x352f, 0x3a57, 0xafbb, 0x2d36, 0x3250, 0x3481, 0xb904, 0x3545, 0x38a4, 0x32e0, 0xb998, 0xb6d7, 0x3429, 0xbace, 0x2500, 0x3a02, 0x29de, 0xb2f5, 0x312f, 0x4400, 0x372a, 0x31df, 0xb730, 0x2fdf, 0x30c0, 0x39be, 0xb22f, 0x381e, 0x2a95, 0xb2d0, 0x2fae, 0x39f9,
    0xb577, 0xb535, 0xb1e0, 0x37e3, 0xb59c, 0x3448, 0x3cb3, 0xade0, 0xb0b3, 0xb55b, 0x393f, 0x3000, 0x30d0, 0x3ac1, 0xb880, 0xa50f, 0x36e8, 0x3350, 0x313e, 0xb6cd, 0xb185, 0xbc0d, 0xa840, 0xb58e, 0xb6d7, 0xb6c7, 0x2db4}, h[57];
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
  const unsigned short got = h[22]; printf("expected %04x, got %04x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
