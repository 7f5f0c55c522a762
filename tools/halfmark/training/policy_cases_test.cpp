// SPDX-License-Identifier: Apache-2.0
// The lists against the suites: every operation that a suite tests on a device has its class in
// every profile, and there are cases with the formats of operands, of results and in between that
// its class needs. What the suites lack is listed here, and the test fails once it is no longer so.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/formats/format.hpp"
#include "reference/soft/soft.hpp"
#include "suites/registry.hpp"
#include "tools/halfmark/training/operators.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;
using suites::Case;
using suites::Problem;

// What a suite tests and no framework casts.
struct Outside {
  std::string_view suite, operation, why;
};
constexpr std::string_view kRegion = "it runs outside of the region of automatic casts";
constexpr std::string_view kForward = "it runs in the formats of its forward operator";
constexpr std::string_view kParts = "kernels consist of it, frameworks have no such operator";
constexpr Outside kOutside[] = {
    {"activation", "gelu-backward", kForward},
    {"activation", "gelu_tanh-backward", kForward},
    {"activation", "relu-backward", kForward},
    {"arithmetic", "add_in_fp32", kParts},
    {"arithmetic", "div_in_fp32", kParts},
    {"arithmetic", "div_ulp", "as div"},
    {"arithmetic", "fma", kParts},
    {"arithmetic", "mul_in_fp32", kParts},
    {"arithmetic", "muladd", kParts},
    {"arithmetic", "sqrt_ulp", "as sqrt"},
    {"arithmetic", "sub_in_fp32", kParts},
    {"arithmetic", "to_bf16", "as convert"},
    {"arithmetic", "to_fp16", "as convert"},
    {"arithmetic", "to_fp32", "as convert"},
    {"cross_entropy", "backward", kForward},
    {"elementary", "cbrt", kParts},
    {"elementary", "cospi", kParts},
    {"elementary", "div", "as arithmetic"},
    {"elementary", "exp10", kParts},
    {"elementary", "pown", kParts},
    {"elementary", "powr", kParts},
    {"elementary", "remainder", kParts},
    {"elementary", "sinpi", kParts},
    {"elementary", "sqrt", "as arithmetic"},
    {"layernorm", "backward", kForward},
    {"layernorm", "rms-backward", kForward},
    {"loss", "mse-backward", kForward},
    {"loss", "scale", kRegion},
    {"loss_scaled_backward", "", kRegion},
    {"loss_scaling", "", kRegion},
    {"optimizer", "", kRegion},
    {"rates", "", kRegion},
    {"softmax", "backward", kForward},
    {"softmax", "log-backward", kForward},
    {"statistics", "", kRegion},
    {"transfer", "", kRegion},
};

std::vector<Case> cases_of(suites::Level level) {
  suites::Selection all;
  all.level = level;
  return suites::select_cases(all);
}

std::string_view operation_of(const Case& c) {
  if (c.suite == "rates") return "";  // chains of elementary operations, to be timed
  const auto found = std::find_if(c.tokens.begin(), c.tokens.end(),
                                  [](const suites::Token& t) { return t.axis == "operation"; });
  return found == c.tokens.end() ? std::string_view() : std::string_view(found->text);
}

const OperatorRow* row_of(std::string_view suite, std::string_view operation) {
  const auto rows = operator_rows();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const OperatorRow& row) {
    return row.suite == suite && row.operation == operation;
  });
  return found == rows.end() ? nullptr : &*found;
}

TEST(CastsOfTestedOperators, AreDecidedForEveryOperationOfEverySuite) {
  std::set<std::pair<std::string, std::string>> tested, outside;
  for (const Case& c : cases_of(suites::Level::kFull)) tested.emplace(c.suite, operation_of(c));
  for (const Outside& row : kOutside) outside.emplace(row.suite, row.operation);
  for (const auto& [suite, operation] : tested) {
    const bool has_row = row_of(suite, operation) != nullptr;
    const bool is_outside = outside.contains({suite, operation});
    EXPECT_NE(has_row, is_outside) << suite << " " << operation;
  }
  for (const auto& [suite, operation] : outside)
    EXPECT_TRUE(tested.contains({suite, operation})) << suite << " " << operation;
  for (const OperatorRow& row : operator_rows()) {
    if (row.suite.empty()) continue;
    EXPECT_TRUE(tested.contains({std::string(row.suite), std::string(row.operation)})) << row.name;
  }
}

