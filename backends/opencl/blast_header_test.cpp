// SPDX-License-Identifier: Apache-2.0
//
// Compares blast_names.hpp with CLBlast's own header at compile time.
#include <clblast_c.h>
#include <gtest/gtest.h>

#include "backends/opencl/blast_names.hpp"
#include "backends/shim/header_check.hpp"

namespace halfmark::backends::opencl {
namespace {

#define HM_BLAST_CHECK_CALL(symbol, type)                                       \
  static_assert(shim::header_check::kSameCall<type, decltype(&symbol)>, #symbol \
                " is another "                                                  \
                "call");
#define HM_BLAST_CHECK_NUMBER(enumerator, value) \
  static_assert(static_cast<int>(enumerator) == value, #enumerator " is not " #value);
HM_BLAST_CALLS(HM_BLAST_CHECK_CALL)
HM_BLAST_NUMBERS(HM_BLAST_CHECK_NUMBER)
HM_BLAST_DECLINES(HM_BLAST_CHECK_NUMBER)
HM_BLAST_FAILURES(HM_BLAST_CHECK_NUMBER)

TEST(BlastHeaders, AreThoseThatTheRowsWereComparedWith) { EXPECT_EQ(1, CLBLAST_VERSION_MAJOR); }

}  // namespace
}  // namespace halfmark::backends::opencl
