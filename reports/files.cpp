// SPDX-License-Identifier: Apache-2.0
#include "reports/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "reference/files/descriptor.hpp"
#include "reference/text/visible.hpp"

namespace halfmark::reports {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

// RAII owner of the temporary file: removed unless it was renamed to its final name.
class Draft {
 public:
  explicit Draft(const std::filesystem::path& target)
      : path_(target.string() + ".XXXXXX"), file_(::mkstemp(path_.data())) {
    if (file_.number() < 0) fail("cannot create a temporary file next to", target);
  }
  ~Draft() {
    if (!renamed_ && file_.number() >= 0) ::unlink(path_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  void write(std::string_view content, const std::filesystem::path& target) {
    if (const int error = files::write_all(file_.number(), content); error != 0)
      fail("cannot write", target, error);
    if (::fchmod(file_.number(), 0644) != 0 || ::fsync(file_.number()) != 0)
      fail("cannot write", target);
  }

  void rename_to(const std::filesystem::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) fail("cannot replace", target);
    renamed_ = true;
  }

  [[noreturn]] static void fail(const char* what, const std::filesystem::path& target,
                                int error = errno) {
    throw FileError(fmt::format("{} {}: {}; the file is as it was", what,
                                text::visible_line(target.string()), reason(error)));
  }

 private:
  std::string path_;
  files::Descriptor file_;
  bool renamed_ = false;
};

// Makes the new name durable. Some file systems refuse to flush a folder, but by then the file
// itself is safe.
void flush_folder(const std::filesystem::path& folder) {
  const files::Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.number() >= 0) static_cast<void>(::fsync(descriptor.number()));
}

// A pipe, a terminal or another device: a new file under its name would take its place.
bool is_device(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

void write_to_device(const std::filesystem::path& path, std::string_view content) {
  const files::Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const int error = file.number() < 0 ? errno : files::write_all(file.number(), content);
  if (error != 0)
    throw FileError(
        fmt::format("cannot write {}: {}", text::visible_line(path.string()), reason(error)));
}

// What a symbolic link leads to is replaced, and not the link.
std::filesystem::path followed(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target;
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::size_t most_bytes) {
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0)
    throw FileError(
        fmt::format("cannot read {}: {}", text::visible_line(path.string()), reason(errno)));
  std::string text;
  char chunk[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file.number(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw FileError(
          fmt::format("cannot read {}: {}", text::visible_line(path.string()), reason(errno)));
    if (got == 0) return text;
    text.append(chunk, static_cast<std::size_t>(got));
    if (text.size() > most_bytes)
      throw FileError(fmt::format("{} is larger than {} bytes", path.string(), most_bytes));
  }
}

void write_file_atomically(const std::filesystem::path& name, std::string_view content) {
  if (is_device(name)) return write_to_device(name, content);
  const std::filesystem::path path = followed(name);
  const std::filesystem::path folder =
      path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw FileError(fmt::format("cannot create folder {}: {}", text::visible_line(folder.string()),
                                error.message()));
  Draft draft(path);
  draft.write(content, path);
  draft.rename_to(path);
  flush_folder(folder);
}

}  // namespace halfmark::reports
