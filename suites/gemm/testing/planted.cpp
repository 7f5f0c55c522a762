// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/testing/planted.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "backends/adapter.hpp"
#include "backends/host/host.hpp"
#include "reference/operators/gemm.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::suites::gemm {
namespace {

using backends::DriverOperatorCall;
using backends::DriverTensorView;
using backends::OperatorOutcome;
using formats::Tensor;
using models::Arithmetic;
using operators::GemmProblem;

struct Unsupported {
  std::string answer;
};

// A unit of the Hopper kind with another grid width; one per width, with static lifetime.
const models::Unit& near_hopper(int fraction_bits) {
  static std::map<int, models::Unit> units;
  models::Unit unit = *models::find_unit("unit.hopper.mma.fp16.fp32");
  unit.fraction_bits = fraction_bits;
  return units.try_emplace(fraction_bits, unit).first->second;
}

struct Planted {
  Arithmetic arithmetic;
  bool by_magnitude = false;
  std::string_view scaling = {};
};

constexpr std::size_t kLong = 48;

// The first of two arithmetics, or the second; the whole text where it does not name two.
std::string_view one_of_two(std::string_view text, std::string_view first, std::string_view second,
                            bool is_second) {
  if (!text.starts_with(first)) return text;
  const auto bar = text.find(second);
  return is_second ? text.substr(bar + second.size())
                   : text.substr(first.size(), bar - first.size());
}

Planted planted_in(std::string_view text, bool has_c, std::size_t terms) {
  constexpr std::string_view kNear = "near-hopper-";
  text = one_of_two(text, "plain:", "|scaled:", has_c);
  text = one_of_two(text, "long:", "|short:", terms != kLong);
  if (text == "data-order") return {*models::parse_arithmetic("fp32.sequential.fma"), true};
  if (text.starts_with(kNear)) {
    int bits = 0;
    std::from_chars(text.data() + kNear.size(), text.data() + text.size(), bits);
    return {{.unit = &near_hopper(bits)}};
  }
  const std::string_view name = text.substr(0, text.find('/'));
  const auto arithmetic = models::parse_arithmetic(name);
  if (!arithmetic) throw Unsupported{"nothing is planted under " + std::string(text)};
  return {*arithmetic, false, text.substr(std::min(text.size(), name.size() + 1))};
}

// The elements seen through a view of a matrix, dense; `write` stores them back.
class Dense {
 public:
  explicit Dense(const DriverTensorView& view)
      : view_(view), format_(*formats::find_format(view.format)) {
    if (view.sizes.size() != 2) throw Unsupported{"no batches"};
    const auto reach =
        (view.sizes[0] - 1) * view.strides[0] + (view.sizes[1] - 1) * view.strides[1];
    memory_.resize(static_cast<std::size_t>(reach + 1) * width());
    view.buffer->read(view.offset_bytes, memory_);
    tensor = Tensor::zeros(format_, rows() * columns());
    for_each([&](std::byte* stored, std::byte* dense) { std::copy_n(stored, width(), dense); });
  }
  void write() {
    for_each([&](std::byte* stored, std::byte* dense) { std::copy_n(dense, width(), stored); });
    view_.buffer->write(view_.offset_bytes, memory_);
  }
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(view_.sizes[0]); }
  [[nodiscard]] std::size_t columns() const { return static_cast<std::size_t>(view_.sizes[1]); }

  Tensor tensor;

 private:
  [[nodiscard]] std::size_t width() const {
    return static_cast<std::size_t>(format_.storage_bytes());
  }
  template <typename Function>
  void for_each(const Function& function) {
    for (std::size_t i = 0; i < rows(); ++i) {
      for (std::size_t j = 0; j < columns(); ++j) {
        const std::size_t at = i * static_cast<std::size_t>(view_.strides[0]) +
                               j * static_cast<std::size_t>(view_.strides[1]);
        function(memory_.data() + at * width(),
                 tensor.bytes.data() + (i * columns() + j) * width());
      }
    }
  }

  const DriverTensorView& view_;
  const formats::Format& format_;
  std::vector<std::byte> memory_;
};

