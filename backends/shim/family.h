// SPDX-License-Identifier: Apache-2.0
//
// The part of the dialect of kernels/README.md that the languages of this family share, because
// they have threadIdx and __shared__. Precedes the dialect of a vendor whose table requests it.

#define HM_KERNEL extern "C" __global__ void
#define HM_GLOBAL
#define HM_LPTR
#define HM_CONST_TABLE(type, name) static __device__ const type name
#define HM_LOCAL(type, name, count) __shared__ type name[count]
#define HM_BARRIER() __syncthreads()

#define HM_AXIS_0 x
#define HM_AXIS_1 y
#define HM_AXIS_2 z
#define HM_AXIS_NOW(vector, axis) ((int)vector.axis)
#define HM_AXIS(vector, axis) HM_AXIS_NOW(vector, axis)
#define HM_LID(d) HM_AXIS(threadIdx, HM_AXIS_##d)
#define HM_GID(d) HM_AXIS(blockIdx, HM_AXIS_##d)
#define HM_LSIZE(d) HM_AXIS(blockDim, HM_AXIS_##d)
#define HM_NGROUPS(d) HM_AXIS(gridDim, HM_AXIS_##d)

#define HM_U64 unsigned long long
#define HM_F2U(x) __float_as_uint(x)
#define HM_U2F(x) __uint_as_float(x)
#define HM_LDEXP(x, n) ldexpf(x, n)
#define HM_RINT(x) rintf(x)
#define HM_HALF unsigned short
