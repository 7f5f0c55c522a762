// SPDX-License-Identifier: Apache-2.0
// One case of a suite, bound to its operator: what runs, what must come out, and which mistakes are
// known. This class is the only interface between an operator and the stages in run/, judge/,
// diagnose/ and shrink/.
//
// Assumptions: (1) a problem is a value, const after construction, and touches no device except in
// the function that own_work() returns; (2) equal arguments give equal answers; (3) expect()
// accepts any numbers in the inputs, except in tensors for which holds_integers() is true.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/device_info.hpp"
#include "reference/models/machine.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/case/contract.hpp"
#include "suites/core/case/finding_classes.hpp"
#include "suites/core/execute/plan.hpp"
#include "suites/core/judge/geometry.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/suite/metamorphic.hpp"

namespace halfmark::suites {

class Problem;
class Session;
struct DeviceResult;

/// The expected results: every tensor of role kOutput and kInOut.
struct Expectation {
  TensorSet middle;
  /// The values allowed around `middle`, if the row promises a bound. Without it, the bits of
  /// `middle`, within the ULPs of the row, are allowed.
  std::optional<Enclosure> enclosure;

  Expectation(TensorSet results,
              std::optional<Enclosure> around = std::nullopt)  // NOLINT: implicit
      : middle(std::move(results)), enclosure(std::move(around)) {}
};

[[nodiscard]] inline Allowance allowance_of(const Expectation& expected,
                                            std::uint64_t bound_ulps = 0) {
  return {expected.middle, bound_ulps, expected.enclosure ? &*expected.enclosure : nullptr};
}

/// Another way to compute a problem's results, tried only after a device failed the contract. It
/// must not outlive the problem that made it.
struct Hypothesis {
  std::string name;  // "fma-flushes-inputs"
  FindingClassName finding_class;
  std::string sentence;  // its meaning, as text for the report
  /// Returns the results. Without an enclosure a device must match their bits; with one, its values
  /// must lie inside it.
  std::function<Expectation(const Case&, const TensorSet& inputs)> evaluate;
  /// The freedoms that a device with this behaviour uses (names as in Freedom). Empty: no API
  /// leaves this behaviour open.
  std::vector<std::string> freedoms = {};
  /// Whether `freedoms` extend to a device's results that it explains. Null: to all.
  std::function<bool(const Case&, const TensorSet& inputs, const TensorSet& results)> is_within =
      {};
  /// It occurs only occasionally: right elements do not contradict it.
  bool sporadic = false;
  /// Names of weaker hypotheses that are true whenever this one is.
  std::vector<std::string> implies = {};
  /// Each result depends on the operands at its own place alone, so that evaluate() also accepts a
  /// selection of places. The diagnosis asks about a few wrong ones first, and about all of them
  /// only if these agree.
  bool pointwise = false;
  /// The more it permits, the greater: it is tried only if no hypothesis of a lower tier is exact,
  /// or if none that is exact is permitted and this one may be.
  int tier = 0;
  /// It knows no operator, only the operands and results of one failure.
  bool is_generic = false;
  /// The format whose numbers it takes for those of the claimed one; null: it takes none.
  const formats::Format* substituted = nullptr;
  /// The format in which it computes what the case asks for in another; null: in that.
  const formats::Format* computed_in = nullptr;
};

/// One operand of a wrong element, for the report.
struct Operand {
  std::string label;                        // "a", or "x[3,17]"
  const formats::Format* format = nullptr;  // null: a 32-bit signed integer
  formats::Bits bits = 0;
};

/// A problem whose results are too many to hold: its output holds digests of them.
struct Digested {
  std::uint64_t results = 0;
  /// The problems whose results the given elements of the output digest, in the same order; they
  /// are compared element by element.
  std::function<std::vector<std::unique_ptr<const Problem>>(
      const std::vector<std::size_t>& elements)>
      parts;
};

/// The result of a case that is farthest from its exact value, among all results that have one.
struct Farthest {
  std::string tensor;
  std::size_t index = 0;
  std::uint64_t thousandths = 0;     // in ULPs of the exact value, rounded up
  std::uint64_t results = 0;         // results that were measured
  std::uint64_t allowed_halves = 0;  // the case's bound, in half ULPs
};

/// The indices of the wrong elements of each output, ascending.
using Places = std::map<std::string, std::vector<std::size_t>>;

class Problem {
 public:
  explicit Problem(Case c) : case_(std::move(c)) {}
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  virtual ~Problem() = default;

  [[nodiscard]] const Case& c() const { return case_; }
  /// What findings name the operator: "layernorm_backward", or "fp32.add" in suites of
  /// elementary operations.
  [[nodiscard]] virtual std::string operation() const { return case_.suite; }

