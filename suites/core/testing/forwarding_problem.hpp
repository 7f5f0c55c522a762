// SPDX-License-Identifier: Apache-2.0
// Problems that behave as another one except for what a test changes.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

/// Forwards everything to the other problem.
class ForwardingProblem : public Problem {
 public:
  explicit ForwardingProblem(std::unique_ptr<const Problem> other)
      : Problem(other->c()), other_(std::move(other)) {}

  std::string operation() const override { return other_->operation(); }
  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return other_->row(device);
  }
  Plan plan(const backends::DeviceInfo& device) const override { return other_->plan(device); }
  TensorSet inputs() const override { return other_->inputs(); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return other_->expect(inputs, machine);
  }
  Expectation expect_beside(const TensorSet& inputs, const TensorSet& outputs) const override {
    return other_->expect_beside(inputs, outputs);
  }
  std::vector<Hypothesis> mistakes() const override { return other_->mistakes(); }
  std::vector<Hypothesis> families() const override { return other_->families(); }
  std::vector<Hypothesis> mistakes_seen_in(const Places& wrong,
                                           const TensorSet& outputs) const override {
    return other_->mistakes_seen_in(wrong, outputs);
  }
  bool follows_machine() const override { return other_->follows_machine(); }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return other_->operands(inputs, tensor, index);
  }
  bool holds_integers(std::string_view tensor) const override {
    return other_->holds_integers(tensor);
  }
  Extent extent(std::string_view tensor) const override { return other_->extent(tensor); }
  std::optional<std::size_t> padded_row(std::string_view tensor, std::size_t index) const override {
    return other_->padded_row(tensor, index);
  }
  FindingClassName unwritten_class(const std::vector<std::size_t>& elements) const override {
    return other_->unwritten_class(elements);
  }
  std::optional<FindingClassName> near_class() const override { return other_->near_class(); }
  std::optional<Relation> relation() const override { return other_->relation(); }
  std::optional<Digested> digested() const override { return other_->digested(); }
  std::optional<Farthest> farthest(const TensorSet& inputs, const TensorSet& expected,
                                   const TensorSet& outputs) const override {
    return other_->farthest(inputs, expected, outputs);
  }
  OwnWork own_work() const override { return other_->own_work(); }

 protected:
  [[nodiscard]] const Problem& other() const { return *other_; }

 private:
  std::unique_ptr<const Problem> other_;
};

/// Runs a changed plan, or expects changed results.
class AlteredProblem final : public ForwardingProblem {
 public:
  using ChangedPlan = std::function<Plan(Plan)>;
  using ChangedExpectation = std::function<Expectation(Expectation)>;
  AlteredProblem(std::unique_ptr<const Problem> other, ChangedPlan plan,
                 ChangedExpectation expectation = {})
      : ForwardingProblem(std::move(other)),
        plan_(std::move(plan)),
        expectation_(std::move(expectation)) {}

  Plan plan(const backends::DeviceInfo& device) const override {
    return plan_ ? plan_(other().plan(device)) : other().plan(device);
  }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    Expectation right = other().expect(inputs, machine);
    return expectation_ ? expectation_(std::move(right)) : right;
  }
  Expectation expect_beside(const TensorSet& inputs, const TensorSet& outputs) const override {
    Expectation right = other().expect_beside(inputs, outputs);
    return expectation_ ? expectation_(std::move(right)) : right;
  }
  // The parts are altered in the same way.
  std::optional<Digested> digested() const override {
    std::optional<Digested> digests = other().digested();
    if (!digests) return digests;
    digests->parts = [this, right = digests->parts](const std::vector<std::size_t>& elements) {
      std::vector<std::unique_ptr<const Problem>> parts = right(elements);
      for (auto& part : parts)
        part = std::make_unique<AlteredProblem>(std::move(part), plan_, expectation_);
      return parts;
    };
    return digests;
  }

 private:
  ChangedPlan plan_;
  ChangedExpectation expectation_;
};

}  // namespace halfmark::suites
