// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/operands.hpp"

#include <algorithm>

#include "reference/soft/codec.hpp"

namespace halfmark::slow {

std::vector<Bits> corners(const Format& f) {
  const int top = f.max_exponent_field();
  const Bits ones = f.fraction_mask();
  const Bits half = ones / 2 + 1;
  std::vector<Bits> list;
  if (f.bits <= 8) {
    for (Bits bits = 0; bits <= f.mask(); ++bits) list.push_back(bits);
    return list;
  }
  for (const int field :
       {0, 1, 2, f.bias - f.fraction_bits - 1, f.bias - f.fraction_bits, f.bias / 2, f.bias - 1,
        f.bias, f.bias + 1, f.bias + f.fraction_bits, top - 2, top - 1, top}) {
    if (field < 0 || field > top) continue;
    for (const Bits fraction : {Bits{0}, Bits{1}, half - 1, half, half + 1, ones - 1, ones}) {
      const Bits magnitude = Bits(field) << f.fraction_bits | fraction;
      list.push_back(magnitude);
      list.push_back(magnitude | f.sign_mask());
    }
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

const std::vector<soft::Environment>& all_environments() {
  static const std::vector<soft::Environment> list = [] {
    std::vector<soft::Environment> all;
    for (const auto& rounding : soft::kRoundings) {
      for (const auto& policy : soft::kSubnormalPolicies)
        all.push_back({rounding.value, policy.value});
    }
    return all;
  }();
  return list;
}

const std::vector<soft::Environment>& all_policies() {
  static const std::vector<soft::Environment> list = [] {
    std::vector<soft::Environment> all;
    for (soft::Environment env : all_environments()) {
      for (const auto& policy : soft::kOverflowPolicies) {
        env.overflow = policy.value;
        all.push_back(env);
      }
    }
    return all;
  }();
  return list;
}

std::vector<Format> formats_where(bool (*holds)(const Format&)) {
  std::vector<Format> list;
  std::copy_if(formats::kFormats.begin(), formats::kFormats.end(), std::back_inserter(list), holds);
  return list;
}

std::uint64_t Operands::word() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Bits Operands::any(const Format& f) {
  const std::uint64_t random = word();
  if (f.bits <= 8) return random >> 32 & f.mask();
  const std::uint64_t choice = word();
  const auto top = static_cast<std::uint64_t>(f.max_exponent_field());
  const auto bias = static_cast<std::uint64_t>(f.bias);
  std::uint64_t field = random >> 32 & top;
  if ((choice & 3) == 1) field = bias - 3 + (random >> 40) % 7;  // values near one often interact
  if ((choice & 7) == 2) field = (random >> 40) % 3;
  if ((choice & 31) == 3) field = top - (random >> 40) % 3;
  Bits fraction = random;
  const int run = static_cast<int>(choice >> 16 & 63) % (f.fraction_bits + 1);
  if ((choice >> 8 & 7) == 0) fraction = Bits{1} << run;           // a single bit
  if ((choice >> 8 & 7) == 1) fraction = (Bits{1} << run) - 1;     // a run of ones below
  if ((choice >> 8 & 7) == 2) fraction = ~((Bits{1} << run) - 1);  // a run of ones above
  if ((choice >> 8 & 15) == 3) fraction = 0;
  return (field << f.fraction_bits | (fraction & f.fraction_mask())) |
         ((choice >> 63) != 0 ? f.sign_mask() : 0);
}

Bits Operands::close_to(const Format& f, Bits bits) {
  const std::uint64_t random = word();
  const Bits moved = bits + (random & 7) - 3;
  return (moved & f.mask()) ^ ((random >> 8 & 3) != 0 ? f.sign_mask() : 0);
}

const soft::Environment& Operands::environment() {
  const auto& all = all_environments();
  // Half of all operations use the default environment, because devices use it most.
  const std::uint64_t random = word();
  return (random & 1) != 0 ? all.front() : all[(random >> 1) % all.size()];
}

soft::Environment Operands::environment(const Format& result) {
  const auto& all = all_policies();
  soft::Environment env = all[word() % all.size()];
  if (word() % 4 != 0) return env;
  env.rounding = soft::Rounding::kStochastic;
  env.random_bits = static_cast<int>(word() % std::uint64_t(soft::max_random_bits(result) + 1));
  env.random = static_cast<std::uint32_t>(word() & ((std::uint64_t{1} << env.random_bits) - 1));
  return env;
}

}  // namespace halfmark::slow
