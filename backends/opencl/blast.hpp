// SPDX-License-Identifier: Apache-2.0
//
// CLBlast as a library of OpenCL devices: its gemm, opened when the program runs. Decides which of
// its routines a call is, and which of its answers mean "not supported".
//
// Assumptions:
//  1. The library keeps built kernels per context, found by the handle's address; so the cache is
//  cleared with every context, or a later one at the same address would be given them.
//  2. It launches several kernels per call (copies, transposes, pads) and hands out the event of
//  the last. Markers before and after the call enclose them all, and what the host did between
//  them.
#pragma once

#include <CL/cl.h>

#include "backends/driver.hpp"
#include "backends/opencl/clock.hpp"

namespace halfmark::backends::opencl {

// Whether it was found, and what it offers. Looked for once.
[[nodiscard]] Library blast_library();

// Runs gemm on the queue's device. memory_of gives the handle behind a buffer.
[[nodiscard]] OperatorOutcome run_blast(const DriverOperatorCall& call, cl_command_queue queue,
                                        DeviceClock& clock,
                                        cl_mem (*memory_of)(DriverBuffer* buffer));

// To be called before a context goes; does nothing when the library was never used.
void forget_blast_kernels();

}  // namespace halfmark::backends::opencl
