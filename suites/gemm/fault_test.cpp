// SPDX-License-Identifier: Apache-2.0
// Library cases on the software device: correct without a fault, each planted fault reported as its
// class, and nothing reported for legal evaluations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "backends/host/faults.hpp"
#include "reference/slow/effort.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/faults.hpp"
#include "suites/gemm/suite.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr std::uint64_t kSeed = 7;

CaseResult run(const std::string& fault, const std::string& tail) {
  static std::map<std::string, Session> sessions;
  auto found = sessions.find(fault);
  if (found == sessions.end()) {
    found = sessions.try_emplace(fault, backends::Device::open("host", {{"fault", fault}})).first;
  }
  const Case c = parse_case("gemm", suite().axes, "gemm." + tail + ".s7");
  return run_problem(found->second, *memory_of(suite()).bind(c));
}

constexpr const char* kH = "fp16.acc-fp32.out-fp16.library.";
constexpr const char* kW = "fp16.acc-fp32.out-fp32.library.";
constexpr const char* kF = "fp16.acc-fp16.out-fp16.library.";
constexpr const char* kS = "fp32.acc-fp32.out-fp32.library.";
constexpr const char* kE = "e4m3fn.acc-fp32.out-fp32.library.";
constexpr const char* kMixed = "e5m2-e4m3fn.acc-fp32.out-fp32.library.";

struct Row {
  const char* fault;
  const char* path;
  const char* tail;
};

// One case per fault; parameters bring limits within reach of a test.
constexpr Row kRows[] = {
    {"G01", kH, "nt.m9n17k33.plain.wide"},
    {"G01:fused=0", kH, "nt.m9n17k33.plain.normal"},
    {"G02", kH, "nt.m9n17k65.plain.large"},
    {"G03", kH, "nt.m9n17k66.plain.splitk"},
    {"G04", kW, "nn.m17n9k24.again200.normal"},
    {"G05", kH, "nt.m9n17k33.plain.permutation"},
    {"G06", kH, "nt.m9n17k33.plain.shrunk"},
    {"G07", kH, "nt.m9n17k33.plain.permutation"},
    {"G08", kH, "nt.m9n17k33.plain.permutation"},
    {"G10", kH, "nt.m9n17k33.plain.wide"},
    {"G11", kH, "nt.m9n17k65.plain.large"},
    {"G12", kH, "nt.m17n9k21.beta0nan.integer"},
    {"G13", kH, "nt.m17n9k21.beta0nan.integer"},
    {"G14", kH, "nn.m5n7k0.minus2c.normal"},
    {"G15", kH, "nn.m15n17k33.plain.integer"},
    {"G16", kH, "nt.m17n9k21.ldpad.integer"},
    {"G17", kH, "nn.m15n17k33.plain.integer"},
    {"G18:limit=256", kH, "nn.m3n257k9.plain.integer"},
    {"G19:bits=8", kH, "nt.m17n9k21.ldpad.integer"},
    {"G20", kH, "nt.m17n9k21.ldpad.integer"},
    {"G21", kH, "nt.m5n33k33.plain.wide"},
    {"G22", kH, "nt.m17n9k21.base1.integer"},
    {"G23", kH, "nt.m9n17k33.abwide.normal"},
    {"G24", kH, "nt.m17n9k21.eighth.large"},
    {"G25", kH, "nt.m9n17k33.plain.nonfinite"},
    {"G26", kH, "nt.m9n17k33.plain.nonfinite"},
    {"G27", kH, "nn.m4n64k64.plain.wide"},
    {"G28:every=150", kW, "nn.m17n9k24.again200.integer"},
    {"G29", kH, "nt.m9n17k65.plain.large"},
    {"G30", kH, "nt.m17n9k21.bias.wide"},
    {"G31:limit=2", kH, "nt.m10n7k13.batch3.integer"},
    {"G32", kS, "nn.m9n17k33.shared3.permutation"},
    {"G33", kS, "nn.m9n17k33.plain.permutation"},
    {"G34", kH, "nt.m9n17k33.plain.shrunk"},
    {"G35", kS, "nn.m9n17k33.plain.nonfinite"},
    {"G36:tile=12", kH, "nn.m136n3k5.byrows.integer"},
    {"G37", kH, "nt.m9n7k13.batch3minus.ones"},
    {"G38", kW, "nt.m9n17k40.alike8.normal"},
    {"G39", kW, "nt.m9n17k40.beside200.normal"},
    {"G40", kW, "nt.m9n17k40.queue8.normal"},
    {"G41", kH, "nn.m5n7k5.fara.integer"},
    {"G41", kS, "nn.m5n7k5.farb.integer"},
    {"G41", kH, "nn.m5n7k5.fard.integer"},
    {"G42", kH, "nt.m17n9k40.gelu.uniform"},
    {"G42", kS, "nt.m17n9k40.biasgelu.uniform"},
    {"G43", kH, "nt.m17n9k40.biasgelutanh.uniform"},
    {"G43", kH, "nt.m17n9k40.silu.uniform"},
    {"G44", kF, "nn.m2n3k479.plain.ones"},
    {"G45", kF, "nn.m15n17k33.plain.integer"},
    {"G46", kH, "nt.m17n9k21.ldpad.integer"},
    {"G47:k=33", kH, "nt.m9n17k33.plain.permutation"},
    {"G47:k=33", kS, "nn.m9n17k33.plain.permutation"},
    {"G48", kE, "nt.m16n16k4096.plain.positive"},
    {"G49:products=16", kH, "nn.m15n17k33.plain.integer"},
    {"G50:bits=6", kH, "nn.m15n17k70.plain.integer"},
    {"G51", kS, "nn.m9n17k33.shared3.permutation"},
    {"G52:k=33", kH, "nt.m9n17k33.plain.integer"},
    {"G53", kH, "nt.m9n17k33.plain.shrunk"},
    {"G54", kH, "nt.m9n17k33.plain.wide"},
    {"G55", kH, "nt.m9n17k33.plain.normal"},
    {"G56", kH, "nt.m17n9k40.gelutanh.uniform"},
    {"G57", kMixed, "nt.m32n48k64.plain.integer"},
    // Faults of copies, not of products.
    {"T01", kH, "nn.m128n3k256.plain.integer"},
    {"T02", kH, "nt.m9n17k33.plain.integer"},
    {"T04", kH, "nn.m128n256k3.plain.integer"},
    {"T05:least=128", kH, "nt.m17n9k21.plain.integer"},
    {"T06", kH, "nn.m128n3k256.plain.integer"},
    {"T07", kH, "nt.m9n17k33.plain.integer"},
    // Faults that half sums share with other sums.
    {"G05", kF, "nt.m9n17k33.plain.permutation"},
    {"G12", kF, "nt.m17n9k21.beta0nan.integer"},
    {"G20", kF, "nt.m17n9k21.ldpad.integer"},
    {"G25", kF, "nt.m9n17k33.plain.nonfinite"},
};

