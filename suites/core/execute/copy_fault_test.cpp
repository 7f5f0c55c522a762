// SPDX-License-Identifier: Apache-2.0
// Deliberately broken copies, around a plan that launches nothing.
#include "suites/core/execute/copy_fault.hpp"

#include <gtest/gtest.h>

#include <string>

namespace halfmark::suites {
namespace {

// fp16 numbers of a range of bytes.
formats::Tensor numbers(std::size_t count) {
  formats::Tensor tensor = formats::Tensor::zeros(formats::kFp16, count);
  for (std::size_t i = 0; i < count; ++i) tensor.set(i, (i + i / 256) & 0x3fffU);
  return tensor;
}

std::optional<CopyFault> found_with(const std::string& fault, std::size_t count) {
  Session session(backends::Device::open("host", {{"fault", fault}}));
  Plan plan;
  plan.tensors = {{.name = "a", .format = &formats::kFp16, .count = count, .role = Role::kInput},
                  {.name = "d", .format = &formats::kFp16, .count = 3, .role = Role::kOutput}};
  return find_copy_fault(session, plan, {{"a", numbers(count)}});
}

void expect_found(const std::string& fault, std::size_t count, std::string_view finding_class,
                  std::string_view sentence) {
  const std::optional<CopyFault> found = found_with(fault, count);
  ASSERT_TRUE(found) << fault;
  EXPECT_EQ(finding_class, found->finding_class) << fault;
  EXPECT_EQ(sentence, found->sentence) << fault;
}

TEST(CopyFault, IsNoneWhereCopiesAreRight) {
  for (const std::size_t count : {1U, 31U, 2049U, 32768U}) EXPECT_FALSE(found_with("", count));
}

TEST(CopyFault, IsNoneWhereItsSizesAreOthers) {
  EXPECT_FALSE(found_with("T01", 32767));
  EXPECT_FALSE(found_with("T04", 32767));
}

TEST(CopyFault, IsAnUploadThatIsShort) {
  expect_found("T01", 32768, "short_copy",
               "an upload of 65536 bytes to 'a' loses bytes 65280 to 65535: the device's memory "
               "holds what it held before");
  expect_found("T02", 36, "short_copy",
               "an upload of 72 bytes to 'a' loses bytes 64 to 71: the device's memory holds what "
               "it held before");
}

TEST(CopyFault, IsAReadBackThatIsShort) {
  expect_found("T04:bytes=1", 32768, "short_copy",
               "a read-back of 65536 bytes of 'a' loses byte 65535: the host's memory holds what "
               "it held before");
}

TEST(CopyFault, IsABlockThatArrivesTwice) {
  expect_found("T06", 4096, "misplaced_copy",
               "an upload of 8192 bytes to 'a' puts other bytes into bytes 4096 to 8191");
}

TEST(CopyFault, IsAnUploadThatIsTooLong) {
  expect_found("T07", 1025, "out_of_bounds",
               "an upload of 2050 bytes to 'a' changes memory behind its end");
}

}  // namespace
}  // namespace halfmark::suites
