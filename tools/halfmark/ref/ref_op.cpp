// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/ref/ref_op.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <ostream>
#include <string_view>
#include <vector>

#include "reference/files/descriptor.hpp"
#include "reference/formats/text.hpp"
#include "reports/exit_codes.hpp"
#include "tools/halfmark/ref/operand.hpp"
#include "tools/halfmark/ref/ref_names.hpp"
#include "tools/halfmark/ref/shown.hpp"

namespace halfmark::tools {
namespace {

using formats::Bits;
using formats::Format;

constexpr std::size_t kBlock = std::size_t{1} << 18;
constexpr std::size_t kLongestLine = std::size_t{1} << 16;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Takes the next word off the front of a line; empty at the end or at a comment.
std::string_view next_word(std::string_view& line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  if (line.empty() || line.front() == '#') return {};
  std::size_t length = 1;
  while (length < line.size() && !is_blank(line[length])) ++length;
  const std::string_view word = line.substr(0, length);
  line.remove_prefix(length);
  return word;
}

void append_hex(std::string& out, Bits bits, int digits) {
  for (int i = digits - 1; i >= 0; --i) out.push_back("0123456789abcdef"[bits >> (4 * i) & 15]);
}

// Applies one operation line by line; the first wrong line ends it.
class Filter {
 public:
  Filter(const Format& format, const RefOperation& operation, const soft::Environment& env)
      : format_(format), operation_(operation), env_(env) {}

  // Empty on success, else what is wrong with this line and the remedy.
  [[nodiscard]] std::string take(std::string_view line) {
    ++line_number_;
    if (line.size() > kLongestLine) {
      return fmt::format("line {}: longer than {} characters; {}", line_number_, kLongestLine,
                         expected_line());
    }
    std::string_view rest = line;
    std::string_view word = next_word(rest);
    if (word.empty()) return {};
    RefOperands operands;
    for (int i = 0; i < operation_.operands; ++i, word = next_word(rest)) {
      if (word.empty()) return wrong_count(i);
      if (!read(word, i, operands)) return wrong_word(word, i);
    }
    if (is_stochastic()) {
      if (word.empty()) return wrong_count(operation_.operands);
      if (!read_random(word)) return wrong_random(word);
      word = next_word(rest);
    }
    if (!word.empty()) {
      return fmt::format("line {}: \"{}\" is one operand too many; {}", line_number_, shown(word),
                         expected_line());
    }
    const Format& to = operation_.to == nullptr ? format_ : *operation_.to;
    write(operation_.evaluate(format_, to, operands, env_));
    return {};
  }

  [[nodiscard]] std::string& output() { return output_; }

 private:
  [[nodiscard]] bool is_integer(int index) const {
    return operation_.integer_last && index == operation_.operands - 1;
  }

  [[nodiscard]] bool read(std::string_view word, int index, RefOperands& operands) const {
    if (is_integer(index)) {
      const auto integer = parse_integer(word);
      operands.integer = integer.value_or(0);
      return integer.has_value();
    }
    const auto bits = formats::parse_hex(format_, word);
    operands.bits[static_cast<std::size_t>(index)] = bits.value_or(0);
    return bits.has_value();
  }

  [[nodiscard]] bool is_stochastic() const { return env_.rounding == soft::Rounding::kStochastic; }

  [[nodiscard]] bool read_random(std::string_view word) {
    const auto random = formats::parse_hex(formats::kFp64, word);
    if (!random || *random >> env_.random_bits != 0) return false;
    env_.random = static_cast<std::uint32_t>(*random);
    return true;
  }

  void write(const soft::Result& result) {
    if (operation_.to == nullptr) {
      append_hex(output_, result.bits, 1);
    } else {
      append_hex(output_, operation_.to->to_word(result.bits), operation_.to->hex_digits());
    }
    output_.push_back(' ');
    append_hex(output_, result.flags, result.flags > 15 ? 2 : 1);
    output_.push_back('\n');
  }

  [[nodiscard]] std::string expected_line() const {
    const int encodings = operation_.operands - (operation_.integer_last ? 1 : 0);
    return fmt::format("{}.{} takes {} {} encoding{} of up to {} hex digits{}{}", format_.name,
                       operation_.name, encodings, format_.name, encodings == 1 ? "" : "s",
                       format_.hex_digits(), operation_.integer_last ? " and an integer" : "",
                       is_stochastic() ? ", and a random number in hex" : "");
  }
  [[nodiscard]] std::string wrong_count(int found) const {
    return fmt::format("line {}: {} operand{} instead of {}; {}", line_number_, found,
                       found == 1 ? "" : "s", operation_.operands + (is_stochastic() ? 1 : 0),
                       expected_line());
  }
  [[nodiscard]] std::string wrong_random(std::string_view word) const {
    return fmt::format("line {}: \"{}\" is not a random number of {} bits in hex; {}", line_number_,
                       shown(word), env_.random_bits, expected_line());
  }
  [[nodiscard]] std::string wrong_word(std::string_view word, int index) const {
    if (is_integer(index)) {
      return fmt::format("line {}: \"{}\" is not a 32-bit integer; {}", line_number_, shown(word),
                         expected_line());
    }
    return fmt::format("line {}: \"{}\" is not an {} encoding; {}", line_number_, shown(word),
                       format_.name, expected_line());
  }

