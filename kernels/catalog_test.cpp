// SPDX-License-Identifier: Apache-2.0
// Program texts: the prelude comes first, then the required families before the family itself,
// each once.
#include "kernels/catalog.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace halfmark::kernels {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Catalog, ARequiredFamilyComesBeforeTheOneThatNamesIt) {
  const std::string text = program_text("softmax");
  const std::size_t prelude = text.find("#line 1 \"prelude.hk\"");
  const std::size_t elementary = text.find("#line 1 \"elementary.hk\"");
  const std::size_t lanes = text.find("#line 1 \"lanes.hk\"");
  const std::size_t softmax = text.find("#line 1 \"softmax.hk\"");
  EXPECT_EQ(prelude, 0u);
  EXPECT_LT(prelude, elementary);
  EXPECT_LT(elementary, softmax);
  EXPECT_LT(lanes, softmax);
  EXPECT_NE(softmax, std::string::npos);
}

TEST(Catalog, EveryPartIsThereOnce) {
  for (const Family& family : families()) {
    const std::string text = program_text(family.name);
    for (const Family& part : families()) {
      EXPECT_LE(count(text, "#line 1 \"" + std::string(part.name) + ".hk\""), 1u) << family.name;
    }
  }
}

TEST(Catalog, EntriesAreReadFromTheText) {
  EXPECT_EQ(entries(find_family("softmax")->text),
            (std::vector<std::string>{"softmax_hide", "softmax_forward", "softmax_log_forward",
                                      "softmax_backward", "softmax_log_backward"}));
  EXPECT_TRUE(entries(find_family("elementary")->text).empty());
}

TEST(Catalog, AnUnknownFamilyIsAMistake) {
  EXPECT_EQ(find_family("sofmax"), nullptr);
  EXPECT_THROW(std::ignore = program_text("sofmax"), std::out_of_range);
}

}  // namespace
}  // namespace halfmark::kernels
