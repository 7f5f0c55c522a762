// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/lanes.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "reference/fast/lanes_kernels.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

float number(Bits fp32) { return std::bit_cast<float>(static_cast<std::uint32_t>(fp32)); }

template <typename T>
const T* elements(const Tensor& tensor, std::size_t first) {
  return reinterpret_cast<const T*>(tensor.bytes.data()) + first;
}
template <typename T>
T* elements(Tensor& tensor, std::size_t first) {
  return reinterpret_cast<T*>(tensor.bytes.data()) + first;
}

// For formats of one byte per element, a table gives the fp32 number.
void widen_bytes(const Tensor& from, std::size_t first, std::size_t count, float* to) {
  const Format& format = *from.format;
  std::array<float, 256> table{};
  for (Bits bits = 0; bits <= format.mask(); ++bits) {
    table[bits] = number(soft::convert(format, kFp32, bits).bits);
  }
  const auto* bytes = elements<std::uint8_t>(from, first);
  for (std::size_t i = 0; i < count; ++i) to[i] = table[bytes[i] & format.mask()];
}

}  // namespace

void widen(Target target, const Tensor& from, std::size_t first, std::size_t count, float* to) {
  const LanesKernels* kernels = lanes_kernels(target);
  if (*from.format == kFp32) {
    std::memcpy(to, elements<float>(from, first), count * sizeof(float));
  } else if (kernels != nullptr && *from.format == kFp16) {
    kernels->widen_fp16(elements<std::uint16_t>(from, first), count, to);
  } else if (kernels != nullptr && *from.format == kBf16) {
    kernels->widen_bf16(elements<std::uint16_t>(from, first), count, to);
  } else if (from.format->bits <= 8 && count > 256) {
    widen_bytes(from, first, count, to);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = number(soft::convert(*from.format, kFp32, from.at(first + i)).bits);
    }
  }
}

void narrow(Target target, const float* from, std::size_t count, Tensor& to, std::size_t first) {
  const LanesKernels* kernels = lanes_kernels(target);
  if (kernels != nullptr && *to.format == kFp32) {
    kernels->narrow_fp32(from, count, elements<std::uint32_t>(to, first));
  } else if (kernels != nullptr && *to.format == kFp16) {
    kernels->narrow_fp16(from, count, elements<std::uint16_t>(to, first));
  } else if (kernels != nullptr && *to.format == kBf16) {
    kernels->narrow_bf16(from, count, elements<std::uint16_t>(to, first));
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      const Bits bits = std::bit_cast<std::uint32_t>(from[i]);
      to.set(first + i, soft::convert(kFp32, *to.format, bits).bits);
    }
  }
}

}  // namespace halfmark::fast
