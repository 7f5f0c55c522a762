// SPDX-License-Identifier: Apache-2.0
//
// The C tables of this process, and how one is called safely: the wall on which a backend's broken
// promises end. backend.hpp is the face for everybody else. Does not load files (plugin.hpp) and
// owns no handle.
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

namespace halfmark::backends {

// Runs one call into a backend. An exception that it lets escape becomes a BackendError.
template <typename Call>
decltype(auto) called(const char* step, Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& error) {
    throw BackendError(step, 0, std::string("the backend threw an exception: ") + error.what());
  } catch (...) {
    throw BackendError(step, 0, "the backend threw an exception");
  }
}

// What the backend says of its last failure on this thread.
[[nodiscard]] BackendError last_error_of(const HmBackendApi& api, const char* step = "");

// The same for calls that return a status: any but 0 is thrown with the backend's last error, as
// EnvironmentFault where it says so.
void check_status(const HmBackendApi& api, const char* step, std::int32_t status);

template <typename Call>
void checked(const HmBackendApi& api, const char* step, Call&& call) {
  check_status(api, step, called(step, std::forward<Call>(call)));
}

// The table of that name, or null.
[[nodiscard]] const HmBackendApi* find_table(std::string_view backend);

}  // namespace halfmark::backends
