// SPDX-License-Identifier: Apache-2.0
//
// The C tables of this process, and how to call one safely: a backend's broken promises end here.
// All other code uses backend.hpp. Does not load files (plugin.hpp) and owns no handle.
//
// Assumptions:
//  1. Tables are only added, and live as long as the process.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "backends/abi.h"
#include "backends/device_info.hpp"
#include "backends/float_environment.hpp"

namespace halfmark::backends {

// Runs one call into a backend. An exception that escapes from it becomes a BackendError, and the
// thread's floating-point environment is as it was.
template <typename Call>
decltype(auto) called(const char* step, Call&& call) {
  const DriverEnvironmentScope environment;
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& error) {
    throw BackendError(step, 0, std::string("the backend threw an exception: ") + error.what());
  } catch (...) {
    throw BackendError(step, 0, "the backend threw an exception");
  }
}

// The backend's description of its last failure on this thread.
[[nodiscard]] BackendError last_error_of(const HmBackendApi& api, const char* step = "");

// For calls that return a status: any but 0 throws the backend's last error, as EnvironmentFault
// when the status says so.
void check_status(const HmBackendApi& api, const char* step, std::int32_t status);

template <typename Call>
void checked(const HmBackendApi& api, const char* step, Call&& call) {
  check_status(api, step, called(step, std::forward<Call>(call)));
}

// The table with that name, or null.
[[nodiscard]] const HmBackendApi* find_table(std::string_view backend);

}  // namespace halfmark::backends
