// gemm.bf16.acc-fp32.out-bf16.portable.nt.m17n33k65.plain.tiny.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: bf16 operands, one fp32 fma per term with k ascending, scaled in fp32, stored with one rounding [Halfmark kernel specification, reference/operators/gemm.hpp, steps 1 to 4; IEEE 754-2019, 5.4.1 fusedMultiplyAdd and convertFormat, roundTiesToEven]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
static const char* source =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define HM_F2U(x) as_uint((float)(x))\n"
    "#define HM_U2F(x) as_float((uint)(x))\n"
    "#define HM_FMA(a, b, c) fma((float)(a), (float)(b), (float)(c))\n"
    "static inline __attribute__((always_inline)) float hm_bf16_to_float(unsigned bits) { return HM_U2F(bits << 16); }\n"
    "static inline __attribute__((always_inline)) unsigned hm_float_to_bf16(float value) { unsigned bits = HM_F2U(value); if ((bits & 0x7fffffffu) > 0x7f800000u) return (bits >> 16) | 0x40u; return (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16; }\n"
    "static inline __attribute__((always_inline)) float hm_bf16_load(__global const ushort* p, int i) { return hm_bf16_to_float((unsigned)p[i]); }\n"
    "static inline __attribute__((always_inline)) void hm_bf16_store(__global ushort* p, int i, float value) { p[i] = (ushort)hm_float_to_bf16(value); }\n"
    "static inline __attribute__((always_inline)) float hm_load_2(__global const ushort* p, int i) { return hm_bf16_load(p, i); }\n"
    "static inline __attribute__((always_inline)) void hm_store_2(__global ushort* p, int i, float value) { hm_bf16_store(p, i, value); }\n"
    "__kernel void dot(__global const ushort* a, __global const ushort* b, __global ushort* d, int n) { float sum = 0.0f; for (int x = 0; x < n; x += 1) sum = HM_FMA(hm_load_2(a, x), hm_load_2(b, x), sum); hm_store_2(d, 0, sum); }\n";
static const unsigned short a[] = {0x0000, 0x9f80}, b[] = {0x0000, 0x0000};
static const unsigned short expected = 0x0000; static unsigned short got;
int main(int argc, char** argv) {
  cl_platform_id platforms[16];
  cl_device_id devices[16], device = 0;
  cl_uint platform_count = 0, count = 0;
  cl_int e;
  char name[256];
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (cl_uint i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) &&
          strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  cl_kernel kernel = clCreateKernel(program, "dot", &e);
  cl_mem d = clCreateBuffer(context, 0, sizeof got, 0, &e);
  clSetKernelArg(kernel, 0, sizeof(cl_mem), (cl_mem[]){clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, (void*)a, &e)});
  clSetKernelArg(kernel, 1, sizeof(cl_mem), (cl_mem[]){clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof b, (void*)b, &e)});
  clSetKernelArg(kernel, 2, sizeof d, &d);
  clSetKernelArg(kernel, 3, sizeof(int), (int[]){2});
  clEnqueueTask(queue, kernel, 0, 0, 0);
  e = clEnqueueReadBuffer(queue, d, CL_TRUE, 0, sizeof got, &got, 0, 0, 0);
  printf("expected %x, got %x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
