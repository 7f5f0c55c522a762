// SPDX-License-Identifier: Apache-2.0
// kernels/elementary.hk and reference/operators/elementary.cpp agree: every function, bit for bit,
// over all fp16 values and random fp32 encodings. The test is here because this suite is the first
// that needs both.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/backend.hpp"
#include "kernels/catalog.hpp"
#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/operators/elementary.hpp"
#include "suites/core/case/fills.hpp"

namespace halfmark::suites::softmax {
namespace {

using formats::Bits;
using formats::kFp32;

constexpr std::string_view kMaps = R"(
HM_KERNEL map_exp(HM_GLOBAL const float* x, HM_GLOBAL float* y, int count) {
  for (int i = HM_GID(0); i < count; i += HM_NGROUPS(0)) y[i] = hm_exp(x[i]);
}
HM_KERNEL map_log(HM_GLOBAL const float* x, HM_GLOBAL float* y, int count) {
  for (int i = HM_GID(0); i < count; i += HM_NGROUPS(0)) y[i] = hm_log(x[i]);
}
HM_KERNEL map_gelu(HM_GLOBAL const float* x, HM_GLOBAL float* y, int count) {
  for (int i = HM_GID(0); i < count; i += HM_NGROUPS(0)) y[i] = hm_gelu(x[i]);
}
HM_KERNEL map_gelu_derivative(HM_GLOBAL const float* x, HM_GLOBAL float* y, int count) {
  for (int i = HM_GID(0); i < count; i += HM_NGROUPS(0)) y[i] = hm_gelu_derivative(x[i]);
}
)";

struct Function {
  const char* entry;
  Bits (*reference)(const models::Machine&, Bits);
};

constexpr Function kFunctions[] = {{"map_exp", operators::exp},
                                   {"map_log", operators::log},
                                   {"map_gelu", operators::gelu},
                                   {"map_gelu_derivative", operators::gelu_derivative}};

// All fp16 values, then random encodings, then random values where the functions vary most.
formats::Tensor arguments() {
  constexpr std::size_t kRandom = 100000;
  const Random random(7);
  formats::Tensor x = formats::Tensor::zeros(kFp32, 65536 + 2 * kRandom);
  for (std::size_t i = 0; i < x.count(); ++i) {
    Bits bits = soft::convert(formats::kFp16, kFp32, i & 0xffff).bits;
    if (i >= 65536) bits = random.at(i) & kFp32.mask();
    if (i >= 65536 + kRandom) {
      bits = scaled(kFp32, static_cast<std::int64_t>(random.at(i) >> 20) - (std::int64_t{1} << 43),
                    -37);
    }
    x.set(i, bits);
  }
  return x;
}

void expect_equal_on(const std::string& selector) {
  backends::Device device = backends::Device::open(selector);
  std::vector<backends::Define> defines;
  for (const auto& [name, value] : operators::elementary_defines())
    defines.push_back({name, value});
  backends::Program program =
      device.build(kernels::program_text("elementary") + std::string(kMaps), defines);
  const formats::Tensor x = arguments();
  formats::Tensor y = x;
  backends::Buffer from = device.allocate(x.bytes.size());
  backends::Buffer to = device.allocate(x.bytes.size());
  from.write(0, x.bytes);
  const auto count = static_cast<std::int32_t>(x.count());
  for (const Function& function : kFunctions) {
    const backends::Argument launch_arguments[] = {&from, &to, count};
    program.launch(function.entry, {.groups = {64, 1, 1}, .items = {1, 1, 1}}, launch_arguments);
    to.read(0, y.bytes);
    for (std::size_t i = 0; i < x.count(); ++i) {
      const Bits expected = function.reference({}, x.at(i));
      const bool both_nan = formats::is_nan(kFp32, expected) && formats::is_nan(kFp32, y.at(i));
      if (expected == y.at(i) || both_nan) continue;
      ADD_FAILURE() << fmt::format("{} {}({}): expected {}, actual {}", selector, function.entry,
                                   formats::hex(kFp32, x.at(i)), formats::hex(kFp32, expected),
                                   formats::hex(kFp32, y.at(i)));
      return;
    }
  }
}

TEST(ElementaryKernels, GiveTheReferencesBitsOnHost) { expect_equal_on("host"); }

TEST(ElementaryKernels, GiveTheReferencesBitsOnCpusThatKeepSubnormals) {
  for (const backends::BackendStatus& backend : backends::enumerate()) {
    for (const backends::DeviceInfo& device : backend.devices) {
      if (device.kind == "cpu" && device.offers("fp32.subnormals"))
        expect_equal_on(device.selector);
    }
  }
}

}  // namespace
}  // namespace halfmark::suites::softmax
