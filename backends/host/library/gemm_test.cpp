// SPDX-License-Identifier: Apache-2.0
// The library's gemm: without a fault it equals the reference bit for bit in each arithmetic that
// it claims; every fault of gemm changes it at the step that the fault concerns.
#include "reference/operators/gemm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "backends/host/library/operators.hpp"

namespace halfmark::backends::host::library {
namespace {

using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using operators::GemmProblem;
using Elements = formats::Tensor;

struct Product {
  GemmProblem problem;
  const Format* operands = &kFp16;
  std::string compute = "fp32";
  double alpha = 1, beta = 0;
  std::int64_t ld_padding = 0;  // NaN between rows
  std::uint64_t call = 0;
  Elements a, b, c;
};

std::uint64_t next(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

// Numbers of a few bits with varied exponents: sums round, products of fp16 do not overflow.
Elements numbers(const Format& f, std::size_t count, std::uint64_t seed) {
  Elements made = Elements::zeros(f, count);
  for (std::size_t i = 0; i < count; ++i) {
    const double size = 1 + std::ldexp(static_cast<double>(next(seed) % (1 << 20)), -20);
    const double value = std::ldexp(size, static_cast<int>(next(seed) % 8) - 4);
    made.set(i, encode(f, next(seed) % 2 == 0 ? value : -value));
  }
  return made;
}

Product product(std::size_t m, std::size_t n, std::size_t k, const Format& operands = kFp16,
                const Format& output = kFp16) {
  Product p;
  p.operands = &operands;
  p.problem = {.m = m, .n = n, .k = k, .d_format = &output};
  return p;
}

void fill(Product& p) {
  p.a = numbers(*p.operands, p.problem.a_count(), 1);
  p.b = numbers(*p.operands, p.problem.b_count(), 2);
  p.c = numbers(*p.problem.d_format, p.problem.c_count(), 3);
}

TensorView view(const char* role, Elements& elements, std::size_t batch, std::size_t rows,
                std::size_t columns, std::size_t distance, bool transposed) {
  TensorView made{.role = role,
                  .buffer = {.address = elements.bytes.data(), .bytes = elements.bytes.size()},
                  .format = std::string(elements.format->name),
                  .sizes = {},
                  .strides = {}};
  for (const std::size_t size : {batch, rows, columns})
    made.sizes.push_back(static_cast<std::int64_t>(size));
  const auto ld = static_cast<std::int64_t>(distance);
  made.strides = {ld * static_cast<std::int64_t>(transposed ? columns : rows), transposed ? 1 : ld,
                  transposed ? ld : 1};
  return made;
}

Elements run(Product p, const char* fault = "", OperatorOutcome* outcome = nullptr) {
  const GemmProblem& g = p.problem;
  Elements d = Elements::zeros(*g.d_format, g.d_count());
  OperatorCall call{"host", "gemm", p.compute, {}, {}, {}};
  call.tensors = {view("a", p.a, g.batch, g.m, g.k, g.a_stride(), g.transpose_a),
                  view("b", p.b, g.batch, g.k, g.n, g.b_stride(), g.transpose_b),
                  view("c", p.c, g.batch, g.m, g.n, g.c_stride(), false),
                  view("d", d, g.batch, g.m, g.n, g.n, false)};
  call.scalars = {{"alpha", p.alpha}, {"beta", p.beta}};
  ThreadPool pool(2);
  const OperatorOutcome got = run_operator(call, parse_fault(fault), {.call = p.call}, pool);
  if (outcome != nullptr) *outcome = got;
  return d;
}

Elements refer(const Product& p, const char* arithmetic) {
  GemmProblem g = p.problem;
  g.alpha = encode(kFp32, p.alpha);
  g.beta = encode(kFp32, p.beta);
  return operators::gemm(g, p.a, p.b, &p.c, *models::parse_arithmetic(arithmetic), {});
}

std::size_t differences(const Elements& x, const Elements& y) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.count(); ++i) count += x.at(i) != y.at(i) ? 1u : 0u;
  return count;
}

struct Claim {
  const char* compute;
  const char* fault;
  const char* arithmetic;
};

TEST(HostGemm, IsTheArithmeticThatItClaims) {
  const Claim claims[] = {
      {"fp32", "", "fp32.sequential.fma"},
      {"fp32-reduced", "", "fp32.sequential.fma"},
      {"fp16", "", "fp16.sequential.fma"},
      {"fp64", "", "fp64.sequential.fma"},
      {"fp32", "G01", "fp16.sequential.fma"},
      {"fp32", "G01:fused=0", "fp16.sequential.mul"},
      {"fp32", "G02", "fp32.blocked-32.fma.parts-fp16.total-fp16"},
      {"fp32", "G02:block=5", "fp32.blocked-5.fma.parts-fp16.total-fp16"},
      {"fp32", "G03", "fp32.splitk-4.fma.parts-fp16"},
      {"fp16", "G44", "bf16.sequential.fma"},
      {"fp32", "G44", "fp32.sequential.fma"},
      {"fp32", "N01:order=0", "fp32.reversed.fma"},
      {"fp32", "N01:order=1", "fp32.pairwise.fma"},
      {"fp32", "N01:order=2,size=6", "fp32.strided-6.fma"},
      {"fp32", "N01:order=3", "fp32.blocked-8.fma"},
      {"fp32", "N02", "fp32.sequential.mul"},
      {"fp32", "N03", "fp64.sequential.fma"},
      {"fp32", "N06:parts=3", "fp32.splitk-3.fma"},
      {"fp32", "N14", "fp32.sequential.fma"},
  };
  for (const Claim& claim : claims) {
    for (const std::size_t k :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{70}}) {
      Product p = product(5, 67, k);
      p.problem.batch = 2;
      p.problem.transpose_b = k % 2 == 0;
      p.problem.transpose_a = k == 3;
      p.compute = claim.compute;
      p.alpha = 1.0f / 3;
      p.beta = -0.75;
      fill(p);
      EXPECT_EQ(0u, differences(refer(p, claim.arithmetic), run(p, claim.fault)))
          << claim.arithmetic << " k " << k;
    }
  }
}

