// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/binding.hpp"

#include <fmt/format.h>

#include "suites/core/case/errors.hpp"

namespace halfmark::suites::elementary {

const Bound& bound_of(const Case& c) {
  const Bound* bound =
      find_bound(c.word("format"), c.word("rules"), c.word("kind"), c.word("operation"));
  if (bound != nullptr) return *bound;
  throw UsageError(fmt::format(
      "case '{}': the rules {} have no function {} of kind {} in {}; `halfmark list "
      "--suite elementary` shows what there is",
      print(c), c.word("rules"), c.word("operation"), c.word("kind"), c.word("format")));
}

const Callee& function_of(const Case& c) { return callee_of(bound_of(c).function); }
bool is_half(const Bound& bound) { return bound.format == &formats::kFp16; }
bool is_binary(const Bound& bound) { return callee_of(bound.function).binary != nullptr; }
bool at_edges(const Case& c) { return c.word("fill") == "edges"; }

// The fast kind may flush, whatever the device promises, and so may a profile.
Terms terms_of(const Case& c) {
  const Bound& bound = bound_of(c);
  return {.ulps = bound.ulps,
          .exact_edges = at_edges(c),
          .exact_zeros = at_edges(c) && has_exact_zeros(bound),
          .may_flush = bound.kind == "half" || bound.profile,
          .of_rounded = bound.origin == Origin::kRounded,
          .may_saturate = bound.profile,
          .shape = bound.shape,
          .format = bound.format};
}

Enclosure enclose(const Case& c, const TensorSet& in) {
  return enclosure_of(function_of(c), in, terms_of(c));
}

TensorSet refer(const Case& c, const TensorSet& in) {
  TensorSet out;
  out.emplace("y", evaluate(function_of(c), in));
  return out;
}

}  // namespace halfmark::suites::elementary
