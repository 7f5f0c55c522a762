// SPDX-License-Identifier: Apache-2.0
#include "suites/core/altered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/interval.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

using Map = std::function<Bits(const Format&, Bits)>;

// What becomes of a number, in the words that follow its name: "NaN counts as zero".
struct Change {
  std::string name;
  std::string_view finding_class;
  std::string words;
  Map map;
};

Tensor mapped(const Tensor& tensor, const Map& map) {
  Tensor changed = tensor;
  for (std::size_t i = 0; i < tensor.count(); ++i)
    changed.set(i, map(*tensor.format, tensor.at(i)));
  return changed;
}

Bits flushed(const Format& f, Bits x) {
  return formats::is_subnormal(f, x) ? formats::zero(f, formats::sign(f, x)) : x;
}

Bits flushed_to_plus_zero(const Format& f, Bits x) {
  return formats::is_subnormal(f, x) ? formats::zero(f) : x;
}

Bits nan_as_zero(const Format& f, Bits x) { return formats::is_nan(f, x) ? formats::zero(f) : x; }

Bits nan_as_infinity(const Format& f, Bits x) {
  const bool changes = formats::is_nan(f, x) && f.has_infinity();
  return changes ? formats::infinity(f, formats::sign(f, x)) : x;
}

Bits infinity_as_largest(const Format& f, Bits x) {
  return formats::is_infinity(f, x) ? formats::max_finite(f, formats::sign(f, x)) : x;
}

Bits infinity_as_nan(const Format& f, Bits x) {
  return formats::is_infinity(f, x) ? formats::quiet_nan(f) : x;
}

Bits without_sign(const Format& f, Bits x) { return formats::magnitude(f, x); }

Bits plus_zero(const Format& f, Bits x) { return formats::is_zero(f, x) ? formats::zero(f) : x; }

template <int kPower>
Bits scaled_by(const Format& f, Bits x) {
  return formats::is_finite(f, x) ? soft::ldexp(f, x, kPower).bits : x;
}

Change rounded_to(const Format& narrow, bool truncated) {
  const soft::Rounding rounding =
      truncated ? soft::Rounding::kTowardZero : soft::Rounding::kNearEven;
  return {fmt::format("{}{}", truncated ? "truncated-to-" : "rounded-to-", narrow.name), "",
          fmt::format("{} to {}", truncated ? "truncated" : "rounded", narrow.name),
          [&narrow, rounding](const Format& f, Bits x) {
            if (narrow.fraction_bits >= f.fraction_bits) return x;
            const Bits kept = soft::convert(f, narrow, x, {.rounding = rounding}).bits;
            return soft::convert(narrow, f, kept).bits;
          }};
}

void add_roundings(std::vector<Change>& changes, std::string_view finding_class,
                   std::string_view before) {
  for (const Format* narrow : {&formats::kFp16, &formats::kBf16, &formats::kTf32}) {
    for (const bool truncated : {false, true}) {
      Change change = rounded_to(*narrow, truncated);
      change.finding_class = finding_class;
      change.words = fmt::format("{} {}", before, change.words);
      changes.push_back(std::move(change));
    }
  }
}

std::vector<Change> readings() {
  std::vector<Change> changes = {
      {"subnormals-flushed", "ftz_in", "subnormal numbers count as zero", flushed},
      {"nan-as-infinity", "nan_to_inf", "NaN counts as an infinity", nan_as_infinity},
      {"nan-as-zero", "nan_dropped", "NaN counts as zero", nan_as_zero},
      {"infinity-as-largest", "nan_inf", "an infinity counts as the largest number",
       infinity_as_largest},
      {"infinity-as-nan", "nan_inf", "an infinity counts as NaN", infinity_as_nan},
      {"halved", "decode", "numbers count half", scaled_by<-1>},
      {"doubled", "decode", "numbers count twice", scaled_by<1>},
      {"sign-lost", "decode", "numbers lose their sign", without_sign},
  };
  add_roundings(changes, "fmt_subst", "numbers are");
  return changes;
}

