// SPDX-License-Identifier: Apache-2.0
// What a vendor is sent: short, a program by itself, and right about what it finds. Those of OpenCL
// are compiled and run on PoCL where that is installed; those of other interfaces are compiled
// where their headers are.
#include "tools/halfmark/reproducer.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "backends/reproducers.hpp"

namespace halfmark::tools {
namespace {

namespace fs = std::filesystem;
using suites::CaseResult;

backends::DeviceInfo device_of(std::string backend) {
  backends::DeviceInfo device;
  device.backend = std::move(backend);
  device.name = "pthread-cpu";
  device.promises.push_back({"fp16.storage", true, "", ""});
  device.max_group_items = 256;
  return device;
}

// 1.5 * 2 + 1 * 1 = 4, in one format throughout.
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

std::string reproducer_of(const backends::ReproducerFrame& frame, int which) {
  return write_reproducer(all_products(which), device_of(std::string(frame.backend)));
}

int run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

fs::path written(const std::string& text, const std::string& name) {
  const fs::path file = fs::path(::testing::TempDir()) / name;
  std::ofstream(file) << text;
  return file;
}

TEST(Reproducer, HasAtMostFortyLinesAndNoPlaceLeftOpen) {
  ASSERT_LE(2u, backends::reproducer_frames().size());
  for (const backends::ReproducerFrame& frame : backends::reproducer_frames()) {
    for (int which = 0; which < 3; ++which) {
      const std::string text = reproducer_of(frame, which);
      ASSERT_NE("", text) << frame.backend << ' ' << which;
      EXPECT_GE(40, std::count(text.begin(), text.end(), '\n')) << text;
      EXPECT_EQ(std::string::npos, text.find('@')) << text;
      EXPECT_NE(std::string::npos, text.find("needs the whole kernel")) << "what 0 would mean";
    }
  }
  EXPECT_EQ("", write_reproducer(all_products(0), device_of("host"))) << "there is no frame";
}

// The third line says how.
std::string compiler_of(const std::string& text) {
  const std::size_t start = text.find("// cc ") + 3;
  return text.substr(start, text.find("FILE", start) - start);
}

TEST(Reproducer, CompilesAsItSaysWhereTheHeadersAre) {
  int compiled = 0;
  for (const backends::ReproducerFrame& frame : backends::reproducer_frames()) {
    const std::string text = reproducer_of(frame, 0);
    const fs::path file = written(text, std::string(frame.backend) + ".c");
    const std::string compiler = compiler_of(text) + file.string();
    if (run(compiler + " -E -o /dev/null 2> /dev/null") != 0) continue;
    EXPECT_EQ(0, run(compiler + " -Wall -Wextra -Werror -fsyntax-only")) << compiler;
    ++compiled;
  }
  EXPECT_LE(1, compiled) << "OpenCL's headers are needed to build Halfmark";
}

// What the program says on PoCL: 2 where there is none.
int outcome_on_pocl(const CaseResult& finding, const std::string& name) {
  backends::DeviceInfo device = device_of("opencl");
  device.promises.push_back({"functions.opencl-c", true, "", ""});
  const fs::path file = written(write_reproducer(finding, device), name + ".c");
  const std::string program = file.string() + ".out";
  EXPECT_EQ(0, run("cc -Wall -Wextra -Werror -DCL_TARGET_OPENCL_VERSION=120 " + file.string() +
                   " -lOpenCL -o " + program));
  return run(program + " pthread");
}

TEST(Reproducer, OfAFunctionAllowsWhatItsRowAllows) {
  const std::string bounded = "exp2.standard.opencl-c.portable.n1.bits";
  const std::string edges = "tanh.standard.opencl-c.portable.n1.edges";
  const int inside = outcome_on_pocl(function(bounded, "40000000", "40800002"), "inside");
  if (inside == 2) GTEST_SKIP() << "PoCL is not installed";
  EXPECT_EQ(0, inside) << "4 lies in the range around the exact value, whatever is called expected";
  const std::string text =
      write_reproducer(function(bounded, "40000000", "40800000"), device_of("opencl"));
  EXPECT_EQ("", text) << "a device that promises nothing is sent nothing";
  EXPECT_EQ(0, outcome_on_pocl(function(edges, "00000000", "80000000"), "zero"))
      << "the sign of a zero is not asserted";
  EXPECT_EQ(1, outcome_on_pocl(function(edges, "00000000", "3f800000"), "edge"))
      << "an exact value is";
}

TEST(Reproducer, OfOpenclTellsAWrongResultFromARightOne) {
  const auto ends_with = [](const std::string& expected) {
    return outcome_on_pocl(bf16_product(expected), expected);
  };
  const int right = ends_with("4080");
  if (right == 2) GTEST_SKIP() << "PoCL is not installed";
  EXPECT_EQ(0, right) << "what the device gives is expected";
  EXPECT_EQ(1, ends_with("4081")) << "what it does not give is expected";
}

}  // namespace
}  // namespace halfmark::tools
