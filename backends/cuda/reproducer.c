// @title@
// Rule: @rule@
// cc -I/usr/local/cuda/include FILE -lcuda -lnvrtc && ./a.out; exit code 1: results differ; 0: @otherwise@
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
static const char* source =
@kernel@;
@operands@
int main(void) {
  CUdevice device; CUcontext context; CUmodule module; CUfunction kernel; CUdeviceptr at[9]; void* arguments[10];
  nvrtcProgram program; static char image[1 << 20], architecture[40]; int major = 0, minor = 0, last = @last@; unsigned i;
  cuInit(0), cuDeviceGet(&device, 0), cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d%d", major, minor);
  const char* options[] = {architecture, "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"};
  nvrtcCreateProgram(&program, source, "reproducer.cu", 0, 0, 0);
  if (nvrtcCompileProgram(program, 5, options) || nvrtcGetCUBIN(program, image)) return puts("no build"), 2;
  if (cuModuleLoadData(&module, image) || cuModuleGetFunction(&kernel, module, "@entry@")) return puts("no kernel"), 2;
  for (i = 0; i < sizeof operands / sizeof *operands; ++i)
    cuMemAlloc(&at[i], operands[i].size), cuMemcpyHtoD(at[i], operands[i].data, operands[i].size), arguments[i] = &at[i];
  cuMemAlloc(&at[i], sizeof got), arguments[i] = &at[i], arguments[i + 1] = &last;
  CUresult e = cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0);
  if (!e) e = cuMemcpyDtoH(&got, at[i], sizeof got);
  printf("expected %x, got %x, error %d\n", expected, got, (int)e);
  return e ? 2 : @differs@;
}
