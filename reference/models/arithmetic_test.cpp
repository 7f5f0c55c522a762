// SPDX-License-Identifier: Apache-2.0
// Names, and each arithmetic against its written definition evaluated with the naive twin.
#include "reference/models/arithmetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "reference/slow/dot.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::models {
namespace {

using formats::kBf16;
using formats::kFp16;
using formats::kFp32;

constexpr soft::Environment kIeee{};

TEST(Arithmetic, NamesParseBackAndDiffer) {
  std::set<std::string> names;
  for (const NamedArithmetic& row : all_arithmetics()) {
    EXPECT_EQ(print(row.arithmetic), row.name);
    EXPECT_EQ(parse_arithmetic(row.name), row.arithmetic);
    EXPECT_FALSE(row.description.empty());
    names.insert(row.name);
  }
  EXPECT_EQ(names.size(), all_arithmetics().size());
  EXPECT_TRUE(names.contains("exact"));
  EXPECT_TRUE(names.contains("fp32.sequential.fma"));
  EXPECT_TRUE(names.contains("bf16.pairwise.mul"));
  EXPECT_FALSE(parse_arithmetic("fp32.sequential"));
  EXPECT_FALSE(parse_arithmetic("fp32.sideways.fma"));
}

// A random value of the grammar for `count` products; every option that means something may be
// there.
class RandomArithmetic {
 public:
  explicit RandomArithmetic(slow::Operands& operands) : operands_(operands) {}

  Arithmetic operator()(std::size_t count) {
    Arithmetic x{.accumulator = &format(), .order = order(count)};
    x.step = one_in(2) ? Step::kFma : Step::kMul;
    if (one_in(4)) x.rounding = soft::kRoundings[below(soft::kRoundings.size())].value;
    if (one_in(4)) {
      x.subnormals = soft::kSubnormalPolicies[below(soft::kSubnormalPolicies.size())].value;
    }
    if (x.step == Step::kMul && one_in(3)) x.product = &format();
    if (x.order.has_parts() && one_in(3)) x.parts = &format();
    if (x.order.has_parts() && one_in(3)) x.total = &format();
    if (one_in(4)) x.early = &format();
    if (addend_can_move(x.order) && one_in(2)) {
      x.order.addend = x.order.addend == Addend::kFirst ? Addend::kLast : Addend::kFirst;
    }
    return x;
  }

 private:
  bool one_in(std::uint64_t n) { return operands_.word() % n == 0; }
  std::size_t below(std::size_t n) { return operands_.word() % n; }
  const Format& format() {
    constexpr std::array kRows{&kFp16, &kBf16, &kFp32};
    return *kRows[below(kRows.size())];
  }
  Order order(std::size_t count) {
    const auto size = static_cast<std::uint32_t>(1 + below(9));
    const auto combine = static_cast<Combine>(below(3));
    Order made = sized(size, combine, count);
    if (made.has_parts() && one_in(3)) {
      made.group = static_cast<std::uint32_t>(2 + below(4));
      made.within = static_cast<Combine>(below(3));
      made.addend = usual_addend(made);
    }
    return made;
  }
  Order sized(std::uint32_t size, Combine combine, std::size_t count) {
    switch (below(count == 0 ? 6 : 7)) {
      case 0:
        return Order::kSequential;
      case 1:
        return Order::kReversed;
      case 2:
        return Order::kPairwise;
      case 3:
        return strided(size, combine, static_cast<std::uint32_t>(1 + below(4)));
      case 4:
        return blocked(size, combine);
      case 5:
        return split_k(size, combine);
      default:
        return written_tree(tree(count));
    }
  }
  // Joins random neighbours until one node is left; c among the leaves of half of all trees.
  Tree tree(std::size_t count) {
    std::vector<Tree> nodes;
    for (std::uint32_t k = 0; k < count; ++k) {
      nodes.push_back({{TreeToken::Kind::kProduct, k}});
    }
    for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[below(i)]);
    if (one_in(2)) nodes.insert(nodes.begin(), {{TreeToken::Kind::kAddend, 0}});
    while (nodes.size() > 1) {
      const std::size_t joined =
          one_in(2) ? 2 : 2 + below(std::min<std::size_t>(4, nodes.size() - 1));
      const std::size_t first = below(nodes.size() - joined + 1);
      const bool fused = joined > 2 || one_in(4);
      for (std::size_t i = 1; i < joined; ++i) {
        nodes[first].insert(nodes[first].end(), nodes[first + 1].begin(), nodes[first + 1].end());
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(first) + 1);
      }
      nodes[first].push_back(
          fused ? TreeToken{TreeToken::Kind::kFuse, static_cast<std::uint32_t>(joined)}
                : TreeToken{TreeToken::Kind::kJoin, 0});
    }
    return nodes[0];
  }

  slow::Operands& operands_;
};

