// SPDX-License-Identifier: Apache-2.0
//
// Tests the stand-in of cuBLASLt with the numbers of its documentation (CUDA 13, cuBLASLt
// data types).
#include "backends/standin/blas_lt_test.hpp"

#include <gtest/gtest.h>

namespace halfmark::backends::cuda {
namespace {

using shim::standin::LtDocument;

constexpr LtDocument kDocument{.prefix = "cublasLt",
                               .fp32 = 0,
                               .fp16 = 2,
                               .e4m3 = 28,
                               .compute = 68,
                               .no_operation = 0,
                               .transpose = 1,
                               .layout_batch = 5,
                               .layout_stride = 6,
                               .transpose_first = 3,
                               .transpose_second = 4,
                               .epilogue = 7,
                               .bias = 8,
                               .first_scale = 17,
                               .second_scale = 18,
                               .workspace = 1,
                               .algorithm_bytes = 64,
                               .invalid = 7,
                               .declined = 15};

class StandInLt : public shim::standin::LtContract {
 protected:
  StandInLt() : LtContract(HM_STAND_IN_LIBRARY, kDocument) {}
};

TEST_F(StandInLt, TakesTheNumbersOfTheDocuments) { expect_products(); }
TEST_F(StandInLt, HasTheEpiloguesOfTheDocuments) { expect_epilogues(); }
TEST_F(StandInLt, ScalesMatricesOf8Bits) { expect_scales(); }
TEST_F(StandInLt, RefusesWhatTheDocumentsForbid) { expect_refusals(); }
TEST_F(StandInLt, ServesThreadsAtTheSameTime) { expect_parallel_calls(); }

}  // namespace
}  // namespace halfmark::backends::cuda
