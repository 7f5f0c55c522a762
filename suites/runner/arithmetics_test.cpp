// SPDX-License-Identifier: Apache-2.0
// The list in a scorecard does not depend on where a run was interrupted.
#include "suites/runner/arithmetics.hpp"

#include <gtest/gtest.h>

#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

std::string key_of(const Case& c) { return find_suite(c.suite).modelling->key(c); }

TEST(Arithmetics, AreListedAsTheCasesNeedThem) {
  const std::vector<Case> cases = {
      parse_case("loss.mse-backward.fp16.out-fp16.library.r1n1021p26.far.s1"),
      parse_case("loss.mse-backward.fp16.out-fp16.portable.r1n1021p26.far.s1"),
      parse_case("loss.mse-backward.fp16.out-fp16.library.r1n1021p10.integer.s1")};
  const std::string first = key_of(cases[0]), second = key_of(cases[2]);
  ASSERT_NE(first, second);
  std::vector<Identified> found(3);
  found[0].key = "of no case";
  found[1].key = second;
  found[1].evidence = "probes";
  found[2].key = first;
  sort_by_use(cases, found);
  ASSERT_EQ(3u, found.size());
  EXPECT_EQ(first, found[0].key);
  EXPECT_EQ(second, found[1].key);
  EXPECT_EQ("probes", found[1].evidence);
  EXPECT_EQ("of no case", found[2].key);
}

}  // namespace
}  // namespace halfmark::suites
