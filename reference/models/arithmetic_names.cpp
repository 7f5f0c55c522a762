// SPDX-License-Identifier: Apache-2.0
// The names of arithmetics: printing, reading, listing. arithmetic.hpp decides what a name means.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "reference/models/arithmetic.hpp"

namespace halfmark::models {
namespace {

constexpr std::string_view kExact = "exact";
constexpr std::string_view kUnit = "unit";

struct StepRow {
  Step step;
  std::string_view name;
  std::string_view description;
};
constexpr std::array kSteps{
    StepRow{Step::kFma, "fma", "products fused with the addition"},
    StepRow{Step::kMul, "mul", "products rounded before the addition"},
};

// An option that names a format, and the condition under which it has a meaning.
struct FormatOption {
  std::string_view name;
  const Format* Arithmetic::* member;
  bool (*applies)(const Arithmetic&);
  std::string_view where;
  std::string_view description;
};
constexpr std::array kFormatOptions{
    FormatOption{"product", &Arithmetic::product,
                 [](const Arithmetic& x) { return x.unit == nullptr && x.step == Step::kMul; },
                 "to the step mul", "products rounded to {} first"},
    FormatOption{"parts", &Arithmetic::parts,
                 [](const Arithmetic& x) { return x.order.has_parts(); },
                 "to the orders strided, blocked and splitk", "partial sums rounded to {}"},
    FormatOption{"total", &Arithmetic::total,
                 [](const Arithmetic& x) { return x.order.has_parts(); },
                 "to the orders strided, blocked and splitk", "partial sums combined in {}"},
    FormatOption{"early", &Arithmetic::early, [](const Arithmetic&) { return true; }, "",
                 "the sum rounded to {} before it is scaled or stored"},
};

struct AddendRow {
  Addend addend;
  std::string_view name;
  std::string_view description;
};
constexpr std::array kAddends{
    AddendRow{Addend::kFirst, "c_first", "the first partial sum starts from c"},
    AddendRow{Addend::kLast, "c_last", "c added last"},
};

constexpr std::string_view kZeroLast = "zero_last";

constexpr std::string_view kOptions =
    "an option (near_even, toward_zero, down, up, near_away, keep, flush_in, flush_out, flush, "
    "product-P, parts-P, total-T, early-P, c_first, c_last or zero_last)";

bool can_accumulate(const Format& format) { return format.use >= formats::Use::kArithmetic; }

const Format* find_accumulator(std::string_view name) {
  const Format* format = formats::find_format(name);
  return format != nullptr && can_accumulate(*format) ? format : nullptr;
}

std::string accumulator_names() {
  std::vector<std::string_view> names;
  for (const Format& format : formats::all_formats()) {
    if (can_accumulate(format)) names.push_back(format.name);
  }
  return fmt::format("a format ({})", fmt::join(names, ", "));
}

// Reads a name part by part and keeps the first failure.
class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  std::variant<Arithmetic, NameError> read() {
    read_all();
    if (error_) return *error_;
    return value_;
  }

 private:
  struct Part {
    std::string_view text;
    std::size_t position;
  };

  void read_all() {
    const Part first = next();
    if (first.text == kExact) {
      if (!at_end()) fail(next(), 0, "the end of the name after exact");
      return;
    }
    if (first.text == kUnit) return read_unit();
    value_.accumulator = find_accumulator(first.text);
    if (value_.accumulator == nullptr) {
      return fail(first, 0, accumulator_names() + ", unit, or exact");
    }
    read_order_part();
    if (!error_) read_step();
    while (!error_ && !at_end()) read_option(next());
  }

  void read_unit() {
    constexpr int kFields = 4;  // after the first
    const Part generation = next();
    Part last = generation;
    for (int field = 1; field < kFields; ++field) last = next();
    value_.unit = find_unit(name_.substr(0, last.position + last.text.size()));
    if (value_.unit == nullptr) {
      return fail({name_.substr(generation.position), generation.position}, 0,
                  "GENERATION.INSTRUCTION.INPUT.OUTPUT of a matrix unit");
    }
    if (at_end()) return;
    const Part behind = next();
    if (value_.unit->scale != nullptr)
      return fail(behind, 0, "the end of the name of a unit with block scales");
    OrderText read = read_order(behind.text);
    if (!read.order) {
      if (read.position > 0) return fail(behind, read.position, read.expected);
      read_option(behind);
    } else if (!read.order->has_parts()) {
      return fail(behind, 0, "an order that has partial sums (strided, blocked or splitk)");
    } else {
      value_.order = std::move(*read.order);
    }
    while (!error_ && !at_end()) read_option(next());
  }

