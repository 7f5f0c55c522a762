// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "suites/core/execute/provider.hpp"
#include "suites/gemm/suite.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Tensor;

// Products with a one-column matrix take another code path in most libraries.
constexpr std::size_t kTallColumns = 8;
// Libraries multiply matrices of 8 bits in sizes that are multiples of this: rows and columns are
// repeated, and sums have more terms, all of them zero.
constexpr std::size_t kStepOf8Bits = 16;

std::size_t rounded_up(std::size_t size, std::size_t step) {
  return (size + step - 1) / step * step;
}

Case with_words(Case c, std::string shape, std::string variant) {
  for (Token& token : c.tokens) {
    if (token.axis == "shape") token.text = shape;
    if (token.axis == "variant") token.text = variant;
  }
  return c;
}

// The rows and columns of a question that one call takes: from here on, wrapping around.
struct Part {
  std::size_t row = 0, column = 0, rows = 0, columns = 0;
};

class Call {
 public:
  Call(const inference::GemmProblem& question, const Case& c, const Part& part)
      : p_(question), case_(c), bound_(bind(c)), part_(part) {}

  void set_operands(const Tensor& a, const Tensor& b, const Tensor* c) {
    Tensor& stored_a = put("a", *bound_.operands, bound_.a);
    for (std::size_t i = 0; i < part_.rows; ++i) {
      for (std::size_t x = 0; x < p_.k; ++x)
        stored_a.set(bound_.a.at(0, i, x), a.at(row(i) * p_.k + x));
    }
    Tensor& stored_b = put("b", *bound_.operands_of_b, bound_.b);
    for (std::size_t x = 0; x < p_.k; ++x) {
      for (std::size_t j = 0; j < part_.columns; ++j)
        stored_b.set(bound_.b.at(0, x, j), b.at(x * p_.n + column(j)));
    }
    if (!bound_.has_c()) return;
    Tensor& stored_c = put("c", *bound_.output, bound_.c);
    for (std::size_t i = 0; i < part_.rows; ++i) {
      for (std::size_t j = 0; c != nullptr && j < part_.columns; ++j)
        stored_c.set(bound_.c.at(0, i, j), c->at(row(i) * p_.n + column(j)));
    }
  }

  void run(Session& session, Tensor& d) const {
    const Plan plan = suite().bind(case_)->plan(session.device().info());
    if (plan.no_provider) throw NotOffered(*plan.no_provider);
    PreparedPlan prepared(session, plan, inputs_, Unset{});
    prepared.launch();
    if (prepared.not_supported()) throw NotOffered(*prepared.not_supported());
    const auto spec = std::ranges::find(plan.tensors, "d", &TensorSpec::name);
    const Tensor stored = prepared.read(*spec).first;
    for (std::size_t i = 0; i < std::min(part_.rows, p_.m - part_.row); ++i) {
      for (std::size_t j = 0; j < std::min(part_.columns, p_.n - part_.column); ++j)
        d.set(row(i) * p_.n + column(j), stored.at(bound_.d.at(0, i, j)));
    }
  }

 private:
  [[nodiscard]] std::size_t row(std::size_t i) const { return (part_.row + i) % p_.m; }
  [[nodiscard]] std::size_t column(std::size_t j) const { return (part_.column + j) % p_.n; }
  Tensor& put(const char* name, const formats::Format& format, const View& view) {
    return inputs_.emplace(name, Tensor::zeros(format, view.count)).first->second;
  }

  const inference::GemmProblem& p_;
  const Case& case_;
  Binding bound_;
  Part part_;
  TensorSet inputs_;
};

}  // namespace

Probe::Probe(Session& session, const Case& c, ProbeShape shape)
    : session_(session), case_(c), bound_(bind(c)), shape_(shape) {}

inference::Subject Probe::subject(std::size_t terms) const {
  // A matrix unit adds c into its sum; a library applies it after the sum.
  const bool takes_c = is_unit(bound_.provider);
  return {.a = bound_.operands,
          .b = bound_.operands_of_b,
          .c = takes_c ? bound_.output : nullptr,
          .d = bound_.output,
          .k = terms,
          .gemm = [this](const inference::GemmProblem& p, const Tensor& a, const Tensor& b,
                         const Tensor* c) {
            return answer(c == nullptr ? "plain" : "ac", p, a, b, c);
          }};
}

inference::Subject Probe::scaled_subject(std::size_t terms) const {
  inference::Subject made = subject(terms);
  made.c = bound_.output;
  made.gemm = [this](const inference::GemmProblem& p, const Tensor& a, const Tensor& b,
                     const Tensor* c) {
    return answer(std::string(bound_.variant->name), p, a, b, c);
  };
  return made;
}

Tensor Probe::answer(const std::string& variant, const inference::GemmProblem& p, const Tensor& a,
                     const Tensor& b, const Tensor* c) const {
  const bool is_exact = shape_ == ProbeShape::kExact;
  const std::size_t step = bound_.operands->storage_bytes() == 1 ? kStepOf8Bits : 1;
  const std::size_t rows = rounded_up(is_exact ? bound_.problem.m : p.m, step);
  const std::size_t columns = rounded_up(
      is_exact ? bound_.problem.n : std::max(p.n, std::min(bound_.problem.n, kTallColumns)), step);
  const Case shaped =
      with_words(case_, fmt::format("m{}n{}k{}", rows, columns, rounded_up(p.k, step)), variant);
  Tensor d = Tensor::zeros(*bound_.output, p.d_count());
  for (std::size_t row = 0; row < p.m; row += rows) {
    for (std::size_t column = 0; column < p.n; column += columns) {
      Call call(p, shaped, {.row = row, .column = column, .rows = rows, .columns = columns});
      call.set_operands(a, b, c);
      call.run(session_, d);
    }
  }
  return d;
}

}  // namespace halfmark::suites::gemm
