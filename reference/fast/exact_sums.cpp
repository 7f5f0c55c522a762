// SPDX-License-Identifier: Apache-2.0
// Sums of products without error, after Ozaki, Ogita, Oishi and Rump, "Error-free transformations
// of matrix multiplication by using fast routines of matrix multiplication" (Numer. Algorithms 59,
// 2012). The operands of a whole matrix are integers times one power of two. Split into slices of
// few enough bits, every partial sum of slice products is an integer of at most 53 bits, so fused
// fp64 steps are exact in any order. The sums of the slices are added in a 128-bit integer, which
// is rounded once.
//
// The bound is checked for the actual data: with |a| < 2^(w_a) and |b| < 2^(w_b) in units of their
// last places, slices of s_a and s_b bits and K products, K * 2^(s_a + s_b) <= 2^53. Data that
// would need more than kMostPlanes pairs of slices, or more than 126 bits in all, use the
// soft-float's accumulator; so do rows and columns with an infinity or a NaN.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "reference/fast/call.hpp"
#include "reference/fast/chain.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/fast/lanes_kernels.hpp"
#include "reference/fast/operand_span.hpp"
#include "reference/fast/special_lines.hpp"
#include "reference/models/exact_sum.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;
using operators::GemmProblem;
using soft::Wide;
__extension__ using SignedWide = __int128;

constexpr std::size_t kMostPlanes = 16;
constexpr std::size_t kMostSlices = 8;
constexpr int kMostBits = 126;
// Row tiles that share the slices of a panel.
constexpr std::size_t kTilesPerSlicing = 3;

// 2^exponent as a normal number. It uses no arithmetic, because the caller's thread may not be in
// the engine's state.
double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

struct Slicing {
  std::size_t count = 1;
  int bits = 0;

  // The constant that splits off the slices above `index`: adding it rounds to a multiple of
  // 2^(index * bits).
  [[nodiscard]] double magic(std::size_t index) const {
    return 1.5 * power_of_two(52 + static_cast<int>(index) * bits);
  }
};

struct Plan {
  Span a, b;
  Slicing slice_a, slice_b;
  [[nodiscard]] std::size_t planes() const { return slice_a.count * slice_b.count; }
  [[nodiscard]] int place() const { return a.place + b.place; }
};

// The fewest pairs of slices whose sums of k products are exact.
std::optional<Plan> make_plan(const Span& a, const Span& b, std::size_t k) {
  const auto terms = static_cast<int>(std::bit_width(k - 1));  // k <= 2^terms
  if (a.width + b.width + terms > kMostBits) return std::nullopt;
  std::optional<Plan> best;
  for (std::size_t i = 1; i <= kMostSlices; ++i) {
    for (std::size_t j = 1; j <= kMostSlices; ++j) {
      const auto bits = [](const Span& span, std::size_t count) {
        return static_cast<int>(detail::divide_up(static_cast<std::size_t>(span.width), count));
      };
      const Plan plan{a, b, {i, bits(a, i)}, {j, bits(b, j)}};
      if (plan.slice_a.bits + plan.slice_b.bits + terms > 53) continue;
      if (plan.planes() > kMostPlanes || (best && best->planes() <= plan.planes())) continue;
      best = plan;
    }
  }
  return best;
}

class ExactWalk {
 public:
  ExactWalk(const Call& call, const Plan& plan)
      : call_(call),
        p_(call.problem),
        plan_(plan),
        kernels_(*fp64_tile_kernels(call.target)),
        special_a_(SpecialLines::of_a(p_)),
        special_b_(SpecialLines::of_b(p_)),
        d_(Tensor::zeros(*p_.d_format, p_.d_count())) {}

