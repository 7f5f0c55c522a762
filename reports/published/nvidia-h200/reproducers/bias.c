// gemm.bf16.acc-fp32.out-bf16.library2.nt.m33n17k40.bias.normal.s1 on NVIDIA H200 (CUDA 13.0)
// Rule: each result is one that fp32 sums of its terms can have in some order, or for a single instruction of a matrix unit as far off as any known unit may be, scaled in fp32, stored with one rounding [Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, lemma 3.1 and section 4.2: the error of a sum in any order; Blanchard et al., SIAM J. Sci. Comput. 42, 2020, and Fasi et al., PeerJ Comput. Sci. 7, e330, 2021: of block sums; IEEE 754-2019, 5.4.1]
// cc -I/usr/local/cuda/include FILE -lcuda -lcublasLt && ./a.out; exit code 1: results differ; 0: the library is right
#include <cuda.h>
#include <cublasLt.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static unsigned short a[34] = {[29] = 0x3f31}, b[6] = {0, 0, 0, 0x4003}, d[51], bias[3] = {0x3f80};
static const struct { void* data; unsigned size; } tensors[] = {{a, sizeof a}, {b, sizeof b}, {d, sizeof d}, {bias, sizeof bias}};
static const unsigned short expected = 0x401b;
static int layout(cublasLtMatrixLayout_t* made, int type, uint64_t rows, uint64_t columns, int64_t ld, int64_t stride) {
  const int32_t batch = 1;
  return cublasLtMatrixLayoutCreate(made, (cudaDataType_t)type, rows, columns, ld) || cublasLtMatrixLayoutSetAttribute(*made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, 4) || cublasLtMatrixLayoutSetAttribute(*made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, 8);
}
int main(void) {
  CUdevice device; cublasLtHandle_t handle; cublasLtMatrixLayout_t layouts[4]; cublasLtMatmulDesc_t product; cublasLtMatmulPreference_t preference; cublasLtMatmulHeuristicResult_t choice;
  CUdeviceptr at[4], workspace = 0; unsigned i; int e = 0, found = 0; const float alpha = 0x1p+0f, beta = 0x0p+0f;
  cuInit(0), cuDeviceGet(&device, 0);
  CUcontext context; cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
  if (cublasLtCreate(&handle)) return puts("no library"), 2;
  for (i = 0; i < 4; ++i) e |= cuMemAlloc_v2(&at[i], tensors[i].size), e |= cuMemcpyHtoD_v2(at[i], tensors[i].data, tensors[i].size);
  const uintptr_t places[] = {(uintptr_t)at[1] + 0, (uintptr_t)at[0] + 0, (uintptr_t)at[2] + 0, (uintptr_t)at[2] + 0};
  const int32_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_N}, epilogue = CUBLASLT_EPILOGUE_BIAS; const uint64_t most = 33554432;
  if (!e) e = layout(&layouts[0], CUDA_R_16BF, 3, 2, 3, 0) || layout(&layouts[1], CUDA_R_16BF, 2, 17, 2, 0) ||
      layout(&layouts[2], CUDA_R_16BF, 3, 17, 3, 0) || layout(&layouts[3], CUDA_R_16BF, 3, 17, 3, 0) || cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F) ||
      cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &operations[0], 4) || cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSB, &operations[1], 4) || cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, 4) ||
      cublasLtMatmulPreferenceCreate(&preference) || cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, 8);
  const int32_t bias_type = CUDA_R_16BF; const uint64_t bias_at = (uintptr_t)at[3] + 0; if (!e) e = cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias_at, 8) || cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &bias_type, 4); 
  const uint32_t reductions = 2; uint32_t alignment[4]; if (!e) e = cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions, 4); for (i = 0; i < 4; ++i) alignment[i] = (uint32_t)((places[i] | 256) & -(places[i] | 256));
  if (!e) e = cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &alignment[0], 4) || cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &alignment[1], 4) ||
      cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &alignment[2], 4) || cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &alignment[3], 4);
  if (!e) e = cublasLtMatmulAlgoGetHeuristic(handle, product, layouts[0], layouts[1], layouts[2], layouts[3], preference, 1, &choice, &found) || !found || (choice.workspaceSize && cuMemAlloc_v2(&workspace, choice.workspaceSize));
  if (!e) e = cublasLtMatmul(handle, product, &alpha, (void*)places[0], layouts[0], (void*)places[1], layouts[1], &beta, (void*)places[2], layouts[2], (void*)places[3], layouts[3], &choice.algo, (void*)workspace, choice.workspaceSize, 0);
  if (!e) e = cuMemcpyDtoH_v2(d, at[2], sizeof d);
  const unsigned short got = d[42]; printf("expected %04x, got %04x, error %d\n", expected, got, e);
  return e ? 2 : got != expected;
}
