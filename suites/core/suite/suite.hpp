// SPDX-License-Identifier: Apache-2.0
// What a suite is: axes, contract and the binding of one operator to its reference and its kernels.
// Everything is data or a free function over values; a suite holds no state and sees no device.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device_info.hpp"
#include "reference/models/machine.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/case/contract.hpp"
#include "suites/core/execute/plan.hpp"
#include "suites/core/judge/geometry.hpp"
#include "suites/core/suite/identified_arithmetic.hpp"
#include "suites/core/suite/metamorphic.hpp"

namespace halfmark::suites {

class Session;
struct DeviceResult;

/// How much is asked: each level holds the cases of the one before.
enum class Level { kSmoke, kStandard, kFull, kExhaustive };

[[nodiscard]] constexpr std::string_view name_of(Level level) {
  switch (level) {
    case Level::kSmoke:
      return "smoke";
    case Level::kStandard:
      return "standard";
    case Level::kFull:
      return "full";
    case Level::kExhaustive:
      return "exhaustive";
  }
  return "";
}

/// Another way to evaluate the case, tried exactly when a device disagrees with the contract.
struct Hypothesis {
  std::string name;           // "fma-flushes-inputs"
  std::string finding_class;  // a class of the closed list in classes.hpp
  std::string sentence;       // what it would mean, for a reader
  std::function<TensorSet(const Case&, const TensorSet& inputs)> evaluate;
  /// The freedoms that a device takes with it (names as in Freedom); empty: no API leaves this
  /// open.
  std::vector<std::string> freedoms = {};
  /// Where the hypothesis leaves roundings open as the case's row does: what it allows around
  /// evaluate(), which was called just before. Null: those bits.
  std::function<Enclosure(const Case&, const TensorSet& inputs)> enclose = nullptr;
  /// It happens now and then: elements that are right do not contradict it.
  bool sporadic = false;
};

/// One operand of a wrong element, for the report.
struct Operand {
  std::string label;                        // "a", or "x[3,17]"
  const formats::Format* format = nullptr;  // null: a 32-bit signed integer
  formats::Bits bits = 0;
};

/// A case whose results are too many to hold: its output holds digests of them.
struct Digested {
  std::uint64_t results = 0;
  /// The cases whose results lie behind some elements of the output, in order, compared one by one.
  std::vector<Case> (*parts)(const Case&, const std::vector<std::size_t>& elements);
};

/// Of all results of a case that have an exact value: the one that lies farthest from it.
struct Farthest {
  std::string tensor;
  std::size_t index = 0;
  std::uint64_t thousandths = 0;     // of a ULP of the exact value, rounded up
  std::uint64_t results = 0;         // that were looked at
  std::uint64_t allowed_halves = 0;  // of a ULP: what the case's row promises
};

/// Where the wrong elements of each output lie, ascending.
using Places = std::map<std::string, std::vector<std::size_t>>;

/// The tier `modelled` of a suite: operators that nobody specifies, and whose arithmetic is looked
/// for. A case on a bounded row that the found arithmetic explains to the last bit stands on `row`
/// instead; the bound decides alone whether a case fails.
struct Modelling {
  const ContractRow* row = nullptr;
  /// Cases of one key are taken to share an arithmetic. Empty: nothing is looked for.
  std::string (*key)(const Case&) = nullptr;
  /// Probes the device, on the case's shape and with data of its own; `known` holds what was found
  /// under other keys of the same suite and provider. Throws what the device throws.
  Identified (*identify)(Session&, const Case&, std::span<const Identified> known) = nullptr;
  /// As Suite::refer, under a named arithmetic.
  TensorSet (*refer)(const Case&, const TensorSet& inputs, const Identified&) = nullptr;
};

struct Suite {
  std::string_view name;
  std::string_view summary;  // one line for `halfmark list`
  std::span<const Axis> axes;
  std::span<const ContractRow> contract;

