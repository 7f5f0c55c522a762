// SPDX-License-Identifier: Apache-2.0
//
// The symbols and numbers of the HIP module interface and of hipRTC. backends/shim/vendor.hpp
// explains the rows; header_test.cpp compares them with hip_runtime_api.h and hiprtc.h.
//
// Assumption: the structure of hipGetDeviceProperties has changed, and its name with it; only the
// text in it is used, so any version works.
#pragma once

// clang-format off: one row per line
#define HM_NAMES_DRIVER(X) \
  X(initialise, hipInit) \
  X(driver_version, hipDriverGetVersion) \
  X(runtime_version, hipRuntimeGetVersion) \
  X(device_count, hipGetDeviceCount) \
  X(device_of, hipDeviceGet) \
  X(device_name, hipDeviceGetName) \
  X(device_memory, hipDeviceTotalMem) \
  X(device_attribute, hipDeviceGetAttribute) \
  X(device_bus_id, hipDeviceGetPCIBusId) \
  X(select_device, hipSetDevice) \
  X(synchronise, hipDeviceSynchronize) \
  X(stream_create, hipStreamCreateWithFlags) \
  X(stream_destroy, hipStreamDestroy) \
  X(stream_synchronise, hipStreamSynchronize) \
  X(allocate, hipMalloc) \
  X(release, hipFree) \
  X(copy_in, hipMemcpyHtoD) \
  X(copy_out, hipMemcpyDtoH) \
  X(module_load, hipModuleLoadData) \
  X(module_unload, hipModuleUnload) \
  X(module_function, hipModuleGetFunction) \
  X(launch, hipModuleLaunchKernel) \
  X(event_create, hipEventCreateWithFlags) \
  X(event_destroy, hipEventDestroy) \
  X(event_record, hipEventRecord) \
  X(event_wait, hipEventSynchronize) \
  X(event_elapsed, hipEventElapsedTime) \
  X(error_name_of, hipGetErrorName) \
  HM_NAMES_SINCE_6(X) \
  HM_NAMES_UNTIL_5(X)

// What one version's headers do not declare, header_test.cpp leaves out.
#ifndef HM_NAMES_UNTIL_5
#define HM_NAMES_UNTIL_5(X) \
  X(device_properties, hipGetDeviceProperties)
#endif
#ifndef HM_NAMES_SINCE_6
#define HM_NAMES_SINCE_6(X) \
  X(device_properties, hipGetDevicePropertiesR0600)
#endif

#define HM_NAMES_DRIVER_OPTIONAL(X) \
  X(memory_info, hipMemGetInfo)

#define HM_NAMES_COMPILER(X) \
  X(version, hiprtcVersion) \
  X(error_name_of, hiprtcGetErrorString) \
  X(create, hiprtcCreateProgram) \
  X(destroy, hiprtcDestroyProgram) \
  X(compile, hiprtcCompileProgram) \
  X(log_bytes, hiprtcGetProgramLogSize) \
  X(log, hiprtcGetProgramLog) \
  X(image_bytes, hiprtcGetCodeSize) \
  X(image, hiprtcGetCode)

#define HM_NAMES_COMPILER_OPTIONAL(X)

#define HM_NAMES_ATTRIBUTES(X) \
  X(max_group_items, hipDeviceAttributeMaxThreadsPerBlock, 56) \
  X(local_memory_bytes, hipDeviceAttributeMaxSharedMemoryPerBlock, 74) \
  X(warp_items, hipDeviceAttributeWarpSize, 87) \
  X(compute_units, hipDeviceAttributeMultiprocessorCount, 63) \
  X(clock_khz, hipDeviceAttributeClockRate, 5) \
  X(memory_clock_khz, hipDeviceAttributeMemoryClockRate, 60) \
  X(memory_bus_bits, hipDeviceAttributeMemoryBusWidth, 59) \
  X(cache_bytes, hipDeviceAttributeL2CacheSize, 19) \
  X(ecc, hipDeviceAttributeEccEnabled, 0) \
  X(integrated, hipDeviceAttributeIntegrated, 16) \
  X(capability_major, hipDeviceAttributeComputeCapabilityMajor, 23) \
  X(capability_minor, hipDeviceAttributeComputeCapabilityMinor, 61)

#define HM_NAMES_CODES(X) \
  X(invalid_value, hipErrorInvalidValue, 1) \
  X(out_of_memory, hipErrorOutOfMemory, 2) \
  X(not_initialised, hipErrorNotInitialized, 3) \
  X(no_device, hipErrorNoDevice, 100) \
  X(invalid_device, hipErrorInvalidDevice, 101) \
  X(invalid_image, hipErrorInvalidImage, 200) \
  X(wrong_architecture, hipErrorNoBinaryForGpu, 209) \
  X(no_context, hipErrorInvalidContext, 201) \
  X(invalid_handle, hipErrorInvalidHandle, 400) \
  X(not_found, hipErrorNotFound, 500) \
  X(bad_launch_shape, hipErrorInvalidConfiguration, 9) \
  X(launch_failed, hipErrorLaunchFailure, 719)

// Errors that persist until the process ends.
#define HM_NAMES_LOST(X) \
  X(ecc, hipErrorECCNotCorrectable, 214) \
  X(address, hipErrorIllegalAddress, 700) \
  X(timeout, hipErrorLaunchTimeOut, 702) \
  X(assertion, hipErrorAssert, 710) \
  X(launch, hipErrorLaunchFailure, 719) \
  X(unknown, hipErrorUnknown, 999)
// clang-format on
