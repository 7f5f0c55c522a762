// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/sampled_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "suites/core/case/fills.hpp"
#include "suites/registry.hpp"
#include "suites/throughput/sizes.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites::throughput {
namespace {

// At both ends all rows of the tiles that kernels use; between them rows at random.
constexpr std::size_t kFewestRows = 128, kRowsAtAnEnd = 32;

// How much less is compared of a problem that is too large than of the largest that is not.
constexpr std::uint64_t kCut = 4;

// Only if its first operand lies row after row.
bool lies_in_rows(const Case& c) {
  if (c.suite == "gemm") return c.word("layout").starts_with('n');
  return c.suite == "softmax" || c.suite == "layernorm";
}

std::uint64_t most_work(const Case& c) {
  return c.suite == "gemm" ? kMostVerifiedProducts : kMostVerifiedNumbers;
}

char rows_key(const Case& c) { return c.suite == "gemm" ? 'm' : 'r'; }

Case with_rows(Case c, char key, std::size_t all, std::size_t rows) {
  std::string& shape = std::ranges::find(c.tokens, std::string_view("shape"), &Token::axis)->text;
  const std::string from = fmt::format("{}{}", key, all);
  shape.replace(shape.find(from), from.size(), fmt::format("{}{}", key, rows));
  return c;
}

// Ascending, each once.
std::vector<std::size_t> chosen(const Case& c, std::size_t all, std::size_t count) {
  std::vector<bool> takes(all, false);
  for (std::size_t i = 0; i < kRowsAtAnEnd; ++i) takes[i] = takes[all - 1 - i] = true;
  std::size_t taken = 2 * kRowsAtAnEnd;
  const Random random(c, "sampled rows");
  for (std::uint64_t draw = 0; taken < count; ++draw) {
    const std::size_t row = random.below(draw, all);
    if (takes[row]) continue;
    takes[row] = true;
    ++taken;
  }
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < all; ++row) {
    if (takes[row]) rows.push_back(row);
  }
  return rows;
}

// The tensors that lie in rows; nothing if a result does not.
std::optional<std::vector<std::string>> tensors_in_rows(const Plan& large, const Plan& small,
                                                        std::size_t all, std::size_t rows) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : large.tensors) {
    if (spec.role == Role::kScratch) continue;
    const auto twin = std::ranges::find(small.tensors, spec.name, &TensorSpec::name);
    if (twin == small.tensors.end()) return std::nullopt;
    const bool is_in_rows = spec.count * rows == twin->count * all;
    if (is_in_rows) names.push_back(spec.name);
    if (!is_in_rows && (is_output(spec) || spec.count != twin->count)) return std::nullopt;
  }
  return names;
}

formats::Tensor rows_of(const formats::Tensor& tensor, std::size_t all,
                        const std::vector<std::size_t>& rows) {
  formats::Tensor cut{.format = tensor.format, .bytes = {}};
  const auto width = static_cast<std::ptrdiff_t>(tensor.bytes.size() / all);
  cut.bytes.reserve(rows.size() * static_cast<std::size_t>(width));
  for (const std::size_t row : rows) {
    const auto begin = tensor.bytes.begin() + static_cast<std::ptrdiff_t>(row) * width;
    cut.bytes.insert(cut.bytes.end(), begin, begin + width);
  }
  return cut;
}

}  // namespace

TensorSet SampledRows::cut(const TensorSet& tensors) const {
  TensorSet smaller;
  for (const auto& [name, tensor] : tensors) {
    const bool is_in_rows = std::ranges::count(in_rows, name) > 0;
    smaller.emplace(name, is_in_rows ? rows_of(tensor, all_rows, rows) : tensor);
  }
  return smaller;
}

std::optional<SampledRows> sampled_rows(const Case& c, const backends::DeviceInfo& device) {
  if (!lies_in_rows(c)) return std::nullopt;
  const char key = rows_key(c);
  const std::size_t all = c.number("shape", key);
  const std::uint64_t work = elements_of_work(c);
  if (work <= most_work(c)) return std::nullopt;
  const std::size_t rows = std::max(kFewestRows, most_work(c) / kCut / (work / all));
  if (rows >= all) return std::nullopt;
  SampledRows sample{
      .c = with_rows(c, key, all, rows), .rows = chosen(c, all, rows), .all_rows = all};
  const Suite& suite = find_suite(c.suite);
  const auto in_rows =
      tensors_in_rows(suite.bind(c)->plan(device), suite.bind(sample.c)->plan(device), all, rows);
  if (!in_rows) return std::nullopt;
  sample.in_rows = *in_rows;
  return sample;
}

}  // namespace halfmark::suites::throughput
