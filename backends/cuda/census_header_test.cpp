// SPDX-License-Identifier: Apache-2.0
//
// Runs the census on code that the toolkit's compiler makes of a text, where the toolkit is
// installed. Single PTX instructions stand for what a driver might generate from any text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "backends/cuda/census.hpp"
#include "backends/cuda/vendor.hpp"
#include "backends/shim/search.hpp"

namespace halfmark::backends::cuda {
namespace {

// mul and add of halves are fused in one kernel and not in the other; the third requests a half but
// contains what a driver without such units would generate.
constexpr const char* kText = R"(
extern "C" __global__ void half_fma(unsigned short* s, float* f) {
  asm("fma.rn.f16 %0, %0, %1, %2;" : "+h"(s[0]) : "h"(s[1]), "h"(s[2]));
}
extern "C" __global__ void half_mul_add(unsigned short* s, float* f) {
  asm("mul.rn.f16 %0, %0, %1;" : "+h"(s[0]) : "h"(s[1]));
  asm("add.rn.f16 %0, %0, %1;" : "+h"(s[0]) : "h"(s[2]));
}
extern "C" __global__ void converted_fma(unsigned short* s, float* f) {
  float a, b, c;
  asm("cvt.f32.f16 %0, %1;" : "=f"(a) : "h"(s[0]));
  asm("cvt.f32.f16 %0, %1;" : "=f"(b) : "h"(s[1]));
  asm("cvt.f32.f16 %0, %1;" : "=f"(c) : "h"(s[2]));
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(s[0]) : "f"(__fmaf_rn(a, b, c)));
}
extern "C" __global__ void bf16_fma(unsigned short* s, float* f) {
  asm("fma.rn.bf16 %0, %0, %1, %2;" : "+h"(s[0]) : "h"(s[1]), "h"(s[2]));
}
extern "C" __global__ void copy(unsigned short* s, float* f) {
  s[0] = s[1];
  f[0] = 1.0f;
}
)";

class Compiler {
 public:
  // Returns false when no compiler library of the vendor that knows these devices can be opened.
  bool open() {
    std::vector<std::string> reasons;
    bool found = false;
    const auto use = [&](const shim::OpenLibrary& library) {
      library.bind(kVendor.compiler.symbols, &calls_);
      int major = 0;
      int minor = 0;
      found = calls_.version(&major, &minor) == 0 && major >= 13;
      return found;
    };
    shim::first_usable(kVendor.compiler, reasons, use);
    return found;
  }

  [[nodiscard]] std::vector<std::byte> image(const char* architecture) const {
    void* program = nullptr;
    EXPECT_EQ(0, calls_.create(&program, kText, "census.cu", 0, nullptr, nullptr));
    const std::string option = fmt::format("--gpu-architecture={}", architecture);
    const std::array<const char*, 2> options = {option.c_str(), "--fmad=false"};
    EXPECT_EQ(0, calls_.compile(program, 2, options.data())) << architecture;
    std::size_t bytes = 0;
    EXPECT_EQ(0, calls_.image_bytes(program, &bytes));
    std::vector<char> code(bytes);
    EXPECT_EQ(0, calls_.image(program, code.data()));
    calls_.destroy(&program);
    const auto whole = std::as_bytes(std::span(code));
    return {whole.begin(), whole.end()};
  }

 private:
  shim::CompilerCalls calls_{};
};

TEST(CudaCensus, OfRealImages) {
  Compiler compiler;
  if (!compiler.open()) GTEST_SKIP() << "no compiler of the toolkit, 13 or later, is here";
  for (const char* architecture : {"sm_80", "sm_90", "sm_100"}) {
    const auto image = compiler.image(architecture);
    EXPECT_EQ((Census{.half = 1}), census_of(image, "half_fma").census) << architecture;
    EXPECT_EQ((Census{.half = 2}), census_of(image, "half_mul_add").census) << architecture;
    EXPECT_EQ((Census{.single = 1, .conversions = 4}), census_of(image, "converted_fma").census)
        << architecture;
    EXPECT_EQ((Census{.bf16 = 1}), census_of(image, "bf16_fma").census) << architecture;
    EXPECT_EQ(Census{}, census_of(image, "copy").census) << architecture;
  }
}

}  // namespace
}  // namespace halfmark::backends::cuda
