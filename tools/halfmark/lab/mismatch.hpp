// SPDX-License-Identifier: Apache-2.0
// How far the output distributions of two evaluations of one network are apart, as of a trainer and
// a server of the same model: by format, and by how sums and rows are tiled. Everything is computed
// from logits in fp64 on the host, apart from the arithmetic that is compared. Decides which
// evaluations are compared.
//
// In a row with the distributions p and q, q being the second: the divergence is the sum of
// p log(p / q) (Kullback, Leibler; in nats), the gap of a class is |log p - log q|.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <vector>

namespace halfmark::tools::lab {

struct Mismatch {
  double mean_divergence = 0, largest_divergence = 0;  // of rows
  double mean_gap = 0, largest_gap = 0;                // of classes
  std::size_t rows = 0, other_class = 0;               // rows whose likeliest class is another
};

using Logits = std::vector<std::vector<double>>;
/// Both have the same shape. A logit that is not finite gives NaN.
[[nodiscard]] Mismatch mismatch_of(const Logits& first, const Logits& second);

/// {"reference": [...], "device": [...], "between": [...]} of a report: the pairs of its modes in
/// each, and each mode in the reference against the same on the device.
[[nodiscard]] nlohmann::json mismatches(const nlohmann::json& report);

void print_mismatches(const nlohmann::json& mismatches, std::ostream& out);

}  // namespace halfmark::tools::lab
