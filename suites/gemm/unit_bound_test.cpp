// SPDX-License-Identifier: Apache-2.0
// The bound of matrix units: it contains every unit in the table, the bound of fp32 sums excludes
// some, and its ends match a calculation by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/gemm/binding.hpp"
#include "suites/gemm/suite.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr std::uint64_t kSeed = 7;

struct Data {
  const char* format;
  const char* output;
  const char* fills;  // those whose sums of magnitudes stay within fp32's range
  std::size_t units;  // minimum number of units in the table
};
// `finite` has every exponent, `cancel` cancels half of each sum.
constexpr Data kData[] = {
    {"fp16", "fp32", "normal uniform cancel subnormal tiny border finite", 13},
    {"fp16", "fp16", "normal uniform cancel subnormal tiny", 13},
    {"bf16", "fp32", "normal uniform cancel subnormal tiny", 12},
    {"bf16", "bf16", "normal uniform cancel subnormal tiny", 12},
    {"fp32", "fp32", "normal uniform cancel subnormal tiny", 3},
};

Case named(const Data& data, std::string_view provider, std::string_view shape,
           std::string_view variant, std::string_view fill) {
  return parse_case("gemm", suite().axes,
                    fmt::format("gemm.{}.acc-fp32.out-{}.{}.nn.{}.{}.{}.s{}", data.format,
                                data.output, provider, shape, variant, fill, kSeed));
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    list.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

// What a unit returns: its c is the first term of its sum.
TensorSet of_unit(const Case& c, const TensorSet& inputs, const models::Unit& unit) {
  Binding bound = bind(c);
  bound.problem.alpha = bound.problem.beta = std::nullopt;
  return stored_output(bound, inputs,
                       evaluate(bound, operands_of(bound, inputs), {.unit = &unit}, {}));
}

std::vector<const models::Unit*> units_of(const Binding& bound) {
  std::vector<const models::Unit*> list;
  for (const models::Unit& unit : models::all_units()) {
    const auto takes = [&](models::FormatSet set) { return *set[0] == *bound.operands; };
    if (takes(unit.a) && takes(unit.b) && *unit.output == *bound.accumulator) list.push_back(&unit);
  }
  return list;
}

std::uint64_t outside(const Enclosure& enclosure, const TensorSet& got) {
  return compare({enclosure.low, 0, &enclosure}, got).mismatches;
}

// Each row of A and each column of B has numbers within 2^8 of each other somewhere in the range, a
// quarter of them at its lower end, with room for 40 products in fp32. In odd rows and columns the
// second half of a sum cancels the first.
TensorSet spread(const Case& c) {
  const Binding bound = bind(c);
  const auto& [m, n, k] = std::tie(bound.problem.m, bound.problem.n, bound.problem.k);
  const formats::Format& f = *bound.operands;
  constexpr std::uint64_t kNear = 8;
  const auto top = static_cast<std::uint64_t>(std::min(f.max_exponent_field(), f.bias + 56));
  TensorSet inputs = suite().bind(c)->inputs();
  for (const bool is_a : {true, false}) {
    const Random random(c, is_a ? "a" : "b");
    formats::Tensor& tensor = inputs.at(is_a ? "a" : "b");
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const std::size_t line = is_a ? i / k : i % n;
      const std::uint64_t low =
          line % 4 == 0 ? 0 : random.derived(2).below(line, top - kNear) << f.fraction_bits;
      const formats::Bits size = low + random.below(i, kNear << f.fraction_bits);
      tensor.set(i, formats::encode(f, random.derived(1).below(i, 2) != 0, size));
    }
  }
  formats::Tensor &a = inputs.at("a"), &b = inputs.at("b");
  for (std::size_t x = 0; x < k / 2; ++x) {
    const std::size_t again = x + k / 2;
    for (std::size_t i = 1; i < m; i += 2) a.set(i * k + again, a.at(i * k + x) ^ f.sign_mask());
    for (std::size_t j = 1; j < n; j += 2) b.set(again * n + j, b.at(x * n + j));
  }
  return inputs;
}

