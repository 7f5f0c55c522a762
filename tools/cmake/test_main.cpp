// SPDX-License-Identifier: Apache-2.0
//
// The main function of all test programs. The tests of a folder are one program, which saves most
// of the time that their compilation and linking would take; `--sources=PATH:PATH...` (relative to
// the project) runs those of one entry of ctest.
// --gtest_filter and the others work on what is selected.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view kOption = "--sources=";

// Calls `predicate` with the texts between colons, up to the first for which it is true.
bool any_of_list(std::string_view list, auto predicate) {
  for (;;) {
    const size_t end = list.find(':');
    if (predicate(std::string(list.substr(0, end)))) return true;
    if (end == std::string_view::npos) return false;
    list.remove_prefix(end + 1);
  }
}

// As --gtest_filter is specified: patterns, and behind a minus those of tests that are left out.
bool passes(std::string_view filter, const std::string& name) {
  const auto matches = [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
  };
  const size_t minus = filter.find('-');
  const bool is_wanted = minus == 0 || any_of_list(filter.substr(0, minus), matches);
  return is_wanted &&
         (minus == std::string_view::npos || !any_of_list(filter.substr(minus + 1), matches));
}

// Full name -> file; empty after a complaint if two files have a test of one name, since a filter
// cannot tell them apart.
std::map<std::string, std::string> files_of_tests() {
  std::map<std::string, std::string> files;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      const std::string name = std::string(suite.name()) + "." + test.name();
      const auto [at, is_new] = files.emplace(name, test.file());
      if (!is_new) {
        std::fprintf(stderr, "%s is in %s and in %s: rename one of them\n", name.c_str(),
                     at->second.c_str(), test.file());
        return {};
      }
    }
  }
  return files;
}

// Whether there is anything to run.
bool select(std::string_view sources) {
  std::string filter;
  bool has_tests = false;
  for (const auto& [name, file] : files_of_tests()) {
    if (!any_of_list(sources,
                     [&](const std::string& source) { return file.ends_with("/" + source); }))
      continue;
    has_tests = true;
    if (passes(GTEST_FLAG_GET(filter), name)) filter += name + ":";
  }
  if (!has_tests)
    std::fprintf(stderr, "no test of this program is in %s\n", std::string(sources).c_str());
  GTEST_FLAG_SET(filter, filter.empty() ? "-*" : filter);
  return has_tests;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option.starts_with(kOption) && !select(option.substr(kOption.size()))) return 1;
  return RUN_ALL_TESTS();
}