// Faults that are found, and that no hypothesis names yet.
const std::set<std::string_view> kOnlyFound = {"G54"};

TEST(GemmFaults, EveryFaultIsReportedAsItsClass) {
  for (const Row& row : kRows) {
    const CaseResult result = run(row.fault, std::string(row.path) + row.tail);
    const backends::host::Fault fault = backends::host::parse_fault(row.fault);
    EXPECT_EQ(Verdict::kFail, result.verdict) << row.fault << ' ' << result.name;
    if (kOnlyFound.contains(fault.id())) continue;
    EXPECT_TRUE(must_report(*fault.row(), result.finding_class))
        << row.fault << ' ' << result.name << ": " << result.finding_class << ": " << result.reason;
  }
}

TEST(GemmFaults, AreNamedWithTheirParameters) {
  struct Named {
    const char *fault, *path, *tail, *hypothesis;
  };
  constexpr Named kNamed[] = {
      {"G48", kE, "nt.m16n16k4096.plain.positive", "aligned-32-to-13-bits"},
      {"G49:products=16", kH, "nn.m15n17k33.plain.integer", "products-from-16-left-out"},
      {"G49", kH, "nn.m2n3k8193.plain.wide", "products-from-4096-left-out"},
      {"G50:bits=6", kH, "nn.m15n17k70.plain.integer", "k-in-6-bits"},
      {"G53", kH, "nt.m9n17k33.plain.shrunk", "subnormals-cut"},
      {"G56", kH, "nt.m17n9k40.gelutanh.uniform", "gelu_tanh-cubic-0.0447"},
  };
  for (const Named& row : kNamed) {
    const CaseResult result = run(row.fault, std::string(row.path) + row.tail);
    std::set<std::string> names;
    for (const Explanation& e : result.explanations) {
      if (e.exact(result.mismatches)) names.insert(e.hypothesis);
    }
    EXPECT_TRUE(names.contains(row.hypothesis))
        << row.fault << ' ' << result.reason << ": " << testing::PrintToString(names);
  }
}

