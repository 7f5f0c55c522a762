// SPDX-License-Identifier: Apache-2.0
//
// What the stand-ins of a vendor's libraries share: the software device's operators, with the fault
// that is planted in them, and exceptions that become numbers of the vendor. For the one source
// file of a stand-in's library.
//
// Assumption: the driver's stand-in gives out addresses of this process.
#pragma once

#include <exception>
#include <mutex>

#include "backends/host/compute_units.hpp"
#include "backends/host/library/operators.hpp"
#include "backends/shim/calls.hpp"

namespace halfmark::backends::shim::standin {

// A call that a library answers with a number.
struct Answer {
  Status status;
};

// Runs one call; every exception becomes a number of the vendor.
template <typename Call>
Status guarded(Status invalid, Call&& call) noexcept {
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  try {
    call();
    return 0;
  } catch (const Answer& answer) {
    return answer.status;
  } catch (const std::exception&) {
    return invalid;
  }
}

// False where the software device does not offer it.
inline bool run_on_software_device(const host::library::OperatorCall& call) {
  static host::ThreadPool pool(host::default_thread_count());
  static const host::Fault fault = host::fault_of_environment();
  static std::uint64_t number = 0;
  return host::library::run_operator(call, fault, {.call = number++}, pool).supported;
}

}  // namespace halfmark::backends::shim::standin
