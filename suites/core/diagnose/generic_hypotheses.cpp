// SPDX-License-Identifier: Apache-2.0
#include "suites/core/diagnose/generic_hypotheses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "reference/formats/classify.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/value_mutations.hpp"
#include "suites/core/suite/describe.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Tensor;

Tensor mapped(const Tensor& tensor, const NumberMap& map) {
  Tensor changed = tensor;
  for (std::size_t i = 0; i < tensor.count(); ++i)
    changed.set(i, map(*tensor.format, tensor.at(i)));
  return changed;
}

// Changes the named inputs; empty if no number changes.
TensorSet altered(const Failed& failed, const std::vector<std::string>& names,
                  const std::function<Tensor(const Tensor&)>& change) {
  TensorSet changed = failed.inputs;
  for (const std::string& name : names) changed.at(name) = change(failed.inputs.at(name));
  return changed == failed.inputs ? TensorSet{} : changed;
}

Hypothesis with_inputs(const Failed& failed, std::string name, FindingClassName finding_class,
                       std::string sentence, TensorSet inputs) {
  return {.name = std::move(name),
          .finding_class = finding_class,
          .sentence = std::move(sentence),
          .evaluate = [&failed, inputs = std::move(inputs)](const Case&, const TensorSet&) {
            return failed.problem.expect(inputs);
          }};
}

// Numeric inputs that are not also outputs.
std::vector<std::string> operands_of(const Failed& failed) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : failed.inputs) {
    if (!failed.problem.holds_integers(name) && !failed.allowed.expected.contains(name))
      names.push_back(name);
  }
  return names;
}

// Each name by itself, then all of them together.
std::vector<std::vector<std::string>> one_and_all(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> groups;
  for (const std::string& name : names) groups.push_back({name});
  if (names.size() > 1) groups.push_back(names);
  return groups;
}

std::string words_of(const std::vector<std::string>& names) {
  std::string words = names.front();
  for (std::size_t i = 1; i < names.size(); ++i)
    words += (i + 1 == names.size() ? " and " : ", ") + names[i];
  return words;
}

std::string key_of(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front() : "all";
}

std::set<int> exponents_of(const Failed& failed, const std::vector<std::string>& names) {
  std::set<int> exponents;
  for (const std::string& name : names) {
    const Tensor& tensor = failed.inputs.at(name);
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const Bits x = tensor.at(i);
      if (formats::is_finite(*tensor.format, x) && !formats::is_zero(*tensor.format, x))
        exponents.insert(std::ilogb(value_of(*tensor.format, x)));
    }
  }
  if (!exponents.empty())
    exponents.erase(exponents.begin());  // all numbers are at or above the least
  return exponents;
}

// Adds nothing if no number changes.
void add_change(std::vector<Hypothesis>& list, const Failed& failed,
                const std::vector<std::string>& names, const NumberChange& change) {
  TensorSet inputs = altered(failed, names, [&](const Tensor& t) { return mapped(t, change.map); });
  if (inputs.empty()) return;
  list.push_back(
      with_inputs(failed, fmt::format("{}-{}", key_of(names), change.name), change.finding_class,
                  fmt::format("in {}, {}", words_of(names), change.words), std::move(inputs)));
  list.back().substituted = change.substituted;
  list.back().freedoms = change.freedoms;
}

struct Reading {
  std::string name;
  FindingClassName finding_class;
  std::string words;
  std::function<std::size_t(std::size_t i, std::size_t count)> source;
};

