// SPDX-License-Identifier: Apache-2.0
#include "suites/rates/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "reference/fast/elementwise.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/rates/binding.hpp"
#include "suites/rates/contract.hpp"
#include "suites/rates/mistakes.hpp"

namespace halfmark::suites::rates {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr std::uint32_t kGroupItems = 64;
// Of a stream. A kernel of a chain has one item for each of the case's.
constexpr std::uint64_t kPacksOfItem = 8;
constexpr std::string_view kFill = "periodic";

const std::vector<Axis>& axes() {
  static const std::vector<Axis> kAxes = {
      axis_of_words("format", "format of the numbers", {"fp32", "fp16", "bf16"}),
      axis_of_words("operation",
                    "one step of a chain in registers, of which muladd is a product and a sum and "
                    "convert a widening and a narrowing; or a stream through memory",
                    {"add", "mul", "fma", "muladd", "convert", "copy", "triad"}),
      provider_axis(Providers::kHalfmark),
      axis_of_words("width", "numbers in a pack", {"w1", "w2", "w4", "w8", "w16", "w32"}),
      axis_of_numbers("length", "n items, r rounds of 15 steps (of a stream: n packs, r1)", "nr"),
      fill_axis({&kFill, 1}),
  };
  return kAxes;
}

// The supported pairs of operation and format, with their widths and first level.
struct Group {
  std::string_view formats, operations, widths;
  Level first = Level::kSmoke;
};
// A copy takes four times as long as a triad, and together they take half of the suite's time. So
// level smoke has streams in the width that every language has, and one triad in packs, whose
// bandwidth is the device's best.
constexpr Group kGroups[] = {
    {"fp32", "add mul fma muladd", "w1 w2 w4 w8 w16"},
    // A processor's widest registers hold 32 halves.
    {"fp16", "add mul fma muladd", "w1 w2 w4 w8 w16 w32"},
    {"bf16", "add mul fma muladd", "w1 w2"},
    {"fp16", "convert", "w1 w2 w4 w8 w16"},
    {"fp32", "copy", "w1"},
    {"fp32", "copy", "w4", Level::kStandard},
    {"fp16", "copy", "w1"},
    {"fp16", "copy", "w4", Level::kStandard},
    {"fp32", "triad", "w1 w4"},
    {"fp16", "triad", "w1"},
};

// Chains of one pass over the work-group size, long enough that a wrong step is visible; streams of
// a few pages. Throughput uses the length that the device needs.
void add_cases(CaseList& list, Level level, std::string_view format, std::string_view operation,
               std::string_view width) {
  const bool chain = operation_row(operation).is_chain;
  list.add({format, operation, "portable", width, chain ? "n64r8" : "n16384r1", kFill});
  if (level == Level::kSmoke) return;
  list.add({format, operation, "portable", width, chain ? "n192r32" : "n131072r1", kFill});
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  CaseList list("rates", axes(), seed);
  for (const Group& group : kGroups) {
    if (level < group.first) continue;
    for (const std::string_view format : words_in(group.formats)) {
      for (const std::string_view operation : words_in(group.operations)) {
        for (const std::string_view width : words_in(group.widths))
          add_cases(list, level, format, operation, width);
      }
    }
  }
  return std::move(list).take();
}

const ContractRow& row(const Case& c, const backends::DeviceInfo&) {
  return row_named(c.word("format"), c.word("operation"));
}

// The kind of pack that a kernel is built for.
std::string_view pack_kind(const Binding& b) {
  const bool words_only = b.row->operation == Operation::kConvert ||
                          b.row->operation == Operation::kCopy ||
                          b.row->operation == Operation::kTriad;
  if (b.format == &formats::kFp32) return "fp32";
  if (words_only) return "half";
  return b.format == &formats::kFp16 ? "fp16" : "bf16";
}

// Packs are types of a language: a device whose language lacks this width cannot run them.
bool concerns(const Case& c, const backends::DeviceInfo& device) {
  const Binding b = bind(c);
  return device.has_packs(pack_kind(b), b.width);
}

std::string needed(const Binding& b) {
  const std::string_view kind = pack_kind(b);
  if (kind == "half") return "fp16.storage";
  return kind == "fp32" ? std::string() : fmt::format("{}.arithmetic", kind);
}

std::uint32_t word32(Bits bits) { return static_cast<std::uint32_t>(bits); }

std::vector<PlanArgument> step_arguments(const Binding& b) {
  const StepOperands x = step_operands(b.row->operation, *b.format);
  switch (b.row->operation) {
    case Operation::kAdd:
    case Operation::kConvert:
      return {word32(x.term_up), word32(x.term_down)};
    case Operation::kMul:
      return {word32(x.factor_up), word32(x.factor_down)};
    case Operation::kFma:
    case Operation::kMuladd:
      return {word32(x.factor_up), word32(x.term_up), word32(x.factor_down), word32(x.term_down)};
    case Operation::kTriad:
      return {word32(triad_factor(formats::kFp32))};
    case Operation::kCopy:
      break;
  }
  return {};
}

std::vector<std::string> input_names(const Binding& b) {
  if (b.row->is_chain) return {"x"};
  if (b.row->operation == Operation::kTriad) return {"a", "b"};
  return {"a"};
}

std::string entry_of(const Binding& b) {
  const bool narrow_triad = b.row->operation == Operation::kTriad && pack_kind(b) == "half";
  return std::string(b.row->entry) + (narrow_triad ? "_half" : "");
}

std::uint32_t groups_of(const Binding& b) {
  const std::uint64_t items = kGroupItems * (b.row->is_chain ? 1 : kPacksOfItem);
  return static_cast<std::uint32_t>((b.items + items - 1) / items);
}

Launch launch_of(const Binding& b) {
  Launch launch{.family = "rates",
                .defines = {{"HM_PACK_WIDTH", fmt::format("{}", b.width)},
                            {pack_kind(b) == "fp32"   ? "HM_PACK_FP32"
                             : pack_kind(b) == "half" ? "HM_PACK_HALF"
                             : pack_kind(b) == "fp16" ? "HM_PACK_FP16"
                                                      : "HM_PACK_BF16",
                             "1"}},
                .entry = entry_of(b),
                .groups = {groups_of(b), 1, 1},
                .items = {kGroupItems, 1, 1},
                .arguments = {}};
  for (const std::string& name : input_names(b)) launch.arguments.emplace_back(TensorRef{name});
  launch.arguments.emplace_back(TensorRef{"y"});
  for (const PlanArgument& argument : step_arguments(b)) launch.arguments.push_back(argument);
  launch.arguments.emplace_back(static_cast<std::int32_t>(b.row->is_chain ? b.rounds : b.items));
  return launch;
}

Plan plan(const Binding& b, const backends::DeviceInfo& device) {
  Plan plan;
  if (const std::string needs = needed(b); !needs.empty() && !device.offers(needs)) {
    plan.needs = needs;
    return plan;
  }
  for (const std::string& name : input_names(b))
    plan.tensors.push_back(
        {.name = name, .format = b.format, .count = b.count(), .role = Role::kInput});
  plan.tensors.push_back(
      {.name = "y", .format = b.format, .count = b.count(), .role = Role::kOutput});
  plan.launches.push_back(launch_of(b));
  return plan;
}

// Repeats one period.
Tensor tiled(const Tensor& period, std::size_t count) {
  Tensor tensor{.format = period.format, .bytes = {}};
  const std::size_t bytes = count * static_cast<std::size_t>(period.format->storage_bytes());
  tensor.bytes.reserve(bytes);
  while (tensor.bytes.size() < bytes) {
    const std::size_t more = std::min(period.bytes.size(), bytes - tensor.bytes.size());
    tensor.bytes.insert(tensor.bytes.end(), period.bytes.begin(),
                        period.bytes.begin() + static_cast<std::ptrdiff_t>(more));
  }
  return tensor;
}

std::size_t bytes_of_period(const Tensor& tensor, const Binding& b) {
  const std::size_t bytes = b.period() * static_cast<std::size_t>(tensor.format->storage_bytes());
  return std::min(bytes, tensor.bytes.size());
}

bool repeats(const Tensor& tensor, const Binding& b) {
  const std::size_t period = bytes_of_period(tensor, b);
  const std::byte* const words = tensor.bytes.data();
  return std::memcmp(words, words + period, tensor.bytes.size() - period) == 0;
}

// One period of operands that repeat. Others, such as those of a reduced case, are all taken.
TensorSet without_repeats(const TensorSet& operands, const Binding& b) {
  const bool repeat =
      std::ranges::all_of(operands, [&](const auto& named) { return repeats(named.second, b); });
  if (!repeat) return operands;
  TensorSet first;
  for (const auto& [name, tensor] : operands) {
    const auto period = static_cast<std::ptrdiff_t>(bytes_of_period(tensor, b));
    first.emplace(name, Tensor{.format = tensor.format,
                               .bytes = {tensor.bytes.begin(), tensor.bytes.begin() + period}});
  }
  return first;
}

TensorSet inputs(const Case& c, const Binding& b) {
  const std::size_t period = std::min(b.count(), b.period());
  TensorSet set;
  for (const std::string& name : input_names(b)) {
    const Random random(c, name);
    set.emplace(name, tiled(b.row->is_chain ? first_values(*b.format, period, random.at(0))
                                            : fill(*b.format, period, "normal", random),
                            b.count()));
  }
  return set;
}

Tensor triad_of(const Tensor& a, const Tensor& b, const models::Machine& machine) {
  const Format& single = formats::kFp32;
  const Bits factor = triad_factor(single);
  Tensor y = Tensor::zeros(*a.format, a.count());
  for (std::size_t i = 0; i < a.count(); ++i) {
    const Bits sum = soft::fma(single, soft::convert(*a.format, single, a.at(i)).bits, factor,
                               soft::convert(*a.format, single, b.at(i)).bits, machine.fma)
                         .bits;
    y.set(i, soft::convert(single, *a.format, sum, machine.convert).bits);
  }
  return y;
}

Tensor flipped(Tensor a) {
  for (std::size_t i = 0; i < a.count(); ++i) a.set(i, a.at(i) ^ 1u);
  return a;
}

TensorSet refer(const Case& c, const TensorSet& in, const models::Machine& machine) {
  return evaluate(bind(c), in, machine);
}

std::vector<Operand> operands(const Case&, const TensorSet& in, std::string_view,
                              std::size_t index) {
  std::vector<Operand> list;
  for (const auto& [name, tensor] : in)
    list.push_back({.label = name, .format = tensor.format, .bits = tensor.at(index)});
  return list;
}

constexpr NotAssertedRow kNotAsserted[] = {
    {"subnormals, NaN and infinities in chains",
     "a chain stays within normal numbers, so that no slow path hides in its time; the suite "
     "arithmetic asks for the rest"}};

std::uint64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

void require_sizes(const Case& c, const Binding& b) {
  if (b.row->is_chain && (b.items == 0 || b.items % kGroupItems != 0))
    throw UsageError(fmt::format("case '{}': n{} is no multiple of {}, the items of a group",
                                 print(c), b.items, kGroupItems));
  const std::uint64_t most = b.row->is_chain ? most_rounds(*b.format) : 1;
  if (b.rounds < 1 || b.rounds > most)
    throw UsageError(
        fmt::format("case '{}': r{} is not between 1 and {}", print(c), b.rounds, most));
  if (b.items == 0 || b.items > kMostElements || b.count() > kMostElements)
    throw UsageError(fmt::format("case '{}': n{} is not between 1 and what {} numbers allow",
                                 print(c), b.items, kMostElements));
}

}  // namespace

