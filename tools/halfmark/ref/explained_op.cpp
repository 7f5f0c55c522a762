// SPDX-License-Identifier: Apache-2.0
// `halfmark ref op FORMAT.OPERATION OPERAND...`: one operation, explained.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <span>

#include "reference/formats/text.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/binary_functions.hpp"
#include "reference/soft/convert.hpp"
#include "tools/halfmark/ref/block.hpp"
#include "tools/halfmark/ref/calculator.hpp"
#include "tools/halfmark/ref/ref_names.hpp"
#include "tools/halfmark/ref/shown.hpp"

namespace halfmark::tools {
namespace {

using formats::Bits;
using formats::Format;
using soft::ExactNumber;

// The result of an operation without rounding; `cut` if even this many bits do not hold it.
struct Unrounded {
  ExactNumber value;
  bool cut = false;
};
constexpr int kRootBits = 256;

struct ExactOperation {
  std::string_view name;
  // Empty where there is no number: a division by zero, the square root of a negative number.
  std::optional<Unrounded> (*evaluate)(std::span<const ExactNumber> x, std::int32_t n);
};

std::optional<Unrounded> exact_quotient(std::span<const ExactNumber> x, std::int32_t /*n*/) {
  if (x[1].is_zero()) return std::nullopt;
  return Unrounded{x[0] / x[1]};
}

std::optional<Unrounded> exact_root(std::span<const ExactNumber> x, std::int32_t /*n*/) {
  if (x[0].negative && !x[0].is_zero()) return std::nullopt;
  const soft::Root root = soft::square_root(x[0], kRootBits);
  return Unrounded{root.value, !root.exact};
}

// Operations with an exact result made of sums, products, quotients and square roots.
constexpr std::array<ExactOperation, 8> kExact{{
    {"add", [](auto x, auto) { return std::optional(Unrounded{x[0] + x[1]}); }},
    {"sub", [](auto x, auto) { return std::optional(Unrounded{x[0] - x[1]}); }},
    {"mul", [](auto x, auto) { return std::optional(Unrounded{x[0] * x[1]}); }},
    {"fma", [](auto x, auto) { return std::optional(Unrounded{x[0] * x[1] + x[2]}); }},
    {"div", exact_quotient},
    {"sqrt", exact_root},
    {"rint", [](auto x, auto) { return std::optional(Unrounded{x[0]}); }},
    {"ldexp",
     [](auto x, auto n) { return std::optional(Unrounded{x[0] * soft::power_of_two(n)}); }},
}};

const ExactOperation* find_exact(std::string_view name) {
  static constexpr ExactOperation kConversion{
      "to_", [](auto x, auto) { return std::optional(Unrounded{x[0]}); }};
  if (name.starts_with(kConversion.name)) return &kConversion;
  for (const ExactOperation& row : kExact) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// The parsed operands and the lines that show them.
struct Call {
  const Format& format;
  const RefOperation& operation;
  soft::Environment env;
  RefOperands operands;
  std::string lines;
  std::string problem;
};

std::string operand_text(const Format& f, const Operand& operand) {
  std::string text = describe(f, operand.read.bits);
  if (!operand.numeral || (operand.read.flags & soft::kInexact) == 0) return text;
  const auto exact = soft::exact_number(*operand.numeral);
  const bool measurable = exact && formats::is_finite(f, operand.read.bits);
  return text + fmt::format("  ({} rounded{})", operand.text,
                            measurable ? ": " + error_in_ulps(f, operand.read.bits, *exact) : "");
}

// Takes the last word of a stochastic operation, its random number, off `words`.
std::string take_random(const ResolvedOperation& resolved, int random_bits, Call& call,
                        std::span<const std::string>& words) {
  const RandomBits random = resolve_random_bits(resolved, random_bits);
  if (!random.problem.empty() || words.empty()) return random.problem;
  const auto number = formats::parse_hex(formats::kFp64, words.back());
  if (!number || *number >> random.bits != 0) {
    return fmt::format(
        "\"{}\" is not a random number of {} bits in hex; the random number is the last word",
        shown(words.back()), random.bits);
  }
  call.env.random_bits = random.bits;
  call.env.random = static_cast<std::uint32_t>(*number);
  words = words.first(words.size() - 1);
  return {};
}

void read_operand(const std::string& word, std::size_t i, Call& call) {
  constexpr std::array<std::string_view, 3> kNames{"a", "b", "c"};
  const auto last = static_cast<std::size_t>(call.operation.operands) - 1;
  if (call.operation.integer_last && i == last) {
    const auto integer = parse_integer(word);
    if (!integer) call.problem = fmt::format("\"{}\" is not a 32-bit integer", shown(word));
    call.operands.integer = integer.value_or(0);
    call.lines += line("n", std::to_string(call.operands.integer));
    return;
  }
  // Operands are rounded to nearest, whatever the direction of the operation.
  const ParsedOperand parsed = parse_operand(call.format, word, {});
  call.problem = parsed.problem;
  if (!parsed.operand) return;
  call.operands.bits[i] = parsed.operand->read.bits;
  call.lines += line(kNames[i], operand_text(call.format, *parsed.operand));
}

Call read_call(const ResolvedOperation& resolved, const CalculatorOptions& options) {
  Call call{*resolved.format, *resolved.operation, options.environment, {}, {}, {}};
  std::span<const std::string> words = options.words;
  if (call.env.rounding == soft::Rounding::kStochastic) {
    call.problem = take_random(resolved, options.random_bits, call, words);
    if (!call.problem.empty()) return call;
  }
  const auto wanted = static_cast<std::size_t>(call.operation.operands);
  if (words.size() != wanted) {
    call.problem = fmt::format("{} takes {} operand{}, not {}", options.subject, wanted,
                               wanted == 1 ? "" : "s", words.size());
  }
  for (std::size_t i = 0; i < wanted && call.problem.empty(); ++i) read_operand(words[i], i, call);
  return call;
}

bool all_finite(const Call& call) {
  const int encodings = call.operation.operands - (call.operation.integer_last ? 1 : 0);
  for (int i = 0; i < encodings; ++i) {
    if (!formats::is_finite(call.format, call.operands.bits[static_cast<std::size_t>(i)]))
      return false;
  }
  return true;
}

std::optional<Unrounded> unrounded(const Call& call) {
  const ExactOperation* exact = find_exact(call.operation.name);
  // 2^n is written out in full, so a very large or small n is skipped.
  const bool reachable = std::abs(std::int64_t{call.operands.integer}) <= 20'000;
  if (exact == nullptr || !all_finite(call) || !reachable) return std::nullopt;
  std::array<ExactNumber, 3> x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = soft::exact_number(call.format, call.operands.bits[i]);
  }
  return exact->evaluate(x, call.operands.integer);
}

soft::Result evaluate(const Call& call, const soft::Environment& env) {
  const Format& to = call.operation.to == nullptr ? call.format : *call.operation.to;
  return call.operation.evaluate(call.format, to, call.operands, env);
}

bool is_binary_function(std::string_view name) {
  return std::any_of(soft::kBinaryFunctions.begin(), soft::kBinaryFunctions.end(),
                     [&](const soft::BinaryFunction& function) { return function.name == name; });
}

// Where the exact result cannot be written: the two numbers of the widest format with the operation
// that enclose it. The operands are exact there, and subnormals are kept.
std::string bracket_lines(const Call& call, const Format& to, const soft::Result& result) {
  const Format& wide = formats::kFp32;
  const RefOperation* widest = find_ref_operation(wide, call.operation.name);
  const bool has_one = widest != nullptr &&
                       (call.operation.operands == 1 || is_binary_function(call.operation.name));
  if (!all_finite(call) || !has_one || to.precision() > wide.precision()) return {};
  const Bits a = soft::convert(call.format, wide, call.operands.bits[0]).bits;
  const Bits b = soft::convert(call.format, wide, call.operands.bits[1]).bits;
  const auto directed = [&](soft::Rounding rounding) {
    return widest->evaluate(wide, wide, {.bits = {a, b}}, {.rounding = rounding});
  };
  const soft::Result down = directed(soft::Rounding::kDown);
  const soft::Result up = directed(soft::Rounding::kUp);
  if (!formats::is_finite(wide, down.bits) || !formats::is_finite(wide, up.bits)) return {};
  if (down.bits == up.bits) return line("exact", value_text(wide, down.bits));
  std::string text =
      line("exact", fmt::format("between {} and {}", formats::hex_float(wide, down.bits),
                                formats::hex_float(wide, up.bits)));
  if (to == wide || !formats::is_finite(to, result.bits)) return text;
  const auto error = [&](Bits bound) {
    return error_in_ulps(to, result.bits, soft::exact_number(wide, bound));
  };
  return text + line("error", fmt::format("between {} and {}", error(up.bits), error(down.bits)));
}

std::string exact_lines(const Call& call, const Format& to, const soft::Result& result) {
  auto exact = unrounded(call);
  if (!exact) return bracket_lines(call, to, result);
  if (exact->value.is_zero())
    exact->value.negative = false;  // the rounding direction decides its sign
  const std::string decimal = soft::decimal(exact->value, kMostDigits / 2);
  const bool cut = exact->cut || decimal.find("...") != std::string::npos;
  std::string text =
      line("exact", decimal + (exact->cut && !decimal.ends_with("...") ? "..." : ""));
  if (cut) text += line("", soft::hex_float(exact->value));
  if (!formats::is_finite(to, result.bits)) return text;
  return text + line("error", error_in_ulps(to, result.bits, exact->value));
}

std::string block(const Call& call, std::string_view name) {
  const soft::Result result = evaluate(call, call.env);
  std::string text =
      line("operation",
           fmt::format("{}: {}; {}, subnormals {}", name, call.operation.meaning,
                       soft::to_string(call.env.rounding), soft::to_string(call.env.subnormals)));
  text += call.lines;
  if (call.operation.to == nullptr) {
    return text + line("result", result.bits != 0 ? "1 (true)" : "0 (false)") +
           line("flags", flags_text(result.flags));
  }
  const Format& to = *call.operation.to;
  text += exact_lines(call, to, result);
  text += line("result", describe(to, result.bits));
  text += line("flags", flags_text(result.flags));
  return text + neighbour_lines(to, result.bits);
}

}  // namespace

int ref_op_explained(std::ostream& out, std::ostream& err, const CalculatorOptions& options) {
  const ResolvedOperation resolved = resolve_ref_operation(options.subject);
  std::string problem = resolved.problem;
  if (problem.empty()) {
    const Call call = read_call(resolved, options);
    problem = call.problem;
    if (problem.empty()) out << block(call, options.subject) << std::flush;
  }
  if (problem.empty()) return 0;
  err << "halfmark: " << problem << std::endl;
  return 2;
}

}  // namespace halfmark::tools
