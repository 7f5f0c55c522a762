// SPDX-License-Identifier: Apache-2.0
//
// What a vendor's libraries must not do inside this process: be tried out, and compile. Some abort
// on an architecture that they do not know; some, once loaded, shadow the real driver; some hang.
// So each such job runs in a child: this program again, which sees the job before its main() and
// never gets there.
//
// Assumptions:
//  1. Linux and glibc: /proc/self/exe can be run, and constructors get the argument list.
//  2. A question is JSON on standard input; the answer, on descriptor 3, is a line of JSON and the
//  bytes of an image. Before it may come notes, lines that begin with '#'.
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

// The child gave no answer: it died, or was killed when its limit was over.
struct VendorProcessDied : BackendError {
  VendorProcessDied(const std::string& op, const std::string& how, std::vector<nlohmann::json> said)
      : BackendError(op, 0, how), notes(std::move(said)) {}
  std::vector<nlohmann::json> notes;
};

// The job's answer. Throws VendorProcessDied, BackendError when it answers {"error": ...}, or
// EnvironmentFault when the system has no room for a process.
[[nodiscard]] Answer ask_vendor_process(const Vendor& vendor, const nlohmann::json& job,
                                        std::chrono::milliseconds limit);

// Called by each vendor's folder from a constructor. Returns unless this process is such a child.
void serve_vendor_job(const Vendor& vendor, const Telemetry& telemetry, int argument_count,
                      char** arguments);

}  // namespace halfmark::backends::shim
