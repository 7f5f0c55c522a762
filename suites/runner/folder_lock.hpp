// SPDX-License-Identifier: Apache-2.0
// One run at a time in a folder of results. Decides nothing about what is in it. The lock ends with
// the process that holds it, however that ends; the file stays.
#pragma once

#include <filesystem>

namespace halfmark::suites {

class FolderLock {
 public:
  /// Throws EnvironmentError that names the process that holds the folder, or why it cannot be
  /// locked.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace halfmark::suites
