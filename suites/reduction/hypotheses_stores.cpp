// SPDX-License-Identifier: Apache-2.0
// Correct sums and means that are rounded wrongly when stored.
#include "reference/soft/soft.hpp"
#include "suites/reduction/rows.hpp"

namespace halfmark::suites::reduction {
namespace {

using formats::Bits;
using formats::kFp32;

struct StoreRounding {
  std::string_view name, words;
  soft::Rounding rounding;
};
constexpr StoreRounding kStoreRoundings[] = {
    {"toward-zero", "toward zero", soft::Rounding::kTowardZero},
    {"down", "toward minus infinity", soft::Rounding::kDown},
    {"up", "toward plus infinity", soft::Rounding::kUp},
    {"near-away", "to nearest, ties away from zero", soft::Rounding::kNearAway}};

// For sums that are exact in fp32, or nearly so.
Hypothesis stored_hypothesis(const StoreRounding& row) {
  return {.name = "store-rounds-" + std::string(row.name),
          .finding_class = "cvt_round",
          .sentence = "results are rounded " + std::string(row.words) + " as they are stored",
          .evaluate = [rounding = row.rounding](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              Bits wide = nearest(kFp32, sum_of(x).value);
              if (b.operation == Operation::kMean) {
                const Bits count = soft::from_int(kFp32, static_cast<std::int64_t>(b.width)).bits;
                wide = soft::div(kFp32, wide, count).bits;
              }
              return soft::convert(kFp32, *b.output, wide, {.rounding = rounding}).bits;
            });
          }};
}

}  // namespace

std::vector<Hypothesis> hypotheses_of_stores(const Binding& b) {
  std::vector<Hypothesis> list;
  for (const StoreRounding& row : kStoreRoundings) {
    if (b.output->fraction_bits < kFp32.fraction_bits) list.push_back(stored_hypothesis(row));
  }
  return list;
}

}  // namespace halfmark::suites::reduction
