// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reference/inference/data.hpp"
#include "reference/inference/directed.hpp"

namespace halfmark::inference {
namespace {

constexpr std::size_t kTrainingRows = 96;
constexpr std::size_t kScreenRows = 12;
constexpr std::size_t kConfirmingRows = 256;
constexpr int kConfirmingCalls = 3;
// The predictions spent on comparing survivors: random questions times survivors.
constexpr std::size_t kContests = 512;
constexpr std::size_t kMostSurvivors = 64;

// The question with the rows of A and the columns of B in reverse order.
Question turned(const Question& q) {
  Question t = q;
  const auto& p = q.problem;
  for (std::size_t i = 0; i < p.m; ++i) {
    for (std::size_t x = 0; x < p.k; ++x) t.a.set(i * p.k + x, q.a.at((p.m - 1 - i) * p.k + x));
  }
  for (std::size_t x = 0; x < p.k; ++x) {
    for (std::size_t j = 0; j < p.n; ++j) t.b.set(x * p.n + j, q.b.at(x * p.n + p.n - 1 - j));
  }
  for (std::size_t i = 0; i < q.c.count(); ++i) t.c.set(i, q.c.at(q.c.count() - 1 - i));
  return t;
}

Observation first_rows(const Observation& whole, std::size_t rows) {
  Observation part = whole;
  GemmProblem& p = part.question.problem;
  p.m = rows;
  const auto cut = [](Tensor& t, std::size_t count) {
    if (t.format != nullptr) t.bytes.resize(count * t.format->storage_bytes());
  };
  cut(part.question.a, p.a_count());
  cut(part.question.c, p.c_count());
  cut(part.d, p.d_count());
  return part;
}

bool is_reverse(const Tensor& x, const Tensor& y) {
  for (std::size_t i = 0; i < x.count(); ++i) {
    if (x.at(i) != y.at(y.count() - 1 - i)) return false;
  }
  return true;
}

bool same_numbers(const models::Unit& x, const models::Unit& y) {
  return x.rule == y.rule && x.block == y.block && x.fraction_bits == y.fraction_bits &&
         x.kept_bits == y.kept_bits && x.rounding == y.rounding &&
         x.zero_exponent == y.zero_exponent && *x.output == *y.output;
}

class Search {
 public:
  Search(Laboratory& laboratory, std::uint64_t seed) : laboratory_(laboratory), seeds_(seed) {}

  // Checks the box's behaviour before asking about its arithmetic.
  std::optional<Outcome> misbehaviour() {
    const Question question = random_question(laboratory_, kTrainingRows, next_seed());
    const Tensor first = laboratory_.ask(question, true);
    screen_ = first_rows({question, first}, kScreenRows);
    for (int repeat = 0; repeat < 2; ++repeat) {
      if (laboratory_.ask(question, false) != first) return Outcome::kNotRepeatable;
    }
    const Question other_way = turned(question);
    if (!is_reverse(first, laboratory_.ask(other_way, false))) return Outcome::kNotUniform;
    return std::nullopt;
  }

  // Fills in everything about the arithmetic.
  void run(Inference& result) {
    if (result.structure.tree) tree_ = &*result.structure.tree;
    if (tree_ == nullptr) {
      for (const Question& question : directed_questions(laboratory_))
        laboratory_.ask(question, true);
    }
    known_ = recorded();
    for (int stage = 0; stage < kStages; ++stage) {
      survivors_.clear();
      for (Hypothesis& x : hypotheses(laboratory_.subject(), tree_, stage)) consider(std::move(x));
      hold_contests();
      if (!survivors_.empty() && confirmed(result)) return;
    }
    result.outcome = Outcome::kUnexplained;
    if (!best_) return;
    result.hypothesis = best_;
    result.name = print(*best_);
    result.agreement = on_record(*best_, 0, recorded(), false);
  }

 private:
  // Questions share no data: a stream of words whose seeds are neighbours would only be shifted.
  std::uint64_t next_seed() { return seeds_.word(); }

  // The agreement over the record from `begin` to `end`; `stop`: stops at the first
  // unexplained answer.
  Agreement on_record(const Hypothesis& x, std::size_t begin, std::size_t end, bool stop) const {
    Agreement sum;
    for (std::size_t i = begin; i < end; ++i) {
      const Observation& o = laboratory_.record()[i];
      sum += agreement(o.d, predict(x, o.question));
      if (stop && !sum.whole()) break;
    }
    return sum;
  }
  [[nodiscard]] std::size_t recorded() const { return laboratory_.record().size(); }

  void consider(Hypothesis x) {
    // Most hypotheses are wrong, and a few rows are enough to show it.
    const Agreement screened = agreement(screen_.d, predict(x, screen_.question));
    if (best_ && screened.equal_outputs < best_screened_) return;
    best_screened_ = screened.equal_outputs;
    // Candidates compete on the answers known before the first stage; ties go to the earlier stage.
    const Agreement first = on_record(x, 0, known_, true);
    if (!best_ || first.equal_outputs > best_equal_) {
      best_ = x;
      best_equal_ = first.equal_outputs;
    }
    const bool whole = first.whole() && on_record(x, known_, recorded(), true).whole();
    if (whole && survivors_.size() < kMostSurvivors) survivors_.push_back(std::move(x));
  }

