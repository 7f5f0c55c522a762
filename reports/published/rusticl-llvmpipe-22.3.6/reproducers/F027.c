// layernorm.rms-backward.fp32.portable.r16n65.eps1e-5.special.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: of root mean square normalisation every output, every statistic and every gradient has the bits of the specified sequence [Halfmark kernel specification, reference/operators/layernorm.hpp: order, fused steps and roundings of every operation; IEEE 754-2019, 5.4.1 and 4.3.1 for each of them]
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
HM_FN float hm_lanes_sum(__local float* lanes, int lane, float value) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); lanes[lane] = value; for (int stride = 64 / 2; stride > 0; stride /= 2) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); if (lane < stride) lanes[lane] = lanes[lane] + lanes[lane + stride]; } barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); return lanes[0]; }
__kernel void rmsnorm_backward(__global const float* x, __global const float* gamma, __global const float* dy, __global const float* rstd_in, __global float*
  dx, int width) { __local float lanes[64]; int lane = (int)get_local_id(0); int start = (int)get_group_id(0) * width;
  float rstd = rstd_in[(int)get_group_id(0)]; float projected = 0.0f; for (int i = lane; i < width; i += 64) { float unit = (x[start + i]) * rstd;
  float gradient = (dy[start + i]) * (gamma[i]); projected = fma(gradient, unit, projected); }
  projected = hm_soft_div(hm_lanes_sum(lanes, lane, projected), (float)width); for (int i = lane; i < width; i += 64) { float unit = (x[start + i]) * rstd;
  float gradient = (dy[start + i]) * (gamma[i]); float orthogonal = fma(-unit, projected, gradient); dx[start + i] = rstd * orthogonal; } });
static unsigned x[7], gamma[1], dy[7], rstd[7], dx[7];
static const struct { void* data; unsigned size; } tensors[] = {{x, sizeof x}, {gamma, sizeof gamma}, {dy, sizeof dy}, {rstd, sizeof rstd}, {dx, sizeof dx}};
static const unsigned expected = 0x00000000;
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; cl_uint found = 0, count = 0, i = 0; cl_int e; char name[256];
  for (clGetPlatformIDs(16, platforms, &found); found-- > 0;)
    for (i = clGetDeviceIDs(platforms[found], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) && strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e); cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e); cl_kernel kernel; cl_mem at[5];
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  memset(dx, 0xff, sizeof dx);  // the kernel must overwrite all of it
  for (i = 0; i < 5; ++i) at[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, tensors[i].size, tensors[i].data, &e);
  kernel = clCreateKernel(program, "rmsnorm_backward", &e), clSetKernelArg(kernel, 0, sizeof *at, &at[0]), clSetKernelArg(kernel, 1, sizeof *at, &at[1]), clSetKernelArg(kernel, 2, sizeof *at, &at[2]),
    clSetKernelArg(kernel, 3, sizeof *at, &at[3]), clSetKernelArg(kernel, 4, sizeof *at, &at[4]), clSetKernelArg(kernel, 5, 4, (cl_int[]){1});
  if (!e) e = clEnqueueNDRangeKernel(queue, kernel, 3, 0, (size_t[]){448, 1, 1}, (size_t[]){64, 1, 1}, 0, 0, 0);
  if (!e) e = clEnqueueReadBuffer(queue, at[4], CL_TRUE, 0, sizeof dx, dx, 0, 0, 0);
  const unsigned got = dx[0]; printf("expected %08x, got %08x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
