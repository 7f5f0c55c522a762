// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/modelled.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/inference/data.hpp"
#include "reference/inference/infer.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/gemm/identified_names.hpp"
#include "suites/gemm/long_sums.hpp"
#include "suites/gemm/modelled_error.hpp"
#include "suites/gemm/places.hpp"
#include "suites/gemm/probe.hpp"
#include "suites/gemm/scaling_probe.hpp"

namespace halfmark::suites::gemm {
namespace {

using inference::Agreement;
using inference::Inference;
using inference::Laboratory;
using inference::Observation;
using inference::Outcome;

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kLeastTerms = 3;  // of inference::infer
// The tree of more takes half a million sums.
constexpr std::size_t kMostTermsOfTrees = 96;
// Rows of the data of the case's shape, as long as they have few operands.
constexpr std::size_t kRows = 256;
constexpr std::size_t kMostOperands = std::size_t{1} << 18;
// The most calls with products of the case's own shape that an inference may make.
constexpr std::size_t kMostCalls = 4096;
// The number of questions on which competing orders of long sums are compared, where they differ.
constexpr std::uint64_t kContests = 8;

// Looks at every place of D, with seeds far from those of find_places().
constexpr std::size_t kLookedAt = 4096, kMostLooks = 6;
constexpr std::uint64_t kLooksSeed = 1 << 20;
// Twice the arithmetics that may be the usual one of places.
constexpr std::size_t kMostUsual = 8;

struct Candidate {
  inference::Hypothesis hypothesis;
  std::string found_at;  // empty: by this investigation
};

std::optional<Agreement> agreement_with(const inference::Hypothesis& h,
                                        std::span<const Observation> seen) {
  Agreement sum;
  try {
    for (const Observation& o : seen) {
      if (sum.whole()) sum += inference::agreement(o.d, predict(h, o.question));
    }
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // the tree of another number of products
  }
  return sum;
}

class Investigation {
 public:
  Investigation(Session& session, const Case& c)
      : session_(session),
        case_(c),
        bound_(bind(c)),
        tall_(session, c, ProbeShape::kTall),
        exact_(session, c, ProbeShape::kExact),
        terms_(bound_.problem.k) {}

  void run(std::span<const Identified> known, Identified& identified) {
    look_at_sums(known, identified);
    if (identified.named() && !is_unit(bound_.provider)) look_at_scaling(identified);
  }

 private:
  void look_at_sums(std::span<const Identified> known, Identified& identified) {
    look();
    if (holds(candidates_of(known), identified)) return;
    Inference found = inference::infer(tall_.subject(std::min(terms_, kProbedTerms)), kSeed);
    describe(found, identified);
    if (holds(candidates_of(found), identified)) return;
    if (look_at_places(found, known, identified)) return;
    if (terms_ > kProbedTerms &&
        (look_at_orders(found, identified) || look_at_all_terms(found, identified)))
      return;
    if (found.outcome == Outcome::kNamed && can_look_closer()) {
      found = inference::infer(exact_.subject(terms_), kSeed);
      describe(found, identified);
      if (holds(candidates_of(found), identified)) return;
    }
    conclude(found, identified);
  }

  // Orders of the rows and columns at the edges, beside what explains most places.
  bool look_at_places(const Inference& found, std::span<const Identified> known,
                      Identified& identified) {
    if (is_unit(bound_.provider) || found.outcome == Outcome::kNotRepeatable) return false;
    std::vector<inference::Hypothesis> usual;
    const auto add = [&](const inference::Hypothesis& h) {
      const bool differs = h.conversions != soft::Environment{} || h.described != nullptr;
      if (differs || h.arithmetic.accumulator == nullptr || usual.size() >= kMostUsual) return;
      if (!agreement_with(h, {seen_.data(), 1})) return;
      usual.insert(usual.end(), 2, h);
      usual.back().arithmetic.zero_last = true;
    };
    if (found.hypothesis) add(*found.hypothesis);
    for (const Identified& elsewhere : known) {
      const auto places = parse_places(without_scaling(elsewhere.arithmetic).first);
      if (places) add({places->usual, conversions_of(elsewhere)});
    }
    const auto places = find_places(
        usual, [&](std::uint64_t seed) { return answered(question_of_places(seed)); }, kSeed);
    if (!places) return false;
    set_hypothesis(identified, {places->places.usual, {}});
    identified.arithmetic = print(places->places);
    identified.others = places->others;
    identified.evidence =
        fmt::format("every bit of {} fresh sums at this shape, by place; tall: {}", places->outputs,
                    identified.evidence);
    return true;
  }

