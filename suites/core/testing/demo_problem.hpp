// SPDX-License-Identifier: Apache-2.0
// A problem for tests of the stages: it launches nothing and has no operands, unless a test says
// otherwise.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

class DemoProblem : public Problem {
 public:
  using Problem::Problem;

  const ContractRow& row(const backends::DeviceInfo&) const override {
    static constexpr ContractRow kRow{
        .id = "demo.exact", .tier = Tier::kExact, .promise = "bits", .source = "test"};
    return kRow;
  }
  Plan plan(const backends::DeviceInfo&) const override { return {}; }
  TensorSet inputs() const override { return {}; }
  Expectation expect(const TensorSet&, const models::Machine&) const override {
    return TensorSet{};
  }
};

}  // namespace halfmark::suites