Binding bind(const Case& c) {
  const std::string_view format = c.word("format");
  const std::string_view operation = c.word("operation");
  const bool exists = std::ranges::any_of(kGroups, [&](const Group& group) {
    const auto has = [](std::string_view words, std::string_view word) {
      return std::ranges::count(words_in(words), word) > 0;
    };
    return has(group.formats, format) && has(group.operations, operation) &&
           has(group.widths, c.word("width"));
  });
  if (!exists)
    throw UsageError(fmt::format(
        "case '{}': there is no {} {} in packs of {}; `halfmark list --suite rates` shows what "
        "there is",
        print(c), format, operation, c.word("width").substr(1)));
  Binding b{.format = formats::find_format(format),
            .row = &operation_row(operation),
            .width = static_cast<int>(number_of(c.word("width").substr(1))),
            .items = c.number("length", 'n'),
            .rounds = c.number("length", 'r')};
  require_sizes(c, b);
  return b;
}

TensorSet evaluate(const Binding& b, const TensorSet& inputs, const models::Machine& machine,
                   const Mistake& mistake) {
  const TensorSet operands = without_repeats(inputs, b);
  Tensor y;
  if (b.row->is_chain) {
    y = after_rounds(b.row->operation, operands.at("x"), b.rounds, machine, mistake);
  } else if (b.row->operation == Operation::kTriad) {
    y = triad_of(operands.at("a"), operands.at("b"), machine);
  } else {
    y = flipped(operands.at("a"));
  }
  TensorSet set;
  set.emplace("y", tiled(y, b.count()));
  return set;
}

namespace {

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  return {refer(c, inputs, machine)};
}

class RatesProblem final : public Problem {
 public:
  explicit RatesProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return rates::row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override { return rates::plan(b_, device); }
  TensorSet inputs() const override { return rates::inputs(c(), b_); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return rates::expect(c(), inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override { return rates::hypotheses(c()); }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return rates::operands(c(), inputs, tensor, index);
  }

 private:
  const Binding b_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "rates",
      .summary =
          "chains of one operation in registers and streams through memory, bit for bit: "
          "what roofs are measured by",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .bind = bind_as<RatesProblem>,
      .not_asserted = kNotAsserted,
      .concerns = concerns};
  return kSuite;
}

}  // namespace halfmark::suites::rates
