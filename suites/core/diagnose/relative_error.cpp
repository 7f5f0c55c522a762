// SPDX-License-Identifier: Apache-2.0
// Results that are close to the right ones, or off by one factor. Neither identifies the faulty
// operation; both say more than "unexplained". Only the wrong elements are measured, against the
// nearer end of what is allowed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "reference/fast/floating_point.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/generic_hypotheses.hpp"

namespace halfmark::suites {
namespace {

using formats::Tensor;

// With fewer good bits a result is wrong rather than close.
constexpr int kLeastBits = 4;
constexpr int kLeastBitsOfLargest = 8;  // as judge.cpp's results that are off by a little
constexpr int kMostBits = 22;
// A factor is reported for at least this many results, and if it differs from 1 by at least
// this much.
constexpr std::size_t kFewestScaled = 8;
constexpr double kLeastFactor = 0x1p-4;
constexpr double kSlack = 0x1p-9;

struct Ends {
  double low, high;
};

class Outputs {
 public:
  explicit Outputs(const Failed& failed) : failed_(failed) {}

  [[nodiscard]] Ends allowed(const std::string& name, std::size_t i) const {
    const Tensor& right = failed_.allowed.expected.at(name);
    const Enclosure* all = failed_.allowed.enclosure;
    const auto value = [&](const Tensor& t) { return value_of(*right.format, t.at(i)); };
    return all == nullptr ? Ends{value(right), value(right)}
                          : Ends{value(all->low.at(name)), value(all->high.at(name))};
  }
  [[nodiscard]] double got(const std::string& name, std::size_t i) const {
    const Tensor& tensor = failed_.actual.at(name);
    return value_of(*tensor.format, tensor.at(i));
  }
  template <typename Visit>
  void each_wrong(Visit visit) const {
    for (const auto& [name, indices] : failed_.wrong) {
      for (const std::size_t i : indices) visit(name, i);
    }
  }

 private:
  const Failed& failed_;
};

bool is_plain(double low, double high, double got) {
  return std::isfinite(low) && std::isfinite(high) && std::isfinite(got) && low * high > 0;
}

// The largest size of a number that an output may hold, by output.
std::map<std::string, double> largest_sizes(const Failed& failed) {
  const Outputs outputs(failed);
  std::map<std::string, double> sizes;
  for (const auto& [name, wrong] : failed.wrong) {
    double& largest = sizes[name];
    for (std::size_t i = 0; i < failed.allowed.expected.at(name).count(); ++i) {
      const auto [low, high] = outputs.allowed(name, i);
      if (std::isfinite(low) && std::isfinite(high))
        largest = std::max({largest, std::abs(low), std::abs(high)});
    }
  }
  return sizes;
}

// 2^-N is the least power of two that is no less; nothing for what is no loss of digits.
std::optional<int> whole_bits(double error) {
  if (!(error > 0) || error >= 1) return std::nullopt;
  return -static_cast<int>(std::ceil(std::log2(error)));
}

// The number of whole bits that the worst of the wrong results keeps.
std::optional<int> good_bits(const Failed& failed) {
  const Outputs outputs(failed);
  double worst = 0;
  outputs.each_wrong([&](const std::string& name, std::size_t i) {
    const auto [low, high] = outputs.allowed(name, i);
    const double x = outputs.got(name, i);
    const double end = x < low ? low : high;
    worst = is_plain(low, high, x) ? std::max(worst, std::abs(x - end) / std::abs(end))
                                   : std::max(worst, 1.0);
  });
  return whole_bits(worst);
}

// The same by the largest number that the output may hold, as where sums cancel. A zero for a
// number has lost more than digits.
std::optional<int> good_bits_of_largest(const Failed& failed) {
  const Outputs outputs(failed);
  const std::map<std::string, double> largest = largest_sizes(failed);
  double worst = 0;
  outputs.each_wrong([&](const std::string& name, std::size_t i) {
    const auto [low, high] = outputs.allowed(name, i);
    const double x = outputs.got(name, i);
    const bool is_number = std::isfinite(low) && std::isfinite(high) && std::isfinite(x) && x != 0;
    const double off = x < low ? low - x : x - high;
    worst = std::max(worst, is_number && off < largest.at(name) ? off / largest.at(name) : 1.0);
  });
  return whole_bits(worst);
}

struct Widening {
  double factor, slack;  // ends times the factor, then widened by the relative slack
  double margin = 0;     // and by so much
};

Tensor widened(const Tensor& tensor, const Widening& w, bool up) {
  Tensor changed = tensor;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const double value = value_of(*tensor.format, tensor.at(i)) * w.factor;
    if (!std::isfinite(value)) continue;
    const double off = (std::abs(value) * w.slack + w.margin) * (1 + kSlack);
    changed.set(i, nearest(*tensor.format, up ? value + off : value - off));
  }
  return changed;
}

Hypothesis widening(const Failed& failed, std::string name, FindingClassName finding_class,
                    std::string sentence, Widening w,
                    const std::map<std::string, double>& margins = {}) {
  const auto ends = [&failed, w, margins](bool up) {
    const Enclosure* all = failed.allowed.enclosure;
    const fast::FloatingPointScope scope;
    TensorSet set;
    for (const auto& [output, expected] : failed.allowed.expected) {
      const bool other = up == (w.factor > 0);  // a negative factor exchanges the ends
      const Tensor& from = all == nullptr ? expected : (other ? all->high : all->low).at(output);
      const auto margin = margins.find(output);
      set.emplace(
          output,
          widened(from, {w.factor, w.slack, margin == margins.end() ? 0 : margin->second}, up));
    }
    return set;
  };
  return {.name = std::move(name),
          .finding_class = finding_class,
          .sentence = std::move(sentence),
          .evaluate = [&failed, w, ends](const Case&, const TensorSet&) {
            const fast::FloatingPointScope scope;
            TensorSet set = failed.allowed.expected;
            for (auto& [output, tensor] : set) tensor = widened(tensor, {w.factor, 0}, true);
            return Expectation{std::move(set), Enclosure{ends(false), ends(true)}};
          }};
}

// The value of every wrong result, if the right results lie beyond it.
struct Clamp {
  std::string output;
  formats::Bits at = 0;
  bool above = true;
};

std::optional<Clamp> clamp_of(const Failed& failed) {
  const Outputs outputs(failed);
  const auto& [output, first] = *failed.wrong.begin();
  const Clamp clamp{
      output, failed.actual.at(output).at(first.front()),
      outputs.got(output, first.front()) < outputs.allowed(output, first.front()).low};
  bool holds = failed.wrong.size() == 1 && first.size() >= kFewestScaled;
  const double value = outputs.got(output, first.front());
  outputs.each_wrong([&](const std::string& name, std::size_t i) {
    const auto [low, high] = outputs.allowed(name, i);
    const bool beyond = clamp.above ? value < low : high < value;
    holds = holds && failed.actual.at(name).at(i) == clamp.at && beyond;
  });
  return holds && std::isfinite(value) && value != 0 ? std::optional(clamp) : std::nullopt;
}

Tensor clamped(const Tensor& tensor, const Clamp& clamp) {
  const formats::Format& f = *tensor.format;
  const double limit = value_of(f, clamp.at);
  Tensor changed = tensor;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const double value = value_of(f, tensor.at(i));
    if (clamp.above ? value > limit : value < limit) changed.set(i, clamp.at);
  }
  return changed;
}