std::vector<Change> stores() {
  std::vector<Change> changes = {
      {"subnormals-flushed", "ftz_out", "subnormal results become zero", flushed},
      {"infinity-as-largest", "sat_instead_of_inf",
       "results beyond the range become the largest number", infinity_as_largest},
      {"infinity-as-nan", "nan_made", "infinite results become NaN", infinity_as_nan},
      {"nan-as-zero", "nan_dropped", "results that are NaN become zero", nan_as_zero},
      {"nan-as-infinity", "nan_to_inf", "results that are NaN become infinite", nan_as_infinity},
      {"subnormals-as-plus-zero", "ftz_out", "subnormal results become +0, whatever their sign",
       flushed_to_plus_zero},
      {"sign-of-zero-lost", "signed_zero", "zero results are +0", plus_zero},
  };
  add_roundings(changes, "early_round", "results are");
  return changes;
}

// One input, or all; empty where no number changes.
TensorSet altered(const Failed& failed, const std::vector<std::string>& names,
                  const std::function<Tensor(const Tensor&)>& change) {
  TensorSet changed = failed.inputs;
  for (const std::string& name : names) changed.at(name) = change(failed.inputs.at(name));
  return changed == failed.inputs ? TensorSet{} : changed;
}

Hypothesis with_inputs(const Failed& failed, std::string name, std::string_view finding_class,
                       std::string sentence, TensorSet inputs) {
  const bool encloses = failed.allowed.enclosure != nullptr;
  Hypothesis hypothesis{.name = std::string(kGeneralPrefix) + std::move(name),
                        .finding_class = std::string(finding_class),
                        .sentence = std::move(sentence),
                        .evaluate = [&failed, inputs](const Case& c, const TensorSet&) {
                          return failed.suite.refer(c, inputs, {});
                        }};
  if (encloses) {
    hypothesis.enclose = [&failed, inputs = std::move(inputs)](const Case& c, const TensorSet&) {
      return *failed.suite.enclose(c, inputs);
    };
  }
  return hypothesis;
}

// Inputs of numbers that are no outputs as well.
std::vector<std::string> operands_of(const Failed& failed) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : failed.inputs) {
    const bool integers =
        failed.suite.holds_integers != nullptr && failed.suite.holds_integers(failed.c, name);
    if (!integers && !failed.allowed.expected.contains(name)) names.push_back(name);
  }
  return names;
}

// Each of the names alone, and then all of them.
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

// Numbers from a power of two on, or below it, whose exponent is read as another.
struct SizedReading {
  std::string_view name, words;
  int power;
  bool above;
};

std::vector<SizedReading> sized_readings() {
  return {{"halved", "half", -1, true},
          {"doubled", "twice", 1, true},
          {"halved", "half", -1, false},
          {"doubled", "twice", 1, false}};
}

int exponent_of(const Format& f, Bits x) { return std::ilogb(value_of(f, x)); }

std::set<int> exponents_of(const Failed& failed, const std::vector<std::string>& names) {
  std::set<int> exponents;
  for (const std::string& name : names) {
    const Tensor& tensor = failed.inputs.at(name);
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const Bits x = tensor.at(i);
      if (formats::is_finite(*tensor.format, x) && !formats::is_zero(*tensor.format, x))
        exponents.insert(exponent_of(*tensor.format, x));
    }
  }
  if (!exponents.empty()) exponents.erase(exponents.begin());  // from there on are all
  return exponents;
}

struct Reading {
  std::string name;
  std::string_view finding_class;
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

TensorSet mapped(const TensorSet& set, const std::vector<std::string>& names, const Map& map) {
  TensorSet changed = set;
  for (const std::string& name : names) changed.at(name) = mapped(set.at(name), map);
  return changed;
}

}  // namespace

