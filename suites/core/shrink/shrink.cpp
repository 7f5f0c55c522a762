// SPDX-License-Identifier: Apache-2.0
#include "suites/core/shrink/shrink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "reference/formats/classify.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/diagnose/generic_hypotheses.hpp"
#include "suites/core/execute/memory_fault.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/suite/describe.hpp"
#include "suites/core/suite/metamorphic.hpp"
#include "suites/core/suite/padding.hpp"
#include "suites/core/suite/promisor.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Format;
using Clock = std::chrono::steady_clock;

// Thrown to leave all loops at once; the best case so far remains valid.
struct Spent {
  const char* why;
};

struct Trial {
  DeviceResult got;
  TensorSet expected;
  Comparison comparison;
  bool same = false;  // fails in the required way
};

// Runs trials on the device: does a case with given operands still fail in the same way?
class Witness {
 public:
  Witness(Session& session, const Suite& suite, const Failure& failure, const ShrinkBudget& budget)
      : session_(session),
        suite_(suite),
        failure_(failure),
        budget_(budget),
        left_(budget.trials),
        end_(Clock::now() + budget.time) {}

  // From now on, a trial does not count if something permitted explains all of its wrong bits,
  // unless the failure is itself permitted. Of a failure that nothing explains, too. Restarts the
  // trial count.
  void weigh_freedoms() {
    weighs_freedoms_ = true;
    left_ = budget_.trials;
  }

  [[nodiscard]] bool fails(const Problem& problem, const TensorSet& inputs) {
    if (left_ == 0) throw Spent{"the budget of trials is spent"};
    if (Clock::now() >= end_) throw Spent{"the time is spent"};
    --left_;
    ++trials_;
    return run(problem, inputs).same;
  }

  // A shape that the suite refuses is not a smaller case.
  [[nodiscard]] bool fails(const Case& c) {
    try {
      const auto problem = suite_.bind(c);
      return fails(*problem, problem->inputs());
    } catch (const UsageError&) {
      return false;
    }
  }

  [[nodiscard]] Trial run(const Problem& problem, const TensorSet& inputs) {
    Trial trial;
    std::optional<Observation> observed = observe(session_, problem, inputs);
    if (!observed) return trial;
    trial.got = std::move(observed->got);
    if (trial.got.error && trial.got.error->device_lost)
      throw std::runtime_error(trial.got.error->text);
    if (trial.got.error || trial.got.not_supported) return trial;
    trial.same = is_same(problem, inputs, trial);
    if (failure_.of_relation) trial.same = breaks_relation(problem, observed->related, trial);
    return trial;
  }

  [[nodiscard]] std::uint64_t trials() const { return trials_; }

 private:
  // A class more specific than those of memory_fault() stands for any of them.
  [[nodiscard]] bool is_same_fault(std::string_view fault) const {
    constexpr std::string_view kPlain[] = {"out_of_bounds", "input_changed", "uninit", "race",
                                           "over_read"};
    const bool plain =
        std::find(std::begin(kPlain), std::end(kPlain), failure_.finding_class) != std::end(kPlain);
    return plain || !failure_.of_memory ? fault == failure_.finding_class : !fault.empty();
  }

  [[nodiscard]] bool is_same(const Problem& problem, const TensorSet& inputs, Trial& trial) const {
    const Expectation expected = problem.expect_beside(inputs, trial.got.outputs);
    trial.expected = expected.middle;
    const std::uint64_t bound = problem.row(session_.device().info()).bound_ulps;
    const Allowance allowed = allowance_of(problem, expected, bound);
    trial.comparison = compare(allowed, trial.got.outputs);
    std::string_view fault = memory_fault(trial.got);
    if (fault.empty() && only_padding(problem, trial.comparison.wrong)) fault = "out_of_bounds";
    if (failure_.of_memory || !fault.empty()) return is_same_fault(fault);
    if (trial.comparison.mismatches == 0) return false;
    if (failure_.hypothesis.empty() && !weighs_freedoms_) return true;
    const backends::DeviceInfo& device = session_.device().info();
    const Permits permits = permits_of(problem.row(device), promisor_of(problem, device));
    const std::vector<Hypothesis> all =
        all_hypotheses(problem, trial.comparison.wrong, trial.got.outputs);
    const auto weighed = [&](const Hypothesis& h) {
      return weigh(h, problem.c(), inputs, allowed, trial.got.outputs);
    };
    const std::uint64_t wrong = trial.comparison.mismatches;
    const auto is_left_open = [&] {
      return std::ranges::any_of(all, [&](const Hypothesis& h) {
        if (h.name == failure_.hypothesis || !permits(explanation_of(h))) return false;
        const Explanation e = weighed(h);
        return e.exact(wrong) && permits(e);
      });
    };
    if (failure_.hypothesis.empty()) return failure_.is_permitted || !is_left_open();
    const auto own = std::ranges::find(all, failure_.hypothesis, &Hypothesis::name);
    if (own == all.end()) return false;
    const Explanation e = weighed(*own);
    return e.exact(wrong) && (!weighs_freedoms_ || permits(e) || !is_left_open());
  }

