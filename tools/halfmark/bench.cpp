// SPDX-License-Identifier: Apache-2.0
// `halfmark bench` starts a separate program, halfmark-bench: that one is linked with Google
// Benchmark, whereas this one needs no library at run time. Decides where to find it: in the
// same folder.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "suites/core/case/errors.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

// Replaces this process with that program.
[[noreturn]] void become_bench(std::vector<std::string> arguments) {
  std::error_code unreadable;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  std::string program = (self.parent_path() / "halfmark-bench").string();
  std::vector<char*> words = {program.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  throw suites::EnvironmentError(
      fmt::format("'{}' cannot be started: {}; it needs Google Benchmark and is made from the "
                  "source tree (`cmake --build build --target halfmark-bench`)",
                  program, std::strerror(errno)));
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("bench", kBenchDescription);
  verb->set_help_flag();
  verb->prefix_command();
  verb->callback([&action, verb] {
    action = [words = verb->remaining()] {
      become_bench(words);
      return 0;
    };
  });
}

}  // namespace halfmark::tools
