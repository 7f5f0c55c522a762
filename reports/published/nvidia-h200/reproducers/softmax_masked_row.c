// softmax.forward.fp16.out-fp16.library.r16n100.mask.s1 on NVIDIA H200 (CUDA 13.0)
// Rule: every output is what fp32 arithmetic in some order, with exp and log within 2 ulp, rounds to; a row that is all -inf is NaN, or 0 where the call asks for it; a row that holds +inf or a NaN is NaN [Blanchard, Higham, Higham, Accurately computing the log-sum-exp and softmax functions, IMA J. Numer. Anal. 41 (2021); Higham, Accuracy and Stability of Numerical Algorithms, 4.2; suites/softmax/model.hpp]
// cc -I/usr/local/cuda/include FILE -lcuda -lcudnn && ./a.out; exit code 1: results differ; 0: the library is right
#include <cuda.h>
#include <cudnn.h>
#include <stdio.h>
#include <string.h>
static unsigned short x[6] = {0, 0, 0, 0xfc00, 0xfc00, 0xfc00}, y[6];
static const struct { void* data; unsigned size; } tensors[] = {{x, sizeof x}, {y, sizeof y}};
static const unsigned short expected = 0x7e00;
int main(void) {
  CUdevice device; cudnnHandle_t handle; cudnnTensorDescriptor_t views[2]; CUdeviceptr at[2]; unsigned i; int e = 0;
  cuInit(0), cuDeviceGet(&device, 0);
  CUcontext context; cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
  if (cudnnCreate(&handle)) return puts("no library"), 2;
  for (i = 0; i < 2; ++i) e |= cuMemAlloc_v2(&at[i], tensors[i].size), e |= cuMemcpyHtoD_v2(at[i], tensors[i].data, tensors[i].size);
  const int axes[] = {4, 4}; int sizes[][4] = {{2, 3, 1, 1}, {2, 3, 1, 1}}, strides[][4] = {{3, 1, 1, 1}, {3, 1, 1, 1}}; const float one = 1, zero = 0;
  for (i = 0; i < 2; ++i) e |= cudnnCreateTensorDescriptor(&views[i]) || cudnnSetTensorNdDescriptor(views[i], CUDNN_DATA_HALF, axes[i], sizes[i], strides[i]);
  if (!e) e = cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one, views[0], (char*)at[0] + 0, &zero, views[1], (char*)at[1] + 0);
  if (!e) e = cuMemcpyDtoH_v2(y, at[1], sizeof y);
  const unsigned short got = y[3]; printf("expected %04x, got %04x, error %d\n", expected, got, e);
  return e ? 2 : (got & 0x7fff) <= 0x7c00;
}
