// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/recipe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>

#include "reference/fast/parallel.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/core/identify/device_functions.hpp"
#include "suites/core/identify/recipe_match.hpp"
#include "suites/core/identify/recipe_names.hpp"

namespace halfmark::suites {
namespace {

// Seeds of the probes, far from the seeds that users choose.
constexpr std::uint64_t kFirstSeed = 0x6d6f64656c000000;
constexpr std::uint64_t kConfirmations = 2;
// Data on which survivors may differ: this many operands, counted once per survivor, determine the
// number of contests between the limits below.
constexpr std::size_t kContestedOperands = std::size_t{1} << 19;
constexpr std::size_t kLeastContests = 2;
constexpr std::size_t kMostContests = 64;
constexpr std::size_t kOthersTold = 8;
constexpr std::size_t kRecipesOfARange = 512;

struct Observation {
  Case c;
  TensorSet inputs, outputs;
};

// The private case number `number`, not run yet.
Observation question(const RecipeSpace& space, Case c, std::string_view fill,
                     std::uint64_t number) {
  for (Token& token : c.tokens) {
    if (token.axis == "fill") token.text = std::string(fill);
  }
  c.seed = kFirstSeed + number;
  TensorSet inputs = space.suite().bind(c)->inputs();
  return {std::move(c), std::move(inputs), {}};
}

// Runs the case on the device. False: two identical calls gave different results.
bool ask(const RecipeSpace& space, Session& session, Observation& seen) {
  const Plan plan = space.suite().bind(seen.c)->plan(session.device().info());
  if (plan.no_provider) throw NotOffered(*plan.no_provider);
  DeviceResult got = execute(session, plan, seen.inputs);
  if (got.not_supported) throw NotOffered(*got.not_supported);
  if (got.error) throw std::runtime_error(got.error->text);
  seen.outputs = std::move(got.outputs);
  return got.unrepeated.empty();
}

// The search for one part's answers.
class Search {
 public:
  Search(const RecipeSpace& space, std::size_t number, RecipePart part, OwnFunctions* functions)
      : space_(space), number_(number), part_(std::move(part)), functions_(functions) {}

  [[nodiscard]] bool found() const { return !survivors_.empty(); }
  [[nodiscard]] std::string name() const { return name_of(part_, survivors_.at(0)); }
  [[nodiscard]] std::size_t explained() const { return explained_; }

  [[nodiscard]] std::vector<std::string> others() const {
    std::vector<std::string> list;
    for (std::size_t i = 1; i < survivors_.size() && list.size() < kOthersTold; ++i)
      list.push_back(name_of(part_, survivors_[i]) + " (no data told them apart)");
    if (survivors_.size() > 1 + kOthersTold)
      list.push_back(fmt::format("{} more", survivors_.size() - 1 - kOthersTold));
    return list;
  }

  [[nodiscard]] std::string failure() const {
    return fmt::format("no recipe gives {}: the nearest, {}, misses the element after {}",
                       fmt::join(part_.outputs, ", "), nearest_, nearest_share_);
  }

  // Earlier findings are tried first, then exactness, then recipes; but exactness last if the
  // library was not exact elsewhere.
  void screen(const Observation& first, std::span<const Identified> known) {
    for (const auto& [name, tensor] : first.inputs) operands_ += tensor.count();
    const auto evaluation = space_.evaluation(first.c, first.inputs, number_, functions_);
    HeldRecipe held(*evaluation, part_, first.outputs);
    const auto consider = [&](const Answers& answers) {
      take(screened(held, std::span(&answers, 1)));
    };
    for (const Identified& found : known) {
      const auto answers = answers_in(found.arithmetic, part_);
      if (!answers || std::ranges::count(survivors_, *answers) > 0) continue;
      if (!are_exact(*answers) || evaluation->knows_exact()) consider(*answers);
    }
    const bool was_exact = std::ranges::any_of(known, [&](const Identified& found) {
      return answers_in(found.arithmetic, part_) == exact_answers();
    });
    const bool tries_exactness = evaluation->knows_exact() && !was_exact;
    if (tries_exactness && known.empty()) consider(exact_answers());
    screen_all(first);
    if (tries_exactness && !known.empty()) consider(exact_answers());
  }

