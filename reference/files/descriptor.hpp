// SPDX-License-Identifier: Apache-2.0
// Open files, pipes and terminals. This file decides when all bytes are written and who closes a
// descriptor. What a failure means, and the words that report it, are the caller's.
#pragma once

#include <string_view>

namespace halfmark::files {

/// Writes all bytes, however many calls that takes and whatever signals interrupt them. Returns 0,
/// or the number of the error; then any part of the bytes may have been written. A call that writes
/// nothing without an error counts as EIO.
[[nodiscard]] int write_all(int descriptor, std::string_view bytes);

/// Owns an open descriptor, or none if its number is negative.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { static_cast<void>(close()); }

  [[nodiscard]] int number() const { return number_; }
  /// Some file systems report a failed write only here.
  [[nodiscard]] bool close();

 private:
  int number_;
};

}  // namespace halfmark::files
