// SPDX-License-Identifier: Apache-2.0
//
// A vendor's libraries in use: the driver's calls, bound in this process after a child has
// found that they work, and the compiler, which only runs in children. Decides how a status
// becomes an error.
//
// Assumptions:
//  1. A driver is opened once and never unloaded.
//  2. The context of a device is its primary one, which has no versioned variants of its call and
//  which the vendor's libraries use.
#pragma once

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backends/device_info.hpp"
#include "backends/shim/calls.hpp"
#include "backends/shim/operator_library.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

struct Compiler {
  std::string path;  // of the library, or the command of the offline compiler
  bool is_offline = false;
  std::string content;  // of its files (compiler.hpp); empty: its images are not kept
  std::string version;
  std::vector<int> architectures;  // capabilities; empty: not reported
};

// One of the vendor's operator libraries, as found by a child.
struct FoundLibrary {
  backends::Library library;
  LibraryRow row;
  std::string path;     // empty when it is not usable
  std::size_t way = 0;  // index below LibraryRow::ways
};

struct Image {
  std::string bytes;
  std::string log;
};

class Runtime {
 public:
  // Throws BackendError whose text is one line with the remedy.
  explicit Runtime(const Vendor& vendor);

  [[nodiscard]] const Vendor& vendor() const { return vendor_; }
  [[nodiscard]] const DriverCalls& calls() const { return calls_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& stand_in() const { return stand_in_; }  // empty: real driver
  [[nodiscard]] int device_count() const { return device_count_; }
  [[nodiscard]] int version() const;

  // The first call searches for it, unless a record holds what an earlier search found.
  [[nodiscard]] const Compiler& compiler();
  // The first call tries the libraries, all at once, except those whose outcome a record holds.
  // They have the order of library_rows().
  [[nodiscard]] const std::vector<FoundLibrary>& libraries();
  [[nodiscard]] Image compile(const std::string& definitions, const std::string& source,
                              const std::string& architecture);

  [[noreturn]] void fail(const char* call, Status status, const std::string& detail = {}) const;
  void check(const char* call, Status status, const std::string& detail = {}) const {
    if (status != 0) fail(call, status, detail);
  }

 private:
  [[nodiscard]] std::string error_name(Status status) const;
  [[nodiscard]] FoundLibrary tried(LibraryRow row) const;
  // {"path", "version", "way"}, or {"died": how, in one line}. Throws BackendError.
  [[nodiscard]] nlohmann::json outcome_of(const LibraryRow& row) const;
  [[nodiscard]] std::vector<std::string> trial_parts(const char* name) const;
  // The job's answer, from a record or from a child. Candidates that a child does not survive are
  // left out of the next search. Throws BackendError.
  [[nodiscard]] nlohmann::json found_compiler() const;
  [[nodiscard]] std::string named(Status status, const std::string& name) const;

  const Vendor& vendor_;
  DriverCalls calls_{};
  std::string path_;
  std::string stand_in_;
  int device_count_ = 0;
  std::once_flag looked_for_compiler_;
  Compiler compiler_;
  std::once_flag looked_for_libraries_;
  std::vector<FoundLibrary> libraries_;
};

}  // namespace halfmark::backends::shim
