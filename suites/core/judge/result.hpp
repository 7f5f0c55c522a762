// SPDX-License-Identifier: Apache-2.0
// The outcome of one case: plain data, and its JSON form. It is the only output of the pipeline,
// the payload of the journal, and all that reports see: no tensors, no devices. Assumes: encodings
// travel as hexadecimal text, never as decimal floats.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::suites {

enum class Verdict {
  kPass,
  kFail,          // offered, and wrong
  kNotSupported,  // not offered, with the device's own answer
  kSkipped,       // not run, with a reason
  kUntrusted,     // right, but the data would not have shown a wrong kernel
  kError,         // the driver refused (compile error, allocation failure, ...)
  kCrash,         // the worker process died
  kHang,          // the time limit passed
  kDeviceLost,
};

inline constexpr Verdict kAllVerdicts[] = {
    Verdict::kPass,    Verdict::kFail,      Verdict::kNotSupported,
    Verdict::kSkipped, Verdict::kUntrusted, Verdict::kError,
    Verdict::kCrash,   Verdict::kHang,      Verdict::kDeviceLost};

[[nodiscard]] std::string_view name_of(Verdict);
[[nodiscard]] std::optional<Verdict> parse_verdict(std::string_view);

/// Whether the case was asked and nothing came of it, so that the run does not conform.
[[nodiscard]] constexpr bool died(Verdict verdict) {
  return verdict == Verdict::kError || verdict == Verdict::kCrash || verdict == Verdict::kHang ||
         verdict == Verdict::kDeviceLost;
}

/// Whether the broken rule is the device's own promise (violation) or only a requirement of a
/// mark (deviation).
enum class Standing { kNone, kViolation, kDeviation };
[[nodiscard]] std::string_view name_of(Standing);

struct OperandText {
  std::string label, hex, value;  // "a", "00000001", "0x1p-149"
};

/// One wrong element.
struct Element {
  std::string tensor;
  std::uint64_t index = 0;
  std::vector<OperandText> operands;
  std::string expected_hex, expected_value;
  std::string actual_hex, actual_value;
  std::uint64_t ulps = 0;  // distance in encodings, saturated; the maximum for NaN against a number
};

/// How far results lie from exact values, in ULPs of the exact value, under a row that promises a
/// bound: evidence, not a verdict.
struct Accuracy {
  std::uint64_t thousandths = 0;  // the farthest result's error in thousandths of a ULP, rounded up
  std::uint64_t allowed_halves = 0;  // the row's bound, in half ULPs
  std::uint64_t results = 0;         // results that were measured
  Element farthest;
};

/// The suffix of the name of a hypothesis that is reported as confined to a part of the results.
inline constexpr std::string_view kInPart = "-in-part";

/// One hypothesis, evaluated exactly on the whole case.
struct Explanation {
  std::string hypothesis, finding_class, sentence;
  std::vector<std::string> freedoms;  // names as in Freedom; empty: no API leaves this open
  std::uint64_t explained = 0;        // wrong elements whose bits it reproduces
  std::uint64_t contradicted = 0;     // elements, right or wrong, for which it predicts other bits
  bool in_part = false;               // it is confined to a part of the results
  bool is_generic = false;            // as in Hypothesis
  std::string substituted = {};       // the name of Hypothesis::substituted; empty: none
  std::string computed_in = {};       // the name of Hypothesis::computed_in; empty: none
  /// The name of the hypothesis without what confines it.
  [[nodiscard]] std::string_view base() const {
    const std::string_view name = hypothesis;
    return in_part ? name.substr(0, name.size() - kInPart.size()) : name;
  }
  [[nodiscard]] bool exact(std::uint64_t wrong) const {
    return contradicted == 0 && explained == wrong;
  }
};