// Row by row, the terms with the largest elements of A first.
Tensor by_magnitude(const GemmProblem& p, const Tensor& a, const Tensor& b,
                    const Arithmetic& arithmetic) {
  Tensor d = Tensor::zeros(*p.d_format, p.d_count());
  GemmProblem one = p;
  one.m = 1;
  for (std::size_t i = 0; i < p.m; ++i) {
    std::vector<std::size_t> order(p.k);
    std::iota(order.begin(), order.end(), 0);
    const auto size = [&](std::size_t x) { return a.at(i * p.k + x) & a.format->magnitude_mask(); };
    std::ranges::sort(order, [&](std::size_t x, std::size_t y) {
      return std::pair(size(y), x) < std::pair(size(x), y);
    });
    Tensor row = Tensor::zeros(*a.format, p.k);
    Tensor columns = Tensor::zeros(*b.format, p.k * p.n);
    for (std::size_t x = 0; x < p.k; ++x) {
      row.set(x, a.at(i * p.k + order[x]));
      for (std::size_t j = 0; j < p.n; ++j) columns.set(x * p.n + j, b.at(order[x] * p.n + j));
    }
    const Tensor sums = operators::gemm(one, row, columns, nullptr, arithmetic, {});
    for (std::size_t j = 0; j < p.n; ++j) d.set(i * p.n + j, sums.at(j));
  }
  return d;
}

// In D's format including the scalars. The sums fit that format, or are rounded to it here.
Tensor scaled_narrowly(std::string_view how, const GemmProblem& p, const Tensor& sums,
                       const Tensor& c) {
  using formats::kFp32;
  Tensor d = Tensor::zeros(*p.d_format, p.d_count());
  const formats::Format& f = *d.format;
  const formats::Bits alpha = soft::convert(kFp32, f, *p.alpha).bits;
  const formats::Bits beta = soft::convert(kFp32, f, *p.beta).bits;
  for (std::size_t i = 0; i < d.count(); ++i) {
    formats::Bits value = soft::mul(f, alpha, kFp32, sums.at(i), f, soft::Environment{}).bits;
    if (!formats::is_zero(f, beta)) {
      const formats::Bits addend = soft::mul(f, beta, c.at(i)).bits;
      value = how == "narrow-mul" ? soft::add(f, value, addend).bits
              : how == "narrow-alpha-fma"
                  ? soft::fma(f, alpha, kFp32, sums.at(i), f, addend, {}).bits
                  : soft::fma(f, beta, c.at(i), value).bits;
    }
    d.set(i, value);
  }
  return d;
}

Tensor scaled(std::string_view how, const GemmProblem& p, const Tensor& a, const Tensor& b,
              const Tensor& c, const Arithmetic& arithmetic) {
  using formats::kFp32;
  GemmProblem plain = p;
  plain.d_format = &kFp32;
  plain.alpha = plain.beta = std::nullopt;
  const Tensor sums = operators::gemm(plain, a, b, nullptr, arithmetic, {});
  soft::Environment product;
  if (how == "near-alpha-fma") product.rounding = soft::Rounding::kTowardZero;
  if (how.starts_with("narrow")) return scaled_narrowly(how, p, sums, c);
  const bool reads_c = !formats::is_zero(kFp32, *p.beta);
  Tensor d = Tensor::zeros(*p.d_format, p.d_count());
  for (std::size_t i = 0; i < d.count(); ++i) {
    formats::Bits value = soft::mul(kFp32, *p.alpha, sums.at(i)).bits;
    if (reads_c) {
      const formats::Bits wide = soft::convert(*c.format, kFp32, c.at(i)).bits;
      const formats::Bits addend = soft::mul(kFp32, *p.beta, wide, product).bits;
      value = how == "mul" ? soft::add(kFp32, value, addend).bits
                           : soft::fma(kFp32, *p.alpha, sums.at(i), addend).bits;
    }
    d.set(i, soft::convert(kFp32, *d.format, value).bits);
  }
  return d;
}

