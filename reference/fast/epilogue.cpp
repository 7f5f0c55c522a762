// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/epilogue.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "reference/fast/buffer.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/fast/lanes_kernels.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::kFp32;

float number(formats::Bits fp32) { return std::bit_cast<float>(static_cast<std::uint32_t>(fp32)); }

}  // namespace

Epilogue::Epilogue(const operators::GemmProblem& problem, const formats::Tensor* c,
                   formats::Tensor& d, Target target)
    : problem_(problem),
      c_(c),
      d_(d),
      target_(target),
      reads_c_(problem.beta && !formats::is_zero(kFp32, *problem.beta)) {
  if (reads_c_ && c == nullptr) {
    throw std::invalid_argument("gemm: beta is not zero, so C is needed");
  }
}

void Epilogue::load_c(std::size_t item, std::size_t i, std::size_t j, std::size_t count,
                      float* to) const {
  const std::size_t first = problem_.c_index(item, i, j);
  if (kFp32.contains(*c_->format)) return widen(target_, *c_, first, count, to);
  for (std::size_t x = 0; x < count; ++x) {
    to[x] = number(soft::convert(*c_->format, kFp32, c_->at(first + x)).bits);
  }
}

void Epilogue::start(std::size_t item, std::size_t i, std::size_t j, std::size_t count,
                     float* sums) const {
  if (problem_.alpha || c_ == nullptr) {
    std::fill_n(sums, count, 0.0F);
  } else {
    load_c(item, i, j, count, sums);
  }
}

void Epilogue::store(std::size_t item, std::size_t i, std::size_t j, std::size_t count,
                     const float* values) const {
  narrow(target_, values, count, d_, (item * problem_.m + i) * problem_.n + j);
}

void Epilogue::finish(std::size_t item, std::size_t i, std::size_t j, std::size_t count,
                      float* sums) const {
  if (problem_.alpha) {
    Buffer<float> addends;
    if (reads_c_) {
      addends = make_buffer<float>(count);
      load_c(item, i, j, count, addends.get());
    }
    lanes_kernels(target_)->scale(sums, count, number(*problem_.alpha), number(*problem_.beta),
                                  addends.get());
  }
  store(item, i, j, count, sums);
}

}  // namespace halfmark::fast
