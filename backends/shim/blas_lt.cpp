// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/blas_lt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "backends/shim/blas_answers.hpp"
#include "backends/shim/device_memory.hpp"

namespace halfmark::backends::shim {
namespace {

constexpr std::int64_t kMostBatch = 65535;
constexpr float kOne = 1;

// RAII owner of one of the library's objects.
class Descriptor {
 public:
  using Destroy = Status (*)(void*);
  using Assign = Status (*)(void*, int, const void*, std::size_t);
  Descriptor(Destroy destroy, Assign assign) : destroy_(destroy), assign_(assign) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept
      : destroy_(other.destroy_),
        assign_(other.assign_),
        raw_(std::exchange(other.raw_, nullptr)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (raw_ != nullptr) destroy_(raw_);
  }
  [[nodiscard]] void* raw() const { return raw_; }
  [[nodiscard]] void** place() { return &raw_; }
  // Does nothing for an attribute that the vendor lacks.
  template <typename Value>
  [[nodiscard]] Status set(int attribute, const Value& value) const {
    return attribute < 0 ? 0 : assign_(raw_, attribute, &value, sizeof value);
  }

 private:
  Destroy destroy_;
  Assign assign_;
  void* raw_ = nullptr;
};

// A matrix with its address.
struct Placed {
  Descriptor layout;
  void* address;
};

// A prepared product: only the multiplying call is missing.
struct LtProduct {
  Descriptor product;
  Placed first, second, c, d;
  std::array<std::byte, 8> alpha, beta;
  std::vector<std::byte> choice;  // the algorithm, then LtChoice
  LtChoice chosen{};
  std::shared_ptr<const DeviceBlock> workspace = nullptr;  // null: it needs none
};

bool is_narrow(const std::string& format) { return element_bytes(format) == 1; }

std::uint32_t alignment_of(const void* address) {
  constexpr std::uintptr_t kMost = 256;
  const auto value = reinterpret_cast<std::uintptr_t>(address) | kMost;
  return std::uint32_t{1} << std::countr_zero(value);
}

void* placed_at(const GemmOperand& operand, const AddressOf& address_of) {
  const auto base = static_cast<std::uint64_t>(address_of(operand.buffer));
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(base + operand.offset_bytes));
}

class BlasLt final : public OperatorLibrary {
 public:
  BlasLt(const LtVendor& vendor, OpenLibrary library, const LibrarySetting& setting);

  [[nodiscard]] std::string version() const override;
  [[nodiscard]] StartOperator prepared(const DriverOperatorCall& call,
                                       const AddressOf& address_of) override;
  [[noreturn]] void refuse(Status status) const override;

 private:
  [[nodiscard]] const LtCompute& compute_of(const std::string& word) const;
  [[nodiscard]] std::uint32_t epilogue_of(const GemmProblem& problem) const;
  [[nodiscard]] Placed placed(const GemmOperand& operand, const GemmProblem& problem,
                              std::int64_t rows, std::int64_t columns, void* address) const;
  [[nodiscard]] Descriptor described(const GemmProblem& problem, const LtCompute& compute,
                                     const AddressOf& address_of) const;
  [[nodiscard]] Descriptor preference(const LtProduct& product, const LtCompute& compute) const;
  void check_choice(Status status) const;
  void choose(LtProduct& product, const LtCompute& compute);
  [[nodiscard]] Status multiply(const LtProduct& product) const;

  [[nodiscard]] BlasAnswers answers() const {
    return {vendor_.name, vendor_.types, vendor_.declines, calls_.status_name};
  }
  void check(const char* call, Status status) const {
    if (status != 0) answers().refuse(call, status);
  }

