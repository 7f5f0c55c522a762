// SPDX-License-Identifier: Apache-2.0
// One wrong element as text, for everybody who was not there. Decides how encodings are written.
#pragma once

#include "suites/core/judge.hpp"
#include "suites/core/result.hpp"
#include "suites/core/suite.hpp"

namespace halfmark::suites {

[[nodiscard]] Element describe_element(const Suite& suite, const Case& c, const TensorSet& inputs,
                                       const formats::Format& format, const Mismatch& mismatch);

}  // namespace halfmark::suites
