// SPDX-License-Identifier: Apache-2.0
// Sums that lack elements of the row or count some twice, and means over another number of elements
// than the row's. Each allows every order of the sum, as the contract does.
#include <algorithm>
#include <string>
#include <utility>

#include "suites/core/suite/block_sizes.hpp"
#include "suites/reduction/rows.hpp"

namespace halfmark::suites::reduction {
namespace {

using formats::Format;

struct Slip {
  std::string name;
  FindingClassName finding_class;
  std::string sentence;
  std::size_t tail = 0;   // elements left out at the end
  std::size_t again = 0;  // elements that count twice
  double count = 1;       // divisor of the mean
};

Interval slipped(const Binding& b, const Row& x, const Slip& slip) {
  Sum sum = sum_of(x.first(x.width() - slip.tail));
  for (std::size_t i = 1; i <= slip.again; ++i)
    sum.value = sum.value + value_of(x.format(), x.at(x.width() - i));
  if (b.operation == Operation::kSum) return around(sum.value, sum.radius);
  const double mean = sum.value / slip.count;
  // A division, or a product with a rounded reciprocal.
  return around(mean, sum.radius / slip.count + std::abs(mean) * kRoundoff * 2.5);
}

Expectation outcome(const Binding& b, const TensorSet& in, const Slip& slip) {
  formats::Tensor middle = formats::Tensor::zeros(*b.output, b.rows);
  Enclosure enclosure = enclosure_of("y", *b.output, b.rows, [&](std::size_t row) {
    const Interval all = slipped(b, Row(b, in.at("x"), row), slip);
    middle.set(row, nearest(*b.output, all.middle()));
    return all;
  });
  TensorSet results{{"y", std::move(middle)}};
  if (b.portable) return {std::move(results)};  // whose order is specified
  return {std::move(results), std::move(enclosure)};
}

Hypothesis slip_hypothesis(Slip slip) {
  Hypothesis hypothesis{.name = slip.name,
                        .finding_class = slip.finding_class,
                        .sentence = slip.sentence,
                        .evaluate = {}};
  hypothesis.evaluate = [slip = std::move(slip)](const Case& c, const TensorSet& in) {
    return outcome(bind(c), in, slip);
  };
  return hypothesis;
}

double number(std::size_t n) { return static_cast<double>(n); }

// Ends that are left out or added twice.
void add_ends(std::vector<Slip>& list, std::size_t n) {
  constexpr std::size_t kLargestBlock = 1024;
  list.push_back({"last-left-out", "edge_tile", "the last element is not summed", 1, 0, number(n)});
  list.push_back({"last-twice", "edge_tile", "the last element is summed twice", 0, 1, number(n)});
  for (const std::size_t limit : limits_below(n)) {
    list.push_back({"from-" + std::to_string(limit) + "-left-out", "edge_tile",
                    "elements from " + std::to_string(limit) + " on are not summed", n - limit, 0,
                    number(n)});
  }
  for (const std::size_t block : power_blocks(kLargestBlock)) {
    if (n % block == 0) continue;
    list.push_back(
        {"tail-of-" + std::to_string(block) + "-left-out", "edge_tile",
         "elements from the last multiple of " + std::to_string(block) + " on are not summed",
         n % block, 0, number(n)});
  }
}

// Other numbers of elements.
void add_counts(std::vector<Slip>& list, std::size_t n) {
  constexpr std::size_t kLargestBlock = 1024;
  if (n > 1)
    list.push_back({"one-less", "formula", "the sum is divided by n - 1", 0, 0, number(n - 1)});
  for (const std::size_t block : power_blocks(kLargestBlock)) {
    if (n % block == 0) continue;
    list.push_back({"count-padded-to-" + std::to_string(block), "edge",
                    "the sum is divided by n rounded up to a multiple of " + std::to_string(block),
                    0, 0, number((n + block - 1) / block * block)});
  }
}

}  // namespace

std::vector<Hypothesis> hypotheses_of_counts(const Binding& b) {
  std::vector<Hypothesis> list;
  if (b.operation != Operation::kMean || b.width == 0) return list;
  const auto add = [&](const Format& f, FindingClassName finding_class) {
    const std::string name(f.name);
    list.push_back(slip_hypothesis({"count-in-" + name, finding_class,
                                    "the number of elements is rounded to " + name, 0, 0,
                                    through(&f, number(b.width))}));
  };
  add(formats::kFp16, "overflow");
  add(formats::kBf16, "early_round");
  return list;
}

std::vector<Hypothesis> hypotheses_of_slips(const Binding& b) {
  std::vector<Slip> slips;
  if (b.width > 0) add_ends(slips, b.width);
  if (b.width > 0 && b.operation == Operation::kMean) add_counts(slips, b.width);
  std::vector<Hypothesis> list;
  for (Slip& slip : slips) list.push_back(slip_hypothesis(std::move(slip)));
  return list;
}

}  // namespace halfmark::suites::reduction
