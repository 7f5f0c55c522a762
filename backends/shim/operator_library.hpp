// SPDX-License-Identifier: Apache-2.0
//
// The device's interface to any of a vendor's operator libraries. Each kind of library is a table
// in vendor.hpp and a row of library_rows(); the runtime tries them all, and the device opens those
// that calls request.
//
// Assumptions:
//  1. The vendor's context is current in the thread of every call.
//  2. Work goes into the stream that the library was opened with, which the caller's events use
//  too.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/driver.hpp"
#include "backends/gemm_problem.hpp"
#include "backends/shim/library.hpp"

namespace halfmark::backends::shim {

// The symbol under which a stand-in's library exports its name.
inline constexpr const char* kStandInSymbol = "halfmark_stand_in_v1";
// The name of the stand-ins that are the software device, and forward nothing.
inline constexpr std::string_view kSoftwareStandIn = "Halfmark software device";

using AddressOf = std::function<Address(DriverBuffer*)>;
// Submits the work to the device; returns 0 when it was accepted. Callers time this call and may
// repeat it.
using StartOperator = std::function<Status()>;

// Libraries take a device address as a pointer.
[[nodiscard]] inline void* pointer_at(Address base, std::uint64_t offset_bytes) {
  const std::uint64_t address = static_cast<std::uint64_t>(base) + offset_bytes;
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

// RAII owner of a library's handle; also destroys it when the owner's constructor throws later.
class LibraryHandle {
 public:
  LibraryHandle() = default;
  LibraryHandle(const LibraryHandle&) = delete;
  LibraryHandle& operator=(const LibraryHandle&) = delete;
  ~LibraryHandle() {
    if (raw_ != nullptr) destroy_(raw_);
  }
  [[nodiscard]] Status create(Status (*make)(void**), Status (*destroy)(void*)) {
    void* made = nullptr;
    const Status status = make(&made);
    if (status == 0) raw_ = made;
    destroy_ = destroy;
    return status;
  }
  [[nodiscard]] void* raw() const { return raw_; }

 private:
  Status (*destroy_)(void*) = nullptr;
  void* raw_ = nullptr;
};

class OperatorLibrary {
 public:
  OperatorLibrary() = default;
  OperatorLibrary(const OperatorLibrary&) = delete;
  OperatorLibrary& operator=(const OperatorLibrary&) = delete;
  virtual ~OperatorLibrary() = default;

  [[nodiscard]] virtual std::string version() const = 0;
  // Does everything that precedes the work itself. Throws NotOffered. The result must not outlive
  // the library.
  [[nodiscard]] virtual StartOperator prepared(const DriverOperatorCall& call,
                                               const AddressOf& address_of) = 0;
  // Translates a status of the library into an exception: NotOffered or BackendError.
  [[noreturn]] virtual void refuse(Status status) const = 0;
};

// What a library is opened with.
struct LibrarySetting {
  const DriverCalls& calls;
  void* stream = nullptr;  // null: the default one
  std::size_t way = 0;
};

// One of a vendor's libraries, not opened. `ways` counts the forms of its interface, newest first;
// a trial finds the one that a library takes.
struct LibraryRow {
  const char* name;
  const Library* where;
  std::vector<std::string> operators;
  std::size_t ways;
  std::string policy;  // the shim's own decisions about its use, for the record; may be empty
  std::function<std::unique_ptr<OperatorLibrary>(OpenLibrary library,
                                                 const LibrarySetting& setting)>
      open;
  // The clause by which the sum of a product keeps the format of its computation until the result
  // is stored; empty: no document is known to say.
  std::string internal_precision = {};
};

// In order of preference.
[[nodiscard]] std::vector<LibraryRow> library_rows(const Vendor& vendor);

}  // namespace halfmark::backends::shim