/// Other data on which the device was asked again, to tell explanations of a failure apart.
struct Question {
  std::string case_name;              // `halfmark replay` takes it
  std::uint64_t wrong = 0;            // elements that the device got wrong there
  std::vector<std::string> confirms;  // hypotheses that reproduce these wrong elements
  std::vector<std::string> excludes;  // hypotheses that predict other bits there
  std::string remark;                 // why it says nothing about some; empty: it does about all
};

/// What more data said about the explanations of a failure that its own data left standing.
struct Experiments {
  std::vector<Question> asked;
  std::vector<Explanation> excluded;  // exact on the case's own data, not on others
  std::string end;                    // why no more was asked
};

/// Where the wrong elements of one output lie, and what their bits have in common.
struct Geometry {
  std::string tensor;
  std::uint64_t rows = 1, columns = 0, wrong = 0;  // of the output; its wrong elements
  std::uint64_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;  // their box
  bool complete = false;                   // every element of the described places is wrong
  std::vector<std::string> patterns;       // "every 16th column from 3", "the sign alone differs"
  std::string differ_ever, differ_always;  // hex masks of bits; empty if no values were compared
  std::string sentence;                    // everything above as one sentence
};

/// The remaining operands of a reduced failing case: everything not listed is zero.
struct ReducedTensor {
  std::string name, format;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> indices;    // of the nonzero elements
  std::vector<std::string> hex, values;  // one for each index
};

/// The smallest case found that still fails in the same way.
struct Reduction {
  std::string case_name;               // fails with its own operands: `halfmark replay` takes it
  std::vector<ReducedTensor> tensors;  // operands of that case that suffice for it to fail
  std::vector<Element> wrong;          // wrong elements of that case with those operands
  std::uint64_t trials = 0;
  std::string end;  // why the search ended
};

struct CaseResult {
  std::string name, suite, provider, tier, rule, promise, source;
  std::string operation;  // "layernorm_backward", "fp32.fma"; empty: the suite
  Verdict verdict = Verdict::kError;
  std::string reason;  // one line; empty for a pass
  Standing standing = Standing::kNone;
  std::string finding_class;  // of the explanation, or "unexplained"
  std::string permitted_by;   // for a deviation: the clause and the driver's own answer
  std::uint64_t elements = 0, mismatches = 0;
  std::vector<Element> wrong;  // as Comparison::shown (judge.hpp)
  std::vector<Explanation> explanations;
  std::optional<Experiments> experiments;  // if an explanation was exact and could be tested
  std::vector<Geometry> geometry;          // of each output with wrong elements
  std::optional<Reduction> reduction;
  std::optional<Accuracy> accuracy;
  std::string digest;  // of the outputs' bytes; equal digests mean equal bits
  std::string golden;  // what was learned of a golden digest (golden/golden.hpp); empty: none given
  double execute_seconds = 0, refer_seconds = 0;
  double verify_seconds = 0;    // of the former, for golden digests
  std::uint64_t device_ns = 0;  // sum of kernel times by device events
  /// The process of the run that gave the verdict, counted from 1 (0: no process gave it), and the
  /// attempt: 2 after the device was lost during the first.
  std::uint64_t process = 0, attempt = 1;
};

/// `timed` false omits the times, so that the rest is byte-identical from run to run.
[[nodiscard]] nlohmann::json to_json(const CaseResult&, bool timed);
[[nodiscard]] nlohmann::json to_json(const Reduction&);
[[nodiscard]] nlohmann::json to_json(const Accuracy&);
[[nodiscard]] nlohmann::json to_json(const Experiments&);
/// These throw std::runtime_error naming the missing or wrong field.
[[nodiscard]] Reduction reduction_from_json(const nlohmann::json&);
[[nodiscard]] Accuracy accuracy_from_json(const nlohmann::json&);
[[nodiscard]] Experiments experiments_from_json(const nlohmann::json&);
[[nodiscard]] CaseResult case_result_from_json(const nlohmann::json&);

}  // namespace halfmark::suites
