// SPDX-License-Identifier: Apache-2.0
#include "reference/files/descriptor.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace halfmark::files {

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

bool Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number >= 0 && ::close(number) == 0;
}

}  // namespace halfmark::files
