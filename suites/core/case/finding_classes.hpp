// SPDX-License-Identifier: Apache-2.0
// The closed list of finding classes: the kind of bug that a wrong result shows, and the severity
// of that kind. Names are stable, since waivers and dashboards use them. A class says what went
// wrong inside the operator as far as the bits show it: it comes from the hypothesis that
// reproduces the bits, or from a fill that no correct operator can fail.
#pragma once

#include <string_view>

namespace halfmark::suites {

/// Critical: silently corrupts memory, or makes results wrong without bound. Major: needs a
/// reachable corner case. Minor: changes a result by one rounding, by the sign of a zero, or from
/// run to run.
enum class Severity { kCritical, kMajor, kMinor };

/// The freedom of a contract row that a class of wrong results takes. kAccuracy, "accuracy" there:
/// too few digits, of a function or of an intermediate result.
enum class Needs { kNothing, kAccuracy };

/// The data without which a class cannot show: nobody drops a NaN where there is none.
enum class Shows { kOnAll, kOnNan };

/// What shows the class: one run, whose result is wrong, or several, whose results differ.
enum class SeenIn { kOneRun, kSeveralRuns };

struct FindingClass {
  std::string_view name;
  std::string_view meaning;
  Severity severity = Severity::kMajor;
  Needs needs = Needs::kNothing;
  Shows shows = Shows::kOnAll;
  SeenIn seen_in = SeenIn::kOneRun;
};

inline constexpr FindingClass kFindingClasses[] = {
    // Sums.
    {"acc_narrow", "accumulator or partial sum too narrow", Severity::kMajor, Needs::kAccuracy},
    {"acc_unit", "a matrix unit aligns and truncates the terms of a sum", Severity::kMinor},
    {"early_round", "an intermediate result is rounded to a narrow format", Severity::kMajor,
     Needs::kAccuracy},
    {"double_round", "a result is rounded twice", Severity::kMinor, Needs::kAccuracy},
    {"scalar_precision", "a scalar such as alpha, or a constant, has too few digits",
     Severity::kMajor, Needs::kAccuracy},
    {"contraction", "separate multiplication and addition fused, or the reverse", Severity::kMinor},
    {"order", "operations in another order than the specified one"},
    {"excess_precision", "values between operations are wider than their format", Severity::kMinor},
    {"missing_steps", "a part of a sequence of operations is left out", Severity::kCritical},

    // Formats, roundings, subnormals.
    {"fmt_subst", "another number format inside than the one claimed"},
    {"cvt_round", "conversion rounds wrongly", Severity::kMinor},
    {"decode", "an encoding is read as another number", Severity::kCritical},
    {"range", "a part of a format's range is lost", Severity::kCritical},
    {"sat", "a conversion saturates where infinity is due"},
    {"sat_instead_of_inf", "an operator's overflow becomes the largest number",
     Severity::kCritical},
    {"ftz", "subnormals flushed to zero"},
    {"ftz_in", "subnormal operands taken as zero", Severity::kCritical},
    {"ftz_out", "subnormal results become zero", Severity::kCritical},
    {"ftz_const", "a function is cut off to a constant too early"},
    {"rounding", "an elementary operation is not correctly rounded", Severity::kMinor},
    {"low_precision", "a function or a sum has too few good bits", Severity::kMajor,
     Needs::kAccuracy},
    {"limit", "an exact value at a zero or an infinity is only approached"},
    {"signed_zero", "a zero result has the wrong sign", Severity::kMinor},

    // NaN and infinity.
    {"nan_inf", "NaN or infinity swallowed or invented", Severity::kCritical},
    {"nan_dropped", "a NaN is swallowed", Severity::kCritical, Needs::kNothing, Shows::kOnNan},
    {"nan_made", "a NaN is invented"},
    {"nan_to_inf", "a NaN becomes an infinity", Severity::kMajor, Needs::kNothing, Shows::kOnNan},
    {"masked_row", "a row that is masked altogether breaks the declared policy"},

    // Formulas.
    {"act_ovf", "activation function overflows or cancels"},
    {"amp_state", "loss scaling, unscale, skip or optimizer step wrong"},
    {"bad_identity", "a running maximum or minimum starts from a number"},
    {"cancel", "a difference of nearly equal numbers loses its bits", Severity::kMajor,
     Needs::kAccuracy},
    {"eps_lost", "epsilon is rounded, dropped or vanishes"},
    {"formula", "a term of the formula is missing or misplaced"},
    {"norm_stat", "statistics of a normalisation wrong"},
    {"overflow", "an intermediate result overflows", Severity::kCritical},
    {"underflow", "an intermediate result underflows"},
    {"var_cancel", "the variance is a difference of nearly equal numbers", Severity::kCritical},

    // Places.
    {"align", "misaligned operands mishandled", Severity::kCritical},
    {"edge", "places beyond the data take part with a wrong value", Severity::kCritical},
    {"edge_tile", "edge of a tile dropped, doubled or over-read"},
    {"grid_limit", "places beyond a limit of the launch grid are wrong", Severity::kCritical},
    {"index_ovf", "index or offset wrong", Severity::kCritical},
    {"layout", "stride, transposition or broadcast wrong"},
    {"over_read", "memory outside an operand takes part", Severity::kCritical},
    {"wave_width", "lanes of a wave left out or doubled", Severity::kCritical},

    // Memory and time.
    {"beta0_reads_C", "C takes part although beta is zero", Severity::kCritical},
    {"input_changed", "an input was written to", Severity::kCritical},
    {"misplaced_copy", "a copy between host and device puts bytes elsewhere or in another order",
     Severity::kCritical},
    {"nondet", "the order of operations varies from call to call", Severity::kMinor,
     Needs::kNothing, Shows::kOnAll, SeenIn::kSeveralRuns},
    {"out_of_bounds", "memory outside the output was written", Severity::kCritical},
    {"race", "result differs from run to run", Severity::kCritical, Needs::kNothing, Shows::kOnAll,
     SeenIn::kSeveralRuns},
    {"short_copy", "a copy between host and device leaves bytes out", Severity::kCritical},
    {"stale_copy", "a read-back gives what memory held before", Severity::kCritical},
    {"uninit", "output left unwritten, or unset memory read", Severity::kCritical},
    {"zero_dim", "a size of zero leaves the output unwritten or wrong"},

    // Time only: the bits are right.
    {"cast_traffic", "casts around an operator eat what fp16 gains"},
    {"folded", "the time does not follow the steps: folded, kept from before, or launching alone",
     Severity::kCritical},
    {"implausible", "faster than the device can be: the clock, or the wait, is wrong",
     Severity::kCritical},
    {"memoised", "a result is kept and given again", Severity::kCritical},
    {"slow_fp16", "fp16 is slower than fp32"},
    {"slow_shape", "fp16 is slower than fp32 at some shapes, and gains at others"},
    {"throttling", "the rate falls while it is measured", Severity::kMinor},

    {"undecided", "several named causes explain the bits, and no data tells them apart"},
    {"unexplained", "no named arithmetic explains the bits"},
};

/// The class of that name; null if it is not in the list.
[[nodiscard]] constexpr const FindingClass* find_class(std::string_view name) {
  for (const FindingClass& row : kFindingClasses) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// Whether a finding of that class says that runs of one case differ.
[[nodiscard]] constexpr bool differs_between_runs(std::string_view name) {
  const FindingClass* row = find_class(name);
  return row != nullptr && row->seen_in == SeenIn::kSeveralRuns;
}

/// A class of the list, for tables and hypotheses. A word that is not in the list does not compile.
class FindingClassName {
 public:
  consteval FindingClassName(const char* name) : row_(find_class(name)) {  // NOLINT: implicit
    if (row_ == nullptr) throw "not a class of kFindingClasses";
  }
  constexpr operator std::string_view() const { return row_->name; }  // NOLINT: implicit
  [[nodiscard]] constexpr const FindingClass& row() const { return *row_; }
  bool operator==(const FindingClassName&) const = default;

 private:
  const FindingClass* row_;
};

}  // namespace halfmark::suites