std::vector<Reading> places(std::size_t count) {
  constexpr int kLeastBits = 2;
  constexpr int kMostBits = 24;
  constexpr std::size_t kFarthest = 16;
  std::vector<Reading> list = {
      {"one-early", "layout", "are read one place early",
       [](std::size_t i, std::size_t) { return i == 0 ? i : i - 1; }},
      {"one-late", "layout", "are read one place late",
       [](std::size_t i, std::size_t n) { return std::min(i + 1, n - 1); }},
      {"of-the-first", "layout", "are all the first one",
       [](std::size_t, std::size_t) { return std::size_t{0}; }},
      {"backwards", "layout", "are read backwards",
       [](std::size_t i, std::size_t n) { return n - 1 - i; }},
  };
  for (std::size_t apart = 1; apart <= kFarthest && apart < count; apart *= 2) {
    list.push_back(
        {fmt::format("exchanged-by-{}", apart), "layout",
         fmt::format("are exchanged with those {} away", apart),
         [apart](std::size_t i, std::size_t n) { return (i ^ apart) < n ? i ^ apart : i; }});
    const std::size_t group = 2 * apart;
    list.push_back({fmt::format("first-of-{}", group), "align",
                    fmt::format("in groups of {} are all their first", group),
                    [group](std::size_t i, std::size_t) { return i - i % group; }});
  }
  for (int bits = kLeastBits; bits < kMostBits && count >> bits > 0; ++bits) {
    const std::size_t mask = (std::size_t{1} << bits) - 1;
    if (mask + 1 >= count) break;
    list.push_back({fmt::format("index-in-{}-bits", bits), "index_ovf",
                    fmt::format("have an index of {} bits", bits),
                    [mask](std::size_t i, std::size_t) { return i & mask; }});
  }
  return list;
}

Tensor moved(const Tensor& tensor, const Reading& reading) {
  Tensor changed = tensor;
  for (std::size_t i = 0; i < tensor.count(); ++i)
    changed.set(i, tensor.at(reading.source(i, tensor.count())));
  return changed;
}

TensorSet mapped(const TensorSet& set, const std::vector<std::string>& names,
                 const NumberMap& map) {
  TensorSet changed = set;
  for (const std::string& name : names) changed.at(name) = mapped(set.at(name), map);
  return changed;
}

}  // namespace

Hypothesis on_results(const Failed& failed, std::string name, FindingClassName finding_class,
                      std::string sentence, std::function<TensorSet(TensorSet)> change) {
  return {.name = std::move(name),
          .finding_class = finding_class,
          .sentence = std::move(sentence),
          .evaluate = [&failed, change](const Case&, const TensorSet&) {
            Expectation changed = change(failed.allowed.expected);
            if (const Enclosure* all = failed.allowed.enclosure)
              changed.enclosure = Enclosure{change(all->low), change(all->high)};
            return changed;
          }};
}

std::vector<Hypothesis> misread_operands(const Failed& failed) {
  std::vector<Hypothesis> list;
  for (const std::vector<std::string>& names : one_and_all(operands_of(failed))) {
    for (const NumberChange& change : readings()) add_change(list, failed, names, change);
  }
  return list;
}

namespace {

std::vector<Hypothesis> scaled_operands(const Failed& failed) {
  std::vector<Hypothesis> list;
  for (const std::vector<std::string>& names : one_and_all(operands_of(failed))) {
    for (const NumberChange& change : readings_by_factor()) add_change(list, failed, names, change);
  }
  return list;
}

}  // namespace

std::vector<Hypothesis> misplaced_operands(const Failed& failed) {
  std::vector<Hypothesis> list;
  for (const std::string& name : operands_of(failed)) {
    for (const Reading& reading : places(failed.inputs.at(name).count())) {
      TensorSet inputs =
          altered(failed, {name}, [&](const Tensor& t) { return moved(t, reading); });
      if (inputs.empty()) continue;
      list.push_back(
          with_inputs(failed, fmt::format("{}-{}", name, reading.name), reading.finding_class,
                      fmt::format("elements of {} {}", name, reading.words), std::move(inputs)));
    }
  }
  return list;
}

std::vector<Hypothesis> exchanged_operands(const Failed& failed) {
  std::vector<Hypothesis> list;
  const std::vector<std::string> names = operands_of(failed);
  for (const std::string& name : names) {
    for (const std::string& other : names) {
      const Tensor& theirs = failed.inputs.at(other);
      const Tensor& own = failed.inputs.at(name);
      if (name == other || *theirs.format != *own.format || theirs.count() != own.count()) continue;
      TensorSet inputs = failed.inputs;
      inputs.at(name) = theirs;
      list.push_back(with_inputs(failed, fmt::format("{}-is-{}", name, other), "layout",
                                 fmt::format("{} is read in the place of {}", other, name),
                                 inputs));
      inputs.at(other) = own;
      if (name < other) {
        list.push_back(with_inputs(
            failed, fmt::format("{}-and-{}-exchanged", name, other), "layout",
            fmt::format("{} and {} are taken for each other", name, other), std::move(inputs)));
      }
    }
  }
  return list;
}

