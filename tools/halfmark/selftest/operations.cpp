// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reference/formats/text.hpp"
#include "reference/slow/slow.hpp"
#include "tools/halfmark/selftest/checks.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;
using soft::Environment;
using soft::Result;

struct Twin {
  std::string_view name;
  Result (*evaluate)(const Format&, const RefOperands&, const Environment&);
  unsigned one_of = 1;  // evaluated once in this many times, if slow
};

constexpr unsigned kRarely = 32;

// clang-format off
constexpr Twin kTwins[] = {
    {"add", [](auto& f, auto& x, auto& e) { return slow::add(f, x.bits[0], x.bits[1], e); }},
    {"sub", [](auto& f, auto& x, auto& e) { return slow::sub(f, x.bits[0], x.bits[1], e); }},
    {"mul", [](auto& f, auto& x, auto& e) { return slow::mul(f, x.bits[0], x.bits[1], f, e); }},
    {"div", [](auto& f, auto& x, auto& e) { return slow::div(f, x.bits[0], x.bits[1], e); }},
    {"fma", [](auto& f, auto& x, auto& e) { return slow::fma(f, x.bits[0], x.bits[1], f, x.bits[2], e); }},
    {"sqrt", [](auto& f, auto& x, auto& e) { return slow::sqrt(f, x.bits[0], e); }},
    {"rint", [](auto& f, auto& x, auto& e) { return slow::rint(f, x.bits[0], e); }},
    {"ldexp", [](auto& f, auto& x, auto& e) { return slow::ldexp(f, x.bits[0], x.integer, e); }},
    {"min", [](auto& f, auto& x, auto& e) { return slow::minimum(f, x.bits[0], x.bits[1], e); }},
    {"max", [](auto& f, auto& x, auto& e) { return slow::maximum(f, x.bits[0], x.bits[1], e); }},
    {"minnum", [](auto& f, auto& x, auto& e) { return slow::minimum_number(f, x.bits[0], x.bits[1], e); }},
    {"maxnum", [](auto& f, auto& x, auto& e) { return slow::maximum_number(f, x.bits[0], x.bits[1], e); }},
    {"eq", [](auto& f, auto& x, auto& e) { return slow::eq(f, x.bits[0], x.bits[1], e); }},
    {"lt", [](auto& f, auto& x, auto& e) { return slow::lt(f, x.bits[0], x.bits[1], e); }},
    {"le", [](auto& f, auto& x, auto& e) { return slow::le(f, x.bits[0], x.bits[1], e); }},
    {"hypot", [](auto& f, auto& x, auto& e) { return slow::hypot(f, x.bits[0], x.bits[1], e); }, kRarely},
    {"fmod", [](auto& f, auto& x, auto& e) { return slow::fmod(f, x.bits[0], x.bits[1], e); }, kRarely},
    {"remainder", [](auto& f, auto& x, auto& e) { return slow::remainder(f, x.bits[0], x.bits[1], e); }, kRarely},
};
// clang-format on

// Divisions of integers of hundreds of bits are slow, so they run less often.
bool takes_part(slow::Operands& operands, std::string_view name) {
  const auto* twin = std::find_if(std::begin(kTwins), std::end(kTwins),
                                  [&](const Twin& row) { return row.name == name; });
  return twin == std::end(kTwins) || twin->one_of == 1 || operands.word() % twin->one_of == 0;
}

// Empty for an operation without a twin.
std::optional<Result> twin_of(const RefOperation& row, const Format& f, const RefOperands& x,
                              const Environment& env) {
  if (row.name.starts_with("to_")) return slow::convert(f, *row.to, x.bits[0], env);
  for (const Twin& twin : kTwins) {
    if (twin.name == row.name) return twin.evaluate(f, x, env);
  }
  return std::nullopt;
}

bool is_function(std::string_view name) {
  const auto has_name = [&](const auto& function) { return function.name == name; };
  return std::any_of(soft::kFunctions.begin(), soft::kFunctions.end(), has_name) ||
         std::any_of(soft::kBinaryFunctions.begin(), soft::kBinaryFunctions.end(), has_name);
}

RefOperands random_operands(slow::Operands& operands, const Format& f) {
  RefOperands x;
  for (formats::Bits& bits : x.bits) bits = operands.any(f) & f.mask();
  // Sums go wrong where operands almost cancel.
  if (operands.word() % 4 == 0) x.bits[1] = operands.close_to(f, x.bits[0]);
  x.integer = static_cast<std::int32_t>(operands.word() % 600) - 300;
  return x;
}

void compare_once(Session& session, const RefOperation& row, const Format& f) {
  if (!takes_part(session.operands(), row.name)) return;
  const Format& to = row.to == nullptr ? f : *row.to;
  const RefOperands x = random_operands(session.operands(), f);
  const Environment env = session.operands().environment(to);
  const auto expected = twin_of(row, f, x, env);
  if (!expected) {
    if (is_function(row.name)) return;  // see check_functions
    return session.compare(false, [&] { return fmt::format("{} has no twin", row.name); });
  }
  session.compare(*expected, row.evaluate(f, to, x, env), to, [&] {
    std::string call = fmt::format("{}.{} ({})", f.name, row.name, environment_text(env));
    const int encodings = row.operands - (row.integer_last ? 1 : 0);
    for (int i = 0; i < encodings; ++i) {
      call += " " + formats::hex(f, x.bits[static_cast<std::size_t>(i)]);
    }
    return row.integer_last ? fmt::format("{} {}", call, x.integer) : call;
  });
}

}  // namespace

void check_operations(Session& session, const Subject& subject, const Format& f) {
  do {
    for (const RefOperation& row : subject.operations(f)) compare_once(session, row, f);
  } while (session.goes_on());
}

}  // namespace halfmark::tools