  [[nodiscard]] inference::Question question_of_places(std::uint64_t seed) const {
    const operators::GemmProblem& p = bound_.problem;
    return question_of_all(Laboratory(exact_.subject(terms_)), p.m, p.n, seed);
  }

  // The tree of a sum as long as the case's: a loop over blocks may leave its tail to another one.
  bool look_at_all_terms(const Inference& of_fewer, Identified& identified) {
    if (of_fewer.outcome != Outcome::kNamed || terms_ > kMostTermsOfTrees) return false;
    const Inference found = inference::infer(tall_.subject(terms_), kSeed);
    describe(found, identified);
    return holds(candidates_of(found), identified);
  }

  // Orders that occur only in long sums, derived from what was found for short ones.
  bool look_at_orders(const Inference& found, Identified& identified) {
    if (found.outcome == Outcome::kNotRepeatable || found.outcome == Outcome::kNotUniform)
      return false;
    std::vector<inference::Hypothesis> chains, orders;
    for (const Candidate& candidate : candidates_of(found)) chains.push_back(candidate.hypothesis);
    orders = orders_explaining(seen_, chains);
    for (std::uint64_t i = 1; i <= kContests && !orders.empty(); ++i) {
      const auto question = question_at(kSeed + i);
      const auto expected = predict(orders[0], question);
      // The first question is always asked: among so many orders one may fit the observations
      // by chance.
      const bool differ = std::ranges::any_of(orders, [&](const inference::Hypothesis& h) {
        return !inference::agreement(expected, predict(h, question)).whole();
      });
      if (i > 1 && !differ) continue;
      seen_.push_back(answered(question));
      std::erase_if(orders, [&](const inference::Hypothesis& h) {
        return !agreement_with(h, {&seen_.back(), 1})->whole();
      });
    }
    std::vector<Candidate> candidates;
    for (inference::Hypothesis& h : orders) candidates.push_back({std::move(h), ""});
    if (candidates.empty()) return false;
    identified.others.clear();
    identified.evidence = fmt::format("products of {} terms: {}", kProbedTerms,
                                      found.name.empty() ? to_string(found.outcome) : found.name);
    return holds(candidates, identified);
  }

  // If several ways explain every bit, the name has the first, and `others` has the rest.
  void look_at_scaling(Identified& identified) const {
    const auto sums = parse_places(identified.arithmetic);
    ScalingFound found;
    try {
      found = find_scaling(session_, case_, *sums, conversions_of(identified), rows(), kSeed);
    } catch (const NotOffered& declined) {
      identified.observed.push_back(fmt::format("scaling unknown: {}", declined.what()));
      return;
    }
    if (found.explaining.empty()) {
      identified.observed.push_back(fmt::format(
          "scaling none: no named one explains {} outputs with alpha and beta", found.outputs));
      return;
    }
    identified.arithmetic = name_of(case_, *sums, found.explaining.front());
    identified.evidence += fmt::format("; every bit of {} more with alpha and beta", found.outputs);
    for (const WayToScale& other : std::span(found.explaining).subspan(1))
      identified.others.push_back(with_reason(name_of(case_, *sums, other), {}));
  }

