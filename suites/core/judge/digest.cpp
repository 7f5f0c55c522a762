// SPDX-License-Identifier: Apache-2.0
#include "suites/core/judge/digest.hpp"

#include <fmt/format.h>

#include "reference/formats/classify.hpp"

namespace halfmark::suites {
namespace {

constexpr std::uint64_t kPrime = 0x100000001b3u;

void absorb(std::uint64_t& state, std::string_view text) {
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * kPrime;
  state = (state ^ 0xffu) * kPrime;  // separates "ab","c" from "a","bc"
}

}  // namespace

std::string digest(const TensorSet& tensors) {
  std::uint64_t state = 0xcbf29ce484222325u;
  for (const auto& [name, tensor] : tensors) {
    const formats::Format& format = *tensor.format;
    absorb(state, name);
    absorb(state, format.name);
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const formats::Bits bits = tensor.at(i);
      state =
          (state ^ (formats::is_nan(format, bits) ? formats::quiet_nan(format) : bits)) * kPrime;
      state ^= state >> 32;
    }
  }
  return fmt::format("{:016x}", state);
}

}  // namespace halfmark::suites