  const Format& format_;
  const RefOperation& operation_;
  soft::Environment env_;
  std::uint64_t line_number_ = 0;
  std::string output_;
};

int fail(std::ostream& err, int code, std::string_view text) {
  err << "halfmark: " << text << std::endl;
  return code;
}

// Feeds every complete line of `pending` and keeps the rest; at the end of input the rest is
// a line.
[[nodiscard]] std::string feed(Filter& filter, std::string& pending, bool at_end) {
  std::string_view rest = pending;
  std::string problem;
  while (problem.empty()) {
    const std::size_t length = rest.find('\n');
    if (length == std::string_view::npos) break;
    problem = filter.take(rest.substr(0, length));
    rest.remove_prefix(length + 1);
  }
  // Input without line ends must not accumulate in memory.
  if ((at_end || rest.size() > kLongestLine) && problem.empty() && !rest.empty()) {
    problem = filter.take(rest);
    rest = {};
  }
  pending.erase(0, pending.size() - rest.size());
  return problem;
}

int pump(int in, int out, std::ostream& err, Filter& filter) {
  std::vector<char> block(kBlock);
  std::string pending;
  for (bool at_end = false; !at_end;) {
    const ssize_t count = ::read(in, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return fail(err, reports::kExitNoAnswer, "the input cannot be read; check the pipe");
    at_end = count == 0;
    pending.append(block.data(), static_cast<std::size_t>(count));
    const std::string problem = feed(filter, pending, at_end);
    if (files::write_all(out, filter.output()) != 0) {
      return fail(err, reports::kExitNoAnswer,
                  "the output cannot be written; check the pipe or the disk");
    }
    filter.output().clear();
    if (!problem.empty()) return fail(err, reports::kExitUnusable, problem);
  }
  return 0;
}

std::string environment_help() {
  std::string text = "--round:";
  for (const auto& row : soft::kRoundings) text.append(" ").append(row.name);
  text += " stochastic\n";
  text +=
      "  stochastic: a line ends in one more hex word, the random number. Away from zero when the\n"
      "  discarded part of a last place, cut to --random-bits N (or to as many as the result's "
      "format\n"
      "  can use: 32, fp64 8), plus random / 2^N is at least 1. Example: one and a quarter "
      "place,\n"
      "  two random bits, the upper quarter of them:\n\n"
      "  $ echo \"3c20 3\" | halfmark ref op fp16.to_e4m3fn --round stochastic --random-bits 2\n"
      "  39 1\n\n--overflow:";
  for (const auto& row : soft::kOverflowPolicies) text.append(" ").append(row.name);
  text +=
      "\n  infinity: as IEEE 754; the NaN where there is no infinity. saturate: the largest "
      "finite\n"
      "  number, for infinite results too. fp6 and fp4 always saturate.\n--subnormals:";
  for (const auto& row : soft::kSubnormalPolicies) text.append(" ").append(row.name);
  text +=
      "\n  flush_in: subnormal operands are zeros of their sign; flush_out: a tiny result is a "
      "zero\n"
      "  of its sign, with underflow and inexact; flush: both\n";
  return text;
}

}  // namespace

int ref_op(int in, int out, std::ostream& err, const RefOpOptions& options) {
  const ResolvedOperation resolved = resolve_ref_operation(options.operation);
  if (resolved.operation == nullptr) return fail(err, reports::kExitUnusable, resolved.problem);
  soft::Environment env = options.environment;
  const RandomBits random = resolve_random_bits(resolved, options.random_bits);
  if (!random.problem.empty()) return fail(err, reports::kExitUnusable, random.problem);
  env.random_bits = random.bits;
  Filter filter(*resolved.format, *resolved.operation, env);
  return pump(in, out, err, filter);
}

std::string ref_op_help() {
  std::string text =
      "With operands on the command line: shows that one operation. They are decimals (0.1), hex\n"
      "floats (0x1.8p-3), inf, nan, or encodings after 0x or bits:; numbers are rounded to "
      "nearest\n"
      "even into the format first. Example: halfmark ref op fp16.fma 0.1 3 0xb4cd\n\n"
      "Without: reads lines of operands from standard input, prints one line RESULT FLAGS for "
      "each.\n"
      "Operands and results are encodings in hex: 1 in fp16 is 3c00, with or without 0x. Blank\n"
      "lines and everything after a # are skipped. Example:\n\n"
      "  $ echo \"3c00 3c01 8000\" | halfmark ref op fp16.fma\n  3c01 0\n\n"
      "FLAGS is the sum, in hex, of 1 inexact, 2 underflow, 4 overflow, 8 division by zero,\n"
      "10 invalid.\n\n";
  text += fmt::format("Formats: {}\n\nOperations:\n", ref_format_names());
  for (const RefOperation& row : ref_operations(formats::all_formats().front())) {
    constexpr std::string_view kOperands[] = {"", "a", "a b", "a b c"};
    const std::string_view operands =
        row.integer_last ? "a n" : kOperands[static_cast<std::size_t>(row.operands)];
    text += fmt::format("  {:<11} {:<6} {}\n", row.name, operands, row.meaning);
  }
  text +=
      "\nIEEE 754-2019 throughout: one rounding, tininess detected after rounding, the underflow\n"
      "flag only with inexact. Every NaN result is the default quiet NaN; a signaling NaN operand "
      "is\n"
      "invalid, and so is fma(0, infinity, NaN).\n\n";
  return text + environment_help();
}

}  // namespace halfmark::tools
