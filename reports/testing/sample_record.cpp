// SPDX-License-Identifier: Apache-2.0
#include "reports/testing/sample_record.hpp"

#include <algorithm>

#include "reports/scorecard.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;
using suites::CaseResult;
using suites::Standing;
using suites::Verdict;

constexpr const char* kFp32Gemm = "gemm.fp32.acc-fp32.portable.nt.m512n512k512.normal.s7";
constexpr const char* kFp16Gemm = "gemm.fp16.acc-fp32.portable.nt.m512n512k512.normal.s7";

json promise(const char* capability, bool offered, const char* evidence) {
  return {{"capability", capability},
          {"offered", offered},
          {"evidence", evidence},
          {"clause", "Example Runtime Manual, 4.2"}};
}

json sample_library() {
  return {{"name", "ExampleBLAS"}, {"version", "3.2.1"},
          {"kind", "library"},     {"operators", {"gemm"}},
          {"usable", true},        {"evidence", "/usr/lib/libexampleblas.so.3"}};
}

json sample_device() {
  return {{"selector", "toy:0"},
          {"backend", "toy"},
          {"name", "Example A1 <rev B>"},
          {"vendor", "Example Silicon"},
          {"platform", "Example Runtime"},
          {"driver_version", "3.2.1"},
          {"kind", "accelerator"},
          {"memory_bytes", 8589934592u},
          {"promises",
           {promise("fp16.storage", true, "EX_HALF_STORAGE"),
            promise("fp16.arithmetic", false, "EX_HALF lacks ARITH"),
            promise("fp32.subnormals", false, "EX_SINGLE_CONFIG=0x3e lacks DENORM")}}};
}

CaseResult not_supported(const std::string& name) {
  CaseResult r = passing_case(name);
  r.verdict = Verdict::kNotSupported;
  r.reason = "fp16.arithmetic is not offered: EX_HALF lacks ARITH";
  r.digest.clear();
  return r;
}

void flush(CaseResult& r) {
  r.verdict = Verdict::kFail;
  r.standing = Standing::kDeviation;
  r.finding_class = "ftz";
  r.permitted_by = "Example Runtime Manual, 4.2 (EX_SINGLE_CONFIG=0x3e lacks DENORM)";
  r.mismatches = 17;
  r.reason = "17 of 4096 elements differ: fma flushes subnormal results to zero";
  r.wrong = {{.tensor = "d",
              .index = 12,
              .operands = {{"a", "00800000", "0x1p-126"},
                           {"b", "3f000000", "0x1p-1"},
                           {"c", "80000000", "-0x0p+0"}},
              .expected_hex = "00400000",
              .expected_value = "0x1p-127",
              .actual_hex = "00000000",
              .actual_value = "0x0p+0",
              .ulps = 4194304}};
  r.geometry = {{.tensor = "d",
                 .rows = 1,
                 .columns = 4096,
                 .wrong = 17,
                 .first_column = 12,
                 .last_column = 4012,
                 .patterns = {"only elements that leave 12 modulo 250", "each is a zero"},
                 .differ_ever = "00400000",
                 .differ_always = "00400000",
                 .sentence = "17 of 4096 elements of d (4096) are wrong (0.42 %): only elements "
                             "that leave 12 modulo 250; each is a zero"}};
  r.reduction = suites::Reduction{
      .case_name = "arithmetic.fp32.fma.portable.n1.mixed.s7",
      .tensors =
          {{.name = "a",
            .format = "fp32",
            .count = 1,
            .indices = {0},
            .hex = {"00400000"},
            .values = {"0x1p-127"}},
           {.name = "b",
            .format = "fp32",
            .count = 1,
            .indices = {0},
            .hex = {"3f800000"},
            .values = {"0x1p+0"}},
           {.name = "c", .format = "fp32", .count = 1, .indices = {}, .hex = {}, .values = {}}},
      .wrong = {r.wrong[0]},
      .trials = 31,
      .end = "nothing smaller was found"};
  r.explanations = {{.hypothesis = "fma-flushes-results",
                     .finding_class = "ftz",
                     .sentence = "fma flushes subnormal results to zero",
                     .freedoms = {"operation_subnormals"},
                     .explained = 17,
                     .contradicted = 0},
                    {.hypothesis = "flushes-all",
                     .finding_class = "ftz",
                     .sentence = "every operation flushes subnormal operands and results to zero",
                     .freedoms = {"operation_subnormals"},
                     .explained = 17,
                     .contradicted = 212}};
}

