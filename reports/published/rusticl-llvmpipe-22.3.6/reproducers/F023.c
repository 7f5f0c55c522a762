// gemm.fp32.acc-fp32.out-fp32.portable.tt.m9n35k24.ab.integer.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: fp32 operands, one fp32 fma per term with k ascending, scaled in fp32, stored with one rounding [Halfmark kernel specification, reference/operators/gemm.hpp, steps 1 to 4; IEEE 754-2019, 5.4.1 fusedMultiplyAdd and convertFormat, roundTiesToEven]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: the device is right
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source = "#pragma OPENCL FP_CONTRACT OFF\n" TEXT(
__kernel void gemm(__global const float* a, __global const float* b, __global const float* c, __global float* d, int m, int n, int k, int a_row, int a_column, int a_batch, int b_row, int b_column, int b_batch, int
  c_row, int c_batch, int d_row, int d_batch, int scaled, float alpha, float beta, int a_start, int b_start, int c_start, int d_start) { __local float a_tile[16 * 16]; __local float b_tile[16 * 16];
  int x = (int)get_local_id(0); int y = (int)get_local_id(1); int tiles = (n + 16 - 1) / 16; int batch = (int)get_group_id(0) / tiles; int column = ((int)get_group_id(0) - batch * tiles) * 16 + x;
  int row = (int)get_group_id(1) * 16 + y; int a_first = a_start + batch * a_batch; int b_first = b_start + batch * b_batch; int inside = row < m && column < n; float acc = 0.0f;
  for (int start = 0; start < k; start += 16) { int depth = k - start < 16 ? k - start : 16; float from_a = 0.0f; float from_b = 0.0f; if (row < m && x < depth) from_a = a[a_first + row * a_row + (start + x) * a_column];
  if (column < n && y < depth) from_b = b[b_first + (start + y) * b_row + column * b_column]; a_tile[y * 16 + x] = from_a; b_tile[y * 16 + x] = from_b; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (int t = 0; t < depth; t += 1) { acc = fma(a_tile[y * 16 + t], b_tile[t * 16 + x], acc); } barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); } if (inside) { float value = acc; if (scaled != 0) {
  value = alpha * value; int from = c_start + batch * c_batch + row * c_row + column; if (beta != 0.0f) value = fma(beta, c[from], value); } d[d_start + batch * d_batch + row * d_row + column] = value; } });
static unsigned a[96], b[840], d[140], c[140];
static const struct { void* data; unsigned size; } tensors[] = {{a, sizeof a}, {b, sizeof b}, {d, sizeof d}, {c, sizeof c}};
static const unsigned expected = 0x00000000;
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; cl_uint found = 0, count = 0, i = 0; cl_int e; char name[256];
  for (clGetPlatformIDs(16, platforms, &found); found-- > 0;)
    for (i = clGetDeviceIDs(platforms[found], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e); cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e); cl_kernel kernel; cl_mem at[4];
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  memset(d, 0xff, sizeof d);  // the kernel must overwrite all of it
  for (i = 0; i < 4; ++i) at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, &e);
  kernel = clCreateKernel(program, "gemm", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[0]), clSetKernelArg(kernel, 1, sizeof *at, &at[1]), clSetKernelArg(kernel, 2, sizeof *at, &at[3]), clSetKernelArg(kernel, 3, sizeof *at, &at[2]),
    clSetKernelArg(kernel, 4, 4, (cl_int[]){4}), clSetKernelArg(kernel, 5, 4, (cl_int[]){35}), clSetKernelArg(kernel, 6, 4, (cl_int[]){24}), clSetKernelArg(kernel, 7, 4, (cl_int[]){1}),
    clSetKernelArg(kernel, 8, 4, (cl_int[]){4}), clSetKernelArg(kernel, 9, 4, (cl_int[]){96}), clSetKernelArg(kernel, 10, 4, (cl_int[]){1}), clSetKernelArg(kernel, 11, 4, (cl_int[]){24}),
    clSetKernelArg(kernel, 12, 4, (cl_int[]){840}), clSetKernelArg(kernel, 13, 4, (cl_int[]){35}), clSetKernelArg(kernel, 14, 4, (cl_int[]){140}), clSetKernelArg(kernel, 15, 4, (cl_int[]){35}),
    clSetKernelArg(kernel, 16, 4, (cl_int[]){140}), clSetKernelArg(kernel, 17, 4, (cl_int[]){1}), clSetKernelArg(kernel, 18, 4, (cl_float[]){0x1.555556p-2f}), clSetKernelArg(kernel, 19, 4, (cl_float[]){-0x1.666666p-1f}),
    clSetKernelArg(kernel, 20, 4, (cl_int[]){0}), clSetKernelArg(kernel, 21, 4, (cl_int[]){0}), clSetKernelArg(kernel, 22, 4, (cl_int[]){0}), clSetKernelArg(kernel, 23, 4, (cl_int[]){0});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){48, 16, 1}, (size_t[]){16, 16, 1}, 0, 0, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[2], CL_TRUE, 0, sizeof d, d, 0, 0, 0);
  const unsigned got = d[0]; printf("expected %08x, got %08x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