  // Observes data of the case's shape, of a library in every place of D.
  void look() {
    seen_.push_back(answered(question_at(kSeed)));
    if (is_unit(bound_.provider) || bound_.problem.n <= inference::kColumns) return;
    const std::size_t looks = kLookedAt / (bound_.problem.m * bound_.problem.n);
    for (std::uint64_t i = 1; i <= std::clamp<std::size_t>(looks, 1, kMostLooks); ++i)
      seen_.push_back(answered(question_of_places(kLooksSeed + i)));
  }

  [[nodiscard]] inference::Question question_at(std::uint64_t seed) const {
    return inference::random_question(Laboratory(exact_.subject(terms_)), rows(), seed);
  }
  [[nodiscard]] Observation answered(const inference::Question& question) const {
    return {question, Laboratory(exact_.subject(terms_)).ask(question, false)};
  }

  [[nodiscard]] std::size_t rows() const {
    return std::clamp<std::size_t>(kMostOperands / terms_, inference::kColumns, kRows);
  }

  [[nodiscard]] static std::vector<Candidate> candidates_of(std::span<const Identified> known) {
    std::vector<Candidate> list;
    for (const Identified& found : known) {
      if (!found.named()) continue;
      std::vector<std::string> names{found.arithmetic};
      for (const std::string& other : found.others) names.push_back(name_in(other));
      for (const std::string& name : names) {
        const auto h = hypothesis_of(found, name);
        const bool twice = h && std::ranges::any_of(list, [&](const Candidate& x) {
                             return x.hypothesis.arithmetic == h->arithmetic &&
                                    x.hypothesis.conversions == h->conversions;
                           });
        if (h && !twice) list.push_back({*h, found.shape});
      }
    }
    return list;
  }

  [[nodiscard]] static std::vector<Candidate> candidates_of(const Inference& found) {
    std::vector<Candidate> list;
    if (found.outcome != Outcome::kNamed) return list;
    list.push_back({*found.hypothesis, ""});
    for (const inference::Equivalent& other : found.equivalents) {
      const auto arithmetic = models::parse_arithmetic(other.name);
      if (arithmetic) list.push_back({{*arithmetic, {}}, ""});
    }
    return list;
  }

  // Takes the first candidate that explains every bit at the case's shape; others that do are kept
  // next to it, those that do not are dropped.
  bool holds(const std::vector<Candidate>& candidates, Identified& identified) const {
    const Candidate* winner = nullptr;
    std::vector<std::string> others;
    std::size_t outputs = 0;
    for (const Candidate& candidate : candidates) {
      const auto sum = agreement_with(candidate.hypothesis, seen_);
      if (!sum || !sum->whole()) continue;
      if (winner != nullptr) {
        others.push_back(with_reason(print(candidate.hypothesis), identified.others));
        continue;
      }
      winner = &candidate;
      outputs = sum->outputs;
    }
    if (winner == nullptr) return false;
    set_hypothesis(identified, winner->hypothesis);
    identified.others = std::move(others);
    identified.evidence =
        fmt::format("every bit of {} fresh sums at this shape{}{}", outputs,
                    identified.evidence.empty() ? "" : "; " + identified.evidence,
                    winner->found_at.empty() ? "" : fmt::format("; found at {}", winner->found_at));
    return true;
  }

  [[nodiscard]] bool can_look_closer() const {
    // The tree takes about this many rows, m at a time.
    const std::size_t rows = terms_ * terms_ * terms_ / 2;
    return terms_ <= kProbedTerms && rows / bound_.problem.m <= kMostCalls;
  }

  static void describe(const Inference& found, Identified& identified) {
    identified.others.clear();
    identified.observed.clear();
    for (const inference::Equivalent& other : found.equivalents)
      identified.others.push_back(fmt::format("{} ({})", other.name, other.reason));
    if (found.structure.tree) identified.observed.push_back("tree " + print(*found.structure.tree));
    for (const inference::Finding& finding : found.findings)
      identified.observed.push_back(
          fmt::format("{} {}: {}", finding.name, finding.value, finding.detail));
    identified.evidence =
        fmt::format("{} of {} probed sums explained in {} calls", found.agreement.equal_outputs,
                    found.agreement.outputs, found.calls);
  }

