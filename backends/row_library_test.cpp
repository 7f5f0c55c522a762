// SPDX-License-Identifier: Apache-2.0
//
// Softmax, normalisation and their gradients in every library of every device of this machine, in
// every layout: axes, gaps, offsets and guard elements. A library must decline what it does not
// offer with its own message.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "backends/testing/known_findings.hpp"
#include "backends/testing/row_problems.hpp"
#include "backends/testing/test_devices.hpp"
#include "reference/formats/format.hpp"

namespace halfmark::backends {
namespace {

using namespace row_problems;  // NOLINT(google-build-using-namespace): they are this test's

class RowLibraryContract : public DeviceTest {
 protected:
  static std::vector<std::byte> bytes_of(const std::vector<double>& numbers,
                                         const formats::Format& format) {
    const std::size_t size = format.storage_bytes();
    std::vector<std::byte> bytes(numbers.size() * size);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint64_t word = encoded(format.name, numbers[i]);
      std::memcpy(bytes.data() + i * size, &word, size);
    }
    return bytes;
  }
  static TensorView view(const char* role, const Buffer& buffer, const Sizes& sizes,
                         const Sizes& strides, const formats::Format& format) {
    return {.role = role,
            .buffer = &buffer,
            .offset_bytes = static_cast<std::uint64_t>(kOffset) * format.storage_bytes(),
            .format = std::string(format.name),
            .sizes = sizes,
            .strides = strides};
  }
  // Treats -0 as 0: no library promises the sign of a vanishing gradient.
  static void expect_numbers(const std::vector<std::byte>& wanted, std::vector<std::byte> found,
                             const formats::Format& format, const std::string& what) {
    const std::size_t size = format.storage_bytes();
    for (std::size_t at = 0; at < found.size(); at += size) {
      std::uint64_t word = 0;
      std::memcpy(&word, found.data() + at, size);
      if (word == format.sign_mask()) std::memset(found.data() + at, 0, size);
    }
    EXPECT_TRUE(wanted == found) << what;
  }
  OperatorOutcome run(const Library& library, const Problem& problem, const Layout& layout,
                      std::string_view format, std::string_view compute);

  // Stand-ins and the software device offer everything that the interfaces can express.
  [[nodiscard]] bool is_ours() const {
    return device.info().kind == "stand-in" || device.info().kind == "software";
  }
};

// Whether the elements of both tensors are contiguous in memory.
bool is_packed(const Layout& layout) {
  std::int64_t count = 1;
  for (std::size_t axis = layout.sizes.size(); axis-- > 0; count *= layout.sizes[axis]) {
    if (layout.in[axis] != count || layout.out[axis] != count) return false;
  }
  return true;
}

OperatorOutcome RowLibraryContract::run(const Library& library, const Problem& problem,
                                        const Layout& layout, std::string_view format_name,
                                        std::string_view compute) {
  const formats::Format& format = *formats::find_format(format_name);
  std::vector<Buffer> buffers;
  OperatorCall call{.library = library.name,
                    .name = problem.name,
                    .compute = std::string(compute),
                    .tensors = {},
                    .scalars = {{"eps", 0}},
                    .options = {}};
  buffers.reserve(problem.in.size() + problem.out.size());
  for (const Given& given : problem.in) {
    const Placed tensor = placed(given, layout, false, format);
    buffers.push_back(filled_buffer(device, bytes_of(tensor.numbers, *tensor.format)));
    call.tensors.push_back(
        view(given.role, buffers.back(), tensor.sizes, tensor.strides, *tensor.format));
  }
  for (const Given& given : problem.out) {
    const Placed tensor = placed(given, layout, true, format);
    const std::vector<double> before(tensor.numbers.size(), kNobodys);
    buffers.push_back(filled_buffer(device, bytes_of(before, *tensor.format)));
    call.tensors.push_back(
        view(given.role, buffers.back(), tensor.sizes, tensor.strides, *tensor.format));
  }
  OperatorOutcome outcome = device.run(call);
  if (!outcome.supported) {
    EXPECT_FALSE(outcome.answer.empty());
    return outcome;
  }
  for (std::size_t i = 0; i < problem.out.size(); ++i) {
    const Placed tensor = placed(problem.out[i], layout, true, format);
    const std::string what =
        fmt::format("{} {}, {}: {}", problem.name, format_name, layout.name, problem.out[i].role);
    if (is_known(library.name, what)) continue;
    expect_numbers(bytes_of(tensor.numbers, *tensor.format),
                   content<std::byte>(buffers[problem.in.size() + i]), *tensor.format,
                   fmt::format("{} {}", library.name, what));
  }
  return outcome;
}

std::size_t rows_of(const Layout& layout) {
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis + 1 < layout.sizes.size(); ++axis) count *= layout.sizes[axis];
  return static_cast<std::size_t>(count);
}
std::vector<Problem> softmaxes(const Layout& layout) {
  const std::size_t rows = rows_of(layout);
  return {softmax(rows), log_softmax(rows), softmax_backward(rows), log_softmax_backward(rows)};
}
std::vector<Problem> norms(const Layout& layout) {
  const std::size_t rows = rows_of(layout);
  return {norm(rows, true), norm(rows, false), norm_backward(rows, true),
          norm_backward(rows, false)};
}

