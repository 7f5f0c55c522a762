// SPDX-License-Identifier: Apache-2.0
#include "suites/reduction/suite.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/operators/lanes.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/reduction/binding.hpp"

namespace halfmark::suites::reduction {
namespace {

struct OperationRow {
  std::string_view name, library_name, entry;  // token, library's operator, kernel
  Operation operation;
};

constexpr OperationRow kOperations[] = {
    {"sum", "sum", "reduction_sums", Operation::kSum},
    {"mean", "mean", "reduction_means", Operation::kMean},
    {"max", "max_reduce", "reduction_greatest", Operation::kMax},
};

const OperationRow& row_of(const Case& c) { return row_named(kOperations, c.word("operation")); }

void add_launch(Plan& plan, const Case& c, const Binding& b) {
  plan.launches.push_back(
      {.family = "reduction",
       .defines = {{"HM_X_FORMAT", kernel_word(*b.format)},
                   {"HM_Y_FORMAT", kernel_word(*b.output)}},
       .entry = std::string(row_of(c).entry),
       .groups = {static_cast<std::uint32_t>(b.rows), 1, 1},
       .items = {static_cast<std::uint32_t>(operators::kLanes), 1, 1},
       .arguments = {TensorRef{"x"}, TensorRef{"y"}, static_cast<std::int32_t>(b.width)}});
}

// Returns false if the device has no such provider, which the plan then states.
bool call_library(Plan& plan, const Case& c, const Binding& b, const backends::DeviceInfo& device) {
  OperatorStep* step = add_operator(plan, device, c.word("provider"), row_of(c).library_name);
  if (step == nullptr) return false;
  step->tensors = {dense("x", {b.rows, b.width}), dense("y", {b.rows})};
  step->tensors[0].strides = {static_cast<std::int64_t>(b.row_step),
                              static_cast<std::int64_t>(b.element_step)};
  return true;
}

Plan plan(const Case& c, const Binding& b, const backends::DeviceInfo& device) {
  Plan result;
  if (b.portable) {
    if (!require_group(result, device, operators::kLanes)) return result;
    add_launch(result, c, b);
  } else if (!call_library(result, c, b, device)) {
    return result;
  }
  result.tensors.push_back(
      {.name = "x", .format = b.format, .count = b.count(), .role = Role::kInput});
  result.tensors.push_back(
      {.name = "y", .format = b.output, .count = b.rows, .role = Role::kOutput});
  return result;
}

const std::vector<Axis>& axes() {
  static const std::vector<Axis> kAxes = {
      axis_of_words("operation", "of each row: its sum, mean or greatest element",
                    {"sum", "mean", "max"}),
      axis_of_words("format", "format of the elements", {"fp16", "bf16", "fp32"}),
      output_axis(),
      provider_axis(),
      rows_axis(),
      fill_axis(fill_names()),
  };
  return kAxes;
}

struct CaseRow {
  std::string_view operation, format, output, shape, fill;
};

// Each row targets a class of faults.
constexpr CaseRow kSmoke[] = {
    {"sum", "fp16", "out-fp16", "r4n0", "ones"},
    {"mean", "fp16", "out-fp16", "r4n0", "ones"},
    {"sum", "fp16", "out-fp32", "r4n1", "integer"},
    {"sum", "fp16", "out-fp16", "r4n4097", "ones"},
    {"sum", "fp16", "out-fp32", "r2n70000", "ones"},
    {"sum", "bf16", "out-bf16", "r4n257", "ones"},
    {"sum", "bf16", "out-fp32", "r4n4097", "ones"},
    {"sum", "fp16", "out-fp16", "r2n65504", "ones"},
    {"sum", "fp16", "out-fp16", "r2n65520", "ones"},
    {"sum", "fp16", "out-fp32", "r66n65", "integer"},
    {"sum", "fp16", "out-fp16", "r4n1021", "swing"},
    {"sum", "fp16", "out-fp16", "r66n65", "nan"},
    {"sum", "fp16", "out-fp16", "r66n65", "infinity"},
    {"sum", "fp32", "out-fp32", "r64n513", "normal"},
    {"sum", "fp16", "out-fp32", "r64n1021", "normal"},
    {"mean", "fp16", "out-fp16", "r4n4097", "ones"},
    {"mean", "fp16", "out-fp16", "r2n65520", "ones"},
    {"mean", "fp16", "out-fp16", "r2n70000", "ones"},
    {"mean", "bf16", "out-bf16", "r4n70000", "ones"},
    {"mean", "fp16", "out-fp16", "r66n65", "nan"},
    {"mean", "fp16", "out-fp32", "r64n1021", "normal"},
    {"max", "fp16", "out-fp16", "r66n65", "nan"},
    {"mean", "fp16", "out-fp32", "r4n1021", "ones"},
    {"sum", "fp16", "out-fp32", "r7n1023", "wide"},
    {"mean", "fp16", "out-fp32", "r7n1021", "wide"},
    {"sum", "fp16", "out-fp32", "r5n2046", "integer"},
    {"max", "fp16", "out-fp16", "r66n65", "infinity"},
    {"max", "fp32", "out-fp32", "r7n65", "lowest"},
    {"max", "fp16", "out-fp16", "r7n65", "lowest"},
    {"max", "fp16", "out-fp16", "r15n33", "negative"},
    {"max", "bf16", "out-bf16", "r131n130", "nan"},
    {"max", "fp32", "out-fp32", "r66n65", "nan"},
    {"max", "fp16", "out-fp16", "r64n4097", "normal"},
    {"sum", "fp16", "out-fp32", "r15n66", "padded"},
    {"mean", "fp16", "out-fp16", "r15n64", "columns"},
    {"max", "fp16", "out-fp16", "r15n66", "padded"},
    {"max", "bf16", "out-bf16", "r15n64", "columns"},
    {"sum", "fp32", "out-fp32", "r8n1021", "related"},
    {"mean", "fp16", "out-fp32", "r8n1021", "related"},
};

// Rows past the limits of loops and counters, and every format on data whose results round.
constexpr CaseRow kLibrary[] = {
    {"sum", "fp16", "out-fp32", "r3n4099", "integer"},
    {"sum", "fp16", "out-fp32", "r3n70000", "integer"},
    {"mean", "fp16", "out-fp32", "r3n70000", "integer"},
    {"max", "fp16", "out-fp16", "r15n70000", "negative"},
    {"sum", "bf16", "out-bf16", "r16n1021", "normal"},
    {"mean", "bf16", "out-fp32", "r16n1021", "normal"},
    {"mean", "fp32", "out-fp32", "r16n1021", "normal"},
    {"max", "bf16", "out-bf16", "r16n2049", "normal"},
    {"max", "fp32", "out-fp32", "r16n2049", "normal"},
};

// Small widths, widths around lane, wave and vector boundaries, and sizes beyond 16-bit counters.
constexpr std::string_view kShapes[] = {
    "r4n2",    "r4n3",     "r4n5",     "r4n7",     "r4n15",   "r4n17",   "r4n31",
    "r4n33",   "r4n63",    "r4n64",    "r4n65",    "r4n127",  "r4n129",  "r4n255",
    "r4n257",  "r4n511",   "r4n513",   "r4n1023",  "r4n1025", "r4n2049", "r4n4095",
    "r4n4097", "r2n65504", "r2n65520", "r2n70000", "r65537n3"};

void add(CaseList& list, const CaseRow& row) {
  for (const std::string_view provider : {"portable", "library"}) {
    if (provider == kPortable && is_strided(row.fill)) continue;
    list.add({row.operation, row.format, row.output, provider, row.shape, row.fill});
  }
}

void add_shapes(CaseList& list, std::string_view fill) {
  for (const std::string_view shape : kShapes) {
    for (const std::string_view operation : {"sum", "mean", "max"}) {
      if (fill == "negative" && operation != "max") continue;  // for identities of the maximum
      add(list, {operation, "fp16", "out-fp16", shape, fill});
      add(list, {operation, "bf16", "out-fp32", shape, fill});
    }
  }
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  CaseList list("reduction", axes(), seed);
  for (const CaseRow& row : kSmoke) add(list, row);
  for (const CaseRow& row : kLibrary)
    list.add({row.operation, row.format, row.output, "library", row.shape, row.fill});
  if (level >= Level::kStandard) {
    add_shapes(list, "integer");
    for (const std::string_view fill : {"padded", "columns"}) {
      for (const std::string_view operation : {"sum", "mean", "max"}) {
        for (const std::string_view shape : {"r4n65", "r66n257", "r130n1024"}) {
          add(list, {operation, "fp16", "out-fp32", shape, fill});
          add(list, {operation, "bf16", "out-bf16", shape, fill});
          add(list, {operation, "fp32", "out-fp32", shape, fill});
        }
      }
    }
    for (const std::string_view shape : {"r4n3", "r4n65", "r4n1025", "r4n4097"}) {
      add(list, {"sum", "fp16", "out-fp32", shape, "related"});
      add(list, {"mean", "bf16", "out-fp32", shape, "related"});
    }
  }
  if (level >= Level::kFull) {
    for (const std::string_view fill : {"ones", "negative", "nan", "infinity"}) {
      add_shapes(list, fill);
    }
    add(list, {"max", "fp16", "out-fp16", "r1026n1025", "nan"});
    add(list, {"sum", "fp16", "out-fp16", "r1026n1025", "nan"});
  }
  return std::move(list).take();
}

}  // namespace

bool is_strided(std::string_view fill) { return fill == "padded" || fill == "columns"; }

Binding bind(const Case& c) {
  Binding b{.operation = row_of(c).operation,
            .format = formats::find_format(c.word("format")),
            .output = formats::find_format(c.word("output").substr(4)),
            .portable = c.word("provider") == kPortable,
            .rows = static_cast<std::size_t>(c.number("shape", 'r')),
            .width = static_cast<std::size_t>(c.number("shape", 'n')),
            .fill = c.word("fill")};
  if (b.rows == 0 || b.rows > kMostElements || b.width > kMostElements / b.rows ||
      (b.width == 0 && b.operation == Operation::kMax)) {
    throw UsageError(fmt::format(
        "case '{}': there must be a row, 2^28 elements at most, and one for max", print(c)));
  }
  const bool is_related = b.fill == "related";
  if (is_related && (b.operation == Operation::kMax || *b.output != formats::kFp32)) {
    throw UsageError(
        fmt::format("case '{}': the relation is one of sums and means in fp32", print(c)));
  }
  if (is_strided(b.fill) && b.portable) {
    throw UsageError(fmt::format("case '{}': only libraries take strides", print(c)));
  }
  constexpr std::size_t kGap = 3;  // elements between rows
  const bool by_columns = b.fill == "columns" && b.rows > 1;
  b.row_step = by_columns ? 1 : b.fill == "padded" ? b.width + kGap : b.width;
  b.element_step = by_columns ? b.rows : 1;
  return b;
}

namespace {

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  return {refer(c, inputs, machine), enclose(c, inputs)};
}

class ReductionProblem final : public Problem {
 public:
  explicit ReductionProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return reduction::contract_row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    return reduction::plan(c(), b_, device);
  }
  TensorSet inputs() const override { return reduction::make_inputs(c()); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return reduction::expect(c(), inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override { return reduction::hypotheses(c()); }
  bool follows_machine() const override { return b_.portable; }
  std::optional<FindingClassName> near_class() const override {
    if (b_.portable) return std::nullopt;
    return FindingClassName("low_precision");
  }
  FindingClassName unwritten_class(const std::vector<std::size_t>&) const override {
    if (b_.width == 0) return "zero_dim";
    return "uninit";
  }
  std::optional<Relation> relation() const override { return reduction::relation(c()); }

 private:
  const Binding b_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{.name = "reduction",
                            .summary = "sum, mean and greatest element of rows",
                            .axes = axes(),
                            .contract = contract(),
                            .cases = cases,
                            .bind = bind_as<ReductionProblem>,
                            .not_asserted = not_asserted(),
                            .modelling = &modelling()};
  return kSuite;
}

}  // namespace halfmark::suites::reduction
