// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/ref/ref_operations.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "reference/soft/soft.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;
using soft::Environment;
using soft::Result;
using Operands = RefOperands;

// Each row's function is instantiated per format, so that the format folds into it.
template <typename Row>
struct Functions {
  static constexpr const Format& f = Row::format;

  static Result add(const Operands& x, const Environment& e) {
    return soft::add(f, x.bits[0], x.bits[1], e);
  }
  static Result sub(const Operands& x, const Environment& e) {
    return soft::sub(f, x.bits[0], x.bits[1], e);
  }
  static Result mul(const Operands& x, const Environment& e) {
    return soft::mul(f, x.bits[0], x.bits[1], e);
  }
  static Result div(const Operands& x, const Environment& e) {
    return soft::div(f, x.bits[0], x.bits[1], e);
  }
  static Result fma(const Operands& x, const Environment& e) {
    return soft::fma(f, x.bits[0], x.bits[1], x.bits[2], e);
  }
  static Result sqrt(const Operands& x, const Environment& e) {
    return soft::sqrt(f, x.bits[0], e);
  }
  static Result rint(const Operands& x, const Environment& e) {
    return soft::rint(f, x.bits[0], e);
  }
  static Result ldexp(const Operands& x, const Environment& e) {
    return soft::ldexp(f, x.bits[0], x.integer, e);
  }
  static Result min(const Operands& x, const Environment& e) {
    return soft::minimum(f, x.bits[0], x.bits[1], e);
  }
  static Result max(const Operands& x, const Environment& e) {
    return soft::maximum(f, x.bits[0], x.bits[1], e);
  }
  static Result minnum(const Operands& x, const Environment& e) {
    return soft::minimum_number(f, x.bits[0], x.bits[1], e);
  }
  static Result maxnum(const Operands& x, const Environment& e) {
    return soft::maximum_number(f, x.bits[0], x.bits[1], e);
  }
  static Result eq(const Operands& x, const Environment& e) {
    return soft::eq(f, x.bits[0], x.bits[1], e);
  }
  static Result lt(const Operands& x, const Environment& e) {
    return soft::lt(f, x.bits[0], x.bits[1], e);
  }
  static Result le(const Operands& x, const Environment& e) {
    return soft::le(f, x.bits[0], x.bits[1], e);
  }
  template <typename To>
  static Result to(const Operands& x, const Environment& e) {
    return soft::convert(f, To::format, x.bits[0], e);
  }
};

// Names such as to_fp16, kept alive for the rows that view them.
const std::string& conversion_name(const Format& to) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Format& f : formats::all_formats()) all.push_back(fmt::format("to_{}", f.name));
    return all;
  }();
  return names[static_cast<std::size_t>(&to - formats::all_formats().data())];
}

template <typename Row>
std::vector<RefOperation> make_operations() {
  using F = Functions<Row>;
  const Format* f = &Row::format;
  std::vector<RefOperation> rows{
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
  for (const Format& to : formats::all_formats()) {
    formats::with_constant_format(to, [&](auto target) {
      rows.push_back({conversion_name(to), 1, false, &to, "a in that format",
                      F::template to<decltype(target)>});
    });
  }
  return rows;
}

}  // namespace

std::span<const RefOperation> ref_operations(const Format& format) {
  std::span<const RefOperation> rows;
  formats::with_constant_format(format, [&](auto row) {
    static const std::vector<RefOperation> list = make_operations<decltype(row)>();
    rows = list;
  });
  return rows;
}

const RefOperation* find_ref_operation(const Format& format, std::string_view name) {
  for (const RefOperation& row : ref_operations(format)) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace halfmark::tools
