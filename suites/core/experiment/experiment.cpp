// SPDX-License-Identifier: Apache-2.0
#include "suites/core/experiment/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "suites/core/experiment/asked_case.hpp"
#include "suites/core/experiment/questions.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/judge/digest.hpp"
#include "suites/core/suite/metamorphic.hpp"
#include "suites/core/suite/promisor.hpp"

namespace halfmark::suites {
namespace {

// One explanation is left only after so many questions.
constexpr std::size_t kFewest = 4;
constexpr const char* kUnexplained = "no named arithmetic gives its bits";

enum class Prediction : std::uint8_t { kHolds, kMisses, kNone };

class Experimenter {
 public:
  Experimenter(Session& session, const Suite& suite, const Case& c, const CaseResult& failed,
               std::chrono::milliseconds time)
      : session_(session),
        suite_(suite),
        end_(std::chrono::steady_clock::now() + time),
        own_(suite, c, session.device().info()) {
    for (const Explanation& e : failed.explanations) {
      if (names_a_cause(e, failed.mismatches)) left_.push_back(e);
    }
    if (!own_.ask(session) || digest(own_.outputs()) != failed.digest) {
      done_.end = "on the same data the device now gives other results";
      return;
    }
    part_ = part_of(own_.problem(), own_.found().wrong, counts_of(own_.allowed().expected));
    ask_all();
    drop_stronger_claims();
  }

  [[nodiscard]] std::vector<Explanation> left() { return std::move(left_); }
  [[nodiscard]] Experiments done() { return std::move(done_); }

 private:
  void ask_all() {
    const backends::DeviceInfo& device = session_.device().info();
    const QuestionLimits limits = limits_for(own_.found().elements);
    if (limits.questions == 0) {
      done_.end = "the output is too large to be computed again";
      return;
    }
    for (const OtherData& data : other_data_for(suite_, own_.c(), device)) {
      if (is_over(limits)) return;
      auto asked = std::make_unique<AskedCase>(suite_, data.c, device);
      const bool is_needed = done_.asked.size() < kFewest || left_.size() < 2;
      if (is_needed || is_contested(*asked)) ask(data, std::move(asked));
    }
    std::size_t contests = 0;
    bool is_cut = false;
    for (const OtherData& data : contested_data_for(suite_, own_.c(), device)) {
      if (left_.size() < 2 || is_over(limits)) break;
      is_cut = contests++ == limits.contests;
      if (is_cut) break;
      auto answer = std::make_unique<AskedCase>(suite_, data.c, device);
      if (is_contested(*answer)) ask(data, std::move(answer));
    }
    if (is_over(limits)) return;
    done_.end = left_.size() == 1 ? "one explanation is left, and no more data are known"
                : is_cut ? "the number of data on which predictions are compared is limited"
                         : "no more data are known on which the explanations differ";
  }

  // Of a claim and a stronger one that includes it, only the first is known: conversions flush
  // subnormals, whether or not everything does.
  void drop_stronger_claims() {
    std::set<std::string> stronger;
    for (const Explanation& e : left_) {
      const Hypothesis* hypothesis = own_.hypothesis(e, own_);
      if (hypothesis == nullptr) continue;
      for (const std::string& weaker : hypothesis->implies) {
        if (std::ranges::find(left_, weaker, &Explanation::hypothesis) != left_.end())
          stronger.insert(e.hypothesis);
      }
    }
    if (stronger.empty()) return;
    std::erase_if(left_, [&](const Explanation& e) { return stronger.contains(e.hypothesis); });
    if (left_.size() == 1) done_.end = "one explanation is left";
  }

  // Whether nothing more is to be asked; says why.
  bool is_over(const QuestionLimits& limits) {
    if (is_settled()) return true;
    if (done_.asked.size() >= limits.questions) {
      done_.end = "the number of questions is limited";
      return true;
    }
    if (std::chrono::steady_clock::now() < end_) return false;
    done_.end = "the time is spent";
    return true;
  }

  // Whether explanations that are left differ about data that the device has not seen.
  [[nodiscard]] bool is_contested(AskedCase& blank) {
    std::optional<TensorSet> first;
    for (const Explanation& e : left_) {
      const Hypothesis* hypothesis = hypothesis_at(e, blank);
      if (hypothesis == nullptr) continue;
      TensorSet predicted = blank.prediction(*hypothesis, part_at(e));
      if (first && compare(*first, predicted, 0).mismatches > 0) return true;
      first = std::move(predicted);
    }
    return false;
  }

  // One explanation that has predicted wrong bits, or none.
  bool is_settled() {
    if (left_.empty()) {
      done_.end = "no explanation is left";
      return true;
    }
    if (left_.size() > 1 || done_.asked.size() < kFewest) return false;
    const std::string& name = left_.front().hypothesis;
    const bool confirmed = std::ranges::any_of(done_.asked, [&](const Question& q) {
      return std::ranges::find(q.confirms, name) != q.confirms.end();
    });
    if (confirmed) done_.end = "one explanation is left";
    return confirmed;
  }

  void ask(const OtherData& data, std::unique_ptr<AskedCase> answer) {
    if (!answer->ask(session_)) return;
    done_.asked.push_back({.case_name = print(data.c),
                           .wrong = answer->found().mismatches,
                           .confirms = {},
                           .excludes = {},
                           .remark = {}});
    answers_.push_back(std::move(answer));
    weigh_answer(*answers_.back(), done_.asked.back(), data.is_plain);
    if (left_.empty()) search_on();
  }

  [[nodiscard]] bool is_of_own_shape(const AskedCase& answer) const {
    return counts_of(answer.outputs()) == counts_of(own_.outputs()) &&
           counts_of(answer.inputs()) == counts_of(own_.inputs());
  }