  // For a trial whose first call was judged by itself.
  [[nodiscard]] bool breaks_relation(const Problem& problem, const TensorSet& related,
                                     Trial& trial) const {
    const std::optional<Relation> relation = problem.relation();
    const bool is_right = memory_fault(trial.got).empty() && trial.comparison.mismatches == 0;
    if (!relation || !is_right) return false;
    trial.expected = related_results(*relation, trial.got.outputs);
    trial.comparison = compare_related(trial.expected, related);
    return trial.comparison.mismatches > 0;
  }

  Session& session_;
  const Suite& suite_;
  const Failure& failure_;
  ShrinkBudget budget_;
  bool weighs_freedoms_ = false;
  std::uint64_t left_, trials_ = 0;
  Clock::time_point end_;
};

std::string with_number(const Axis& axis, const Case& c, char letter, std::uint64_t value) {
  std::string text;
  for (const char l : axis.letters)
    text += fmt::format("{}{}", l, l == letter ? value : c.number(axis.name, l));
  return text;
}

Case with_token(Case c, const Axis& axis, std::string text) {
  for (Token& token : c.tokens) {
    if (token.axis == axis.name) token.text = std::move(text);
  }
  return c;
}

// The smallest number for one letter that still fails, by bisection. Failing need not be monotone,
// so this is the smallest found, not the smallest possible.
void shrink_letter(Witness& witness, const Axis& axis, char letter, Case& best) {
  const auto at = [&](std::uint64_t value) {
    return with_token(best, axis, with_number(axis, best, letter, value));
  };
  std::uint64_t high = best.number(axis.name, letter);
  if (high <= 1) return;
  if (Case one = at(1); witness.fails(one)) {
    best = std::move(one);
    return;
  }
  for (std::uint64_t low = 1; high - low > 1;) {
    const std::uint64_t middle = low + (high - low) / 2;
    Case candidate = at(middle);
    if (witness.fails(candidate)) {
      best = std::move(candidate);
      high = middle;
    } else {
      low = middle;
    }
  }
}

void shrink_shape(Witness& witness, const Suite& suite, Case& best) {
  // Simple words first: they make every later trial cheaper and its result easier to read.
  for (const Axis& axis : suite.axes) {
    if (axis.simplest.empty() || best.word(axis.name) == axis.simplest) continue;
    Case candidate = with_token(best, axis, std::string(axis.simplest));
    if (witness.fails(candidate)) best = std::move(candidate);
  }
  // The range of one letter may depend on another: iterate until nothing changes.
  for (Case before; before != best;) {
    before = best;
    for (const Axis& axis : suite.axes) {
      for (const char letter : axis.letters) shrink_letter(witness, axis, letter, best);
    }
  }
}

struct Place {
  std::string tensor;
  std::size_t index = 0;
};

std::vector<Place> nonzero_places(const TensorSet& inputs) {
  std::vector<Place> places;
  for (const auto& [name, tensor] : inputs) {
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      if (tensor.at(i) != 0) places.push_back({name, i});
    }
  }
  return places;
}

// Delta debugging (Zeller, Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE
// TSE 28(2), 2002) on the nonzero elements: sets chunks of decreasing size to zero.
void zero_operands(Witness& witness, const Problem& problem, TensorSet& best) {
  std::vector<Place> places = nonzero_places(best);
  for (std::size_t chunk = places.size(); chunk > 0; chunk /= 2) {
    std::vector<Place> kept;
    for (std::size_t start = 0; start < places.size(); start += chunk) {
      const std::size_t end = std::min(start + chunk, places.size());
      TensorSet candidate = best;
      for (std::size_t i = start; i < end; ++i)
        candidate.at(places[i].tensor).set(places[i].index, 0);
      if (witness.fails(problem, candidate)) {
        best = std::move(candidate);
      } else {
        kept.insert(kept.end(), places.begin() + static_cast<std::ptrdiff_t>(start),
                    places.begin() + static_cast<std::ptrdiff_t>(end));
      }
    }
    places = std::move(kept);
  }
}

// Simpler encodings of one number, simplest first: one, then the number with increasingly many of
// its leading fraction bits. For an integer, only one.
std::vector<Bits> simpler(const Format& f, Bits bits, bool is_integer) {
  if (is_integer) return {1};
  std::vector<Bits> list{formats::one(f)};
  if (formats::is_finite(f, bits)) {
    for (int kept = 0; kept < f.fraction_bits; kept = kept == 0 ? 1 : 2 * kept) {
      const Bits cut = bits & ~(f.fraction_mask() >> kept);
      if (formats::magnitude(f, cut) == 0) continue;
      list.push_back(cut & ~f.sign_mask());
      list.push_back(cut);
    }
    list.push_back(bits & ~f.sign_mask());
  }
  return list;
}

void simplify_operands(Witness& witness, const Problem& problem, TensorSet& best) {
  for (const Place& place : nonzero_places(best)) {
    const formats::Tensor& tensor = best.at(place.tensor);
    const Bits bits = tensor.at(place.index);
    const bool is_integer = problem.holds_integers(place.tensor);
    for (const Bits candidate : simpler(*tensor.format, bits, is_integer)) {
      if (candidate == bits) break;
      TensorSet changed = best;
      changed.at(place.tensor).set(place.index, candidate);
      if (!witness.fails(problem, changed)) continue;
      best = std::move(changed);
      break;
    }
  }
}

}  // namespace

