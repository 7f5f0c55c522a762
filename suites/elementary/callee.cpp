// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/callee.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "reference/fast/functions.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::suites::elementary {
namespace {

using formats::Bits;
using formats::Format;

soft::Result square_root(const Format& f, Bits x, const soft::Environment& environment) {
  return soft::sqrt(f, x, environment);
}

soft::Result quotient(const Format& f, Bits x, Bits w, const soft::Environment& environment) {
  return soft::div(f, x, w, environment);
}

soft::Result reciprocal(const Format& f, Bits x, const soft::Environment& environment) {
  const Bits one = static_cast<Bits>(f.bias) << f.fraction_bits;
  return soft::div(f, one, x, environment);
}

std::vector<Callee> make_callees() {
  std::vector<Callee> all = {{.name = "sqrt", .unary = square_root},
                             {.name = "recip", .unary = reciprocal},
                             {.name = "div", .binary = quotient},
                             // x^w for an integer w, which is also representable as a number.
                             {.name = "pown", .binary = soft::pow}};
  for (const soft::Function& f : soft::kFunctions) {
    all.push_back({.name = f.name, .unary = f.evaluate});
  }
  for (const soft::BinaryFunction& f : soft::kBinaryFunctions) {
    all.push_back({.name = f.name, .binary = f.evaluate});
  }
  return all;
}

}  // namespace

std::span<const Callee> callees() {
  static const std::vector<Callee> kAll = make_callees();
  return kAll;
}

const Callee& callee_of(std::string_view name) {
  for (const Callee& callee : callees()) {
    if (callee.name == name) return callee;
  }
  throw std::logic_error("no such function: " + std::string(name));
}

Operands operands_at(const TensorSet& inputs, std::size_t index) {
  const auto second = inputs.find("w");
  return {inputs.at("x").at(index), second == inputs.end() ? 0 : second->second.at(index)};
}

formats::Tensor evaluate(const Callee& callee, const TensorSet& inputs,
                         const soft::Environment& environment) {
  const formats::Tensor& x = inputs.at("x");
  if (callee.unary != nullptr) {
    return fast::evaluate({callee.name, "", callee.unary}, x, environment);
  }
  return fast::evaluate({callee.name, "", callee.binary}, x, inputs.at("w"), environment);
}

}  // namespace halfmark::suites::elementary