  // Eliminates recipes that miss a bit of the observation; if none is left, notes the nearest.
  void hold_against(const Observation& seen) {
    const auto evaluation = space_.evaluation(seen.c, seen.inputs, number_, functions_);
    HeldRecipe held(*evaluation, part_, seen.outputs);
    Screened result = screened(held, survivors_);
    if (result.survivors.empty() && result.nearest != nullptr)
      note(*result.nearest, result.share_of_nearest);
    explained_ = std::max(explained_, result.explained);
    survivors_ = std::move(result.survivors);
  }

  // The same, unless nothing would survive.
  void tell_apart(const Observation& seen) {
    std::vector<Answers> before = survivors_;
    const std::size_t explained = explained_;
    hold_against(seen);
    explained_ = explained;  // of ordinary data
    if (survivors_.empty()) survivors_ = std::move(before);
  }

  // Whether survivors differ on this case; it need not have run on the device.
  [[nodiscard]] bool is_contested(const Observation& blank) const {
    return do_differ(survivors_, blank);
  }
  // Whether exactness differs from the first recipe.
  [[nodiscard]] bool is_exactness_contested(const Observation& blank) const {
    if (!has_rival_of_exactness()) return false;
    const std::size_t rival = are_exact(survivors_[0]) ? 1 : 0;
    return do_differ({exact_answers(), survivors_[rival]}, blank);
  }

  [[nodiscard]] std::size_t contests() const {
    return survivors_.size() < 2 ? 0 : contests_of(survivors_.size());
  }
  [[nodiscard]] std::size_t contests_of_exactness() const {
    return has_rival_of_exactness() ? contests_of(2) : 0;
  }

 private:
  [[nodiscard]] bool has_rival_of_exactness() const {
    return survivors_.size() > 1 && std::ranges::count(survivors_, exact_answers()) > 0;
  }
  [[nodiscard]] std::size_t contests_of(std::size_t rivals) const {
    const std::size_t work = std::max<std::size_t>(operands_ * rivals, 1);
    return std::clamp(kContestedOperands / work, kLeastContests, kMostContests);
  }
  [[nodiscard]] bool do_differ(const std::vector<Answers>& rivals, const Observation& blank) const {
    if (rivals.size() < 2) return false;
    const auto evaluation = space_.evaluation(blank.c, blank.inputs, number_, functions_);
    TensorSet first = blank.outputs;
    write(*evaluation, part_, rivals[0], first);
    HeldRecipe held(*evaluation, part_, first);
    return std::any_of(rivals.begin() + 1, rivals.end(),
                       [&](const Answers& answers) { return !held.share_of(answers).whole; });
  }

  void note(const Answers& answers, const Share& share) {
    nearest_ = name_of(part_, answers);
    nearest_share_ = share.elements;
  }

  // Some recipes against one observation.
  struct Screened {
    std::vector<Answers> survivors;
    const Answers* nearest = nullptr;
    Share share_of_nearest;
    std::size_t explained = 0;
  };
  [[nodiscard]] static Screened screened(HeldRecipe& held, std::span<const Answers> recipes) {
    Screened result;
    for (const Answers& answers : recipes) {
      const Share share = held.share_of(answers);
      if (result.nearest == nullptr || share.elements > result.share_of_nearest.elements) {
        result.nearest = &answers;
        result.share_of_nearest = share;
      }
      if (!share.whole) continue;
      result.survivors.push_back(answers);
      result.explained = share.elements;
    }
    return result;
  }

  void take(Screened result) {
    if (result.nearest == nullptr) return;
    if (nearest_.empty() || result.share_of_nearest.elements > nearest_share_)
      note(*result.nearest, result.share_of_nearest);
    if (result.survivors.empty()) return;
    explained_ = result.explained;
    survivors_.insert(survivors_.end(), std::make_move_iterator(result.survivors.begin()),
                      std::make_move_iterator(result.survivors.end()));
  }