Failure failure_of(const CaseResult& failed) {
  Failure failure{.finding_class = failed.finding_class, .hypothesis = ""};
  failure.is_permitted = failed.standing == Standing::kDeviation;
  // Memory faults are judged before values, and have no explanations.
  failure.of_memory = failed.wrong.empty();
  failure.of_relation = !failure.of_memory && is_related(failed.wrong[0].tensor);
  if (failure.of_memory || failure.of_relation) return failure;
  const auto exact = std::ranges::find_if(
      failed.explanations, [&](const Explanation& e) { return e.exact(failed.mismatches); });
  // A smaller case has other parts, and generic hypotheses are specific to one failure.
  if (exact != failed.explanations.end() && !exact->in_part && !exact->is_generic)
    failure.hypothesis = exact->hypothesis;
  return failure;
}

nlohmann::json to_json(const Failure& failure) {
  return {{"class", failure.finding_class},
          {"hypothesis", failure.hypothesis},
          {"of_memory", failure.of_memory},
          {"of_relation", failure.of_relation},
          {"is_permitted", failure.is_permitted}};
}

Failure failure_from_json(const nlohmann::json& object) {
  return {.finding_class = object.at("class"),
          .hypothesis = object.at("hypothesis"),
          .of_memory = object.at("of_memory"),
          .of_relation = object.at("of_relation"),
          .is_permitted = object.at("is_permitted")};
}

namespace {

// For a case that is compared by digests: of the parts that the verdict looked at the first that
// fails, element by element; nothing if none does.
std::optional<Case> narrowed(Session& session, const Suite& suite, Witness& witness,
                             const Case& c) {
  const auto problem = suite.bind(c);
  const std::optional<Digested> digested = problem->digested();
  if (!digested) return c;
  const TensorSet inputs = problem->inputs();
  const DeviceResult got = execute(session, problem->plan(session.device().info()), inputs);
  if (got.error) throw std::runtime_error(got.error->text);
  const Comparison comparison =
      compare(problem->expect_beside(inputs, got.outputs).middle, got.outputs, 0);
  for (const auto& [name, elements] : comparison.wrong) {
    const auto parts = digested->parts(elements);
    for (const std::size_t i : parts_tried(parts.size())) {
      if (witness.fails(parts[i]->c())) return parts[i]->c();
    }
  }
  return std::nullopt;
}

struct Small {
  Case c;
  TensorSet inputs;
  std::string end;  // why the search ended
  bool is_listed = true;
};

std::optional<Small> made_small(Session& session, const Suite& suite, Witness& witness,
                                const Case& c) {
  Small best{.c = c, .inputs = {}, .end = "nothing smaller was found", .is_listed = true};
  try {
    const std::optional<Case> start = narrowed(session, suite, witness, c);
    if (!start || !witness.fails(*start)) return std::nullopt;
    best.c = *start;
    shrink_shape(witness, suite, best.c);
    const auto problem = suite.bind(best.c);
    best.inputs = problem->inputs();
    zero_operands(witness, *problem, best.inputs);
    simplify_operands(witness, *problem, best.inputs);
  } catch (const Spent& spent) {
    best.end = spent.why;
    if (best.inputs.empty()) best.inputs = suite.bind(best.c)->inputs();
  }
  // More elements are not a minimal set; the case then generates its own operands.
  constexpr std::size_t kMostListed = 64;
  best.is_listed = nonzero_places(best.inputs).size() <= kMostListed;
  if (!best.is_listed) best.inputs = suite.bind(best.c)->inputs();
  return best;
}

}  // namespace

std::optional<Reduction> shrink(Session& session, const Suite& suite, const Case& c,
                                const Failure& failure, const ShrinkBudget& budget) {
  Witness witness(session, suite, failure, budget);
  std::optional<Small> best = made_small(session, suite, witness, c);
  if (!best) return std::nullopt;
  // Hypotheses with freedoms are the majority and seldom matter: they are weighed at the end, and
  // in every trial only if one of them must then be excluded.
  witness.weigh_freedoms();
  Trial last = witness.run(*suite.bind(best->c), best->inputs);
  if (!last.same) {
    best = made_small(session, suite, witness, c);
    if (!best) return std::nullopt;
    last = witness.run(*suite.bind(best->c), best->inputs);
  }
  if (!last.same) return std::nullopt;  // it does not fail every time
  const auto problem = suite.bind(best->c);
  Reduction reduction;
  reduction.end = best->end;
  reduction.case_name = print(best->c);
  reduction.trials = witness.trials();
  if (best->is_listed) reduction.tensors = listed_operands(*problem, best->inputs);
  for (const Mismatch& m : last.comparison.shown) {
    const Format& format = *last.expected.at(m.tensor).format;
    reduction.wrong.push_back(describe_element(*problem, best->inputs, format, m));
  }
  return reduction;
}

}  // namespace halfmark::suites
