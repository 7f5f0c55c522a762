// softmax of 100 logits that are the lowest number of fp32, by cuDNN (NVIDIA H200, CUDA 13.0, cuDNN 9.14)
// Rule: equal logits have equal shares, so each result is 1/100 within 2 ulp
// cc -I/usr/local/cuda/include FILE -lcuda -lcudnn && ./a.out; exit code 1: results differ; 0: the library is right
#include <cuda.h>
#include <cudnn.h>
#include <stdio.h>
#include <string.h>
enum { kRows = 2, kColumns = 100 };
static float x[kRows * kColumns], y[kRows * kColumns];
int main(void) {
  const unsigned lowest = 0xff7fffff, expected = 0x3c23d70a;
  for (int i = 0; i < kColumns; ++i) memcpy(&x[kColumns + i], &lowest, 4);  // the first row is of zeros
  CUdevice device; CUcontext context; CUdeviceptr at[2]; cudnnHandle_t handle; cudnnTensorDescriptor_t view;
  cuInit(0), cuDeviceGet(&device, 0), cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
  if (cudnnCreate(&handle)) return puts("no library"), 2;
  int e = cuMemAlloc_v2(&at[0], sizeof x) || cuMemAlloc_v2(&at[1], sizeof y) || cuMemcpyHtoD_v2(at[0], x, sizeof x);
  const int sizes[] = {kRows, kColumns, 1, 1}, strides[] = {kColumns, 1, 1, 1};
  const float one = 1, zero = 0;
  e = e || cudnnCreateTensorDescriptor(&view) || cudnnSetTensorNdDescriptor(view, CUDNN_DATA_FLOAT, 4, sizes, strides);
  e = e || cudnnSoftmaxForward(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one, view, (void*)at[0], &zero, view, (void*)at[1]);
  e = e || cuMemcpyDtoH_v2(y, at[1], sizeof y);
  unsigned got;
  memcpy(&got, &y[kColumns], 4);
  printf("expected %08x, got %08x, error %d\n", expected, got, e);
  return e ? 2 : got - (expected - 2) > 4;
}
