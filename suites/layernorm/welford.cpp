// SPDX-License-Identifier: Apache-2.0
#include "suites/layernorm/welford.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "reference/models/order_walk.hpp"

namespace halfmark::suites::layernorm {
namespace {

template <typename Number>
struct Partial {
  Number mean = 0, squares = 0, count = 0;
};

template <typename Number>
Partial<Number> updated(const Partial<Number>& p, Number x, Update update) {
  const Number delta = x - p.mean;
  const Number count = p.count + 1;
  if (update == Update::kFused) {
    const Number mean = std::fma(delta, 1 / count, p.mean);
    return {mean, std::fma(delta, x - mean, p.squares), count};
  }
  const Number mean = p.mean + (update == Update::kDivide ? delta / count : delta * (1 / count));
  return {mean, p.squares + delta * (x - mean), count};
}

// The lower lane's part comes first, then the upper one's.
template <typename Number>
Partial<Number> merged(const Partial<Number>& x, const Partial<Number>& y, Update update) {
  if (x.count == 0) return y;
  if (y.count == 0) return x;
  const Number delta = x.mean - y.mean;
  const Number count = x.count + y.count;
  if (update == Update::kDivide) {
    const Number of_x = x.count / count;
    const Number of_y = y.count / count;
    return {of_x * x.mean + of_y * y.mean,
            x.squares + y.squares + delta * delta * of_x * of_y * count, count};
  }
  const Number of_x = x.count * (1 / count);
  const Number of_y = y.count * (1 / count);
  if (update == Update::kFused)
    return {std::fma(of_y, y.mean, of_x * x.mean),
            std::fma(delta * delta * y.count, of_x, y.squares + x.squares), count};
  return {of_y * y.mean + of_x * x.mean, y.squares + x.squares + delta * delta * y.count * of_x,
          count};
}

// Running updates as one of the update steps has them.
template <typename Number>
struct Running {
  using Part = Partial<Number>;
  Update update;

  [[nodiscard]] Part with(const Part& p, float x) const {
    return updated(p, static_cast<Number>(x), update);
  }
  [[nodiscard]] Part of(const Part& x, const Part& y) const { return merged(x, y, update); }
};

struct Weighted {
  using Part = Partial<float>;
  std::span<const float> reciprocals;

  [[nodiscard]] float share(float of, float count) const {
    return reciprocals.empty() ? of / count : of * reciprocals[static_cast<std::size_t>(count)];
  }
  [[nodiscard]] Part of(const Part& x, const Part& y) const {
    if (x.count == 0) return y;
    if (y.count == 0) return x;
    const float delta = x.mean - y.mean;
    const float count = x.count + y.count;
    return {std::fma(y.mean, share(y.count, count), x.mean * share(x.count, count)),
            std::fma(delta * delta, share(x.count * y.count, count), x.squares + y.squares), count};
  }
  [[nodiscard]] Part with(const Part& p, float x) const { return of({x, 0, 1}, p); }
};

// The machine that an order's program runs on.
template <typename Step>
class Runner {
 public:
  Runner(std::span<const float> x, const Step& step) : x_(x), step_(step) {}

  void start() { stack_.emplace_back(); }
  void start_total() { start(); }
  void zero() { start(); }
  void product(std::size_t k) {
    start();
    steps(k, 1, 1);
  }
  void steps(std::size_t first, std::size_t stride, std::size_t count) {
    Part sum = stack_.back();
    for (std::size_t k = first; count > 0; k += stride, --count) sum = step_.with(sum, x_[k]);
    stack_.back() = sum;
  }
  void part() {}
  void add() {
    const Part y = stack_.back();
    stack_.pop_back();
    stack_.back() = step_.of(stack_.back(), y);
  }
  void fuse(std::span<const std::size_t>, std::size_t, bool) {
    throw std::invalid_argument("fused nodes are no order of running updates");
  }
  void add_addend() {}

  [[nodiscard]] Moments result() const {
    const Part& p = stack_.back();
    return {static_cast<float>(p.mean), static_cast<float>(p.squares)};
  }

 private:
  using Part = typename Step::Part;

