// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/library_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace halfmark::backends::shim {
namespace {

void check(const char* call, Status status) {
  if (status != 0) throw BackendError(call, status, fmt::format("{} answers {}", call, status));
}

constexpr std::size_t kNumbers = 4;

// A few numbers on the device.
class TrialMemory final : public DriverBuffer {
 public:
  explicit TrialMemory(const DriverCalls& calls) : calls_(calls) {
    check("allocate", calls.allocate(&address_, kNumbers * sizeof(float)));
  }
  TrialMemory(const TrialMemory&) = delete;
  TrialMemory& operator=(const TrialMemory&) = delete;
  ~TrialMemory() override { calls_.release(address_); }
  void write(std::uint64_t offset, std::span<const std::byte> source) override {
    check("copy in", calls_.copy_in(at(offset), source.data(), source.size()));
  }
  void read(std::uint64_t offset, std::span<std::byte> target) override {
    check("copy out", calls_.copy_out(target.data(), at(offset), target.size()));
  }
  [[nodiscard]] Address at(std::uint64_t offset) const {
    return Address{static_cast<std::uint64_t>(address_) + offset};
  }

 private:
  const DriverCalls& calls_;
  Address address_{};
};

// Contiguous elements: one row.
struct Operand {
  const char* role;
  std::uint64_t first;
  std::int64_t count;
};

// An operator whose result is exact in any arithmetic. Unused operands have no role.
struct Trial {
  std::string_view name;
  std::array<float, kNumbers> before;
  std::array<Operand, 3> operands;
  std::size_t result;
  float right;
  const char* says;
};
constexpr Trial kTrials[] = {
    {"gemm", {2, 3, 0, 0}, {{{"a", 0, 1}, {"b", 1, 1}, {"d", 2, 1}}}, 2, 6, "2 times 3"},
    {"softmax",
     {3, 3, 0, 0},
     {{{"x", 0, 2}, {"y", 2, 2}, {}}},
     3,
     0.5F,
     "the softmax of two equal numbers"}};

DriverTensorView view(const Operand& operand, TrialMemory& memory) {
  return {.role = operand.role,
          .buffer = &memory,
          .offset_bytes = operand.first * sizeof(float),
          .format = "fp32",
          .sizes = {1, operand.count},
          .strides = {operand.count, 1}};
}

// Empty for a real device's library.
std::string stand_in_name(const OpenLibrary& library) {
  const void* name = library.find(kStandInSymbol);
  return name == nullptr ? "" : static_cast<const char*>(name);
}

}  // namespace

LibraryTrial::LibraryTrial(const Vendor& vendor, const std::string& driver) {
  OpenLibrary library = OpenLibrary::open(driver);
  library.bind(vendor.driver.symbols, &calls_);
  stand_in_ = stand_in_name(library);
  library.keep();
  check("initialise", calls_.initialise(0));
  Ordinal device = 0;
  check("device", calls_.device_of(&device, 0));
  if (calls_.context_current == nullptr) {
    check("context", calls_.select_device(device));
    return;
  }
  void* context = nullptr;
  check("context", calls_.context_retain(&context, device));
  check("context", calls_.context_current(context));
}

// Refuses to combine a stand-in with a real library: a stand-in's addresses are those of
// this process.
void LibraryTrial::refuse_mixture(const OpenLibrary& library) const {
  const std::string other = stand_in_name(library);
  if (other == stand_in_) return;
  const auto words = [](const std::string& name, const char* device) {
    return name.empty() ? device : fmt::format("a stand-in ({})", name);
  };
  throw BackendError(
      "dlopen", 0,
      fmt::format("{} is {}, and the driver is {}", library.path(),
                  words(other, "a device's library"), words(stand_in_, "a device's")));
}

std::string LibraryTrial::wrong_result(OperatorLibrary& library, std::string_view name) const {
  const auto trial = std::ranges::find(kTrials, name, &Trial::name);
  if (trial == std::end(kTrials))
    throw BackendError("trial", 0, fmt::format("no library is tried out by {}", name));
  TrialMemory memory(calls_);
  memory.write(0, std::as_bytes(std::span(trial->before)));
  DriverOperatorCall call{.library = {},
                          .name = std::string(name),
                          .compute = "fp32",
                          .tensors = {},
                          .scalars = {},
                          .options = {}};
  for (const Operand& operand : trial->operands) {
    if (operand.role != nullptr) call.tensors.push_back(view(operand, memory));
  }
  const StartOperator start = library.prepared(call, [&](DriverBuffer*) { return memory.at(0); });
  if (const Status status = start(); status != 0) library.refuse(status);
  check("synchronise", calls_.synchronise());
  float after = 0;
  memory.read(trial->result * sizeof(float), std::as_writable_bytes(std::span(&after, 1)));
  return after == trial->right ? "" : fmt::format("computed {} as {}", trial->says, after);
}

TriedLibrary LibraryTrial::of(const LibraryRow& row, const OpenLibrary& library) const {
  refuse_mixture(library);
  std::string reason;
  for (std::size_t way = 0; way < row.ways; ++way) {
    try {
      const auto opened = row.open(OpenLibrary::open(library.path()),
                                   {.calls = calls_, .stream = nullptr, .way = way});
      reason = wrong_result(*opened, row.operators.front());
      if (reason.empty()) return {.version = opened->version(), .way = way};
    } catch (const NotOffered& answer) {
      reason = answer.what();
    } catch (const BackendError& error) {
      reason = error.vendor_text;
    }
  }
  throw BackendError("trial", 0, fmt::format("{}: {}", library.path(), reason));
}

}  // namespace halfmark::backends::shim
