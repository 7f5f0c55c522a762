// SPDX-License-Identifier: Apache-2.0
//
// Kernels as the drivers of this machine compile them. Nothing is launched, so a driver may compile
// for a different processor. `ci/with_intel` provides Intel's driver.
#include "backends/opencl/census.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "backends/code/x86_decoder.hpp"
#include "backends/opencl/api.hpp"
#include "backends/opencl/describe.hpp"
#include "backends/opencl/platforms.hpp"

namespace halfmark::backends::opencl {
namespace {

// Loops whose trip count the compiler does not know: half in each step, converted once and in each
// step, no arithmetic at all.
constexpr const char* kText = R"(
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void half_chain(__global half* x, half a, half b, int n) {
  half v = x[get_global_id(0)];
  for (int i = 0; i < n; ++i) v = v * a + b;
  x[get_global_id(0)] = v;
}
__kernel void half_fma(__global half* x, half a, half b, int n) {
  half v = x[get_global_id(0)];
  for (int i = 0; i < n; ++i) v = fma(v, a, b);
  x[get_global_id(0)] = v;
}
#endif
__kernel void once(__global half* x, float a, float b, int n) {
  float v = vload_half(get_global_id(0), x);
  for (int i = 0; i < n; ++i) v = v * a + b;
  vstore_half(v, get_global_id(0), x);
}
__kernel void each(__global half* x, float a, float b, int n) {
  for (int i = 0; i < n; ++i)
    vstore_half(vload_half(get_global_id(0), x) * a + b, get_global_id(0), x);
}
__kernel void copy(__global int* x, int n) { x[get_global_id(0)] = x[get_global_id(0) + n]; }
)";

std::vector<std::byte> compiled(const FoundDevice& found) {
  cl_int code = CL_SUCCESS;
  const Context context(
      calls().clCreateContext(nullptr, 1, &found.device, nullptr, nullptr, &code));
  check("clCreateContext", code);
  const char* text = kText;
  const BuiltProgram program(
      calls().clCreateProgramWithSource(context.raw(), 1, &text, nullptr, &code));
  check("clCreateProgramWithSource", code);
  check("clBuildProgram",
        calls().clBuildProgram(program.raw(), 1, &found.device, "", nullptr, nullptr));
  std::size_t bytes = 0;
  check("clGetProgramInfo", calls().clGetProgramInfo(program.raw(), CL_PROGRAM_BINARY_SIZES,
                                                     sizeof bytes, &bytes, nullptr));
  std::vector<std::byte> image(bytes);
  std::byte* target = image.data();
  check("clGetProgramInfo", calls().clGetProgramInfo(program.raw(), CL_PROGRAM_BINARIES,
                                                     sizeof target, &target, nullptr));
  return image;
}

class OpenClCensus : public testing::Test {
 protected:
  // Compiles for the first device whose platform has that word in its name; skips when there
  // is none.
  void compile_for(const std::string& platform) {
    if (!x86_decoder_lacks().empty()) GTEST_SKIP() << x86_decoder_lacks();
    const std::vector<FoundDevice> devices = discover().devices;
    const auto found = std::ranges::find_if(devices, [&](const FoundDevice& device) {
      return platform_text(device.platform, CL_PLATFORM_NAME).find(platform) != std::string::npos;
    });
    if (found == devices.end()) GTEST_SKIP() << "no driver of " << platform << " here";
    image_ = compiled(*found);
  }

  CensusReading read(const char* kernel) {
    CensusReading reading = census_of(image_, kernel);
    EXPECT_TRUE(reading.census) << kernel << ": " << reading.why;
    if (!reading.census) reading.census = reading.in_loops = Census{};
    return reading;
  }

