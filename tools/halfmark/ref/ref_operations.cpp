// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/ref/ref_operations.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "reference/soft/binary_functions.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;
using soft::Environment;
using soft::Result;
using Operands = RefOperands;

// Each function is instantiated for the folded formats, and once for all others.
struct AnyFormat {
  static const Format& of(const Format& f) { return f; }
};
template <typename Row>
struct FoldedFormat {
  static constexpr const Format& of(const Format& /*f*/) { return Row::format; }
};

template <typename From, typename To = From>
struct Functions {
  static Result add(const Format& f, const Format& /*to*/, const Operands& x,
                    const Environment& e) {
    return soft::add(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result sub(const Format& f, const Format& /*to*/, const Operands& x,
                    const Environment& e) {
    return soft::sub(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result mul(const Format& f, const Format& /*to*/, const Operands& x,
                    const Environment& e) {
    return soft::mul(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result div(const Format& f, const Format& /*to*/, const Operands& x,
                    const Environment& e) {
    return soft::div(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result fma(const Format& f, const Format& /*to*/, const Operands& x,
                    const Environment& e) {
    return soft::fma(From::of(f), x.bits[0], x.bits[1], x.bits[2], e);
  }
  static Result sqrt(const Format& f, const Format& /*to*/, const Operands& x,
                     const Environment& e) {
    return soft::sqrt(From::of(f), x.bits[0], e);
  }
  static Result rint(const Format& f, const Format& /*to*/, const Operands& x,
                     const Environment& e) {
    return soft::rint(From::of(f), x.bits[0], e);
  }
  static Result ldexp(const Format& f, const Format& /*to*/, const Operands& x,
                      const Environment& e) {
    return soft::ldexp(From::of(f), x.bits[0], x.integer, e);
  }
  static Result min(const Format& f, const Format& /*to*/, const Operands& x,
                    const Environment& e) {
    return soft::minimum(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result max(const Format& f, const Format& /*to*/, const Operands& x,
                    const Environment& e) {
    return soft::maximum(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result minnum(const Format& f, const Format& /*to*/, const Operands& x,
                       const Environment& e) {
    return soft::minimum_number(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result maxnum(const Format& f, const Format& /*to*/, const Operands& x,
                       const Environment& e) {
    return soft::maximum_number(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result eq(const Format& f, const Format& /*to*/, const Operands& x, const Environment& e) {
    return soft::eq(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result lt(const Format& f, const Format& /*to*/, const Operands& x, const Environment& e) {
    return soft::lt(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result le(const Format& f, const Format& /*to*/, const Operands& x, const Environment& e) {
    return soft::le(From::of(f), x.bits[0], x.bits[1], e);
  }
  static Result convert(const Format& f, const Format& to, const Operands& x,
                        const Environment& e) {
    return soft::convert(From::of(f), To::of(to), x.bits[0], e);
  }
};

// Names such as to_fp16, which must outlive the rows that hold views of them.
const std::string& conversion_name(const Format& to) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Format& f : formats::all_formats()) all.push_back(fmt::format("to_{}", f.name));
    return all;
  }();
  return names[static_cast<std::size_t>(&to - formats::all_formats().data())];
}

template <typename From>
void add_arithmetic(std::vector<RefOperation>& rows, const Format* f) {
  using F = Functions<From>;
  rows = {
      {"add", 2, false, f, "a + b", F::add},
      {"sub", 2, false, f, "a - b", F::sub},
      {"mul", 2, false, f, "a * b", F::mul},
      {"div", 2, false, f, "a / b", F::div},
      {"fma", 3, false, f, "a * b + c, rounded once", F::fma},
      {"sqrt", 1, false, f, "square root of a", F::sqrt},
      {"rint", 1, false, f, "a rounded to an integer in the direction of --round", F::rint},
      {"ldexp", 2, true, f, "a * 2^n, n an integer: decimal, or hex after 0x", F::ldexp},
      {"min", 2, false, f, "minimum: a NaN is contagious, -0 is below +0", F::min},
      {"max", 2, false, f, "maximum: a NaN is contagious, +0 is above -0", F::max},
      {"minnum", 2, false, f, "minimumNumber: a NaN loses against a number", F::minnum},
      {"maxnum", 2, false, f, "maximumNumber: a NaN loses against a number", F::maxnum},
      {"eq", 2, false, nullptr, "a = b, 1 or 0; only a signaling NaN is invalid", F::eq},
      {"lt", 2, false, nullptr, "a < b, 1 or 0; every NaN is invalid", F::lt},
      {"le", 2, false, nullptr, "a <= b, 1 or 0; every NaN is invalid", F::le},
  };
}

// A row of the function tables as an operation.
template <std::size_t kRow>
Result function(const Format& f, const Format& /*to*/, const Operands& x, const Environment& e) {
  return soft::kFunctions[kRow].evaluate(f, x.bits[0], e);
}
template <std::size_t kRow>
Result binary(const Format& f, const Format& /*to*/, const Operands& x, const Environment& e) {
  return soft::kBinaryFunctions[kRow].evaluate(f, x.bits[0], x.bits[1], e);
}

template <std::size_t... kRows>
void add_functions(std::vector<RefOperation>& rows, const Format* f,
                   std::index_sequence<kRows...> /*rows*/) {
  for (const RefOperation& row :
       {RefOperation{soft::kFunctions[kRows].name, 1, false, f, soft::kFunctions[kRows].meaning,
                     function<kRows>}...}) {
    rows.push_back(row);
  }
}
template <std::size_t... kRows>
void add_binary(std::vector<RefOperation>& rows, const Format* f,
                std::index_sequence<kRows...> /*rows*/) {
  for (const RefOperation& row :
       {RefOperation{soft::kBinaryFunctions[kRows].name, 2, false, f,
                     soft::kBinaryFunctions[kRows].meaning, binary<kRows>}...}) {
    rows.push_back(row);
  }
}

template <typename From>
std::vector<RefOperation> make_operations(const Format& f) {
  std::vector<RefOperation> rows;
  if (f.use >= formats::Use::kArithmetic) add_arithmetic<From>(rows, &f);
  if (f.use >= formats::Use::kArithmetic && soft::has_functions(f)) {
    add_functions(rows, &f, std::make_index_sequence<soft::kFunctions.size()>{});
    add_binary(rows, &f, std::make_index_sequence<soft::kBinaryFunctions.size()>{});
  }
  for (const Format& to : formats::all_formats()) {
    RefOperation row{conversion_name(to),
                     1,
                     false,
                     &to,
                     "a in that format",
                     Functions<From, AnyFormat>::convert};
    formats::with_constant_format(to, [&](auto target) {
      row.evaluate = Functions<From, FoldedFormat<decltype(target)>>::convert;
    });
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::vector<RefOperation>> make_table() {
  std::vector<std::vector<RefOperation>> table;
  for (const Format& f : formats::all_formats()) {
    std::vector<RefOperation> rows;
    const bool folded = formats::with_constant_format(
        f, [&](auto row) { rows = make_operations<FoldedFormat<decltype(row)>>(f); });
    table.push_back(folded ? std::move(rows) : make_operations<AnyFormat>(f));
  }
  return table;
}

}  // namespace

std::span<const RefOperation> ref_operations(const Format& format) {
  static const std::vector<std::vector<RefOperation>> table = make_table();
  return table[static_cast<std::size_t>(&format - formats::all_formats().data())];
}

const RefOperation* find_ref_operation(const Format& format, std::string_view name) {
  for (const RefOperation& row : ref_operations(format)) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace halfmark::tools
