// SPDX-License-Identifier: Apache-2.0
// The order of reasons, on observations that are written down instead of made: no device exists.
#include "suites/core/verdict/verdict.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "reference/formats/ulp.hpp"
#include "suites/core/execute/variants.hpp"
#include "suites/core/testing/demo_problem.hpp"

namespace halfmark::suites {
namespace {

class Addition : public AdditionProblem {
 public:
  Addition() : AdditionProblem({.suite = "demo", .tokens = {}, .seed = 7}) {}
  std::size_t count() const override { return 8; }
};

// Each element stands for a digest of results that the part behind it would compare.
class Digests : public Addition {
 public:
  std::optional<Digested> digested() const override {
    return Digested{.results = 4096, .parts = [](const std::vector<std::size_t>& elements) {
                      std::vector<std::unique_ptr<const Problem>> parts;
                      for (std::size_t i = 0; i < elements.size(); ++i)
                        parts.push_back(std::make_unique<Addition>());
                      return parts;
                    }};
  }
};

class WithoutPlan : public Addition {
 public:
  OwnWork own_work() const override {
    return [](Session&, const Case&) { return DeviceResult{}; };
  }
};

// A case whose device gave what is expected, until a test changes the observation.
template <typename P>
struct Scene {
  P problem;
  backends::DeviceInfo device;
  TensorSet inputs = problem.inputs();
  Expectation expected = problem.Problem::expect(inputs);
  Assertion assertion{problem, problem.row(device), device, inputs, allowance_of(expected)};
  Observation observation{.got = {}, .related = {}};

  Scene() { observation.got.outputs = expected.middle; }

