// SPDX-License-Identifier: Apache-2.0
// Collects from the rows of a scorecard what judge_fp16 needs: decides which rows are judged,
// and which cases are evidence about them. A case is evidence about a row with the same
// operator, provider, formats and shape; what the arithmetic suite finds about an operation
// holds at any size.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "reference/formats/format.hpp"
#include "reports/performance.hpp"
#include "reports/roofs.hpp"
#include "reports/throughput.hpp"
#include "reports/true_fp16.hpp"

namespace halfmark::reports {
namespace {

using suites::CaseResult;
using suites::Verdict;

bool is_chain(const ThroughputRun& run) { return !link_of(run).empty(); }

// Operations whose result is rounded once, so that a double rounding shows in its bits.
bool is_single_operation(const ThroughputRun& run) {
  const std::string_view link = link_of(run);
  return link == "add" || link == "mul" || link == "fma";
}

bool sums_in_half(const ThroughputRun& run) {
  return run.formats.find("acc-fp16") != std::string::npos;
}

// Our kernels that compute in fp16 say so in their source. A library's source is unknown.
bool asks_for_half(const ThroughputRun& run) {
  return run.provider == "portable" && (is_chain(run) || sums_in_half(run));
}

// "gemm.fp16.acc-fp32.library.nn.m8n8k8.plain": a name without its fill, and without its seed if it
// has one.
std::string_view head_of(std::string_view name, bool seeded) {
  for (int words = seeded ? 2 : 1; words > 0; --words) name = name.substr(0, name.rfind('.'));
  return name;
}

std::string_view fill_of(std::string_view name, bool seeded) {
  if (seeded) name = name.substr(0, name.rfind('.'));
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// Whether the last word of a name is a seed: ".s1".
bool is_seeded(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos && name.size() > dot + 2 && name[dot + 1] == 's' &&
         name.find_first_not_of("0123456789", dot + 2) == std::string_view::npos;
}

// Whether a word of the name (reference/models/arithmetic.hpp) is or ends in a format of fewer
// bits: "fp32.splitk-4.fma.parts-fp16". The fourth word of a unit's is the format of its operands.
bool has_narrower_sums(std::string_view arithmetic, const formats::Format& asked) {
  constexpr int kOperands = 3;
  bool is_of_unit = arithmetic.starts_with("unit.");
  for (int place = 0; !arithmetic.empty(); ++place) {
    const std::size_t end = std::min(arithmetic.find_first_of(".@:"), arithmetic.size());
    const std::string_view word = arithmetic.substr(0, end);
    const bool is_last_of_name = end < arithmetic.size() && arithmetic[end] == '@';
    arithmetic.remove_prefix(std::min(end + 1, arithmetic.size()));
    const bool is_operand = is_of_unit && place == kOperands;
    if (is_last_of_name) {
      is_of_unit = arithmetic.starts_with("unit.");
      place = -1;
    }
    if (is_operand) continue;
    const formats::Format* format = formats::find_format(word.substr(word.rfind('-') + 1));
    if (format != nullptr && format->precision() < asked.precision()) return true;
  }
  return false;
}

// Whether every sum of a case that a named arithmetic explains is as wide as the row asks.
bool keeps_sums(std::string_view case_name, const std::vector<ArithmeticEntry>& found,
                const ThroughputRun& run) {
  const ArithmeticEntry* entry = arithmetic_at(found, case_name);
  const formats::Format& asked = sums_in_half(run) ? formats::kFp16 : formats::kFp32;
  return entry != nullptr && entry->outcome == "named" &&
         !has_narrower_sums(entry->arithmetic, asked);
}

// What a passing case shows, by its tier and its data.
Fp16Bit bit_of_pass(std::string_view tier, std::string_view fill, bool chain) {
  if (tier == "bounded") return Fp16Bit::kBounded;
  if (fill == "permutation") return Fp16Bit::kKeepsOperand;
  if (fill == "wide") return Fp16Bit::kKeepsSum;
  if (chain || fill == "normal" || fill == "uniform") return Fp16Bit::kEveryBit;
  return Fp16Bit::kFewBits;
}

// Whether each explanation of a finding reproduces the whole result and says so. Where one does
// not, the cause is open.
template <typename Says>
bool all_say(const CaseResult& result, const Says& says) {
  return !result.explanations.empty() &&
         std::ranges::all_of(result.explanations, [&](const suites::Explanation& e) {
           return e.exact(result.mismatches) && !e.in_part && says(e);
         });
}

bool is_computed_wider(const suites::Explanation& e) {
  return e.computed_in == "fp32" || e.computed_in == "fp64";
}

// What a finding shows. Results of a wider format that were rounded again are evidence about the
// units only for a single operation, or where the kernel's source builds every sum from such
// operations. A library that rounds a wide sum twice when it stores it may use any units.
Fp16Bit bit_of_finding(const CaseResult& result, const ThroughputRun& run) {
  using suites::Explanation;
  if (all_say(result, is_computed_wider))
    return is_single_operation(run) || asks_for_half(run) ? Fp16Bit::kRoundedTwice
                                                          : Fp16Bit::kUnexplained;
  if (result.finding_class == "acc_narrow" && !sums_in_half(run) &&
      all_say(result, [](const Explanation& e) { return e.computed_in == "fp16"; }))
    return Fp16Bit::kNarrowSum;
  return all_say(result, [](const Explanation& e) { return e.substituted == "bf16"; })
             ? Fp16Bit::kBf16
             : Fp16Bit::kUnexplained;
}

// Whether the result is an elementwise case of the arithmetic suite for the operation that a
// chain repeats.
bool is_of_operation(const CaseResult& result, const ThroughputRun& run) {
  return is_single_operation(run) && result.suite == "arithmetic" &&
         result.provider == "portable" && result.operation == fmt::format("fp16.{}", link_of(run));
}

std::vector<Fp16BitSeen> bits_of(const std::vector<CaseResult>& results,
                                 const std::vector<ArithmeticEntry>& found,
                                 const ThroughputRun& run) {
  std::vector<Fp16BitSeen> bits;
  const std::string head = std::string(head_of(run.name, is_seeded(run.name))) + ".";
  // `modelled_for`: the case for which the arithmetic was found.
  const auto bit_of = [&](std::string_view tier, std::string_view fill,
                          std::string_view modelled_for) {
    if (tier == "modelled" && !keeps_sums(modelled_for, found, run)) return Fp16Bit::kModelled;
    return bit_of_pass(tier, fill, is_chain(run));
  };
  for (const VerifiedCase& v : run.verified) {
    const bool seeded = is_seeded(v.name);
    if (std::string(head_of(v.name, seeded)) + "." != head) continue;
    bits.push_back({v.verdict == name_of(Verdict::kPass)
                        ? bit_of(v.tier, fill_of(v.name, seeded), run.passed_case)
                        : Fp16Bit::kUnexplained,
                    v.name});
  }
  for (const CaseResult& result : results) {
    const bool at_shape = result.name.starts_with(head);
    if (at_shape && result.verdict == Verdict::kPass)
      bits.push_back({bit_of(result.tier, fill_of(result.name, true), result.name), result.name});
    if ((at_shape || is_of_operation(result, run)) && result.verdict == Verdict::kFail)
      bits.push_back({bit_of_finding(result, run), result.name});
  }
  return bits;
}

double least_ns(const Duel& duel) {
  return static_cast<double>(std::ranges::min(duel.pairs, {}, &Duel::Pair::against_ns).against_ns);
}

// The best rate of the other side, in the duel or in its own row.
double best_of_other(const ThroughputRow* other, double flops, const Duel& duel) {
  double least = least_ns(duel);
  if (other != nullptr && !other->run.samples_ns.empty() && other->excluded.empty())
    least = std::min(least, static_cast<double>(std::ranges::min(other->run.samples_ns)));
  return least > 0 ? flops / least : 0;
}

// Own rate over that of the fastest wide units. If the other side of the duel was not the fastest,
// the ratios are reduced by as much as its best rate falls short.
std::vector<double> duel_ratios(const ThroughputRun& run, const std::vector<ThroughputRow>& rows,
                                double wide_rate) {
  const Duel& duel = *run.duel;
  const auto found = std::ranges::find_if(
      rows, [&](const ThroughputRow& row) { return row.run.name == duel.against; });
  const ThroughputRow* other = found == rows.end() ? nullptr : &*found;
  const double flops = as_row_counts(other == nullptr ? nullptr : &other->run,
                                     static_cast<double>(duel.against_flops), run);
  const double best = best_of_other(other, flops, duel);
  std::vector<double> ratios;
  if (flops <= 0 || best <= 0) return ratios;
  const double short_by = std::max(1.0, wide_rate / best);
  for (const Duel::Pair& pair : duel.pairs) {
    const double work = flops * static_cast<double>(pair.own_ns) * short_by;
    ratios.push_back(work > 0 ? static_cast<double>(run.flops) *
                                    static_cast<double>(pair.against_ns) / work
                              : 0);
  }
  return ratios;
}

Fp16Time time_of(const ThroughputRow& row, const std::vector<ThroughputRow>& rows,
                 const Roofs& roofs) {
  const BestRate wide = wide_roof(roofs, row.run);
  Fp16Time time{.rate = gigaflops(row),
                .wide_rate = wide.gflops,
                .wide_row = wide.row,
                .why_no_wide_rate = std::string(why_no_wide_roof(roofs, row.run)),
                .unrest = roofs.unrest,
                .memory_bound = is_bound_by_memory(roofs, row.run),
                .duel_against = {},
                .duel = {}};
  if (row.interval && row.interval->high_ns > 0)
    time.sure_rate = static_cast<double>(row.run.flops) / row.interval->high_ns;
  if (!row.run.duel || row.run.duel->pairs.empty()) return time;
  time.duel_against = row.run.duel->against;
  time.duel = duel_ratios(row.run, rows, wide.gflops);
  return time;
}

ImageCensus census_of(const nlohmann::json& counts) {
  const auto count = [&](const char* format) { return counts.value(format, std::uint64_t{0}); };
  return {.half = count("fp16"),
          .bf16 = count("bf16"),
          .single = count("fp32"),
          .conversions = count("conversions")};
}

Fp16Image image_of(const ThroughputRun& run) {
  Fp16Image image{.asks_for_half = asks_for_half(run), .counted = {}, .why_unread = {}};
  image.why_unread = run.conditions.value("instructions_unread", "");
  const auto instructions = run.conditions.find("instructions");
  if (instructions == run.conditions.end() || !instructions->is_object()) return image;
  if (const auto calls = instructions->find("unresolved_calls"); calls != instructions->end())
    image.unresolved_calls = calls->size();
  const auto loops = instructions->find("in_loops");
  image.in_loops = loops != instructions->end() && loops->is_object();
  if (image.in_loops) {
    image.counted = census_of(*loops);
  } else if (instructions->contains("fp16")) {
    image.counted = census_of(*instructions);
  }
  return image;
}

bool offers_arithmetic(const nlohmann::json& device) {
  const auto promises = device.find("promises");
  if (promises == device.end()) return true;
  return std::ranges::none_of(*promises, [](const nlohmann::json& promise) {
    return promise.value("capability", "") == "fp16.arithmetic" && !promise.value("offered", false);
  });
}

// The driver's offer governs what our kernels compute; a library need not depend on it.
Fp16Kinds possible_kinds(const ThroughputRun& run, bool offered) {
  if (!offered && run.provider == "portable") return Fp16Kinds::of(Fp16Kind::kStorageOnly);
  const Fp16Kinds always =
      Fp16Kinds::of(Fp16Kind::kNative, Fp16Kind::kEmulated, Fp16Kind::kBf16Substituted);
  const bool asks_for_wide_sums = run.formats.find("acc-fp32") != std::string::npos;
  return asks_for_wide_sums ? always | Fp16Kinds::of(Fp16Kind::kHalfAccumulation) : always;
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
                    .gflops = gigaflops(row),
                    .evidence = {}};
  if (row.gain) {
    made.fp32_gflops = row.gain->fp32_gflops;
    made.gain = row.gain->ratio;
  }
  for (const Fp16Reading& reading : verdict.readings)
    made.evidence.push_back({reading.source, reading.statement});
  return made;
}

auto order_of(const ThroughputRun& run) {
  return std::tie(run.operation, run.provider, run.formats, run.shape_class, run.shape);
}

// Rows on data of few bits are evidence only where nothing else was timed: neither they nor larger
// ones replace rows on random data.
int regime_of(const ThroughputRun& run) {
  if (run.fill == "zeros") return 2;
  return run.fill == "integer" ? 1 : 0;
}

// Our products with sums in fp32, softmax and the like compute in fp32 by their own source, and say
// nothing about the device's fp16. Elementwise streams are bound by memory, and the chains already
// represent their operations. Conversions only need storage.
bool is_judged(const ThroughputRow& row, const std::vector<ThroughputRow>& rows) {
  const ThroughputRun& run = row.run;
  if (!row.excluded.empty() || is_again(run) || input_format(run) != "fp16") return false;
  if (is_chain(run)) {
    const std::string_view link = link_of(run);
    return link != "convert" && best_chain(rows, link, "fp16") == &row;
  }
  return run.operation.starts_with("gemm") && (run.provider != "portable" || sums_in_half(run));
}

// One row for each operator and shape, sorted.
std::vector<const ThroughputRow*> judged_rows(const std::vector<ThroughputRow>& rows) {
  std::vector<const ThroughputRow*> chosen;
  for (const ThroughputRow& row : rows) {
    if (is_judged(row, rows)) chosen.push_back(&row);
  }
  std::ranges::sort(chosen, {}, [](const ThroughputRow* row) {
    return std::tuple_cat(order_of(row->run), std::tuple(regime_of(row->run)));
  });
  const auto rest =
      std::ranges::unique(chosen, {}, [](const ThroughputRow* row) { return order_of(row->run); });
  chosen.erase(rest.begin(), rest.end());
  std::erase_if(chosen, [&, kept = chosen](const ThroughputRow* row) {
    return regime_of(row->run) > 0 && std::ranges::any_of(kept, [&](const ThroughputRow* other) {
             return other->run.operation == row->run.operation && regime_of(other->run) == 0;
           });
  });
  return chosen;
}

}  // namespace

std::vector<Fp16Operator> judge_fp16_operators(const nlohmann::json& device,
                                               const std::vector<CaseResult>& results,
                                               const std::vector<ArithmeticEntry>& found,
                                               const std::vector<ThroughputRow>& rows,
                                               const Roofs& roofs) {
  std::vector<Fp16Operator> judged;
  const bool offered = offers_arithmetic(device);
  for (const ThroughputRow* row : judged_rows(rows)) {
    judged.push_back(operator_of(*row, {.possible = possible_kinds(row->run, offered),
                                        .bits = bits_of(results, found, row->run),
                                        .time = time_of(*row, rows, roofs),
                                        .image = image_of(row->run)}));
  }
  return judged;
}

}  // namespace halfmark::reports
