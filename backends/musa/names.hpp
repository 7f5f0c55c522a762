// SPDX-License-Identifier: Apache-2.0
//
// The symbols and numbers of the MUSA driver interface and of MTRTC. backends/shim/vendor.hpp
// explains the rows.
//
// Assumptions, from public programs that open these libraries, because the headers were not
// available for comparison:
//  1. Names and numbers are those of the interface that it mirrors, suffixes included. If a suffix
//  is uncertain, both names are listed: rows with the same role are alternatives.
//  2. The compiler's results are fat binaries, under their own names.
#pragma once

// clang-format off: one row per line
#define HM_NAMES_DRIVER(X) \
  X(initialise, muInit) \
  X(driver_version, muDriverGetVersion) \
  X(device_count, muDeviceGetCount) \
  X(device_of, muDeviceGet) \
  X(device_name, muDeviceGetName) \
  X(device_memory, muDeviceTotalMem_v2) \
  X(device_attribute, muDeviceGetAttribute) \
  X(context_retain, muDevicePrimaryCtxRetain) \
  X(context_release, muDevicePrimaryCtxRelease_v2) \
  X(context_release, muDevicePrimaryCtxRelease) \
  X(context_current, muCtxSetCurrent) \
  X(synchronise, muCtxSynchronize) \
  X(stream_create, muStreamCreate) \
  X(stream_destroy, muStreamDestroy_v2) \
  X(stream_destroy, muStreamDestroy) \
  X(stream_synchronise, muStreamSynchronize) \
  X(allocate, muMemAlloc_v2) \
  X(release, muMemFree_v2) \
  X(copy_in, muMemcpyHtoD_v2) \
  X(copy_out, muMemcpyDtoH_v2) \
  X(module_load, muModuleLoadData) \
  X(module_unload, muModuleUnload) \
  X(module_function, muModuleGetFunction) \
  X(launch, muLaunchKernel) \
  X(event_create, muEventCreate) \
  X(event_destroy, muEventDestroy_v2) \
  X(event_destroy, muEventDestroy) \
  X(event_record, muEventRecord) \
  X(event_wait, muEventSynchronize) \
  X(event_elapsed, muEventElapsedTime) \
  X(error_name, muGetErrorName)

#define HM_NAMES_DRIVER_OPTIONAL(X) \
  X(device_bus_id, muDeviceGetPCIBusId) \
  X(memory_info, muMemGetInfo_v2)

#define HM_NAMES_COMPILER(X) \
  X(version, mtrtcVersion) \
  X(error_name_of, mtrtcGetErrorString) \
  X(create, mtrtcCreateProgram) \
  X(destroy, mtrtcDestroyProgram) \
  X(compile, mtrtcCompileProgram) \
  X(log_bytes, mtrtcGetProgramLogSize) \
  X(log, mtrtcGetProgramLog) \
  X(image_bytes, mtrtcGetFatBinSize) \
  X(image, mtrtcGetFatBin)

#define HM_NAMES_COMPILER_OPTIONAL(X)

#define HM_NAMES_ATTRIBUTES(X) \
  X(max_group_items, MU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1) \
  X(local_memory_bytes, MU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8) \
  X(warp_items, MU_DEVICE_ATTRIBUTE_WARP_SIZE, 10) \
  X(compute_units, MU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16) \
  X(clock_khz, MU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13) \
  X(memory_clock_khz, MU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36) \
  X(memory_bus_bits, MU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37) \
  X(cache_bytes, MU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38) \
  X(ecc, MU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32) \
  X(integrated, MU_DEVICE_ATTRIBUTE_INTEGRATED, 18) \
  X(capability_major, MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
  X(capability_minor, MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)

#define HM_NAMES_CODES(X) \
  X(invalid_value, MUSA_ERROR_INVALID_VALUE, 1) \
  X(out_of_memory, MUSA_ERROR_OUT_OF_MEMORY, 2) \
  X(not_initialised, MUSA_ERROR_NOT_INITIALIZED, 3) \
  X(no_device, MUSA_ERROR_NO_DEVICE, 100) \
  X(invalid_device, MUSA_ERROR_INVALID_DEVICE, 101) \
  X(invalid_image, MUSA_ERROR_INVALID_IMAGE, 200) \
  X(wrong_architecture, MUSA_ERROR_NO_BINARY_FOR_GPU, 209) \
  X(no_context, MUSA_ERROR_INVALID_CONTEXT, 201) \
  X(invalid_handle, MUSA_ERROR_INVALID_HANDLE, 400) \
  X(not_found, MUSA_ERROR_NOT_FOUND, 500) \
  X(bad_launch_shape, MUSA_ERROR_INVALID_VALUE, 1) \
  X(launch_failed, MUSA_ERROR_LAUNCH_FAILED, 719)

// Errors that persist until the process ends.
#define HM_NAMES_LOST(X) \
  X(ecc, MUSA_ERROR_ECC_UNCORRECTABLE, 214) \
  X(address, MUSA_ERROR_ILLEGAL_ADDRESS, 700) \
  X(timeout, MUSA_ERROR_LAUNCH_TIMEOUT, 702) \
  X(launch, MUSA_ERROR_LAUNCH_FAILED, 719) \
  X(unknown, MUSA_ERROR_UNKNOWN, 999)
// clang-format on
