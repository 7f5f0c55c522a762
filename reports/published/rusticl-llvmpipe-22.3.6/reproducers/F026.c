// layernorm.forward.fp16.portable.r8n63.eps1e-5.columns.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: every output and every statistic has the bits of the specified sequence [Halfmark kernel specification, reference/operators/layernorm.hpp: order, fused steps and roundings of every operation; IEEE 754-2019, 5.4.1 and 4.3.1 for each of them]
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
HM_FN float hm_soft_sqrt(float value) { unsigned bits = as_uint(value); if ((bits & 0x7fffffffu) == 0u || bits == 0x7f800000u) return value; if (bits > 0x7f800000u) return as_float(0x7fc00000u); int exponent = hm_exponent(bits); ulong rest = (ulong)hm_significand(bits) << 29; if ((exponent & 1) != 0) { rest <<= 1; exponent -= 1; } ulong root = 0; for (int bit = 26; bit >= 0; bit -= 1) { ulong trial = ((root << 1) + ((ulong)1 << bit)) << bit; if (trial <= rest) { rest -= trial; root += (ulong)1 << bit; } } unsigned significand = (unsigned)root | (rest != 0 ? 1u : 0u); return as_float(hm_round_pack(0u, exponent / 2, significand)); }
HM_FN float hm_lanes_sum(__local float* lanes, int lane, float value) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); lanes[lane] = value; for (int stride = 64 / 2; stride > 0; stride /= 2) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); if (lane < stride) lanes[lane] = lanes[lane] + lanes[lane + stride]; } barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); return lanes[0]; }
HM_FN float layernorm_sum(__global const ushort* x, int start, int width, int squared, float center, __local float* lanes) { int lane = (int)get_local_id(0); float sum = 0.0f; for (int i = lane; i < width; i += 64) { float value = vload_half(start + i, (__global const half*)x); float distance = value - center; sum = squared != 0 ? fma(distance, distance, sum) : sum + value; } return hm_lanes_sum(lanes, lane, sum); }
__kernel void layernorm_forward(__global const ushort* x, __global const ushort* gamma, __global const ushort* beta, __global ushort* y, __global float* mean_out, __global float* rstd_out, int width, float eps) { __local float lanes[64]; int lane = (int)get_local_id(0);
  int row = (int)get_group_id(0); int start = row * width; float count = (float)width; float mean = hm_soft_div(layernorm_sum(x, start, width, 0, 0.0f, lanes), count); float variance = hm_soft_div(layernorm_sum(x, start, width, 1, mean, lanes), count);
  float rstd = hm_soft_div(1.0f, hm_soft_sqrt(variance + eps)); for (int i = lane; i < width; i += 64) { float distance = vload_half(start + i, (__global const half*)x) - mean; float unit = distance * rstd;
  vstore_half_rte(fma(unit, vload_half(i, (__global const half*)gamma), vload_half(i, (__global const half*)beta)), start + i, (__global half*)y); } if (lane == 0) { mean_out[row] = mean; rstd_out[row] = rstd; } });
static unsigned short x[3] = {0, 0, 0x3c00}, gamma[3], beta[3], y[3];
static unsigned mean[1], rstd[1];
static const struct { void* data; unsigned size; } tensors[] = {{x, sizeof x}, {gamma, sizeof gamma}, {beta, sizeof beta}, {mean, sizeof mean}, {rstd, sizeof rstd}, {y, sizeof y}};
static const unsigned short expected = 0x0000;
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; cl_uint found = 0, count = 0, i = 0; cl_int e; char name[256];
  for (clGetPlatformIDs(16, platforms, &found); found-- > 0;)
    for (i = clGetDeviceIDs(platforms[found], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e); cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e); cl_kernel kernel; cl_mem at[6];
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  memset(y, 0xff, sizeof y);  // the kernel must overwrite all of it
  for (i = 0; i < 6; ++i) at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, &e);
  kernel = clCreateKernel(program, "layernorm_forward", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[0]), clSetKernelArg(kernel, 1, sizeof *at, &at[1]), clSetKernelArg(kernel, 2, sizeof *at, &at[2]), clSetKernelArg(kernel, 3, sizeof *at, &at[5]), clSetKernelArg(kernel, 4, sizeof *at, &at[3]),
    clSetKernelArg(kernel, 5, sizeof *at, &at[4]), clSetKernelArg(kernel, 6, 4, (cl_int[]){3}), clSetKernelArg(kernel, 7, 4, (cl_float[]){0x1.4f8b58p-17f});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){64, 1, 1}, (size_t[]){64, 1, 1}, 0, 0, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[5], CL_TRUE, 0, sizeof y, y, 0, 0, 0);
  const unsigned short got = y[0]; printf("expected %04x, got %04x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
