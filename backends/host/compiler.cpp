// SPDX-License-Identifier: Apache-2.0
#include "backends/host/compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "backends/cache_entry.hpp"
#include "backends/environment_fault.hpp"
#include "backends/host/child.hpp"
#include "backends/host/image_cache.hpp"
#include "backends/host/machine.hpp"
#include "backends/host/stack_pool.hpp"
#include "reference/text/visible.hpp"

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

// Instruction sets affect speed but no result: the dialect spells out every rounding.
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

// Items run on small stacks without guard pages, so a text with a larger frame must not compile.
// The two compilers spell the option differently.
[[nodiscard]] std::vector<std::string> frame_flags(bool is_clang) {
  if (!is_clang) return {fmt::format("-Werror=frame-larger-than={}", kFrameLimitBytes)};
  return {fmt::format("-Wframe-larger-than={}", kFrameLimitBytes), "-Werror=frame-larger-than="};
}

// The compiler's word for the processor that it runs on.
constexpr const char* kNativeFlag =
#if defined(__aarch64__)
    "-mcpu=native";
#else
    "-march=native";
#endif

// Whether a compiler that reads this file may never end, as with /dev/full. "@file" holds options.
[[nodiscard]] bool may_be_endless(std::string_view word) {
  if (word.starts_with('@')) word.remove_prefix(1);
  std::error_code error;
  const auto kind = std::filesystem::status(std::filesystem::path(word), error).type();
  using Kind = std::filesystem::file_type;
  return kind == Kind::character || kind == Kind::block || kind == Kind::fifo;
}

// A word that is no option is an option's argument, or the compiler would read it as a source.
[[nodiscard]] std::vector<std::string> extra_flags() {
  std::vector<std::string> flags = words_of(std::getenv("HALFMARK_HOST_CXXFLAGS"));
  bool follows_option = false;
  for (const std::string& flag : flags) {
    const bool is_option = flag.starts_with('-');
    if (!is_option && (!follows_option || may_be_endless(flag)))
      throw EnvironmentFault(
          fmt::format("HALFMARK_HOST_CXXFLAGS has '{}', which is no option and no file or folder "
                      "behind one; options begin with '-': mend HALFMARK_HOST_CXXFLAGS",
                      text::visible_line(flag)));
    follows_option = is_option;
  }
  return flags;
}

[[nodiscard]] std::vector<std::string> kernel_flags(std::string_view version,
                                                    Instructions instructions) {
  // GNU mode would contract, and ignores the STDC pragma; errno would cost a branch per
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
  if (instructions == Instructions::kNative) flags.emplace_back(kNativeFlag);
  for (std::string& flag : instruction_set_flags()) flags.push_back(std::move(flag));
  for (std::string& flag : extra_flags()) flags.push_back(std::move(flag));
  return flags;
}

// The command's output; empty when it does not run or fails.
[[nodiscard]] std::string answer_of(std::vector<std::string> command,
                                    std::initializer_list<const char*> options) {
  command.insert(command.end(), options.begin(), options.end());
  ChildResult result;
  try {
    result = run_child(command);
  } catch (const EnvironmentFault&) {
    return {};
  }
  // A killed compiler might have answered; replacing it by another compiler would make
  // another device.
  for (const int outside : {SIGKILL, SIGTERM}) {
    if (result.exit_status == 128 + outside)
      throw EnvironmentFault(
          fmt::format("'{}' was ended by signal {}; run again", command.front(), outside));
  }
  return result.exit_status == 0 ? std::move(result.output) : "";
}

[[nodiscard]] std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Many programs accept --version; only a C++ compiler defines this macro.
[[nodiscard]] bool knows_cpp(const std::vector<std::string>& command) {
  return answer_of(command, {"-x", "c++", "-E", "-dM", "/dev/null"}).find("__cplusplus") !=
         std::string::npos;
}

// An updated compiler, or another one under the same name, makes different images. The two
// variables determine where it finds the programs that it starts.
[[nodiscard]] std::string identity_of(const std::vector<std::string>& command) {
  std::string identity;
  for (const std::string& word : command) {
    const std::string program = program_of(word);
    if (!program.empty()) identity += fmt::format("{} {}\n", program, file_identity(program));
  }
  for (const char* variable : {"COMPILER_PATH", "GCC_EXEC_PREFIX"}) {
    if (const char* value = std::getenv(variable))
      identity += fmt::format("{}={}\n", variable, value);
  }
  return identity;
}

[[nodiscard]] CompilerCall call_of(const Compiler& compiler, std::span<const Define> defines,
                                   const std::filesystem::path& place) {
  std::vector<std::string> argv = compiler.command;
  argv.insert(argv.end(), compiler.flags.begin(), compiler.flags.end());
  for (const Define& define : defines)
    argv.push_back(fmt::format("-D{}={}", define.name, define.value));
  return {.argv = std::move(argv),
          .source_name = "kernel.cpp",
          .place = place,
          .remedy = kRemedy,
          .room_remedy = kFolderRemedy};
}

// A compiler that also refuses an empty text is broken, regardless of the text.
void check_compiler(const Compiler& compiler, const std::filesystem::path& place) {
  try {
    static_cast<void>(compile_text(call_of(compiler, {}, place), ""));
  } catch (const BackendError& error) {
    throw EnvironmentFault(fmt::format(
        "the C++ compiler '{}' compiles nothing, not even an empty text: {}; repair it, set "
        "HALFMARK_CXX to another, or mend HALFMARK_HOST_CXXFLAGS",
        fmt::join(compiler.command, " "), first_line(error.vendor_text)));
  }
}

}  // namespace

Compiler find_compiler(Instructions instructions) {
  std::vector<std::vector<std::string>> candidates = {words_of(std::getenv("HALFMARK_CXX"))};
  const bool chosen = !candidates.front().empty();
  if (!chosen) candidates = {{"c++"}, {"g++"}, {"clang++"}};
  std::string found;
  for (std::vector<std::string>& command : candidates) {
    std::string version = first_line(answer_of(command, {"--version"}));
    if (!version.empty()) found = version;
    if (version.empty() || !knows_cpp(command)) continue;
    std::string identity = identity_of(command);
    // On another processor "native" makes other images, which a cache in a shared folder mixes.
    if (instructions == Instructions::kNative) identity += processor_features() + "\n";
    std::vector<std::string> flags = kernel_flags(version, instructions);
    return {std::move(command), std::move(version), std::move(identity), std::move(flags)};
  }
  if (!chosen) throw EnvironmentFault(fmt::format("no C++ compiler found; {}", kRemedy));
  throw EnvironmentFault(fmt::format("HALFMARK_CXX='{}' {}; {}", std::getenv("HALFMARK_CXX"),
                                     found.empty() ? "does not run" : "is no C++ compiler",
                                     kRemedy));
}

std::string predefined_macros(const Compiler& compiler) {
  std::vector<std::string> command = compiler.command;
  for (const std::string& flag : compiler.flags) {
    if (flag != "-shared") command.push_back(flag);
  }
  return answer_of(std::move(command), {"-E", "-dM", "/dev/null"});
}

CompiledText compile(const Compiler& compiler, std::span<const Define> defines,
                     std::string_view source, const std::filesystem::path& place) {
  try {
    return compile_text(call_of(compiler, defines, place), source);
  } catch (const BackendError&) {
    check_compiler(compiler, place);
    throw;
  }
}

}  // namespace halfmark::backends::host
