// SPDX-License-Identifier: Apache-2.0
#include "suites/core/experiment/questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "suites/core/case/errors.hpp"

namespace halfmark::suites {
namespace {

constexpr std::string_view kFillAxis = "fill";
constexpr auto kPlainFills =
    std::to_array<std::string_view>({"normal", "uniform", "wide", "integer", "positive"});

Case with_seed(Case c, std::uint64_t more) {
  c.seed += more;
  return c;
}

Case with_fill(Case c, std::string_view fill) {
  for (Token& token : c.tokens) {
    if (token.axis == kFillAxis) token.text = fill;
  }
  return c;
}

bool is_same(const TensorSpec& a, const TensorSpec& b) {
  return a.name == b.name && a.format == b.format && a.count == b.count && a.role == b.role &&
         a.stretches == b.stretches && a.apart == b.apart;
}

bool is_same(const OperatorStep& a, const OperatorStep& b) {
  return a.name == b.name && a.compute == b.compute && a.options == b.options &&
         a.scalars == b.scalars && a.tensors.size() == b.tensors.size();
}

bool is_same(const Launch& a, const Launch& b) {
  return a.family == b.family && a.entry == b.entry && a.defines == b.defines &&
         a.groups == b.groups;
}

template <typename T>
bool are_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) { return is_same(x, y); });
}

// Whether two plans differ at most in the numbers that their tensors hold.
bool do_the_same(const Plan& a, const Plan& b) {
  return !b.needs && !b.no_provider && a.repeats == b.repeats && a.concurrency == b.concurrency &&
         are_same(a.tensors, b.tensors) && are_same(a.launches, b.launches) &&
         are_same(a.operators, b.operators);
}

// Problems that have results of their own to compare, and the kind of work of `plan`.
template <typename Alike>
bool is_call(const Suite& suite, const Case& c, const Plan& plan,
             const backends::DeviceInfo& device, Alike&& is_alike) {
  try {
    const auto problem = suite.bind(c);
    return !problem->digested() && problem->own_work() == nullptr &&
           is_alike(plan, problem->plan(device));
  } catch (const UsageError&) {
    return false;  // the suite has no such fill at this shape, or no such shape
  }
}

std::vector<std::string_view> fills_of(const Suite& suite) {
  const auto axis = std::ranges::find(suite.axes, kFillAxis, &Axis::name);
  return axis == suite.axes.end() ? std::vector<std::string_view>{} : axis->words;
}

bool is_plain(std::string_view fill) {
  return std::ranges::find(kPlainFills, fill) != kPlainFills.end();
}

// n becomes n * times / over + more.
struct Resized {
  std::uint64_t times, over, more;
};
constexpr Resized kOtherShapes[] = {{2, 1, 1}, {4, 1, 3}, {1, 2, 1}, {1, 1, 16}, {3, 2, 0},
                                    {3, 1, 0}, {1, 1, 7}, {6, 1, 5}, {3, 4, 0},  {8, 1, 1}};

// Every number of the shape resized.
Case with_shape(const Suite& suite, Case c, const Resized& by) {
  for (const Axis& axis : suite.axes) {
    std::string text;
    for (const char letter : axis.letters)
      text +=
          fmt::format("{}{}", letter, c.number(axis.name, letter) * by.times / by.over + by.more);
    for (Token& token : c.tokens) {
      if (token.axis == axis.name && !text.empty()) token.text = text;
    }
  }
  return c;
}

std::uint64_t operands_of(const Plan& plan) {
  std::uint64_t all = 0;
  for (const TensorSpec& spec : plan.tensors) all += spec.count;
  return all;
}

// The same kind of call at another shape, not much larger.
bool is_likewise(const Plan& a, const Plan& b) {
  constexpr std::uint64_t kMostTimes = 8, kMostOperands = 1u << 18;
  return !b.needs && !b.no_provider && a.repeats == b.repeats && a.concurrency == b.concurrency &&
         a.tensors.size() == b.tensors.size() && a.operators.size() == b.operators.size() &&
         a.launches.size() == b.launches.size() && operands_of(b) <= kMostOperands &&
         operands_of(b) <= kMostTimes * operands_of(a);
}

}  // namespace

QuestionLimits limits_for(std::uint64_t elements) {
  constexpr std::uint64_t kFew = 1u << 12, kSome = 1u << 14, kMany = 1u << 20;
  if (elements <= kFew) return {.questions = 12, .contests = 48};
  if (elements <= kSome) return {.questions = 10, .contests = 12};
  if (elements <= kMany) return {.questions = 3, .contests = 0};
  return {};
}

std::vector<OtherData> other_data_for(const Suite& suite, const Case& c,
                                      const backends::DeviceInfo& device) {
  std::vector<OtherData> all{{with_seed(c, 1), true}};
  const std::vector<std::string_view> fills = fills_of(suite);
  const std::string_view own = fills.empty() ? std::string_view() : c.word(kFillAxis);
  const auto add = [&](std::string_view fill, bool plain) {
    if (fill != own) all.push_back({with_fill(c, fill), plain});
  };
  for (const std::string_view fill : kPlainFills) {
    if (std::ranges::find(fills, fill) != fills.end()) add(fill, true);
  }
  all.push_back({with_seed(c, 2), true});
  for (const std::string_view fill : fills) {
    if (!is_plain(fill)) add(fill, false);
  }
  const Plan plan = suite.bind(c)->plan(device);
  std::erase_if(all, [&](const OtherData& other) {
    return !is_call(suite, other.c, plan, device, do_the_same);
  });
  return all;
}

std::vector<OtherData> contested_data_for(const Suite& suite, const Case& c,
                                          const backends::DeviceInfo& device) {
  constexpr std::uint64_t kSeeds = 3, kFirstSeed = 3;
  const Plan plan = suite.bind(c)->plan(device);
  std::vector<OtherData> bases{{c, true}};
  for (const std::string_view fill : fills_of(suite)) {
    const Case other = with_fill(c, fill);
    if (other != c && is_call(suite, other, plan, device, do_the_same))
      bases.push_back({other, is_plain(fill)});
  }
  std::vector<OtherData> all;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kSeeds; ++seed) {
    for (const OtherData& base : bases) all.push_back({with_seed(base.c, seed), base.is_plain});
    if (seed > kFirstSeed) continue;
    for (const Resized& by : kOtherShapes) {
      const Case shaped = with_shape(suite, c, by);
      if (is_call(suite, shaped, plan, device, is_likewise)) all.push_back({shaped, false});
    }
  }
  return all;
}

}  // namespace halfmark::suites
