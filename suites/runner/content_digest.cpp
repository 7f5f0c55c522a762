// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/content_digest.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

namespace halfmark::suites {
namespace {

class Hash {
 public:
  Hash() {
    // Makes the library use the processor's vector instructions; digests are the same without.
    [[maybe_unused]] static const int kInitialised = sodium_init();
    crypto_generichash_init(&state_, nullptr, 0, crypto_generichash_BYTES);
  }
  void add(std::string_view bytes) {
    crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
  }
  std::string hexadecimal() {
    std::array<unsigned char, crypto_generichash_BYTES> digest{};
    crypto_generichash_final(&state_, digest.data(), digest.size());
    std::string text(2 * digest.size() + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), digest.data(), digest.size());
    text.pop_back();
    return text;
  }

 private:
  crypto_generichash_state state_{};
};

std::optional<std::string> digest_of_open(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  Hash hash;
  std::vector<char> chunk(std::size_t{1} << 20);
  while (true) {
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) return hash.hexadecimal();
    hash.add({chunk.data(), static_cast<std::size_t>(n)});
  }
}

}  // namespace

std::string content_digest(std::initializer_list<std::string_view> texts) {
  Hash hash;
  for (const std::string_view text : texts) hash.add(text);
  return hash.hexadecimal();
}

std::optional<std::string> file_digest(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  auto digest = digest_of_open(fd);
  ::close(fd);
  return digest;
}

}  // namespace halfmark::suites