  void read_order_part() {
    const Part part = next();
    OrderText read = read_order(part.text);
    if (!read.order) return fail(part, read.position, read.expected);
    value_.order = std::move(*read.order);
  }

  void read_step() {
    const Part part = next();
    for (const StepRow& row : kSteps) {
      if (row.name == part.text) {
        value_.step = row.step;
        return;
      }
    }
    fail(part, 0, "a step (fma or mul)");
  }

  void read_option(const Part& part) {
    const bool of_step = soft::parse_rounding(part.text) || soft::parse_subnormals(part.text);
    if (of_step && value_.unit != nullptr)
      return fail(part, 0, fmt::format("no {}: a matrix unit has its own", part.text));
    if (const auto rounding = soft::parse_rounding(part.text)) {
      return take(part, value_.rounding, *rounding);
    }
    if (const auto policy = soft::parse_subnormals(part.text)) {
      return take(part, value_.subnormals, *policy);
    }
    for (const AddendRow& row : kAddends) {
      if (row.name == part.text) return read_addend(part, row.addend);
    }
    if (part.text == kZeroLast) return read_zero_last(part);
    for (const FormatOption& option : kFormatOptions) {
      if (part.text.starts_with(option.name) && part.text.substr(option.name.size(), 1) == "-") {
        return read_format(part, option);
      }
    }
    fail(part, 0, std::string(kOptions));
  }

  template <typename Member, typename Value>
  void take(const Part& part, Member& member, Value value) {
    if (member) return fail(part, 0, "no second option of this kind");
    member = value;
  }

  void read_addend(const Part& part, Addend addend) {
    if (value_.order.addend == addend || !addend_can_move(value_.order)) {
      return fail(part, 0,
                  fmt::format("no {}: {} has c {} anyway", part.text, print(value_.order),
                              value_.order.addend == Addend::kFirst ? "first" : "last"));
    }
    if (value_.order.addend != usual_addend(value_.order)) {
      return fail(part, 0, "no second option of this kind");
    }
    value_.order.addend = addend;
  }

  void read_zero_last(const Part& part) {
    if (value_.unit != nullptr) return fail(part, 0, "no zero_last: it belongs to sums in steps");
    if (value_.zero_last) return fail(part, 0, "no second option of this kind");
    value_.zero_last = true;
  }

  void read_format(const Part& part, const FormatOption& option) {
    const std::size_t skip = option.name.size() + 1;
    const Format* format = find_accumulator(part.text.substr(skip));
    if (!option.applies(value_)) {
      return fail(part, 0, fmt::format("no {}: it belongs {}", option.name, option.where));
    }
    if (format == nullptr) return fail(part, skip, accumulator_names());
    take(part, value_.*option.member, format);
  }

  [[nodiscard]] bool at_end() const { return at_ > name_.size(); }

  // The part up to the next dot. At the end of the name there is one empty part.
  Part next() {
    const std::size_t begin = std::min(at_, name_.size());
    const std::size_t end = std::min(name_.find('.', begin), name_.size());
    at_ = end + 1;
    return {name_.substr(begin, end - begin), begin};
  }

  void fail(const Part& part, std::size_t offset, const std::string& expected) {
    const std::string_view found = part.text.substr(std::min(offset, part.text.size()));
    const std::size_t position = part.position + offset;
    constexpr std::size_t kShown = 24;
    error_ = NameError{
        position, fmt::format("at character {}: expected {}, {}", position + 1, expected,
                              found.empty() ? "but the name ends"
                                            : fmt::format("not '{}{}'", found.substr(0, kShown),
                                                          found.size() > kShown ? "..." : ""))};
  }

