// SPDX-License-Identifier: Apache-2.0
//
// Compares names.hpp with the headers of the CUDA toolkit, mostly at compile time.
#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nvrtc.h>

#include "backends/cuda/names.hpp"
#include "backends/cuda/vendor.hpp"
#include "backends/shim/header_check.hpp"

namespace halfmark::backends::cuda {
namespace {

// cuda.h redefines these names as newer variants; the rows mean the functions with these
// exact names.
#undef cuEventElapsedTime
#undef cuDevicePrimaryCtxRetain
extern "C" CUresult cuEventElapsedTime(float*, CUevent, CUevent);

HM_NAMES_DRIVER(HM_CHECK_DRIVER_CALL)
HM_NAMES_COMPILER(HM_CHECK_COMPILER_CALL)
HM_NAMES_COMPILER_OPTIONAL(HM_CHECK_COMPILER_CALL)
HM_NAMES_ATTRIBUTES(HM_CHECK_NUMBER)
HM_NAMES_CODES(HM_CHECK_NUMBER)
HM_NAMES_LOST(HM_CHECK_NUMBER)
HM_NAMES_STUB_CODE(HM_CHECK_NUMBER)

// The toolkit's stub library exports what every driver exports.
TEST(CudaHeaders, EverySymbolIsExported) {
  void* library = dlopen(HM_CUDA_STUB_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "the toolkit has no " << HM_CUDA_STUB_LIBRARY;
  for (const shim::Symbol& symbol : kVendor.driver.symbols) {
    EXPECT_NE(nullptr, dlsym(library, symbol.name)) << symbol.name;
  }
  EXPECT_EQ(nullptr, dlsym(library, "cuNoSuchCall"));
}

}  // namespace
}  // namespace halfmark::backends::cuda