Hypothesis clamping(const Failed& failed, const Clamp& clamp) {
  const auto change = [clamp](TensorSet set) {
    set.at(clamp.output) = clamped(set.at(clamp.output), clamp);
    return set;
  };
  const double limit = value_of(*failed.actual.at(clamp.output).format, clamp.at);
  return on_results(
      failed, "clamped", "range",
      fmt::format("results {} {:g} become that number", clamp.above ? "above" : "below", limit),
      change);
}

// The magnitude of every wrong result, if the right ones have their signs and lie below it.
struct Saturation {
  std::string output;
  double limit = 0;
  double from = 0;   // the least right result that became the limit
  double below = 0;  // the greatest one below it, which did not
};

double size_of(const Ends& ends) { return std::max(std::abs(ends.low), std::abs(ends.high)); }

std::optional<Saturation> saturation_of(const Failed& failed) {
  const Outputs outputs(failed);
  const auto& [output, first] = *failed.wrong.begin();
  if (failed.wrong.size() != 1 || first.size() < kFewestScaled) return std::nullopt;
  Saturation found{output, std::abs(outputs.got(output, first.front())), HUGE_VAL};
  bool holds = true;
  outputs.each_wrong([&](const std::string& name, std::size_t i) {
    const Ends ends = outputs.allowed(name, i);
    const double x = outputs.got(name, i);
    holds = holds && is_plain(ends.low, ends.high, x) && x * ends.high > 0 &&
            std::abs(x) == found.limit && size_of(ends) < found.limit;
    found.from = std::min(found.from, size_of(ends));
  });
  for (std::size_t i = 0; holds && i < failed.actual.at(output).count(); ++i) {
    const double size = size_of(outputs.allowed(output, i));
    if (size < found.from) found.below = std::max(found.below, size);
  }
  return holds ? std::optional(found) : std::nullopt;
}

// `becomes(value)`: whether a number below the limit becomes the limit.
template <typename Becomes>
TensorSet saturated(TensorSet set, const Saturation& found, Becomes becomes) {
  Tensor& tensor = set.at(found.output);
  const formats::Format& f = *tensor.format;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const double value = value_of(f, tensor.at(i));
    if (std::abs(value) < found.limit && becomes(value))
      tensor.set(i, nearest(f, std::copysign(found.limit, value)));
  }
  return set;
}