  void spoil(std::size_t element) {
    formats::Tensor& d = observation.got.outputs.at("d");
    d.set(element, d.at(element) ^ 0x00400000);
  }
  [[nodiscard]] Comparison comparison() const { return compared(assertion, observation.got); }
  [[nodiscard]] CaseResult judged() const {
    CaseResult result;
    judge(result, assertion, comparison(), observation, {});
    return result;
  }
};

CaseResult part(Verdict verdict, Standing standing = Standing::kViolation) {
  CaseResult result;
  result.name = "part";
  result.verdict = verdict;
  result.standing = standing;
  result.finding_class = "ftz";
  result.reason = "one flushed";
  return result;
}

bool says(const CaseResult& result, std::string_view words) {
  return result.reason.find(words) != std::string::npos;
}

TEST(Judge, RightResultsPass) {
  const CaseResult result = Scene<Addition>().judged();
  EXPECT_EQ(Verdict::kPass, result.verdict);
  EXPECT_EQ(8U, result.elements);
  EXPECT_EQ(0U, result.mismatches);
}

TEST(Judge, WrongResultsFailAndAreShown) {
  Scene<Addition> scene;
  scene.spoil(3);
  const CaseResult result = scene.judged();
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ(Standing::kViolation, result.standing);
  EXPECT_EQ(1U, result.mismatches);
  ASSERT_EQ(1U, result.wrong.size());
  EXPECT_EQ(3U, result.wrong[0].index);
}

// Calls the library L, one of whose mistakes needs a freedom.
class LibraryCall : public Addition {
 public:
  const ContractRow& row(const backends::DeviceInfo&) const override {
    static constexpr ContractRow kRow{.id = "demo.library",
                                      .tier = Tier::kExact,
                                      .promise = "bits",
                                      .source = "test",
                                      .freedoms = kSelectionFreedoms};
    return kRow;
  }
  Plan plan(const backends::DeviceInfo&) const override {
    Plan made;
    made.operators.push_back({.library = "L",
                              .name = "sum",
                              .compute = "",
                              .tensors = {},
                              .scalars = {},
                              .options = {}});
    return made;
  }
  std::vector<Hypothesis> mistakes() const override {
    return {{.name = "spoilt",
             .finding_class = "nan_inf",
             .sentence = "spoilt",
             .evaluate = [this](const Case&, const TensorSet& in) -> Expectation {
               TensorSet spoilt = Problem::expect(in).middle;
               formats::Tensor& d = spoilt.at("d");
               d.set(3, d.at(3) ^ 0x00400000);
               return spoilt;
             },
             .freedoms = {"nan_operands"}}};
  }
};

backends::Promise word(bool offered, const char* evidence) {
  return {
      .capability = "operators.nan", .offered = offered, .evidence = evidence, .clause = "test"};
}

TEST(Judge, ALibrarysOwnWordGoesBeforeThatOfItsDevice) {
  const auto judged = [](std::vector<backends::Promise> device,
                         std::vector<backends::Promise> library) {
    Scene<LibraryCall> scene;
    scene.device.promises = std::move(device);
    scene.device.libraries.push_back({.name = "L",
                                      .version = "1",
                                      .kind = "library",
                                      .operators = {"sum"},
                                      .usable = true,
                                      .evidence = "test",
                                      .promises = std::move(library)});
    scene.spoil(3);
    return scene.judged();
  };
  const backends::Promise yes = word(true, "yes"), no = word(false, "no");
  EXPECT_EQ(Standing::kViolation, judged({yes}, {}).standing);
  EXPECT_EQ(Standing::kViolation, judged({}, {}).standing);
  EXPECT_EQ(Standing::kViolation, judged({no}, {yes}).standing);
  EXPECT_EQ(Standing::kDeviation, judged({no}, {}).standing);
  const CaseResult open = judged({yes}, {no});
  EXPECT_EQ(Standing::kDeviation, open.standing);
  EXPECT_EQ("test (no)", open.permitted_by);
}

TEST(Judge, AFaultOfMemoryIsWorseThanWrongValues) {
  Scene<Addition> scene;
  scene.spoil(3);
  scene.observation.got.guards_broken = {"d"};
  EXPECT_EQ("out_of_bounds", scene.judged().finding_class);
}

// Allows the neighbours of each sum, too, as another order might give them.
class AnyOrder : public Addition {
 public:
  Expectation expect(const TensorSet& in, const models::Machine& machine) const override {
    const TensorSet middle = Addition::expect(in, machine).middle;
    Enclosure around{.low = middle, .high = middle};
    for (std::size_t i = 0; i < count(); ++i) {
      const formats::Bits sum = middle.at("d").at(i);
      around.low.at("d").set(i, formats::next_down(formats::kFp32, sum));
      around.high.at("d").set(i, formats::next_up(formats::kFp32, sum));
    }
    return {middle, around};
  }
};

// A verdict after 40 repeats beside other work. Each gives one of so many orders of its sums, which
// follow one another; in run 30 the last element is `garbage`.
CaseResult after_repeats(std::size_t orders, std::optional<formats::Bits> garbage) {
  Scene<AnyOrder> scene;
  DeviceResult& got = scene.observation.got;
  got.apart = ComparedRuns::kLoads;
  got.unrepeated["d"] = {0};
  for (std::size_t run = 0; run < 40; ++run) {
    TensorSet outputs = got.outputs;
    formats::Tensor& d = outputs.at("d");
    for (std::size_t i = 0; i + 1 < d.count(); ++i) {
      if ((run % orders >> i & 1U) != 0) d.set(i, formats::next_up(formats::kFp32, d.at(i)));
    }
    if (run == 30 && garbage) d.set(d.count() - 1, *garbage);
    if (outputs != got.outputs) keep_variant(got, std::move(outputs));
  }
  return scene.judged();
}

// Whether all different results are kept, or only the extremes of most.
constexpr std::size_t kOrders[] = {3, 32};

TEST(Judge, AnOrderThatVariesUnderLoadIsADeviation) {
  for (const std::size_t orders : kOrders) {
    const CaseResult result = after_repeats(orders, std::nullopt);
    EXPECT_EQ("nondet", result.finding_class) << orders;
    EXPECT_EQ(Standing::kDeviation, result.standing) << orders;
  }
}

TEST(Judge, NoOrderExcusesAResultThatOneOfManyRunsGotWrong) {
  const formats::Bits last = Scene<AnyOrder>().expected.middle.at("d").at(7);
  using formats::kFp32, formats::next_down, formats::next_up;
  for (const std::size_t orders : kOrders) {
    for (const formats::Bits garbage :
         {next_up(kFp32, next_up(kFp32, last)), next_down(kFp32, next_down(kFp32, last)),
          formats::quiet_nan(kFp32), formats::infinity(kFp32)}) {
      const CaseResult result = after_repeats(orders, garbage);
      EXPECT_EQ("race", result.finding_class) << orders << ' ' << garbage;
      EXPECT_EQ(Standing::kViolation, result.standing) << orders << ' ' << garbage;
    }
  }
}

TEST(Judge, AFaultyCopyTakesTheBlameForWhateverTheOperatorSeemsToHaveDone) {
  Scene<Addition> scene;
  scene.spoil(3);
  scene.observation.got.guards_broken = {"d"};
  scene.observation.copy_fault = CopyFault{.finding_class = "short_copy", .sentence = "short"};
  const CaseResult result = scene.judged();
  EXPECT_EQ("short_copy", result.finding_class);
  EXPECT_EQ("short", result.reason);
}

TEST(Judge, OfDigestsTheVerdictIsThatOfTheFirstPartThatIsWrong) {
  Scene<Digests> scene;
  scene.spoil(3);
  scene.spoil(5);
  scene.observation.differing_parts = 2;
  scene.observation.parts = {part(Verdict::kPass), part(Verdict::kFail)};
  const CaseResult result = scene.judged();
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("ftz", result.finding_class);
  EXPECT_TRUE(says(result, "2 parts differ, among them ")) << result.reason;
  scene.observation.parts = {part(Verdict::kFail)};
  EXPECT_TRUE(says(scene.judged(), "2 parts differ, the first one ")) << scene.judged().reason;
  EXPECT_EQ(4096U, Scene<Digests>().judged().elements);
}

TEST(Judge, DigestsWhosePartsAreAllRightStayUnexplained) {
  Scene<Digests> scene;
  scene.spoil(3);
  scene.observation.differing_parts = 1;
  scene.observation.parts = {part(Verdict::kPass)};
  const CaseResult result = scene.judged();
  EXPECT_EQ(Standing::kViolation, result.standing);
  EXPECT_EQ("unexplained", result.finding_class);
  EXPECT_TRUE(says(result, "element by element they are right")) << result.reason;
}

TEST(Judge, PartsThatWereNotComparedAreNotCalledRight) {
  Scene<Digests> scene;
  scene.spoil(3);
  scene.observation.differing_parts = 100;
  scene.observation.parts = std::vector(16, part(Verdict::kPass));
  EXPECT_TRUE(says(scene.judged(), "element by element 16 of them are right"))
      << scene.judged().reason;
}

TEST(Judge, APermittedPartDoesNotExcuseDigestsThatItDoesNotExplain) {
  Scene<Digests> scene;
  scene.spoil(3);
  scene.observation.differing_parts = 1;
  scene.observation.parts = {part(Verdict::kFail, Standing::kDeviation)};
  scene.observation.parts[0].permitted_by = "the driver";
  const CaseResult result = scene.judged();
  EXPECT_EQ(Standing::kViolation, result.standing);
  EXPECT_EQ("", result.permitted_by);
  EXPECT_TRUE(says(result, "not every part that differs is explained so")) << result.reason;
}

// Of the elements of its parts something is known that no digest shows.
class DigestsOfCalls : public Digests {
 public:
  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return LibraryCall().row(device);
  }
  std::optional<Digested> digested() const override {
    return Digested{.results = 4096, .parts = [](const std::vector<std::size_t>&) {
                      std::vector<std::unique_ptr<const Problem>> parts;
                      parts.push_back(std::make_unique<LibraryCall>());
                      return parts;
                    }};
  }
};

TEST(Judge, PermittedPartsStandWhereNoDigestCanContradictThem) {
  const auto judged = [](bool promised, std::vector<CaseResult> parts) {
    Scene<DigestsOfCalls> scene;
    scene.device.promises = {word(promised, "the driver")};
    scene.spoil(3);
    scene.observation.differing_parts = 40;
    scene.observation.parts = std::move(parts);
    return scene.judged();
  };
  const CaseResult open = part(Verdict::kFail, Standing::kDeviation);
  const CaseResult stands = judged(false, {open, open});
  EXPECT_EQ(Standing::kDeviation, stands.standing);
  EXPECT_TRUE(says(stands, "no digest can show whether all that differs does so")) << stands.reason;
  EXPECT_EQ(Standing::kViolation, judged(true, {open}).standing) << "it is promised";
  EXPECT_EQ(Standing::kViolation, judged(false, {open, part(Verdict::kPass)}).standing);
  EXPECT_EQ(Standing::kViolation, judged(false, {open, part(Verdict::kFail)}).standing);
}

TEST(FurtherObservation, CopiesAreInDoubtOnlyIfSomethingIsWrong) {
  Scene<Addition> scene;
  EXPECT_FALSE(may_be_copies(scene.problem, scene.comparison(), scene.observation.got));
  scene.spoil(3);
  EXPECT_TRUE(may_be_copies(scene.problem, scene.comparison(), scene.observation.got));
  Scene<WithoutPlan> other;
  other.spoil(3);
  EXPECT_FALSE(may_be_copies(other.problem, other.comparison(), other.observation.got));
}

TEST(FurtherObservation, PartsAreComparedUnlessSomethingElseDecides) {
  Scene<Digests> scene;
  EXPECT_TRUE(parts_to_compare(scene.problem, scene.comparison(), scene.observation).empty());
  scene.spoil(3);
  EXPECT_EQ(1U, parts_to_compare(scene.problem, scene.comparison(), scene.observation).size());
  scene.observation.got.guards_broken = {"d"};
  EXPECT_TRUE(parts_to_compare(scene.problem, scene.comparison(), scene.observation).empty());
}

TEST(FurtherObservation, OnlyAViolationSettlesWithoutAnExplanation) {
  Scene<Digests> scene;
  scene.spoil(3);
  const auto settled = [&](const CaseResult& one) {
    return settles(one, scene.assertion, scene.comparison(), scene.observation.got);
  };
  EXPECT_FALSE(settled(part(Verdict::kPass)));
  EXPECT_FALSE(settled(part(Verdict::kFail, Standing::kDeviation)));
  EXPECT_TRUE(settled(part(Verdict::kFail)));
}

}  // namespace
}  // namespace halfmark::suites
