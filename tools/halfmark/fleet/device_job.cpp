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

#include "backends/cache_entry.hpp"
#include "fleet/rollup_of.hpp"
#include "reference/fast/parallel.hpp"
#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "reports/files.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/runner/content_digest.hpp"
#include "suites/runner/device_identity.hpp"
#include "suites/runner/journal.hpp"
#include "tools/halfmark/fleet/gather.hpp"

namespace halfmark::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJournal = "journal.jsonl";
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

nlohmann::json FilesNow::digests_of(const nlohmann::json& loaded) {
  std::vector<std::pair<std::string, std::string*>> unread;
  std::map<std::string, std::string*> digest_of;
  for (const auto& [file, before] : loaded.items()) {
    const auto [known, is_new] = digests_.try_emplace(backends::file_identity(file));
    digest_of[file] = &known->second;
    if (is_new) unread.emplace_back(file, &known->second);
  }
  // In parallel: a vendor's libraries may be gigabytes in size.
  fast::for_each_part(unread.size(), 0, fast::Direction::kNearEven, [&](std::size_t i) {
    *unread[i].second = suites::file_digest(unread[i].first).value_or("cannot be read");
  });
  nlohmann::json digests = nlohmann::json::object();
  for (const auto& [file, digest] : digest_of) digests[file] = *digest;
  return digests;
}

DeviceJob::DeviceJob(backends::DeviceInfo device, fleet::Origin origin, nlohmann::json question,
                     fs::path folder)
    : device_(std::move(device)),
      origin_(std::move(origin)),
      question_(std::move(question)),
      folder_(std::move(folder)) {}

DeviceJob::~DeviceJob() {
  if (has_ended()) return;
  kill();
  ::waitpid(pid_, nullptr, 0);
}

// The roll-up could not tell: a planted fault is no part of its names.
std::optional<suites::DeviceRun> DeviceJob::earlier_run() const {
  const fs::path file = folder_ / kJournal;
  try {
    suites::DeviceRun before = suites::from_journal(suites::read_journal(file), file);
    if (before.identity == question_ &&
        identity_of_device(before.device) == identity_of_device(device_))
      return before;
  } catch (const std::exception&) {  // there is none, or it is damaged
  }
  return std::nullopt;
}

std::optional<fleet::Rollup> DeviceJob::earlier_answer(FilesNow& files) const {
  try {
    fleet::Rollup rollup =
        fleet::parse_rollup(reports::read_file(folder_ / kRollupFile, fleet::kMostRollupBytes));
    if (rollup.completeness != fleet::Completeness::kComplete) return std::nullopt;
    const std::optional<suites::DeviceRun> before = earlier_run();
    if (!before) return std::nullopt;
    const nlohmann::json& was = before->device_identity;
    const nlohmann::json is =
        suites::device_identity(device_, files.digests_of(was.at("loaded_files")));
    if (suites::difference(was, is).empty()) return rollup;
  } catch (const std::exception&) {  // then it has none
  }
  return std::nullopt;
}

// Journals that were put aside are history: none replaces another.
void DeviceJob::put_journal_aside() const {
  fs::path aside = folder_ / fmt::format("{}.earlier", kJournal);
  std::error_code error;
  for (int number = 2; fs::exists(aside, error); ++number)
    aside = folder_ / fmt::format("{}.earlier-{}", kJournal, number);
  fs::rename(folder_ / kJournal, aside, error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw suites::EnvironmentError(fmt::format("cannot put {} aside: {}",
                                               text::visible_line((folder_ / kJournal).string()),
                                               error.message()));
}

void DeviceJob::start(std::vector<std::string> words) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    throw suites::EnvironmentError(fmt::format(
        "cannot create the folder {}: {}", text::visible_line(folder_.string()), error.message()));
  // The journal of an earlier start goes on; what was made of it is made anew. Another one is put
  // aside, so that a run that fails at once leaves no other answer as its own.
  words_ = words;
  resumed_ = earlier_run().has_value();
  if (resumed_) {
    words.emplace_back("--resume");
  } else {
    put_journal_aside();
  }
  for (const char* made : {kRollupFile, "scorecard.json"}) fs::remove(folder_ / made, error);
  launch(std::move(words));
}

bool DeviceJob::starts_anew() {
  if (!resumed_ || stopped_ || exit_code_ != reports::kExitUnusable) return false;
  resumed_ = false;
  put_journal_aside();
  launch(words_);
  return true;
}

void DeviceJob::launch(std::vector<std::string> words) {
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
    return fleet::rollup_of_error(origin_, identity_of_device(device_), last_words());
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
