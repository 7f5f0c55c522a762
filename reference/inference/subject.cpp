// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/subject.hpp"

#include <fmt/format.h>

namespace halfmark::inference {

Question Laboratory::blank(std::size_t m, std::size_t n) const {
  Question question{.problem = {.m = m, .n = n, .k = subject_.k}, .a = {}, .b = {}, .c = {}};
  question.problem.d_format = subject_.d;
  question.a = Tensor::zeros(*subject_.a, m * subject_.k);
  question.b = Tensor::zeros(*subject_.b, subject_.k * n);
  if (subject_.c != nullptr) question.c = Tensor::zeros(*subject_.c, m * n);
  return question;
}

Tensor Laboratory::ask(const Question& question, bool record) {
  ++calls_;
  Tensor d = subject_.gemm(question.problem, question.a, question.b, question.addend());
  if (d.format == nullptr || *d.format != *subject_.d || d.count() != question.problem.d_count()) {
    throw SubjectError(fmt::format("call {} returned {} elements of {}; {} of {} were requested",
                                   calls_, d.count(),
                                   d.format == nullptr ? "no format" : d.format->name,
                                   question.problem.d_count(), subject_.d->name));
  }
  if (record) record_.push_back({question, d});
  return d;
}

}  // namespace halfmark::inference
