// SPDX-License-Identifier: Apache-2.0
// Digests computed on every device here equal the reference's, and change with every kind of wrong
// tensor. What a golden digest confirms is right, and what it does not confirm is judged as usual.
#include "suites/core/golden/device_digest.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "backends/backend.hpp"
#include "reference/formats/format.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/execute/memory_fault.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/run/self_test.hpp"
#include "suites/core/testing/demo_problem.hpp"

namespace halfmark::suites {
namespace {

using formats::Format;
using formats::Tensor;

constexpr std::size_t kEverything = 0;

// Words in a fixed disorder, with NaNs among them.
Tensor sample(const Format& format, std::size_t count) {
  Tensor tensor = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i)
    tensor.set(i, (i * 0x9e3779b97f4a7c15U >> 13U) & format.mask());
  return tensor;
}

// The digest of a tensor that lies on the device, as element `first` and following ones.
class OnDevice {
 public:
  explicit OnDevice(const std::string& selector) : session_(backends::Device::open(selector)) {}

  std::uint64_t digest(const Tensor& tensor, std::uint64_t first = 0) {
    Plan plan;
    plan.tensors = {
        {.name = "x", .format = tensor.format, .count = tensor.count(), .role = Role::kInOut}};
    const TensorSet inputs{{"x", tensor}};
    const PreparedPlan run(session_, plan, inputs, {}, Reporting::kSilent);
    DeviceDigests digests(session_, plan, inputs, kEverything);
    const auto found = digests.digest_of(run, plan.tensors[0], first);
    launches_ = digests.launches();
    return found ? found->word() : 0;
  }
  [[nodiscard]] std::uint64_t launches() const { return launches_; }

 private:
  Session session_;
  std::uint64_t launches_ = 0;
};

TEST(DeviceDigest, IsLeftToTheHostWhereReadingIsACopyInItsMemory) {
  backends::DeviceInfo device;
  for (const char* kind : {"cpu", "software", "simulator"}) {
    device.kind = kind;
    EXPECT_EQ(SIZE_MAX, least_bytes_digested(device)) << kind;
  }
  device.kind = "gpu";
  EXPECT_GT(std::size_t{1} << 20, least_bytes_digested(device));
}

TEST(DeviceDigest, IsLeftToTheHostWhereGroupsAreSmallerThanTheKernels) {
  backends::DeviceInfo device;
  device.kind = "gpu";
  device.max_group_items = 64;
  EXPECT_GT(std::size_t{1} << 20, least_bytes_digested(device));
  device.max_group_items = 32;
  EXPECT_EQ(SIZE_MAX, least_bytes_digested(device));
}

template <typename Body>
void on_every_device(Body body) {
  for (const backends::BackendStatus& status : backends::enumerate()) {
    for (const backends::DeviceInfo& info : status.devices) {
      if (info.kind == "simulator") continue;
      SCOPED_TRACE(info.selector);
      OnDevice device(info.selector);
      body(device);
    }
  }
}

TEST(DeviceDigest, IsThatOfTheReferenceOnEveryDevice) {
  on_every_device([](OnDevice& device) {
    for (const Format& format : formats::all_formats()) {
      for (const std::size_t count : {1U, 63U, 64U, 65U, 4097U, 100003U}) {
        const Tensor tensor = sample(format, count);
        EXPECT_EQ(fast::digest(tensor).word(), device.digest(tensor))
            << format.name << " " << count;
        EXPECT_EQ(format.storage_bytes() == 8 ? 0U : 1U, device.launches()) << format.name;
      }
    }
    const Tensor tensor = sample(formats::kFp16, 1000);
    EXPECT_EQ(fast::digest(tensor, 70001).word(), device.digest(tensor, 70001));
  });
}

TEST(DeviceDigest, ChangesWithAWrongASwappedAndARepeatedElement) {
  on_every_device([](OnDevice& device) {
    const Tensor right = sample(formats::kFp16, 70000);
    const std::uint64_t digest = device.digest(right);
    for (const std::size_t at : {0U, 63U, 64U, 65535U, 69998U}) {
      Tensor wrong = right;
      wrong.set(at, right.at(at) ^ 1U);
      EXPECT_NE(digest, device.digest(wrong)) << at;
      Tensor swapped = right;
      swapped.set(at, right.at(at + 1));
      swapped.set(at + 1, right.at(at));
      ASSERT_NE(right.bytes, swapped.bytes);
      EXPECT_NE(digest, device.digest(swapped)) << at;
      Tensor repeated = right;
      repeated.set(at + 1, right.at(at));
      EXPECT_NE(digest, device.digest(repeated)) << at;
    }
    EXPECT_EQ(digest, device.digest(right));
  });
}

TEST(DeviceDigest, TakesNanAsAClass) {
  on_every_device([](OnDevice& device) {
    Tensor a = sample(formats::kFp16, 70000), b = a;
    a.set(7, 0x7e00U);
    b.set(7, 0xfc01U);
    EXPECT_EQ(device.digest(a), device.digest(b));
    b.set(7, 0x7c00U);  // an infinity is none
    EXPECT_NE(device.digest(a), device.digest(b));
  });
}

// d = a + b of so many elements that its tensors are digested on the device.
std::span<const Axis> axes() {
  static const std::vector<Axis> kAxes = {provider_axis(Providers::kHalfmark), size_axis()};
  return kAxes;
}

class Additions : public testing::Test {
 protected:
  Additions() : suite_(demo_suite<AdditionProblem>(axes())) {}

