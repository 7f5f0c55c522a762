// SPDX-License-Identifier: Apache-2.0
//
// Compares names.hpp with the headers of the CUDA toolkit, mostly at compile time.
#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

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
HM_NAMES_DRIVER_OPTIONAL(HM_CHECK_DRIVER_CALL)
HM_NAMES_COMPILER(HM_CHECK_COMPILER_CALL)
HM_NAMES_COMPILER_OPTIONAL(HM_CHECK_COMPILER_CALL)
HM_NAMES_ATTRIBUTES(HM_CHECK_NUMBER)
HM_NAMES_CODES(HM_CHECK_NUMBER)
HM_NAMES_LOST(HM_CHECK_NUMBER)
HM_NAMES_STUB_CODE(HM_CHECK_NUMBER)

// The header says of which errors a process does not recover.
TEST(CudaHeaders, EveryErrorThatEndsTheProcessIsListed) {
  std::ifstream file(HM_CUDA_HEADER);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::regex row(R"(\*/\s*CUDA_ERROR_\w+\s*=\s*(\d+))");
  int count = 0;
  for (std::sregex_iterator one(text.begin(), text.end(), row), end; one != end; ++one) {
    const auto comment = text.rfind("/**", static_cast<std::size_t>(one->position()));
    ASSERT_NE(text.npos, comment);
    const std::string words =
        text.substr(comment, static_cast<std::size_t>(one->position()) - comment);
    if (words.find("must be terminated") == words.npos) continue;
    ++count;
    const int code = std::stoi((*one)[1]);
    EXPECT_EQ(1, std::ranges::count(kVendor.lost_codes, code)) << code << words;
  }
  EXPECT_GE(count, 8);
  // Errors of the hardware and of a kernel's assertion, without such a sentence in every release.
  for (const int code : {214, 220, 710, 721, 226}) {
    EXPECT_EQ(1, std::ranges::count(kVendor.lost_codes, code)) << code;
  }
}

// The toolkit's stub library exports what every driver exports.
TEST(CudaHeaders, EverySymbolIsExported) {
  if (*HM_CUDA_STUB_LIBRARY == '\0') GTEST_SKIP() << "packages have no stub";
  void* library = dlopen(HM_CUDA_STUB_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "the toolkit has no " << HM_CUDA_STUB_LIBRARY;
  for (const shim::Symbol& symbol : kVendor.driver.symbols) {
    EXPECT_NE(nullptr, dlsym(library, symbol.name)) << symbol.name;
  }
  EXPECT_EQ(nullptr, dlsym(library, "cuNoSuchCall"));
}

}  // namespace
}  // namespace halfmark::backends::cuda