// On a device that offers what the case asks for.
suites::Plan plan_of(const Problem& problem) {
  backends::DeviceInfo device;
  device.max_group_items = 1024;
  suites::Plan plan = problem.plan(device);
  for (int asked = 0; plan.needs && asked < 4; ++asked) {
    device.promises.push_back({*plan.needs, true, "", ""});
    plan = problem.plan(device);
  }
  return plan;
}

// What a case shows: the formats of its tensors, whose operands are numbers of 16 bits, and whether
// its data tells arithmetic in fp32 from a narrower one.
struct Shown {
  std::set<std::string_view> operands, results, values;
  bool has_wide_arithmetic = false;
};

bool are_all_numbers_of(const Format& narrow, const suites::TensorSet& inputs) {
  for (const auto& [name, tensor] : inputs) {
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const formats::Bits there = soft::convert(*tensor.format, narrow, tensor.at(i)).bits;
      const bool is_nan = formats::is_nan(*tensor.format, tensor.at(i));
      if (!is_nan && soft::convert(narrow, *tensor.format, there).bits != tensor.at(i))
        return false;
    }
  }
  return true;
}

// A mistake that rounds something in between shows if it changes a bit.
bool tells_wide_arithmetic(const Problem& problem, const suites::TensorSet& inputs) {
  const suites::Expectation expected = problem.expect(inputs);
  for (const suites::Hypothesis& mistake : problem.mistakes()) {
    if (mistake.finding_class != "acc_narrow" && mistake.finding_class != "early_round") continue;
    if (mistake.evaluate(problem.c(), inputs).middle != expected.middle) return true;
  }
  return false;
}

constexpr std::size_t kMostElements = 1 << 17;  // of a case that is evaluated

std::size_t elements_of(const suites::TensorSet& tensors) {
  std::size_t count = 0;
  for (const auto& [name, tensor] : tensors) count += tensor.count();
  return count;
}

Shown shown_by(const Case& c, const Shown& seen) {
  const auto problem = suites::find_suite(c.suite).bind(c);
  Shown shown;
  const suites::Plan plan = plan_of(*problem);
  for (const suites::TensorSpec& tensor : plan.tensors) {
    const bool is_number = !problem->holds_integers(tensor.name);
    if (tensor.role == suites::Role::kInput && is_number)
      shown.operands.insert(tensor.format->name);
    if (tensor.role == suites::Role::kOutput) shown.results.insert(tensor.format->name);
  }
  const bool is_wide = shown.operands == std::set<std::string_view>{"fp32"};
  const bool asks_values = is_wide && seen.values.empty();
  const bool asks_arithmetic = !is_wide && !seen.has_wide_arithmetic;
  if (!asks_values && !asks_arithmetic) return shown;
  const suites::TensorSet inputs = problem->inputs();
  if (elements_of(inputs) > kMostElements) return shown;
  for (const Format* narrow : {&formats::kFp16, &formats::kBf16}) {
    if (asks_values && are_all_numbers_of(*narrow, inputs)) shown.values.insert(narrow->name);
  }
  shown.has_wide_arithmetic = asks_arithmetic && tells_wide_arithmetic(*problem, inputs);
  return shown;
}

// What the cases of one operation show together: "fp16 -> fp32" for each pair of formats,
// "fp32 of fp16" where fp32 is computed of numbers of fp16, "fp16 in fp32" where operands in fp16
// are computed with in fp32.
using Shows = std::set<std::string>;

void add(Shows& shows, const Shown& shown) {
  for (const std::string_view operand : shown.operands) {
    for (const std::string_view result : shown.results)
      shows.insert(fmt::format("{} -> {}", operand, result));
    if (shown.has_wide_arithmetic) shows.insert(fmt::format("{} in fp32", operand));
  }
  for (const std::string_view value : shown.values) shows.insert(fmt::format("fp32 of {}", value));
}

std::string_view word_or(const Case& c, std::string_view axis, std::string_view otherwise) {
  const auto found = std::find_if(c.tokens.begin(), c.tokens.end(),
                                  [&](const suites::Token& t) { return t.axis == axis; });
  return found == c.tokens.end() ? otherwise : std::string_view(found->text);
}

// A case of a library has no plan without one; its name has the formats of its tensors.
void add_by_name(Shows& shows, const Case& c) {
  const std::string_view operand = word_or(c, "format", "");
  std::string_view result = word_or(c, "output", operand);
  if (result.starts_with("out-")) result.remove_prefix(4);
  if (!operand.empty()) shows.insert(fmt::format("{} -> {}", operand, result));
}

