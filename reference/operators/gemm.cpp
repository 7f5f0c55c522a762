// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/gemm.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "reference/models/exact_sum.hpp"
#include "reference/operators/elementary.hpp"
#include "reference/operators/well_formed.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;
using models::Arithmetic;
using models::Machine;

// op(A) by rows and op(B) by columns, so that every sum runs over two dense vectors.
struct Operands {
  const Format* a_format;
  const Format* b_format;
  std::vector<Bits> a, b;
};

Operands gather(const GemmProblem& p, const Tensor& a, const Tensor& b) {
  Operands dense{a.format, b.format, std::vector<Bits>(p.batch * p.m * p.k),
                 std::vector<Bits>(p.batch * p.n * p.k)};
  for (std::size_t item = 0; item < p.batch; ++item) {
    for (std::size_t i = 0; i < p.m; ++i) {
      for (std::size_t x = 0; x < p.k; ++x)
        dense.a[(item * p.m + i) * p.k + x] = a.at(p.a_index(item, i, x));
    }
    for (std::size_t j = 0; j < p.n; ++j) {
      for (std::size_t x = 0; x < p.k; ++x)
        dense.b[(item * p.n + j) * p.k + x] = b.at(p.b_index(item, x, j));
    }
  }
  return dense;
}

// Step 1. A load can change a value only if the machine flushes, and only a load into fp32 is a
// conversion by the device.
void widen(Operands& dense, const Format& accumulator, const Machine& machine) {
  if (accumulator != kFp32) return;
  const Fp32 op(machine);
  for (Bits& bits : dense.a) bits = op.load(*dense.a_format, bits);
  for (Bits& bits : dense.b) bits = op.load(*dense.b_format, bits);
  dense.a_format = &kFp32;
  dense.b_format = &kFp32;
}

// Calls body(first, last) for parts of [0, count). The parts share no results, so the number of
// threads does not affect them.
template <typename Body>
void in_parallel(std::size_t count, std::size_t work, const Body& body) {
  constexpr std::size_t kWorthAThread = std::size_t{1} << 18;
  const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
  const std::size_t threads = std::clamp<std::size_t>(
      work / kWorthAThread, 1, std::min(most, std::max<std::size_t>(count, 1)));
  std::vector<std::jthread> others;
  for (std::size_t t = 1; t < threads; ++t) {
    others.emplace_back([&body, first = count * t / threads, last = count * (t + 1) / threads] {
      body(first, last);
    });
  }
  body(0, count / threads);
}

// Calls body(item, i, j, index) for every output.
template <typename Body>
void for_each_output(const GemmProblem& p, const Body& body) {
  in_parallel(p.batch * p.m, p.d_count() * p.k, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t j = 0; j < p.n; ++j) body(row / p.m, row % p.m, j, row * p.n + j);
    }
  });
}

models::Vector row_of(const GemmProblem& p, const Operands& dense, std::size_t item,
                      std::size_t i) {
  return {dense.a_format, dense.a.data() + (item * p.m + i) * p.k};
}

models::Vector column_of(const GemmProblem& p, const Operands& dense, std::size_t item,
                         std::size_t j) {
  return {dense.b_format, dense.b.data() + (item * p.n + j) * p.k};
}

std::size_t scale_count(const models::Unit& unit, std::size_t k) {
  const auto block = static_cast<std::size_t>(unit.scale_block);
  return unit.scale == nullptr ? 0 : (k + block - 1) / block;
}

// Checks every operand requirement of a unit before threads start.
void require_unit_takes(const GemmProblem& p, const Tensor& a, const Tensor& b,
                        const models::Unit* unit) {
  if (unit == nullptr) {
    return require(p.a_scales == nullptr && p.b_scales == nullptr,
                   "gemm: only a matrix unit takes scales");
  }
  models::require_operands(*unit, *a.format, *b.format);
  models::require_scales(*unit, p.a_scales == nullptr ? nullptr : p.a_scales->format,
                         p.b_scales == nullptr ? nullptr : p.b_scales->format);
  if (unit->scale == nullptr) return;
  const std::size_t rows = scale_count(*unit, p.k);
  require(p.a_scales->count() == p.batch * p.m * rows,
          "gemm: the scales of A are not one for every block of every row");
  require(p.b_scales->count() == p.batch * rows * p.n,
          "gemm: the scales of B are not one for every block of every column");
}