TEST(HostGemm, TakesEveryFormatOfOperandsAndResults) {
  for (const Format& f : formats::all_formats()) {
    if (!f.has_sign || f.bits >= 64 || f.name == "tf32") continue;
    Product p = product(4, 5, 33, f, kFp32);
    fill(p);
    EXPECT_EQ(0u, differences(refer(p, "fp32.sequential.fma"), run(p))) << f.name;
  }
}

TEST(HostGemm, Tf32RoundsOperandsAndFp32DoesNot) {
  Product p = product(3, 4, 1, kFp32, kFp32);
  p.a = Elements::zeros(kFp32, 3);
  p.b = Elements::zeros(kFp32, 4);
  for (std::size_t i = 0; i < 3; ++i) p.a.set(i, encode(kFp32, 1 + 0x1p-12));
  for (std::size_t i = 0; i < 4; ++i) p.b.set(i, encode(kFp32, 1));
  p.c = Elements::zeros(kFp32, 12);
  EXPECT_EQ(encode(kFp32, 1 + 0x1p-12), run(p).at(0));
  p.compute = "tf32";
  EXPECT_EQ(encode(kFp32, 1), run(p).at(0));
}

TEST(HostGemm, RefusesInItsOwnWords) {
  Product p = product(2, 2, 2);
  fill(p);
  p.compute = "int8";
  OperatorOutcome outcome;
  static_cast<void>(run(p, "", &outcome));
  EXPECT_FALSE(outcome.supported);
  EXPECT_EQ("gemm of fp16 has no compute type 'int8'", outcome.answer);
}