TEST(Arithmetic, EveryValueParsesBackFromItsName) {
  slow::Operands operands(3);
  RandomArithmetic random(operands);
  std::set<std::string> names;
  for (int i = 0; i < 20000; ++i) {
    const Arithmetic value = random(1 + operands.word() % 12);
    const std::string name = print(value);
    const auto read = read_arithmetic(name);
    ASSERT_TRUE(std::holds_alternative<Arithmetic>(read))
        << name << ": " << std::get<NameError>(read).message;
    ASSERT_EQ(value, std::get<Arithmetic>(read)) << name;
    ASSERT_EQ(name, print(std::get<Arithmetic>(read)));
    names.insert(name);
  }
  EXPECT_GT(names.size(), 10000U) << "the values hardly vary";
}

TEST(Arithmetic, TheGrammarsExamplesAreNames) {
  for (const GrammarLine& line : arithmetic_grammar()) {
    const auto value = parse_arithmetic(line.example);
    ASSERT_TRUE(value) << line.example;
    EXPECT_EQ(print(*value), line.example);
    EXPECT_FALSE(describe(*value).empty());
  }
}

TEST(Arithmetic, DeepTreesNeedNoRecursion) {
  constexpr std::uint32_t kDepth = 200000;
  Tree tree{{TreeToken::Kind::kProduct, 0}};
  for (std::uint32_t k = 1; k < kDepth; ++k) {
    tree.push_back({TreeToken::Kind::kProduct, k});
    tree.push_back({TreeToken::Kind::kJoin, 0});
  }
  const Arithmetic deep{.accumulator = &kFp32, .order = written_tree(tree)};
  ASSERT_EQ(parse_arithmetic(print(deep)), deep);
  const std::vector<Bits> ones(kDepth, 0x3c00);
  const Encoded d = dot(deep, {&kFp16, ones.data()}, {&kFp16, ones.data()}, kDepth, {}, kFp32);
  EXPECT_EQ(slow::from_int(kFp32, kDepth, kIeee).bits, d.bits);
}

TEST(Arithmetic, PlainChainsHaveNoOptions) {
  for (const char* plain : {"fp32.sequential.fma", "fp16.reversed.mul"}) {
    EXPECT_TRUE(is_plain_chain(*parse_arithmetic(plain))) << plain;
  }
  for (const char* other : {"exact", "fp32.pairwise.fma", "fp32.blocked-4.fma",
                            "fp32.sequential.fma.up", "fp32.sequential.fma.c_last",
                            "fp32.reversed.fma.early-fp16", "fp32.sequential.mul.product-bf16"}) {
    EXPECT_FALSE(is_plain_chain(*parse_arithmetic(other))) << other;
  }
}

struct BadName {
  std::string_view name;
  std::size_t position;
  std::string_view words;
};

