// SPDX-License-Identifier: Apache-2.0
// Which findings get a program of their own: every suite and provider, on every backend. A suite
// that is not in the table is tried with its first case.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backends/reproducers.hpp"
#include "tools/halfmark/reproducers/reproducer.hpp"
#include "tools/halfmark/reproducers/reproducer_testing.hpp"

namespace halfmark::tools {
namespace {

struct Row {
  std::string_view suite, provider;
  const char* name;  // a case as small as reduced cases are, or one whose wrong element is enough
};

constexpr Row kRows[] = {
    {"activation", "portable", "activation.gelu_tanh.fp16.portable.n5.all.s1"},
    {"activation", "library", "activation.gelu_tanh.fp16.library.n5.all.s1"},
    {"arithmetic", "portable", "arithmetic.fp32.fma.portable.n5.bits.s1"},
    {"convert", "portable", "convert.fp32.to-fp16.infinity.portable.n5.bits.s1"},
    {"convert", "library", "convert.fp32.to-fp16.infinity.library.n5.bits.s1"},
    {"cross_entropy", "portable",
     "cross_entropy.forward.fp16.out-fp32.int64.mean.portable.r2n3.normal.s1"},
    {"cross_entropy", "library",
     "cross_entropy.forward.fp16.out-fp32.int64.mean.library.r2n3.normal.s1"},
    {"elementary", "portable", "elementary.fp32.exp2.standard.opencl-c.portable.n5.bits.s1"},
    {"elementary", "portable", "elementary.fp32.pow.standard.opencl-c.portable.n600.moderate.s1"},
    {"elementary", "portable", "elementary.fp32.pown.standard.opencl-c.portable.n600.moderate.s1"},
    {"elementary", "portable", "elementary.fp32.sinpi.standard.opencl-c.portable.n600.moderate.s1"},
    {"elementary", "portable", "elementary.fp32.powr.half.opencl-c.portable.n600.moderate.s1"},
    {"elementary", "portable", "elementary.fp16.erf.standard.opencl-c.portable.n600.halves.s1"},
    {"elementary", "portable", "elementary.fp16.pow.standard.opencl-c.portable.n600.moderate.s1"},
    {"gemm", "portable", "gemm.fp32.acc-fp32.out-fp32.portable.tn.m3n5k4.ab.integer.s1"},
    {"gemm", "library", "gemm.fp32.acc-fp32.out-fp32.library.nt.m5n3k4.plain.integer.s1"},
    {"gemm", "library", "gemm.fp16.acc-fp16.out-fp16.library.nt.m5n3k4.plain.integer.s1"},
    {"gemm", "unit", "gemm.fp16.acc-fp32.out-fp32.unit.nt.m5n3k4.plain.integer.s1"},
    {"layernorm", "portable", "layernorm.backward.fp16.portable.r2n3.eps1e-5.normal.s1"},
    {"layernorm", "library", "layernorm.forward.fp16.library.r2n3.eps1e-5.normal.s1"},
    {"layernorm", "library", kLayerNormCall},
    {"loss", "portable", "loss.mse.fp16.out-fp32.portable.r2n5p0.normal.s1"},
    {"loss", "library", "loss.mse.fp16.out-fp32.library.r2n5p0.normal.s1"},
    {"loss_scaled_backward", "portable",
     "loss_scaled_backward.portable.b1i2h1o1.scale65536.lone.s1"},
    {"loss_scaled_backward", "library", "loss_scaled_backward.library.b1i2h1o1.scale65536.lone.s1"},
    {"loss_scaling", "portable", "loss_scaling.pytorch.fp32.portable.n1d1.overflow.s1"},
    {"optimizer", "portable", "optimizer.sgd.fp32.portable.n1.steps.s1"},
    {"rates", "portable", "rates.fp32.add.portable.w1.n64r1.periodic.s1"},
    {"reduction", "portable", "reduction.sum.fp16.out-fp32.portable.r2n5.integer.s1"},
    {"reduction", "library", "reduction.sum.fp16.out-fp32.library.r2n5.integer.s1"},
    {"softmax", "portable", "softmax.forward.bf16.out-bf16.portable.r2n3.mask.s1"},
    {"softmax", "library", "softmax.forward.fp32.out-fp32.library.r2n3.normal.s1"},
    {"statistics", "portable", "statistics.fp16.portable.n5.special.s1"},
    {"transfer", "portable", "transfer.portable.n5o0.upload-whole.read-whole.s1"},
};

// "library2" is the second library, "unit2" the second form of a unit; their programs are the same.
std::string_view kind_of(std::string_view provider) {
  return provider.ends_with('2') ? provider.substr(0, provider.size() - 1) : provider;
}

bool is_listed(const suites::Suite& suite, std::string_view provider) {
  return std::ranges::any_of(kRows, [&](const Row& row) {
    return row.suite == suite.name && row.provider == kind_of(provider);
  });
}

// The first smoke case of each suite and provider that has no row, with few elements.
std::vector<std::string> unlisted_cases() {
  std::vector<std::string> names;
  for (const suites::Suite* suite : suites::all_suites()) {
    std::set<std::string, std::less<>> seen;
    for (suites::Case& c : suite->cases(suites::Level::kSmoke, 1)) {
      const std::string provider(c.word("provider"));
      if (is_listed(*suite, provider) || !seen.insert(provider).second) continue;
      for (suites::Token& token : c.tokens) {
        if (token.axis == "size") token.text = "n5";
      }
      names.push_back(suites::print(c));
    }
  }
  return names;
}

const std::vector<Row>& all_rows() {
  static const std::vector<std::string> kUnlisted = unlisted_cases();
  static const std::vector<Row> kAll = [] {
    std::vector<Row> rows(std::begin(kRows), std::end(kRows));
    for (const std::string& name : kUnlisted) {
      const suites::Case c = suites::parse_case(name);
      const auto& suite = suites::find_suite(c.suite);
      const auto axis = std::ranges::find(suite.axes, "provider", &suites::Axis::name);
      rows.push_back(
          {suite.name, *std::ranges::find(axis->words, c.word("provider")), name.c_str()});
    }
    return rows;
  }();
  return kAll;
}

std::vector<backends::ReproducerFrame> frames_of(const std::string& backend) {
  return backends::all_reproducer_frames().at(backend);
}

bool has_fp16_functions(const Row& row) {
  return std::string_view(row.name).starts_with("elementary.fp16.");
}

// Offers what the row needs.
backends::DeviceInfo offering(backends::DeviceInfo device, const Row& row) {
  if (has_fp16_functions(row)) device.promises.push_back({"fp16.arithmetic", true, "", ""});
  return device;
}

// Whether a program of the frame can show what the provider did.
bool is_for(const backends::ReproducerFrame& frame, std::string_view provider) {
  if (frame.library.empty()) return provider == "portable";
  return (provider == "unit") == (frame.kernel_of_call != nullptr);
}

// Empty if some program of the backend shows a finding of the row.
std::string reason_of(const Row& row, const std::string& backend) {
  const std::string provider = row.provider == "unit" ? "unit" : "library";
  const backends::DeviceInfo other = offering(with_library(device_of(backend), provider), row);
  std::string reason = write_reproducer(finding_in(row.name, other, true), other).reason;
  for (const backends::ReproducerFrame& frame : frames_of(backend)) {
    if (!is_for(frame, row.provider)) continue;
    const backends::DeviceInfo device = offering(device_for(backend, frame), row);
    const Reproducer made = write_reproducer(finding_in(row.name, device, true), device);
    if (!made.text.empty()) return "";
    reason = made.reason;
  }
  return reason;
}

// Whether the dialect of a backend has the function of a row; a plug-in's is not known, and what it
// ran it has.
bool has_function(const Row& row, const std::string& backend) {
  if (backend == "opencl" || backend == "plugin") return true;
  const suites::Case c = suites::parse_case(row.name);
  if (c.word("kind") == "half" || c.word("operation") == "pown") return false;
  if (c.word("operation") == "sinpi") return backend == "cuda";
  return c.word("format") == "fp16" ? backend == "host" : backend != "hip" && backend != "musa";
}

// Why a backend has no program; empty for a row that it has.
std::string expected_reason(const Row& row, const std::string& backend) {
  if (row.suite == "transfer") return "it launches nothing";
  if (row.suite == "loss_scaled_backward" && row.provider == "library")
    return "calls of a library alternate with kernels";
  const bool has_units = backend == "cuda" || backend == "hip";
  // A group of 64 items with eight chains each: their numbers alone would fill the program.
  if (row.suite == "rates") return "its kernels need";
  const bool has_threads_for_items = backend == "host" || backend == "cpu";
  const bool is_script = row.suite == "loss_scaling" || row.suite == "optimizer";
  if (is_script && !has_threads_for_items) return "its kernels need";
  if (has_threads_for_items && row.provider != "portable")
    return "there is no program for a library of this backend";
  if (row.provider == "unit")
    return has_units || backend == "plugin" ? "" : "there is no program that calls unit";
  if (row.provider == "portable") {
    const bool is_sequence = is_script || row.suite == "cross_entropy" || row.suite == "statistics";
    if (row.suite == "elementary" && !has_function(row, backend))
      return "its kernel is not in the language of the device";
    if (has_threads_for_items && is_sequence)
      return "it is more than one launch, and work-items are threads of the program";
    return "";
  }
  if (backend == "plugin" || (row.suite == "gemm")) return "";
  if (has_units && row.suite == "softmax") return "";
  if (row.suite != "layernorm" || !has_units) return "there is no program for";
  if (backend == "cuda") return "layernorm of cuDNN takes a graph of descriptors";
  return row.name == std::string_view(kLayerNormCall) ? "" : "MIOpen's layernorm of fp16 writes";
}

TEST(ReproducerTable, HasAProgramOrAReason) {
  for (const auto& [backend, frames] : backends::all_reproducer_frames()) {
    for (const Row& row : all_rows()) {
      const std::string expected = expected_reason(row, backend);
      const std::string reason = reason_of(row, backend);
      if (expected.empty()) {
        EXPECT_EQ("", reason) << row.name << " on " << backend;
      } else {
        EXPECT_TRUE(reason.starts_with(expected))
            << row.name << " on " << backend << ": " << reason;
      }
    }
  }
}

// Expects the right value of a case, which must pass, and a wrong one, which must be reported.
class OnADriver : public ::testing::TestWithParam<Row> {};
class OnTheHost : public ::testing::TestWithParam<Row> {};

TEST_P(OnADriver, AKernelAloneComputesWhatTheReferenceSays) {
  if (!has_pocl()) GTEST_SKIP() << "PoCL is not installed";
  const backends::DeviceInfo device = device_of("opencl");
  for (const bool is_wrong : {false, true}) {
    const Reproducer made = write_reproducer(finding_in(GetParam().name, device, is_wrong), device);
    ASSERT_NE("", made.text) << made.reason;
    const bool is_bounded = GetParam().suite == "elementary";
    EXPECT_EQ(is_wrong && !is_bounded ? 1 : 0, outcome_on_pocl(made.text)) << made.text;
  }
}

TEST_P(OnTheHost, AKernelAloneComputesIt) {
  const backends::DeviceInfo device = offering(device_of("host"), GetParam());
  const Reproducer made = write_reproducer(finding_in(GetParam().name, device, false), device);
  const bool exists = expected_reason(GetParam(), "host").empty();
  ASSERT_EQ(exists, !made.text.empty()) << made.reason;
  if (!exists) return;
  EXPECT_EQ(0, outcome_on_host(made.text)) << made.text;
}

std::vector<Row> portable_rows() {
  std::vector<Row> rows;
  std::ranges::copy_if(all_rows(), std::back_inserter(rows), [](const Row& row) {
    return row.provider == "portable" && expected_reason(row, "opencl").empty();
  });
  return rows;
}

// PoCL has no fp16 arithmetic.
std::vector<Row> rows_of_driver() {
  std::vector<Row> rows = portable_rows();
  std::erase_if(rows, has_fp16_functions);
  return rows;
}

std::string test_name(const ::testing::TestParamInfo<Row>& test) {
  std::string name = test.param.name;
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, OnADriver, ::testing::ValuesIn(rows_of_driver()), test_name);
INSTANTIATE_TEST_SUITE_P(All, OnTheHost, ::testing::ValuesIn(portable_rows()), test_name);

// A plug-in's dialect defines its words when the kernel is built, so that they must stay, and what
// the dialect reads must be passed on.
TEST(ReproducerOfAPlugIn, LeavesTheWordsOfItsDialect) {
  const auto text_of = [](const char* name) {
    const backends::DeviceInfo device = offering(device_of("plugin"), {"", "portable", name});
    const Reproducer made = write_reproducer(finding_in(name, device, true), device);
    EXPECT_EQ("", made.reason);
    return made.text;
  };
  const std::string erf = text_of("elementary.fp16.erf.standard.opencl-c.portable.n5.halves.s1");
  EXPECT_NE(std::string::npos, erf.find("HM_VENDOR_FP16(erf, hm_half_from_bits(x[i]))")) << erf;
  EXPECT_NE(std::string::npos, erf.find("definitions, 0, &program")) << erf;
  const std::string copy = text_of("rates.fp32.copy.portable.w4.n64r1.periodic.s1");
  EXPECT_NE(std::string::npos, copy.find("hm_pack_flip(a0)")) << copy;
  EXPECT_NE(std::string::npos, copy.find(R"({"HM_PACK_WIDTH", "4"}, )")) << copy;
  EXPECT_NE(std::string::npos, copy.find("definitions, 2, &program")) << copy;
}

// A text that calls the vendor's functions is compiled with the contraction that the vendor's table
// of their errors assumes; every other one without.
TEST(ReproducerOfAKernel, HasTheOptionsThatItsCaseWasBuiltWith) {
  const auto text_of = [](const char* name) {
    const backends::DeviceInfo device = device_of("cuda");
    const Reproducer made = write_reproducer(finding_in(name, device, true), device);
    EXPECT_EQ("", made.reason);
    return made.text;
  };
  const std::string function =
      text_of("elementary.fp32.exp2.standard.opencl-c.portable.n5.bits.s1");
  EXPECT_EQ(std::string::npos, function.find("--fmad=false")) << function;
  EXPECT_NE(std::string::npos, function.find("5, (const char*[]){architecture, \"--ftz=false\""))
      << function;
  const std::string sum = text_of("arithmetic.fp32.muladd.portable.n5.bits.s1");
  EXPECT_NE(std::string::npos, sum.find("6, (const char*[]){architecture, \"--fmad=false\""))
      << sum;
}

// A compiler may be older than the device.
TEST(ReproducerOfAKernel, IsCompiledForWhatItsCaseWasCompiledFor) {
  backends::DeviceInfo device = device_of("cuda");
  device.extra["compute_capability"] = "10.3";
  const auto text_of = [&] {
    const char* name = "arithmetic.fp32.muladd.portable.n5.bits.s1";
    return write_reproducer(finding_in(name, device, true), device).text;
  };
  EXPECT_NE(std::string::npos, text_of().find("&major"))
      << "the device's own, if no other is known";
  device.extra["compiled_for"] = "sm_100";
  const std::string text = text_of();
  EXPECT_NE(std::string::npos, text.find("\"--gpu-architecture=sm_100\"")) << text;
  EXPECT_EQ(std::string::npos, text.find("&major")) << text;
}

// Each launch of a step takes what earlier ones made: a program runs those that it needs, and takes
// the other results as operands.
TEST(ReproducerOfAStep, ShowsATensorFromAnyOfItsLaunches) {
  if (!has_pocl()) GTEST_SKIP() << "PoCL is not installed";
  const backends::DeviceInfo device = device_of("opencl");
  const std::string name = "loss_scaled_backward.fp8.biases.portable.b2i3h4o2.scale65536.normal.s1";
  for (const char* tensor : {"01_acc", "05_dy_fp8", "06_ab_sums", "09_dw1", "09_db1"}) {
    const Reproducer made = write_reproducer(finding_in(name, device, false, tensor), device);
    ASSERT_NE("", made.text) << tensor << ": " << made.reason;
    EXPECT_EQ(0, outcome_on_pocl(made.text)) << tensor << "\n" << made.text;
  }
  const Reproducer wrong = write_reproducer(finding_in(name, device, true, "06_ab_sums"), device);
  EXPECT_EQ(1, outcome_on_pocl(wrong.text)) << wrong.text;
}

// A single program would find no difference, and so report that the device is right.
TEST(ReproducerOfRuns, HasNoCompany) {
  const backends::DeviceInfo device = device_of("opencl");
  for (const auto& [variant, finding_class] :
       std::map<std::string, std::string>{{"queue8", "race"}, {"beside200", "nondet"}}) {
    suites::CaseResult finding = finding_in(
        "gemm.fp16.acc-fp32.out-fp16.portable.nn.m3n5k4." + variant + ".integer.s1", device, false);
    finding.wrong.clear();
    finding.finding_class = finding_class;
    const Reproducer made = write_reproducer(finding, device);
    EXPECT_EQ("", made.text);
    EXPECT_TRUE(made.reason.starts_with("its runs differ only while other work")) << made.reason;
  }
}

// The finding says that runs differ, but on this driver they agree.
TEST(ReproducerOfRuns, FindsNothingWhereRunsAgree) {
  if (!has_pocl()) GTEST_SKIP() << "PoCL is not installed";
  const backends::DeviceInfo device = device_of("opencl");
  suites::CaseResult finding =
      finding_in("reduction.sum.fp16.out-fp32.portable.r2n5.integer.s1", device, false);
  finding.wrong.clear();
  finding.finding_class = "race";
  const Reproducer made = write_reproducer(finding, device);
  ASSERT_NE("", made.text) << made.reason;
  EXPECT_LE(std::ranges::count(made.text, '\n'), 40) << made.text;
  EXPECT_NE(std::string::npos, made.text.find("run < 200")) << made.text;
  EXPECT_EQ(0, outcome_on_pocl(made.text)) << made.text;
  // One kernel reads past the end of its operand, so that runs differ; the other computes a wrong
  // result, but the same one in every run.
  for (const auto& [what, by] : std::map<std::string, std::string>{
           {"i < width", "i < width + 1"}, {"hm_lanes_sum(lanes, lane, sum)", "sum"}}) {
    std::string text = made.text;
    const std::size_t at = text.find(what);
    ASSERT_NE(std::string::npos, at) << text;
    text.replace(at, what.size(), by);
    EXPECT_EQ(what == "i < width" ? 1 : 0, outcome_on_pocl(text)) << text;
  }
}

}  // namespace
}  // namespace halfmark::tools
