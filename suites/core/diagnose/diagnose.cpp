// SPDX-License-Identifier: Apache-2.0
#include "suites/core/diagnose/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "reference/formats/classify.hpp"
#include "suites/core/diagnose/generic_hypotheses.hpp"
#include "suites/core/diagnose/machine_hypotheses.hpp"
#include "suites/core/diagnose/wrong_region.hpp"

namespace halfmark::suites {
namespace {

std::string name_of(const formats::Format* format) {
  return format == nullptr ? "" : std::string(format->name);
}

}  // namespace

Explanation explanation_of(const Hypothesis& hypothesis) {
  return {.hypothesis = hypothesis.name,
          .finding_class = std::string(hypothesis.finding_class),
          .sentence = hypothesis.sentence,
          .freedoms = hypothesis.freedoms,
          .explained = 0,
          .contradicted = 0,
          .is_generic = hypothesis.is_generic,
          .substituted = name_of(hypothesis.substituted),
          .computed_in = name_of(hypothesis.computed_in)};
}

namespace {

// For outputs above the first size, attempts are expensive and the first exact one suffices, unless
// it accuses, and then says so; above the second, generic hypotheses are not tried.
constexpr std::uint64_t kExpensiveElements = 1u << 16;
constexpr std::uint64_t kMostElements = 1u << 20;
constexpr std::string_view kOthersUntried = " (others were not tried on so large an output)";

bool better(const Explanation& a, const Explanation& b) {
  if ((a.contradicted == 0) != (b.contradicted == 0)) return a.contradicted == 0;
  if (a.explained != b.explained) return a.explained > b.explained;
  return a.contradicted < b.contradicted;
}

// A wrong element supports a hypothesis that gives its bits; a right element contradicts a
// hypothesis that would have made it wrong. Holds what a hypothesis explains and contradicts
// overall, and what it contradicts within the part that went wrong.
struct Weighed {
  Explanation whole;
  std::uint64_t contradicted_in_part = 0;
};

// Of one output.
class Weights {
 public:
  Weights(const Allowance& allowance, const Allowance& predicted, const TensorSet& actual,
          const std::string& name)
      : got_(actual.at(name)),
        predicted_(predicted.expected.at(name)),
        right_(allowance, name),
        reproduced_(predicted, name) {}

  [[nodiscard]] bool explains(std::size_t i) const { return reproduced_(i, got_.at(i)); }
  // Of an element that is right.
  [[nodiscard]] bool contradicted_by(std::size_t i) const {
    return !reproduced_(i, got_.at(i)) && !right_(i, predicted_.at(i));
  }

 private:
  const formats::Tensor& got_;
  const formats::Tensor& predicted_;
  Allowed right_, reproduced_;
};

// `wrong`: where results are not allowed. A hypothesis that explains none of them is not weighed
// further; where nothing is wrong, each is weighed by what it contradicts.
Weighed weigh_in_part(const Hypothesis& hypothesis, const Case& c, const TensorSet& inputs,
                      const Allowance& allowance, const TensorSet& actual, const Places& wrong,
                      const Part* part) {
  Weighed weighed{.whole = explanation_of(hypothesis)};
  Explanation& e = weighed.whole;
  const Expectation outcome = hypothesis.evaluate(c, inputs);
  const Allowance predicted = allowance_like(allowance, outcome);
  const auto contradict = [&](const std::string& name, std::size_t i) {
    ++e.contradicted;
    if (part == nullptr || part->holds(name, i)) ++weighed.contradicted_in_part;
  };
  for (const auto& [name, places] : wrong) {
    const Weights weights(allowance, predicted, actual, name);
    for (const std::size_t i : places) {
      if (weights.explains(i))
        ++e.explained;
      else
        contradict(name, i);
    }
  }
  if ((e.explained == 0 && e.contradicted > 0) || hypothesis.sporadic) return weighed;
  for (const auto& [name, tensor] : allowance.expected) {
    const Weights weights(allowance, predicted, actual, name);
    const auto found = wrong.find(name);
    const std::span<const std::size_t> places =
        found == wrong.end() ? std::span<const std::size_t>() : found->second;
    auto next = places.begin();
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      if (next != places.end() && *next == i)
        ++next;
      else if (weights.contradicted_by(i))
        contradict(name, i);
    }
  }
  if (hypothesis.is_within && !hypothesis.is_within(c, inputs, actual)) e.freedoms.clear();
  return weighed;
}

// The same mistake, confined to a part, such as the whole vectors of a loop and not its remainder.
// What is open everywhere is open there.
Explanation confined(const Weighed& weighed, const Part& part) {
  Explanation e = weighed.whole;
  e.hypothesis += kInPart;
  e.sentence += fmt::format(", in {} alone", part.words);
  e.contradicted = 0;
  e.in_part = true;
  return e;
}

// The operands and the device's results at a few wrong places.
struct Sample {
  TensorSet inputs, actual;
};

formats::Tensor selected(const formats::Tensor& tensor, const std::vector<std::size_t>& places) {
  formats::Tensor few = formats::Tensor::zeros(*tensor.format, places.size());
  for (std::size_t i = 0; i < places.size(); ++i) few.set(i, tensor.at(places[i]));
  return few;
}

// Nothing if operands and results do not lie at the same places.
std::optional<Sample> sample_of(const TensorSet& inputs, const TensorSet& actual,
                                const Places& wrong) {
  constexpr std::size_t kMost = 64;
  if (actual.size() != 1 || wrong.empty()) return std::nullopt;
  const auto& [output, all] = *wrong.begin();
  const std::size_t count = std::min(kMost, all.size());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) places.push_back(all[i * all.size() / count]);
  Sample sample{.inputs = {}, .actual = {{output, selected(actual.at(output), places)}}};
  for (const auto& [name, tensor] : inputs) {
    if (tensor.count() != actual.at(output).count()) return std::nullopt;
    sample.inputs.emplace(name, selected(tensor, places));
  }
  return sample;
}

