// SPDX-License-Identifier: Apache-2.0
//
// The vendors' libraries of this processor, in order of preference. Decides which file is opened
// for each, tries it in a copy of the process first, and keeps whatever a library does to the
// floating-point state from anything else.
//
// Assumption: one thread at a time runs operators of a device (abi.h).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/driver.hpp"
#include "backends/gemm_problem.hpp"
#include "backends/shim/library.hpp"

namespace halfmark::backends::cpu {

// One library, opened.
class ProcessorLibrary {
 public:
  ProcessorLibrary() = default;
  ProcessorLibrary(const ProcessorLibrary&) = delete;
  ProcessorLibrary& operator=(const ProcessorLibrary&) = delete;
  virtual ~ProcessorLibrary() = default;

  [[nodiscard]] virtual std::string version() const = 0;
  // Everything that frameworks do once: checks, descriptions, code. What it returns does the work
  // and is timed. Throws NotOffered.
  [[nodiscard]] virtual std::function<void()> prepared(const DriverOperatorCall& call) = 0;
};

// One library, not opened.
struct LibraryRow {
  const char* name;
  const shim::Library* where;
  std::vector<std::string> operators;
  // Throws BackendError when the file is not what it should be.
  std::unique_ptr<ProcessorLibrary> (*open)(shim::OpenLibrary library, unsigned threads);
  std::vector<Promise> promises;  // what its documents say or leave open
};

[[nodiscard]] const std::vector<LibraryRow>& library_rows();

// A row's library on this machine.
struct FoundLibrary {
  const LibraryRow* row;
  Library description;
  std::string path;  // empty: not usable
};

// How long the trial of one file may last: HALFMARK_SEARCH_SECONDS, or as long as a search for a
// device's library. Throws EnvironmentFault.
[[nodiscard]] std::chrono::seconds trial_limit();

// Searches, and tries what it finds.
[[nodiscard]] FoundLibrary find_library(const LibraryRow& row);

// All of them; searches only once.
[[nodiscard]] const std::vector<FoundLibrary>& found_libraries();
[[nodiscard]] std::vector<Library> library_descriptions();

// Calls `prepare` and times what it returns, in the IEEE state; the caller's state is restored. A
// NotOffered becomes the outcome.
[[nodiscard]] OperatorOutcome timed(const std::function<std::function<void()>()>& prepare);

// The libraries of one opened device, each opened when a call first asks for it.
class Libraries {
 public:
  explicit Libraries(unsigned threads) : threads_(threads), opened_(found_libraries().size()) {}
  [[nodiscard]] OperatorOutcome run(const DriverOperatorCall& call);

 private:
  [[nodiscard]] ProcessorLibrary& opened(std::size_t number);

  unsigned threads_;
  std::vector<std::unique_ptr<ProcessorLibrary>> opened_;
};

// The first byte of the tensor.
[[nodiscard]] std::byte* address_of(const DriverBuffer* buffer, std::uint64_t offset_bytes);

}  // namespace halfmark::backends::cpu