  CaseResult run(const char* device, const GoldenCheck& golden, const char* fault = "") {
    Session session(backends::Device::open(
        device, *fault == 0 ? nlohmann::json::object() : nlohmann::json{{"fault", fault}}));
    return run_case(session, suite_, case_, nullptr, &golden);
  }
  Golden right() { return *golden_by_reference(*suite_.bind(case_), demo_row()); }
  static const ContractRow& demo_row() {
    static const ContractRow kRow{
        .id = "demo.exact", .tier = Tier::kExact, .promise = "bits", .source = "test"};
    return kRow;
  }

  Suite suite_;
  Case case_ = parse_case("demo", axes(), "demo.portable.n100000.s1");
};

TEST_F(Additions, PassWithoutReferenceIfTheDigestFits) {
  const CaseResult usual = run("host", {.expected = right(), .recompute = true});
  const CaseResult by_digest = run("host", {.expected = right()});
  EXPECT_EQ(kGoldenConfirmed, usual.golden);
  EXPECT_EQ(kGoldenMatched, by_digest.golden);
  EXPECT_EQ(0, by_digest.refer_seconds);
  for (const CaseResult* result : {&usual, &by_digest}) {
    EXPECT_EQ(Verdict::kPass, result->verdict) << result->reason;
    EXPECT_EQ(100000u, result->elements);
    EXPECT_EQ(right().digest, result->digest);
  }
}

TEST_F(Additions, AWrongStoreAccusesNobody) {
  Golden wrong = right();
  ++wrong.sum;
  for (const bool recompute : {false, true}) {
    const CaseResult result = run("host", {.expected = wrong, .recompute = recompute});
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.reason;
    EXPECT_EQ(kGoldenRefuted, result.golden);
  }
}

TEST_F(Additions, AWrongDeviceIsFoundByTheReference) {
  // Uploads lose their last bytes.
  const CaseResult result = run("host", {.expected = right()}, "T02:granule=4096");
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ(kGoldenConfirmed, result.golden);
}

TEST_F(Additions, AFlippedBitIsNoticedBothWays) {
  Session session(backends::Device::open("host"));
  const SelfTest test = self_test(session, suite_, case_);
  EXPECT_TRUE(test.is_done);
  EXPECT_TRUE(test.caught) << test.what;
  EXPECT_TRUE(test.located);
}

TEST_F(Additions, AFaultThatDoesNotReachTheResultsIsNotCaught) {
  // The device drops writes of less than 64 bytes, and with them the flipped bit.
  Session session(backends::Device::open("host", {{"fault", "T02"}}));
  const SelfTest test = self_test(session, suite_, case_);
  EXPECT_TRUE(test.is_done);
  EXPECT_FALSE(test.caught);
  EXPECT_EQ("a bit flipped in d[50000] was not noticed by the reference", test.what);
}

// The second run differs, as on a device that is right only sometimes: its tensors are
// the evidence.
TEST_F(Additions, ASecondRunThatDiffersIsNotForgotten) {
  constexpr std::size_t kWrong = 777;
  Session session(backends::Device::open("host"));
  const auto problem = suite_.bind(case_);
  const TensorSet inputs = problem->inputs();
  const Plan plan = problem->plan(session.device().info());
  int runs = 0;
  const DeviceResult got = execute(session, plan, inputs, [&](const PreparedPlan& run) {
    if (++runs == 1) return true;
    backends::Buffer d = run.buffer(plan.tensors[2]);
    std::byte lowest{};
    d.read(4 * kWrong, {&lowest, 1});
    lowest ^= std::byte{1};
    d.write(4 * kWrong, {&lowest, 1});
    return false;
  });
  EXPECT_EQ(2, runs);
  EXPECT_FALSE(got.known);
  EXPECT_EQ(problem->expect(inputs).middle, got.outputs);
  ASSERT_EQ(1u, got.unrepeated.count("d"));
  EXPECT_EQ(std::vector<std::size_t>{kWrong}, got.unrepeated.at("d"));
  EXPECT_EQ("race", memory_fault(got));
}

TEST_F(Additions, AFirstRunThatIsNotKnownIsComparedWithTheSecondAsUsual) {
  Session session(backends::Device::open("host"));
  const auto problem = suite_.bind(case_);
  int runs = 0;
  const DeviceResult got = execute(session, problem->plan(session.device().info()),
                                   problem->inputs(), [&](const PreparedPlan&) {
                                     ++runs;
                                     return false;
                                   });
  EXPECT_EQ(1, runs);
  EXPECT_EQ("", memory_fault(got));
  EXPECT_EQ(100000u, got.outputs.at("d").count());
}

// Whose inputs are not what was uploaded fails, however right its results are.
TEST(DeviceDigests, NoticeAChangedInputAndAGuard) {
  Session session(backends::Device::open("host"));
  const Tensor x = sample(formats::kFp32, 100000);
  Tensor other = x;
  other.set(99999, 1U ^ x.at(99999));
  Plan plan;
  plan.tensors = {
      {.name = "x", .format = &formats::kFp32, .count = x.count()},
      {.name = "y", .format = &formats::kFp32, .count = x.count(), .role = Role::kInOut}};
  const TensorSet inputs{{"x", x}, {"y", x}}, changed{{"x", other}, {"y", x}};
  const std::uint64_t sum = fast::digest(x).word();
  const PreparedPlan run(session, plan, inputs, {}, Reporting::kSilent);
  DeviceDigests right(session, plan, inputs, kEverything);
  DeviceDigests wrong(session, plan, changed, kEverything);
  EXPECT_TRUE(right.hold(run, sum));
  EXPECT_EQ(2u, right.launches());
  EXPECT_FALSE(wrong.hold(run, sum));
  EXPECT_FALSE(right.hold(run, sum + 1));
  backends::Buffer guard = run.buffer(plan.tensors[1]);
  guard.write(x.bytes.size(), std::vector<std::byte>(1));
  EXPECT_FALSE(right.hold(run, sum));
}

}  // namespace
}  // namespace halfmark::suites