  /// The contract row of the suite that this case asserts. It may depend on what the device offers
  /// (an API that promises correct rounding only as an option has two rows), never on its maker.
  [[nodiscard]] virtual const ContractRow& row(const backends::DeviceInfo& device) const = 0;
  [[nodiscard]] virtual Plan plan(const backends::DeviceInfo& device) const = 0;
  /// Every tensor of role kInput and kInOut.
  [[nodiscard]] virtual TensorSet inputs() const = 0;
  /// The expected results, with `machine` as the arithmetic of elementary operations. Only the
  /// machine that rounds everything correctly may give an enclosure.
  [[nodiscard]] virtual Expectation expect(const TensorSet& inputs,
                                           const models::Machine& machine) const = 0;
  [[nodiscard]] Expectation expect(const TensorSet& inputs) const {
    return expect(inputs, models::Machine{});
  }
  /// The same for the results that a device gave. Where some results have a bound and others are
  /// computed from them, the latter are expected to follow from what the device had.
  [[nodiscard]] virtual Expectation expect_beside(const TensorSet& inputs,
                                                  const TensorSet& /*outputs*/) const {
    return expect(inputs);
  }

  /// Known mistakes of implementations of this operator. The diagnosis itself supplies those of
  /// elementary operations.
  [[nodiscard]] virtual std::vector<Hypothesis> mistakes() const { return {}; }
  /// Mistakes with a parameter that only a device's result reveals: one pointwise hypothesis for
  /// each value of it. They are tried after mistakes(), and may be many.
  [[nodiscard]] virtual std::vector<Hypothesis> families() const { return {}; }
  /// Mistakes with parameters read from a failure: the limit past which all elements are wrong, or
  /// what the results themselves encode.
  [[nodiscard]] virtual std::vector<Hypothesis> mistakes_seen_in(
      const Places& /*wrong*/, const TensorSet& /*outputs*/) const {
    return {};
  }
  /// Whether expect() depends on its machine; otherwise the diagnosis tries no hypotheses about
  /// elementary operations.
  [[nodiscard]] virtual bool follows_machine() const { return true; }

  /// The operands of one output element, few enough to print.
  [[nodiscard]] virtual std::vector<Operand> operands(const TensorSet& /*inputs*/,
                                                      std::string_view /*tensor*/,
                                                      std::size_t /*index*/) const {
    return {};
  }
  /// Whether a tensor holds signed integers, or mere bits, in words of its format's width.
  [[nodiscard]] virtual bool holds_integers(std::string_view /*tensor*/) const { return false; }
  /// An output as a matrix. Zero columns: a single row.
  [[nodiscard]] virtual Extent extent(std::string_view /*tensor*/) const { return {}; }
  /// For an element of the padding, which nothing may write: the row that precedes it.
  [[nodiscard]] virtual std::optional<std::size_t> padded_row(std::string_view /*tensor*/,
                                                              std::size_t /*index*/) const {
    return std::nullopt;
  }
  /// The finding class if these elements of an output stay unwritten.
  [[nodiscard]] virtual FindingClassName unwritten_class(
      const std::vector<std::size_t>& /*elements*/) const {
    return "uninit";
  }

  /// The finding class of results that are close to the expected ones but not close enough, if
  /// nothing else explains them. Nothing: closeness says nothing about this operator.
  [[nodiscard]] virtual std::optional<FindingClassName> near_class() const { return std::nullopt; }

  /// For a case that calls its operator twice: how the results of the second call follow from those
  /// of the first. All other members describe the first call.
  [[nodiscard]] virtual std::optional<Relation> relation() const { return std::nullopt; }
  /// How the output digests the results. Nothing: outputs are the results themselves.
  [[nodiscard]] virtual std::optional<Digested> digested() const { return std::nullopt; }
  /// How close the results are to their exact values, if the row only bounds that.
  [[nodiscard]] virtual std::optional<Farthest> farthest(const TensorSet& /*inputs*/,
                                                         const TensorSet& /*expected*/,
                                                         const TensorSet& /*outputs*/) const {
    return std::nullopt;
  }
  /// For problems that launch nothing: a function that does the problem's work on the device
  /// instead. Null: the plan is executed.
  using OwnWork = DeviceResult (*)(Session&, const Case&);
  [[nodiscard]] virtual OwnWork own_work() const { return nullptr; }

 private:
  Case case_;
};

/// What is allowed of a problem's results, some of which may be integers.
[[nodiscard]] inline Allowance allowance_of(const Problem& problem, const Expectation& expected,
                                            std::uint64_t bound_ulps = 0) {
  Allowance allowed = allowance_of(expected, bound_ulps);
  for (const auto& [name, tensor] : expected.middle) {
    if (problem.holds_integers(name)) allowed.integers.push_back(name);
  }
  return allowed;
}

/// What a hypothesis predicts for the outputs that `allowed` is about.
[[nodiscard]] inline Allowance allowance_like(const Allowance& allowed,
                                              const Expectation& predicted) {
  Allowance like = allowance_of(predicted);
  like.integers = allowed.integers;
  return like;
}

}  // namespace halfmark::suites