  [[nodiscard]] Tensor run() && {
    const double scale_a = power_of_two(-plan_.a.place);
    const double scale_b = power_of_two(-plan_.b.place);
    Chain<double, double> chain{
        .problem = p_,
        .load_a = [&, scale_a](auto... at) { load(call_.a, special_a_, scale_a, at...); },
        .load_b = [&, scale_b](auto... at) { load(call_.b, special_b_, scale_b, at...); },
        .tile_rows = kTilesPerSlicing * kernels_.rows,
        .tile_columns = kernels_.columns,
        .planes = plan_.planes(),
        .tile = [&](auto... at) { tile(at...); },
        .start = [](auto...) {},
        .finish = {}};
    chain.finish = [&](std::size_t item, std::size_t i, std::size_t j, std::size_t count,
                       const double* states) {
      for (std::size_t x = 0; x < count; ++x) {
        std::array<double, kMostPlanes> sums{};
        for (std::size_t plane = 0; plane < plan_.planes(); ++plane) {
          sums[plane] = states[chain.state_index(x, plane)];
        }
        d_.set((item * p_.m + i) * p_.n + j + x, result(item, i, j + x, sums));
      }
    };
    walk(chain, call_.options);
    return std::move(d_);
  }

 private:
  void load(const Tensor& from, SpecialLines& specials, double scale, std::size_t first,
            std::size_t count, double* to) {
    constexpr std::size_t kPart = 256;
    alignas(64) std::array<float, kPart> values;
    for (std::size_t done = 0; done < count; done += kPart) {
      const std::size_t part = std::min(kPart, count - done);
      widen(call_.target, from, first + done, part, values.data());
      specials.take(first + done, part, values.data());
      lanes_kernels(call_.target)->to_doubles(values.data(), part, scale, to + done);
    }
  }

  // The slices of `count` numbers, lowest first, each as large as `values`; null if one slice
  // is enough.
  [[nodiscard]] Buffer<double> sliced(const Slicing& slicing, const double* values,
                                      std::size_t count) const {
    if (slicing.count == 1) return {};
    Buffer<double> slices = make_buffer<double>(slicing.count * count);
    const double* rest = values;
    for (std::size_t index = slicing.count - 1; index > 0; --index) {
      lanes_kernels(call_.target)
          ->slice(rest, count, slicing.magic(index), slices.get() + index * count, slices.get());
      rest = slices.get();
    }
    return slices;
  }

  void tile(const double* a, const double* b, std::size_t depth, double* sums,
            std::size_t stride) const {
    const std::size_t a_count = kTilesPerSlicing * kernels_.rows * kRowStride;
    const std::size_t b_count = depth * kernels_.columns;
    const Buffer<double> a_slices = sliced(plan_.slice_a, a, a_count);
    const Buffer<double> b_slices = sliced(plan_.slice_b, b, b_count);
    for (std::size_t plane = 0; plane < plan_.planes(); ++plane) {
      const std::size_t i = plane / plan_.slice_b.count;
      const std::size_t j = plane % plan_.slice_b.count;
      const double* x = a_slices ? a_slices.get() + i * a_count : a;
      const double* y = b_slices ? b_slices.get() + j * b_count : b;
      for (std::size_t t = 0; t < kTilesPerSlicing; ++t) {
        const std::size_t row = t * kernels_.rows;
        kernels_.fma(x + row * kRowStride, y, depth, sums + row * stride + plane * kernels_.columns,
                     stride);
      }
    }
  }

  [[nodiscard]] Bits result(std::size_t item, std::size_t i, std::size_t j,
                            const std::array<double, kMostPlanes>& sums) const {
    if (special_a_[item * p_.m + i] || special_b_[item * p_.n + j]) return by_soft(item, i, j);
    if (call_.c != nullptr) return with_addend(item, i, j, sums);
    SignedWide total = 0;
    for (std::size_t plane = 0; plane < plan_.planes(); ++plane) {
      const int place = static_cast<int>(plane / plan_.slice_b.count) * plan_.slice_a.bits +
                        static_cast<int>(plane % plan_.slice_b.count) * plan_.slice_b.bits;
      const double whole = sums[plane] * power_of_two(-place);
      total += static_cast<SignedWide>(static_cast<std::int64_t>(whole)) * (SignedWide{1} << place);
    }
    if (total == 0) return zero(item, i, j);
    return rounded(total);
  }

