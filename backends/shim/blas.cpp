// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/blas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "backends/shim/blas_answers.hpp"

namespace halfmark::backends::shim {
namespace {

constexpr int kNoAtomics = 0;  // in every interface; makes the order of sums reproducible
struct Matrix {
  void* address;
  int operation, type, ld;
  long long stride;
};

// One product in the library's terms.
struct BlasProduct {
  GemmProblem problem;
  BlasCompute compute;
};

class Blas final : public OperatorLibrary {
 public:
  // The way indexes BlasVendor::computes. Throws BackendError.
  Blas(const BlasVendor& vendor, OpenLibrary library, const LibrarySetting& setting);

  [[nodiscard]] std::string version() const override;
  // Copies c to where the library reads it.
  [[nodiscard]] StartOperator prepared(const DriverOperatorCall& call,
                                       const AddressOf& address_of) override;
  [[noreturn]] void refuse(Status status) const override { answers().refuse("gemm", status); }

 private:
  [[nodiscard]] BlasProduct product_of(const DriverOperatorCall& call) const;
  [[nodiscard]] Status multiply(const BlasProduct& product, const AddressOf& address_of) const;
  [[nodiscard]] BlasAnswers answers() const {
    return {vendor_.name, vendor_.types, vendor_.declines, calls_.status_name};
  }

  const BlasVendor& vendor_;
  OpenLibrary library_;
  BlasCalls calls_{};
  std::span<const BlasCompute> computes_;
  LibraryHandle handle_;
};

Blas::Blas(const BlasVendor& vendor, OpenLibrary library, const LibrarySetting& setting)
    : vendor_(vendor), library_(std::move(library)), computes_(vendor.computes[setting.way]) {
  library_.bind(vendor.library.symbols, &calls_);
  const Status status = handle_.create(calls_.create, calls_.destroy);
  if (status != 0) throw BackendError("create handle", status, answers().words_of(status));
  if (const Status refused = calls_.set_stream(handle_.raw(), setting.stream); refused != 0)
    throw BackendError("set stream", refused, answers().words_of(refused));
  if (calls_.set_atomics_mode != nullptr) calls_.set_atomics_mode(handle_.raw(), kNoAtomics);
  library_.keep();
}

std::string Blas::version() const {
  std::array<char, 128> text{};
  if (calls_.version_text != nullptr && calls_.version_text(text.data(), text.size() - 1) == 0) {
    return text.data();
  }
  int version = 0;
  if (calls_.version == nullptr || calls_.version(handle_.raw(), &version) != 0) return "unknown";
  return fmt::format("{}", version);
}

BlasProduct Blas::product_of(const DriverOperatorCall& call) const {
  if (call.name != "gemm") throw NotOffered(fmt::format("{} has no {}", vendor_.name, call.name));
  BlasProduct product{.problem = gemm_problem(call), .compute = {}};
  const GemmProblem& problem = product.problem;
  if (problem.bias != nullptr || !problem.activation.empty())
    throw NotOffered(fmt::format("{}'s gemm adds no bias and applies no activation", vendor_.name));
  const auto row = std::ranges::find(computes_, call.compute, &BlasCompute::word);
  if (row == computes_.end() || (row->math_mode != 0 && calls_.set_math_mode == nullptr))
    throw NotOffered(fmt::format("{} has no gemm that computes in {}", vendor_.name, call.compute));
  product.compute = *row;
  for (const GemmOperand* operand : {&problem.first, &problem.second, &problem.c, &problem.d})
    static_cast<void>(answers().type_of(operand->format));
  if (calls_.multiply == nullptr) copy_c_into_d(problem);
  return product;
}

Status Blas::multiply(const BlasProduct& product, const AddressOf& address_of) const {
  const GemmProblem& problem = product.problem;
  const BlasCompute& compute = product.compute;
  const auto matrix = [&](const GemmOperand& operand) {
    return Matrix{pointer_at(address_of(operand.buffer), operand.offset_bytes),
                  operand.is_transposed ? vendor_.transpose : vendor_.none,
                  answers().type_of(operand.format), narrow(operand.leading_dimension),
                  static_cast<long long>(operand.batch_stride)};
  };
  const Matrix a = matrix(problem.first);
  const Matrix b = matrix(problem.second);
  const Matrix c = matrix(problem.beta == 0 ? problem.d : problem.c);
  const Matrix d = matrix(problem.d);
  const auto alpha = scalar_bytes(problem.alpha, compute.scalars);
  const auto beta = scalar_bytes(problem.beta, compute.scalars);
  const int m = narrow(problem.rows);
  const int n = narrow(problem.columns);
  const int k = narrow(problem.depth);
  const int batch = narrow(problem.batch);
  if (calls_.set_math_mode != nullptr) {
    const Status status = calls_.set_math_mode(handle_.raw(), compute.math_mode);
    if (status != 0) return status;
  }
  if (calls_.multiply != nullptr) {
    return calls_.multiply(handle_.raw(), a.operation, b.operation, m, n, k, alpha.data(),
                           a.address, a.type, a.ld, a.stride, b.address, b.type, b.ld, b.stride,
                           beta.data(), c.address, c.type, c.ld, c.stride, d.address, d.type, d.ld,
                           d.stride, batch, compute.number, vendor_.algorithm, 0, 0);
  }
  return calls_.multiply_in_place(handle_.raw(), a.operation, b.operation, m, n, k, alpha.data(),
                                  a.address, a.type, a.ld, a.stride, b.address, b.type, b.ld,
                                  b.stride, beta.data(), d.address, d.type, d.ld, d.stride, batch,
                                  compute.number, vendor_.algorithm);
}

StartOperator Blas::prepared(const DriverOperatorCall& call, const AddressOf& address_of) {
  return [this, product = product_of(call), address_of] { return multiply(product, address_of); };
}

}  // namespace

LibraryRow library_row(const BlasVendor& vendor) {
  return {.name = vendor.name,
          .where = &vendor.library,
          .operators = {"gemm"},
          .ways = vendor.computes.size(),
          .policy = {},
          .open =
              [&vendor](OpenLibrary library, const LibrarySetting& setting) {
                return std::make_unique<Blas>(vendor, std::move(library), setting);
              },
          .internal_precision = vendor.internal_precision};
}

}  // namespace halfmark::backends::shim
