// loss_scaled_backward.fp8.portable.b3i5h19o7.scale2p120.tail.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: a non-finite gradient is seen wherever it is, the weights stay, and the scale backs off [Halfmark kernel specification, reference/operators/loss_scaled_backward.hpp, steps 0 to 12; IEEE 754-2019, 5.4.1; OpenCL C 1.2, 6.1.1.1: conversions of half are exact to float and correctly rounded from it]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: the device is right
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source = "#pragma OPENCL FP_CONTRACT OFF\n" "#define HM_FN static inline __attribute__((always_inline))\n" TEXT(
HM_FN float hm_load_3(__global const unsigned char* p, int i) { unsigned bits = (unsigned)p[i]; unsigned sign = (bits & 0x80u) << 24; unsigned size = bits & 0x7fu; if (size == 0x7fu) return as_float(sign | 0x7fc00000u); if (size >= 8u) return as_float(sign | ((size << 20) + (120u << 23))); return as_float(sign | as_uint((float)size * 0.001953125f)); }
__kernel void gemm(__global const unsigned char* a, __global const unsigned char* b, __global const float* c, __global float* d, int m, int n, int k, int a_row, int a_column, int a_batch, int b_row, int b_column, int b_batch, int c_row, int c_batch, int d_row, int d_batch, int scaled, float alpha,
  float beta, int a_start, int b_start, int c_start, int d_start) { __local float a_tile[16 * 16]; __local float b_tile[16 * 16]; int x = (int)get_local_id(0); int y = (int)get_local_id(1); int tiles = (n + 16 - 1) / 16; int batch = (int)get_group_id(0) / tiles;
  int column = ((int)get_group_id(0) - batch * tiles) * 16 + x; int row = (int)get_group_id(1) * 16 + y; int a_first = a_start + batch * a_batch; int b_first = b_start + batch * b_batch; int inside = row < m && column < n; float acc = 0.0f; for (int start = 0; start < k; start += 16) {
  int depth = k - start < 16 ? k - start : 16; float from_a = 0.0f; float from_b = 0.0f; if (row < m && x < depth) from_a = hm_load_3(a, a_first + row * a_row + (start + x) * a_column); if (column < n && y < depth) from_b = hm_load_3(b, b_first + (start + y) * b_row + column * b_column);
  a_tile[y * 16 + x] = from_a; b_tile[y * 16 + x] = from_b; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); for (int t = 0; t < depth; t += 1) { acc = fma(a_tile[y * 16 + t], b_tile[t * 16 + x], acc); } barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); } if (inside) { float value = acc;
  if (scaled != 0) { value = alpha * value; int from = c_start + batch * c_batch + row * c_row + column; if (beta != 0.0f) value = fma(beta, c[from], value); } d[d_start + batch * d_batch + row * d_row + column] = value; } });
static unsigned char x_fp8[15] = {0x7e}, w1h_fp8[95] = {0xdb, 0x6b, 0xe0, 0x5a, 0xe8, 0xce, 0xec, 0xe9, 0x57, 0xaa, 0x57, 0xe3, 0x69, 0xee, 0x62, 0xda, 0xe8, 0x70, 0xe5, 0x66, 0x43, 0xcb, 0x42, 0xd8, 0x6b, 0xd8, 0xd0, 0xed, 0x62, 0xc5, 0xdd, 0xe9, 0x5a, 0x6e, 0x6c, 0x5a, 0x5f, 0x68, 0xea, 0xdf, 0x54, 0x68, 0x5c, 0xe0, 0xe4, 0xc2, 0xb3, 0x4e, 0x64,
    0xdd, 0x59, 0x6a, 0x6b, 0xd1, 0xe8, 0x58, 0xd7, 0xe9, 0xd3, 0x64, 0xc1, 0xd5, 0xed, 0x6a, 0x57, 0x5e, 0x67, 0xc0, 0xea, 0x6d, 0x5c, 0x70, 0xe6, 0x4a, 0x5a, 0xd6, 0x47, 0xdd, 0xe1, 0x6b, 0x50, 0xe0, 0xe9, 0x62, 0xb9, 0xc2, 0xd9, 0xeb, 0xeb, 0xe1, 0x7e, 0xee, 0x71, 0xef, 0x51};
static unsigned ab_sums[57];
static const struct { void* data; unsigned size; } tensors[] = {{x_fp8, sizeof x_fp8}, {w1h_fp8, sizeof w1h_fp8}, {ab_sums, sizeof ab_sums}};
static const unsigned expected = 0x00000000;
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; cl_uint found = 0, count = 0, i = 0; cl_int e; char name[256];
  for (clGetPlatformIDs(16, platforms, &found); found-- > 0;)
    for (i = clGetDeviceIDs(platforms[found], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e); cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e); cl_kernel kernel; cl_mem at[3];
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  memset(ab_sums, 0xff, sizeof ab_sums);  // the kernel must overwrite all of it
  for (i = 0; i < 3; ++i) at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, &e);
  kernel = clCreateKernel(program, "gemm", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[0]), clSetKernelArg(kernel, 1, sizeof *at, &at[1]), clSetKernelArg(kernel, 2, sizeof *at, &at[2]), clSetKernelArg(kernel, 3, sizeof *at, &at[2]), clSetKernelArg(kernel, 4, 4, (cl_int[]){3}), clSetKernelArg(kernel, 5, 4, (cl_int[]){19}),
    clSetKernelArg(kernel, 6, 4, (cl_int[]){5}), clSetKernelArg(kernel, 7, 4, (cl_int[]){5}), clSetKernelArg(kernel, 8, 4, (cl_int[]){1}), clSetKernelArg(kernel, 9, 4, (cl_int[]){0}), clSetKernelArg(kernel, 10, 4, (cl_int[]){1}), clSetKernelArg(kernel, 11, 4, (cl_int[]){5}),
    clSetKernelArg(kernel, 12, 4, (cl_int[]){0}), clSetKernelArg(kernel, 13, 4, (cl_int[]){0}), clSetKernelArg(kernel, 14, 4, (cl_int[]){0}), clSetKernelArg(kernel, 15, 4, (cl_int[]){19}), clSetKernelArg(kernel, 16, 4, (cl_int[]){0}), clSetKernelArg(kernel, 17, 4, (cl_int[]){0}),
    clSetKernelArg(kernel, 18, 4, (cl_float[]){0x0p+0f}), clSetKernelArg(kernel, 19, 4, (cl_float[]){0x0p+0f}), clSetKernelArg(kernel, 20, 4, (cl_int[]){0}), clSetKernelArg(kernel, 21, 4, (cl_int[]){0}), clSetKernelArg(kernel, 22, 4, (cl_int[]){0}), clSetKernelArg(kernel, 23, 4, (cl_int[]){0});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){32, 16, 1}, (size_t[]){16, 16, 1}, 0, 0, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[2], CL_TRUE, 0, sizeof ab_sums, ab_sums, 0, 0, 0);
  const unsigned got = ab_sums[19]; printf("expected %08x, got %08x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