// Step 2 on a matrix unit.
Tensor unit_gemm(const GemmProblem& p, const Operands& dense, const Tensor* initial,
                 const models::Unit& unit) {
  std::vector<Bits> a_scales, b_scales;
  if (unit.scale != nullptr) {
    a_scales = p.a_scales->to_bits();
    b_scales = p.b_scales->to_bits();
  }
  const std::size_t rows = scale_count(unit, p.k);
  Tensor d = Tensor::zeros(*unit.output, p.d_count());
  for_each_output(p, [&](std::size_t item, std::size_t i, std::size_t j, std::size_t index) {
    std::optional<models::Encoded> c;
    if (initial != nullptr)
      c = models::Encoded{initial->format, initial->at(p.c_index(item, i, j))};
    std::optional<models::Scales> scales;
    if (unit.scale != nullptr) {
      scales = {
          {unit.scale, a_scales.data() + (item * p.m + i) * rows},
          {unit.scale, b_scales.data() + item * rows * p.n + j, static_cast<std::ptrdiff_t>(p.n)}};
    }
    d.set(index, models::unit_dot(unit, row_of(p, dense, item, i), column_of(p, dense, item, j),
                                  p.k, c, scales ? &*scales : nullptr)
                     .bits);
  });
  return d;
}

// If there is nothing to convert, every bit is kept, including NaN payloads.
Tensor converted(Tensor from, const Format& to, const Machine& machine) {
  if (*from.format == to) return from;
  Tensor d = Tensor::zeros(to, from.count());
  for (std::size_t i = 0; i < from.count(); ++i) {
    d.set(i, soft::convert(*from.format, to, from.at(i), machine.convert).bits);
  }
  return d;
}

// alpha * sum(ab) + beta * c without error, rounded once: the meaning of `exact` with scalars.
Bits exact_scaled(const GemmProblem& p, const models::Vector& a, const models::Vector& b,
                  const std::optional<models::Encoded>& c, const Machine& machine) {
  models::ExactSum sum;
  for (std::size_t x = 0; x < p.k; ++x) sum.add_product(*a.format, a.at(x), *b.format, b.at(x));
  sum.scale(kFp32, *p.alpha);
  if (c && !formats::is_zero(kFp32, *p.beta)) sum.add_product(kFp32, *p.beta, *c->format, c->bits);
  return sum.round(*p.d_format, machine.convert).bits;
}

Tensor exact_gemm(const GemmProblem& p, const Tensor& a, const Tensor& b, const Tensor* c,
                  const Machine& machine) {
  const Operands dense = gather(p, a, b);
  Tensor d = Tensor::zeros(*p.d_format, p.d_count());
  for_each_output(p, [&](std::size_t item, std::size_t i, std::size_t j, std::size_t index) {
    std::optional<models::Encoded> addend;
    if (c != nullptr) addend = models::Encoded{c->format, c->at(p.c_index(item, i, j))};
    d.set(index, exact_scaled(p, row_of(p, dense, item, i), column_of(p, dense, item, j), addend,
                              machine));
  });
  return d;
}

// fp32, or the accumulator's format if that is wider.
const Format& scaling_format(const Format& accumulator) {
  return accumulator.precision() > kFp32.precision() ? accumulator : kFp32;
}

}  // namespace

Arithmetic specified_arithmetic(const Format& accumulator) {
  return {
      .accumulator = &accumulator, .order = models::Order::kSequential, .step = models::Step::kFma};
}

