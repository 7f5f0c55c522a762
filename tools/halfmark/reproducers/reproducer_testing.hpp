// SPDX-License-Identifier: Apache-2.0
// For tests of stand-alone programs: invented findings, and helpers that compile and run programs.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "backends/device_info.hpp"
#include "backends/reproducers.hpp"
#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/registry.hpp"

namespace halfmark::tools {

inline backends::DeviceInfo device_of(std::string backend) {
  backends::DeviceInfo device;
  device.backend = std::move(backend);
  device.name = "pthread-cpu";
  for (const char* offered : {"fp16.storage", "functions.opencl-c"})
    device.promises.push_back({offered, true, "", ""});
  if (device.backend == "cuda" || device.backend == "hip" || device.backend == "musa")
    device.promises.push_back({"fp32.divide_sqrt_correctly_rounded", true, "", ""});
  device.max_group_items = 256;
  device.extra = {{"compiler", "c++"}, {"compiler_flags", "-x c++ -std=c++17 -O2 -shared"}};
  if (device.backend == "plugin") device.plugin = "plugin.so";
  return device;
}

/// Adds a library of that name that has every operator.
inline backends::DeviceInfo with_library(backends::DeviceInfo device, const std::string& name) {
  device.libraries = {
      {.name = name,
       .version = "1",
       .kind = name.starts_with("unit") ? "unit" : "library",
       .operators = {"gemm", "softmax", "log_softmax", "softmax_backward", "log_softmax_backward",
                     "layernorm", "gelu_tanh", "convert", "mse", "sum", "cross_entropy"},
       .usable = true,
       .evidence = ""}};
  return device;
}

/// Adds the library that the frame's program calls, and an architecture that supports it.
inline backends::DeviceInfo device_for(const std::string& backend,
                                       const backends::ReproducerFrame& frame) {
  backends::DeviceInfo device = device_of(backend);
  const bool is_wave = frame.library == "unit.wmma";
  device.extra["compute_capability"] = "9.0";
  device.extra["architecture"] = backend == "hip" ? (is_wave ? "gfx1100" : "gfx90a") : "sm_90";
  return with_library(device, frame.library.empty()  ? "library"
                              : frame.library == "*" ? "any"
                                                     : frame.library);
}

/// Claims that an element of a tensor, or else of the first output, differs from the reference; the
/// case is not reduced.
inline suites::CaseResult finding_in(const std::string& name, const backends::DeviceInfo& device,
                                     bool is_wrong, const std::string& tensor = "") {
  const suites::Case c = suites::parse_case(name);
  const auto problem = suites::find_suite(c.suite).bind(c);
  const suites::TensorSet inputs = problem->inputs();
  const suites::TensorSet expected = problem->expect(inputs).middle;
  suites::CaseResult finding;
  finding.name = name;
  finding.provider = c.word("provider");
  finding.promise = problem->row(device).promise;
  finding.verdict = suites::Verdict::kFail;
  suites::Element wrong;
  wrong.tensor = tensor;
  for (const suites::TensorSpec& spec : problem->plan(device).tensors) {
    if (spec.role == suites::Role::kOutput && wrong.tensor.empty()) wrong.tensor = spec.name;
  }
  if (wrong.tensor.empty()) wrong.tensor = expected.begin()->first;
  const formats::Tensor& result = expected.at(wrong.tensor);
  for (std::size_t i = 0; i < result.count(); ++i) {
    if (formats::is_finite(*result.format, result.at(i)) && result.at(i) != 0) wrong.index = i;
  }
  wrong.expected_hex = formats::hex(*result.format, result.at(wrong.index) ^ (is_wrong ? 1u : 0u));
  for (const suites::Operand& o : problem->operands(inputs, wrong.tensor, wrong.index)) {
    if (o.format != nullptr)
      wrong.operands.push_back({o.label, formats::hex(*o.format, o.bits), ""});
  }
  finding.wrong.push_back(wrong);
  return finding;
}

// The variant with alpha and beta is bounded, so a wrong expected value does not matter there.
inline constexpr const char* kBounded = "ab";
inline constexpr const char* kCalls[] = {
    "gemm.fp32.acc-fp32.out-fp32.library.nt.m5n3k4.plain.integer.s1",
    "gemm.fp32.acc-fp32.out-fp32.library.tt.m3n5k4.ab.integer.s1",
    "gemm.fp32.acc-fp32.out-fp32.library.tn.m3n5k4.ac.integer.s1",
    "gemm.fp32.acc-fp32.out-fp32.library.nn.m3n4k2.batch3.integer.s1"};
// Sums and alpha are in half precision, which not every driver that a test may run on supports.
inline constexpr const char* kHalfCall =
    "gemm.fp16.acc-fp16.out-fp16.library.nt.m5n3k4.eighth.integer.s1";
// For libraries whose products use descriptors.
inline constexpr const char* kDescribedCalls[] = {
    "gemm.fp16.acc-fp32.out-fp16.library.nt.m3n5k4.bias.integer.s1",
    "gemm.fp16.acc-fp32.out-fp16.library.nt.m3n5k4.relu.integer.s1",
    "gemm.e4m3fn.acc-fp32.out-fp16.library.nt.m16n16k16.plain.zeros.s1"};
inline constexpr const char* kUnitCalls[] = {
    "gemm.fp16.acc-fp32.out-fp32.unit.nt.m5n3k4.plain.integer.s1",
    "gemm.fp16.acc-fp32.out-fp32.unit.nn.m2n1k17.plain.ones.s1",
    "gemm.fp16.acc-fp32.out-fp32.unit.tn.m17n1k1.ac.integer.s1",
    "gemm.fp16.acc-fp32.out-fp32.unit.tt.m1n17k2.plain.integer.s1"};
inline constexpr const char* kRowCalls[] = {
    "softmax.forward.fp32.out-fp32.library.r2n3.normal.s1",
    "softmax.backward.fp32.out-fp32.library.r2n3.normal.s1"};
inline constexpr const char* kLayerNormCall =
    "layernorm.forward.fp32.library.r2n3.eps1e-5.normal.s1";

inline bool is_bounded(const std::string& call) {
  return suites::parse_case(call).word("variant") == kBounded;
}

/// Cases for which the frame's program is made; none for the program of a kernel.
inline std::vector<std::string> calls_of(const backends::ReproducerFrame& frame) {
  if (frame.library.empty()) return {};
  if (frame.kernel_of_call) return {std::begin(kUnitCalls), std::end(kUnitCalls)};
  if (frame.words_of_call) {
    std::vector<std::string> calls(std::begin(kRowCalls), std::end(kRowCalls));
    if (frame.words.contains("dnn.layer_norm_forward")) calls.emplace_back(kLayerNormCall);
    return calls;
  }
  std::vector<std::string> calls(std::begin(kCalls), std::end(kCalls));
  calls.emplace_back(kHalfCall);
  if (frame.words.contains("lt.create"))
    calls.insert(calls.end(), std::begin(kDescribedCalls), std::end(kDescribedCalls));
  return calls;
}

inline int run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A folder of this process, removed with it: tests that run at the same time write programs with
/// the same names.
inline std::filesystem::path folder() {
  static const struct Folder {
    std::filesystem::path path = std::filesystem::path(::testing::TempDir()) /
                                 ("halfmark-programs-" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
  } kFolder;
  return kFolder.path;
}

inline std::filesystem::path written(const std::string& text, const std::string& name) {
  const auto file = folder() / name;
  std::ofstream(file) << text;
  return file;
}

/// The third line says how to compile.
inline std::string compiler_of(const std::string& text) {
  std::size_t start = 0;
  for (int line = 0; line < 2; ++line) start = text.find('\n', start) + 1;
  return text.substr(start + 3, text.find("FILE", start) - start - 3);
}

/// Whether a driver offers the device that outcome_on_pocl() means. A program that does not build
/// there ends as one that finds no device does, so that its exit code does not tell.
inline bool has_pocl() {
  static const bool kFound = [] {
    for (const backends::BackendStatus& status : backends::enumerate()) {
      for (const backends::DeviceInfo& info : status.devices) {
        if (info.backend == "opencl" && info.name.find("pthread") != std::string::npos) return true;
      }
    }
    return false;
  }();
  return kFound;
}

/// The exit code of an OpenCL program on PoCL.
inline int outcome_on_pocl(const std::string& text, const std::string& libraries = "") {
  const std::string file = written(text, "pocl.c").string();
  EXPECT_EQ(0, run("cc -Wall -Wextra -Werror -DCL_TARGET_OPENCL_VERSION=120 " + file + libraries +
                   " -lOpenCL -o " + file + ".out"))
      << text;
  return run(file + ".out pthread");
}

/// The exit code of a program for the software device.
inline int outcome_on_host(const std::string& text) {
  const std::string file = written(text, "host.cpp").string();
  EXPECT_EQ(0,
            run(compiler_of(text) + file +
                " -pthread -Wall -Wextra -Werror -Wno-misleading-indentation -o " + file + ".out"))
      << text;
  return run(file + ".out");
}

}  // namespace halfmark::tools