// Data on which every fault of gemm shows, and the number of the call that G28 affects.
Product revealing(std::string_view id) {
  const bool single = id == "G32" || id == "G33" || id == "G35";
  Product p = product(33, 70, 37, single ? kFp32 : kFp16, single ? kFp32 : kFp16);
  p.alpha = 1.0f / 3;
  p.beta = -0.75;
  p.call = 999;
  if (id == "G44" || id == "G45") p.compute = "fp16";
  if (id == "G12" || id == "G13") p.beta = 0;
  if (id == "G14") p.problem.k = 0;
  if (id == "G47" || id == "G49") p.problem.k = 4099;
  if (id == "G49" || id == "G47") p.problem.m = p.problem.n = 3;
  if (id == "G21") p.problem.n = p.problem.k;
  p.problem.transpose_b = id == "G21";
  if (id == "G20") p.problem.lda = 41;
  fill(p);
  const auto spoil = [](Elements& t, double value) {
    for (std::size_t i = 0; i < t.count(); i += 5) t.set(i, encode(*t.format, value));
  };
  if (id == "G05") spoil(p.a, 0x1p-20);
  if (id == "G11") spoil(p.a, 60000);
  if (id == "G12" || id == "G13") spoil(p.c, NAN);
  if (id == "G25" || id == "G26") spoil(p.a, id == "G25" ? double{NAN} : double{INFINITY});
  if (id == "G26") spoil(p.b, 0);
  if (id == "G24" || id == "G29") spoil(p.a, 1024);
  if (id == "G35") p.a.set(0, 0x7f800001);
  if (id == "G06" || id == "G34" || id == "G53") {
    p.beta = 0;
    p.alpha = -0x1p-22;
    if (id == "G34") spoil(p.a, 0);
    if (id == "G34") p.problem.k = 1;
  }
  return p;
}

// Faults that need what `run` cannot provide: a limit, an address, rows with gaps between them, a
// broadcast, a bias, an activation, two formats, a clock.
const std::set<std::string_view> kElsewhere = {"G09", "G16", "G18", "G22", "G30", "G31", "G32",
                                               "G37", "G38", "G39", "G40", "G41", "G42", "G43",
                                               "G46", "G48", "G50", "G51", "G52", "G56", "G57"};

TEST(HostGemm, EveryFaultChangesSomething) {
  for (const FaultRow& row : all_faults()) {
    if (row.id[0] != 'G' || kElsewhere.contains(row.id)) continue;
    const Product p = revealing(row.id);
    const std::string id(row.id == "G19" ? "G19:bits=8" : row.id == "G36" ? "G36:tile=17" : row.id);
    EXPECT_GT(differences(run(p), run(p, id.c_str())), 0u) << row.id << ": " << row.does;
  }
}

// Counts elements of D that are no longer NaN; its rows are `distance` elements apart and it was
// filled with NaN.
std::size_t written_between_rows(Product p, std::size_t distance, const char* fault) {
  const GemmProblem& g = p.problem;
  Elements d = Elements::zeros(*g.d_format, g.m * distance);
  const formats::Bits poison = encode(*g.d_format, NAN);
  for (std::size_t i = 0; i < d.count(); ++i) d.set(i, poison);
  OperatorCall call{"host", "gemm", p.compute, {}, {}, {}};
  call.tensors = {view("a", p.a, g.batch, g.m, g.k, g.a_stride(), false),
                  view("b", p.b, g.batch, g.k, g.n, g.b_stride(), false),
                  view("c", p.c, g.batch, g.m, g.n, g.c_stride(), false),
                  view("d", d, g.batch, g.m, g.n, distance, false)};
  call.scalars = {{"alpha", p.alpha}, {"beta", p.beta}};
  ThreadPool pool(2);
  static_cast<void>(run_operator(call, parse_fault(fault), {.call = 0}, pool));
  std::size_t count = 0;
  for (std::size_t i = 0; i < d.count(); ++i)
    count += i % distance >= g.n && d.at(i) != poison ? 1u : 0u;
  return count;
}

TEST(HostGemm, AFaultOfPaddingWritesBetweenRows) {
  Product p = product(3, 5, 9);
  fill(p);
  EXPECT_EQ(0u, written_between_rows(p, 23, ""));
  EXPECT_LT(0u, written_between_rows(p, 23, "G46"));
}

