// SPDX-License-Identifier: Apache-2.0
// Which elements cudnnSoftmaxForward reads and writes where rows lie 11 elements apart and have 8.
// cc -I/usr/local/cuda/include FILE -lcudart -lcudnn -lm; a row is `right` where the strides put
// it, `packed` where dense rows would lie.
#include <cuda_runtime.h>
#include <cudnn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
enum { R = 4, N = 8, S = 11, T = R * S };
static void softmax(const float* x, float* y, int step) {
  float m = -1e30f, s = 0;
  for (int i = 0; i < N; ++i)
    if (x[i * step] > m) m = x[i * step];
  for (int i = 0; i < N; ++i) s += expf(x[i * step] - m);
  for (int i = 0; i < N; ++i) y[i] = expf(x[i * step] - m) / s;
}
static int close_to(const float* a, const float* b, int step) {
  for (int i = 0; i < N; ++i)
    if (!(fabsf(a[i * step] - b[i]) < 1e-5f)) return 0;
  return 1;
}
static void ask(cudnnHandle_t h, const char* what, int nd, const int* d, const int* s,
                const int* sy, cudnnSoftmaxMode_t mode) {
  cudnnTensorDescriptor_t tx, ty;
  cudnnCreateTensorDescriptor(&tx);
  cudnnCreateTensorDescriptor(&ty);
  int e1 = cudnnSetTensorNdDescriptor(tx, CUDNN_DATA_FLOAT, nd, d, s),
      e2 = cudnnSetTensorNdDescriptor(ty, CUDNN_DATA_FLOAT, nd, d, sy);
  float x[T], y[T];
  for (int i = 0; i < T; ++i) {
    x[i] = (float)((i * 37) % 23) / 8;
    y[i] = 7;
  }
  float *dx, *dy;
  cudaMalloc((void**)&dx, sizeof x);
  cudaMalloc((void**)&dy, sizeof y);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
  const float one = 1, zero = 0;
  int e = cudnnSoftmaxForward(h, CUDNN_SOFTMAX_ACCURATE, mode, &one, tx, dx, &zero, ty, dy);
  int c = cudaDeviceSynchronize();
  cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
  printf("%s: descriptors %d %d, softmax %d, sync %d;", what, e1, e2, e, c);
  for (int r = 0; r < R; ++r) {
    float apart[N], packed[N];
    softmax(x + r * S, apart, 1);
    softmax(x + r * N, packed, 1);
    printf(" row %d %s%s%s%s", r, close_to(y + r * S, apart, 1) ? "right " : "",
           close_to(y + r * N, packed, 1) ? "packed " : "",
           close_to(y + r * N, apart, 1) ? "written-packed " : "",
           close_to(y + r * S, packed, 1) ? "read-packed " : "");
  }
  int gaps = 0;
  for (int i = 0; i < T; ++i)
    if (i % S >= N && y[i] != 7) ++gaps;
  printf("; gaps written %d\n   y:", gaps);
  for (int i = 0; i < T; ++i) printf(" %.3f", y[i]);
  printf("\n");
  cudaFree(dx);
  cudaFree(dy);
  cudnnDestroyTensorDescriptor(tx);
  cudnnDestroyTensorDescriptor(ty);
}
#define A(...) \
  (int[]) { __VA_ARGS__ }
int main(void) {
  cudnnHandle_t h;
  if (cudnnCreate(&h)) return 2;
  printf("cuDNN %zu\n", cudnnGetVersion());
  ask(h, "NC11 instance, rows 11 apart", 4, A(R, N, 1, 1), A(S, 1, 1, 1), A(S, 1, 1, 1),
      CUDNN_SOFTMAX_MODE_INSTANCE);
  ask(h, "NC11 channel, rows 11 apart", 4, A(R, N, 1, 1), A(S, 1, 1, 1), A(S, 1, 1, 1),
      CUDNN_SOFTMAX_MODE_CHANNEL);
  ask(h, "NC11 instance, strides 11 1 8 8", 4, A(R, N, 1, 1), A(S, 1, N, N), A(S, 1, N, N),
      CUDNN_SOFTMAX_MODE_INSTANCE);
  ask(h, "NC11 channel, strides 11 1 8 8", 4, A(R, N, 1, 1), A(S, 1, N, N), A(S, 1, N, N),
      CUDNN_SOFTMAX_MODE_CHANNEL);
  ask(h, "NC11 instance, x apart, y dense", 4, A(R, N, 1, 1), A(S, 1, 1, 1), A(N, 1, 1, 1),
      CUDNN_SOFTMAX_MODE_INSTANCE);
  ask(h, "NC11 instance, x dense, y apart", 4, A(R, N, 1, 1), A(N, 1, 1, 1), A(S, 1, 1, 1),
      CUDNN_SOFTMAX_MODE_INSTANCE);
  ask(h, "1CH1 channel, rows along H", 4, A(1, N, R, 1), A(T, 1, S, S), A(T, 1, S, S),
      CUDNN_SOFTMAX_MODE_CHANNEL);
  ask(h, "1C1W channel, rows along W", 4, A(1, N, 1, R), A(T, 1, T, S), A(T, 1, T, S),
      CUDNN_SOFTMAX_MODE_CHANNEL);
  ask(h, "N1W instance, elements along W", 4, A(R, 1, 1, N), A(S, N, N, 1), A(S, N, N, 1),
      CUDNN_SOFTMAX_MODE_INSTANCE);
  ask(h, "N1W instance, strides 11 11 11 1", 4, A(R, 1, 1, N), A(S, S, S, 1), A(S, S, S, 1),
      CUDNN_SOFTMAX_MODE_INSTANCE);
  ask(h, "NC11 instance, dense", 4, A(R, N, 1, 1), A(N, 1, 1, 1), A(N, 1, 1, 1),
      CUDNN_SOFTMAX_MODE_INSTANCE);
  ask(h, "NC111 instance, rows 11 apart", 5, A(R, N, 1, 1, 1), A(S, 1, 1, 1, 1), A(S, 1, 1, 1, 1),
      CUDNN_SOFTMAX_MODE_INSTANCE);
  return 0;
}