  // total * 2^place, rounded once.
  [[nodiscard]] Bits rounded(SignedWide total) const {
    const bool negative = total < 0;
    const Wide size = negative ? -static_cast<Wide>(total) : static_cast<Wide>(total);
    const auto high = static_cast<std::uint64_t>(size >> 64);
    const auto low = static_cast<std::uint64_t>(size);
    const int lead = high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(low);
    std::uint64_t significand = 0;
    if (lead <= soft::kLead) {
      significand = low << (soft::kLead - lead);
    } else {
      const int drop = lead - soft::kLead;
      significand = static_cast<std::uint64_t>(size >> drop);
      if ((size & ((Wide{1} << drop) - 1)) != 0) significand |= 1;
    }
    return soft::round(*p_.d_format, negative, plan_.place() + lead, significand, {}).bits;
  }

  // An exact zero is -0 only if all its terms are -0: none may be positive or nonzero.
  [[nodiscard]] Bits zero(std::size_t item, std::size_t i, std::size_t j) const {
    const Format& fa = *call_.a.format;
    const Format& fb = *call_.b.format;
    for (std::size_t x = 0; x < p_.k; ++x) {
      const Bits a = call_.a.at(p_.a_index(item, i, x));
      const Bits b = call_.b.at(p_.b_index(item, x, j));
      const bool negative = formats::sign(fa, a) != formats::sign(fb, b);
      const bool is_zero = formats::is_zero(fa, a) || formats::is_zero(fb, b);
      if (!negative || !is_zero) return formats::zero(*p_.d_format);
    }
    return formats::zero(*p_.d_format, true);
  }

  [[nodiscard]] Bits with_addend(std::size_t item, std::size_t i, std::size_t j,
                                 const std::array<double, kMostPlanes>& sums) const {
    models::ExactSum sum;
    for (std::size_t plane = 0; plane < plan_.planes(); ++plane) {
      const double value = sums[plane] * power_of_two(plan_.place());
      if (value != 0) sum.add(formats::kFp64, std::bit_cast<Bits>(value));
    }
    sum.add(*call_.c->format, call_.c->at(p_.c_index(item, i, j)));
    const Bits bits = sum.round(*p_.d_format).bits;
    return formats::is_zero(*p_.d_format, bits) ? by_soft(item, i, j) : bits;
  }

  [[nodiscard]] Bits by_soft(std::size_t item, std::size_t i, std::size_t j) const {
    const Line a = a_line(p_, call_.a, item, i);
    const Line b = b_line(p_, call_.b, item, j);
    std::optional<models::Encoded> c;
    if (call_.c != nullptr) {
      c = models::Encoded{call_.c->format, call_.c->at(p_.c_index(item, i, j))};
    }
    return models::dot(call_.arithmetic, a.vector(), b.vector(), p_.k, c, *p_.d_format).bits;
  }

  const Call& call_;
  const GemmProblem& p_;
  const Plan& plan_;
  const TileKernels<double>& kernels_;
  SpecialLines special_a_;
  SpecialLines special_b_;
  Tensor d_;
};

}  // namespace

bool covers_exact(const Format& a, const Format& b, const models::Arithmetic& arithmetic) {
  return arithmetic.is_exact() && kFp32.contains(a) && kFp32.contains(b);
}

Tensor exact_sums(const Call& call) {
  const GemmProblem& p = call.problem;
  const bool plain = !p.alpha && p.d_format->has_sign && p.d_format->has_zero;
  if (plain && p.d_count() != 0 && p.k != 0) {
    const auto plan = make_plan(span_of(call.a, call.target, call.options.threads),
                                span_of(call.b, call.target, call.options.threads), p.k);
    if (plan) return ExactWalk(call, *plan).run();
  }
  return operators::gemm(p, call.a, call.b, call.c, call.arithmetic, {});
}

}  // namespace halfmark::fast