void multiply(const DriverOperatorCall& call) {
  if (call.tensor("bias") != nullptr || !call.options.empty())
    throw Unsupported{"no bias, no options"};
  const Dense a(*call.tensor("a"));
  const Dense b(*call.tensor("b"));
  Dense d(*call.tensor("d"));
  GemmProblem p{.m = a.rows(), .n = b.columns(), .k = a.columns(), .d_format = d.tensor.format};
  const Planted planted =
      planted_in(std::getenv(kPlantedVariable), call.tensor("c") != nullptr, p.k);
  const DriverTensorView* c_view = call.tensor("c");
  std::unique_ptr<Dense> c = c_view == nullptr ? nullptr : std::make_unique<Dense>(*c_view);
  const double alpha = call.scalar("alpha", 1);
  const double beta = call.scalar("beta", 0);
  const bool initial = call.library == "unit" && alpha == 1 && beta == 1;
  if (c != nullptr && !initial) {
    p.alpha = std::bit_cast<std::uint32_t>(static_cast<float>(alpha));
    p.beta = std::bit_cast<std::uint32_t>(static_cast<float>(beta));
  }
  if (planted.by_magnitude) {
    if (c != nullptr) throw Unsupported{"no c"};
    d.tensor = by_magnitude(p, a.tensor, b.tensor, planted.arithmetic);
  } else if (p.alpha && !planted.scaling.empty()) {
    d.tensor = scaled(planted.scaling, p, a.tensor, b.tensor, c->tensor, planted.arithmetic);
  } else {
    d.tensor = operators::gemm(p, a.tensor, b.tensor, c == nullptr ? nullptr : &c->tensor,
                               planted.arithmetic, {});
  }
  d.write();
}

class PlantedDevice final : public backends::DriverDevice {
 public:
  explicit PlantedDevice(std::unique_ptr<backends::DriverDevice> host) : host_(std::move(host)) {}

  static backends::DeviceInfo described(backends::DeviceInfo info) {
    info.selector.clear();
    info.alias.clear();
    info.name = "planted";
    info.libraries.clear();
    for (const char* kind : {"library", "unit"}) {
      info.libraries.push_back({.name = kind,
                                .version = "1",
                                .kind = kind,
                                .operators = {"gemm"},
                                .usable = true,
                                .evidence = "the reference"});
    }
    return info;
  }
  [[nodiscard]] backends::DeviceInfo describe() override { return described(host_->describe()); }
  [[nodiscard]] std::unique_ptr<backends::DriverBuffer> allocate(std::uint64_t bytes) override {
    return host_->allocate(bytes);
  }
  [[nodiscard]] std::unique_ptr<backends::DriverProgram> build(
      const std::string& source, std::span<const backends::Define> defines) override {
    return host_->build(source, defines);
  }
  [[nodiscard]] OperatorOutcome run(const DriverOperatorCall& call) override {
    try {
      multiply(call);
      return {.supported = true, .answer = {}, .elapsed_ns = 1};
    } catch (const Unsupported& refusal) {
      return {.supported = false, .answer = refusal.answer, .elapsed_ns = 0};
    } catch (const std::invalid_argument& refusal) {
      return {.supported = false, .answer = refusal.what(), .elapsed_ns = 0};
    }
  }

 private:
  std::unique_ptr<backends::DriverDevice> host_;
};

class PlantedDriver final : public backends::Driver {
 public:
  [[nodiscard]] std::string name() const override { return "planted"; }
  [[nodiscard]] std::string status() override { return host_->status(); }
  [[nodiscard]] std::vector<backends::DeviceInfo> devices() override {
    std::vector<backends::DeviceInfo> list = host_->devices();
    for (backends::DeviceInfo& info : list) {
      info = PlantedDevice::described(std::move(info));
      info.backend = name();
    }
    return list;
  }
  [[nodiscard]] std::unique_ptr<backends::DriverDevice> open(
      std::uint32_t index, const nlohmann::json& options) override {
    return std::make_unique<PlantedDevice>(host_->open(index, options));
  }

 private:
  std::unique_ptr<backends::Driver> host_ = backends::host::make_driver();
};

}  // namespace
}  // namespace halfmark::suites::gemm

extern "C" const HmBackendApi* hm_fixture_api() {
  static halfmark::suites::gemm::PlantedDriver driver;
  static const halfmark::backends::ExportedDriver exported(driver);
  return exported.api();
}