TEST(Arithmetic, ErrorsSayWhatWasExpectedAndWhere) {
  const BadName bad[] = {
      {"", 0, "expected a format (fp16, "},
      {"fp17.sequential.fma", 0, "or exact, not 'fp17'"},
      {"exact.fma", 6, "the end of the name after exact, not 'fma'"},
      {"unit", 4, "expected GENERATION.INSTRUCTION.INPUT.OUTPUT of a matrix unit, but the name"},
      {"unit.hopper.mfma.fp16.fp32", 5, "of a matrix unit, not 'hopper.mfma.fp16.fp32'"},
      {"fp32", 4, "expected an order (sequential, "},
      {"fp32.sideways.fma", 5, "tree-((0+1)+2)), not 'sideways'"},
      {"fp32.sequential", 15, "expected a step (fma or mul), but the name ends"},
      {"fp32.sequential.add", 16, "expected a step (fma or mul), not 'add'"},
      {"fp32.sequential.fma.", 20, "expected an option"},
      {"fp32.sequential.fma.rz", 20, "expected an option (near_even, toward_zero, "},
      {"fp32.sequential.fma.down.up", 25, "no second option of this kind"},
      {"fp32.sequential.fma.c_first", 20, "no c_first: sequential has c first anyway"},
      {"fp32.pairwise.fma.c_first", 18, "no c_first: pairwise has c last anyway"},
      {"fp32.sequential.fma.product-bf16", 20, "no product: it belongs to the step mul"},
      {"fp32.pairwise.fma.parts-bf16", 18, "no parts: it belongs to the orders strided"},
      {"fp32.sequential.fma.early-fp33", 26, "expected a format (fp16, "},
      {"fp32.strided.fma", 12, "a size from 1 to 1073741824, as in strided-8"},
      {"fp32.strided-0.fma", 14, "a size from 1"},
      {"fp32.strided-08.fma", 13, "a size from 1"},
      {"fp32.blocked-9999999999.fma", 13, "a size from 1"},
      {"fp32.blocked-4-sideways.fma", 14, "-sequential, -pairwise or -halves, not '-sideways'"},
      {"fp32.strided-4x.fma", 15, "a run from 2 to 1073741824, as in strided-4x32"},
      {"fp32.strided-4x1.fma", 16, "a run from 2"},
      {"fp32.blocked-4x2.fma", 14, "the end of the order, -sequential"},
      {"fp32.strided-64-halves1-pairwise.fma", 22, "how many sums that takes, as in -halves32"},
      {"fp32.strided-64-halves32.fma", 24, "how the rest is combined"},
      {"fp32.strided-64-halves32-up.fma", 24, "how the rest is combined"},
      {"unit.hopper.wgmma.fp16.fp32.pairwise", 28, "an order that has partial sums"},
      {"unit.hopper.wgmma.fp16.fp32.blocked-0", 37, "a size from 1"},
      {"unit.hopper.wgmma.fp16.fp32.sideways", 28, "expected an option"},
      {"unit.hopper.wgmma.fp16.fp32.down", 28, "no down: a matrix unit has its own"},
      {"unit.hopper.wgmma.fp16.fp32.flush", 28, "no flush: a matrix unit has its own"},
      {"unit.hopper.wgmma.fp16.fp32.total-fp16", 28, "no total: it belongs to the orders"},
      {"unit.hopper.wgmma.fp16.fp32.blocked-8.product-fp16", 38, "no product: it belongs"},
      {"fp32.tree-.fma", 10, "the number of a product, 'c', '(' or '['"},
      {"fp32.tree-(0+1.fma", 14, "expected '+' or ')', but the name ends"},
      {"fp32.tree-(0+).fma", 13, "the number of a product, 'c', '(' or '[', not ')'"},
      {"fp32.tree-(0).fma", 12, "a node has at least two operands"},
      {"fp32.tree-(0+1+2).fma", 14, "a node of three operands is a fused one"},
      {"fp32.tree-(0+1)2.fma", 15, "the end of the tree, not '2'"},
      {"fp32.tree-(0+2).fma", 5, "each product from 0 to 1 once in the tree; 2 is beyond them"},
      {"fp32.tree-(0+0).fma", 5, "0 is there twice"},
      {"fp32.tree-((c+0)+c).fma", 5, "c at most once"},
      {"fp32.tree-c.fma", 5, "at least one product"},
  };
  for (const BadName& row : bad) {
    const auto read = read_arithmetic(row.name);
    ASSERT_TRUE(std::holds_alternative<NameError>(read)) << row.name;
    const auto& error = std::get<NameError>(read);
    EXPECT_EQ(error.position, row.position) << row.name << ": " << error.message;
    EXPECT_NE(error.message.find(row.words), std::string::npos)
        << row.name << ": " << error.message;
    EXPECT_TRUE(error.message.starts_with("at character " + std::to_string(row.position + 1)))
        << error.message;
  }
}