std::vector<Hypothesis> operands_of_other_size(const Failed& failed) {
  constexpr std::size_t kMostExponents = 24;
  std::vector<Hypothesis> list;
  for (const std::vector<std::string>& names : one_and_all(operands_of(failed))) {
    for (const NumberChange& change : readings_by_limit()) add_change(list, failed, names, change);
    std::set<int> exponents = exponents_of(failed, names);
    while (exponents.size() > kMostExponents) exponents.erase(exponents.begin());
    for (const int exponent : exponents) {
      for (const NumberChange& change : readings_by_size(exponent))
        add_change(list, failed, names, change);
    }
  }
  return list;
}

std::vector<Hypothesis> restored_results(const Failed& failed) {
  std::vector<std::string> outputs;
  for (const auto& [name, tensor] : failed.allowed.expected) {
    const bool is_asked = failed.wrong.empty() || failed.wrong.contains(name);
    if (is_asked && !failed.problem.holds_integers(name)) outputs.push_back(name);
  }
  std::vector<Hypothesis> list;
  for (const std::vector<std::string>& names : one_and_all(outputs)) {
    for (const NumberChange& change : stores()) {
      list.push_back(on_results(
          failed, fmt::format("{}-{}", key_of(names), change.name), change.finding_class,
          fmt::format("in {}, {}", words_of(names), change.words),
          [names, map = change.map](const TensorSet& set) { return mapped(set, names, map); }));
      list.back().freedoms = change.freedoms;
    }
  }
  return list;
}

bool are_numbers(const Failed& failed) {
  return std::ranges::none_of(
      failed.wrong, [&](const auto& wrong) { return failed.problem.holds_integers(wrong.first); });
}

Extent extent_of(const Failed& failed, const std::string& output) {
  return extent_of(failed.problem, output, failed.allowed.expected.at(output).count());
}

namespace {

// Altered operands cost one evaluation each, the other hypotheses only one pass over the outputs.
constexpr std::size_t kMostEvaluated = 1u << 14;

std::size_t results_of(const Failed& failed) {
  std::size_t count = 0;
  for (const auto& [name, tensor] : failed.allowed.expected) count += tensor.count();
  return count;
}

Hypothesis as_generic(Hypothesis hypothesis) {
  hypothesis.name = "general-" + hypothesis.name;
  hypothesis.is_generic = true;
  return hypothesis;
}

GenericHypothesis as_generic(GenericHypothesis one) {
  GenericHypothesis made{as_generic(static_cast<Hypothesis&&>(one))};
  if (one.elsewhere) {
    made.elsewhere = [elsewhere = std::move(one.elsewhere)](const Failed& other) {
      return as_generic(elsewhere(other));
    };
  }
  return made;
}

}  // namespace

std::vector<Hypothesis> changed_numbers(const Failed& failed) {
  std::vector<Hypothesis> all = restored_results(failed);
  if (results_of(failed) <= kMostEvaluated)
    std::ranges::move(misread_operands(failed), std::back_inserter(all));
  for (Hypothesis& hypothesis : all) hypothesis = as_generic(std::move(hypothesis));
  return all;
}

std::vector<GenericHypothesis> generic_hypotheses(const Failed& failed) {
  constexpr std::size_t kMostOfSizes = 1u << 12;
  const std::size_t elements = results_of(failed);
  std::vector<GenericHypothesis> all;
  const auto append = [&](auto some) {
    for (auto& hypothesis : some) all.push_back({as_generic(std::move(hypothesis))});
  };
  append(restored_results(failed));
  append(shifted_results(failed));
  append(displaced_results(failed));
  append(scattered_results(failed));
  if (elements <= kMostEvaluated) {
    append(misread_operands(failed));
    append(misplaced_operands(failed));
    append(exchanged_operands(failed));
  }
  append(near_results(failed));
  if (elements <= kMostOfSizes) append(operands_of_other_size(failed));
  if (elements <= kMostEvaluated) append(scaled_operands(failed));
  append(near_largest(failed));
  return all;
}

}  // namespace halfmark::suites
