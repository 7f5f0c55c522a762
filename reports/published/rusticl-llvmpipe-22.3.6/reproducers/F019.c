// gemm.bf16.acc-fp32.out-bf16.portable.nt.m17n33k65.plain.tiny.s1 on llvmpipe (LLVM 15.0.6, 256 bits) (rusticl 22.3.6)
// Rule: bf16 operands, one fp32 fma per term with k ascending, scaled in fp32, stored with one rounding [Halfmark kernel specification, reference/operators/gemm.hpp, steps 1 to 4; IEEE 754-2019, 5.4.1 fusedMultiplyAdd and convertFormat, roundTiesToEven]
// cc -DCL_TARGET_OPENCL_VERSION=120 FILE -lOpenCL && ./a.out [DEVICE]; exit code 1: results differ; 0: one chain alone is right, so the failure needs the whole kernel
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
    "__kernel void chain(__global const ushort* a, __global const ushort* b, __global ushort* d, int n) { float sum = 0.0f; for (int x = 0; x < n; x += 1) sum = HM_FMA(hm_bf16_to_float(a[x]), hm_bf16_to_float(b[x]), sum); d[0] = (ushort)hm_float_to_bf16(sum); }\n";
static const unsigned short a[] = {0x0000, 0x9f80}, b[] = {0x0000, 0x0000};
static const unsigned short expected = 0x0000; static unsigned short got;
static const struct { const void* data; unsigned size; } operands[] = {{a, sizeof a}, {b, sizeof b}};
int main(int argc, char** argv) {
  cl_platform_id platforms[16]; cl_device_id devices[16], device = 0; char name[256];
  cl_uint platform_count = 0, count = 0, i = 0; cl_int e;
  clGetPlatformIDs(16, platforms, &platform_count);
  for (cl_uint p = 0; p < platform_count; ++p)
    for (i = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &count) ? 0 : count; i-- > 0;)
      if (!clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof name, name, 0) &&
          strstr(name, argc > 1 ? argv[1] : "llvmpipe")) device = devices[i];
  cl_context context = clCreateContext(0, 1, &device, 0, 0, &e);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
  cl_int last = 2;
  cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &e);
  if (e || clBuildProgram(program, 1, &device, "-cl-std=CL1.2", 0, 0)) return puts("no device or no build"), 2;
  cl_kernel kernel = clCreateKernel(program, "chain", &e);
  for (i = 0; i < sizeof operands / sizeof *operands; ++i)
    clSetKernelArg(kernel, i, sizeof(cl_mem), (cl_mem[]){clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, operands[i].size, (void*)operands[i].data, &e)});
  cl_mem d = clCreateBuffer(context, 0, sizeof got, 0, &e);
  clSetKernelArg(kernel, i, sizeof d, &d), clSetKernelArg(kernel, i + 1, sizeof last, &last);
  clEnqueueTask(queue, kernel, 0, 0, 0);
  e = clEnqueueReadBuffer(queue, d, CL_TRUE, 0, sizeof got, &got, 0, 0, 0);
  printf("expected %x, got %x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