  std::vector<std::byte> image_;
};

// PoCL converts in integers and fp32, so that no instruction is a conversion.
TEST_F(OpenClCensus, ReadsPocl) {
  ASSERT_NO_FATAL_FAILURE(compile_for("Portable Computing Language"));
  if (IsSkipped()) return;
  const CensusReading once = read("once");
  const CensusReading each = read("each");
  EXPECT_LT(0u, once.in_loops->single);
  EXPECT_GT(once.census->single, once.in_loops->single) << "it converts outside of the loop";
  EXPECT_EQ(each.census, each.in_loops);
  EXPECT_EQ(Census{}, read("copy").census);
  for (const char* kernel : {"once", "each", "copy"})
    EXPECT_TRUE(read(kernel).unresolved_calls.empty()) << kernel;
  EXPECT_EQ("PoCL's image contains no code of other for any group size",
            census_of(image_, "other").why);
  EXPECT_TRUE(backends::census_of(image_, "once").census) << "not in the list of readers";
}

// Expectations common to both modes.
void expect_loops_of_fp32(const CensusReading& once, const CensusReading& each) {
  EXPECT_LT(0u, once.census->conversions);
  EXPECT_LT(0u, once.in_loops->single);
  EXPECT_EQ(0u, once.in_loops->conversions);
  EXPECT_LE(2u, each.in_loops->conversions);
  EXPECT_LT(0u, each.in_loops->single);
  EXPECT_EQ(0u, once.census->half + each.census->half);
}

// The processor that the driver shall compile for, as ci/with_intel names it.
std::string target() {
  const char* processor = std::getenv("CL_CONFIG_CPU_TARGET_ARCH");
  return processor == nullptr ? "" : processor;
}
// Of the driver's default, which is either on processors with AVX512-FP16.
bool has_native_half() {
  std::ifstream cpus("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(cpus), {}};
  return text.find("avx512_fp16") != std::string::npos;
}

TEST_F(OpenClCensus, ReadsIntelsEmulation) {
  if (target() != "skx" && (!target().empty() || has_native_half()))
    GTEST_SKIP() << "without CL_CONFIG_CPU_TARGET_ARCH=skx half may be native here";
  ASSERT_NO_FATAL_FAILURE(compile_for("Intel(R) OpenCL"));
  if (IsSkipped()) return;
  expect_loops_of_fp32(read("once"), read("each"));
  for (const char* kernel : {"half_chain", "half_fma"}) {
    const CensusReading reading = read(kernel);
    EXPECT_EQ(0u, reading.census->half) << kernel;
    EXPECT_LT(0u, reading.in_loops->single) << kernel;
    EXPECT_LE(2u, reading.in_loops->conversions) << kernel << " converts in each step";
    EXPECT_TRUE(reading.unresolved_calls.empty()) << kernel;
  }
  EXPECT_EQ(Census{}, read("copy").census);
  EXPECT_TRUE(backends::census_of(image_, "once").census) << "not in the list of readers";
}

// The driver's fma is a call into its own library.
TEST_F(OpenClCensus, ReadsIntelsHalf) {
  if (target() != "sapphirerapids")
    GTEST_SKIP() << "CL_CONFIG_CPU_TARGET_ARCH does not ask for sapphirerapids";
  ASSERT_NO_FATAL_FAILURE(compile_for("Intel(R) OpenCL"));
  if (IsSkipped()) return;
  expect_loops_of_fp32(read("once"), read("each"));
  for (const char* kernel : {"half_chain", "half_fma"}) {
    const CensusReading reading = read(kernel);
    EXPECT_LT(0u, reading.in_loops->half) << kernel;
    EXPECT_EQ(0u, reading.in_loops->conversions + reading.in_loops->single) << kernel;
    EXPECT_TRUE(reading.unresolved_calls.empty()) << kernel;
  }
}

TEST(OpenClCensusOf, LeavesOtherImagesToOthers) {
  for (const char* text : {"", "poclbi", "; ModuleID = 'x'",
                           "\x7f"
                           "ELF"}) {
    const CensusReading reading =
        census_of(std::as_bytes(std::span(text, std::strlen(text) + 1)), "k");
    EXPECT_FALSE(reading.census) << text;
    EXPECT_EQ("", reading.why) << text;
  }
}

// A file whose length differs from that of its content.
TEST(OpenClCensusOf, BelievesNoLength) {
  const auto image = [](std::uint32_t path, std::uint32_t contents) {
    std::string text("poclbin\0", 8);
    const auto add = [&](std::uint32_t number) {
      text.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    add(path);
    text += "/k/0-0-0/k.so";
    add(contents);
    return text + "ABC";
  };
  const auto why = [&](std::uint32_t path, std::uint32_t contents) {
    const std::string bytes = image(path, contents);
    return census_of(std::as_bytes(std::span(bytes)), "k").why;
  };
  EXPECT_EQ("the image contains no x86-64 code", why(13, 3));
  for (const auto& [path, contents] : {std::pair{13u, 4u}, {13u, ~0u}, {12u, 3u}, {~0u, 3u}}) {
    EXPECT_EQ("PoCL's image contains no code of k for any group size", why(path, contents))
        << path << ' ' << contents;
  }
}

}  // namespace
}  // namespace halfmark::backends::opencl