  /// All cases up to a level, sorted by cost class then name; none twice.
  std::vector<Case> (*cases)(Level, std::uint64_t seed);
  /// The row that this case asserts; always one of `contract`. It may depend on what the device
  /// offers (an API that promises correct rounding only as an option has two rows), never on who
  /// made it.
  const ContractRow& (*row)(const Case&, const backends::DeviceInfo&);
  Plan (*plan)(const Case&, const backends::DeviceInfo&);
  /// Every tensor of role kInput and kInOut.
  TensorSet (*inputs)(const Case&);
  /// Every tensor of role kOutput and kInOut, as a device of these elementary operations must give
  /// it.
  TensorSet (*refer)(const Case&, const TensorSet& inputs, const models::Machine&);
  /// Operator-specific hypotheses; those about elementary operations are the core's. May be null.
  std::vector<Hypothesis> (*hypotheses)(const Case&);
  /// The operands behind one output element, few enough to print. May be null.
  std::vector<Operand> (*operands)(const Case&, const TensorSet& inputs, std::string_view tensor,
                                   std::size_t index);
  /// Whether an input holds signed integers in words of its format's size. Null: none does.
  bool (*holds_integers)(const Case&, std::string_view tensor) = nullptr;
  /// For rows that promise a bound: what they allow around refer()'s answer. Null, or nothing for a
  /// case: refer()'s bits within the row's ULPs.
  std::optional<Enclosure> (*enclose)(const Case&, const TensorSet& inputs) = nullptr;
  /// Whether refer() follows the Machine that it is given, so that hypotheses about one elementary
  /// operation mean something. Null: always.
  bool (*follows_machine)(const Case&) = nullptr;
  /// The class of a fault that leaves these elements of an output unwritten, where their places
  /// tell more than "uninit". Null: never.
  std::string_view (*unwritten_class)(const Case&,
                                      const std::vector<std::size_t>& elements) = nullptr;
  /// What the suite does not assert, told in every scorecard.
  std::span<const NotAssertedRow> not_asserted = {};
  /// Null, or nothing for a case: outputs are the results themselves.
  std::optional<Digested> (*digested)(const Case&) = nullptr;
  /// Further hypotheses, whose numbers are read off the places of the wrong elements: the limit
  /// behind which all went wrong, for one. Null: none.
  std::vector<Hypothesis> (*located)(const Case&, const Places& wrong) = nullptr;
  /// An output as the matrix that its reader thinks of. Null: a single row.
  Extent (*extent)(const Case&, std::string_view tensor) = nullptr;
  /// The class of results that are near what they should be, and not near enough, where nothing
  /// else explains them. Empty: nearness says nothing of this operator.
  std::string_view near_class = {};
  /// Null: the suite has no modelled tier.
  const Modelling* modelling = nullptr;
  /// How near the results are to what they should be, where a row only bounds that. Null, or
  /// nothing for a case: not measured.
  std::optional<Farthest> (*farthest)(const Case&, const TensorSet& inputs,
                                      const TensorSet& expected,
                                      const TensorSet& outputs) = nullptr;
  /// Whether a run on this device holds the case: not where the case asks by the rules of another
  /// interface. What the device's own interface leaves out is held, and not supported. Null:
  /// always.
  bool (*concerns)(const Case&, const backends::DeviceInfo&) = nullptr;
  /// Of a case that makes its call twice: how the second follows from the first, whose operands and
  /// results all else here is about. Null, or nothing for a case: there is one call.
  std::optional<Relation> (*relation)(const Case&) = nullptr;
  /// For cases that launch nothing: what is done to the device instead. Null: the plan is executed.
  DeviceResult (*perform)(Session&, const Case&) = nullptr;
  /// Hypotheses that are read off the results themselves. Null: none.
  std::vector<Hypothesis> (*decoded)(const Case&, const TensorSet& outputs) = nullptr;
  /// The row that an element of an output lies behind, where it is padding that nothing may be
  /// written to; nothing for results. Null: there is no padding.
  std::optional<std::size_t> (*padded_row)(const Case&, std::string_view tensor,
                                           std::size_t index) = nullptr;
  /// Its cases run before those of other suites, which rest on what they ask.
  bool foremost = false;
};

}  // namespace halfmark::suites
