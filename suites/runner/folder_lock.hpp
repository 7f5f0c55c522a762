// SPDX-License-Identifier: Apache-2.0
// Ensures one run at a time in a results folder. Decides nothing about the folder's content. The
// lock ends with the process that holds it, however that ends; the file stays.
#pragma once

#include <filesystem>

namespace halfmark::suites {

class FolderLock {
 public:
  /// Throws EnvironmentError that names the process holding the folder, or says why the folder
  /// cannot be locked.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace halfmark::suites
