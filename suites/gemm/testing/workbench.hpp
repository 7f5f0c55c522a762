// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the modelled tier: a device with a planted arithmetic, the
// identification of that arithmetic, and the judgement of a case by it. The test program itself
// is the device (planted.hpp).
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

#include "backends/backend.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/gemm/suite.hpp"
#include "suites/gemm/testing/planted.hpp"

namespace halfmark::suites::gemm {

inline void plant(const std::string& what) { ::setenv(kPlantedVariable, what.c_str(), 1); }

inline Session& planted_session() {
  static Session session = [] {
    static_cast<void>(backends::load_plugin(HM_FIXTURE));
    return Session(backends::Device::open("planted"));
  }();
  return session;
}

inline Case named(const std::string& tail) {
  return parse_case("gemm", suite().axes, "gemm.fp16.acc-fp32.out-fp32." + tail + ".s1");
}

inline Identified identified(const std::string& planted, const std::string& tail) {
  plant(planted);
  return suite().modelling->identify(planted_session(), named(tail), {});
}

/// Whether the name is what was found, or one that none of the probes distinguishes from it.
inline bool is_among(const Identified& found, const std::string& name) {
  return found.named() && (found.arithmetic == name ||
                           std::ranges::any_of(found.others, [&](const std::string& other) {
                             return other.starts_with(name + " ");
                           }));
}

}  // namespace halfmark::suites::gemm
