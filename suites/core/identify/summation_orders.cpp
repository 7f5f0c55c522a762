// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/summation_orders.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "reference/models/order_walk.hpp"
#include "suites/core/suite/block_sizes.hpp"

namespace halfmark::suites {
namespace {

// The machine that runs an order's program; `b` is empty if there are no products.
template <typename Sum>
class Adder {
 public:
  Adder(std::span<const float> a, std::span<const float> b, bool fused)
      : a_(a), b_(b), fused_(fused) {}

  void start() { stack_.push_back(0); }
  void start_total() { start(); }
  void zero() { start(); }
  void product(std::size_t k) { stack_.push_back(term(k)); }
  void steps(std::size_t first, std::size_t stride, std::size_t count) {
    Sum sum = stack_.back();
    for (std::size_t k = first; count > 0; k += stride, --count) sum = stepped(sum, k);
    stack_.back() = sum;
  }
  void part() {}
  void add() {
    const Sum y = stack_.back();
    stack_.pop_back();
    stack_.back() += y;
  }
  void fuse(std::span<const std::size_t>, std::size_t, bool) {
    throw std::invalid_argument("fused nodes are no order of plain sums");
  }
  void add_addend() {}

  [[nodiscard]] float result() const { return static_cast<float>(stack_.back()); }

 private:
  [[nodiscard]] Sum term(std::size_t k) const {
    if (b_.empty()) return static_cast<Sum>(a_[k]);
    return fused_ ? static_cast<Sum>(a_[k]) * static_cast<Sum>(b_[k])
                  : static_cast<Sum>(a_[k] * b_[k]);
  }
  [[nodiscard]] Sum stepped(Sum sum, std::size_t k) const {
    if (b_.empty() || !fused_) return sum + term(k);
    return std::fma(static_cast<Sum>(a_[k]), static_cast<Sum>(b_[k]), sum);
  }

  std::span<const float> a_, b_;
  bool fused_;
  std::vector<Sum> stack_;
};

template <typename Sum>
float evaluate(const Summation& how, std::span<const float> a, std::span<const float> b) {
  Adder<Sum> adder(a, b, how.fused);
  models::walk(how.order, a.size(), adder);
  return adder.result();
}

float evaluate(const Summation& how, std::span<const float> a, std::span<const float> b) {
  return how.wide ? evaluate<double>(how, a, b) : evaluate<float>(how, a, b);
}

constexpr const char* kCombines[] = {"-sequential", "-pairwise", "-halves"};

// How the lanes of a wave, and then the waves, add up.
struct Waves {
  std::uint32_t lanes;
  const char* combine;
};
constexpr Waves kWaves[] = {
    {32, "-halves32-halves"},       {32, "-halves32-sequential"},     {32, "-pairwise32-halves"},
    {32, "-pairwise32-sequential"}, {32, "-sequential32-sequential"}, {64, "-halves64-halves"},
    {64, "-halves64-sequential"},   {64, "-pairwise64-sequential"},
};

void add_waves(std::vector<std::string>& words, std::uint32_t lanes, std::uint32_t run) {
  const std::string head =
      "strided-" + std::to_string(lanes) + (run == 1 ? "" : "x" + std::to_string(run));
  // With runs of one these orders are among the usual sizes.
  for (const char* combine : kCombines) {
    if (run > 1) words.push_back(models::print(order_of(head + combine)));
  }
  for (const Waves& waves : kWaves) {
    if (waves.lanes < lanes) words.push_back(head + waves.combine);
  }
}

// The registers of processors: lanes of fp32, and how many a loop keeps.
constexpr std::uint32_t kLanes[] = {4, 8, 16};
constexpr std::uint32_t kUnrolls[] = {1, 2, 4, 8};
constexpr models::Combine kAcross[] = {models::Combine::kSequential, models::Combine::kHalves};
constexpr models::Combine kAlong[] = {models::Combine::kHalves, models::Combine::kFolded};

// Without whole vectors the order is `sequential`; without a whole turn, that of fewer vectors.
void add_vectors(std::vector<std::string>& words, std::size_t count) {
  for (const std::uint32_t unroll : kUnrolls) {
    for (const std::uint32_t lanes : kLanes) {
      for (const models::Combine across : kAcross) {
        if (lanes * unroll > count || (unroll <= 2 && across != kAcross[0])) continue;
        for (const models::Combine along : kAlong)
          words.push_back(models::print(models::vectors(lanes, along, unroll, across)));
      }
    }
  }
}

}  // namespace

float Summation::total(std::span<const float> terms) const { return evaluate(*this, terms, {}); }

float Summation::dot(std::span<const float> a, std::span<const float> b) const {
  return evaluate(*this, a, b);
}

bool KeptTotals::follow(std::span<const std::string> answers) {
  if (std::ranges::equal(answers, answers_)) return false;
  answers_.assign(answers.begin(), answers.end());
  std::ranges::fill(totals_, std::nullopt);
  return true;
}

std::vector<std::string> order_words(std::size_t count) {
  std::vector<std::string> words{"sequential", "reversed", "pairwise"};
  for (const char* kind : {"strided-", "blocked-", "splitk-"}) {
    for (std::uint32_t size = 2; size < count && size <= 1024; size *= 2) {
      for (const char* combine : kCombines) {
        const std::string word = kind + std::to_string(size) + combine;
        words.push_back(models::print(order_of(word)));
      }
    }
  }
  // One lane for each term.
  words.push_back("strided-" + std::to_string(std::bit_ceil(count)) + "-halves");
  for (std::uint32_t run = 1; run <= 8; run *= 2) {
    // If half as many lanes would cover all terms, the other half would have nothing to add.
    for (std::uint32_t lanes = 32; lanes <= 1024 && lanes / 2 * run < count; lanes *= 2)
      add_waves(words, lanes, run);
  }
  add_vectors(words, count);
  return words;
}

models::Order order_of(const std::string& word) {
  const models::OrderText read = models::read_order(word);
  if (!read.order) throw std::invalid_argument("'" + word + "' is no order");
  return *read.order;
}

}  // namespace halfmark::suites
