// SPDX-License-Identifier: Apache-2.0
// From the rows of a scorecard to what judge_fp16 asks: which results speak of an operator, which
// rows are bound by memory, and what the data sheet says of fp32.
#include <algorithm>
#include <tuple>

#include "reports/performance.hpp"
#include "reports/throughput.hpp"
#include "reports/true_fp16.hpp"

namespace halfmark::reports {
namespace {

using suites::CaseResult;
using suites::Verdict;

bool starts_as(const ThroughputRow& row, std::string_view format) {
  const std::string_view formats = row.run.formats;
  return formats == format ||
         (formats.starts_with(format) && formats.substr(format.size()).starts_with("."));
}

// "gemm.fp16.acc-fp32.out-fp16.library.nn...": the results of the same operator, formats and
// provider, whatever the shape and fill.
bool speaks_of(const CaseResult& result, const ThroughputRun& run) {
  const std::string suite = run.passed_case.substr(0, run.passed_case.find('.'));
  return result.suite == suite && result.provider == run.provider &&
         (result.name + ".").find("." + run.formats + ".") != std::string::npos;
}

bool is_rounded_twice(const CaseResult& result) {
  return result.finding_class == "double_round" || result.finding_class == "early_round";
}

Fp16Numerics numerics_of(const CaseResult& result, const ThroughputRun& run) {
  const std::string& named = result.finding_class;
  if (named == "acc_narrow" && run.formats.find("acc-fp16") == std::string::npos)
    return Fp16Numerics::kHalfAccumulator;
  if (is_rounded_twice(result)) return Fp16Numerics::kRoundedTwice;
  if (named != "fmt_subst") return Fp16Numerics::kWrong;
  for (const suites::Explanation& explanation : result.explanations) {
    if (explanation.hypothesis.find("tf32") != std::string::npos) return Fp16Numerics::kTf32;
  }
  return Fp16Numerics::kBf16;
}

// The gravest thing that any case says.
Fp16Numerics numerics_of(const std::vector<CaseResult>& results, const ThroughputRun& run) {
  Fp16Numerics said = Fp16Numerics::kUnknown;
  for (const CaseResult& result : results) {
    if (!speaks_of(result, run)) continue;
    if (result.verdict == Verdict::kPass) said = std::max(said, Fp16Numerics::kExact);
    if (result.verdict == Verdict::kFail) said = std::max(said, numerics_of(result, run));
  }
  return said;
}

// Our kernels that compute in fp16: their texts say so, and are made of the device's own
// arithmetic. A library need not be.
bool asks_for_half(const ThroughputRun& run) {
  return run.provider == "portable" && (run.passed_case.starts_with("arithmetic.fp16.") ||
                                        run.formats.find("acc-fp16") != std::string::npos);
}

// Nothing was read: what was measured is left as it is.
void read_image(const ThroughputRun& run, Fp16Measured& measured) {
  measured.unread = run.conditions.value("instructions_unread", "");
  const auto told = run.conditions.find("instructions");
  if (told == run.conditions.end()) return;
  const auto count = [&](const char* format) { return told->value(format, std::uint64_t{0}); };
  measured.census = {.half = count("fp16"),
                     .bf16 = count("bf16"),
                     .single = count("fp32"),
                     .conversions = count("conversions"),
                     .calls_others = told->contains("unresolved_calls")};
  measured.instructions = instructions_of(measured.census, asks_for_half(run));
}

// By the triples of suites/arithmetic, whose fma tells one rounding from two: for kernels that are
// made of the same instruction.
std::optional<bool> fma_rounds_once(const std::vector<CaseResult>& results,
                                    const ThroughputRun& run) {
  if (!asks_for_half(run)) return std::nullopt;
  std::optional<bool> once;
  for (const CaseResult& result : results) {
    if (!result.name.starts_with("arithmetic.fp16.fma.portable.") ||
        result.name.find(".triples.") == std::string::npos)
      continue;
    if (result.verdict == Verdict::kFail && is_rounded_twice(result)) return false;
    if (result.verdict == Verdict::kPass) once = true;
  }
  return once;
}

bool offers_arithmetic(const nlohmann::json& device) {
  const auto promises = device.find("promises");
  if (promises == device.end()) return true;
  return std::ranges::none_of(*promises, [](const nlohmann::json& promise) {
    return promise.value("capability", "") == "fp16.arithmetic" && !promise.value("offered", false);
  });
}

// Of the operators that are bound by memory: the middle one's ratio. A provider without any is told
// by the others of the device, whose memory is the same.
std::optional<double> halving_of(const std::vector<ThroughputRow>& rows,
                                 const std::string& provider) {
  std::vector<double> own, all;
  for (const ThroughputRow& row : rows) {
    if (!row.gain || row.run.bytes == 0 || is_compute_bound(row.run)) continue;
    all.push_back(row.gain->ratio);
    if (row.run.provider == provider) own.push_back(row.gain->ratio);
  }
  std::vector<double>& ratios = own.empty() ? all : own;
  if (ratios.empty()) return std::nullopt;
  std::ranges::sort(ratios);
  return ratios[ratios.size() / 2];
}

// The declared rate of fp32, as a row in it carries it.
double declared_fp32(const std::vector<ThroughputRow>& rows, const std::string& provider) {
  for (const ThroughputRow& row : rows) {
    if (starts_as(row, "fp32") && row.run.provider == provider && row.run.declared_gflops > 0)
      return row.run.declared_gflops;
  }
  return 0;
}

Fp16Operator operator_of(const ThroughputRow& row, const Fp16Measured& measured) {
  const Fp16Verdict verdict = judge_fp16(measured);
  Fp16Operator made{.operation = row.run.operation,
                    .provider = row.run.provider,
                    .formats = row.run.formats,
                    .shape_class = row.run.shape_class,
                    .shape = row.run.shape,
                    .kind = verdict.kind,
                    .verdict = verdict.sentence,
                    .compute_bound = measured.compute_bound,
                    .evidence = {}};
  for (const Fp16Reading& reading : verdict.readings)
    made.evidence.push_back({reading.source, reading.statement});
  return made;
}

auto order_of(const ThroughputRun& run) {
  return std::tie(run.operation, run.provider, run.formats, run.shape_class, run.shape);
}

// Data of few bits tells of an operator where nothing else was timed, and never beside random data.
int regime_of(const ThroughputRun& run) {
  if (run.fill == "zeros") return 2;
  return run.fill == "integer" ? 1 : 0;
}

// The rows that are judged: counted ones on fp16, one for each operator and shape, sorted.
// Conversions need storage only; a product with its casts is judged beside the one without.
std::vector<const ThroughputRow*> judged_rows(const std::vector<ThroughputRow>& rows) {
  std::vector<const ThroughputRow*> chosen;
  for (const ThroughputRow& row : rows) {
    if (row.excluded.empty() && starts_as(row, "fp16") && !row.run.operation.starts_with("to_") &&
        !row.run.operation.starts_with(kAutocast))
      chosen.push_back(&row);
  }
  std::ranges::sort(chosen, {}, [](const ThroughputRow* row) {
    return std::tuple_cat(order_of(row->run), std::tuple(regime_of(row->run)));
  });
  const auto rest =
      std::ranges::unique(chosen, {}, [](const ThroughputRow* row) { return order_of(row->run); });
  chosen.erase(rest.begin(), rest.end());
  return chosen;
}

}  // namespace

std::vector<Fp16Operator> judge_fp16_operators(const nlohmann::json& device,
                                               double declared_gbytes_per_s,
                                               const std::vector<CaseResult>& results,
                                               const std::vector<ThroughputRow>& rows) {
  std::vector<Fp16Operator> judged;
  const bool offered = offers_arithmetic(device);
  for (const ThroughputRow* each : judged_rows(rows)) {
    const ThroughputRow& row = *each;
    Fp16Measured measured{.offered = offered || row.run.provider != "portable",
                          .numerics = numerics_of(results, row.run),
                          .fma_rounds_once = fma_rounds_once(results, row.run),
                          .compute_bound = is_compute_bound(row.run),
                          .of_peak = of_declared(row),
                          .halving = halving_of(rows, row.run.provider)};
    // Of a short launch the launching itself is a part, the same for every format.
    if (row.gain && row.median_ns * row.gain->ratio >= kTellingNs) measured.ratio = row.gain->ratio;
    if (const double declared = declared_fp32(rows, row.run.provider); declared > 0)
      measured.of_fp32_peak = gigaflops(row) / declared;
    if (declared_gbytes_per_s > 0 && !measured.compute_bound)
      measured.of_bandwidth = gigabytes_per_second(row) / declared_gbytes_per_s;
    read_image(row.run, measured);
    judged.push_back(operator_of(row, measured));
  }
  return judged;
}

}  // namespace halfmark::reports