  std::span<const float> x_;
  Step step_;
  std::vector<Part> stack_;
};

template <typename Step>
Moments evaluated(std::span<const float> x, const models::Order& order, const Step& step) {
  Runner<Step> runner(x, step);
  models::walk(order, x.size(), runner);
  return runner.result();
}

struct Wave {
  std::vector<float> x;
  models::Order order;
};

// The terms of each wave, and the order within one.
std::vector<Wave> waves_of(std::span<const float> x, const models::Order& order) {
  const bool has_waves = order.kind == models::Order::kStrided && order.group > 0;
  if (!has_waves) return {{{x.begin(), x.end()}, order}};
  const std::size_t run = std::max(order.run, 1U);
  std::vector<Wave> waves(
      order.size / order.group,
      {.x = {}, .order = models::strided(order.group, order.within, order.run)});
  for (std::size_t i = 0; i < x.size(); ++i)
    waves[i / run % order.size / order.group].x.push_back(x[i]);
  return waves;
}

Partial<float> moments_of(const Wave& wave, const Summation& how, bool divides) {
  const Summation sum{.order = wave.order, .wide = how.wide, .fused = true};
  const auto count = static_cast<float>(wave.x.size());
  if (count == 0) return {};
  const float total = sum.total(wave.x);
  const float mean = divides ? total / count : total * (1.0F / count);
  std::vector<float> deviations = wave.x;
  for (float& v : deviations) v -= mean;
  return {mean, sum.dot(deviations, deviations), count};
}

Partial<float> merged_waves(const Partial<float>& x, const Partial<float>& y) {
  if (x.count == 0) return y;
  if (y.count == 0) return x;
  const float delta = x.mean - y.mean;
  const float count = x.count + y.count;
  const float share = 1.0F / count;
  return {std::fma(x.count, x.mean, y.count * y.mean) * share,
          std::fma(delta * delta * x.count * y.count, share, x.squares + y.squares), count};
}

}  // namespace

Moments moments_of_waves(std::span<const float> x, const Summation& sum, bool divides) {
  std::vector<Partial<float>> parts;
  for (const Wave& wave : waves_of(x, sum.order)) parts.push_back(moments_of(wave, sum, divides));
  while (parts.size() > 1) {
    const bool in_halves = sum.order.combine == models::Combine::kHalves;
    const std::size_t half = parts.size() / 2;
    if (sum.order.combine == models::Combine::kSequential) {
      parts[0] = merged_waves(parts[0], parts[1]);
      parts.erase(parts.begin() + 1);
      continue;
    }
    for (std::size_t i = 0; i < half; ++i)
      parts[i] = in_halves ? merged_waves(parts[i], parts[i + half])
                           : merged_waves(parts[2 * i], parts[2 * i + 1]);
    parts.resize(half);
  }
  return {.mean = parts[0].mean, .squares = parts[0].squares};
}

bool has_lanes(const models::Order& order) {
  constexpr std::size_t kLargestWave = 64;
  return order.kind == models::Order::kStrided && order.group == 0 &&
         order.combine == models::Combine::kHalves && order.size <= kLargestWave;
}

std::vector<Moments> weighted_moments_of(std::span<const float> x, const models::Order& order,
                                         std::span<const float> reciprocals) {
  const Weighted step{reciprocals};
  if (!has_lanes(order)) return {evaluated(x, order, step)};
  const std::size_t lanes = order.size;
  std::vector<Partial<float>> parts(lanes);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Partial<float>& part = parts[i / std::max(order.run, 1U) % lanes];
    part = step.with(part, x[i]);
  }
  for (std::size_t distance = lanes / 2; distance > 0; distance /= 2) {
    const std::vector<Partial<float>> before = parts;
    for (std::size_t i = 0; i < lanes; ++i) parts[i] = step.of(before[i], before[i ^ distance]);
  }
  std::vector<Moments> moments;
  for (const Partial<float>& part : parts) moments.push_back({part.mean, part.squares});
  return moments;
}

Moments moments_of(std::span<const float> x, const models::Order& order, bool wide, Update update) {
  return wide ? evaluated(x, order, Running<double>{update})
              : evaluated(x, order, Running<float>{update});
}

}  // namespace halfmark::suites::layernorm
