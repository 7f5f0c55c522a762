// SPDX-License-Identifier: Apache-2.0
//
// The symbols and numbers of the CUDA driver interface and of NVRTC. backends/shim/vendor.hpp
// explains the rows; header_test.cpp compares them with cuda.h and nvrtc.h.
//
// Assumptions:
//  1. If a call has a suffix, the name without it is a different function with a 32-bit ABI.
//  2. cuEventElapsedTime and cuDevicePrimaryCtxRetain are those of the oldest drivers: newer
//  variants did not replace them.
#pragma once

// clang-format off: one row per line
#define HM_NAMES_DRIVER(X) \
  X(initialise, cuInit) \
  X(driver_version, cuDriverGetVersion) \
  X(device_count, cuDeviceGetCount) \
  X(device_of, cuDeviceGet) \
  X(device_name, cuDeviceGetName) \
  X(device_memory, cuDeviceTotalMem_v2) \
  X(device_attribute, cuDeviceGetAttribute) \
  X(device_bus_id, cuDeviceGetPCIBusId) \
  X(context_retain, cuDevicePrimaryCtxRetain) \
  X(context_release, cuDevicePrimaryCtxRelease_v2) \
  X(context_current, cuCtxSetCurrent) \
  X(synchronise, cuCtxSynchronize) \
  X(stream_create, cuStreamCreate) \
  X(stream_destroy, cuStreamDestroy_v2) \
  X(stream_synchronise, cuStreamSynchronize) \
  X(allocate, cuMemAlloc_v2) \
  X(release, cuMemFree_v2) \
  X(copy_in, cuMemcpyHtoD_v2) \
  X(copy_out, cuMemcpyDtoH_v2) \
  X(module_load, cuModuleLoadData) \
  X(module_unload, cuModuleUnload) \
  X(module_function, cuModuleGetFunction) \
  X(launch, cuLaunchKernel) \
  X(event_create, cuEventCreate) \
  X(event_destroy, cuEventDestroy_v2) \
  X(event_record, cuEventRecord) \
  X(event_wait, cuEventSynchronize) \
  X(event_elapsed, cuEventElapsedTime) \
  X(error_name, cuGetErrorName)

#define HM_NAMES_DRIVER_OPTIONAL(X) \
  X(memory_info, cuMemGetInfo_v2)

#define HM_NAMES_COMPILER(X) \
  X(version, nvrtcVersion) \
  X(error_name_of, nvrtcGetErrorString) \
  X(create, nvrtcCreateProgram) \
  X(destroy, nvrtcDestroyProgram) \
  X(compile, nvrtcCompileProgram) \
  X(log_bytes, nvrtcGetProgramLogSize) \
  X(log, nvrtcGetProgramLog) \
  X(image_bytes, nvrtcGetCUBINSize) \
  X(image, nvrtcGetCUBIN)

// Since 11.2; older compilers are assumed to support the device.
#define HM_NAMES_COMPILER_OPTIONAL(X) \
  X(architecture_count, nvrtcGetNumSupportedArchs) \
  X(architectures, nvrtcGetSupportedArchs)

#define HM_NAMES_ATTRIBUTES(X) \
  X(max_group_items, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1) \
  X(local_memory_bytes, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8) \
  X(warp_items, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10) \
  X(compute_units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16) \
  X(clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13) \
  X(memory_clock_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36) \
  X(memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37) \
  X(cache_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38) \
  X(ecc, CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32) \
  X(integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, 18) \
  X(capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
  X(capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)

#define HM_NAMES_CODES(X) \
  X(invalid_value, CUDA_ERROR_INVALID_VALUE, 1) \
  X(out_of_memory, CUDA_ERROR_OUT_OF_MEMORY, 2) \
  X(not_initialised, CUDA_ERROR_NOT_INITIALIZED, 3) \
  X(no_device, CUDA_ERROR_NO_DEVICE, 100) \
  X(invalid_device, CUDA_ERROR_INVALID_DEVICE, 101) \
  X(invalid_image, CUDA_ERROR_INVALID_IMAGE, 200) \
  X(wrong_architecture, CUDA_ERROR_NO_BINARY_FOR_GPU, 209) \
  X(no_context, CUDA_ERROR_INVALID_CONTEXT, 201) \
  X(invalid_handle, CUDA_ERROR_INVALID_HANDLE, 400) \
  X(not_found, CUDA_ERROR_NOT_FOUND, 500) \
  X(bad_launch_shape, CUDA_ERROR_INVALID_VALUE, 1) \
  X(launch_failed, CUDA_ERROR_LAUNCH_FAILED, 719)

// Errors that persist until the process ends.
#define HM_NAMES_LOST(X) \
  X(unavailable, CUDA_ERROR_DEVICE_UNAVAILABLE, 46) \
  X(ecc, CUDA_ERROR_ECC_UNCORRECTABLE, 214) \
  X(link, CUDA_ERROR_NVLINK_UNCORRECTABLE, 220) \
  X(contained, CUDA_ERROR_CONTAINED, 226) \
  X(address, CUDA_ERROR_ILLEGAL_ADDRESS, 700) \
  X(timeout, CUDA_ERROR_LAUNCH_TIMEOUT, 702) \
  X(assertion, CUDA_ERROR_ASSERT, 710) \
  X(stack, CUDA_ERROR_HARDWARE_STACK_ERROR, 714) \
  X(instruction, CUDA_ERROR_ILLEGAL_INSTRUCTION, 715) \
  X(misaligned, CUDA_ERROR_MISALIGNED_ADDRESS, 716) \
  X(space, CUDA_ERROR_INVALID_ADDRESS_SPACE, 717) \
  X(counter, CUDA_ERROR_INVALID_PC, 718) \
  X(launch, CUDA_ERROR_LAUNCH_FAILED, 719) \
  X(tensor, CUDA_ERROR_TENSOR_MEMORY_LEAK, 721) \
  X(client, CUDA_ERROR_MPS_CLIENT_TERMINATED, 810) \
  X(external, CUDA_ERROR_EXTERNAL_DEVICE, 911) \
  X(unknown, CUDA_ERROR_UNKNOWN, 999)

// Returned by the toolkit's stub library.
#define HM_NAMES_STUB_CODE(X) \
  X(stub, CUDA_ERROR_STUB_LIBRARY, 34)
// clang-format on
