// SPDX-License-Identifier: Apache-2.0
// Diagnosis by experiment: several hypotheses may reproduce the bits of a failed case. The device
// is asked again, on other data, until one of them is left or the questions are used up; those that
// miss its new bits are excluded. If all are, the search for an explanation goes on with those that
// the diagnosis has not announced. What is left is announced: one name, or "one of" several. A
// number that a generic hypothesis read from the failure, such as a factor, stays what it is on
// other data. Decides which hypotheses stay; questions.hpp decides the data. Runs in the worker
// that ran the case, after the case's own measurements.
//
// Assumptions: (1) the arithmetic of a call does not depend on its numbers; (2) a hypothesis that
// predicts a wrong bit where the device is right is false; (3) one that misses wrong bits which a
// rival predicts, or which nothing explains on plain data, is false.
#pragma once

#include <chrono>

#include "suites/core/execute/execute.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

/// Whether more data could tell anything about the explanations of a result.
[[nodiscard]] bool can_be_tested(const CaseResult& failed);

/// The same failure with the explanations that are left, what was asked, and the class, standing
/// and reason that follow from them. After `time` it asks no more: a safety limit only. Propagates
/// the device's exceptions.
[[nodiscard]] CaseResult tested(Session& session, const Suite& suite, const Case& c,
                                CaseResult failed,
                                std::chrono::milliseconds time = std::chrono::seconds(30));

}  // namespace halfmark::suites