void require_well_formed(const GemmProblem& p, const Tensor& a, const Tensor& b, const Tensor* c) {
  require(p.d_format != nullptr, "gemm needs the format of D");
  require(p.alpha.has_value() == p.beta.has_value(), "gemm needs both alpha and beta, or none");
  require_count("gemm", "A", a, p.a_count());
  require_count("gemm", "B", b, p.b_count());
  if (c != nullptr) require_count("gemm", "C", *c, p.c_count());
}

Tensor gemm_accumulators(const GemmProblem& p, const Tensor& a, const Tensor& b,
                         const Tensor* initial, const Arithmetic& arithmetic,
                         const Machine& machine) {
  require_well_formed(p, a, b, initial);
  models::require_products(arithmetic, p.k);
  require_unit_takes(p, a, b, arithmetic.unit);
  if (arithmetic.is_chain_of_unit())
    return unit_gemm(p, gather(p, a, b), initial, *arithmetic.unit);
  Arithmetic sums = arithmetic;
  sums.zero_last = sums.zero_last && !(p.beta && !formats::is_zero(kFp32, *p.beta));
  const Format& format = models::answer_format(arithmetic, *p.d_format);
  Operands dense = gather(p, a, b);
  if (arithmetic.accumulator != nullptr) widen(dense, *arithmetic.accumulator, machine);
  Tensor accumulators = Tensor::zeros(format, p.d_count());
  for_each_output(p, [&](std::size_t item, std::size_t i, std::size_t j, std::size_t index) {
    std::optional<models::Encoded> start;
    if (initial != nullptr)
      start = models::Encoded{initial->format, initial->at(p.c_index(item, i, j))};
    accumulators.set(index,
                     models::dot(sums, row_of(p, dense, item, i), column_of(p, dense, item, j), p.k,
                                 start, *p.d_format, machine)
                         .bits);
  });
  return accumulators;
}

Tensor gemm_epilogue(const GemmProblem& p, const Tensor& accumulators, const Tensor* c,
                     const Machine& machine) {
  const Format& wide = scaling_format(*accumulators.format);
  // Every machine reads and writes a tensor in the scaling's format unchanged.
  const auto moved = [&](const Format& from, const Format& to, Bits bits) {
    return from == to ? bits : soft::convert(from, to, bits, machine.convert).bits;
  };
  const bool reads_c = p.beta && !formats::is_zero(kFp32, *p.beta);
  require(!reads_c || c != nullptr, "gemm: beta is not zero, so C is needed");
  Tensor d = Tensor::zeros(*p.d_format, p.d_count());
  for (std::size_t index = 0; index < p.d_count(); ++index) {
    // Widening an accumulator is exact and not a conversion by the device.
    Bits value = soft::convert(*accumulators.format, wide, accumulators.at(index)).bits;
    if (p.alpha) value = soft::mul(kFp32, *p.alpha, wide, value, wide, machine.mul).bits;
    if (reads_c) {
      const std::size_t row = index / p.n;
      const Bits addend = c->at(p.c_index(row / p.m, row % p.m, index % p.n));
      const Bits loaded = moved(*c->format, wide, addend);
      value = soft::fma(kFp32, *p.beta, wide, loaded, wide, value, machine.fma).bits;
    }
    d.set(index, moved(wide, *p.d_format, value));
  }
  return d;
}

Tensor gemm(const GemmProblem& p, const Tensor& a, const Tensor& b, const Tensor* c,
            const Arithmetic& arithmetic, const Machine& machine) {
  require_well_formed(p, a, b, c);
  require_unit_takes(p, a, b, arithmetic.unit);
  if (arithmetic.is_exact() && p.alpha) return exact_gemm(p, a, b, c, machine);
  const Tensor* initial = p.alpha ? nullptr : c;
  Tensor accumulators = gemm_accumulators(p, a, b, initial, arithmetic, machine);
  if (arithmetic.is_exact()) return accumulators;
  if (arithmetic.unit != nullptr && !p.alpha) {
    return converted(std::move(accumulators), *p.d_format, machine);
  }
  return gemm_epilogue(p, accumulators, p.alpha ? c : nullptr, machine);
}

}  // namespace halfmark::operators
