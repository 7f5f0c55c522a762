// SPDX-License-Identifier: Apache-2.0
// Matrix units of the rule kTruncated. The scalar model recomputes, output by output, what vectors
// cannot decide: infinities, NaNs, overflow, and the sign of some zeros.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "reference/fast/call.hpp"
#include "reference/fast/chain.hpp"
#include "reference/fast/epilogue.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/fast/special_lines.hpp"
#include "reference/fast/unit_kernels.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using models::Unit;
using operators::GemmProblem;

// Whether every product of finite operands is zero or a normal number of fp32, and its exponent by
// the rule is at least F - 127.
bool is_narrow(const Format& a, const Format& b) {
  return a.max_exponent() + b.max_exponent() + 2 <= kFp32.max_exponent() &&
         a.min_exponent() + b.min_exponent() >= -100 && a.min_place() + b.min_place() >= -126;
}

// Whether a tf32 unit takes fp32 words, of which it sees only the upper bits.
bool is_cut(const Format& operand, models::FormatSet taken) {
  return operand == kFp32 && *taken[0] == formats::kTf32;
}

class UnitWalk {
 public:
  explicit UnitWalk(const Call& call)
      : call_(call),
        p_(call.problem),
        unit_(*call.arithmetic.unit),
        sums_(Tensor::zeros(*unit_.output, p_.d_count())),
        special_a_(SpecialLines::of_a(p_)),
        special_b_(SpecialLines::of_b(p_)) {}

  [[nodiscard]] Tensor run() && {
    const Epilogue epilogue(p_, call_.c, sums_, call_.target);
    const UnitKernels& kernels = *unit_kernels(call_.target);
    const TruncatedBlock block = described();
    const auto tile = is_narrow(*call_.a.format, *call_.b.format) ? kernels.narrow : kernels.wide;
    walk(Chain<float, float>{
             .problem = p_,
             .direction = Direction::kTowardZero,
             .load_a = [&](auto... at) { load(call_.a, unit_.a, special_a_, at...); },
             .load_b = [&](auto... at) { load(call_.b, unit_.b, special_b_, at...); },
             .tile_rows = kernels.rows,
             .tile_columns = kernels.columns,
             .tile = [&](auto... at) { tile(block, at...); },
             .start = [&](auto... at) { start(epilogue, at...); },
             .finish = [&](auto... at) { finish(epilogue, at...); }},
         call_.options);
    return std::move(sums_);
  }

 private:
  [[nodiscard]] TruncatedBlock described() const {
    const int dropped = kFp32.fraction_bits - unit_.kept_bits;
    return {.length = static_cast<std::size_t>(unit_.block),
            .fraction_bits = unit_.fraction_bits,
            .zero_exponent = unit_.zero_exponent,
            .a_least = call_.a.format->min_exponent(),
            .b_least = call_.b.format->min_exponent(),
            .c_least = unit_.output->min_exponent(),
            .keep = ~std::uint32_t{0} << dropped,
            .to_fp16 = *unit_.output == kFp16};
  }

  void load(const Tensor& from, models::FormatSet taken, SpecialLines& specials, std::size_t first,
            std::size_t count, float* to) {
    widen(call_.target, from, first, count, to);
    if (is_cut(*from.format, taken)) {
      const std::uint32_t kept = ~std::uint32_t{0}
                                 << (kFp32.fraction_bits - formats::kTf32.fraction_bits);
      for (std::size_t i = 0; i < count; ++i) {
        to[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(to[i]) & kept);
      }
    }
    specials.take(first, count, to);
  }

  // c in the format of the unit, as fp32 numbers.
  void start(const Epilogue& epilogue, std::size_t item, std::size_t i, std::size_t j,
             std::size_t count, float* states) const {
    epilogue.start(item, i, j, count, states);
    if (p_.alpha || call_.c == nullptr || *unit_.output == kFp32) return;
    for (std::size_t x = 0; x < count; ++x) {
      const Bits bits = call_.c->at(p_.c_index(item, i, j + x));
      const Bits c = soft::convert(*call_.c->format, *unit_.output, bits).bits;
      states[x] = std::bit_cast<float>(
          static_cast<std::uint32_t>(soft::convert(*unit_.output, kFp32, c).bits));
    }
  }

  void finish(const Epilogue& epilogue, std::size_t item, std::size_t i, std::size_t j,
              std::size_t count, float* states) {
    const bool special_row = special_a_[item * p_.m + i];
    std::vector<std::size_t> again;
    for (std::size_t x = 0; x < count; ++x) {
      if (special_row || !is_finite(states[x]) || special_b_[item * p_.n + j + x])
        again.push_back(j + x);
    }
    epilogue.store(item, i, j, count, states);
    for (const std::size_t column : again) {
      sums_.set((item * p_.m + i) * p_.n + column, by_scalar_model(item, i, column));
    }
  }

  [[nodiscard]] Bits by_scalar_model(std::size_t item, std::size_t i, std::size_t j) const {
    const Line a = a_line(p_, call_.a, item, i);
    const Line b = b_line(p_, call_.b, item, j);
    std::optional<models::Encoded> c;
    if (!p_.alpha && call_.c != nullptr) {
      c = models::Encoded{call_.c->format, call_.c->at(p_.c_index(item, i, j))};
    }
    return models::unit_dot(unit_, a.vector(), b.vector(), p_.k, c).bits;
  }

  const Call& call_;
  const GemmProblem& p_;
  const Unit& unit_;
  Tensor sums_;
  SpecialLines special_a_;
  SpecialLines special_b_;
};

// If there is nothing to convert, every bit is kept, including NaN payloads.
Tensor converted(Tensor from, const Format& to) {
  if (*from.format == to) return from;
  Tensor d = Tensor::zeros(to, from.count());
  for (std::size_t i = 0; i < from.count(); ++i) {
    d.set(i, soft::convert(*from.format, to, from.at(i)).bits);
  }
  return d;
}

bool takes(models::FormatSet set, const Format& format) {
  return is_cut(format, set) ||
         std::any_of(set.begin(), set.end(), [&](const Format* one) { return *one == format; });
}

}  // namespace

bool covers_unit(const Format& a, const Format& b, const models::Arithmetic& arithmetic) {
  const Unit* unit = arithmetic.unit;
  return arithmetic.is_chain_of_unit() && unit->rule == models::Rule::kTruncated &&
         unit->fraction_bits <= 25 && unit->zero_exponent <= unit->output->min_exponent() &&
         takes(unit->a, a) && takes(unit->b, b) && kFp32.contains(a) && kFp32.contains(b) &&
         kBlockDepth % static_cast<std::size_t>(unit->block) == 0 &&
         (*unit->output == kFp16
              ? unit->rounding == soft::Rounding::kNearEven
              : *unit->output == kFp32 && unit->rounding == soft::Rounding::kTowardZero);
}

Tensor unit_chain(const Call& call) {
  Tensor sums = UnitWalk(call).run();
  if (call.problem.alpha) return operators::gemm_epilogue(call.problem, sums, call.c, {});
  return converted(std::move(sums), *call.problem.d_format);
}

}  // namespace halfmark::fast