Hypothesis saturating(const Failed& failed, const Saturation& found) {
  const auto change = [found](TensorSet set) {
    return saturated(std::move(set), found,
                     [&](double value) { return std::abs(value) >= found.from; });
  };
  return on_results(failed, "saturated", "ftz_const",
                    fmt::format("results from {:.6g} on become {:g}", found.from, found.limit),
                    change);
}

// The same elsewhere. What was seen leaves open where it begins, between `below` and `from`.
Hypothesis saturating_too(const Failed& other, const Saturation& found) {
  const auto end_of = [&other, found](bool up) {
    const Enclosure* all = other.allowed.enclosure;
    const TensorSet& ends = all == nullptr ? other.allowed.expected : (up ? all->high : all->low);
    return saturated(ends, found, [&](double value) {
      if (value == 0) return false;
      const bool is_outer = (value > 0) == up;
      return is_outer ? std::abs(value) >= found.below : std::abs(value) > found.from;
    });
  };
  Hypothesis same = saturating(other, found);
  same.evaluate = [middle = same.evaluate, end_of](const Case& c, const TensorSet& inputs) {
    return Expectation{middle(c, inputs).middle, Enclosure{end_of(false), end_of(true)}};
  };
  return same;
}

// The factor between the largest wrong result and the right one.
std::optional<double> factor_of(const Failed& failed) {
  const Outputs outputs(failed);
  double largest = 0;
  double factor = 0;
  std::size_t count = 0;
  outputs.each_wrong([&](const std::string& name, std::size_t i) {
    const auto [low, high] = outputs.allowed(name, i);
    const double x = outputs.got(name, i);
    if (!is_plain(low, high, x) || x == 0) return;
    ++count;
    const double size = std::min(std::abs(low), std::abs(high));
    if (size <= largest) return;
    largest = size;
    factor = x / (low + (high - low) / 2);
  });
  const bool is_clear = count >= kFewestScaled && std::abs(factor - 1) >= kLeastFactor;
  return is_clear ? std::optional(factor) : std::nullopt;
}

Hypothesis scaling(const Failed& failed, double factor) {
  return widening(failed, "factor", "formula",
                  fmt::format("results are {:.4g} times what they should be", factor),
                  {factor, kSlack});
}

// A hypothesis whose number is read from the failure, and the same with that number.
template <typename Make, typename Number>
GenericHypothesis with_number(Hypothesis here, Make elsewhere, const Number& number) {
  return {std::move(here),
          [elsewhere, number](const Failed& other) { return elsewhere(other, number); }};
}

std::optional<int> within(std::optional<int> bits, int least) {
  return bits && *bits >= least && *bits <= kMostBits ? bits : std::nullopt;
}

}  // namespace

std::vector<GenericHypothesis> near_results(const Failed& failed) {
  const fast::FloatingPointScope scope;
  std::vector<GenericHypothesis> list;
  if (failed.wrong.empty() || !are_numbers(failed)) return list;
  if (const auto clamp = clamp_of(failed))
    list.push_back(with_number(clamping(failed, *clamp), clamping, *clamp));
  if (const auto found = saturation_of(failed))
    list.push_back(with_number(saturating(failed, *found), saturating_too, *found));
  if (const auto factor = factor_of(failed))
    list.push_back(with_number(scaling(failed, *factor), scaling, *factor));
  for (Hypothesis& cut : cut_subnormals(failed)) list.push_back({std::move(cut)});
  const std::optional<FindingClassName> close = failed.problem.near_class();
  if (!close) return list;
  if (const std::optional<int> bits = within(good_bits(failed), kLeastBits)) {
    list.push_back({widening(
        failed, fmt::format("{}-good-bits", *bits), *close,
        fmt::format("results have {} good bits and no more, by an arithmetic of no name", *bits),
        {1, std::ldexp(1.0, -*bits)})});
  }
  return list;
}

std::vector<Hypothesis> near_largest(const Failed& failed) {
  const fast::FloatingPointScope scope;
  const std::optional<FindingClassName> close = failed.problem.near_class();
  if (failed.wrong.empty() || !close || !are_numbers(failed)) return {};
  const std::optional<int> bits = within(good_bits_of_largest(failed), kLeastBitsOfLargest);
  if (!bits) return {};
  std::map<std::string, double> margins = largest_sizes(failed);
  for (auto& [output, size] : margins) size = std::ldexp(size, -*bits);
  return {widening(
      failed, fmt::format("{}-good-bits-of-largest", *bits), *close,
      fmt::format("results are off by up to 2^-{} of the largest, by no rule that has a name",
                  *bits),
      {1, 0}, margins)};
}

}  // namespace halfmark::suites
