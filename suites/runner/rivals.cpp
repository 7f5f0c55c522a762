// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/rivals.hpp"

#include "suites/throughput/autocast.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;

std::string operation_of(const DeviceRun& run, const TimedRow& row) {
  return run.throughput[row.row].at("operation");
}

double step_rate(const DeviceRun& run, const TimedRow& row) {
  return throughput::is_fused(operation_of(run, row)) ? row.rate / 2 : row.rate;
}

bool may_claim(const DeviceRun& run, const TimedRow& row) {
  return is_of(run.throughput[row.row], "fp16") && operation_of(run, row) != "chain.convert" &&
         !row.name.starts_with(throughput::kAutocast);
}

}  // namespace

bool is_of(const json& row, std::string_view format) {
  const std::string formats = row.at("formats");
  return formats.substr(0, formats.find('.')) == format;
}

const TimedRow* rival_of(const DeviceRun& run, const std::vector<TimedRow>& rows, bool of_product) {
  const TimedRow* best = nullptr;
  for (const TimedRow& row : rows) {
    const json& entry = run.throughput[row.row];
    const bool is_wide = is_of(entry, "fp32") || (of_product && is_of(entry, "tf32"));
    if (row.rate <= 0 || !is_wide) continue;
    if (best == nullptr || step_rate(run, row) > step_rate(run, *best)) best = &row;
  }
  return best;
}

std::vector<Claim> claims_of(const DeviceRun& run, const std::vector<TimedRow>& rows) {
  std::vector<Claim> claims;
  for (const TimedRow& row : rows) {
    if (!may_claim(run, row)) continue;
    const bool is_product = throughput::is_product(operation_of(run, row));
    const TimedRow* rival = rival_of(run, rows, is_product);
    if (rival != nullptr && step_rate(run, row) > step_rate(run, *rival))
      claims.push_back({.own = &row, .against = rival});
  }
  return claims;
}

}  // namespace halfmark::suites