  const LtVendor& vendor_;
  OpenLibrary library_;
  void* stream_;
  std::int64_t last_batch_ = 0;
  LtCalls calls_{};
  LibraryHandle handle_;
  GrowingMemory workspace_;
  DeviceBlock one_;  // the scale of every 8-bit matrix
};

BlasLt::BlasLt(const LtVendor& vendor, OpenLibrary library, const LibrarySetting& setting)
    : vendor_(vendor),
      library_(std::move(library)),
      stream_(setting.stream),
      workspace_(setting.calls),
      one_(setting.calls, sizeof kOne) {
  library_.bind(vendor.library.symbols, &calls_);
  const Status status = handle_.create(calls_.create, calls_.destroy);
  if (status != 0) throw BackendError("create handle", status, answers().words_of(status));
  library_.keep();
  one_.write(&kOne, sizeof kOne);
}

std::string BlasLt::version() const {
  if (calls_.version != nullptr) return fmt::format("{}", calls_.version());
  int version = 0;
  if (calls_.version_of == nullptr || calls_.version_of(handle_.raw(), &version) != 0)
    return "unknown";
  return fmt::format("{}", version);
}

const LtCompute& BlasLt::compute_of(const std::string& word) const {
  const auto row = std::ranges::find(vendor_.computes, word, &LtCompute::word);
  if (row != vendor_.computes.end()) return *row;
  throw NotOffered(fmt::format("{} has no gemm that computes in {}", vendor_.name, word));
}

// The library adds the bias to each column of its column-major d: one element per row.
std::uint32_t BlasLt::epilogue_of(const GemmProblem& problem) const {
  const bool has_bias = problem.bias != nullptr;
  if (has_bias && !problem.is_swapped)
    throw NotOffered(fmt::format("{} adds a bias to columns that lie together", vendor_.name));
  if (has_bias && problem.bias->sizes[0] > 1 && problem.bias->strides[0] != 1)
    throw NotOffered(fmt::format("{} takes a bias without gaps", vendor_.name));
  for (const LtEpilogue& row : vendor_.epilogues) {
    if (row.activation == problem.activation && row.has_bias == has_bias) return row.number;
  }
  throw NotOffered(fmt::format("{} has no activation '{}'", vendor_.name, problem.activation));
}

Placed BlasLt::placed(const GemmOperand& operand, const GemmProblem& problem, std::int64_t rows,
                      std::int64_t columns, void* address) const {
  if (operand.is_transposed) std::swap(rows, columns);
  Placed made{.layout = Descriptor(calls_.layout_destroy, calls_.layout_set), .address = address};
  check("create layout",
        calls_.layout_create(made.layout.place(), answers().type_of(operand.format),
                             static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
                             operand.leading_dimension));
  const LtNumbers& numbers = vendor_.numbers;
  const std::int32_t batch = narrow(problem.batch);
  check("set batch", made.layout.set(numbers.layout_batch, batch));
  check("set stride", made.layout.set(numbers.layout_stride, operand.batch_stride));
  return made;
}

Descriptor BlasLt::described(const GemmProblem& problem, const LtCompute& compute,
                             const AddressOf& address_of) const {
  Descriptor made(calls_.product_destroy, calls_.product_set);
  check("create product",
        calls_.product_create(made.place(), compute.number, answers().type_of(compute.scalars)));
  const LtNumbers& numbers = vendor_.numbers;
  const auto operation = [&](const GemmOperand& operand) -> std::int32_t {
    return operand.is_transposed ? numbers.transpose : numbers.none;
  };
  check("set operation", made.set(numbers.product_first, operation(problem.first)));
  check("set operation", made.set(numbers.product_second, operation(problem.second)));
  check("set epilogue", made.set(numbers.product_epilogue, epilogue_of(problem)));
  if (problem.bias != nullptr) {
    const auto base = static_cast<std::uint64_t>(address_of(problem.bias->buffer));
    const std::uint64_t address = base + problem.bias->offset_bytes;
    const std::int32_t type = answers().type_of(problem.bias->format);
    check("set bias", made.set(numbers.product_bias, address));
    check("set type of bias", made.set(numbers.product_bias_type, type));
  }
  const auto scale = [&](const GemmOperand& operand, int attribute) {
    if (is_narrow(operand.format)) check("set scale", made.set(attribute, one_.pointer()));
  };
  scale(problem.first, numbers.product_first_scale);
  scale(problem.second, numbers.product_second_scale);
  scale(problem.d, numbers.product_d_scale);
  return made;
}

Descriptor BlasLt::preference(const LtProduct& product, const LtCompute& compute) const {
  Descriptor made(calls_.preference_destroy, calls_.preference_set);
  check("create preference", calls_.preference_create(made.place()));
  const LtNumbers& numbers = vendor_.numbers;
  check("set workspace", made.set(numbers.preference_workspace, kLtWorkspaceLimit));
  check("set reductions", made.set(numbers.preference_reductions, compute.reductions));
  const auto align = [&](int attribute, const Placed& matrix) {
    check("set alignment", made.set(attribute, alignment_of(matrix.address)));
  };
  align(numbers.preference_first_alignment, product.first);
  align(numbers.preference_second_alignment, product.second);
  align(numbers.preference_c_alignment, product.c);
  align(numbers.preference_d_alignment, product.d);
  return made;
}

// The vendors' documents say that the heuristic answers "invalid value" when the caller requests no
// algorithm. This code requests one, so the status concerns the product: "in conflict or in an
// impossible configuration", as the documents say of the multiplying call. The trial has shown that
// the request itself is well formed.
void BlasLt::check_choice(Status status) const {
  if (status == vendor_.invalid)
    throw NotOffered(fmt::format("{}, from the algorithm heuristic", answers().words_of(status)));
  check("choose algorithm", status);
}

void BlasLt::choose(LtProduct& product, const LtCompute& compute) {
  const Descriptor wishes = preference(product, compute);
  product.choice.resize(vendor_.algorithm_bytes + sizeof(LtChoice));
  int found = 0;
  check_choice(calls_.choose(handle_.raw(), product.product.raw(), product.first.layout.raw(),
                             product.second.layout.raw(), product.c.layout.raw(),
                             product.d.layout.raw(), wishes.raw(), 1, product.choice.data(),
                             &found));
  if (found == 0)
    throw NotOffered(fmt::format("{}: its heuristic finds no algorithm", vendor_.name));
  std::memcpy(&product.chosen, product.choice.data() + vendor_.algorithm_bytes,
              sizeof product.chosen);
  check_choice(product.chosen.state);
  if (product.chosen.workspace_bytes != 0)
    product.workspace = workspace_.of(product.chosen.workspace_bytes);
}

StartOperator BlasLt::prepared(const DriverOperatorCall& call, const AddressOf& address_of) {
  if (call.name != "gemm") throw NotOffered(fmt::format("{} has no {}", vendor_.name, call.name));
  const GemmProblem problem = gemm_problem(call);
  const LtCompute& compute = compute_of(call.compute);
  GemmOperand c = problem.beta == 0 ? problem.d : problem.c;
  if (problem.beta == 0 && is_narrow(c.format) && !vendor_.c_of_narrow_d.empty())
    c.format = vendor_.c_of_narrow_d;
  const auto matrix = [&](const GemmOperand& operand, std::int64_t rows, std::int64_t columns) {
    return placed(operand, problem, rows, columns, placed_at(operand, address_of));
  };
  auto product = std::make_shared<LtProduct>(
      LtProduct{.product = described(problem, compute, address_of),
                .first = matrix(problem.first, problem.rows, problem.depth),
                .second = matrix(problem.second, problem.depth, problem.columns),
                .c = matrix(c, problem.rows, problem.columns),
                .d = matrix(problem.d, problem.rows, problem.columns),
                .alpha = scalar_bytes(problem.alpha, compute.scalars),
                .beta = scalar_bytes(problem.beta, compute.scalars),
                .choice = {}});
  choose(*product, compute);
  last_batch_ = problem.batch;
  return [this, product] { return multiply(*product); };
}

Status BlasLt::multiply(const LtProduct& p) const {
  void* workspace = p.workspace == nullptr ? nullptr : p.workspace->pointer();
  return calls_.multiply(
      handle_.raw(), p.product.raw(), p.alpha.data(), p.first.address, p.first.layout.raw(),
      p.second.address, p.second.layout.raw(), p.beta.data(), p.c.address, p.c.layout.raw(),
      p.d.address, p.d.layout.raw(), p.choice.data(), workspace, p.chosen.workspace_bytes, stream_);
}

// A batch is an axis of the launch's grid, which has 65,535 places; nothing in the documents
// promises more.
void BlasLt::refuse(Status status) const {
  try {
    answers().refuse("gemm", status);
  } catch (const BackendError& error) {
    if (last_batch_ <= kMostBatch) throw;
    throw NotOffered(
        fmt::format("{}, for {} products in one call", error.vendor_text, last_batch_));
  }
}

}  // namespace

LibraryRow library_row(const LtVendor& vendor) {
  return {.name = vendor.name,
          .where = &vendor.library,
          .operators = {"gemm"},
          .ways = 1,
          .policy = fmt::format("workspace at most {} MiB", kLtWorkspaceLimit >> 20),
          .open =
              [&vendor](OpenLibrary library, const LibrarySetting& setting) {
                return std::make_unique<BlasLt>(vendor, std::move(library), setting);
              },
          .internal_precision = vendor.internal_precision};
}

}  // namespace halfmark::backends::shim