bool holds_nan(const TensorSet& tensors) {
  return std::ranges::any_of(tensors, [](const auto& named) {
    const formats::Tensor& tensor = named.second;
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      if (formats::is_nan(*tensor.format, tensor.at(i))) return true;
    }
    return false;
  });
}

// Tries hypotheses on one failure, and keeps what they explain.
class Search {
 public:
  Search(const Problem& problem, const TensorSet& inputs, const Allowance& allowed,
         const TensorSet& actual, const Permits& permits, const std::set<std::string>& excluded)
      : case_(problem.c()),
        inputs_(inputs),
        allowed_(allowed),
        actual_(actual),
        permits_(permits),
        excluded_(excluded),
        comparison_(compare(allowed, actual)),
        part_(part_of(problem, comparison_.wrong, counts_of(allowed.expected))),
        sample_(sample_of(inputs, actual, comparison_.wrong)),
        has_nan_(holds_nan(inputs) || holds_nan(allowed.expected)) {}

  [[nodiscard]] const Places& wrong() const { return comparison_.wrong; }

  /// Whether a hypothesis can be tried: it is not excluded, and its class can show on the data.
  [[nodiscard]] bool may_take(const Hypothesis& hypothesis) const {
    const bool can_show = has_nan_ || hypothesis.finding_class.row().shows != Shows::kOnNan;
    return can_show && !(excluded_.contains(hypothesis.name) &&
                         excluded_.contains(hypothesis.name + std::string(kInPart)));
  }

  /// Whether it could still turn an accusation into something permitted.
  [[nodiscard]] bool may_clear(const Hypothesis& hypothesis) const {
    return !is_cleared() && is_permitted(explanation_of(hypothesis));
  }

  /// Evaluates one hypothesis.
  void take(const Hypothesis& hypothesis) {
    if (!may_take(hypothesis)) return;
    const bool whole = !excluded_.contains(hypothesis.name);
    const bool in_part = !excluded_.contains(hypothesis.name + std::string(kInPart));
    if (hypothesis.pointwise && !agrees_on_sample(hypothesis)) return;
    const Part* part = part_ ? &*part_ : nullptr;
    const Weighed weighed =
        weigh_in_part(hypothesis, case_, inputs_, allowed_, actual_, wrong(), part);
    const Explanation& e = weighed.whole;
    if (in_part && part_ && e.explained == comparison_.mismatches &&
        weighed.contradicted_in_part == 0)
      keep_confined(confined(weighed, *part_));
    // After its equals, so that the earlier of two exact hypotheses stays first.
    const bool counts = e.contradicted == 0 || !hypothesis.pointwise;
    if (!whole || e.explained == 0 || !counts) return;
    found_.insert(std::upper_bound(found_.begin(), found_.end(), e, better), e);
    is_permitted_ = is_permitted_ || (e.contradicted == 0 && is_permitted(e));
  }

  /// The search leaves out hypotheses like the exact one.
  void leave_others() { found_.front().sentence += kOthersUntried; }

  [[nodiscard]] bool is_exact() const { return exact() > 0; }
  [[nodiscard]] bool is_large() const { return comparison_.elements > kExpensiveElements; }
  [[nodiscard]] bool succeeded() const { return is_exact() || !in_part_.empty(); }
  /// Whether the output is small enough for many more attempts.
  [[nodiscard]] bool may_go_on() const { return comparison_.elements <= kMostElements; }

  [[nodiscard]] std::vector<Explanation> explanations() const {
    if (exact() == 0 && !in_part_.empty()) return in_part_;
    std::vector<Explanation> best = found_;
    best.resize(std::min<std::size_t>(best.size(), exact() > 0 ? exact() : 3));
    return best;
  }

 private:
  [[nodiscard]] bool is_permitted(const Explanation& e) const {
    return permits_ != nullptr && permits_(e);
  }

  // Whether something that is returned is permitted.
  [[nodiscard]] bool is_cleared() const {
    const auto permits = [this](const Explanation& e) { return is_permitted(e); };
    return is_permitted_ || (exact() == 0 && std::ranges::any_of(in_part_, permits));
  }