Hypothesis on_results(const Failed& failed, std::string name, std::string_view finding_class,
                      std::string sentence, std::function<TensorSet(TensorSet)> change) {
  Hypothesis hypothesis{.name = std::string(kGeneralPrefix) + std::move(name),
                        .finding_class = std::string(finding_class),
                        .sentence = std::move(sentence),
                        .evaluate = [&failed, change](const Case&, const TensorSet&) {
                          return change(failed.allowed.expected);
                        }};
  if (failed.allowed.enclosure != nullptr) {
    hypothesis.enclose = [&failed, change](const Case&, const TensorSet&) {
      return Enclosure{change(failed.allowed.enclosure->low),
                       change(failed.allowed.enclosure->high)};
    };
  }
  return hypothesis;
}

std::vector<Hypothesis> misread_operands(const Failed& failed) {
  std::vector<Hypothesis> list;
  for (const std::vector<std::string>& names : one_and_all(operands_of(failed))) {
    for (const Change& change : readings()) {
      TensorSet inputs =
          altered(failed, names, [&](const Tensor& t) { return mapped(t, change.map); });
      if (inputs.empty()) continue;
      list.push_back(with_inputs(
          failed, fmt::format("{}-{}", key_of(names), change.name), change.finding_class,
          fmt::format("in {}, {}", words_of(names), change.words), std::move(inputs)));
    }
  }
  return list;
}

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

std::vector<Hypothesis> operands_of_other_size(const Failed& failed) {
  constexpr std::size_t kMostExponents = 24;
  std::vector<Hypothesis> list;
  for (const std::vector<std::string>& names : one_and_all(operands_of(failed))) {
    const std::set<int> exponents = exponents_of(failed, names);
    if (exponents.size() > kMostExponents) continue;
    for (const int exponent : exponents) {
      for (const SizedReading& reading : sized_readings()) {
        TensorSet inputs = altered(failed, names, [&](const Tensor& t) {
          return mapped(t, [&](const Format& f, Bits x) {
            const bool plain = formats::is_finite(f, x) && !formats::is_zero(f, x);
            const bool concerned = plain && (exponent_of(f, x) >= exponent) == reading.above;
            return concerned ? soft::ldexp(f, x, reading.power).bits : x;
          });
        });
        if (inputs.empty()) continue;
        list.push_back(
            with_inputs(failed,
                        fmt::format("{}-{}-{}-2^{}", key_of(names), reading.name,
                                    reading.above ? "from" : "below", exponent),
                        "decode",
                        fmt::format("in {}, numbers {} 2^{} count {}", words_of(names),
                                    reading.above ? "from" : "below", exponent, reading.words),
                        std::move(inputs)));
      }
    }
  }
  return list;
}

std::vector<Hypothesis> restored_results(const Failed& failed) {
  std::vector<std::string> outputs;
  for (const auto& [name, tensor] : failed.allowed.expected) {
    if (failed.wrong.contains(name)) outputs.push_back(name);
  }
  std::vector<Hypothesis> list;
  for (const std::vector<std::string>& names : one_and_all(outputs)) {
    for (const Change& change : stores()) {
      list.push_back(on_results(
          failed, fmt::format("{}-{}", key_of(names), change.name), change.finding_class,
          fmt::format("in {}, {}", words_of(names), change.words),
          [names, map = change.map](const TensorSet& set) { return mapped(set, names, map); }));
    }
  }
  return list;
}

std::vector<Hypothesis> general_hypotheses(const Failed& failed) {
  // Altered operands cost an evaluation each, the others a walk over the outputs.
  constexpr std::size_t kMostEvaluated = 1u << 14;
  constexpr std::size_t kMostOfSizes = 1u << 12;
  std::size_t elements = 0;
  for (const auto& [name, tensor] : failed.allowed.expected) elements += tensor.count();
  std::vector<Hypothesis> all;
  const auto append = [&](std::vector<Hypothesis> some) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
  };
  append(restored_results(failed));
  append(displaced_results(failed));
  append(scattered_results(failed));
  if (elements <= kMostEvaluated) {
    append(misread_operands(failed));
    append(misplaced_operands(failed));
  }
  if (elements <= kMostOfSizes) append(operands_of_other_size(failed));
  append(near_results(failed));
  return all;
}

}  // namespace halfmark::suites
