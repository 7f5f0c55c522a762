// SPDX-License-Identifier: Apache-2.0
// Whether the pipeline notices a fault: one bit of a device's results is flipped in its memory, and
// the case must then fail at that element, by the reference and by golden digests. Decides where
// the bit is flipped and what counts as noticed. Without it, a pass could mean that nothing was
// compared.
#pragma once

#include <string>

#include "suites/core/execute/execute.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

struct SelfTest {
  std::string case_name;
  bool is_done = false;  // false: the device does not offer the case, or does not answer
  bool caught = false;   // the case failed by the reference, and by golden digests
  bool located = false;  // at the element whose bit was flipped
  std::string what;      // one sentence
};

/// The case must have a single right answer (golden.hpp) and launch something; otherwise
/// it is not done.
[[nodiscard]] SelfTest self_test(Session& session, const Suite& suite, const Case& c);
[[nodiscard]] SelfTest self_test(Session& session, const Problem& problem);

}  // namespace halfmark::suites
