// SPDX-License-Identifier: Apache-2.0
// The programs that a vendor receives: short, self-contained, and right about what they find.
// Compiles and runs those for OpenCL and CLBlast on PoCL where that is installed, and those for the
// software device with its compiler. Those for interfaces with a stand-in are in
// reproducer_standin_test, those for plug-ins in plugins_test.py.
#include "tools/halfmark/reproducers/reproducer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/reproducers.hpp"
#include "tools/halfmark/reproducers/reproducer_testing.hpp"

namespace halfmark::tools {
namespace {

namespace fs = std::filesystem;
using suites::CaseResult;

std::string text_of(const CaseResult& finding, const backends::DeviceInfo& device) {
  return write_reproducer(finding, device).text;
}

// 1.5 * 2 + 1 * 1 = 4, in a single format.
CaseResult product(const std::string& path, const std::string& format,
                   const std::vector<std::string>& hex, const std::string& expected) {
  CaseResult finding;
  finding.name = "gemm." + path + ".portable.nn.m1n1k2.plain.integer.s1";
  finding.provider = "portable";
  suites::Reduction reduction;
  reduction.case_name = finding.name;
  reduction.tensors = {{"a", format, 2, {0, 1}, {hex[0], hex[1]}, {}},
                       {"b", format, 2, {0, 1}, {hex[2], hex[1]}, {}}};
  suites::Element wrong;
  wrong.tensor = "d";
  wrong.expected_hex = expected;
  reduction.wrong.push_back(wrong);
  finding.reduction = reduction;
  return finding;
}

CaseResult bf16_product(const std::string& expected) {
  return product("bf16.acc-fp32.out-bf16", "bf16", {"3fc0", "3f80", "4000"}, expected);
}

CaseResult all_products(int which) {
  if (which == 0) return bf16_product("4080");
  if (which == 1)
    return product("fp16.acc-fp32.out-fp16", "fp16", {"3e00", "3c00", "4000"}, "4400");
  return product("fp32.acc-fp32.out-fp32", "fp32", {"3fc00000", "3f800000", "40000000"},
                 "40800000");
}

// 2^2 = 4 on a row that allows 3 ULP, and tanh(infinity) = 1 on one that allows nothing.
CaseResult function(const std::string& words, const std::string& operand, const std::string& got) {
  CaseResult finding;
  finding.name = "elementary.fp32." + words + ".s1";
  finding.provider = "portable";
  suites::Element wrong;
  wrong.tensor = "y";
  wrong.operands = {{"x", operand, ""}};
  wrong.expected_hex = got;
  finding.wrong.push_back(wrong);
  return finding;
}

// One for each frame and case.
struct Written {
  std::string backend, text;
  backends::Words words;
};

std::vector<Written> all_programs() {
  std::vector<Written> programs;
  for (const auto& [name, frames] : backends::all_reproducer_frames()) {
    for (const backends::ReproducerFrame& frame : frames) {
      const backends::DeviceInfo device = device_for(name, frame);
      const auto add = [&](const CaseResult& finding) {
        programs.push_back({name, text_of(finding, device), frame.words});
      };
      for (int which = 0; which < 3 && frame.library.empty(); ++which) add(all_products(which));
      for (const std::string& call : calls_of(frame)) add(finding_in(call, device, true));
    }
  }
  return programs;
}

TEST(Reproducer, HasAtMostFortyLinesAndNoPlaceLeftOpen) {
  const std::vector<Written> programs = all_programs();
  EXPECT_LE(std::size_t{6 * 3 + 5 * 5 + 2 * 8 + 2 + 3 + 4 * 4}, programs.size())
      << "kernels, and calls of BLAS, of described products, of row operators, of units";
  for (const Written& program : programs) {
    ASSERT_NE("", program.text) << program.backend;
    EXPECT_GE(40, std::count(program.text.begin(), program.text.end(), '\n')) << program.text;
    EXPECT_EQ(std::string::npos, program.text.find('@')) << program.text;
    EXPECT_NE(std::string::npos, program.text.find("exit code 1: results differ; 0: "));
  }
}

TEST(Reproducer, OfAChainSaysWhatARightResultMeans) {
  CaseResult finding = all_products(0);
  finding.mismatches = 1;
  finding.explanations = {{.hypothesis = "fma-flushes-inputs",
                           .finding_class = "ftz_in",
                           .sentence = "",
                           .freedoms = {"operation_subnormals"},
                           .explained = 1}};
  const std::string text = text_of(finding, device_of("opencl"));
  EXPECT_NE(std::string::npos, text.find("chain(")) << text;
  EXPECT_NE(std::string::npos, text.find("needs the whole kernel"));
}

TEST(Reproducer, CompilesAsItSaysWhereTheHeadersAre) {
  int compiled = 0;
  for (const Written& program : all_programs()) {
    const fs::path file = written(program.text, program.backend + ".c");
    const std::string compiler = compiler_of(program.text) + file.string();
    if (run(compiler + " -E -o /dev/null 2> /dev/null") != 0) continue;
    EXPECT_EQ(0, run(compiler + " -Wall -Wextra -Werror -Wno-misleading-indentation -fsyntax-only"))
        << program.text;
    ++compiled;
  }
  EXPECT_LE(6, compiled) << "OpenCL's headers and a C++ compiler are needed to build Halfmark";
}

int outcome_on_pocl(const CaseResult& finding) {
  return tools::outcome_on_pocl(text_of(finding, device_of("opencl")));
}

TEST(Reproducer, OfAFunctionAllowsWhatItsRowAllows) {
  const std::string bounded = "exp2.standard.opencl-c.portable.n1.bits";
  const std::string edges = "tanh.standard.opencl-c.portable.n1.edges";
  if (!has_pocl()) GTEST_SKIP() << "PoCL is not installed";
  EXPECT_EQ(0, outcome_on_pocl(function(bounded, "40000000", "40800002")))
      << "4 lies in the range around the exact value, whatever is called expected";
  backends::DeviceInfo silent = device_of("opencl");
  silent.promises.clear();
  const Reproducer none = write_reproducer(function(bounded, "40000000", "40800000"), silent);
  EXPECT_EQ("", none.text) << "a device that promises nothing is sent nothing";
  EXPECT_NE("", none.reason);
  EXPECT_EQ(0, outcome_on_pocl(function(edges, "00000000", "80000000")))
      << "the sign of a zero is not asserted";
  EXPECT_EQ(1, outcome_on_pocl(function(edges, "00000000", "3f800000"))) << "an exact value is";
}

TEST(Reproducer, OfOpenclTellsAWrongResultFromARightOne) {
  const auto ends_with = [](const std::string& expected) {
    return outcome_on_pocl(bf16_product(expected));
  };
  if (!has_pocl()) GTEST_SKIP() << "PoCL is not installed";
  EXPECT_EQ(0, ends_with("4080")) << "what the device gives is expected";
  EXPECT_EQ(1, ends_with("4081")) << "what it does not give is expected";
}

TEST(Reproducer, OfALibraryMakesTheSameCall) {
  const backends::DeviceInfo device = with_library(device_of("opencl"), "CLBlast");
  for (const char* call : kCalls) {
    const auto ends_with = [&](bool is_wrong) {
      return tools::outcome_on_pocl(text_of(finding_in(call, device, is_wrong), device),
                                    " -lclblast");
    };
    if (run("echo '#include <clblast_c.h>' | cc -DCL_TARGET_OPENCL_VERSION=120 -xc -fsyntax-only - "
            "2> /dev/null") != 0)
      GTEST_SKIP() << "CLBlast's header is not installed";
    if (!has_pocl()) GTEST_SKIP() << "PoCL is not installed";
    EXPECT_EQ(0, ends_with(false)) << call;
    EXPECT_EQ(is_bounded(call) ? 0 : 1, ends_with(true)) << call;
  }
}

TEST(Reproducer, OfTheSoftwareDeviceIsAProgramByItself) {
  for (const bool is_wrong : {false, true}) {
    const std::string text = text_of(bf16_product(is_wrong ? "4081" : "4080"), device_of("host"));
    EXPECT_EQ(is_wrong ? 1 : 0, outcome_on_host(text));
  }
}

}  // namespace
}  // namespace halfmark::tools
