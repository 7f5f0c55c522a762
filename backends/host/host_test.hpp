// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this folder share: a private cache, an opened device, and launches
// over vectors.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/environment_fault.hpp"
#include "backends/host/host.hpp"

namespace halfmark::backends::host {

// A directory that is removed when the test ends.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "halfmark-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Sets an environment variable within a scope.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) saved_ = std::make_unique<std::string>(old);
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() {
    if (saved_ != nullptr) {
      setenv(name_.c_str(), saved_->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }

 private:
  std::string name_;
  std::unique_ptr<std::string> saved_;
};

// A device with a cache that only the tests of this process share.
class HostTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { cache_ = std::make_unique<TemporaryDirectory>(); }
  static void TearDownTestSuite() { cache_.reset(); }

  [[nodiscard]] std::unique_ptr<DriverDevice> open(
      const nlohmann::json& options = nlohmann::json::object()) {
    driver_ = make_driver();
    return driver_->open(0, options);
  }

  template <typename T>
  [[nodiscard]] static std::unique_ptr<DriverBuffer> upload(DriverDevice& device,
                                                            const std::vector<T>& values) {
    std::unique_ptr<DriverBuffer> buffer = device.allocate(values.size() * sizeof(T));
    buffer->write(0, std::as_bytes(std::span(values)));
    return buffer;
  }
  template <typename T>
  static void download(DriverBuffer& buffer, std::vector<T>& values) {
    buffer.read(0, std::as_writable_bytes(std::span(values)));
  }

  // Runs one kernel with one output and returns what it wrote.
  template <typename T>
  [[nodiscard]] static std::vector<T> output_of(DriverDevice& device, const std::string& source,
                                                const Grid& grid, std::size_t count,
                                                std::vector<DriverArgument> more = {}) {
    std::vector<T> values(count);
    const std::unique_ptr<DriverBuffer> out = upload(device, values);
    more.insert(more.begin(), out.get());
    device.build(source, {})->launch("test", grid, more);
    download(*out, values);
    return values;
  }

  // The text of the EnvironmentFault that the call throws; empty when it throws none.
  template <typename Call>
  [[nodiscard]] static std::string fault_of(Call&& call) {
    try {
      call();
    } catch (const EnvironmentFault& fault) {
      return fault.what();
    }
    return {};
  }

  // The text of the BackendError that the call throws; empty when it throws none.
  template <typename Call>
  [[nodiscard]] static std::string error_of(Call&& call) {
    try {
      call();
    } catch (const BackendError& error) {
      return error.vendor_text;
    }
    return {};
  }

 private:
  inline static std::unique_ptr<TemporaryDirectory> cache_;
  std::unique_ptr<ScopedVariable> cache_variable_ =
      std::make_unique<ScopedVariable>("HALFMARK_CACHE_DIR", cache_->path().string());
  std::unique_ptr<Driver> driver_;
};

}  // namespace halfmark::backends::host
