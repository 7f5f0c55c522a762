// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/cause.hpp"

#include "suites/core/shrink/shrink.hpp"

namespace halfmark::suites {

Cause cause_of(const CaseResult& failed) {
  return {failed.standing, failed.rule, failed.finding_class, failure_of(failed).hypothesis};
}

}  // namespace halfmark::suites
