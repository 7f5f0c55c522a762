// SPDX-License-Identifier: Apache-2.0
#include "backends/data_sheet.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace halfmark::backends {
namespace {

bool is_called(std::string_view device, std::string_view name) {
  if (!device.ends_with(name)) return false;
  return device.size() == name.size() || device[device.size() - name.size() - 1] == ' ';
}

}  // namespace

const DataSheet* sheet_of(const DeviceInfo& info, std::span<const DataSheet> sheets) {
  const auto found = std::ranges::find_if(sheets, [&](const DataSheet& sheet) {
    return is_called(info.name, sheet.name) &&
           (sheet.compute_units == 0 || sheet.compute_units == info.compute_units);
  });
  return found == sheets.end() ? nullptr : &*found;
}

void add_declared(DeviceInfo& info, std::span<const DataSheet> sheets) {
  const DataSheet* sheet = sheet_of(info, sheets);
  if (sheet == nullptr) return;
  nlohmann::json gflops = nlohmann::json::object();
  for (const DeclaredRate& rate : sheet->rates) {
    if (!rate.format.empty()) gflops[std::string(rate.format)] = rate.gflops;
  }
  nlohmann::json declared = {{"gflops", std::move(gflops)}, {"source", sheet->source}};
  if (sheet->gbytes_per_s > 0) declared["gbytes_per_s"] = sheet->gbytes_per_s;
  info.extra["declared"] = std::move(declared);
}

}  // namespace halfmark::backends
