// SPDX-License-Identifier: Apache-2.0
#include "suites/statistics/suite.hpp"

#include <fmt/format.h>

#include "reference/formats/classify.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/statistics/counted.hpp"

namespace halfmark::suites::statistics {
namespace {

using formats::kFp32;

constexpr std::string_view kBorders = "borders";
constexpr std::string_view kFills[] = {"normal",    "special", "finite",
                                       "subnormal", "bits",    kBorders};
constexpr std::uint32_t kItems = 64;
static_assert(kItems == kPlaces, "an item adds up one place");

constexpr ContractRow kRow{
    .id = "statistics.counts",
    .tier = Tier::kSpecified,
    .promise =
        "every element is counted in the place of its exponent, and the greatest finite "
        "magnitude and the first element that is not finite are found",
    .source = "Halfmark kernel specification, kernels/statistics.hk; no step rounds"};

std::span<const Axis> axes() {
  static const std::vector<Axis> kAxes = {
      axis_of_words("format", "format of x", {"fp16", "bf16", "fp32"}),
      provider_axis(Providers::kHalfmark), size_axis(), fill_axis(kFills)};
  return kAxes;
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  CaseList list("statistics", axes(), seed);
  list.add({"fp16", kPortable, "n16451", "special"});
  list.add({"bf16", kPortable, "n16451", "finite"});
  list.add({"fp32", kPortable, "n16451", "bits"});
  list.add({"fp32", kPortable, "n16451", kBorders});
  if (level < Level::kStandard) return std::move(list).take();
  for (const std::string_view format : axes()[0].words) {
    for (const std::string_view fill : kFills) {
      for (const std::string_view size : {"n1", "n63", "n16384", "n65537"})
        list.add({format, kPortable, size, fill});
      if (level >= Level::kFull) list.add({format, kPortable, "n10000000", fill});
    }
  }
  return std::move(list).take();
}

// Powers of two, subnormal ones too, and their neighbours.
formats::Tensor borders(const formats::Format& format, std::size_t count, const Random& random) {
  formats::Tensor tensor = formats::Tensor::zeros(format, count);
  const int digits = format.precision() - 1;
  const std::uint64_t binades = formats::infinity(format) >> digits;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t binade = random.below(2 * i, binades);
    const formats::Bits power = binade == 0 ? formats::Bits{1} << random.below(
                                                  2 * i + 1, static_cast<std::uint64_t>(digits))
                                            : binade << digits;
    const formats::Bits sign = i % 2 == 0 ? 0 : format.sign_mask();
    tensor.set(i, (power + i % 3 - 1) | sign);
  }
  return tensor;
}

struct Mistake {
  std::string_view name;
  FindingClassName finding_class;
  std::string_view sentence;
  Variant variant;
};

constexpr Mistake kMistakes[] = {
    {"subnormals-are-zeros",
     "ftz_in",
     "subnormal numbers are counted as zeros",
     {.subnormals_are_zeros = true}},
    {"exponent-rounded",
     "rounding",
     "numbers just below a power of two are counted as above it",
     {.rounds_exponent = true}},
    {"nan-missed", "nan_dropped", "NaN are counted as numbers", {.misses_nan = true}},
    {"tail-missed",
     "edge_tile",
     "what remains after the last whole strip is not counted",
     {.misses_tail = true}},
    {"greatest-infinite",
     "nan_inf",
     "the greatest magnitude includes infinities",
     {.greatest_is_infinite = true}},
    {"first-is-last",
     "formula",
     "the last element that is not finite is taken for the first",
     {.first_is_last = true}},
};

class StatisticsProblem final : public Problem {
 public:
  explicit StatisticsProblem(const Case& c)
      : Problem(c),
        format_(*formats::find_format(c.word("format"))),
        count_(c.number("size", 'n')) {
    if (count_ < 1 || count_ > kMostElements)
      throw UsageError("case '" + print(c) + "': n must lie between 1 and 2^28");
  }

  const ContractRow& row(const backends::DeviceInfo&) const override { return kRow; }

  Plan plan(const backends::DeviceInfo& device) const override {
    Plan plan;
    if (!require_group(plan, device, kItems)) return plan;
    const std::size_t strips = (count_ + kStrip - 1) / kStrip;
    plan.tensors = {{"x", &format_, count_, Role::kInput},
                    {"histograms", &kFp32, strips * kPlaces, Role::kScratch},
                    {"greatest", &kFp32, strips, Role::kScratch},
                    {"firsts", &kFp32, strips, Role::kScratch},
                    {"histogram", &kFp32, kPlaces, Role::kOutput},
                    {"summary", &kFp32, 2, Role::kOutput}};
    add(plan, device.kind == "cpu" ? "statistics_strip_shares" : "statistics_strip", strips,
        {TensorRef{"x"}, TensorRef{"histograms"}, TensorRef{"greatest"}, TensorRef{"firsts"},
         static_cast<std::int32_t>(count_)});
    add(plan, "statistics_total", 1,
        {TensorRef{"histograms"}, TensorRef{"greatest"}, TensorRef{"firsts"},
         TensorRef{"histogram"}, TensorRef{"summary"}, static_cast<std::int32_t>(strips)});
    return plan;
  }

  TensorSet inputs() const override {
    const Random random(c(), "x");
    const std::string_view word = c().word("fill");
    return {{"x", word == kBorders ? borders(format_, count_, random)
                                   : fill(format_, count_, word, random)}};
  }

  Expectation expect(const TensorSet& inputs, const models::Machine&) const override {
    return evaluated(inputs, {});
  }

  std::vector<Hypothesis> mistakes() const override {
    std::vector<Hypothesis> list;
    for (const Mistake& mistake : kMistakes) {
      list.push_back({.name = std::string(mistake.name),
                      .finding_class = mistake.finding_class,
                      .sentence = std::string(mistake.sentence),
                      .evaluate = [&mistake](const Case&, const TensorSet& inputs) {
                        return evaluated(inputs, mistake.variant);
                      }});
    }
    return list;
  }

  bool holds_integers(std::string_view tensor) const override { return tensor != "x"; }

 private:
  static Expectation evaluated(const TensorSet& inputs, const Variant& variant) {
    Counted result = counted(inputs.at("x"), variant);
    return TensorSet{{"histogram", std::move(result.histogram)},
                     {"summary", std::move(result.summary)}};
  }

  void add(Plan& plan, const char* entry, std::size_t groups,
           std::vector<PlanArgument> arguments) const {
    plan.launches.push_back({.family = "statistics",
                             .defines = {{"HM_X_FORMAT", kernel_word(format_)}},
                             .entry = entry,
                             .groups = {static_cast<std::uint32_t>(groups), 1, 1},
                             .items = {kItems, 1, 1},
                             .arguments = std::move(arguments)});
  }

  const formats::Format& format_;
  std::size_t count_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{.name = "statistics",
                            .summary = "histograms by exponent, amax, first non-finite element",
                            .axes = axes(),
                            .contract = std::span(&kRow, 1),
                            .cases = cases,
                            .bind = bind_as<StatisticsProblem>};
  return kSuite;
}

}  // namespace halfmark::suites::statistics