bool has(const Library& library, std::string_view name) {
  return library.usable && library.kind == "library" &&
         std::ranges::find(library.operators, name) != library.operators.end();
}

TEST_P(RowLibraryContract, SoftmaxOfEqualMaximaIsExactInEveryLayout) {
  int offered = 0;
  for (const Library& library : device.info().libraries) {
    if (!has(library, "softmax")) continue;
    for (const Layout& layout : kLayouts) {
      for (const Problem& problem : softmaxes(layout)) {
        for (const char* format : {"fp32", "fp16", "bf16"}) {
          const OperatorOutcome outcome = run(library, problem, layout, format, "fp32");
          offered += outcome.supported ? 1 : 0;
          if (!is_ours() || format == std::string_view("bf16")) continue;
          EXPECT_TRUE(outcome.supported)
              << library.name << " " << problem.name << ", " << layout.name << outcome.answer;
        }
      }
    }
    (void)run(library, softmax(12), kFree, "fp32", "fp32");
  }
  if (offered == 0) GTEST_SKIP() << "no usable library has a softmax";
}

TEST_P(RowLibraryContract, NormOfRowsAroundTheirMeanIsExactInEveryLayout) {
  int offered = 0;
  for (const Library& library : device.info().libraries) {
    if (!has(library, "layernorm")) continue;
    for (const Layout& layout : kLayouts) {
      for (const Problem& problem : norms(layout)) {
        if (!has(library, problem.name)) continue;
        for (const char* format : {"fp32", "fp16"}) {
          const OperatorOutcome outcome = run(library, problem, layout, format, "fp32");
          offered += outcome.supported ? 1 : 0;
          // A library with only this one call and no graphs takes only packed fp32.
          const bool takes_all = has(library, "layernorm_backward");
          const bool is_plain = is_packed(layout) && format == std::string_view("fp32");
          if (!is_ours() || !(takes_all ? layout.has_one_step : is_plain)) continue;
          EXPECT_TRUE(outcome.supported)
              << library.name << " " << problem.name << ", " << layout.name << outcome.answer;
        }
      }
    }
  }
  if (offered == 0) GTEST_SKIP() << "no usable library has a layernorm";
}

// The library's own message must arrive: fp64 with scalars of fp64.
TEST_P(RowLibraryContract, DoublesAreExactOrDeclined) {
  for (const Library& library : device.info().libraries) {
    if (!has(library, "softmax")) continue;
    for (const Problem& problem : softmaxes(kLayouts[1]))
      (void)run(library, problem, kLayouts[1], "fp64", "fp64");
  }
}

