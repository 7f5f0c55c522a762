// SPDX-License-Identifier: Apache-2.0
// `halfmark ref value`: one number in one format.
#include <fmt/format.h>

#include <ostream>

#include "reference/formats/text.hpp"
#include "reference/formats/ulp.hpp"
#include "tools/halfmark/ref/block.hpp"
#include "tools/halfmark/ref/calculator.hpp"
#include "tools/halfmark/ref/ref_names.hpp"

namespace halfmark::tools {
namespace {

using formats::Bits;
using formats::Class;
using formats::Format;

std::string_view class_name(Class kind) {
  switch (kind) {
    case Class::kZero:
      return "zero";
    case Class::kSubnormal:
      return "subnormal";
    case Class::kNormal:
      return "normal";
    case Class::kInfinity:
      return "infinity";
    case Class::kQuietNan:
      return "quiet NaN";
    case Class::kSignalingNan:
      return "signaling NaN";
  }
  return {};
}

std::string binary(Bits bits, int digits) {
  std::string text;
  for (int i = digits - 1; i >= 0; --i) text.push_back((bits >> i & 1) != 0 ? '1' : '0');
  return text;
}

// "sign 0, exponent 01111 (2^0), fraction 0000000000"
std::string fields(const Format& f, Bits bits) {
  const int field = formats::exponent_field(f, bits);
  const bool finite = formats::is_finite(f, bits);
  std::string text;
  if (f.has_sign) text += fmt::format("sign {}, ", formats::sign(f, bits) ? 1 : 0);
  text += fmt::format("exponent {}", binary(static_cast<Bits>(field), f.exponent_bits));
  if (finite) text += fmt::format(" (2^{})", ulp_exponent(f, bits) + f.fraction_bits);
  if (f.fraction_bits > 0) {
    text += fmt::format(", fraction {}", binary(formats::fraction_field(f, bits), f.fraction_bits));
  }
  return text;
}

// The rounding error of a numeral; empty for encodings, infinities and NaNs.
std::string error_line(const Format& f, const Operand& operand) {
  if (!operand.numeral || operand.numeral->kind != soft::Numeral::Kind::kFinite) return {};
  if (!formats::is_finite(f, operand.read.bits)) return line("error", "out of range");
  if (operand.read.flags == 0) return line("error", "0 ulp");
  const auto exact = soft::exact_number(*operand.numeral);
  if (!exact) return line("error", "too long to write out");
  const soft::ExactNumber error = soft::exact_number(f, operand.read.bits) - *exact;
  return line("error", fmt::format("{} = {}", soft::decimal(error, kMostDigits),
                                   error_in_ulps(f, operand.read.bits, *exact)));
}

// The encodings in other rounding directions, if they are not all the same.
std::string directions_line(const Format& f, const Operand& operand,
                            const soft::Environment& environment) {
  if (!operand.numeral || (operand.read.flags & (soft::kInexact | soft::kOverflow)) == 0) return {};
  std::string text;
  bool differ = false;
  for (const auto& row : soft::kRoundings) {
    soft::Environment env = environment;
    env.rounding = row.value;
    const soft::Result read = soft::round(f, *operand.numeral, env);
    differ = differ || read.bits != operand.read.bits;
    text +=
        fmt::format("{}{} 0x{}", text.empty() ? "" : ", ", row.name, formats::hex(f, read.bits));
  }
  return differ ? line("directions", text) : std::string();
}

std::string block(const Format& f, const Operand& operand, const soft::Environment& env) {
  const Bits bits = operand.read.bits;
  std::string text = line(f.name, operand.text);
  text += line("encoding", fmt::format("0x{}: {}", formats::hex(f, bits), fields(f, bits)));
  text += line("class", class_name(formats::classify(f, bits)));
  text += line("hex float", formats::hex_float(f, bits));
  text += line("decimal", value_text(f, bits));
  text += line("shortest", formats::decimal(f, bits));
  text += error_line(f, operand);
  if (operand.numeral) text += line("flags", flags_text(operand.read.flags));
  if (formats::is_finite(f, bits)) {
    const int exponent = ulp_exponent(f, bits);
    text += line("ulp", fmt::format("2^{} = {}", exponent,
                                    soft::decimal(soft::power_of_two(exponent), kMostDigits)));
  }
  return text + neighbour_lines(f, bits) + directions_line(f, operand, env);
}

}  // namespace

int ref_value(std::ostream& out, std::ostream& err, const CalculatorOptions& options) {
  const auto stop = [&](const std::string& problem) {
    out.flush();
    err << "halfmark: " << problem << std::endl;
    return 2;
  };
  const ResolvedFormat resolved = resolve_ref_format(options.subject);
  if (resolved.format == nullptr) return stop(resolved.problem);
  if (options.words.empty()) return stop("no value given; try: halfmark ref value fp16 0.1");
  bool first = true;
  for (const std::string& word : options.words) {
    const ParsedOperand parsed = parse_operand(*resolved.format, word, options.environment);
    if (!parsed.operand) return stop(parsed.problem);
    out << (first ? "" : "\n") << block(*resolved.format, *parsed.operand, options.environment);
    first = false;
  }
  out.flush();
  return 0;
}

std::string ref_value_help() {
  return "VALUE is a decimal (0.1, 1e-5), a hex float (0x1.8p-3), inf, nan, or an encoding after "
         "0x or\nbits: (0x3c00, bits:3c00). Numbers of any length are rounded once, in the "
         "direction of --round.\nThe error is the rounded value less the given one; a unit in the "
         "last place (ulp) is that of\nthe encoding's binade. What ends in three dots was cut.\n\n"
         "Formats: " +
         ref_format_names() +
         "\n\n"
         "Examples:\n"
         "  halfmark ref value fp16 0.1\n"
         "  halfmark ref value e4m3 0x1p-9 448 bits:7f\n"
         "  halfmark ref value fp32 --round up 1e-45 -inf\n";
}

}  // namespace halfmark::tools
