// SPDX-License-Identifier: Apache-2.0
//
// Tests the stand-in of hipBLASLt with the numbers of its documentation (ROCm 6, hipBLASLt
// data types).
#include "backends/standin/blas_lt_test.hpp"

#include <gtest/gtest.h>

namespace halfmark::backends::hip {
namespace {

using shim::standin::LtDocument;

constexpr LtDocument kDocument{.prefix = "hipblasLt",
                               .fp32 = 0,
                               .fp16 = 2,
                               .e4m3 = 28,
                               .compute = 2,
                               .no_operation = 111,
                               .transpose = 112,
                               .layout_batch = 0,
                               .layout_stride = 1,
                               .transpose_first = 0,
                               .transpose_second = 1,
                               .epilogue = 2,
                               .bias = 3,
                               .first_scale = 5,
                               .second_scale = 6,
                               .workspace = 1,
                               .algorithm_bytes = 24,
                               .invalid = 3,
                               .declined = 7};

class StandInLt : public shim::standin::LtContract {
 protected:
  StandInLt() : LtContract(HM_STAND_IN_LIBRARY, kDocument) {}
};

TEST_F(StandInLt, TakesTheNumbersOfTheDocuments) { expect_products(); }
TEST_F(StandInLt, HasTheEpiloguesOfTheDocuments) { expect_epilogues(); }
TEST_F(StandInLt, HasSwish) { expect_swish(65536, 65540); }
TEST_F(StandInLt, ScalesMatricesOf8Bits) { expect_scales(); }
TEST_F(StandInLt, RefusesWhatTheDocumentsForbid) { expect_refusals(); }
TEST_F(StandInLt, ServesThreadsAtTheSameTime) { expect_parallel_calls(); }

}  // namespace
}  // namespace halfmark::backends::hip
