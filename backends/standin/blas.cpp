// SPDX-License-Identifier: Apache-2.0
//
// The stand-in of a vendor's BLAS: the software device's library with the vendor's symbols. As
// strict as the strictest vendor: a number that the table lacks is invalid, and so is a combination
// of formats that the vendors' documents do not list. Compiled once per vendor, with
// HM_STAND_IN_BLAS_NAMES (its blas_names.hpp) and HM_STAND_IN_BLAS (its row).
//
// HALFMARK_STAND_IN_BLAS_WAY selects which of the vendor's ways to pass a computation it accepts.
//
// Assumption: the driver's stand-in returns addresses of this process.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "backends/shim/blas_vendor.hpp"
#include "backends/standin/column_major.hpp"
#include "backends/standin/export.hpp"
#include "backends/standin/library.hpp"
#include "backends/standin/misbehaviour.hpp"
#include HM_STAND_IN_BLAS_NAMES
#include HM_STAND_IN_VENDOR_HEADER

namespace halfmark::backends::shim::standin {
namespace {

namespace library = host::library;

constexpr int kVersion = 99000;  // not a vendor's version
constexpr char kVersionText[] = "99.0.0";

const BlasVendor& blas() { return HM_STAND_IN_BLAS; }

[[noreturn]] void invalid() { throw Answer{blas().invalid}; }
[[noreturn]] void decline() { throw Answer{blas().declines.front().number}; }

struct Handle {
  int math_mode = 0;
  void* stream = nullptr;
};

struct Operand {
  const void* address;
  int operation, type, ld;
  long long stride;
};

struct Product {
  Operand a, b, c, d;
  int rows, columns, depth, batch;
  const void *alpha, *beta;
  int compute, algorithm;
};

std::span<const BlasCompute> computations() {
  const char* way = std::getenv("HALFMARK_STAND_IN_BLAS_WAY");
  return blas().computes[way == nullptr ? 0 : std::strtoul(way, nullptr, 10)];
}

const BlasCompute& computation(const Handle& handle, int number) {
  for (const BlasCompute& row : computations()) {
    if (row.number == number && row.math_mode == handle.math_mode) return row;
  }
  invalid();
}

std::string format_of(int type) {
  const auto row = std::ranges::find(blas().types, type, &BlasNumber::number);
  if (row == blas().types.end()) invalid();
  return std::string(row->word);
}

bool is_transposed(int operation) {
  if (operation != blas().none && operation != blas().transpose) invalid();
  return operation == blas().transpose;
}

library::TensorView view(const char* role, const Operand& operand, int rows, int columns,
                         int batch) {
  const auto seen = standin::view(role,
                                  {.address = operand.address,
                                   .format = format_of(operand.type),
                                   .is_transposed = is_transposed(operand.operation),
                                   .ld = operand.ld,
                                   .stride = operand.stride},
                                  rows, columns, batch);
  if (!seen) invalid();
  return *seen;
}

void run(const Handle& handle, const Product& p) {
  if (std::min({p.rows, p.columns, p.depth, p.batch}) < 0 || p.algorithm != blas().algorithm)
    invalid();
  const BlasCompute& compute = computation(handle, p.compute);
  if (!is_listed(compute.word, compute.scalars, format_of(p.a.type), format_of(p.d.type)))
    decline();
  if (p.a.type != p.b.type || p.c.type != p.d.type) decline();
  const double beta = scalar(p.beta, compute.scalars);
  library::OperatorCall call{
      .library = {},
      .name = "gemm",
      .compute = std::string(compute.word),
      .tensors = {view("a", p.a, p.rows, p.depth, p.batch),
                  view("b", p.b, p.depth, p.columns, p.batch),
                  view("d", p.d, p.rows, p.columns, p.batch)},
      .scalars = {{"alpha", scalar(p.alpha, compute.scalars)}, {"beta", beta}},
      .options = {}};
  if (beta != 0) call.tensors.push_back(view("c", p.c, p.rows, p.columns, p.batch));
  if (!run_on_software_device(call, handle.stream)) decline();
}

template <typename Call>
Status guarded(Call&& call) noexcept {
  return standin::guarded(blas().invalid, std::forward<Call>(call));
}

Handle& handle_of(void* handle) {
  if (handle == nullptr) invalid();
  return *static_cast<Handle*>(handle);
}

#define HM_STAND_IN_ANSWER_NAME(word, enumerator, value) \
  if (status == value) return #enumerator;
const char* name_of(Status status) {
  HM_BLAS_DECLINES(HM_STAND_IN_ANSWER_NAME)
  HM_BLAS_INVALID(HM_STAND_IN_ANSWER_NAME)
  return "an answer that the stand-in never gives";
}

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): a symbol that others look for
__attribute__((visibility("default"))) extern const char halfmark_stand_in_v1[];
const char halfmark_stand_in_v1[] = "Halfmark software device";
// NOLINTEND(readability-identifier-naming)

Status standin_create(void** handle) {
  wait_while_cold("slow-library", blas().name);
  *handle = new Handle;
  return 0;
}
Status standin_destroy(void* handle) {
  delete static_cast<Handle*>(handle);
  return 0;
}
Status standin_set_stream(void* handle, void* stream) {
  return guarded([&] { handle_of(handle).stream = stream; });
}
[[maybe_unused]] Status standin_version(void* handle, int* version) {
  return guarded([&] {
    static_cast<void>(handle_of(handle));
    *version = kVersion;
  });
}
[[maybe_unused]] Status standin_version_text(char* text, std::size_t bytes) {
  if (bytes < sizeof kVersionText) return blas().invalid;
  std::memcpy(text, kVersionText, sizeof kVersionText);
  return 0;
}
[[maybe_unused]] const char* standin_status_name(Status status) { return name_of(status); }
[[maybe_unused]] Status standin_set_math_mode(void* handle, int mode) {
  return guarded([&] { handle_of(handle).math_mode = mode; });
}
[[maybe_unused]] Status standin_set_atomics_mode(void* handle, int) {
  return guarded([&] { static_cast<void>(handle_of(handle)); });
}
[[maybe_unused]] Status standin_multiply(
    void* handle, int first_operation, int second_operation, int rows, int columns, int depth,
    const void* alpha, const void* first, int first_type, int first_ld, long long first_stride,
    const void* second, int second_type, int second_ld, long long second_stride, const void* beta,
    const void* c, int c_type, int c_ld, long long c_stride, void* d, int d_type, int d_ld,
    long long d_stride, int batch, int compute, int algorithm, int solution, unsigned flags) {
  return guarded([&] {
    if (solution != 0 || flags != 0) invalid();
    run(handle_of(handle), {.a = {first, first_operation, first_type, first_ld, first_stride},
                            .b = {second, second_operation, second_type, second_ld, second_stride},
                            .c = {c, blas().none, c_type, c_ld, c_stride},
                            .d = {d, blas().none, d_type, d_ld, d_stride},
                            .rows = rows,
                            .columns = columns,
                            .depth = depth,
                            .batch = batch,
                            .alpha = alpha,
                            .beta = beta,
                            .compute = compute,
                            .algorithm = algorithm});
  });
}
[[maybe_unused]] Status standin_multiply_in_place(
    void* handle, int first_operation, int second_operation, int rows, int columns, int depth,
    const void* alpha, const void* first, int first_type, int first_ld, long long first_stride,
    const void* second, int second_type, int second_ld, long long second_stride, const void* beta,
    void* c, int c_type, int c_ld, long long c_stride, int batch, int compute, int algorithm) {
  return standin_multiply(handle, first_operation, second_operation, rows, columns, depth, alpha,
                          first, first_type, first_ld, first_stride, second, second_type, second_ld,
                          second_stride, beta, c, c_type, c_ld, c_stride, c, c_type, c_ld, c_stride,
                          batch, compute, algorithm, 0, 0);
}

// The vendor's symbols.
// NOLINTBEGIN(readability-identifier-naming)
#define HM_STAND_IN_BLAS_CALL(role, symbol) HM_STAND_IN_EXPORT(BlasCalls, role, symbol)
HM_BLAS_CALLS(HM_STAND_IN_BLAS_CALL)
HM_BLAS_CALLS_OPTIONAL(HM_STAND_IN_BLAS_CALL)
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
}  // namespace halfmark::backends::shim::standin