// Judges every unit's result; returns the units that the bound of fp32 sums would reject.
std::set<std::string_view> hold_every_unit(const Data& data, const Case& c,
                                           const TensorSet& inputs) {
  std::set<std::string_view> beyond_sums;
  const std::optional<Enclosure> own = enclose(c, inputs);
  const std::optional<Enclosure> sums =
      enclose(named(data, "library", c.word("shape"), c.word("variant"), c.word("fill")), inputs);
  EXPECT_TRUE(own && sums) << print(c);
  if (!own || !sums) return {};
  const auto units = units_of(bind(c));
  EXPECT_GE(units.size(), data.units);
  for (const models::Unit* unit : units) {
    const TensorSet got = of_unit(c, inputs, *unit);
    EXPECT_EQ(0u, outside(*own, got)) << unit->name << " on " << print(c);
    if (outside(*sums, got) > 0) beyond_sums.insert(unit->name);
  }
  return beyond_sums;
}

TEST(GemmUnitBound, HoldsEveryUnitOnEveryExponent) {
  std::set<std::string_view> beyond_sums;
  for (const Data& data : kData) {
    for (const char* variant : {"plain", "ac"}) {
      const Case c = named(data, "unit", "m24n24k40", variant, "normal");
      beyond_sums.merge(hold_every_unit(data, c, spread(c)));
    }
  }
  for (const char* name : {"unit.cdna2.mfma.fp16.fp32", "unit.cdna2.mfma.bf16.fp32",
                           "unit.cdna2.mfma.bf16_1k.fp32", "unit.amx.tdp.bf16.fp32"})
    EXPECT_TRUE(beyond_sums.contains(name)) << name;
}

TEST(GemmUnitBound, HoldsEveryUnitOnEveryKindOfData) {
  std::set<std::string_view> beyond_sums;
  for (const Data& data : kData) {
    for (const std::string& fill : words(data.fills)) {
      for (const char* variant : {"plain", "ac"}) {
        const Case c = named(data, "unit", "m5n6k40", variant, fill);
        beyond_sums.merge(hold_every_unit(data, c, suite().bind(c)->inputs()));
      }
    }
  }
  EXPECT_TRUE(beyond_sums.contains("unit.cdna2.mfma.fp16.fp32"));
}

// Libraries multiply operands of 8 bits by units, whose 14 bits no bound of fp32 sums holds.
TEST(GemmUnitBound, HoldsWhatLibrariesMayGetOfUnitsFor8Bits) {
  for (const auto& [formats, name] : {std::pair{"e4m3fn", "unit.hopper.wgmma.e4m3fn.fp32"},
                                      {"e4m3fn-e5m2", "unit.ada.mma.e4m3fn.fp32"},
                                      {"e5m2-e4m3fn", "unit.hopper.wgmma.e5m2.fp32"}}) {
    const Case c = parse_case(
        "gemm", suite().axes,
        fmt::format("gemm.{}.acc-fp32.out-fp32.library.nt.m16n16k64.plain.normal.s7", formats));
    const TensorSet inputs = suite().bind(c)->inputs();
    const Enclosure own = *enclose(c, inputs);
    models::Unit unit = *models::find_unit(name);
    EXPECT_EQ(0u, outside(own, of_unit(c, inputs, unit))) << formats;
    unit.fraction_bits = 8;
    EXPECT_LT(0u, outside(own, of_unit(c, inputs, unit))) << formats;
  }
}