  // Null: the explanation says nothing about these data.
  [[nodiscard]] const Hypothesis* hypothesis_at(const Explanation& e, AskedCase& answer) {
    if (e.in_part && (!part_ || !is_of_own_shape(answer))) return nullptr;
    const Hypothesis* hypothesis = answer.hypothesis(e, own_);
    // One with parameters read from the failure does not exist for other results.
    const bool is_read = hypothesis == nullptr && !e.is_generic;
    return is_read && is_of_own_shape(answer) ? own_.hypothesis(e, own_) : hypothesis;
  }
  [[nodiscard]] const Part* part_at(const Explanation& e) const {
    return e.in_part ? &*part_ : nullptr;
  }

  [[nodiscard]] Prediction prediction(const Explanation& e, AskedCase& answer) {
    const Hypothesis* hypothesis = hypothesis_at(e, answer);
    if (hypothesis == nullptr) return Prediction::kNone;
    return answer.follows(*hypothesis, part_at(e)) ? Prediction::kHolds : Prediction::kMisses;
  }

  // Compares the predictions of all explanations that are left with one answer. Returns those that
  // miss it.
  std::vector<Explanation> compare_with(AskedCase& answer, Question& question) {
    std::vector<Explanation> missing;
    for (const Explanation& e : left_) {
      const Prediction said = prediction(e, answer);
      if (said == Prediction::kHolds && question.wrong > 0)
        question.confirms.push_back(e.hypothesis);
      if (said == Prediction::kMisses) missing.push_back(e);
    }
    // A right result at another shape may come from another route.
    if (question.wrong == 0 && !is_of_own_shape(answer)) missing.clear();
    return missing;
  }

  void weigh_answer(AskedCase& answer, Question& question, bool is_plain) {
    const std::vector<Explanation> missing = compare_with(answer, question);
    if (missing.empty()) return;
    if (question.wrong == 0 || !question.confirms.empty()) return exclude(missing, question);
    if (!is_plain) {
      question.remark = "no explanation gives its bits; such data may show another defect";
      return;
    }
    weigh_rivals(answer, question, missing);
  }

  // Nothing that is left predicts the wrong bits of an answer on plain data.
  void weigh_rivals(AskedCase& answer, Question& question,
                    const std::vector<Explanation>& missing) {
    const std::vector<Explanation> others = answer.explanations(names_so_far());
    std::vector<Explanation> rivals;
    for (const Explanation& e : others) {
      const Hypothesis* hypothesis = e.in_part ? nullptr : own_.hypothesis(e, answer);
      if (hypothesis == nullptr) continue;
      Explanation here = own_.weighed(*hypothesis);
      here.sentence = e.sentence;  // which may say that others were not tried
      if (here.exact(own_.found().mismatches)) rivals.push_back(here);
    }
    if (rivals.empty() && !others.empty()) {
      question.remark = fmt::format("its bits show another defect: {}", others.front().sentence);
      return;
    }
    exclude(missing, question);
    for (Explanation& rival : rivals) {
      question.confirms.push_back(rival.hypothesis);
      left_.push_back(std::move(rival));
    }
    if (rivals.empty()) question.remark = kUnexplained;
  }

  // All announced explanations are excluded: tries those that the diagnosis did not need to try,
  // against all answers so far.
  void search_on() {
    left_ = own_.explanations(names_so_far());
    for (std::size_t i = 0; i < answers_.size() && !left_.empty(); ++i) {
      Question& question = done_.asked[i];
      const std::size_t before = question.confirms.size();
      const std::vector<Explanation> missing = compare_with(*answers_[i], question);
      const bool confirms = question.confirms.size() > before;
      if (question.wrong == 0 || confirms || question.remark == kUnexplained)
        exclude(missing, question);
      if (confirms) question.remark.clear();
    }
  }

  void exclude(const std::vector<Explanation>& missing, Question& question) {
    for (const Explanation& e : missing) {
      question.excludes.push_back(e.hypothesis);
      std::erase_if(left_, [&](const Explanation& l) { return l.hypothesis == e.hypothesis; });
      done_.excluded.push_back(e);
    }
  }

  // A generic hypothesis that is confined to a part may be the same with another number.
  [[nodiscard]] std::set<std::string> names_so_far() const {
    std::set<std::string> names;
    for (const auto* list : {&left_, &done_.excluded}) {
      for (const Explanation& e : *list) {
        names.insert(e.hypothesis);
        if (e.is_generic) names.insert(std::string(e.base()) + std::string(kInPart));
      }
    }
    return names;
  }

  Session& session_;
  const Suite& suite_;
  std::chrono::steady_clock::time_point end_;
  AskedCase own_;
  std::optional<Part> part_;
  std::vector<Explanation> left_;
  std::vector<std::unique_ptr<AskedCase>> answers_;  // to done_.asked, in the same order
  Experiments done_;
};

}  // namespace

bool can_be_tested(const CaseResult& failed) {
  return failed.verdict == Verdict::kFail && !failed.wrong.empty() &&
         !is_related(failed.wrong.front().tensor) &&
         std::ranges::any_of(failed.explanations, [&](const Explanation& e) {
           return names_a_cause(e, failed.mismatches);
         });
}

CaseResult tested(Session& session, const Suite& suite, const Case& c, CaseResult failed,
                  std::chrono::milliseconds time) {
  const auto problem = suite.bind(c);
  if (!can_be_tested(failed) || problem->digested() || problem->own_work() != nullptr)
    return failed;
  Experimenter experimenter(session, suite, c, failed, time);
  failed.explanations = experimenter.left();
  failed.experiments = experimenter.done();
  const backends::DeviceInfo& device = session.device().info();
  decide_standing(failed, problem->row(device), promisor_of(*problem, device));
  return failed;
}

}  // namespace halfmark::suites
