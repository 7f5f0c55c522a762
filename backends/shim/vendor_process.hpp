// SPDX-License-Identifier: Apache-2.0
//
// Isolates what a vendor's libraries must not do inside this process: trials and compilation. Some
// abort on an architecture that they do not know; some, once loaded, shadow the real driver; some
// hang. So each such job runs in a child: this program again, which detects the job before its
// main() and never reaches it.
//
// Assumptions:
//  1. Linux and glibc: /proc/self/exe is executable, and constructors receive the argument list.
//  2. A request is JSON on standard input; the answer, on descriptor 3, is a line of JSON and the
//  bytes of an image. Notes may precede it, as lines that begin with '#'.
//  3. A job ends within its limit; a child that does not is killed, with everything it started.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "backends/shim/jobs.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

// The child gave no answer: it died, or was killed at its time limit.
struct VendorProcessDied : BackendError {
  VendorProcessDied(const std::string& op, const std::string& how, bool was_late,
                    std::vector<nlohmann::json> said)
      : BackendError(op, 0, how), timed_out(was_late), notes(std::move(said)) {}
  bool timed_out;  // says nothing about another time: a disk may have been cold
  std::vector<nlohmann::json> notes;
};

// The job's answer. Throws VendorProcessDied, BackendError when the answer is {"error": ...}, or
// EnvironmentFault when the system cannot start a process.
[[nodiscard]] Answer ask_vendor_process(const Vendor& vendor, const nlohmann::json& job,
                                        std::chrono::milliseconds limit);

// Each vendor's folder calls this from a constructor. Returns only in processes that are not such
// a child.
void serve_vendor_job(const Vendor& vendor, const Telemetry& telemetry, int argument_count,
                      char** arguments);

}  // namespace halfmark::backends::shim
