// SPDX-License-Identifier: Apache-2.0
//
// What dialect.h expects from hipRTC, for a compiler of the family that is not Clang: the builtins
// of the processor and of fp16, written in the family's common words. hm_fp16 is the other
// vendor's type.

#define __builtin_amdgcn_workitem_id_x() threadIdx.x
#define __builtin_amdgcn_workitem_id_y() threadIdx.y
#define __builtin_amdgcn_workitem_id_z() threadIdx.z
#define __builtin_amdgcn_workgroup_id_x() blockIdx.x
#define __builtin_amdgcn_workgroup_id_y() blockIdx.y
#define __builtin_amdgcn_workgroup_id_z() blockIdx.z
#define __builtin_amdgcn_workgroup_size_x() blockDim.x
#define __builtin_amdgcn_workgroup_size_y() blockDim.y
#define __builtin_amdgcn_workgroup_size_z() blockDim.z
#define __builtin_amdgcn_grid_size_x() (gridDim.x * blockDim.x)
#define __builtin_amdgcn_grid_size_y() (gridDim.y * blockDim.y)
#define __builtin_amdgcn_grid_size_z() (gridDim.z * blockDim.z)

// The barrier itself orders memory.
#define __builtin_amdgcn_fence(order, scope)
#define __builtin_amdgcn_s_barrier() __syncthreads()

template <typename To, typename From>
__device__ __forceinline__ To hm_forward_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "of one size");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
#define __builtin_bit_cast(type, value) hm_forward_bits<type>(value)

#define __builtin_fmaf(a, b, c) fmaf(a, b, c)
#define __builtin_rintf(x) rintf(x)
#define __builtin_sqrtf(x) sqrtf(x)
#define __builtin_amdgcn_ldexpf(x, n) ldexpf(x, n)

#define _Float16 hm_fp16
#define __builtin_sqrtf16(x) hm_fp16_sqrt(x)
#define __builtin_fmaf16(a, b, c) hm_fp16_fma(a, b, c)
