// loss_scaled_backward.bf16.portable.b3i5h19o7.scale2p120.tail.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: a non-finite gradient is seen wherever it is, the weights stay, and the scale backs off [Halfmark kernel specification, reference/operators/loss_scaled_backward.hpp, steps 0 to 12; IEEE 754-2019, 5.4.1; OpenCL C 1.2, 6.1.1.1: conversions of half are exact to float and correctly rounded from it]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: the device is right
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source = "#pragma OPENCL FP_CONTRACT OFF\n" "#define HM_FN static inline __attribute__((always_inline))\n" TEXT(
HM_FN unsigned hm_float_to_bf16(float value) { unsigned bits = as_uint(value); if ((bits & 0x7fffffffu) > 0x7f800000u) return (bits >> 16) | 0x40u; return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16; }
__kernel void gemm(__global const ushort* a, __global const ushort* b, __global const ushort* c, __global ushort* d, int m, int n, int k, int a_row, int a_column, int a_batch, int b_row, int b_column, int b_batch, int c_row, int c_batch, int d_row, int d_batch, int scaled, float alpha, float beta,
  int a_start, int b_start, int c_start, int d_start) { __local float a_tile[16 * 16]; __local float b_tile[16 * 16]; int x = (int)get_local_id(0); int y = (int)get_local_id(1); int tiles = (n + 16 - 1) / 16; int batch = (int)get_group_id(0) / tiles;
  int column = ((int)get_group_id(0) - batch * tiles) * 16 + x; int row = (int)get_group_id(1) * 16 + y; int a_first = a_start + batch * a_batch; int b_first = b_start + batch * b_batch; int inside = row < m && column < n; float acc = 0.0f; for (int start = 0; start < k; start += 16) {
  int depth = k - start < 16 ? k - start : 16; float from_a = 0.0f; float from_b = 0.0f; if (row < m && x < depth) from_a = as_float((unsigned)a[a_first + row * a_row + (start + x) * a_column] << 16);
  if (column < n && y < depth) from_b = as_float((unsigned)b[b_first + (start + y) * b_row + column * b_column] << 16); a_tile[y * 16 + x] = from_a; b_tile[y * 16 + x] = from_b; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); for (int t = 0; t < depth; t += 1) {
  acc = fma(a_tile[y * 16 + t], b_tile[t * 16 + x], acc); } barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); } if (inside) { float value = acc; if (scaled != 0) { value = alpha * value; int from = c_start + batch * c_batch + row * c_row + column;
  if (beta != 0.0f) value = fma(beta, as_float((unsigned)c[from] << 16), value); } d[d_start + batch * d_batch + row * d_row + column] = (ushort)hm_float_to_bf16(value); } });
static unsigned short x[15] = {0x3f80}, w1h[95] = {0xbdf0, 0x3f2e, 0xbe37, 0xbebb, 0x3d58, 0x3e06, 0x3eaa, 0x3ef9, 0x3f06, 0xbf09, 0xbe62, 0x3de3, 0xbddb, 0x3d65, 0x3ef6, 0x3e20, 0x3d87, 0x3c4d, 0x3f39, 0xbeba, 0x3e46, 0x3f5d, 0xbf09, 0x3e68, 0x3ebe, 0x3e22, 0xbf9e, 0x3e4e, 0xbf1a, 0xbf1d, 0x3d20, 0x3d2a, 0x3ed0, 0x3f1e, 0xbe42, 0x3d40, 0xbe4b,
    0xbeef, 0xbf15, 0x3f00, 0x3e40, 0x3e40, 0xbf55, 0xbe57, 0x3ea3, 0xbe4e, 0xbf16, 0xbe87, 0xbdb9, 0xbe00, 0xbe38, 0x3f40, 0xbe35, 0x3ee4, 0xbd8c, 0x3e5e, 0xbf17, 0x3ed0, 0xbe83, 0xbf7f, 0x3c40, 0x3f24, 0xbf5e, 0xbed8, 0x3f5c, 0x3e44, 0x3ecb, 0x3d4e, 0x3e10, 0x3e87, 0x3e04, 0x3e98, 0xbf4a, 0x3f84,
    0xbf0b, 0xbd38, 0xbec0, 0x3dfc, 0xbf05, 0xbea7, 0xbe60, 0xbe95, 0x3f40, 0x3e71, 0x3ec7, 0xbe3c, 0x3e70, 0xbf4a, 0xbf09, 0xbe10, 0x4080, 0xbf6c, 0xbeba, 0x3e98, 0x3f1c}, h[57];
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
  kernel = clCreateKernel(program, "gemm", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[0]), clSetKernelArg(kernel, 1, sizeof *at, &at[1]), clSetKernelArg(kernel, 2, sizeof *at, &at[2]), clSetKernelArg(kernel, 3, sizeof *at, &at[2]), clSetKernelArg(kernel, 4, 4, (cl_int[]){3}), clSetKernelArg(kernel, 5, 4, (cl_int[]){19}),
    clSetKernelArg(kernel, 6, 4, (cl_int[]){5}), clSetKernelArg(kernel, 7, 4, (cl_int[]){5}), clSetKernelArg(kernel, 8, 4, (cl_int[]){1}), clSetKernelArg(kernel, 9, 4, (cl_int[]){0}), clSetKernelArg(kernel, 10, 4, (cl_int[]){1}), clSetKernelArg(kernel, 11, 4, (cl_int[]){5}),
    clSetKernelArg(kernel, 12, 4, (cl_int[]){0}), clSetKernelArg(kernel, 13, 4, (cl_int[]){0}), clSetKernelArg(kernel, 14, 4, (cl_int[]){0}), clSetKernelArg(kernel, 15, 4, (cl_int[]){19}), clSetKernelArg(kernel, 16, 4, (cl_int[]){0}), clSetKernelArg(kernel, 17, 4, (cl_int[]){0}),
    clSetKernelArg(kernel, 18, 4, (cl_float[]){0x0p+0f}), clSetKernelArg(kernel, 19, 4, (cl_float[]){0x0p+0f}), clSetKernelArg(kernel, 20, 4, (cl_int[]){0}), clSetKernelArg(kernel, 21, 4, (cl_int[]){0}), clSetKernelArg(kernel, 22, 4, (cl_int[]){0}), clSetKernelArg(kernel, 23, 4, (cl_int[]){0});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){32, 16, 1}, (size_t[]){16, 16, 1}, 0, 0, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[2], CL_TRUE, 0, sizeof h, h, 0, 0, 0);
  const unsigned short got = h[20]; printf("expected %04x, got %04x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