constexpr int kTries = 8;  // cases of one name up to its provider; the small ones come first

std::map<const OperatorRow*, Shows> shows_of_suites() {
  std::map<const OperatorRow*, Shows> all;
  std::map<std::string, std::pair<Shown, int>> seen;
  for (const Case& c : cases_of(suites::Level::kFull)) {
    const OperatorRow* row = row_of(c.suite, operation_of(c));
    const std::string name = print(c);
    const std::size_t provider = name.find(".portable.");
    if (row == nullptr) continue;
    if (provider == std::string::npos) {
      add_by_name(all[row], c);
      continue;
    }
    auto& [before, tries] = seen[name.substr(0, provider)];
    if (++tries > kTries) continue;
    const Shown shown = shown_by(c, before);
    before.values.insert(shown.values.begin(), shown.values.end());
    before.has_wide_arithmetic = before.has_wide_arithmetic || shown.has_wide_arithmetic;
    add(all[row], shown);
  }
  return all;
}

// What a class needs to be asserted, with `f` as the narrow format.
std::vector<std::string> needs_of(Cast cast, std::string_view f) {
  const std::string narrow = fmt::format("{} -> {}", f, f), wide = "fp32 -> fp32";
  switch (cast) {
    case Cast::kNarrow:
      return {narrow, fmt::format("{} in fp32", f)};
    case Cast::kWide:
      return {wide, fmt::format("fp32 of {}", f)};
    case Cast::kWideResult:
      return {fmt::format("{} -> fp32", f), fmt::format("{} in fp32", f)};
    case Cast::kUntouched:
      return {wide};
    case Cast::kRefused:
      return {};
    case Cast::kWidest:
    case Cast::kAsOperands:
    case Cast::kFollows:
    case Cast::kNeutral:
      return {narrow, wide};
  }
  return {};
}

std::vector<std::string> needs_of_casts(std::string_view f) {
  return {fmt::format("fp32 -> {}", f), fmt::format("{} -> fp32", f)};
}

bool has(const Shows& shows, const std::string& need) {
  const std::size_t of = need.find(" of ");
  const bool is_met = shows.contains(need);
  // Instead of fp32 numbers that are numbers of 16 bits, 16-bit operands will do.
  return is_met || (of != std::string::npos && shows.contains(need.substr(of + 4) + " in fp32"));
}

// What no suite has.
struct Lack {
  std::string_view need, operators, why;
};
constexpr Lack kLacks[] = {
    {"bf16 -> bf16",
     "acos add asin atan atan2 cos cosh div eq erf erfc exp exp2 expm1 fmod hypot ldexp log log10 "
     "log1p log2 lt mul pow reciprocal round rsqrt sin sinh sqrt sub tan tanh",
     "no interface has single operations or functions of bf16: they are fp32's between "
     "conversions"},
    {"fp16 -> fp16", "eq ldexp lt reciprocal round", "asserted in fp32 only"},
    {"fp32 of bf16", "pow", "its operands are pairs at the ends of fp32's range, or ordinary ones"},
    {"fp32 of fp16", "pow", "its operands are pairs at the ends of fp32's range, or ordinary ones"},
};

std::set<std::string> known_lacks() {
  std::set<std::string> lacks;
  for (const Lack& lack : kLacks) {
    std::istringstream words{std::string(lack.operators)};
    for (std::string word; words >> word;) lacks.insert(fmt::format("{}: {}", word, lack.need));
  }
  return lacks;
}

std::string lines_of(const std::set<std::string>& words) {
  return fmt::format("{}", fmt::join(words, "\n"));
}

TEST(CastsOfTestedOperators, HaveTheCasesThatTheirClassNeeds) {
  std::set<std::string> lacks;
  const std::map<const OperatorRow*, Shows> all = shows_of_suites();
  for (const auto& [row, shows] : all) {
    for (const CastProfile& profile : cast_profiles()) {
      for (const std::string_view narrow : profile.narrow) {
        const Cast cast = cast_in(profile, row->name);
        for (const std::string& need :
             row->suite == "convert" ? needs_of_casts(narrow) : needs_of(cast, narrow)) {
          if (!has(shows, need)) lacks.insert(fmt::format("{}: {}", row->name, need));
        }
      }
    }
  }
  EXPECT_EQ(lines_of(known_lacks()), lines_of(lacks));
}

}  // namespace
}  // namespace halfmark::tools
