// SPDX-License-Identifier: Apache-2.0
// The order of cudnnSoftmaxForward's sum: which pairs are added before either meets the one (a 1 at
// place p; j and k are 2^-24 each).
#include <cuda_runtime.h>
#include <cudnn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  cudnnHandle_t h;
  if (cudnnCreate(&h)) return 2;
  const int widths[] = {4, 8, 16, 33, 64, 65, 100, 128, 129, 200, 256, 500, 1000, 1024, 1100};
  for (unsigned w = 0; w < sizeof widths / sizeof *widths; ++w)
    for (int wide = 0; wide < 1; ++wide) {
      const int n = widths[w];
      const int places[] = {0, n / 2, n - 1};
      for (int a = 0; a < 3; ++a) {
        const int p = places[a];
        const int step = n > 300 ? (n > 600 ? 7 : 3) : 1;
        int m = 0;
        int* js = malloc(4 * n);
        for (int j = 0; j < n; j += step)
          if (j != p) js[m++] = j;
        const size_t rows = (size_t)m * m;
        float* x = malloc(4 * rows * n);
        float *dx, *dy;
        for (size_t r = 0; r < rows; ++r) {
          float* row = x + r * n;
          for (int i = 0; i < n; ++i) row[i] = -INFINITY;
          row[p] = 0;
          row[js[r / m]] = row[js[r % m]] = -16.635532f;
        }
        if (cudaMalloc((void**)&dx, 4 * rows * n) || cudaMalloc((void**)&dy, 4 * rows * n)) {
          printf("memory\n");
          return 1;
        }
        cudaMemcpy(dx, x, 4 * rows * n, cudaMemcpyHostToDevice);
        cudnnTensorDescriptor_t t;
        cudnnCreateTensorDescriptor(&t);
        const int d[] = {(int)rows, n, 1, 1}, s[] = {n, 1, 1, 1};
        cudnnSetTensorNdDescriptor(t, CUDNN_DATA_FLOAT, 4, d, s);
        const float one = 1, zero = 0;
        int e = cudnnSoftmaxForward(h, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &one, t,
                                    dx, &zero, t, dy);
        cudaMemcpy(x, dy, 4 * rows * n, cudaMemcpyDeviceToHost);
        printf("n %d place %d step %d m %d error %d\n", n, p, step, m, e);
        for (int j = 0; j < m; ++j) {
          for (int k = 0; k < m; ++k) putchar(x[((size_t)j * m + k) * n + p] < 1 ? '#' : '.');
          putchar('\n');
        }
        free(x);
        free(js);
        cudaFree(dx);
        cudaFree(dy);
        cudnnDestroyTensorDescriptor(t);
      }
    }
  return 0;
}
