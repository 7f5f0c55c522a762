// SPDX-License-Identifier: Apache-2.0
// Results of real matrix units, line by line, against their rows. Skipped without the vectors
// (slow/unit_vectors.hpp says where the test looks for them).
#include "reference/slow/unit_vectors.hpp"

#include <gtest/gtest.h>

#include "reference/slow/unit_problems.hpp"

namespace halfmark::models {
namespace {

TEST(UnitVectors, EveryLineOfEveryFile) {
  const std::vector<slow::VectorFile> files = slow::read_vectors();
  if (files.empty()) {
    GTEST_SKIP() << "no hardware vectors at " << slow::vectors_folder() << "; set HALFMARK_VECTORS";
  }
  std::size_t lines = 0;
  for (const slow::VectorFile& file : files) {
    ASSERT_NE(file.unit, nullptr) << file.name;
    std::size_t matches = 0;
    for (std::size_t i = 0; i < file.problems.size(); ++i) {
      if (slow::fast_unit_dot(*file.unit, file.problems[i]) == file.answers[i]) ++matches;
    }
    EXPECT_EQ(file.problems.size(), matches) << file.name << " by " << file.unit->name;
    lines += matches;
  }
  EXPECT_EQ(48U, files.size());
  EXPECT_EQ(19200U, lines);
}

}  // namespace
}  // namespace halfmark::models
