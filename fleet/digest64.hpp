// SPDX-License-Identifier: Apache-2.0
// A 64-bit digest of texts whose sums serve as digests of sets: FNV-1a, then the finaliser of
// SplitMix64, so that sums of digests of similar names do not cancel.
#pragma once

#include <cstdint>
#include <string_view>

namespace halfmark::fleet {

inline constexpr std::uint64_t kDigestStart = 14695981039346656037U;

[[nodiscard]] constexpr std::uint64_t fnv(std::string_view text,
                                          std::uint64_t state = kDigestStart) {
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return (state ^ 0xffU) * 1099511628211U;  // ends the text: "a", "bc" is not "ab", "c"
}

[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

template <typename... Texts>
[[nodiscard]] constexpr std::uint64_t digest64(Texts... texts) {
  std::uint64_t state = kDigestStart;
  ((state = fnv(texts, state)), ...);
  return mixed(state);
}

[[nodiscard]] constexpr std::uint64_t combined(std::uint64_t a, std::uint64_t b) {
  return mixed(a * 0x9e3779b97f4a7c15U + b);
}

}  // namespace halfmark::fleet
