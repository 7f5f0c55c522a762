// SPDX-License-Identifier: Apache-2.0
#include "backends/host/compile_text.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "backends/device_info.hpp"
#include "backends/environment_fault.hpp"
#include "backends/host/child.hpp"
#include "backends/host/scratch_folder.hpp"

namespace halfmark::backends::host {
namespace {

namespace fs = std::filesystem;

// Errors that no text can cause: compilers run with LC_ALL=C and print the system's error messages.
// gcc prints "Killed" for a subprocess that the system ended.
constexpr int kOfTheMachine[] = {ENOSPC, EDQUOT, EROFS, ENOMEM, EMFILE, ENFILE, EIO, EACCES};
constexpr std::string_view kKilled = "Killed signal terminated program";
// Sent from outside, or by the system at a limit; a crashing compiler dies of other signals.
constexpr int kFromOutside[] = {SIGHUP, SIGINT, SIGKILL, SIGTERM, SIGXCPU, SIGXFSZ};
constexpr int kSignals = 128;  // added to the signal number in an exit status

// These change what is compiled, or write extra files, but are not part of an image's key.
constexpr const char* kTakenAway[] = {"CCC_OVERRIDE_OPTIONS", "DEPENDENCIES_OUTPUT",
                                      "SUNPRO_DEPENDENCIES", "GCC_COMPARE_DEBUG"};

// The line of the log that blames the machine; empty when there is none.
std::string machine_line(const std::string& log) {
  std::size_t at = log.find(kKilled);
  for (const int error : kOfTheMachine) at = std::min(at, log.find(strerrordesc_np(error)));
  if (at == log.npos) return {};
  const std::size_t begin = log.rfind('\n', at) + 1;
  return log.substr(begin, log.find('\n', at) - begin);
}

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

ChildResult run_compiler(const CompilerCall& call, const std::vector<std::string>& argv,
                         const fs::path& folder) {
  std::vector<std::string> settings(std::begin(kTakenAway), std::end(kTakenAway));
  // Puts the compiler's temporary files into this folder, which has room, regardless of TMPDIR.
  settings.push_back("TMPDIR=" + folder.string());
  try {
    return run_child(argv, settings);
  } catch (const EnvironmentFault& fault) {
    throw EnvironmentFault(fmt::format("{}; {}", fault.what(), call.remedy));
  }
}

void check(const CompilerCall& call, const ChildResult& result) {
  if (result.exit_status == 0) return;
  const std::string& compiler = call.argv.front();
  if (const std::string line = machine_line(result.output); !line.empty()) {
    throw EnvironmentFault(
        fmt::format("'{}' cannot compile here: {}; {}", compiler, line, call.room_remedy));
  }
  if (std::ranges::count(kFromOutside, result.exit_status - kSignals) > 0) {
    throw EnvironmentFault(fmt::format("'{}' ended with signal {}; {}", compiler,
                                       result.exit_status - kSignals, call.remedy));
  }
  throw BackendError(compiler, result.exit_status,
                     result.output.empty() ? "the compiler failed without a word" : result.output);
}

}  // namespace

CompiledText compile_text(const CompilerCall& call, std::string_view source) {
  const ScratchFolder folder(call.place, "the compiler's files", call.room_remedy);
  const fs::path text = folder.path() / call.source_name;
  const fs::path target = folder.path() / "image";
  write_file(text, source, call.room_remedy);
  std::vector<std::string> argv = call.argv;
  argv.insert(argv.end(), {"-o", target.string(), text.string()});
  ChildResult result = run_compiler(call, argv, folder.path());
  check(call, result);
  CompiledText made{.image = bytes_of(target), .log = std::move(result.output)};
  if (!made.image.empty()) return made;
  throw EnvironmentFault(
      fmt::format("'{}' reported success but wrote no file; {}", call.argv.front(), call.remedy));
}

}  // namespace halfmark::backends::host