TEST_P(RowLibraryContract, WhatTheCallCannotSayIsDeclined) {
  for (const Library& library : device.info().libraries) {
    if (!is_ours() || !has(library, "softmax") || library.name == "host") continue;
    const Buffer memory = filled_buffer(device, std::vector<float>(64));
    const formats::Format& format = *formats::find_format("fp32");
    OperatorCall call{.library = library.name,
                      .name = "softmax",
                      .compute = "fp32",
                      .tensors = {view("x", memory, {2, 4}, {4, 1}, format),
                                  view("y", memory, {2, 4}, {4, 1}, format)},
                      .scalars = {},
                      .options = {}};
    EXPECT_TRUE(device.run(call).supported);
    OperatorCall other = call;
    other.options.push_back({"masked_row", "zero"});
    EXPECT_FALSE(device.run(other).supported);
    other = call;
    other.tensors.push_back(view("mask", memory, {2, 4}, {4, 1}, format));
    EXPECT_FALSE(device.run(other).supported);
    other = call;
    other.compute = "fp16";
    EXPECT_FALSE(device.run(other).supported);
    other = call;
    other.tensors[1].format = "fp16";
    EXPECT_FALSE(device.run(other).supported);
    other = call;
    other.tensors[0].strides = {0, 1};
    EXPECT_FALSE(device.run(other).supported);
  }
}

// Calls that such an interface would silently misread.
TEST_P(RowLibraryContract, WhatOneCallOfLayernormCannotSayIsDeclined) {
  for (const Library& library : device.info().libraries) {
    if (!is_ours() || !has(library, "layernorm") || has(library, "layernorm_backward")) continue;
    const formats::Format& format = *formats::find_format("fp32");
    const Buffer memory = filled_buffer(device, std::vector<float>(64));
    OperatorCall call{.library = library.name,
                      .name = "layernorm",
                      .compute = "fp32",
                      .tensors = {},
                      .scalars = {{"eps", 1}},
                      .options = {}};
    for (const char* role : {"x", "gamma", "beta", "y", "mean", "rstd"}) {
      const bool is_matrix = *role == 'x' || *role == 'y';
      const bool is_statistic = *role == 'm' || *role == 'r';
      const Sizes vector{is_statistic ? 2 : 4};
      call.tensors.push_back(view(role, memory, is_matrix ? Sizes{2, 4} : vector,
                                  is_matrix ? Sizes{4, 1} : Sizes{1}, format));
      call.tensors.back().offset_bytes = 32 * call.tensors.size();
    }
    EXPECT_TRUE(device.run(call).supported);
    const auto answer = [&](auto&& change) {
      OperatorCall other = call;
      change(other);
      return device.run(other).answer;
    };
    using testing::HasSubstr;
    EXPECT_THAT(answer([](OperatorCall& c) { c.tensors[1].format = "fp16"; }),
                HasSubstr("takes one format, not fp32 and fp16"));
    EXPECT_THAT(answer([](OperatorCall& c) { c.tensors[5].format = "fp16"; }),
                HasSubstr("takes one format, not fp32 and fp16"));
    EXPECT_THAT(answer([](OperatorCall& c) { c.tensors[4].strides = {2}; }),
                HasSubstr("packed tensors: 'mean'"));
    EXPECT_THAT(answer([](OperatorCall& c) { c.tensors.pop_back(); }), HasSubstr("'rstd'"));
    EXPECT_THAT(answer([](OperatorCall& c) { c.compute = "fp64"; }), HasSubstr("not fp64"));
    call.tensors[2].sizes = {3};
    EXPECT_THROW((void)device.run(call), BackendError);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, RowLibraryContract, testing::ValuesIn(all_devices()), test_name);

}  // namespace
}  // namespace halfmark::backends
