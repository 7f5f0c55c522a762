// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/statistics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp64;
using formats::Tensor;

// Elements that one thread takes at a time.
constexpr std::size_t kPart = std::size_t{1} << 20;

// floor(log2) of a magnitude that is finite and not zero.
int exponent_of(const Format& f, Bits magnitude) {
  const int field = static_cast<int>(magnitude >> f.fraction_bits);
  if (field > 0) return field - f.bias;
  return static_cast<int>(std::bit_width(magnitude)) - f.bias - f.fraction_bits;
}

bool is_power(const Format& f, Bits magnitude) {
  const int field = static_cast<int>(magnitude >> f.fraction_bits);
  return field > 0 ? (magnitude & f.fraction_mask()) == 0 : std::has_single_bit(magnitude);
}

double value_of(const Format& f, Bits magnitude) {
  const int field = static_cast<int>(magnitude >> f.fraction_bits);
  const Bits fraction = magnitude & f.fraction_mask();
  const Bits significand = field > 0 ? fraction | (Bits{1} << f.fraction_bits) : fraction;
  return std::ldexp(static_cast<double>(significand),
                    std::max(field, 1) - f.bias - f.fraction_bits);
}

void widen_range(Statistics& s, Bits least, Bits largest) {
  const auto below = [&](Bits a, Bits b) {
    return formats::ordered(*s.format, a) < formats::ordered(*s.format, b);
  };
  if (!s.least || below(least, *s.least)) s.least = least;
  if (!s.largest || below(*s.largest, largest)) s.largest = largest;
}

// Adds `times` elements of one magnitude and sign.
void add(Statistics& s, Bits magnitude, bool negative, std::uint64_t times) {
  const Format& f = *s.format;
  if (!formats::is_finite(f, magnitude)) {
    (formats::is_nan(f, magnitude) ? s.nans : s.infinities) += times;
    return;
  }
  const Bits bits = negative && magnitude != 0 ? magnitude | f.sign_mask() : magnitude;
  widen_range(s, bits, bits);
  if (magnitude == 0) {
    s.zeros += times;
    return;
  }
  if (magnitude >> f.fraction_bits == 0) s.subnormals += times;
  const int exponent = exponent_of(f, magnitude);
  s.exponents[exponent] += times;
  if (is_power(f, magnitude)) s.powers[exponent] += times;
  s.amax = std::max(s.amax, magnitude);
  const double value = value_of(f, magnitude);
  const auto number = static_cast<double>(times);
  s.sum += negative ? -value * number : value * number;
  s.sum_of_squares += value * value * number;
}

void merge(Statistics& into, const Statistics& part) {
  into.zeros += part.zeros;
  into.subnormals += part.subnormals;
  into.infinities += part.infinities;
  into.nans += part.nans;
  for (const auto& [exponent, count] : part.exponents) into.exponents[exponent] += count;
  for (const auto& [exponent, count] : part.powers) into.powers[exponent] += count;
  into.amax = std::max(into.amax, part.amax);
  if (part.least) widen_range(into, *part.least, *part.largest);
  into.sum += part.sum;
  into.sum_of_squares += part.sum_of_squares;
}

// Of 16-bit formats: how often each encoding occurs says everything.
Statistics census(const Tensor& tensor, std::size_t first, std::size_t count) {
  Statistics s{.format = tensor.format};
  std::vector<std::uint32_t> times(std::size_t{1} << 16);
  for (std::size_t i = first; i < first + count; ++i) ++times[tensor.word_at<std::uint16_t>(i)];
  for (std::size_t word = 0; word < times.size(); ++word) {
    if (times[word] == 0) continue;
    add(s, word & ~s.format->sign_mask(), (word & s.format->sign_mask()) != 0, times[word]);
  }
  return s;
}

// What one lane has seen of the normal numbers of fp32, by the field above the fraction.
struct Lane {
  std::array<std::uint32_t, 256> normal{};
  std::array<std::uint32_t, 256> powers{};
  std::uint32_t amax = 0;
  float least = std::numeric_limits<float>::infinity();
  float largest = -least;
  double sum = 0, sum_of_squares = 0;

  void add(std::uint32_t word, std::uint32_t magnitude) {
    const std::uint32_t field = magnitude >> 23;
    ++normal[field];
    powers[field] += (magnitude & 0x7fffffU) == 0 ? 1U : 0U;
    amax = std::max(amax, magnitude);
    const float single = std::bit_cast<float>(word);
    least = std::min(least, single);
    largest = std::max(largest, single);
    const auto value = static_cast<double>(single);
    sum += value;
    sum_of_squares += value * value;
  }
};

void merge(Statistics& into, const Lane& lane) {
  into.amax = std::max<Bits>(into.amax, lane.amax);
  if (lane.least <= lane.largest)
    widen_range(into, std::bit_cast<std::uint32_t>(lane.least),
                std::bit_cast<std::uint32_t>(lane.largest));
  for (int field = 1; field < 255; ++field) {
    const auto at = static_cast<std::size_t>(field);
    if (lane.normal[at] != 0) into.exponents[field - 127] += lane.normal[at];
    if (lane.powers[at] != 0) into.powers[field - 127] += lane.powers[at];
  }
  into.sum += lane.sum;
  into.sum_of_squares += lane.sum_of_squares;
}

