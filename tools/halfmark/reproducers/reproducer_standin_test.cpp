// SPDX-License-Identifier: Apache-2.0
// Programs for the interfaces that have a stand-in: compiled against the vendor's headers, or
// against headers written from the tables, and run on the stand-in's libraries. Tests replace the
// single instruction of a matrix unit by an emulation according to its documentation
// (backends/shim/unit_emulation.hpp), with numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/reproducers.hpp"
#include "tools/halfmark/reproducers/reproducer.hpp"
#include "tools/halfmark/reproducers/reproducer_testing.hpp"
#include "tools/halfmark/reproducers/vendor_header.hpp"

namespace halfmark::tools {
namespace {

namespace fs = std::filesystem;
using suites::CaseResult;

struct Vendor {
  const char* name;
  std::string (*header)(const backends::Words&);
};
#define HM_VENDOR_ROW(vendor) {#vendor, vendor::header_text},
constexpr Vendor kVendors[] = {HM_VENDORS(HM_VENDOR_ROW)};

class OnStandIn : public ::testing::TestWithParam<Vendor> {
 protected:
  void SetUp() override {
#ifdef HM_SANITIZED
    GTEST_SKIP() << "a program that is not sanitized cannot load sanitized libraries";
#endif
  }

  static std::vector<backends::ReproducerFrame> frames() {
    return backends::all_reproducer_frames().at(GetParam().name);
  }
  static backends::DeviceInfo device_with(const backends::ReproducerFrame& frame) {
    backends::DeviceInfo device = device_for(GetParam().name, frame);
    device.kind = "stand-in";
    return device;
  }

  static std::string text_of(const CaseResult& finding, const backends::DeviceInfo& device) {
    const Reproducer made = write_reproducer(finding, device);
    EXPECT_EQ("", made.reason) << finding.name;
    return made.text;
  }

  // The exit code of the program; -1 if it does not build.
  static int outcome(const std::string& text) {
    const std::string name = GetParam().name;
    const fs::path file = written(text, name + ".c");
    std::string compiler = compiler_of(text);
    if (run(compiler + file.string() + " -E -o /dev/null 2> /dev/null") != 0)
      compiler = compiler.substr(0, compiler.find(' ')) + " -I" + headers().string() + " ";
    const std::string folder = std::string(HM_STAND_IN_FOLDER) + "/" + name;
    const std::string program = file.string() + ".out";
    std::string libraries;
    for (const auto& library : fs::directory_iterator(folder)) {
      if (library.is_regular_file()) libraries += " " + library.path().string();
    }
    if (run(compiler + "-Wall -Wextra -Werror " + file.string() + libraries + " -o " + program) !=
        0)
      return -1;
    return run("LD_LIBRARY_PATH=" + folder + " " + program);
  }

