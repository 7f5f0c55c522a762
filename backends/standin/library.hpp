// SPDX-License-Identifier: Apache-2.0
//
// What the stand-ins of a vendor's libraries share: the software device's operators, with the
// planted fault if any, and the conversion of exceptions into numbers of the vendor. For the one
// source file of a stand-in's library.
//
// Assumption: the driver's stand-in returns addresses of this process.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "backends/host/compute_units.hpp"
#include "backends/host/library/operators.hpp"
#include "backends/shim/calls.hpp"
#include "backends/standin/log.hpp"

namespace halfmark::backends::shim::standin {

// A status for the caller, thrown as an exception.
struct Answer {
  Status status;
};

// The lock of all calls of the library. A static variable inside of guarded would be another one
// for each call.
inline std::mutex one_at_a_time;
// The lock of the current call.
inline thread_local std::unique_lock<std::mutex>* lock_of_call = nullptr;

// Runs one call; turns every exception into a number of the vendor.
template <typename Call>
Status guarded(Status invalid, Call&& call) noexcept {
  std::unique_lock lock(one_at_a_time);
  lock_of_call = &lock;
  try {
    call();
    return 0;
  } catch (const Answer& answer) {
    return answer.status;
  } catch (const std::exception&) {
    return invalid;
  }
}

// Runs in the caller's thread. Work in a stream releases the lock meanwhile, so that other streams
// work beside it; the default stream's work keeps it. Returns false when the software device does
// not offer the call.
inline bool run_on_software_device(const host::library::OperatorCall& call, const void* stream) {
  thread_local host::ThreadPool pool(host::default_thread_count());
  static const host::Fault fault = host::fault_of_environment();
  static std::atomic<std::uint64_t> number = 0;
  if (stream != nullptr) lock_of_call->unlock();
  const auto run = [&] {
    const Interval interval(stream);
    return host::library::run_operator(call, fault, {.call = number++}, pool).supported;
  };
  try {
    const bool is_supported = run();
    if (stream != nullptr) lock_of_call->lock();
    return is_supported;
  } catch (...) {
    if (stream != nullptr) lock_of_call->lock();
    throw;
  }
}

}  // namespace halfmark::backends::shim::standin