class DotTest : public testing::Test {
 protected:
  slow::Products random_products(const Format& in, std::size_t count) {
    slow::Products p{&in, {}, {}};
    // Operands of middling size keep sums finite and let them cancel; others come too.
    const bool tame = operands_.word() % 2 == 0;
    for (std::size_t k = 0; k < count; ++k) {
      p.a.push_back(tame ? middling(in) : operands_.any(in));
      p.b.push_back(tame ? middling(in) : operands_.any(in));
    }
    return p;
  }
  Bits middling(const Format& f) {
    const Bits around_one = static_cast<Bits>(f.bias) - 3 + operands_.word() % 7;
    const Bits field = around_one & static_cast<Bits>(f.max_exponent_field());
    return field << f.fraction_bits | (operands_.word() & (f.fraction_mask() | f.sign_mask()));
  }
  std::optional<Encoded> random_addend() {
    const Format& f = operands_.word() % 2 == 0 ? kFp32 : kFp16;
    if (operands_.word() % 2 == 0) return std::nullopt;
    return Encoded{&f, operands_.word() % 2 == 0 ? middling(f) : operands_.any(f)};
  }
  // The answers of the twin and of models::dot.
  void expect_twin(const Arithmetic& arithmetic, const Format& in, std::size_t count) {
    const soft::Environment& env = operands_.environment();
    const slow::Products p = random_products(in, count);
    const std::optional<Encoded> c = random_addend();
    const std::string name = print(arithmetic);
    std::optional<slow::Number> addend;
    if (c) addend = slow::Number{c->format, c->bits};
    const slow::Number expected = slow::dot(name, p, addend, env);
    const Encoded actual = dot(arithmetic, {&in, p.a.data()}, {&in, p.b.data()}, count, c, kFp16,
                               uniform_machine(env));
    ASSERT_EQ(expected.format, actual.format) << name;
    ASSERT_EQ(expected.bits, actual.bits) << name << ' ' << in.name << " n=" << count;
    ++compared_;
  }

  slow::Operands operands_{1};
  int compared_ = 0;
};

// The folded formats, the wide one, and narrow ones of each kind.
constexpr std::array kInputs{&kFp16,
                             &kBf16,
                             &kFp32,
                             &formats::kFp64,
                             &formats::kTf32,
                             &formats::kE4m3fn,
                             &formats::kE5m2fnuz,
                             &formats::kE2m1};

