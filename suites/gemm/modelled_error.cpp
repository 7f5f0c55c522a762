// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/modelled_error.hpp"

#include <fmt/format.h>

#include <optional>

#include "reference/models/error.hpp"

namespace halfmark::suites::gemm {

using inference::Observation;

namespace {

// Two decimals, truncated.
std::string short_text(const models::Ulps& ulps) {
  const std::string text = print(ulps);
  const auto point = text.find('.');
  return point == std::string::npos ? text : text.substr(0, point + 3);
}

}  // namespace

std::string error_text(const std::vector<Observation>& seen, const Binding& bound) {
  const auto plain = operators::specified_arithmetic(*bound.accumulator);
  models::Ulps largest, allowed;
  std::size_t beyond = 0;
  for (const Observation& o : seen) {
    const auto& p = o.question.problem;
    std::vector<formats::Bits> row(p.k), column(p.k);
    for (std::size_t i = 0; i < p.d_count(); ++i) {
      for (std::size_t x = 0; x < p.k; ++x) {
        row[x] = o.question.a.at(i / p.n * p.k + x);
        column[x] = o.question.b.at(x * p.n + i % p.n);
      }
      const models::Vector a{bound.operands, row.data()};
      const models::Vector b{bound.operands_of_b, column.data()};
      std::optional<models::Encoded> c;
      if (o.question.addend() != nullptr)
        c = models::Encoded{o.question.c.format, o.question.c.at(i)};
      const auto error =
          models::ulp_error(models::exact_dot_sum(a, b, p.k, c), *bound.output, o.d.at(i));
      const auto limit = models::error_bound(plain, a, b, p.k, c, *bound.output);
      if (!error || !limit) continue;
      beyond += *error > *limit ? 1u : 0u;
      if (*error <= largest) continue;
      largest = *error;
      allowed = *limit;
    }
  }
  return fmt::format(
      "the largest error is {} ulp where {} sums in any order may have {}, and {} "
      "results are beyond that",
      short_text(largest), bound.accumulator->name, short_text(allowed), beyond);
}

}  // namespace halfmark::suites::gemm