  // All recipes but the survivors so far, on all threads. Neighbours in the list share sums, so a
  // thread takes a range of it.
  void screen_all(const Observation& first) {
    std::vector<Answers> all = all_answers(part_);
    std::erase_if(
        all, [&](const Answers& answers) { return std::ranges::count(survivors_, answers) > 0; });
    const std::size_t ranges = (all.size() + kRecipesOfARange - 1) / kRecipesOfARange;
    std::vector<Screened> results(ranges);
    const fast::Options options;
    fast::for_each_part(ranges, options.threads, fast::Direction::kNearEven, [&](std::size_t i) {
      const auto evaluation = space_.evaluation(first.c, first.inputs, number_, functions_);
      HeldRecipe held(*evaluation, part_, first.outputs);
      const std::size_t begin = i * kRecipesOfARange;
      results[i] = screened(
          held, std::span(all).subspan(begin, std::min(kRecipesOfARange, all.size() - begin)));
    });
    for (Screened& result : results) take(std::move(result));
  }

  const RecipeSpace& space_;
  std::size_t number_;
  RecipePart part_;
  OwnFunctions* functions_;
  std::vector<Answers> survivors_;
  std::string nearest_;
  std::size_t nearest_share_ = 0, explained_ = 0, operands_ = 0;
};

class Investigation {
 public:
  Investigation(const RecipeSpace& space, Session& session, const Case& c, OwnFunctions* functions)
      : space_(space), session_(session), case_(c) {
    std::size_t number = 0;
    for (RecipePart& part : space.parts(c, functions))
      searches_.emplace_back(space, number++, std::move(part), functions);
  }

  void run(std::span<const Identified> known, Identified& identified) {
    Observation first = ordinary_question();
    if (!asked(first, identified)) return;
    for (Search& search : searches_) search.screen(first, known);
    if (!hold_contests(first, identified) || !tell_apart(first, identified)) return;
    for (std::uint64_t i = 0; i < kConfirmations; ++i) {
      Observation seen = ordinary_question();
      if (!asked(seen, identified)) return;
      for (Search& search : searches_) search.hold_against(seen);
    }
    conclude(identified);
  }

 private:
  bool asked(Observation& seen, Identified& identified) {
    if (ask(space_, session_, seen)) return true;
    identified.identity = Identity::kNotRepeatable;
    identified.evidence = "the same call had different answers";
    return false;
  }

  Observation ordinary_question() {
    return question(space_, case_, space_.probe_fill(case_), next_++);
  }

  // Runs cases of unusual data on which survivors differ.
  bool tell_apart(const Observation& first, Identified& identified) {
    for (const std::string_view fill : space_.revealing_fills(case_)) {
      Observation blank = question(space_, case_, fill, next_++);
      blank.outputs = first.outputs;
      if (!is_contested(blank, &Search::is_contested)) continue;
      if (!asked(blank, identified)) return false;
      for (Search& search : searches_) search.tell_apart(blank);
    }
    return true;
  }

  [[nodiscard]] bool is_contested(const Observation& blank,
                                  bool (Search::*contested)(const Observation&) const) const {
    return std::ranges::any_of(searches_, [&](const Search& s) { return (s.*contested)(blank); });
  }

  // Runs the cases on which survivors differ. Many recipes coincide with exact rounding where the
  // output is narrow, so that pair is compared on more data.
  bool hold_contests(const Observation& first, Identified& identified) {
    return hold_contests(first, &Search::contests, &Search::is_contested, identified) &&
           hold_contests(first, &Search::contests_of_exactness, &Search::is_exactness_contested,
                         identified);
  }

  bool hold_contests(const Observation& first, std::size_t (Search::*number)() const,
                     bool (Search::*contested)(const Observation&) const, Identified& identified) {
    std::size_t contests = 0;
    for (const Search& search : searches_) contests = std::max(contests, (search.*number)());
    for (std::size_t i = 0; i < contests; ++i) {
      Observation blank = ordinary_question();
      blank.outputs = first.outputs;
      if (!is_contested(blank, contested)) continue;
      if (!asked(blank, identified)) return false;
      for (Search& search : searches_) search.hold_against(blank);
    }
    return true;
  }

