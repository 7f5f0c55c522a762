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

#include "reference/fast/floating_point.hpp"
#include "reference/formats/classify.hpp"
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
  double from = 0;  // the least right result that became the limit
};

std::optional<Saturation> saturation_of(const Failed& failed) {
  const Outputs outputs(failed);
  const auto& [output, first] = *failed.wrong.begin();
  if (failed.wrong.size() != 1 || first.size() < kFewestScaled) return std::nullopt;
  Saturation found{output, std::abs(outputs.got(output, first.front())), HUGE_VAL};
  bool holds = true;
  outputs.each_wrong([&](const std::string& name, std::size_t i) {
    const auto [low, high] = outputs.allowed(name, i);
    const double x = outputs.got(name, i);
    const double size = std::max(std::abs(low), std::abs(high));
    holds = holds && is_plain(low, high, x) && x * high > 0 && std::abs(x) == found.limit &&
            size < found.limit;
    found.from = std::min(found.from, size);
  });
  return holds ? std::optional(found) : std::nullopt;
}

Hypothesis saturating(const Failed& failed, const Saturation& found) {
  const auto change = [found](TensorSet set) {
    Tensor& tensor = set.at(found.output);
    const formats::Format& f = *tensor.format;
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const double value = value_of(f, tensor.at(i));
      if (std::abs(value) >= found.from && std::abs(value) < found.limit)
        tensor.set(i, nearest(f, std::copysign(found.limit, value)));
    }
    return set;
  };
  return on_results(failed, "saturated", "ftz_const",
                    fmt::format("results from {:.6g} on become {:g}", found.from, found.limit),
                    change);
}

// Whether every wrong result lies below the normal range, one place nearer to zero than allowed.
bool are_cut_subnormals(const Failed& failed) {
  if (failed.wrong.size() != 1 || failed.wrong.begin()->second.size() < kFewestScaled) return false;
  const auto& [output, wrong] = *failed.wrong.begin();
  const formats::Format& f = *failed.actual.at(output).format;
  return std::ranges::all_of(wrong, [&, name = &output](std::size_t i) {
    const formats::Bits got = failed.actual.at(*name).at(i);
    const auto [low, high] = Outputs(failed).allowed(*name, i);
    const formats::Bits nearer = nearest(f, std::abs(low) < std::abs(high) ? low : high);
    return formats::is_finite(f, got) && formats::magnitude(f, got) < formats::min_normal(f) &&
           formats::magnitude(f, got) + 1 == formats::magnitude(f, nearer);
  });
}

// Results below the normal range may lie one place nearer to zero.
Hypothesis cutting_subnormals(const Failed& failed) {
  const auto end_of = [&failed](bool up) {
    const Enclosure* all = failed.allowed.enclosure;
    TensorSet set = all == nullptr ? failed.allowed.expected : (up ? all->high : all->low);
    for (auto& [name, tensor] : set) {
      const formats::Format& f = *tensor.format;
      for (std::size_t i = 0; i < tensor.count(); ++i) {
        const formats::Bits end = tensor.at(i);
        const bool is_inner = formats::sign(f, end) == up && !formats::is_zero(f, end);
        if (is_inner && formats::magnitude(f, end) <= formats::min_normal(f))
          tensor.set(i, end - 1);
      }
    }
    return set;
  };
  return {.name = "cut-subnormals",
          .finding_class = "rounding",
          .sentence = "results below the normal range are rounded toward zero",
          .evaluate = [&failed, end_of](const Case&, const TensorSet&) {
            return Expectation{failed.allowed.expected, Enclosure{end_of(false), end_of(true)}};
          }};
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

std::optional<int> within(std::optional<int> bits, int least) {
  return bits && *bits >= least && *bits <= kMostBits ? bits : std::nullopt;
}

}  // namespace

std::vector<Hypothesis> near_results(const Failed& failed) {
  const fast::FloatingPointScope scope;
  std::vector<Hypothesis> list;
  if (failed.wrong.empty()) return list;
  if (const std::optional<Clamp> clamp = clamp_of(failed)) list.push_back(clamping(failed, *clamp));
  if (are_cut_subnormals(failed)) list.push_back(cutting_subnormals(failed));
  if (const auto found = saturation_of(failed)) list.push_back(saturating(failed, *found));
  if (const std::optional<double> factor = factor_of(failed)) {
    list.push_back(widening(failed, "factor", "formula",
                            fmt::format("results are {:.4g} times what they should be", *factor),
                            {*factor, kSlack}));
  }
  const std::optional<FindingClassName> close = failed.problem.near_class();
  if (!close) return list;
  if (const std::optional<int> bits = within(good_bits(failed), kLeastBits)) {
    list.push_back(widening(
        failed, fmt::format("{}-good-bits", *bits), *close,
        fmt::format("results have {} good bits and no more, by an arithmetic of no name", *bits),
        {1, std::ldexp(1.0, -*bits)}));
  }
  return list;
}

std::vector<Hypothesis> near_largest(const Failed& failed) {
  const fast::FloatingPointScope scope;
  const std::optional<FindingClassName> close = failed.problem.near_class();
  if (failed.wrong.empty() || !close) return {};
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
