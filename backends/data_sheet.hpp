// SPDX-License-Identifier: Apache-2.0
//
// What a manufacturer publishes about a device: dense rates and memory bandwidth, from a public
// document. The rates serve to compute fractions and to reject impossible measurements; a device
// without a data sheet needs none. Decides which sheet belongs to a device. Each vendor folder
// holds its own table.
//
// Assumptions:
//  1. Rates apply to the boost clock without sparsity, in 1e9 operations per second.
//  2. The rate of `fp32` is that of strict fp32, whichever units provide it.
//  3. A driver reports a whole device by its plain name; a suffix after the name marks a different
//  device (a partition, a variant).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "backends/device_info.hpp"

namespace halfmark::backends {

struct DeclaredRate {
  // The operands' format, of plain instructions; with an accumulator, as in "fp16.acc-fp32", of
  // products by matrix units.
  std::string_view format;
  double gflops = 0;
};

using DeclaredRates = std::array<DeclaredRate, 10>;  // unused entries are empty

struct DataSheet {
  std::string_view name;            // the last words of the device's name
  std::uint32_t compute_units = 0;  // as the driver counts them; 0: not compared
  double gbytes_per_s = 0;          // 0: not published
  DeclaredRates rates;
  std::string_view source;
};

// True when every sheet has a name, a source and a rate of fp32, and no format that is slower than
// fp32 or listed twice. For a static_assert next to the table.
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

// The sheet whose name ends the device's name and whose number of compute units matches; null when
// there is none.
[[nodiscard]] const DataSheet* sheet_of(const DeviceInfo& info, std::span<const DataSheet> sheets);

// extra["declared"] = {"gflops": {format: rate}, "gbytes_per_s", "source"} of the device's sheet.
void add_declared(DeviceInfo& info, std::span<const DataSheet> sheets);

}  // namespace halfmark::backends