void drop_edge(CaseResult& r) {
  make_violation(r, "edge_tile");
  r.mismatches = 65;
  r.elements = 4225;
  r.reason = "65 of 4225 elements differ: the last row of a tile is dropped";
  r.wrong = {{.tensor = "d",
              .index = 4160,
              .operands = {{"a[64,0]", "3c00", "0x1p+0"}, {"b[0,0]", "4000", "0x1p+1"}},
              .expected_hex = "5140",
              .expected_value = "0x1.5p+5",
              .actual_hex = "0000",
              .actual_value = "0x0p+0",
              .ulps = 20800}};
  r.geometry = {{.tensor = "d",
                 .rows = 65,
                 .columns = 65,
                 .wrong = 65,
                 .first_row = 64,
                 .last_row = 64,
                 .first_column = 0,
                 .last_column = 64,
                 .complete = true,
                 .patterns = {"the last row", "each is 0000 (0x0p+0)"},
                 .differ_ever = "7fff",
                 .differ_always = "4000",
                 .sentence =
                     "65 of 4225 elements of d (65 x 65) are wrong (1.5 %): all of the last "
                     "row; each is 0000 (0x0p+0)"}};
  r.explanations = {{.hypothesis = "dropped-tail",
                     .finding_class = "edge_tile",
                     .sentence = "the last row of a tile is dropped",
                     .freedoms = {},
                     .explained = 64,
                     .contradicted = 0}};
}

std::vector<Canary> sample_canaries(bool flushing) {
  const std::string claim = "EX_SINGLE_CONFIG=0x3e lacks DENORM";
  const auto kept = [&](const char* name, const char* call) {
    return Canary{name, std::string("kept: ") + call, "subnormals survive this operation", "ok",
                  claim};
  };
  std::vector<Canary> canaries = {
      kept("fp32.subnormals.add", "add(00800001, 80800000) = 00000001"),
      kept("fp32.subnormals.add.operand", "add(00000001, 00000001) = 00000002"),
      kept("fp32.subnormals.mul", "mul(00800000, 3f000000) = 00400000"),
      kept("fp16.subnormals.store", "to_fp16(33800000) = 0001"),
      {"fp32.contraction", "separate: muladd(3f800800, 3f800800, bf801000) = 00000000",
       "a * b + c with contraction off is two operations", "ok", ""},
  };
  canaries.push_back(
      flushing
          ? Canary{"fp32.subnormals.fma", "flushed: fma(00800000, 3f000000, 00000000) = 00000000",
                   "subnormals become zero in this operation", "deviation", claim}
          : kept("fp32.subnormals.fma", "fma(00800000, 3f000000, 00000000) = 00400000"));
  canaries.push_back(
      kept("fp32.subnormals.fma.operand", "fma(00000001, 3f800000, 00800000) = 00800001"));
  return canaries;
}

std::vector<ThroughputRun> sample_throughput() {
  const auto run = [](const char* formats, std::vector<std::uint64_t> samples,
                      const char* passed_case) {
    return ThroughputRun{
        .name = "gemm." + std::string(formats) + ".portable.nt.m512n512k512.normal",
        .provider = "portable",
        .operation = "gemm",
        .formats = formats,
        .shape = "nt.m512n512k512",
        .fill = "normal",
        .shape_class = "aligned",
        .samples_ns = std::move(samples),
        .flops = 268435456,
        .bytes = 3145728,
        .passed_case = passed_case};
  };
  return {run("fp32.acc-fp32",
              {5200000, 5100000, 5300000, 5250000, 5150000, 5220000, 5180000, 5400000}, kFp32Gemm),
          run("fp16.acc-fp32",
              {4100000, 4000000, 4200000, 4150000, 4050000, 4120000, 4080000, 4300000}, kFp16Gemm),
          run("bf16.acc-fp32", {4100000, 4000000}, "")};
}

void add_times(RunRecord& record) {
  double seconds = 0.25;
  for (CaseResult& r : record.results) {
    r.execute_seconds = seconds;
    r.refer_seconds = seconds / 2;
    r.device_ns = 1500000;
    seconds += 0.125;
  }
}

}  // namespace

