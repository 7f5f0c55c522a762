// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reports/testing/sample_record.hpp"

namespace halfmark::reports {
namespace {

constexpr std::uint64_t kSteps = 1u << 28;
constexpr const char* kChainFill = "chain";

// Nine samples within half a percent of `sample_ns`, which is their median.
std::vector<std::uint64_t> samples_around(std::uint64_t sample_ns) {
  std::vector<std::uint64_t> samples;
  for (const std::uint64_t thousandth : {1000u, 1003u, 998u, 1005u, 1001u, 997u, 995u, 1002u, 999u})
    samples.push_back(sample_ns * thousandth / 1000);
  return samples;
}

suites::CaseResult chain_case(const std::string& name) {
  suites::CaseResult r = passing_case(name + ".s7");
  r.rule = "rates.specified";
  r.promise = "every step of the chain as specified, bit for bit";
  return r;
}

void add_stream(RunRecord& record, const std::string& stream, const std::string& format,
                std::uint64_t sample_ns) {
  const std::string name = "rates." + stream + "." + format + ".portable.n4194304.normal";
  record.results.push_back(chain_case(name));
  record.throughput.push_back({.name = name,
                               .provider = "portable",
                               .operation = "stream." + stream,
                               .formats = format,
                               .shape = "n4194304",
                               .fill = "normal",
                               .samples_ns = samples_around(sample_ns),
                               .bytes = format == "fp32" ? 33554432u : 16777216u,
                               .passed_case = name + ".s7"});
}

// A product of the library, verified at the size that is timed; its case is a smaller one.
ThroughputRun& add_product(RunRecord& record, const std::string& formats, std::uint64_t sample_ns) {
  const std::string head = "gemm." + formats + ".library.nn.m2048n2048k2048.plain.";
  const std::string small = "gemm." + formats + ".library.nn.m128n128k128.plain.normal.s7";
  suites::CaseResult passed = passing_case(small);
  passed.provider = "library";
  passed.tier = "modelled";
  record.results.push_back(passed);
  record.throughput.push_back({.name = head + "normal",
                               .provider = "library",
                               .operation = "gemm",
                               .formats = formats,
                               .shape = "nn.m2048n2048k2048.plain",
                               .fill = "normal",
                               .shape_class = "aligned",
                               .samples_ns = samples_around(sample_ns),
                               .flops = 17179869184u,
                               .bytes = 33554432,
                               .passed_case = small,
                               .verified = {{head + "normal", "bounded", "pass", 4194304},
                                            {head + "permutation", "exact", "pass", 4194304},
                                            {head + "wide", "exact", "pass", 4194304}}});
  return record.throughput.back();
}

void add_fp16_chains(RunRecord& record) {
  for (const char* link : {"add", "mul", "muladd"}) {
    const std::uint64_t times = std::string(link) == "muladd" ? 2 : 1;
    add_chain(record, link, "fp16", "w1", times * 2'600'000);
    ThroughputRun& best = add_chain(record, link, "fp16", "w2", times * 1'400'000);
    add_duel(best, run_named(record, "rates.fma.fp32.portable.w2.n65536.chain"), 1.86);
    best.conditions["instructions_unread"] = "nothing reads the images of this driver";
  }
  ThroughputRun& fma = add_chain(record, "fma", "fp16", "w2", 13'700'000);
  add_duel(fma, run_named(record, "rates.fma.fp32.portable.w2.n65536.chain"), 0.19);
  const nlohmann::json loops = {{"fp16", 0}, {"bf16", 0}, {"fp32", 8}, {"conversions", 24}};
  fma.conditions["instructions"] = {
      {"fp16", 0}, {"bf16", 0}, {"fp32", 9}, {"conversions", 26}, {"in_loops", loops}};
  add_chain(record, "convert", "fp16", "w2", 1'300'000);
}

}  // namespace

ThroughputRun& add_chain(RunRecord& record, const std::string& link, const std::string& format,
                         const std::string& width, std::uint64_t sample_ns) {
  const std::string name =
      "rates." + link + "." + format + ".portable." + width + ".n65536." + kChainFill;
  record.results.push_back(chain_case(name));
  record.throughput.push_back({.name = name,
                               .provider = "portable",
                               .operation = "chain." + link,
                               .formats = format,
                               .shape = width,
                               .fill = kChainFill,
                               .shape_class = "chain",
                               .samples_ns = samples_around(sample_ns),
                               .flops = link == "fma" || link == "muladd" ? 2 * kSteps : kSteps,
                               .bytes = 262144,
                               .passed_case = name + ".s7",
                               .half_work_ns = sample_ns / 2});
  return record.throughput.back();
}

void add_duel(ThroughputRun& run, const ThroughputRun& against, double ratio) {
  const double against_ns = static_cast<double>(against.samples_ns.front());
  // Compares equal numbers of steps: a step of a fused chain or a product counts two flops.
  const bool fused = run.operation.starts_with("chain.") && run.operation != "chain.fma" &&
                     against.operation == "chain.fma";
  const double same = static_cast<double>(run.flops) * (fused ? 2 : 1);
  const double own_ns = against_ns * same / static_cast<double>(against.flops) / ratio;
  run.duel = Duel{.against = against.name, .against_flops = against.flops, .pairs = {}};
  for (std::uint64_t i = 0; i < 15; ++i)
    run.duel->pairs.push_back({.against_ns = against.samples_ns.front() + i % 3,
                               .own_ns = static_cast<std::uint64_t>(own_ns) + i % 2});
}

ThroughputRun& run_named(RunRecord& record, const std::string& name) {
  return *std::ranges::find(record.throughput, name, &ThroughputRun::name);
}

RunRecord fp16_record() {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  record.device["promises"][1]["evidence"] = "EX_HALF has ARITH";
  record.canaries.push_back({"fp16.subnormals.add", "kept: add(0200, 0200) = 0400",
                             "subnormals survive this operation", "ok", "EX_HALF has DENORM"});
  for (const char* operation : {"add", "fma"}) {
    suites::CaseResult& r = case_named(
        record, "arithmetic.fp16." + std::string(operation) + ".portable.n4096.uniform.s7");
    r = passing_case(r.name);
  }
  for (const char* link : {"add", "mul", "fma", "muladd"}) {
    const std::uint64_t times = std::string(link) == "muladd" ? 2 : 1;
    add_chain(record, link, "fp32", "w1", times * 3'100'000);
    add_chain(record, link, "fp32", "w2", times * 2'600'000);
  }
  ThroughputRun again = run_named(record, "rates.fma.fp32.portable.w2.n65536.chain");
  again.conditions["again"] = true;
  record.throughput.push_back(again);
  add_fp16_chains(record);
  for (const char* stream : {"copy", "triad"}) {
    add_stream(record, stream, "fp32", 1'400'000);
    add_stream(record, stream, "fp16", 720'000);
  }
  add_product(record, "fp32.acc-fp32.out-fp32", 85'000'000);
  ThroughputRun& product = add_product(record, "fp16.acc-fp32.out-fp16", 45'000'000);
  add_duel(product, run_named(record, "rates.fma.fp32.portable.w2.n65536.chain"), 1.85);
  suites::CaseResult& declined = record.results.emplace_back(
      passing_case("gemm.tf32.acc-fp32.out-fp32.library.nt.m128n128k128.plain.integer.s7"));
  declined.tier = "exact";
  declined.verdict = suites::Verdict::kNotSupported;
  declined.reason = "the library has no product in tf32";
  record.expected_cases = record.results.size();
  return record;
}

}  // namespace halfmark::reports