  // Asks the box where survivors differ, until no random data separates them.
  void hold_contests() {
    for (std::size_t work = 0; work < kContests && survivors_.size() > 1;
         work += survivors_.size()) {
      const Question question = random_question(laboratory_, kTrainingRows, next_seed());
      const Tensor expected = predict(survivors_[0], question);
      const bool differ = std::any_of(
          survivors_.begin() + 1, survivors_.end(),
          [&](const Hypothesis& x) { return !agreement(expected, predict(x, question)).whole(); });
      if (!differ) continue;
      const Tensor d = laboratory_.ask(question, true);
      std::erase_if(survivors_, [&](const Hypothesis& x) {
        return !agreement(d, predict(x, question)).whole();
      });
    }
  }

  bool confirmed(Inference& result) {
    const Hypothesis& winner = survivors_[0];
    Agreement sum;
    for (int call = 0; call < kConfirmingCalls; ++call) {
      const Question question = random_question(laboratory_, kConfirmingRows, next_seed());
      const Tensor d = laboratory_.ask(question, true);
      sum += agreement(d, predict(winner, question));
    }
    if (!sum.whole()) {
      survivors_.erase(survivors_.begin());
      if (survivors_.empty()) return false;
      std::erase_if(survivors_, [&](const Hypothesis& x) {
        return !on_record(x, 0, recorded(), true).whole();
      });
      return !survivors_.empty() && confirmed(result);
    }
    result.outcome = winner.described ? Outcome::kDescribed : Outcome::kNamed;
    result.hypothesis = winner;
    result.name = print(winner);
    result.agreement = sum;
    for (std::size_t i = 1; i < survivors_.size(); ++i) {
      result.equivalents.push_back({print(survivors_[i]), reason(winner, survivors_[i])});
    }
    return true;
  }

  // Whether the tree was measured and the two orders have the same.
  [[nodiscard]] bool same_tree(const models::Order& x, const models::Order& y) const {
    const Subject& subject = laboratory_.subject();
    const bool addend = subject.c != nullptr;
    return tree_ != nullptr && tree_of(x, subject.k, addend) == tree_of(y, subject.k, addend);
  }

  [[nodiscard]] std::string reason(const Hypothesis& x, const Hypothesis& y) const {
    const Subject& subject = laboratory_.subject();
    const models::Arithmetic& a = x.arithmetic;
    const models::Arithmetic& b = y.arithmetic;
    if (a.unit != nullptr && b.unit != nullptr && same_numbers(*a.unit, *b.unit)) {
      return a.order == b.order ? "units with the same rule and numbers"
                                : fmt::format("the same partial sums of {} products", subject.k);
    }
    const bool in_steps = a.accumulator != nullptr && a.accumulator == b.accumulator;
    if (in_steps && a.order == b.order && a.step != b.step &&
        subject.a->precision() + subject.b->precision() <= a.accumulator->precision()) {
      return fmt::format("products of {} and {} are exact in {}", subject.a->name, subject.b->name,
                         a.accumulator->name);
    }
    if (in_steps && a.order != b.order && same_tree(a.order, b.order))
      return fmt::format("the same tree over {} products", subject.k);
    return "none of the data tried distinguishes them";
  }

  Laboratory& laboratory_;
  const SumTree* tree_ = nullptr;  // null if it could not be measured
  Random seeds_;
  std::vector<Hypothesis> survivors_;
  std::optional<Hypothesis> best_;
  std::size_t best_equal_ = 0;
  Observation screen_;
  std::size_t known_ = 0;  // answers recorded before the first stage
  std::size_t best_screened_ = 0;
};

struct OutcomeRow {
  Outcome outcome;
  std::string_view name;
};
constexpr std::array kOutcomes{
    OutcomeRow{Outcome::kNamed, "named"},
    OutcomeRow{Outcome::kDescribed, "described"},
    OutcomeRow{Outcome::kUnexplained, "unexplained"},
    OutcomeRow{Outcome::kNotRepeatable, "not_repeatable"},
    OutcomeRow{Outcome::kNotUniform, "not_uniform"},
};

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  return std::find_if(kOutcomes.begin(), kOutcomes.end(),
                      [&](const OutcomeRow& row) { return row.outcome == outcome; })
      ->name;
}

Inference infer(const Subject& subject, std::uint64_t seed) {
  require(subject.a != nullptr && subject.b != nullptr && subject.d != nullptr,
          "infer needs the formats of A, B and D");
  require(subject.k >= kShortest && subject.k <= kLongest,
          fmt::format("infer takes sums of {} to {} products", kShortest, kLongest));
  Laboratory laboratory(subject);
  Search search(laboratory, seed);
  Inference result;
  if (const auto misbehaviour = search.misbehaviour()) {
    result.outcome = *misbehaviour;
  } else {
    result.findings = special_findings(laboratory);
    result.structure = find_structure(laboratory);
    record_structure(laboratory, result.structure);
    const std::vector<Finding> rounding = rounding_findings(laboratory, result.structure);
    result.findings.insert(result.findings.end(), rounding.begin(), rounding.end());
    search.run(result);
  }
  result.calls = laboratory.calls();
  return result;
}

}  // namespace halfmark::inference