TEST_F(DotTest, ListedNamesFollowTheDefinitions) {
  for (const NamedArithmetic& row : all_arithmetics()) {
    // Units have a twin of their own.
    if (row.arithmetic.accumulator == nullptr) continue;
    for (const Format* in : kInputs) {
      for (int i = 0; i < 100; ++i) expect_twin(row.arithmetic, *in, operands_.word() % 20);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(compared_, 10000);
}

TEST_F(DotTest, EveryNameOfTheGrammarFollowsTheDefinitions) {
  RandomArithmetic random(operands_);
  for (int i = 0; i < 40000 && !HasFatalFailure(); ++i) {
    const std::size_t count = operands_.word() % 24;
    expect_twin(random(count), *kInputs[operands_.word() % kInputs.size()], count);
  }
  EXPECT_GT(compared_, 30000);
}

// A subnormal sum is an operand like any other: 2^-15 + 0 comes out of the pair and not into the
// node.
TEST(Dot, FusedNodesFlushTheSumsThatEnterThem) {
  const std::vector<Bits> a{0x0000, 0x1c00, 0x0000};
  const std::vector<Bits> b{0x3c00, 0x2000, 0x3c00};
  const auto value = [&](std::string_view name) {
    return dot(*parse_arithmetic(name), {&kFp16, a.data()}, {&kFp16, b.data()}, 3, {}, kFp16).bits;
  };
  EXPECT_EQ(value("fp16.tree-[(0+1)+2].fma"), 0x0200U);
  EXPECT_EQ(value("fp16.tree-[0+1+2].fma.flush_in"), 0x0200U);
  EXPECT_EQ(value("fp16.tree-[(0+1)+2].fma.flush_in"), 0x0000U);
}

TEST(Dot, AWrittenTreeMustFitTheSum) {
  const Arithmetic tree = *parse_arithmetic("fp32.tree-((0+1)+2).fma");
  EXPECT_NO_THROW(require_products(tree, 3));
  EXPECT_NO_THROW(require_products(tree, 0));
  EXPECT_THROW(require_products(tree, 4), std::invalid_argument);
}

// A chain for each stretch of products, combined step by step: what the name of a unit with an
// order means, written out.
TEST(Dot, PartialSumsOfAUnitAreChainsOfItsOwn) {
  slow::Operands operands(7);
  const Unit& unit = *find_unit("unit.ampere.mma.fp16.fp32");
  const auto middling = [&] {
    return (Bits{12} + operands.word() % 7) << 10 | (operands.word() & 0x83ff);
  };
  for (int i = 0; i < 200; ++i) {
    const std::size_t n = 1 + operands.word() % 70;
    std::vector<Bits> a, b;
    for (std::size_t k = 0; k < n; ++k) {
      a.push_back(middling());
      b.push_back(middling());
    }
    const auto chain = [&](std::size_t first, std::size_t last, Bits c) {
      return unit_dot(unit, {&kFp16, a.data() + first}, {&kFp16, b.data() + first}, last - first,
                      Encoded{&kFp32, c})
          .bits;
    };
    const auto value = [&](const std::string& behind) {
      return dot(*parse_arithmetic(std::string(unit.name) + behind), {&kFp16, a.data()},
                 {&kFp16, b.data()}, n, Encoded{&kFp32, 0x40490fdb}, kFp32)
          .bits;
    };
    EXPECT_EQ(value(""), chain(0, n, 0x40490fdb));
    Bits blocks = 0x40490fdb;
    for (std::size_t k = 0; k < n; k += 24)
      blocks = slow::add(kFp32, blocks, chain(k, std::min(n, k + 24), 0), kIeee).bits;
    EXPECT_EQ(value(".blocked-24"), blocks) << n;
    const std::size_t half = (n + 1) / 2;
    const Bits low = chain(0, half, 0);
    const Bits both = n == 1 ? low : slow::add(kFp32, low, chain(half, n, 0), kIeee).bits;
    EXPECT_EQ(value(".splitk-2"), slow::add(kFp32, both, 0x40490fdb, kIeee).bits) << n;
    const auto narrow = [](Bits x) { return slow::convert(kFp32, kFp16, x, kIeee).bits; };
    Bits narrow_sum = narrow(low);
    if (n > 1) narrow_sum = slow::add(kFp16, narrow_sum, narrow(chain(half, n, 0)), kIeee).bits;
    EXPECT_EQ(value(".splitk-2.total-fp16"),
              slow::add(kFp16, narrow_sum, narrow(0x40490fdb), kIeee).bits);
    EXPECT_EQ(value(".early-fp16"), narrow(chain(0, n, 0x40490fdb)));
    Bits runs = chain(0, std::min<std::size_t>(n, 16), 0);
    if (n > 32) runs = chain(32, std::min<std::size_t>(n, 48), runs);
    if (n > 16 && n <= 48) {
      const Bits others = chain(16, std::min<std::size_t>(n, 32), 0);
      const Bits sum = slow::add(kFp32, runs, others, kIeee).bits;
      EXPECT_EQ(value(".strided-2x16"), slow::add(kFp32, sum, 0x40490fdb, kIeee).bits) << n;
    }
  }
}

TEST(Arithmetic, UnitsWithOrdersParseBack) {
  for (const char* name :
       {"unit.hopper.wgmma.e4m3fn.fp32.blocked-128", "unit.ampere.mma.fp16.fp32.splitk-4",
        "unit.ampere.mma.fp16.fp32.strided-4x32-halves.parts-fp16.c_first",
        "unit.cdna3.mfma.fp16.fp32.splitk-8-pairwise.total-fp16.early-bf16",
        "unit.volta.mma.fp16.fp32.early-fp16"}) {
    const auto value = parse_arithmetic(name);
    ASSERT_TRUE(value) << name;
    EXPECT_EQ(name, print(*value));
    EXPECT_FALSE(value->is_chain_of_unit());
    EXPECT_FALSE(describe(*value).empty());
  }
  EXPECT_TRUE(parse_arithmetic("unit.volta.mma.fp16.fp32")->is_chain_of_unit());
}

// 2048, then twelve ones: how many of them an fp16 sum keeps tells where partial sums meet.
TEST(Dot, OrdersKeepWhatTheirPartialSumsHold) {
  std::vector<Bits> a(13, 0x3c00);
  a[0] = 0x6800;
  const std::vector<Bits> b(13, 0x3c00);
  const auto value = [&](std::string_view name) {
    const Encoded d = dot(*parse_arithmetic(name), {&kFp16, a.data()}, {&kFp16, b.data()}, 13,
                          Encoded{&kFp16, 0x3c00}, kFp16);
    return slow::convert(*d.format, kFp32, d.bits, kIeee).bits;
  };
  const auto integer = [](int i) { return slow::from_int(kFp32, i, kIeee).bits; };
  EXPECT_EQ(value("fp16.sequential.fma"), integer(2048));  // 2049 is lost to 2048 each time
  EXPECT_EQ(value("fp16.sequential.fma.c_last"), integer(2048));
  EXPECT_EQ(value("fp16.reversed.fma"), integer(2060));   // 13 + 2048, a tie
  EXPECT_EQ(value("fp16.blocked-4.fma"), integer(2056));  // 1 + 2048, then 4 + 4 + 1
  EXPECT_EQ(value("fp16.blocked-4.fma.total-fp32"), integer(2058));
  EXPECT_EQ(value("fp16.splitk-2.fma"), integer(2056));   // 2048 + 6, then c, a tie
  EXPECT_EQ(value("fp16.strided-4.fma"), integer(2060));  // 2052 + 6, then c, a tie
  EXPECT_EQ(value("fp16.sequential.fma.up"), integer(2074));
  EXPECT_EQ(value("fp32.sequential.fma.early-bf16"), integer(2064));
}

TEST(Dot, OperandsOfDifferentFormatsAndStrides) {
  // 1 * 2 + 3 * 4 with a in bf16, every second element, and b in fp16, walked backwards.
  const std::vector<Bits> a{0x3f80, 0xffff, 0x4040};
  const std::vector<Bits> b{0x4400, 0x4000};
  for (const NamedArithmetic& row : all_arithmetics()) {
    if (row.arithmetic.unit != nullptr) continue;  // takes the formats of its row only
    const Encoded d = dot(row.arithmetic, {&kBf16, a.data(), 2}, {&kFp16, b.data() + 1, -1}, 2,
                          Encoded{&kFp32, 0x3f800000}, kFp32);
    const Bits fifteen = soft::Result(slow::from_int(*d.format, 15, kIeee)).bits;
    EXPECT_EQ(fifteen, d.bits) << row.name;
    EXPECT_EQ(d.format, &answer_format(row.arithmetic, kFp32));
  }
}

TEST(Dot, OrdersAndWidthsDiffer) {
  // 2048 + 1 + 1 - 2048 in fp16: each arithmetic loses something else.
  const std::vector<Bits> a{0x6800, 0x3c00, 0x3c00, 0xe800};
  const std::vector<Bits> b{0x3c00, 0x3c00, 0x3c00, 0x3c00};
  const auto value = [&](std::string_view name) {
    return dot(*parse_arithmetic(name), {&kFp16, a.data()}, {&kFp16, b.data()}, 4, {}, kFp16).bits;
  };
  EXPECT_EQ(value("exact"), 0x4000U);
  EXPECT_EQ(value("fp32.sequential.fma"), 0x40000000U);
  EXPECT_EQ(value("fp16.sequential.fma"), 0x0000U);
  EXPECT_EQ(value("fp16.pairwise.mul"), 0x3c00U);  // (2048 + 1) + (1 - 2048)
}

TEST(Dot, WithoutProductsIsTheAddend) {
  for (const NamedArithmetic& row : all_arithmetics()) {
    if (row.arithmetic.unit != nullptr) continue;
    const Encoded none = dot(row.arithmetic, {&kFp16, nullptr}, {&kFp16, nullptr}, 0, {}, kFp16);
    EXPECT_EQ(none.bits, 0U) << row.name;
    const Encoded some = dot(row.arithmetic, {&kFp16, nullptr}, {&kFp16, nullptr}, 0,
                             Encoded{&kFp16, 0xbc00}, kFp16);
    EXPECT_EQ(some.bits, slow::convert(kFp16, *some.format, 0xbc00, kIeee).bits) << row.name;
  }
}

}  // namespace
}  // namespace halfmark::models
