// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/ref_json/gemm_report.hpp"

#include <algorithm>
#include <vector>

#include "reference/models/error.hpp"
#include "tools/halfmark/ref_json/json_tensor.hpp"

namespace halfmark::tools {
namespace {

using models::Ulps;
using nlohmann::json;

json text(const std::optional<Ulps>& ulps) { return ulps ? json(print(*ulps)) : json(nullptr); }

}  // namespace

json gemm_report(const operators::GemmProblem& p, const formats::Tensor& a,
                 const formats::Tensor& b, const formats::Tensor* c,
                 const models::Arithmetic& arithmetic, const formats::Tensor& d) {
  const std::vector<formats::Bits> rows = a.to_bits();
  const std::vector<formats::Bits> columns = b.to_bits();
  formats::Tensor exact = formats::Tensor::zeros(*p.d_format, p.d_count());
  json errors = json::array();
  json bounds = json::array();
  std::optional<Ulps> largest;
  for (std::size_t index = 0; index < d.count(); ++index) {
    const models::Vector row{a.format, rows.data() + index / p.n * p.k};
    const models::Vector column{b.format, columns.data() + index % p.n,
                                static_cast<std::ptrdiff_t>(p.n)};
    std::optional<models::Encoded> addend;
    if (c != nullptr) addend = models::Encoded{c->format, c->at(index)};
    const models::ExactSum sum = models::exact_dot_sum(row, column, p.k, addend);
    exact.set(index, sum.round(*p.d_format).bits);
    const auto error = models::ulp_error(sum, *p.d_format, d.at(index));
    if (error) largest = largest ? std::max(*largest, *error) : *error;
    errors.push_back(text(error));
    bounds.push_back(text(models::error_bound(arithmetic, row, column, p.k, addend, *p.d_format)));
  }
  return {{"exact", tensor_json(exact)},
          {"ulp_error", std::move(errors)},
          {"bound", std::move(bounds)},
          {"max_ulp_error", text(largest)}};
}

}  // namespace halfmark::tools