// Of fp32, at most kPart elements. Neighbours are in different lanes, so that none waits for the
// count or the sum of the one before it.
Statistics binades(const Tensor& tensor, std::size_t first, std::size_t count) {
  Statistics s{.format = tensor.format};
  std::array<Lane, 4> lanes;
  std::uint64_t zeros = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = tensor.word_at<std::uint32_t>(first + i);
    const std::uint32_t magnitude = word & 0x7fffffffU;
    if (magnitude - 0x00800000U < 0x7f000000U) {
      lanes[i % lanes.size()].add(word, magnitude);
    } else if (magnitude == 0) {
      ++zeros;
    } else {
      add(s, magnitude, word != magnitude, 1);
    }
  }
  if (zeros > 0) add(s, 0, false, zeros);
  for (const Lane& lane : lanes) merge(s, lane);
  return s;
}

// Of formats whose infinity has the least magnitude that is not finite.
template <typename Word>
bool are_below(const Tensor& tensor, std::size_t first, std::size_t count, Word infinity) {
  const auto magnitudes = static_cast<Word>(tensor.format->magnitude_mask());
  bool are = true;
  for (std::size_t i = first; i < first + count; ++i)
    are &= static_cast<Word>(tensor.word_at<Word>(i) & magnitudes) < infinity;
  return are;
}

bool are_finite(const Tensor& tensor, std::size_t first, std::size_t count) {
  const Format& f = *tensor.format;
  const auto infinity = f.has_infinity() ? static_cast<std::uint32_t>(formats::infinity(f)) : 0;
  if (f.has_infinity() && f.bits == 32) return are_below(tensor, first, count, infinity);
  if (f.has_infinity() && f.bits == 16)
    return are_below(tensor, first, count, static_cast<std::uint16_t>(infinity));
  for (std::size_t i = first; i < first + count; ++i) {
    if (!formats::is_finite(f, tensor.at(i))) return false;
  }
  return true;
}

// In soft-float, as is the norm: the caller's floating-point state may be any.
double share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  const auto number = [](std::uint64_t count) {
    return soft::from_int(kFp64, static_cast<std::int64_t>(count)).bits;
  };
  return std::bit_cast<double>(soft::div(kFp64, number(part), number(whole)).bits);
}

}  // namespace

double Statistics::zero_share() const { return share(zeros, count); }
double Statistics::subnormal_share() const { return share(subnormals, count); }

double Statistics::norm() const {
  if (nans > 0) return std::numeric_limits<double>::quiet_NaN();
  if (infinities > 0) return std::numeric_limits<double>::infinity();
  return std::bit_cast<double>(soft::sqrt(kFp64, std::bit_cast<Bits>(sum_of_squares)).bits);
}

Statistics statistics(const Tensor& tensor, const Options& options) {
  const Format& f = *tensor.format;
  const bool wide = f == formats::kFp32;
  if (!wide && f != formats::kFp16 && f != formats::kBf16)
    throw std::invalid_argument("statistics: a format other than fp16, bf16 and fp32");
  std::vector<Statistics> parts((tensor.count() + kPart - 1) / kPart);
  for_each_part(parts.size(), options.threads, Direction::kNearEven, [&](std::size_t part) {
    const std::size_t first = part * kPart;
    const std::size_t count = std::min(kPart, tensor.count() - first);
    parts[part] = wide ? binades(tensor, first, count) : census(tensor, first, count);
  });
  Statistics all{.format = &f, .count = tensor.count()};
  const FloatingPointScope scope;  // for the sums of the parts
  for (const Statistics& part : parts) merge(all, part);
  for (std::size_t i = 0; all.infinities + all.nans > 0 && !all.first_non_finite; ++i) {
    if (!formats::is_finite(f, tensor.at(i))) all.first_non_finite = i;
  }
  for (std::size_t i = 0; all.zeros > 0 && !all.first_zero; ++i) {
    if (formats::is_zero(f, tensor.at(i))) all.first_zero = i;
  }
  return all;
}

bool all_finite(const Tensor& tensor) {
  std::atomic<bool> all = true;
  for_each_part((tensor.count() + kPart - 1) / kPart, 0, Direction::kNearEven,
                [&](std::size_t part) {
                  const std::size_t first = part * kPart;
                  const std::size_t count = std::min(kPart, tensor.count() - first);
                  if (all && !are_finite(tensor, first, count)) all = false;
                });
  return all;
}

Zones zones_of(const Statistics& statistics, const Format& to, int scale) {
  const int least_normal = 1 - to.bias;
  const int least = least_normal - to.fraction_bits;  // 2^least is the least subnormal number
  const int largest = exponent_of(to, formats::max_finite(to));
  Zones zones;
  for (const auto& [exponent, count] : statistics.exponents) {
    const int stored = exponent + scale;
    if (stored > largest) {
      zones.overflow += count;
    } else if (stored >= least_normal) {
      zones.normal += count;
    } else if (stored >= least) {
      zones.subnormal += count;
    } else if (stored == least - 1) {
      // Above half of the least number rounds up to it; exactly half is a tie, which is even.
      const auto power = statistics.powers.find(exponent);
      const std::uint64_t ties = power == statistics.powers.end() ? 0 : power->second;
      zones.lost += ties;
      zones.subnormal += count - ties;
    } else {
      zones.lost += count;
    }
  }
  return zones;
}

std::optional<int> suggested_scale(const Statistics& statistics, const Format& to) {
  if (statistics.amax == 0) return std::nullopt;
  constexpr int kHeadroom = 2;
  return exponent_of(to, formats::max_finite(to)) - kHeadroom -
         exponent_of(*statistics.format, statistics.amax);
}

}  // namespace halfmark::fast
