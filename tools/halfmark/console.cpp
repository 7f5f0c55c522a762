// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <iostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "reference/files/descriptor.hpp"
#include "reference/text/utf8.hpp"
#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"

namespace halfmark::tools {
namespace {

// Holds text back until it is flushed or reaches a limit.
class VisibleBuffer : public std::streambuf {
 public:
  explicit VisibleBuffer(int fd) : fd_(fd) {}

  [[nodiscard]] int error() const { return error_; }

  // Holds back an unfinished character unless this is the end.
  bool write_out(bool end) {
    const std::size_t kept = end ? 0 : text::unfinished_bytes(held_);
    const std::string_view whole = std::string_view(held_).substr(0, held_.size() - kept);
    if (error_ == 0) error_ = files::write_all(fd_, text::visible(whole));
    held_.erase(0, whole.size());
    return error_ == 0;
  }

 protected:
  int_type overflow(int_type c) override {
    if (c == traits_type::eof()) return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    constexpr std::size_t kMostHeld = 1 << 16;
    held_.append(bytes, static_cast<std::size_t>(count));
    return held_.size() < kMostHeld || write_out(false) ? count : 0;
  }
  int sync() override { return write_out(false) ? 0 : -1; }

 private:
  int fd_;
  int error_ = 0;
  std::string held_;
};

// Otherwise the next file to be opened would get this number and receive the program's output.
void occupy(int fd) {
  if (::fcntl(fd, F_GETFD) >= 0) return;
  // Opened read-only: output to a closed descriptor is lost, so writing to it must be an error.
  const int opened = ::open("/dev/null", O_RDONLY);
  if (opened >= 0 && opened != fd) {
    ::dup2(opened, fd);
    ::close(opened);
  }
}

}  // namespace

struct Console::Streams {
  VisibleBuffer out{STDOUT_FILENO}, err{STDERR_FILENO};
  std::streambuf* out_before = nullptr;
  std::streambuf* err_before = nullptr;
};

Console::Console() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) occupy(fd);
  for (const int limit : {SIGPIPE, SIGXFSZ}) std::signal(limit, SIG_IGN);
  streams_ = std::make_unique<Streams>();
  streams_->out_before = std::cout.rdbuf(&streams_->out);
  streams_->err_before = std::cerr.rdbuf(&streams_->err);
  std::cerr << std::unitbuf;
}

Console::~Console() {
  streams_->out.write_out(true);
  streams_->err.write_out(true);
  std::cout.rdbuf(streams_->out_before);
  std::cerr.rdbuf(streams_->err_before);
}

int Console::finish(int code) {
  streams_->out.write_out(true);
  if (streams_->out.error() == 0 || code == reports::kExitNoAnswer) return code;
  fmt::print(std::cerr,
             "halfmark: standard output cannot be written: {}; part of the output is lost\n",
             std::strerror(streams_->out.error()));
  return code == reports::kExitConforms ? reports::kExitNoAnswer : code;
}

void erase_line() {
  std::cerr.flush();
  static_cast<void>(files::write_all(STDERR_FILENO, "\r\x1b[2K"));
}

}  // namespace halfmark::tools
