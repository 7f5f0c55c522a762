// SPDX-License-Identifier: Apache-2.0
#include "backends/host/compiler.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <string_view>

#include "backends/host/child.hpp"
#include "backends/host/stack_pool.hpp"

namespace halfmark::backends::host {
namespace {

constexpr std::string_view kRemedy =
    "install g++ or clang++, or set HALFMARK_CXX to the command of a C++ compiler";

[[nodiscard]] std::vector<std::string> words_of(const char* text) {
  std::istringstream stream(text == nullptr ? "" : text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Instruction sets change no result, only how fast it comes: the dialect spells out every rounding.
[[nodiscard]] std::vector<std::string> instruction_set_flags() {
  std::vector<std::string> flags;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) flags.push_back("-mavx2");
  if (__builtin_cpu_supports("fma")) flags.push_back("-mfma");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c")) flags.push_back("-mf16c");
#endif
  return flags;
}

// Items run on small stacks without guard pages, so a frame that is too large must not build. The
// two compilers spell that differently.
[[nodiscard]] std::vector<std::string> frame_flags(bool is_clang) {
  if (!is_clang) return {fmt::format("-Werror=frame-larger-than={}", kFrameLimitBytes)};
  return {fmt::format("-Wframe-larger-than={}", kFrameLimitBytes), "-Werror=frame-larger-than="};
}

[[nodiscard]] std::vector<std::string> kernel_flags(std::string_view version) {
  // GNU mode would contract, and the STDC pragma is ignored there; errno would cost a branch per
  // square root.
  std::vector<std::string> flags = {"-x",
                                    "c++",
                                    "-std=c++17",
                                    "-O2",
                                    "-ffp-contract=off",
                                    "-fno-fast-math",
                                    "-fno-math-errno",
                                    "-fPIC",
                                    "-shared",
                                    "-fvisibility=hidden"};
  for (std::string& flag : frame_flags(version.find("clang") != version.npos))
    flags.push_back(std::move(flag));
  for (std::string& flag : instruction_set_flags()) flags.push_back(std::move(flag));
  for (std::string& flag : words_of(std::getenv("HALFMARK_HOST_CXXFLAGS")))
    flags.push_back(std::move(flag));
  return flags;
}

// The first line of --version; empty when the command does not run.
[[nodiscard]] std::string version_of(std::vector<std::string> command) {
  command.emplace_back("--version");
  try {
    const ChildResult result = run_child(command);
    if (result.exit_status != 0) return {};
    return result.output.substr(0, result.output.find('\n'));
  } catch (const BackendError&) {
    return {};
  }
}

}  // namespace

Compiler find_compiler() {
  std::vector<std::vector<std::string>> candidates = {words_of(std::getenv("HALFMARK_CXX"))};
  const bool chosen = !candidates.front().empty();
  if (!chosen) candidates = {{"c++"}, {"g++"}, {"clang++"}};
  for (std::vector<std::string>& command : candidates) {
    std::string version = version_of(command);
    if (version.empty()) continue;
    std::vector<std::string> flags = kernel_flags(version);
    return {std::move(command), std::move(version), std::move(flags)};
  }
  throw BackendError("find_compiler", 0,
                     chosen ? fmt::format("HALFMARK_CXX='{}' does not run; {}",
                                          std::getenv("HALFMARK_CXX"), kRemedy)
                            : fmt::format("no C++ compiler found; {}", kRemedy));
}

std::string compile(const Compiler& compiler, std::span<const Define> defines,
                    const std::filesystem::path& source, const std::filesystem::path& target) {
  std::vector<std::string> argv = compiler.command;
  argv.insert(argv.end(), compiler.flags.begin(), compiler.flags.end());
  for (const Define& define : defines)
    argv.push_back(fmt::format("-D{}={}", define.name, define.value));
  argv.insert(argv.end(), {"-o", target.string(), source.string()});
  ChildResult result = run_child(argv);
  if (result.exit_status != 0) {
    throw BackendError(
        compiler.command.front(), result.exit_status,
        result.output.empty() ? "the compiler failed without a word" : result.output);
  }
  return std::move(result.output);
}

}  // namespace halfmark::backends::host
