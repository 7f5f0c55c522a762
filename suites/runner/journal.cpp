// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>

#include "reference/files/descriptor.hpp"
#include "reference/text/json.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/runner/content_digest.hpp"

namespace halfmark::suites {

using nlohmann::json;

namespace {

// The longest answer of a worker, plus a name and a check.
constexpr std::size_t kMostOfLine = (std::size_t{64} << 20) + 4096;
constexpr std::string_view kOpening = R"({"check":")";
constexpr std::string_view kClosing = R"(",)";

// A line is {"check":"...",REST.
std::string sealed(const std::string& check, std::string_view rest) {
  return fmt::format("{}{}{}{}", kOpening, check, kClosing, rest);
}

// Empty: the line was not written after that check.
std::string check_of(std::string_view line, const std::string& before) {
  const std::size_t digits = content_digest({}).size();
  const std::size_t head = kOpening.size() + digits + kClosing.size();
  if (line.size() <= head || !line.starts_with(kOpening)) return {};
  const std::string check = content_digest({before, line.substr(head)});
  return line.starts_with(sealed(check, "")) ? check : std::string();
}

// False at the end of the file, including an incomplete last line.
bool next_line(std::istream& in, std::string& line) {
  line.clear();
  std::streambuf& bytes = *in.rdbuf();
  for (int c = bytes.sbumpc(); c != std::char_traits<char>::eof(); c = bytes.sbumpc()) {
    if (c == '\n') return true;
    line.push_back(static_cast<char>(c));
    if (line.size() > kMostOfLine) return true;  // too long for any valid line
  }
  return false;
}

int open_for_writing(const std::filesystem::path& file, int more_flags) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_APPEND | more_flags, 0644);
  if (fd >= 0) return fd;
  throw EnvironmentError(fmt::format("cannot write {}: {}; choose another folder with --out",
                                     file.string(), std::strerror(errno)));
}

}  // namespace

JournalText read_journal(const std::filesystem::path& file) {
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown))
    throw EnvironmentError(fmt::format("{} was not written by a run", file.string()));
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw EnvironmentError(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  JournalText text;
  for (std::string line; next_line(in, line);) {
    const std::size_t number = text.lines.size() + 1;
    text.check = check_of(line, text.check);
    if (text.check.empty()) refuse_journal(file, number, "it does not follow the line before it");
    try {
      json read = text::read_json(line);
      read.erase("check");
      if (!read.contains("kind")) refuse_journal(file, number, "it has no kind");
      text.lines.push_back(std::move(read));
    } catch (const text::JsonError& error) {
      refuse_journal(file, number, error.what());
    }
    text.bytes += line.size() + 1;
  }
  return text;
}

void refuse_journal(const std::filesystem::path& file, std::size_t line, const std::string& error) {
  throw EnvironmentError(
      fmt::format("line {} of {} is damaged or from another journal ({}); start again without "
                  "--resume, or choose another folder with --out",
                  line, file.string(), error));
}

Journal::Journal(std::filesystem::path file) : file_(std::move(file)) {
  fd_ = open_for_writing(file_, O_CREAT | O_TRUNC);
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit is an error like a full disk
}

Journal::Journal(std::filesystem::path file, const JournalText& before)
    : file_(std::move(file)), check_(before.check) {
  fd_ = open_for_writing(file_, O_CREAT);
  std::signal(SIGXFSZ, SIG_IGN);
  if (::ftruncate(fd_, static_cast<off_t>(before.bytes)) == 0) return;
  const int error = errno;
  ::close(fd_);
  throw EnvironmentError(fmt::format(
      "cannot truncate {} after its last complete line: {}; start again without --resume",
      file_.string(), std::strerror(error)));
}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

void Journal::append(const char* kind, json fields) {
  fields["kind"] = kind;
  // A vendor's log may contain any bytes; a journal line must be valid UTF-8.
  const std::string rest = fields.dump(-1, ' ', false, json::error_handler_t::replace).substr(1);
  std::string check = content_digest({check_, rest});
  const std::string line = sealed(check, rest) + "\n";
  if (const int error = files::write_all(fd_, line); error != 0) {
    throw EnvironmentError(
        fmt::format("cannot write {}: {}; what was measured before is in it; free some space and "
                    "run again with --resume",
                    file_.string(), std::strerror(error)));
  }
  check_ = std::move(check);
  ::fdatasync(fd_);
}

}  // namespace halfmark::suites
