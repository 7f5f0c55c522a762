// SPDX-License-Identifier: Apache-2.0
// What became of one case: plain data, and its JSON form. This is the only thing that leaves the
// line, the line of the journal, and all that reports ever see: no tensors, no devices. Assumes:
// encodings travel as hex text, never as decimal floats.
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

/// Whether the rule broken is the device's own promise (violation) or only what a mark asks
/// (deviation).
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
  std::uint64_t ulps =
      0;  // saturates; distance of encodings in order, NaN against a number is the maximum
};

/// How far results lie from exact values, under a row that promises a bound: evidence, no verdict.
struct Accuracy {
  std::uint64_t thousandths = 0;     // of a ULP of the exact value, rounded up: of the farthest
  std::uint64_t allowed_halves = 0;  // of a ULP: the row's bound
  std::uint64_t results = 0;         // that were measured
  Element farthest;
};

/// One hypothesis, tried exactly on the whole case.
struct Explanation {
  std::string hypothesis, finding_class, sentence;
  std::vector<std::string>
      freedoms;  // names as in Freedom (contract.hpp); empty: no API leaves this open
  std::uint64_t explained = 0;     // wrong elements whose bits it reproduces
  std::uint64_t contradicted = 0;  // elements of any kind that it would have made different
  [[nodiscard]] bool exact(std::uint64_t wrong) const {
    return contradicted == 0 && explained == wrong;
  }
};

/// Where the wrong elements of one output lie, and what their bits have in common.
struct Geometry {
  std::string tensor;
  std::uint64_t rows = 1, columns = 0, wrong = 0;  // of the whole output; of its wrong elements
  std::uint64_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;  // the box
  bool complete = false;                   // every element that the places name is wrong
  std::vector<std::string> patterns;       // "every 16th column from 3", "the sign alone differs"
  std::string differ_ever, differ_always;  // hex masks of bits; empty when no values were compared
  std::string sentence;                    // all of it, for a reader
};

/// What is left of the operands of a failing case: everything not listed is zero.
struct ReducedTensor {
  std::string name, format;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> indices;    // of the elements that are not zero
  std::vector<std::string> hex, values;  // one for each
};

/// The smallest thing found that still fails in the same way.
struct Reduction {
  std::string case_name;               // fails as it is: `halfmark replay` takes it
  std::vector<ReducedTensor> tensors;  // of that case: enough to fail
  std::vector<Element> wrong;          // of that case with those operands
  std::uint64_t trials = 0;
  std::string end;  // why nothing smaller was looked for
};

struct CaseResult {
  std::string name, suite, provider, tier, rule, promise, source;
  Verdict verdict = Verdict::kError;
  std::string reason;  // one line; empty for a pass
  Standing standing = Standing::kNone;
  std::string finding_class;  // of the explanation, or "unexplained"
  std::string permitted_by;   // for a deviation: the clause and the driver's own answer
  std::uint64_t elements = 0, mismatches = 0;
  std::vector<Element> wrong;  // first ones, then the worst
  std::vector<Explanation> explanations;
  std::vector<Geometry> geometry;  // of each output with wrong elements
  std::optional<Reduction> reduction;
  std::optional<Accuracy> accuracy;
  std::string digest;  // of the outputs' bytes; equal digests mean equal bits
  double execute_seconds = 0, refer_seconds = 0;
  std::uint64_t device_ns = 0;  // sum of kernel times by device events
  /// Which process of the run gave the verdict, counted from 1 (0: none was there to ask), and at
  /// which attempt: 2 after the device was lost under the first.
  std::uint64_t process = 0, attempt = 1;
};

/// `timed` false leaves the times out: what must be byte-identical from run to run.
[[nodiscard]] nlohmann::json to_json(const CaseResult&, bool timed);
[[nodiscard]] nlohmann::json to_json(const Reduction&);
[[nodiscard]] nlohmann::json to_json(const Accuracy&);
/// These throw std::runtime_error naming the missing or wrong field.
[[nodiscard]] Reduction reduction_from_json(const nlohmann::json&);
[[nodiscard]] Accuracy accuracy_from_json(const nlohmann::json&);
[[nodiscard]] CaseResult case_result_from_json(const nlohmann::json&);

}  // namespace halfmark::suites
