// loss_scaled_backward.portable.b4i8h16o8.scale2p127.still.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: forward, loss, scaled gradients, unscaling, weights and scale are the specified operations, in order [Halfmark kernel specification, reference/operators/loss_scaled_backward.hpp, steps 0 to 12; IEEE 754-2019, 5.4.1; OpenCL C 1.2, 6.1.1.1: conversions of half are exact to float and correctly rounded from it]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: the device is right
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#define TEXT(...) #__VA_ARGS__
static const char* source = "#pragma OPENCL FP_CONTRACT OFF\n" "#define HM_FN static inline __attribute__((always_inline))\n" TEXT(
HM_FN unsigned hm_significand(unsigned bits) { unsigned fraction = bits & 0x7fffffu; if ((bits & 0x7f800000u) != 0u) return fraction | 0x800000u; if (fraction == 0u) return 0u; while (fraction < 0x800000u) fraction <<= 1; return fraction; }
HM_FN int hm_exponent(unsigned bits) { unsigned fraction = bits & 0x7fffffu; int exponent = (int)((bits >> 23) & 0xffu); if (exponent != 0) return exponent - 127; exponent = -126; while (fraction < 0x800000u && fraction != 0u) { fraction <<= 1; exponent -= 1; } return exponent; }
HM_FN unsigned hm_round_pack(unsigned sign, int exponent, unsigned significand) { int biased = exponent + 127; if (biased >= 255) return sign | 0x7f800000u; if (biased < 1) { int shift = 1 - biased; if (shift > 28) shift = 28; unsigned lost = significand & ((1u << shift) - 1u); significand = (significand >> shift) | (lost != 0u ? 1u : 0u); biased = 1; } unsigned tail = significand & 7u; unsigned kept = significand >> 3; if (tail > 4u || (tail == 4u && (kept & 1u) != 0u)) kept += 1u; return sign | ((((unsigned)(biased - 1)) << 23) + kept); }
HM_FN float hm_soft_div(float numerator, float denominator) { unsigned a = as_uint(numerator); unsigned b = as_uint(denominator); unsigned sign = (a ^ b) & 0x80000000u; a &= 0x7fffffffu; b &= 0x7fffffffu; if (a > 0x7f800000u || b > 0x7f800000u) return as_float(0x7fc00000u); if (a == b && (a == 0u || a == 0x7f800000u)) return as_float(0x7fc00000u); if (a == 0x7f800000u || b == 0u) return as_float(sign | 0x7f800000u); if (a == 0u || b == 0x7f800000u) return as_float(sign); unsigned above = hm_significand(a); unsigned below = hm_significand(b); int exponent = hm_exponent(a) - hm_exponent(b); if (above < below) { above <<= 1; exponent -= 1; } ulong wide = (ulong)above << 26; unsigned quotient = (unsigned)(wide / (ulong)below); if ((ulong)quotient * (ulong)below != wide) quotient |= 1u; return as_float(hm_round_pack(sign, exponent, quotient)); }
__kernel void training_cast_each(__global const float* weights, __global ushort* narrow, int count) { int i = (int)get_group_id(0) * (int)get_local_size(0) + (int)get_local_id(0); if (i < count) vstore_half_rte(weights[i], i, (__global half*)narrow); }
__kernel void training_output_gradient_each(__global const ushort* y, __global const ushort* t, __global const float* scale, __global ushort* dy, int count) { int i = (int)get_group_id(0) * (int)get_local_size(0) + (int)get_local_id(0); if (i < count) { float share = hm_soft_div(2.0f, (float)count);
  float part = share * (vload_half(i, (__global const half*)y) - vload_half(i, (__global const half*)t)); vstore_half_rte(scale[0] * part, i, (__global half*)dy); } }
__kernel void training_step_each(__global const ushort* gradient, __global const float* scale, __global const float* found_inf, __global float* unscaled, __global float* weights, int count, float rate) { int i = (int)get_group_id(0) * (int)get_local_size(0) + (int)get_local_id(0); if (i < count) {
  float g = vload_half(i, (__global const half*)gradient) * hm_soft_div(1.0f, scale[0]); unscaled[i] = g; if (found_inf[0] == 0.0f) weights[i] = fma(-rate, g, weights[i]); } });
static unsigned short t[1], w1h[1], y[1], dy[1], dw1[1];
static unsigned found_inf[1], scale[1] = {0x3f800000}, g1[1], w1[1];
static const struct { void* data; unsigned size; } tensors[] = {{t, sizeof t}, {w1h, sizeof w1h}, {y, sizeof y}, {dy, sizeof dy}, {dw1, sizeof dw1}, {found_inf, sizeof found_inf}, {scale, sizeof scale}, {g1, sizeof g1}, {w1, sizeof w1}};
static const unsigned expected = 0x00000000;
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; cl_uint found = 0, count = 0, i = 0; cl_int e; char name[256];
  for (clGetPlatformIDs(16, platforms, &found); found-- > 0;)
    for (i = clGetDeviceIDs(platforms[found], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e); cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e); cl_kernel kernel; cl_mem at[9];
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  for (i = 0; i < 9; ++i) at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, &e);
  kernel = clCreateKernel(program, "training_cast_each", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[8]), clSetKernelArg(kernel, 1, sizeof *at, &at[1]), clSetKernelArg(kernel, 2, 4, (cl_int[]){1});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){64, 1, 1}, (size_t[]){64, 1, 1}, 0, 0, 0);
  kernel = clCreateKernel(program, "training_output_gradient_each", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[2]), clSetKernelArg(kernel, 1, sizeof *at, &at[0]), clSetKernelArg(kernel, 2, sizeof *at, &at[6]), clSetKernelArg(kernel, 3, sizeof *at, &at[3]), clSetKernelArg(kernel, 4, 4, (cl_int[]){1});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){64, 1, 1}, (size_t[]){64, 1, 1}, 0, 0, 0);
  kernel = clCreateKernel(program, "training_step_each", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[4]), clSetKernelArg(kernel, 1, sizeof *at, &at[6]), clSetKernelArg(kernel, 2, sizeof *at, &at[5]), clSetKernelArg(kernel, 3, sizeof *at, &at[7]), clSetKernelArg(kernel, 4, sizeof *at, &at[8]), clSetKernelArg(kernel, 5, 4, (cl_int[]){1}), clSetKernelArg(kernel, 6, 4, (cl_float[]){0x1.47ae14p-7f});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){64, 1, 1}, (size_t[]){64, 1, 1}, 0, 0, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[8], CL_TRUE, 0, sizeof w1, w1, 0, 0, 0);
  const unsigned got = w1[0]; printf("expected %08x, got %08x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