TEST(GemmFaults, MemoryThatIsNotTheProductsHasAReasonOfItsOwn) {
  struct Reason {
    const char* fault;
    const char* tail;
    const char* reason;
  };
  constexpr Reason kReasons[] = {
      {"G46", "nt.m17n9k21.ldpad.integer",
       "the call wrote into the padding of row 0 of 'd': 17 elements between rows changed"},
      {"T01", "nn.m128n3k256.plain.integer",
       "an upload of 65536 bytes to 'a' loses bytes 65280 to 65535: the device's memory holds what "
       "it held before"},
      {"T04", "nn.m128n256k3.plain.integer",
       "a read-back of 65536 bytes of 'd' loses bytes 65280 to 65535: the host's memory holds what "
       "it held before"},
      {"T05:least=128", "nt.m17n9k21.plain.integer",
       "a read-back of 306 bytes of 'd' gives in bytes 0 to 60 what the host wrote before the "
       "call, "
       "and one of 61 bytes does not"},
  };
  for (const Reason& row : kReasons) {
    const CaseResult result = run(row.fault, std::string(kH) + row.tail);
    EXPECT_EQ(row.reason, result.reason) << row.fault;
    EXPECT_EQ(Standing::kViolation, result.standing) << row.fault;
    EXPECT_TRUE(result.wrong.empty()) << row.fault;
  }
}

// A different order at another position, on another queue or during other work breaks no promise;
// within one call it does, and so does any wrong sum.
TEST(GemmFaults, OrdersThatNobodyPromisesAreDeviations) {
  struct Stands {
    const char* fault;
    const char* tail;
    Standing standing;
  };
  constexpr Stands kStands[] = {
      {"G38", "nt.m9n17k40.alike8.normal", Standing::kDeviation},
      {"G40", "nt.m9n17k40.queue8.normal", Standing::kDeviation},
      {"G39", "nt.m9n17k40.beside200.normal", Standing::kViolation},
      {"G04", "nn.m17n9k24.again200.normal", Standing::kViolation},
  };
  for (const Stands& row : kStands) {
    const CaseResult result = run(row.fault, std::string(kW) + row.tail);
    EXPECT_EQ(row.standing, result.standing) << row.fault << ' ' << result.reason;
    EXPECT_EQ(row.standing == Standing::kDeviation, !result.permitted_by.empty()) << row.fault;
  }
}

TEST(GemmFaults, AllOfThem) {
  std::set<std::string_view> tried;
  for (const Row& row : kRows) tried.insert(backends::host::parse_fault(row.fault).row()->id);
  for (const backends::host::FaultRow& row : backends::host::all_faults()) {
    // Cases do not detect a fault of time; throughput does.
    if (row.must_report == "slow_fp16") continue;
    if (row.id[0] == 'G' && row.kind == backends::host::FaultKind::kFault) {
      EXPECT_TRUE(tried.contains(row.id)) << row.id;
    }
  }
}

std::vector<std::string> library_cases() {
  std::vector<std::string> names;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") == "library") names.push_back(print(c));
  }
  return names;
}

std::string tail_of(const std::string& name) {
  return name.substr(5, name.size() - 5 - std::string_view(".s7").size());
}

// Sums that cancel are smaller than their bound, and long fp16 sums have a wide one: they reveal
// variations and prove nothing else.
Verdict verdict_of_right(const std::string& name) {
  const bool cancels = name.find(".cancel.") != std::string::npos;
  const bool is_long = name.find(".m17n33k33.") != std::string::npos ||
                       name.find(".m64n64k64.") != std::string::npos;
  const bool is_wide = name.find(".acc-fp16.") != std::string::npos && is_long;
  return cancels || is_wide ? Verdict::kUntrusted : Verdict::kPass;
}

TEST(GemmFaults, NothingIsReportedOfARightLibrary) {
  const std::vector<std::string> names = library_cases();
  EXPECT_GT(names.size(), 20u);
  for (const std::string& name : names) {
    const CaseResult result = run("", tail_of(name));
    EXPECT_EQ(verdict_of_right(name), result.verdict) << name << ": " << result.reason;
  }
}

TEST(GemmFaults, MinusZeroIsAResultOfRelu) {
  for (const char* tail : {"relu.integer", "relu.wide", "relu.nonfinite"}) {
    const std::string name = std::string(kH) + "nt.m17n33k40." + tail;
    EXPECT_EQ(Verdict::kPass, run("N37", name).verdict) << name;
  }
}

// In ci/test each fault runs a third of the cases, in turn.
TEST(GemmFaults, NothingIsReportedOfLegalEvaluations) {
  const auto every = slow::effort<std::size_t>(1, 3);
  std::size_t number = 0;
  for (const char* control : {"N01", "N01:order=1", "N01:order=2", "N01:order=3", "N02", "N03",
                              "N04", "N06", "N06:parts=7", "N13", "N14", "N15", "N37"}) {
    const std::vector<std::string> names = library_cases();
    for (std::size_t i = number++ % every; i < names.size(); i += every) {
      const std::string& name = names[i];
      const CaseResult result = run(control, tail_of(name));
      EXPECT_EQ(verdict_of_right(name), result.verdict)
          << control << ' ' << name << ": " << result.reason;
    }
  }
}

}  // namespace
}  // namespace halfmark::suites::gemm