// The bound is as wide in narrow outputs, too: of every output that has cases, it must still
// exclude a sum without its last product, and B with its lines exchanged.
TEST(GemmUnitBound, ExcludesOtherProductsOf8BitsInEveryOutput) {
  for (const auto& [formats, output, name] :
       {std::tuple{"e4m3fn", "fp32", "unit.hopper.wgmma.e4m3fn.fp32"},
        {"e4m3fn-e5m2", "fp16", "unit.ada.mma.e4m3fn.fp32"},
        {"e5m2-e4m3fn", "bf16", "unit.hopper.wgmma.e5m2.fp32"},
        {"e5m2-e4m3fn", "fp32", "unit.hopper.wgmma.e5m2.fp32"}}) {
    const Case c =
        parse_case("gemm", suite().axes,
                   fmt::format("gemm.{}.acc-fp32.out-{}.library.nt.m32n48k64.plain.normal.s7",
                               formats, output));
    const TensorSet inputs = suite().bind(c)->inputs();
    const Enclosure own = *enclose(c, inputs);
    const models::Unit& unit = *models::find_unit(name);
    const std::uint64_t results = 32 * 48;
    EXPECT_EQ(0u, outside(own, of_unit(c, inputs, unit))) << print(c);
    TensorSet shorter = inputs, exchanged = inputs;
    for (std::size_t row = 0; row < 32; ++row) shorter.at("a").set(row * 64 + 63, 0);
    std::ranges::rotate(exchanged.at("b").bytes, exchanged.at("b").bytes.begin() + 64);
    EXPECT_LT(results / 2, outside(own, of_unit(c, shorter, unit))) << print(c);
    EXPECT_LT(results / 2, outside(own, of_unit(c, exchanged, unit))) << print(c);
  }
}

// 1 + 40 products just below its last place: a unit that aligns to 23 bits loses all of them.
struct Lost {
  static constexpr formats::Bits kOne = 0x3f800000;
  static constexpr Data kData{"fp16", "fp32", "", 13};
  Case c = named(kData, "unit", "m1n1k40", "ac", "normal");
  TensorSet inputs = suite().bind(c)->inputs();

  Lost() {
    for (std::size_t x = 0; x < 40; ++x) {
      inputs.at("a").set(x, 0x0bff);  // 2^-12 - 2^-23
      inputs.at("b").set(x, 0x1000);  // 2^-11
    }
    inputs.at("c").set(0, kOne);
  }
};

TEST(GemmUnitBound, HoldsAUnitThatLosesWhatFp32SumsCannot) {
  const Lost lost;
  const models::Unit* volta = models::find_unit("unit.volta.mma.fp16.fp32");
  EXPECT_EQ(Lost::kOne, of_unit(lost.c, lost.inputs, *volta).at("d").at(0));
  EXPECT_EQ(std::set{volta->name}, hold_every_unit(Lost::kData, lost.c, lost.inputs));
}

// Ten blocks of four products and c on a grid of 2^-23, each truncated to that grid once more: an
// error of 60 grid steps around 1 + 39.98 steps. Below 1 each is two encodings.
TEST(GemmUnitBound, EndsWhereItSays) {
  const Lost lost;
  const Enclosure enclosure = *enclose(lost.c, lost.inputs);
  const formats::Bits low = Lost::kOne - 40, high = Lost::kOne + 100;
  EXPECT_EQ(low, enclosure.low.at("d").at(0));
  EXPECT_EQ(high, enclosure.high.at("d").at(0));
  const auto refused = [&](formats::Bits x) {
    TensorSet got = enclosure.low;
    got.at("d").set(0, x);
    return outside(enclosure, got) == 1;
  };
  EXPECT_FALSE(refused(low));
  EXPECT_FALSE(refused(high));
  EXPECT_TRUE(refused(formats::next_down(formats::kFp32, low)));
  EXPECT_TRUE(refused(formats::next_up(formats::kFp32, high)));
}

// Wider than the bound of fp32 sums, narrower than the signal.
TEST(GemmUnitBound, IsEarnedAndNeverNarrowerThanThatOfSums) {
  std::size_t bounded = 0;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (!is_unit(c.word("provider")) || suite().bind(c)->row({}).tier != Tier::kBounded) continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const Enclosure own = *enclose(c, inputs);
    EXPECT_EQ("", unearned(inputs, {suite().bind(c)->expect(inputs).middle, 0, &own})) << print(c);
    Case by_library = c;
    for (Token& token : by_library.tokens)
      if (token.axis == "provider") token.text = "library";
    const Enclosure sums = *enclose(by_library, inputs);
    EXPECT_EQ(0u, outside(own, sums.low)) << print(c);
    EXPECT_EQ(0u, outside(own, sums.high)) << print(c);
    ++bounded;
  }
  EXPECT_EQ(6u, bounded);
}

}  // namespace
}  // namespace halfmark::suites::gemm
