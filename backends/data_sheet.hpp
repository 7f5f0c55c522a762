// SPDX-License-Identifier: Apache-2.0
//
// What a maker declares of a device: dense rates and the bandwidth of its memory, from a public
// document. Used for fractions, and to refuse a rate that cannot be; a device without a sheet needs
// none. Decides which sheet is of a device. Each vendor's folder holds its own table.
//
// Assumptions:
//  1. Rates are of the boost clock and without sparsity, in 1e9 operations a second.
//  2. A rate of `fp32` is that of strict fp32, by whatever units have it.
//  3. A driver calls a whole device by its name alone; what stands behind the name makes it another
//  (a partition, a variant).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "backends/device_info.hpp"

namespace halfmark::backends {

struct DeclaredRate {
  // Of the operands, and the accumulator where it matters: "fp16.acc-fp16".
  std::string_view format;
  double gflops = 0;
};

struct DataSheet {
  std::string_view name;              // words at the end of the device's name
  std::uint32_t compute_units = 0;    // as the driver counts them; 0: not held against it
  double gbytes_per_s = 0;            // 0: not declared
  std::array<DeclaredRate, 6> rates;  // unused ones are empty
  std::string_view source;
};

// What every sheet of a table must be: with a name, a source and a rate of fp32, and no format
// slower than that or told twice. For a static_assert beside the table.
consteval bool is_sound(std::span<const DataSheet> sheets) {
  for (const DataSheet& sheet : sheets) {
    const DeclaredRate& fp32 = sheet.rates.front();
    if (sheet.name.empty() || sheet.source.empty() || fp32.format != "fp32") return false;
    for (std::size_t i = 1; i < sheet.rates.size(); ++i) {
      const DeclaredRate& rate = sheet.rates[i];
      if (rate.format.empty() != (rate.gflops == 0)) return false;
      if (!rate.format.empty() && rate.gflops < fp32.gflops) return false;
      for (std::size_t j = 0; j < i; ++j) {
        if (!rate.format.empty() && sheet.rates[j].format == rate.format) return false;
      }
    }
  }
  return true;
}

// The sheet whose name ends the device's and whose units are all there; null when there is none.
[[nodiscard]] const DataSheet* sheet_of(const DeviceInfo& info, std::span<const DataSheet> sheets);

// extra["declared"] = {"gflops": {format: rate}, "gbytes_per_s", "source"} of the device's sheet.
void add_declared(DeviceInfo& info, std::span<const DataSheet> sheets);

}  // namespace halfmark::backends