  std::string_view name_;
  std::size_t at_ = 0;
  Arithmetic value_;
  std::optional<NameError> error_;
};

std::string_view order_description(const Order& order) {
  switch (order.kind) {
    case Order::kSequential:
      return "k ascending into one accumulator";
    case Order::kReversed:
      return "k descending into one accumulator";
    case Order::kPairwise:
      return "a tree split at powers of two, c added last";
    case Order::kStrided:
      return "interleaved partial sums";
    case Order::kBlocked:
      return "partial sums over blocks of k";
    case Order::kSplitK:
      return "partial sums over equal parts of k";
    case Order::kUnrolled:
      return "interleaved partial sums of whole turns, the first with the rest";
    case Order::kVectors:
      return "lanes of vectors, then the products left over";
    case Order::kTree:
      return "a written tree";
  }
  return {};
}

const StepRow& row_of(Step step) {
  return *std::find_if(kSteps.begin(), kSteps.end(),
                       [&](const StepRow& row) { return row.step == step; });
}

std::vector<NamedArithmetic> make_list() {
  std::vector<Arithmetic> values{Arithmetic{}};
  for (const Format& format : formats::all_formats()) {
    if (format.use != formats::Use::kAccumulator) continue;
    for (const Order::Kind order : {Order::kSequential, Order::kReversed, Order::kPairwise}) {
      for (const StepRow& step : kSteps) values.push_back({&format, order, step.step});
    }
  }
  std::vector<NamedArithmetic> list;
  for (const Unit& unit : all_units()) values.push_back({.unit = &unit});
  for (const Arithmetic& value : values) list.push_back({value, print(value), describe(value)});
  return list;
}

}  // namespace

std::span<const NamedArithmetic> all_arithmetics() {
  static const std::vector<NamedArithmetic> list = make_list();
  return list;
}

std::string print(const Arithmetic& arithmetic) {
  if (arithmetic.is_exact()) return std::string(kExact);
  std::string text;
  if (arithmetic.unit != nullptr) {
    text = arithmetic.unit->name;
    if (arithmetic.order.has_parts()) text += "." + print(arithmetic.order);
  } else {
    text = fmt::format("{}.{}.{}", arithmetic.accumulator->name, print(arithmetic.order),
                       row_of(arithmetic.step).name);
  }
  const auto option = [&text](std::string_view name) { text.append(1, '.').append(name); };
  if (arithmetic.rounding) option(soft::to_string(*arithmetic.rounding));
  if (arithmetic.subnormals) option(soft::to_string(*arithmetic.subnormals));
  for (const FormatOption& row : kFormatOptions) {
    const Format* format = arithmetic.*row.member;
    if (format != nullptr) option(fmt::format("{}-{}", row.name, format->name));
  }
  if (arithmetic.order.addend != usual_addend(arithmetic.order)) {
    for (const AddendRow& row : kAddends) {
      if (row.addend == arithmetic.order.addend) option(row.name);
    }
  }
  if (arithmetic.zero_last) option(kZeroLast);
  return text;
}

std::string describe(const Arithmetic& arithmetic) {
  if (arithmetic.is_exact()) return "the sum without error, rounded once to the result format";
  std::string text;
  if (const Unit* unit = arithmetic.unit) {
    text = fmt::format("matrix unit, blocks of {}: {} (evidence: {})", unit->block,
                       to_string(unit->rule), to_string(unit->evidence));
    if (arithmetic.order.has_parts())
      text += fmt::format(", {}", order_description(arithmetic.order));
  } else {
    text = fmt::format("every step rounded to {}: {}, {}", arithmetic.accumulator->name,
                       order_description(arithmetic.order), row_of(arithmetic.step).description);
  }
  const auto option = [&text](std::string_view words) { text.append(", ").append(words); };
  if (arithmetic.rounding)
    option(fmt::format("rounding {}", soft::to_string(*arithmetic.rounding)));
  if (arithmetic.subnormals) {
    option(fmt::format("subnormals {}", soft::to_string(*arithmetic.subnormals)));
  }
  for (const FormatOption& row : kFormatOptions) {
    const Format* format = arithmetic.*row.member;
    if (format != nullptr) option(fmt::format(fmt::runtime(row.description), format->name));
  }
  if (arithmetic.order.addend != usual_addend(arithmetic.order)) {
    for (const AddendRow& row : kAddends) {
      if (row.addend == arithmetic.order.addend) option(row.description);
    }
  }
  if (arithmetic.zero_last) option("+0 added last where there is no c");
  return text;
}

std::variant<Arithmetic, NameError> read_arithmetic(std::string_view name) {
  return Reader(name).read();
}

std::optional<Arithmetic> parse_arithmetic(std::string_view name) {
  auto read = read_arithmetic(name);
  if (auto* arithmetic = std::get_if<Arithmetic>(&read)) return std::move(*arithmetic);
  return std::nullopt;
}

}  // namespace halfmark::models