  void conclude(Identified& identified) const {
    std::vector<std::string> names, failures;
    std::size_t elements = 0;
    for (const Search& search : searches_) {
      if (!search.found()) {
        failures.push_back(search.failure());
        continue;
      }
      names.push_back(search.name());
      elements += search.explained();
      const auto others = search.others();
      identified.others.insert(identified.others.end(), others.begin(), others.end());
    }
    identified.identity = failures.empty() ? Identity::kNamed : Identity::kUnexplained;
    if (failures.empty()) identified.arithmetic = fmt::format("{}", fmt::join(names, "+"));
    identified.evidence = failures.empty()
                              ? fmt::format("every bit of {} elements, {} times, at this shape",
                                            elements, 1 + kConfirmations)
                              : fmt::format("{}", fmt::join(failures, "; "));
  }

  const RecipeSpace& space_;
  Session& session_;
  const Case& case_;
  std::vector<Search> searches_;
  std::uint64_t next_ = 0;
};

std::string words_of(const RecipeSpace& space, const Case& c, bool of_function) {
  std::string text;
  for (const Token& token : c.tokens) {
    if (token.axis == "provider" || token.axis == "fill") continue;
    if ((std::ranges::count(space.function_axes, token.axis) > 0) != of_function) continue;
    text += (text.empty() ? "" : ".") + token.text;
  }
  return text;
}

}  // namespace

std::string recipe_key(const RecipeSpace& space, const Case& c) {
  const auto problem = space.suite().bind(c);
  const bool is_bounded = problem->row({}).tier == Tier::kBounded;
  if (c.word("provider") == kPortable || !is_bounded || problem->relation()) return {};
  return fmt::format("{}.{}.{}.{}.{}", c.suite, c.word("provider"), words_of(space, c, true),
                     words_of(space, c, false), space.probe_fill(c));
}

Identified identify_recipe(const RecipeSpace& space, Session& session, const Case& c,
                           std::span<const Identified> known) {
  const fast::FloatingPointScope scope;
  Identified identified{.key = recipe_key(space, c),
                        .suite = c.suite,
                        .provider = std::string(c.word("provider")),
                        .formats = words_of(space, c, true),
                        .shape = words_of(space, c, false),
                        .functions = own_functions(session)};
  const Plan plan = space.suite().bind(c)->plan(session.device().info());
  if (!plan.operators.empty()) {
    const auto& libraries = session.device().info().libraries;
    const auto library =
        std::ranges::find(libraries, plan.operators.back().library, &backends::Library::name);
    if (library != libraries.end())
      identified.library = fmt::format("{} {}", library->name, library->version);
  }
  try {
    Investigation(space, session, c, identified.functions.get()).run(known, identified);
  } catch (const NotOffered& declined) {
    identified.identity = Identity::kNotOffered;
    identified.evidence = declined.what();
  }
  return identified;
}

Expectation refer_recipe(const RecipeSpace& space, const Case& c, const TensorSet& inputs,
                         const Identified& found) {
  const fast::FloatingPointScope scope;
  TensorSet outputs =
      space.suite().bind(c)->expect(inputs).middle;  // also gives the contents around the elements
  std::vector<Undecided> undecided;
  std::size_t number = 0;
  for (const RecipePart& part : space.parts(c, found.functions.get())) {
    const auto answers = answers_in(found.arithmetic, part);
    if (!answers)
      throw std::invalid_argument(
          fmt::format("'{}' is no recipe of {}", found.arithmetic, c.suite));
    write(*space.evaluation(c, inputs, number++, found.functions.get()), part, *answers, outputs,
          &undecided);
  }
  if (undecided.empty()) return outputs;
  Enclosure around{.low = outputs, .high = outputs};
  for (const Undecided& e : undecided) {
    around.low.at(e.output).set(e.index, e.low);
    around.high.at(e.output).set(e.index, e.high);
  }
  return {std::move(outputs), std::move(around)};
}

}  // namespace halfmark::suites