  void conclude(const Inference& found, Identified& identified) const {
    switch (found.outcome) {
      case Outcome::kNamed:
        identified.identity = Identity::kUnexplained;
        identified.evidence =
            fmt::format("{} explains tall products of {} terms, and not this shape", found.name,
                        std::min(terms_, kProbedTerms));
        identified.others = {found.name + " (tall products)"};
        break;
      case Outcome::kDescribed:
        identified.identity = Identity::kDescribed;
        identified.arithmetic = found.name;
        break;
      case Outcome::kUnexplained:
        identified.identity = Identity::kUnexplained;
        identified.evidence =
            found.name.empty()
                ? "no arithmetic came near"
                : fmt::format("the nearest, {}, explains {} of {} probed sums", found.name,
                              found.agreement.equal_outputs, found.agreement.outputs);
        break;
      case Outcome::kNotRepeatable:
        identified.identity = Identity::kNotRepeatable;
        identified.evidence = "the same product had different answers";
        break;
      case Outcome::kNotUniform:
        identified.identity = Identity::kNotUniform;
        identified.evidence = "an output depends on its place in the matrix";
        break;
    }
    identified.evidence += "; " + error_text(seen_, bound_);
  }

  Session& session_;
  const Case& case_;
  Binding bound_;
  Probe tall_, exact_;
  std::size_t terms_;
  std::vector<Observation> seen_;
};

// Everything but the variant and the data.
std::string key(const Case& c) {
  const Binding bound = bind(c);
  if (bound.is_portable() || bound.problem.k < kLeastTerms || bound.fill == "related" ||
      contract_row_of(bound).tier != Tier::kBounded)
    return {};
  std::string name = c.suite;
  for (const Token& token : c.tokens) {
    if (token.axis != "variant" && token.axis != "fill") name += "." + token.text;
  }
  return name;
}

Identified identify(Session& session, const Case& c, std::span<const Identified> known) {
  const Binding bound = bind(c);
  Identified identified{
      .key = key(c),
      .suite = c.suite,
      .provider = bound.provider,
      .formats = fmt::format("{}.{}.{}", c.word("format"), c.word("accumulator"), c.word("output")),
      .shape = fmt::format("{}.{}", c.word("layout"), c.word("shape"))};
  const auto* library = provider_library(session.device().info(), bound.provider, "gemm");
  if (library != nullptr)
    identified.library = fmt::format("{} {}", library->name, library->version);
  try {
    Investigation(session, c).run(known, identified);
  } catch (const NotOffered& declined) {
    identified.identity = Identity::kNotOffered;
    identified.evidence = declined.what();
  }
  return identified;
}

Expectation refer(const Case& c, const TensorSet& inputs, const Identified& found) {
  Binding bound = bind(c);
  const auto [name, scaling] = without_scaling(found.arithmetic);
  const auto places = parse_places(name);
  if (!places)
    throw std::invalid_argument(fmt::format("'{}' names no arithmetic", found.arithmetic));
  const bool adds_c = bound.has_c() && bound.problem.alpha == formats::one(formats::kFp32) &&
                      bound.problem.beta == bound.problem.alpha;
  if (is_unit(bound.provider) && adds_c) bound.problem.alpha = bound.problem.beta = std::nullopt;
  models::Machine machine;
  machine.convert = conversions_of(found);
  const Operands operands = operands_of(bound, inputs);
  const operators::GemmProblem& p = bound.problem;
  return stored_output(bound, inputs,
                       by_place(*places, p, p.m, p.n, [&](const models::Arithmetic& x) {
                         return evaluate(bound, operands, x, machine, scaling);
                       }));
}

}  // namespace

const Modelling& modelling() {
  static const Modelling kModelling{
      .row = &modelled_row(), .key = key, .identify = identify, .refer = refer};
  return kModelling;
}

}  // namespace halfmark::suites::gemm