CaseResult passing_case(const std::string& name) {
  CaseResult r;
  r.name = name;
  r.suite = suite_of(name);
  const bool elementary = r.suite == "arithmetic";
  r.operation = elementary ? name.substr(11, name.find('.', 16) - 11) : r.suite;
  r.provider = "portable";
  r.tier = elementary ? "exact" : "specified";
  r.rule = r.suite + (elementary ? ".fp32.fma" : ".specified");
  r.promise = elementary ? "fma(a, b, c) is the exact a * b + c, rounded once to nearest even"
                         : "the kernel's operations in the specified order, bit for bit";
  r.source = elementary ? "IEEE 754-2019, 5.4.1" : "Halfmark kernel specification, " + r.suite;
  r.verdict = Verdict::kPass;
  r.elements = 4096;
  r.digest = "b1946ac92492d234";
  return r;
}

void make_violation(CaseResult& result, const std::string& finding_class) {
  result.verdict = Verdict::kFail;
  result.standing = Standing::kViolation;
  result.finding_class = finding_class;
  result.mismatches = 1;
  result.digest = "0f343b0931126a20";
}

CaseResult& case_named(RunRecord& record, const std::string& name) {
  return *std::ranges::find(record.results, name, &CaseResult::name);
}

// As in a row that bounds an error.
suites::Accuracy sample_accuracy() {
  return {.thousandths = 1303,
          .allowed_halves = 5,
          .results = 4000,
          .farthest = {.tensor = "y",
                       .index = 12,
                       .operands = {{"x", "3f800000", "0x1p+0"}},
                       .expected_hex = "402df854",
                       .expected_value = "0x1.5bf0a8p+1",
                       .actual_hex = "402df855",
                       .actual_value = "0x1.5bf0aap+1",
                       .ulps = 1}};
}

RunRecord clean_record() {
  RunRecord record;
  record.identity = {.version = "0.1.0",
                     .contract_revision = "1",
                     .level = "smoke",
                     .seed = 7,
                     .filters = {},
                     .shard = "",
                     .suites = {}};
  record.device = sample_device();
  record.environment = {{"started", "2025-11-21T06:00:00Z"},
                        {"host", {{"cpu", "Example CPU"}, {"threads", 2}}},
                        {"libraries", json::array({sample_library()})}};
  record.canaries = sample_canaries(false);
  for (const char* name :
       {kAddCase, kFmaCase, "arithmetic.fp32.fma.portable.n4096.uniform.s7", kGemmCase, kFp32Gemm,
        kFp16Gemm, kSoftmaxCase, "layernorm.fp16.portable.r8c512.uniform.s7"}) {
    record.results.push_back(passing_case(name));
  }
  case_named(record, kSoftmaxCase).accuracy = sample_accuracy();
  record.results.push_back(not_supported("arithmetic.fp16.add.portable.n4096.uniform.s7"));
  record.results.push_back(not_supported("arithmetic.fp16.fma.portable.n4096.uniform.s7"));
  record.expected_cases = record.results.size();
  record.completed = true;
  record.throughput = sample_throughput();
  record.arithmetic = {
      {.operation = "gemm",
       .provider = "library",
       .library = "ExampleBLAS 2.1",
       .formats = "fp16.acc-fp32.out-fp32",
       .shapes = {"nn.m33n17k40", "nt.m17n33k33"},
       .outcome = "named",
       .arithmetic = "fp32.strided-4.fma",
       .evidence = "every bit of 1024 fresh sums at this shape",
       .others = {"fp32.strided-4.mul (products of fp16 and fp16 are exact in fp32)"},
       .observed = {"subnormal.operand kept: the smallest number of A times one"},
       .explained_cases = 3,
       .contradicted_cases = {}}};
  record.not_asserted = {{"NaN payloads and signs", "IEEE 754-2019, 6.2 leaves them open"}};
  add_times(record);
  return record;
}

RunRecord sample_record() {
  RunRecord record = clean_record();
  record.canaries = sample_canaries(true);
  flush(case_named(record, kFmaCase));
  CaseResult again = case_named(record, kFmaCase);
  again.name = "arithmetic.fp32.fma.portable.n4096.mixed.s7";
  record.results.push_back(again);
  drop_edge(case_named(record, kGemmCase));
  CaseResult hung = passing_case("softmax.fp16.portable.r8c4096.uniform.s7");
  hung.verdict = Verdict::kHang;
  hung.reason = "the time limit of 60 s passed";
  hung.digest.clear();
  record.results.push_back(hung);
  CaseResult doubtful = passing_case("layernorm.fp16.portable.r8c512.zeros.s7");
  doubtful.verdict = Verdict::kUntrusted;
  doubtful.reason = "a kernel that writes zeros would pass as well";
  record.results.push_back(doubtful);
  record.expected_cases = record.results.size();
  add_times(record);
  return record;
}

}  // namespace halfmark::reports
