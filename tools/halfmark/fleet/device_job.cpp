// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/fleet/device_job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include "fleet/rollup_of.hpp"
#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "reports/files.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/fleet/gather.hpp"

namespace halfmark::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLog = "run.log";
constexpr std::size_t kMostLogBytes = std::size_t{16} << 20;

fleet::DeviceIdentity identity_of_device(const backends::DeviceInfo& device) {
  return {.selector = device.selector,
          .backend = device.backend,
          .name = device.name,
          .platform = device.platform,
          .driver = device.driver_version};
}

// Becomes the run; never returns.
[[noreturn]] void become(std::vector<std::string>& words, const fs::path& log, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(reports::kExitNoAnswer);  // it died meanwhile
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0) {
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv("/proc/self/exe", arguments.data());
  ::_exit(reports::kExitNoAnswer);
}

}  // namespace

DeviceJob::DeviceJob(const backends::DeviceInfo& device, fleet::Origin origin, fs::path folder)
    : origin_(std::move(origin)),
      identity_(identity_of_device(device)),
      folder_(std::move(folder)) {}

DeviceJob::~DeviceJob() {
  if (has_ended()) return;
  kill();
  ::waitpid(pid_, nullptr, 0);
}

bool DeviceJob::is_answered() const {
  try {
    const fleet::Rollup before =
        fleet::parse_rollup(reports::read_file(folder_ / kRollupFile, fleet::kMostRollupBytes));
    return before.completeness == fleet::Completeness::kComplete;
  } catch (const std::exception&) {
    return false;
  }
}

void DeviceJob::start(std::vector<std::string> words) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw suites::EnvironmentError(fmt::format(
        "cannot create the folder {}: {}", text::visible_line(folder_.string()), error.message()));
  // The journal of an earlier start goes on; what was made of it is made anew.
  if (fs::exists(folder_ / "journal.jsonl", error)) words.emplace_back("--resume");
  for (const char* made : {kRollupFile, "scorecard.json"}) fs::remove(folder_ / made, error);
  words.insert(words.begin(), "halfmark");
  const pid_t parent = ::getpid();
  started_ = Clock::now();
  pid_ = ::fork();
  if (pid_ == 0) become(words, folder_ / kLog, parent);
  if (pid_ < 0)
    throw suites::EnvironmentError(fmt::format("cannot start a run: {}", std::strerror(errno)));
}

void DeviceJob::ask_to_stop() {
  if (pid_ <= 0 || stopped_) return;
  stopped_ = true;
  ::kill(pid_, SIGTERM);
}

void DeviceJob::kill() {
  if (pid_ <= 0) return;
  stopped_ = true;
  ::kill(pid_, SIGKILL);
}

bool DeviceJob::has_ended() {
  if (pid_ <= 0) return true;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == 0) return false;
  ended_ = Clock::now();
  pid_ = -1;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : reports::kExitNoAnswer;
  return true;
}

std::string DeviceJob::last_words() const {
  std::string last = "the run left no answer and no message";
  try {
    std::istringstream log(reports::read_file(folder_ / kLog, kMostLogBytes));
    for (std::string line; std::getline(log, line);) {
      if (line.starts_with("halfmark: ")) last = line.substr(std::strlen("halfmark: "));
    }
  } catch (const reports::FileError&) {  // then there are none
  }
  return last;
}

fleet::Rollup DeviceJob::read_answer() const {
  try {
    return rollup_of_folder(folder_, origin_);
  } catch (const std::exception&) {
    return fleet::rollup_of_error(origin_, identity_, last_words());
  }
}

fleet::Rollup DeviceJob::roll_up(std::chrono::milliseconds budget) {
  fleet::Rollup rollup = read_answer();
  if (stopped_ && rollup.completeness != fleet::Completeness::kComplete)
    rollup.reason =
        fmt::format("stopped after {} of {} cases; the budget is {:g} s", rollup.reported,
                    rollup.expected, std::chrono::duration<double>(budget).count());
  reports::write_file_atomically(folder_ / kRollupFile, fleet::print(rollup));
  return rollup;
}

}  // namespace halfmark::tools
