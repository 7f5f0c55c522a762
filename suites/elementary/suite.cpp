// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "reference/fast/functions.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/errors.hpp"
#include "suites/core/inputs.hpp"
#include "suites/core/provider.hpp"
#include "suites/elementary/accuracy.hpp"
#include "suites/elementary/bound.hpp"
#include "suites/elementary/contract.hpp"

namespace halfmark::suites::elementary {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

constexpr std::string_view kFills[] = {"edges", "halves", "moderate", "bits"};
constexpr std::uint64_t kHalves = 65536;
// And 1, -1 and 2, which no function leaves all alone: the cube root does the rest.
constexpr Bits kEdges[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                           0x7fc00000, 0x40000000, 0x3f800000, 0xbf800000};

const std::vector<Axis>& axes() {
  static const std::vector<Axis> kAxes = [] {
    std::vector<std::string_view> functions;
    std::vector<std::string_view> rules;
    const auto note = [](std::vector<std::string_view>& words, std::string_view word) {
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    };
    for (const Bound& b : bounds()) {
      note(functions, b.function);
      note(rules, b.rules);
    }
    return std::vector<Axis>{
        {.name = "format", .help = "of operand and result", .words = {"fp32"}, .letters = ""},
        {.name = "operation", .help = "the function", .words = functions, .letters = ""},
        {.name = "kind",
         .help = "standard, or half: the fast kind with at least half of the bits",
         .words = {"standard", "half"},
         .letters = ""},
        {.name = "rules",
         .help = "the specification whose bound is asserted",
         .words = rules,
         .letters = ""},
        {.name = "provider",
         .help = "who supplies the kernel that calls the function",
         .words = {kPortable},
         .letters = ""},
        {.name = "size", .help = "n elements", .words = {}, .letters = "n"},
        {.name = "fill",
         .help = "edges: zeros, infinities, NaN; halves: every fp16 number; moderate: 2^-10 to "
                 "2^7, to 1 for asin and acos; bits: every fp32 encoding alike",
         .words = {std::begin(kFills), std::end(kFills)},
         .letters = ""}};
  }();
  return kAxes;
}

const Bound& bound_of(const Case& c) {
  const Bound* bound = find_bound(c.word("rules"), c.word("kind"), c.word("operation"));
  if (bound != nullptr) return *bound;
  throw UsageError(
      fmt::format("case '{}': the rules {} have no function {} of kind {}; `halfmark list --suite "
                  "elementary` shows what there is",
                  print(c), c.word("rules"), c.word("operation"), c.word("kind")));
}

const soft::Function& function_of(const Case& c) {
  const auto* found =
      std::find_if(soft::kFunctions.begin(), soft::kFunctions.end(),
                   [&](const soft::Function& f) { return f.name == c.word("operation"); });
  if (found == soft::kFunctions.end())
    throw std::logic_error("no such function: " + std::string(c.word("operation")));
  return *found;
}

std::size_t count_of(const Case& c) {
  const std::uint64_t n = c.number("size", 'n');
  constexpr std::uint64_t kLargest = 1u << 24;
  if (n >= 1 && n <= kLargest) return static_cast<std::size_t>(n);
  throw UsageError(
      fmt::format("case '{}': size n{} is not between 1 and {}", print(c), n, kLargest));
}

std::uint64_t size_at(Level level, std::string_view fill) {
  if (fill == "edges") return level == Level::kSmoke ? 0 : std::size(kEdges);
  if (fill == "halves") return kHalves;
  switch (level) {
    case Level::kSmoke:
      return 4096;
    case Level::kStandard:
      return 1u << 15;
    case Level::kFull:
      return 1u << 18;
    case Level::kExhaustive:
      return 1u << 22;
  }
  return 0;
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  std::vector<Case> list;
  for (const Bound& b : bounds()) {
    for (const std::string_view fill : kFills) {
      if (fill == "edges" && !has_edges(b)) continue;
      std::uint64_t last = 0;
      for (Level l = Level::kSmoke; l <= level; l = static_cast<Level>(static_cast<int>(l) + 1)) {
        const std::uint64_t n = size_at(l, fill);
        if (n == last) continue;
        last = n;
        const std::string size = fmt::format("n{}", n);
        const std::array<std::string_view, 7> tokens = {"fp32",    b.function, b.kind, b.rules,
                                                        kPortable, size,       fill};
        list.push_back(make_case("elementary", axes(), tokens, seed));
      }
    }
  }
  return list;
}

bool at_edges(const Case& c) { return c.word("fill") == "edges"; }

const ContractRow& row(const Case& c, const backends::DeviceInfo&) {
  return at_edges(c) ? edge_row_of(bound_of(c)) : row_of(bound_of(c));
}

std::string rules_promised(const Case& c) { return fmt::format("functions.{}", c.word("rules")); }

// The functions of a language that has any are those that a profile is about.
std::string functions_of(const Case& c, const backends::DeviceInfo& device) {
  if (bound_of(c).profile) {
    for (const backends::Promise& p : device.promises) {
      if (p.offered && p.capability.starts_with("functions.")) return p.capability;
    }
  }
  return rules_promised(c);
}

// The other rules are another interface's.
bool concerns(const Case& c, const backends::DeviceInfo& device) {
  return device.promise(rules_promised(c)) != nullptr;
}

Plan plan(const Case& c, const backends::DeviceInfo& device) {
  const Bound& bound = bound_of(c);
  Plan made;
  const std::string capability = functions_of(c, device);
  if (!device.offers(capability)) {
    made.needs = capability;
    return made;
  }
  const std::size_t count = count_of(c);
  constexpr std::uint32_t kGroupItems = 64;
  made.tensors = {{"x", &kFp32, count, Role::kInput}, {"y", &kFp32, count, Role::kOutput}};
  made.launches.push_back(
      {.family = "functions",
       .defines = {},
       .entry = fmt::format("function_{}_{}", bound.kind, bound.function),
       .groups = {static_cast<std::uint32_t>((count + kGroupItems - 1) / kGroupItems), 1, 1},
       .items = {kGroupItems, 1, 1},
       .arguments = {TensorRef{"x"}, TensorRef{"y"}, static_cast<std::int32_t>(count)}});
  return made;
}

// Binades of the operands of `moderate`, from 2^-10 on: those of the arc functions end at 1.
std::uint64_t binades_of(const Case& c) {
  const bool arc = c.word("operation") == "asin" || c.word("operation") == "acos";
  return arc ? 10 : 17;
}

Bits operand(const Case& c, std::uint64_t index, std::uint64_t word) {
  const std::string_view fill = c.word("fill");
  if (fill == "edges") return kEdges[index % std::size(kEdges)];
  if (fill == "halves") return soft::convert(kFp16, kFp32, index % kHalves).bits;
  if (fill == "bits") return word & kFp32.mask();
  const Bits field = static_cast<Bits>(kFp32.bias) - 10 + (word >> 40) % binades_of(c);
  return (word >> 63 << 31) | field << kFp32.fraction_bits | (word & kFp32.fraction_mask());
}

// What a profile defines: finite numbers, positive and normal ones where only those have a value,
// and on the circle. Others keep their fraction and move to [1, 2).
Bits in_profile(const Bound& bound, Bits bits) {
  const bool positive_only = bound.function.starts_with("log") || bound.function == "rsqrt";
  const formats::Class kind = formats::classify(kFp32, bits);
  bool moves = !formats::is_finite(kFp32, bits);
  if (positive_only) moves = moves || kind != formats::Class::kNormal;
  constexpr Bits kPi = 0x40490fda;  // less a hair
  if (bound.shape == Shape::kOneCircle) moves = moves || (bits & kFp32.magnitude_mask()) > kPi;
  if (moves) {
    const Bits rest = bits & (kFp32.sign_mask() | kFp32.fraction_mask());
    bits = rest | static_cast<Bits>(kFp32.bias) << kFp32.fraction_bits;
  }
  return positive_only ? bits & kFp32.magnitude_mask() : bits;
}

TensorSet inputs(const Case& c) {
  const Random random(c, "x");
  const Bound& bound = bound_of(c);
  const bool root = c.word("operation") == "rsqrt";
  const bool fast = c.word("kind") == "half";
  Tensor x = Tensor::zeros(kFp32, count_of(c));
  for (std::size_t i = 0; i < x.count(); ++i) {
    Bits bits = operand(c, i, random.at(i));
    if (root && bits == kFp32.sign_mask()) bits = 0;
    // Of these a logarithm may be NaN, or that of zero: not one range.
    if (fast && formats::is_subnormal(kFp32, bits)) bits &= kFp32.magnitude_mask();
    x.set(i, bound.profile ? in_profile(bound, bits) : bits);
  }
  TensorSet set;
  set.emplace("x", std::move(x));
  return set;
}

TensorSet refer(const Case& c, const TensorSet& in, const models::Machine&) {
  TensorSet out;
  out.emplace("y", fast::evaluate(function_of(c), in.at("x")));
  return out;
}

std::optional<Farthest> farthest_of(const Case& c, const TensorSet& in, const TensorSet& expected,
                                    const TensorSet& actual) {
  if (at_edges(c) || bound_of(c).profile) return std::nullopt;
  return farthest(function_of(c), in.at("x"), expected.at("y"), actual.at("y"));
}

// The fast kind may flush, whatever the device promises; and so may a profile.
Terms terms_of(const Case& c) {
  const Bound& bound = bound_of(c);
  return {.ulps = bound.ulps,
          .exact_edges = at_edges(c),
          .may_flush = bound.kind == "half" || bound.profile,
          .of_rounded = bound.origin == Origin::kRounded,
          .may_saturate = bound.profile,
          .shape = bound.shape};
}

std::optional<Enclosure> enclose(const Case& c, const TensorSet& in) {
  return enclosure_of(function_of(c), in.at("x"), terms_of(c));
}

bool follows_machine(const Case&) { return false; }

soft::Subnormals subnormals_of(const Flushing& flushing) {
  if (flushing.operands && flushing.results) return soft::Subnormals::kFlush;
  return flushing.operands ? soft::Subnormals::kFlushIn : soft::Subnormals::kFlushOut;
}

// A device that flushes, and then keeps its bound.
Hypothesis flushes(std::string name, std::string_view finding_class, std::string_view what,
                   Flushing flushing) {
  return {.name = std::move(name),
          .finding_class = std::string(finding_class),
          .sentence =
              fmt::format("the function flushes {} to zero, and keeps its bound otherwise", what),
          .evaluate =
              [flushing](const Case& c, const TensorSet& in) {
                const soft::Environment environment{.subnormals = subnormals_of(flushing)};
                TensorSet out;
                out.emplace("y", fast::evaluate(function_of(c), in.at("x"), environment));
                return out;
              },
          .freedoms = {"operation_subnormals"},
          .enclose =
              [flushing](const Case& c, const TensorSet& in) {
                return enclosure_of(function_of(c), in.at("x"), terms_of(c), flushing);
              }};
}

// Within what the fast kinds of functions are allowed, of which flushing is a part.
Hypothesis imprecise() {
  static constexpr Terms kFast{.ulps = 8192, .exact_edges = false, .may_flush = true};
  return {.name = "half-precision",
          .finding_class = "low_precision",
          .sentence = "the function has the 11 good bits of a fast kind, or flushes subnormals",
          .evaluate = [](const Case& c, const TensorSet& in) { return refer(c, in, {}); },
          .freedoms = {},
          .enclose =
              [](const Case& c, const TensorSet& in) {
                return enclosure_of(function_of(c), in.at("x"), kFast);
              }};
}

// A function that nears its limit, and takes an infinity for one more number there.
Hypothesis approaches() {
  return {.name = "limit-approached",
          .finding_class = "limit",
          .sentence =
              "at a zero or an infinity the function is near its exact value, as it owes "
              "to numbers, and is not that value",
          .evaluate = [](const Case& c, const TensorSet& in) { return refer(c, in, {}); },
          .freedoms = {},
          .enclose =
              [](const Case& c, const TensorSet& in) {
                return enclosure_of(function_of(c), in.at("x"),
                                    {.ulps = bound_of(c).ulps, .exact_edges = false});
              }};
}

// Beyond a profile that the device does not promise.
Hypothesis beyond_profile() {
  return {.name = "beyond-profile",
          .finding_class = "low_precision",
          .sentence =
              "the function has fewer good bits than the profile asks for, which the "
              "device does not promise",
          .evaluate = [](const Case& c, const TensorSet& in) { return refer(c, in, {}); },
          .freedoms = {"profile"},
          .enclose =
              [](const Case&, const TensorSet& in) {
                const Tensor& x = in.at("x");
                Enclosure all;
                all.low.emplace("y", Tensor::zeros(kFp32, x.count()));
                all.high.emplace("y", Tensor::zeros(kFp32, x.count()));
                for (std::size_t i = 0; i < x.count(); ++i) {
                  all.low.at("y").set(i, formats::infinity(kFp32, true));
                  all.high.at("y").set(i, formats::infinity(kFp32, false));
                }
                return all;
              }};
}

std::vector<Hypothesis> hypotheses(const Case& c) {
  if (bound_of(c).profile) return {beyond_profile()};
  if (at_edges(c)) return {approaches()};
  return {flushes("flushes-results", "ftz_out", "subnormal results", {.results = true}),
          flushes("flushes-operands", "ftz_in", "subnormal operands", {.operands = true}),
          flushes("flushes-all", "ftz", "subnormal operands and results",
                  {.operands = true, .results = true}),
          imprecise()};
}

std::vector<Operand> operands(const Case&, const TensorSet& in, std::string_view,
                              std::size_t index) {
  return {{.label = "x", .format = &kFp32, .bits = in.at("x").at(index)}};
}

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "elementary",
      .summary = "elementary functions of the vendor's language, within its specification's bounds",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .row = row,
      .plan = plan,
      .inputs = inputs,
      .refer = refer,
      .hypotheses = hypotheses,
      .operands = operands,
      .enclose = enclose,
      .follows_machine = follows_machine,
      .not_asserted = not_asserted(),
      .farthest = farthest_of,
      .concerns = concerns};
  return kSuite;
}

}  // namespace halfmark::suites::elementary
