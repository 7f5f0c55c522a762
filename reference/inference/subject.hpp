// SPDX-License-Identifier: Apache-2.0
// The black box under examination, which multiplies matrices, and the record of all questions and
// answers. The record is evidence; a hypothesis must reproduce all of it.
//
// Assumptions: (1) the box answers with m * n elements of its D format; (2) if it takes c, then
// with factor one: d = a * b + c.
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

#include "reference/operators/gemm.hpp"

namespace halfmark::inference {

using formats::Bits;
using formats::Format;
using formats::Tensor;
using operators::GemmProblem;

using Gemm = std::function<Tensor(const GemmProblem& problem, const Tensor& a, const Tensor& b,
                                  const Tensor* c)>;

struct Subject {
  const Format* a = nullptr;
  const Format* b = nullptr;
  const Format* c = nullptr;  // null: it takes no c
  const Format* d = nullptr;
  std::size_t k = 0;  // the length of the sums examined
  Gemm gemm;
};

// The box's answer does not have the right shape.
struct SubjectError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Question {
  GemmProblem problem;
  Tensor a, b, c;  // c without a format: there is no c

  [[nodiscard]] const Tensor* addend() const { return c.format == nullptr ? nullptr : &c; }
};

struct Observation {
  Question question;
  Tensor d;
};

// Asks and records.
class Laboratory {
 public:
  explicit Laboratory(Subject subject) : subject_(std::move(subject)) {}

  [[nodiscard]] const Subject& subject() const { return subject_; }
  [[nodiscard]] std::size_t calls() const { return calls_; }

  // m sums of the subject's length for each of n columns, with A, B and C all zeros.
  [[nodiscard]] Question blank(std::size_t m, std::size_t n) const;

  // Calls the box once; keeps the answer as evidence if `record`.
  Tensor ask(const Question& question, bool record);
  [[nodiscard]] const std::vector<Observation>& record() const { return record_; }

 private:
  Subject subject_;
  std::size_t calls_ = 0;
  std::vector<Observation> record_;
};

}  // namespace halfmark::inference