 private:
  static fs::path headers() {
    const backends::Words words = frames().at(0).words;
    const fs::path place_of_all = folder() / (GetParam().name + std::string(".h"));
    for (const char* place :
         {"driver.header", "compiler.header", "blas.header", "lt.header", "dnn.header"}) {
      if (!words.contains(place)) continue;
      const fs::path file = place_of_all / words.at(place);
      fs::create_directories(file.parent_path());
      std::ofstream(file) << "#include \"" << (place_of_all / "all").string() << "\"\n";
    }
    std::ofstream(place_of_all / "all") << GetParam().header(words);
    return place_of_all;
  }
};

constexpr const char* kKernel = "gemm.bf16.acc-fp32.out-bf16.portable.nn.m1n1k2.plain.integer.s1";

TEST_P(OnStandIn, AKernelTellsAWrongResultFromARightOne) {
  const backends::DeviceInfo device = device_with(frames().at(0));
  EXPECT_EQ(0, outcome(text_of(finding_in(kKernel, device, false), device)));
  EXPECT_EQ(1, outcome(text_of(finding_in(kKernel, device, true), device)));
}

// Covers barriers, functions that kernels call, and consecutive launches.
TEST_P(OnStandIn, KernelsComputeWhatTheReferenceSays) {
  constexpr const char* kCase =
      "cross_entropy.forward.fp16.out-fp32.int64.mean.portable.r2n3.normal.s1";
  const backends::DeviceInfo device = device_with(frames().at(0));
  EXPECT_EQ(0, outcome(text_of(finding_in(kCase, device, false), device)));
}

TEST_P(OnStandIn, ALibraryMakesTheSameCall) {
  for (const backends::ReproducerFrame& frame : frames()) {
    if (frame.kernel_of_call || frame.words_of_call) continue;
    for (const std::string& call : calls_of(frame)) {
      SCOPED_TRACE(frame.library + ": " + call);
      const backends::DeviceInfo device = device_with(frame);
      const std::string text = text_of(finding_in(call, device, false), device);
      EXPECT_EQ(0, outcome(text)) << text;
      EXPECT_EQ(is_bounded(call) ? 0 : 1, outcome(text_of(finding_in(call, device, true), device)));
    }
  }
}

// The expected value is a range there, so the test changes an operand instead.
TEST_P(OnStandIn, ARowOperatorTellsAWrongResultFromARightOne) {
  for (const backends::ReproducerFrame& frame : frames()) {
    if (!frame.words_of_call) continue;
    for (const std::string& call : calls_of(frame)) {
      SCOPED_TRACE(frame.library + ": " + call);
      const backends::DeviceInfo device = device_with(frame);
      std::string text = text_of(finding_in(call, device, false), device);
      EXPECT_EQ(0, outcome(text)) << text;
      const std::size_t last = text.rfind("0x", text.find("}"));
      text[last + 3] = text[last + 3] == '0' ? 'e' : '0';  // its exponent, in the last row
      EXPECT_EQ(1, outcome(text)) << text;
    }
  }
}

// The instruction as documented: lanes share their operands, and each lane sums its own results.
struct Instruction {
  const char *vendor, *lanes, *as, *bs;
  const char *a_lane, *a_place, *b_lane, *b_place, *row, *column;
};
constexpr Instruction kInstructions[] = {
    {"cuda", "32", "8", "4", "row % 8 * 4 + k / 2 % 4", "2 * (row / 8 + 2 * (k / 8)) + k % 2",
     "column * 4 + k / 2 % 4", "2 * (k / 8) + k % 2", "lane / 4 + (i < 2 ? 0 : 8)",
     "lane % 4 * 2 + i % 2"},
    {"hip", "64", "4", "4", "16 * (k / 4) + row", "k % 4", "16 * (k / 4) + column", "k % 4",
     "4 * (lane / 16) + i", "lane % 16"},
};

std::string emulator_of(const Instruction& of) {
  constexpr const char* kText =
      "{ static thread_local unsigned short all_a[@lanes@][@as@], all_b[@lanes@][@bs@]; int lane = "
      "HM_LID(0); for (int i = 0; i < @as@; i++) all_a[lane][i] = a[i]; for (int i = 0; i < @bs@; "
      "i++) all_b[lane][i] = b[i]; HM_BARRIER(); for (int i = 0; i < 4; i++) { int row = @row@; "
      "int column = @column@; for (int k = 0; k < 16; k++) d[i] = HM_F2U(HM_U2F(d[i]) + "
      "hm_half_load(&all_a[@a_lane@][@a_place@], 0) * hm_half_load(&all_b[@b_lane@][@b_place@], "
      "0)); } HM_BARRIER(); }";
  return backends::filled(kText, {{"lanes", of.lanes},
                                  {"as", of.as},
                                  {"bs", of.bs},
                                  {"row", of.row},
                                  {"column", of.column},
                                  {"a_lane", of.a_lane},
                                  {"a_place", of.a_place},
                                  {"b_lane", of.b_lane},
                                  {"b_place", of.b_place}})
      .value_or("");
}

// Replaces the body of the function that executes the instruction.
std::string emulated(std::string text, const Instruction& of) {
  const std::size_t open = text.find('{', text.find("void hm_unit_multiply("));
  std::size_t end = open;
  int depth = 0;
  do {
    depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    ++end;
  } while (depth > 0 && end < text.size());
  return text.replace(open, end - open, emulator_of(of));
}

TEST_P(OnStandIn, AnInstructionIsLaunchedOnTheSameOperands) {
  const auto of = std::ranges::find(kInstructions, std::string_view(GetParam().name),
                                    [](const Instruction& one) { return one.vendor; });
  const auto all = frames();
  const auto frame = std::ranges::find(all, "unit", &backends::ReproducerFrame::library);
  ASSERT_EQ(of == std::end(kInstructions), frame == all.end());
  if (frame == all.end()) return;
  const backends::DeviceInfo device = device_with(*frame);
  for (const std::string& call : calls_of(*frame)) {
    SCOPED_TRACE(call);
    const std::string right = text_of(finding_in(call, device, false), device);
    EXPECT_EQ(0, outcome(emulated(right, *of))) << right;
    EXPECT_EQ(1, outcome(emulated(text_of(finding_in(call, device, true), device), *of)));
  }
}

// Builds a program that prints the kernel text as the run-time compiler receives it.
std::string source_of(const std::string& program) {
  const std::size_t first = program.find("#define TEXT");
  const std::size_t end = program.find("\nstatic ", program.find("TEXT(\n"));
  const fs::path file = written("#include <stdio.h>\n" + program.substr(first, end - first) +
                                    "\nint main(void) { return !puts(source); }\n",
                                "source.c");
  EXPECT_EQ(0, run("cc -w " + file.string() + " -o " + file.string() + ".out"));
  return file.string() + ".out";
}

// Compiles the real instruction, which the other tests emulate; nothing is run.
TEST(Instruction, IsWhatABareClangReads) {
  if (run("clang-19 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "clang-19 is not installed";
  constexpr const char* kWords =
      "-D__device__='__attribute__((device))' -D__global__='__attribute__((global))'";
  int read = 0;
  const auto frames = backends::all_reproducer_frames().at("hip");
  for (const backends::ReproducerFrame& frame : frames) {
    if (!frame.kernel_of_call) continue;
    const backends::DeviceInfo device = device_for("hip", frame);
    const std::string text =
        write_reproducer(finding_in(kUnitCalls[0], device, false), device).text;
    const std::string assembly = (folder() / "instruction.s").string();
    EXPECT_EQ(0,
              run(source_of(text) + " | clang-19 -x hip --cuda-device-only -nogpulib -nogpuinc " +
                  kWords + " --offload-arch=" + device.extra.at("architecture").get<std::string>() +
                  " -S -o " + assembly + " - && grep -q 'v_[mw][fm]ma_f32_16x16x16' " + assembly))
        << text;
    ++read;
  }
  EXPECT_EQ(2, read);
}

INSTANTIATE_TEST_SUITE_P(All, OnStandIn, ::testing::ValuesIn(kVendors),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace halfmark::tools
