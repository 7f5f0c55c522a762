// SPDX-License-Identifier: Apache-2.0
// Pairwise sums in fp32. The size of a block of k is a power of two, so a full block is a separate
// subtree: the blocks of an output are merged like a binary counter, and a last block that is not
// full is added from the right.
//
// The planes of an output's state are: the number of full blocks so far, the root of the last
// block, and, at plane 2 + l, the waiting sum of 2^l blocks.
#include <bit>
#include <vector>

#include "reference/fast/call.hpp"
#include "reference/fast/chain.hpp"
#include "reference/fast/epilogue.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/fast/pairwise_kernels.hpp"

namespace halfmark::fast {
namespace {

using formats::Format;
using formats::kFp32;
using formats::Tensor;

static_assert(std::has_single_bit(kBlockDepth));
constexpr std::size_t kCount = 0;
constexpr std::size_t kRoot = 1;
constexpr std::size_t kFirstLevel = 2;

class PairwiseWalk {
 public:
  PairwiseWalk(const Call& call, Tensor& d)
      : call_(call),
        epilogue_(call.problem, call.c, d, call.target),
        kernels_(*pairwise_kernels(call.target)),
        full_blocks_(call.problem.k / kBlockDepth),
        has_rest_(call.problem.k % kBlockDepth != 0) {}

  void run() const {
    Chain<float, float> chain{.problem = call_.problem,
                              .load_a = [&](auto... at) { widen(call_.target, call_.a, at...); },
                              .load_b = [&](auto... at) { widen(call_.target, call_.b, at...); },
                              .tile_rows = kernels_.rows,
                              .tile_columns = kernels_.columns,
                              .planes = kFirstLevel + std::bit_width(full_blocks_),
                              .tile = [&](auto... at) { tile(at...); },
                              .start = [](auto...) {},
                              .finish = {}};
    chain.finish = [&](std::size_t item, std::size_t i, std::size_t j, std::size_t count,
                       const float* states) {
      std::vector<float> sums(count);
      for (std::size_t x = 0; x < count; ++x) {
        sums[x] = root([&](std::size_t plane) { return states[chain.state_index(x, plane)]; });
      }
      finish(item, i, j, sums);
    };
    walk(chain, call_.options);
  }

 private:
  void tile(const float* a, const float* b, std::size_t depth, float* states,
            std::size_t stride) const {
    const std::size_t columns = kernels_.columns;
    const bool fused = call_.arithmetic.step == models::Step::kFma;
    (fused ? kernels_.fma : kernels_.mul)(a, b, depth, states + kRoot * columns, stride);
    if (depth < kBlockDepth) return;
    const auto count = static_cast<std::size_t>(states[kCount * columns]);
    std::size_t level = 0;
    while ((count >> level & 1) != 0) ++level;
    for (std::size_t row = 0; row < kernels_.rows; ++row) {
      float* line = states + row * stride;
      line[kCount * columns] += 1;
      for (std::size_t j = 0; j < columns; ++j) {
        float sum = line[kRoot * columns + j];
        for (std::size_t l = 0; l < level; ++l) sum = line[(kFirstLevel + l) * columns + j] + sum;
        line[(kFirstLevel + level) * columns + j] = sum;
      }
    }
  }

  // The sum of the waiting planes, added from the right.
  template <typename PlaneAt>
  [[nodiscard]] float root(const PlaneAt& plane_at) const {
    bool any = has_rest_;
    float sum = any ? plane_at(kRoot) : 0.0F;
    for (std::size_t level = 0; full_blocks_ >> level != 0; ++level) {
      if ((full_blocks_ >> level & 1) == 0) continue;
      const float left = plane_at(kFirstLevel + level);
      sum = any ? left + sum : left;
      any = true;
    }
    return sum;
  }

  void finish(std::size_t item, std::size_t i, std::size_t j, std::vector<float>& sums) const {
    if (!call_.problem.alpha && call_.c != nullptr) {
      std::vector<float> c(sums.size());
      epilogue_.start(item, i, j, c.size(), c.data());
      for (std::size_t x = 0; x < c.size(); ++x) {
        sums[x] = call_.problem.k == 0 ? c[x] : sums[x] + c[x];
      }
    }
    epilogue_.finish(item, i, j, sums.size(), sums.data());
  }

  const Call& call_;
  Epilogue epilogue_;
  const PairwiseKernels& kernels_;
  std::size_t full_blocks_;
  bool has_rest_;
};

}  // namespace

bool covers_fp32_pairwise(const Format& a, const Format& b, const models::Arithmetic& arithmetic) {
  return arithmetic.accumulator != nullptr && *arithmetic.accumulator == kFp32 &&
         arithmetic == models::Arithmetic{.accumulator = arithmetic.accumulator,
                                          .order = models::Order::kPairwise,
                                          .step = arithmetic.step} &&
         kFp32.contains(a) && kFp32.contains(b);
}

Tensor fp32_pairwise(const Call& call) {
  Tensor d = Tensor::zeros(*call.problem.d_format, call.problem.d_count());
  PairwiseWalk(call, d).run();
  return d;
}

}  // namespace halfmark::fast
