// SPDX-License-Identifier: Apache-2.0
#include "backends/host/library/modelled_clock.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace halfmark::backends::host::library {
namespace {

constexpr double kLaunchSeconds = 5e-6;
constexpr double kBytesPerSecond = 0.2e9;
constexpr double kSlowPath = 1000;     // slowdown of a fallback to a loop on the host
constexpr double kEarlyReturn = 0.05;  // fraction of the work done when the launch returns
constexpr double kHotRate = 0.7;       // fraction of the cold rate

struct Rate {
  std::string_view format;
  double flops_per_second;
};
constexpr Rate kRates[] = {{"fp32", 1e9}, {"tf32", 2e9},   {"fp16", 4e9}, {"bf16", 4e9},
                           {"fp8", 8e9},  {"e4m3fn", 8e9}, {"e5m2", 8e9}, {"fp64", 0.5e9}};

double rate_of(std::string_view format) {
  const auto* const row = std::ranges::find(kRates, format, &Rate::format);
  return row == std::end(kRates) ? kRates[0].flops_per_second : row->flops_per_second;
}

double count_of(const TensorView& view) {
  double count = 1;
  for (const std::int64_t size : view.sizes) count *= static_cast<double>(size);
  return count;
}

double bytes_of(const TensorView& view) {
  const Format* format = formats::find_format(view.format);
  return count_of(view) * (format == nullptr ? 4.0 : static_cast<double>(format->storage_bytes()));
}

double bytes_of(const OperatorCall& call) {
  double bytes = 0;
  for (const TensorView& view : call.tensors) bytes += bytes_of(view);
  return bytes;
}

// Every element is read as fp16 and written as fp32, or the reverse.
double conversion_seconds(const OperatorCall& call) {
  double count = 0;
  for (const TensorView& view : call.tensors) count += count_of(view);
  return count * 6 / kBytesPerSecond;
}

double flops_of(const OperatorCall& call) {
  const TensorView* a = call.tensor("a");
  const TensorView* d = call.tensor("d");
  if (a == nullptr || d == nullptr || a->sizes.empty()) return 0;
  return 2 * count_of(*d) * static_cast<double>(a->sizes.back());
}

std::string_view input_format(const OperatorCall& call) {
  const TensorView* a = call.tensor("a");
  if (a == nullptr) return "";
  return a->format == "fp32" && call.compute == "tf32" ? "tf32" : std::string_view(a->format);
}

bool is_half_product(const OperatorCall& call) {
  return call.name == "gemm" && input_format(call) == "fp16";
}

bool is_aligned(const OperatorCall& call) {
  for (const TensorView& view : call.tensors) {
    for (std::size_t i = view.sizes.size() >= 2 ? view.sizes.size() - 2 : 0; i < view.sizes.size();
         ++i) {
      if (view.sizes[i] % 8 != 0) return false;
    }
  }
  return true;
}

// FNV-1a over all inputs.
std::uint64_t digest_of(const OperatorCall& call) {
  std::uint64_t digest = 0xcbf29ce484222325u;
  const auto add = [&digest](std::uint64_t value) { digest = (digest ^ value) * 0x100000001b3u; };
  for (const char c : call.name) add(static_cast<unsigned char>(c));
  for (const TensorView& view : call.tensors) {
    if (view.role == "d" || view.role == "y") continue;
    for (std::uint64_t i = 0; i < view.buffer.bytes; ++i)
      add(static_cast<std::uint64_t>(view.buffer.address[i]));
  }
  return digest;
}

}  // namespace

bool ModelledClock::serves(const Fault& fault) {
  return fault.id().starts_with("F") || fault.is("G09") || fault.is("N08");
}

nlohmann::json ModelledClock::data_sheet() {
  nlohmann::json gflops = nlohmann::json::object();
  for (const Rate& rate : kRates) gflops[std::string(rate.format)] = rate.flops_per_second / 1e9;
  return {{"gflops", std::move(gflops)},
          {"gbytes_per_s", kBytesPerSecond / 1e9},
          {"source", "backends/host/library/modelled_clock.hpp"}};
}

// At the rate of the format that the units work in, plus the time of a slow path.
double ModelledClock::product_seconds(const OperatorCall& call) const {
  const double flops = flops_of(call);
  const bool half = is_half_product(call);
  const bool converts = half && (fault_.is("G09") || (fault_.is("F02") && !is_aligned(call)));
  if (converts) return flops / rate_of("fp32") + conversion_seconds(call);
  const double seconds = flops / rate_of(input_format(call));
  return half && fault_.is("F01") ? seconds * kSlowPath : seconds;
}

double ModelledClock::seconds_of(const OperatorCall& call) const {
  double memory = bytes_of(call) / kBytesPerSecond;
  if (fault_.is("F06") && call.name == "convert")
    memory *= static_cast<double>(fault_.value("passes"));
  const double seconds = std::max(memory, call.name == "gemm" ? product_seconds(call) : 0.0);
  return fault_.is("F03") ? seconds * kEarlyReturn : seconds;
}

bool ModelledClock::seen_before(const OperatorCall& call) {
  return fault_.is("F05") && !seen_.insert(digest_of(call)).second;
}

// The rate falls linearly while the device warms up; the device cools between tests.
double ModelledClock::slowed(const OperatorCall& call, double seconds) {
  if (!fault_.is("F04")) return seconds;
  std::string key = call.name;
  for (const TensorView& view : call.tensors) {
    key += view.format;
    for (const std::int64_t size : view.sizes) key += std::to_string(size) + ' ';
  }
  if (key != last_) busy_seconds_ = 0;
  last_ = std::move(key);
  const double until = static_cast<double>(fault_.value("milliseconds")) * 1e-3;
  const double warmth = std::min(1.0, busy_seconds_ / std::max(until, 1e-9));
  busy_seconds_ += seconds;
  return seconds / (1 - (1 - kHotRate) * warmth);
}

std::uint64_t ModelledClock::elapsed_ns(const OperatorCall& call) {
  const double work = seen_before(call) ? 0 : slowed(call, seconds_of(call));
  return static_cast<std::uint64_t>(std::llround((kLaunchSeconds + work) * 1e9));
}

}  // namespace halfmark::backends::host::library