  // The first one; and of those behind it the first that is permitted, unless that one is.
  void keep_confined(Explanation e) {
    const bool is_open = is_permitted(e);
    const bool is_more = is_open && in_part_.size() == 1 && !is_permitted(in_part_.front());
    if (in_part_.empty() || is_more) in_part_.push_back(std::move(e));
  }

  // A sample takes little time and refutes nearly every value of a parameter.
  [[nodiscard]] bool agrees_on_sample(const Hypothesis& hypothesis) const {
    if (!sample_) return true;
    const Expectation outcome = hypothesis.evaluate(case_, sample_->inputs);
    return compare(allowance_like(allowed_, outcome), sample_->actual).mismatches == 0;
  }

  [[nodiscard]] std::size_t exact() const {
    const auto end = std::find_if(found_.begin(), found_.end(),
                                  [](const Explanation& e) { return e.contradicted > 0; });
    return static_cast<std::size_t>(end - found_.begin());
  }

  const Case& case_;
  const TensorSet& inputs_;
  const Allowance& allowed_;
  const TensorSet& actual_;
  const Permits& permits_;
  const std::set<std::string>& excluded_;
  Comparison comparison_;
  std::optional<Part> part_;
  std::optional<Sample> sample_;
  bool has_nan_;
  std::vector<Explanation> found_;
  bool is_permitted_ = false;  // an exact one
  std::vector<Explanation> in_part_;
};

// Matrix units come last, and only if nothing else is exact: there are many of them, they take most
// of the time, and no row permits them by a freedom.
constexpr int kTierOfUnits = 3, kTiers = 4;

int tier_of(const Hypothesis& hypothesis) {
  return hypothesis.finding_class == "acc_unit" ? kTierOfUnits : hypothesis.tier;
}

void take_in_turn(Search& search, const std::vector<Hypothesis>& hypotheses) {
  for (int tier = 0; tier < kTiers; ++tier) {
    const bool is_higher = search.is_exact();
    bool leaves_others = false;
    for (const Hypothesis& hypothesis : hypotheses) {
      if (tier_of(hypothesis) != tier || !search.may_take(hypothesis)) continue;
      const bool is_enough = is_higher || (search.is_large() && search.is_exact());
      if (!is_enough || search.may_clear(hypothesis))
        search.take(hypothesis);
      else
        leaves_others = leaves_others || !is_higher;
    }
    if (leaves_others) search.leave_others();
  }
}

// Without an operator: all, until one succeeds; after an accusation, only what is permitted.
void take_generic(Search& search, const Failed& failed) {
  if (search.succeeded()) {
    for (const Hypothesis& change : changed_numbers(failed)) {
      if (search.may_clear(change)) search.take(change);
    }
    return;
  }
  for (const Hypothesis& hypothesis : generic_hypotheses(failed)) {
    search.take(hypothesis);
    if (search.succeeded()) return;
  }
}

}  // namespace

Explanation weigh(const Hypothesis& hypothesis, const Case& c, const TensorSet& inputs,
                  const Allowance& allowance, const TensorSet& actual) {
  const Places wrong = compare(allowance, actual).wrong;
  return weigh_in_part(hypothesis, c, inputs, allowance, actual, wrong, nullptr).whole;
}

std::vector<Hypothesis> all_hypotheses(const Problem& problem, const Places& wrong,
                                       const TensorSet& actual) {
  std::vector<Hypothesis> hypotheses;
  const auto append = [&](std::vector<Hypothesis> own) {
    hypotheses.insert(hypotheses.end(), std::make_move_iterator(own.begin()),
                      std::make_move_iterator(own.end()));
  };
  append(problem.mistakes_seen_in(wrong, actual));
  if (problem.follows_machine()) append(machine_hypotheses(problem));
  append(problem.mistakes());
  append(problem.families());
  return hypotheses;
}

std::vector<Explanation> diagnose(const Problem& problem, const TensorSet& inputs,
                                  const Allowance& allowed, const TensorSet& actual,
                                  const Permits& permits, const std::set<std::string>& excluded) {
  Search search(problem, inputs, allowed, actual, permits, excluded);
  take_in_turn(search, all_hypotheses(problem, search.wrong(), actual));
  const Failed failed{problem, inputs, allowed, actual, search.wrong()};
  // A copy has no operands, and no arithmetic that could explain it.
  const bool computes = problem.own_work() == nullptr;
  if (computes && search.may_go_on()) take_generic(search, failed);
  return search.explanations();
}

bool predicts(const Hypothesis& hypothesis, const Part* part, const Case& c,
              const TensorSet& inputs, const Allowance& allowed, const TensorSet& actual,
              const Comparison& found) {
  const Weighed weighed = weigh_in_part(hypothesis, c, inputs, allowed, actual, found.wrong, part);
  if (part == nullptr) return weighed.whole.exact(found.mismatches);
  const auto outside = [&](const auto& wrong) {
    return std::ranges::any_of(wrong.second,
                               [&](std::size_t i) { return !part->holds(wrong.first, i); });
  };
  return weighed.whole.explained == found.mismatches && weighed.contradicted_in_part == 0 &&
         std::ranges::none_of(found.wrong, outside);
}

}  // namespace halfmark::suites
