// SPDX-License-Identifier: Apache-2.0
//
// CLBlast as a library of OpenCL devices: its gemm, opened at run time. Decides which of its
// routines a call maps to, and which of its statuses mean "not supported".
//
// Assumptions:
//  1. The library caches built kernels per context, keyed by the handle's address; so the cache is
//  cleared with every context, or a later context at the same address would receive them.
//  2. It launches several kernels per call (copies, transposes, pads) and returns the event of
//  the last. Markers before and after the call enclose all of them, and any work of the host
//  in between.
#pragma once

#include <CL/cl.h>

#include "backends/driver.hpp"
#include "backends/opencl/clock.hpp"

namespace halfmark::backends::opencl {

// Whether it was found, and what it offers. Searches only once.
[[nodiscard]] Library blast_library();

// Runs gemm on the queue's device. memory_of returns the memory object of a buffer.
[[nodiscard]] OperatorOutcome run_blast(const DriverOperatorCall& call, cl_command_queue queue,
                                        DeviceClock& clock,
                                        cl_mem (*memory_of)(DriverBuffer* buffer));

// Throws NotOffered for a status of CLBlast that means "not supported", BackendError for any other
// but success.
void check_blast_status(int status, const char* routine);

// Must be called before a context is released; does nothing when the library was never used.
void forget_blast_kernels();

}  // namespace halfmark::backends::opencl
