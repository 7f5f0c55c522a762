// SPDX-License-Identifier: Apache-2.0
//
// Which steps of a program lie in an innermost loop, by the order in which steps may follow each
// other. Knows nothing of instructions. A kernel on a processor stands as a whole in loops over the
// items of its group, so "in a loop" would say nothing there: what its time is spent in is the loop
// that holds no other.
//
// Assumptions:
//  1. A loop is a set of steps that can all reach each other. It is entered where a step outside
//  leads into it; without the ways back to there, what still can reach each other is a loop inside.
//  2. Two loops that share the step where they are entered count as one.
//
// Source: B. Steensgaard, Sequentializing program dependence graphs for irreducible programs, 1993:
// the nesting of loops that have several entries.
#pragma once

#include <cstddef>
#include <vector>

namespace halfmark::backends {

// By step, the steps that may follow it; step 0 is where the program starts.
using Successors = std::vector<std::vector<std::size_t>>;

[[nodiscard]] bool has_loop(const Successors& successors);

// `around` marks steps that stand for programs with loops of their own (calls): what lies around
// them is no innermost loop. Empty: no step does.
[[nodiscard]] std::vector<bool> in_innermost_loops(const Successors& successors,
                                                   const std::vector<bool>& around = {});

}  // namespace halfmark::backends
