// SPDX-License-Identifier: Apache-2.0
// A two's complement fixed-point number long enough that sums of products never overflow it or lose
// a bit (Kulisch's complete register): kLimbs * 64 bits, the lowest of which is 2^kMinPlace.
//
// It knows no formats and no special values. The caller ensures that no number has bits outside it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "reference/soft/add_multiply.hpp"

namespace halfmark::models {

template <int kLimbs, int kMinPlace>
class CompleteRegister {
 public:
  // +-integer * 2^place.
  void add(bool negative, int place, soft::Wide integer) {
    const int offset = place - kMinPlace;
    auto limb = static_cast<std::size_t>(offset >> 6);
    const int part = offset & 63;
    const auto low = static_cast<Limb>(integer);
    const auto high = static_cast<Limb>(integer >> 64);
    const std::array<Limb, 3> words{low << part,
                                    part == 0 ? high : high << part | low >> (64 - part),
                                    part == 0 ? 0 : high >> (64 - part)};
    Limb carry = 0;
    for (std::size_t i = 0; limb < limbs_.size() && (i < words.size() || carry != 0); ++i, ++limb) {
      const Limb word = i < words.size() ? words[i] : 0;
      const soft::Wide total = negative ? soft::Wide{limbs_[limb]} - word - carry
                                        : soft::Wide{limbs_[limb]} + word + carry;
      limbs_[limb] = static_cast<Limb>(total);
      carry = static_cast<Limb>(total >> 64) & 1;
    }
  }

  // Adds a register that is no longer and reaches no lower, in whole limbs.
  template <int kOtherLimbs, int kOtherMinPlace>
  void add(const CompleteRegister<kOtherLimbs, kOtherMinPlace>& other) {
    static_assert(kOtherMinPlace >= kMinPlace && (kOtherMinPlace - kMinPlace) % 64 == 0);
    static_assert(kOtherMinPlace + 64 * kOtherLimbs <= kMinPlace + 64 * kLimbs);
    constexpr int kFirst = (kOtherMinPlace - kMinPlace) / 64;
    const Limb extension = other.is_negative() ? ~Limb{0} : 0;
    Limb carry = 0;
    for (int i = kFirst; i < kLimbs; ++i) {
      const Limb word = i - kFirst < kOtherLimbs ? other.limb(i - kFirst) : extension;
      const soft::Wide total = soft::Wide{limb(i)} + word + carry;
      limb(i) = static_cast<Limb>(total);
      carry = static_cast<Limb>(total >> 64);
    }
  }

  // Multiplies by integer * 2^place. Bits shifted out at either end are lost.
  void multiply(std::uint64_t integer, int place) {
    const bool negative = is_negative();
    if (negative) negate();
    std::array<Limb, kSize + 1> wide{};  // the product before it is shifted down
    Limb carry = 0;
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const soft::Wide product = soft::Wide{i < limbs_.size() ? limbs_[i] : 0} * integer + carry;
      wide[i] = static_cast<Limb>(product);
      carry = static_cast<Limb>(product >> 64);
    }
    for (int i = 0; i < kLimbs; ++i) limb(i) = window(wide, 64 * i - place);
    if (negative) negate();
  }

  void negate() {
    Limb carry = 1;
    for (Limb& limb : limbs_) {
      limb = ~limb + carry;
      carry = carry != 0 && limb == 0 ? 1 : 0;
    }
  }

  [[nodiscard]] bool is_negative() const { return limbs_.back() >> 63 != 0; }
  [[nodiscard]] bool is_zero() const {
    for (const Limb limb : limbs_) {
      if (limb != 0) return false;
    }
    return true;
  }

  // The magnitude as significand * 2^(exponent - soft::kLead), with the leading one at kLead and
  // the last bit sticky. Not for zero.
  struct Leading {
    int exponent;
    std::uint64_t significand;
  };
  [[nodiscard]] Leading leading() const {
    CompleteRegister size = *this;
    if (is_negative()) size.negate();
    int top = kLimbs - 1;
    while (top > 0 && size.limb(top) == 0) --top;
    const int lead = 64 * top + 63 - std::countl_zero(size.limb(top));
    const int lowest = lead - soft::kLead;  // the place of the significand's last bit
    std::uint64_t significand = window(size.limbs_, lowest);
    for (int i = 0; 64 * i < lowest; ++i) {
      const Limb below = 64 * i + 64 <= lowest
                             ? size.limb(i)
                             : size.limb(i) & ((Limb{1} << (lowest - 64 * i)) - 1);
      if (below != 0) significand |= 1;
    }
    return {lead + kMinPlace, significand};
  }

  [[nodiscard]] std::uint64_t& limb(int i) { return limbs_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::uint64_t limb(int i) const { return limbs_[static_cast<std::size_t>(i)]; }

 private:
  using Limb = std::uint64_t;
  static constexpr auto kSize = static_cast<std::size_t>(kLimbs);

  // 64 bits from `first` upward; places outside the array read as zero.
  template <std::size_t kCount>
  [[nodiscard]] static Limb window(const std::array<Limb, kCount>& limbs, int first) {
    const auto at = [&](int i) {
      return i < 0 || i >= static_cast<int>(kCount) ? Limb{0} : limbs[static_cast<std::size_t>(i)];
    };
    const int whole = first >> 6;
    const int part = first & 63;
    return part == 0 ? at(whole) : at(whole) >> part | at(whole + 1) << (64 - part);
  }

  std::array<Limb, kSize> limbs_{};
};

}  // namespace halfmark::models