TEST(HostGemm, FaultsWithALimitActFromThereOn) {
  Product p = product(3, 70, 9);
  p.problem.batch = 3;
  fill(p);
  const Elements right = run(p);
  const Elements narrow = run(p, "G18:limit=69");
  EXPECT_EQ(9u, differences(right, narrow));
  EXPECT_EQ(0u, narrow.at(69));
  const Elements first = run(p, "G31:limit=2");
  EXPECT_GT(differences(right, first), 200u);
  for (std::size_t i = 0; i < 2 * 3 * 70; ++i) EXPECT_EQ(right.at(i), first.at(i));
  EXPECT_EQ(0u, differences(right, run(p, "G27:n=71")));
  p.call = 998;
  EXPECT_EQ(0u, differences(right, run(p, "G28")));
}

TEST(HostGemm, AFaultOfBatchesLeavesTheFirstOne) {
  Product p = product(3, 4, 5);
  p.problem.batch = 2;
  p.alpha = 1;
  p.beta = 0;
  fill(p);
  const Elements right = run(p);
  for (std::size_t i = 0; i < p.c.count(); ++i) p.c.set(i, encode(*p.c.format, NAN));
  EXPECT_EQ(0u, differences(right, run(p)));
  const Elements wrong = run(p, "G37");
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(i < 12, right.at(i) == wrong.at(i)) << i;
}

TEST(HostGemm, FaultsOfFormatsAndCountsActOnTheirOwn) {
  Product half = product(16, 16, 128);
  fill(half);
  EXPECT_EQ(0u, differences(run(half), run(half, "G48")));
  EXPECT_EQ(0u, differences(run(half), run(half, "G50")));
  EXPECT_EQ(256u, differences(run(half, "G15:multiple=129"), run(half)));
  EXPECT_EQ(0u, differences(run(half, "G15:multiple=129"), run(half, "G50:bits=7")));
  Product narrow = product(16, 16, 128, formats::kE4m3fn, kFp32);
  fill(narrow);
  EXPECT_LT(0u, differences(run(narrow), run(narrow, "G48")));
}

TEST(HostGemm, AWorkspaceThatIsKeptAddsThePreviousSums) {
  Product p = product(2, 3, 64, kFp16, kFp32);
  p.alpha = 1;
  fill(p);
  const Elements right = run(p);
  static_cast<void>(run(p, "G52"));
  const Elements twice = run(p, "G52");
  for (std::size_t i = 0; i < right.count(); ++i)
    EXPECT_EQ(decode(kFp32, right.at(i)) * 2, decode(kFp32, twice.at(i))) << i;
}

// Sums that no format narrower than the exact one holds: 2^24 + 1 in fp32, 1 + 2^-60 in fp64.
TEST(HostGemm, TheControlOfExactSumsRoundsOnce) {
  Product p = product(1, 1, 4, kFp32, kFp32);
  p.a = Elements::zeros(kFp32, 4);
  p.b = Elements::zeros(kFp32, 4);
  p.c = Elements::zeros(kFp32, 1);
  const double terms[] = {0x1p24, 0x1p-60, 1, 0x1p-40};
  for (std::size_t i = 0; i < 4; ++i) {
    p.a.set(i, encode(kFp32, terms[i]));
    p.b.set(i, encode(kFp32, 1));
  }
  EXPECT_EQ(encode(kFp32, 0x1p24), run(p).at(0));
  EXPECT_EQ(encode(kFp32, 0x1p24 + 2), run(p, "N13").at(0));
  p.a.set(3, encode(kFp32, -0x1p24));
  EXPECT_EQ(encode(kFp32, 1), run(p, "N13").at(0));
}

TEST(HostGemm, RacesDrawAnotherOrderEachCall) {
  Product p = product(8, 8, 64);
  p.problem.d_format = &kFp32;
  fill(p);
  std::set<std::vector<std::byte>> seen;
  for (p.call = 0; p.call < 8; ++p.call) seen.insert(run(p, "G04").bytes);
  EXPECT_GT(seen.size(), 2u);
}

}  // namespace
}  // namespace halfmark::backends::host::library
