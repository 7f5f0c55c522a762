// SPDX-License-Identifier: Apache-2.0
//
// A vendor's BLAS, forwarded (forward.hpp): each product is one product of the target's BLAS.
// Decides how operations, types and computations are translated: by their names in the two tables.
// Declines what the target's table has no name for.
//
// Assumption: the target's product reads c from the memory of d, so a separate c is copied
// there first.
#include <algorithm>
#include <memory>
#include <string>

#include "backends/gemm_problem.hpp"
#include "backends/shim/blas_vendor.hpp"
#include "backends/shim/search.hpp"
#include "backends/standin/export.hpp"
#include "backends/standin/forward.hpp"
#include HM_STAND_IN_BLAS_NAMES
#include HM_STAND_IN_VENDOR_HEADER

namespace halfmark::backends::shim::standin {
namespace {

const BlasVendor& own() { return HM_STAND_IN_BLAS; }
const BlasVendor& theirs() { return *target().blas; }

// A status for the caller, thrown as an exception.
struct Answer {
  Status status;
};
[[noreturn]] void invalid() { throw Answer{own().invalid}; }
[[noreturn]] void decline() { throw Answer{own().declines.front().number}; }

thread_local Status their_last = 0;

// Declines what the target declines; treats every other error of the target as the
// caller's mistake.
void require(Status status) {
  if (status == 0) return;
  their_last = status;
  const auto row = std::ranges::find(theirs().declines, status, &BlasNumber::number);
  row == theirs().declines.end() ? invalid() : decline();
}

struct Handle {
  void* raw = nullptr;  // the target's handle
  int math_mode = 0;
};

// The first library that creates a handle.
const BlasCalls& calls() {
  static const BlasCalls bound = [] {
    BlasCalls found{};
    std::string reason;
    std::vector<std::string> reasons;
    bool is_found = false;
    first_usable(theirs().library, reasons, [&](const OpenLibrary& library) {
      found = {};
      library.bind(theirs().library.symbols, &found);
      void* handle = nullptr;
      is_found = found.create(&handle) == 0 && found.destroy(handle) == 0;
      return is_found;
    });
    if (!is_found) throw BackendError("create", 0, joined(reasons, theirs().library));
    return found;
  }();
  return bound;
}

// The whole device memory as one buffer: an offset is an address.
class AllMemory final : public DriverBuffer {
 public:
  void write(std::uint64_t offset, std::span<const std::byte> source) override {
    require(target_driver().copy_in(Address{offset}, source.data(), source.size()));
    require(target_driver().synchronise());
  }
  void read(std::uint64_t offset, std::span<std::byte> target_bytes) override {
    require(target_driver().copy_out(target_bytes.data(), Address{offset}, target_bytes.size()));
  }
};

const BlasNumber& word_of(int type) {
  const auto row = std::ranges::find(own().types, type, &BlasNumber::number);
  if (row == own().types.end()) invalid();
  return *row;
}

int type_of(int type) {
  const auto row = std::ranges::find(theirs().types, word_of(type).word, &BlasNumber::word);
  if (row == theirs().types.end()) decline();
  return row->number;
}

int operation_of(int operation) {
  if (operation == own().none) return theirs().none;
  if (operation != own().transpose) invalid();
  return theirs().transpose;
}

const BlasCompute& computation_of(const Handle& handle, int number) {
  for (const auto way : own().computes) {
    for (const BlasCompute& row : way) {
      if (row.number != number || row.math_mode != handle.math_mode) continue;
      const auto found = std::ranges::find(theirs().computes.front(), row.word, &BlasCompute::word);
      if (found == theirs().computes.front().end() || found->scalars != row.scalars) decline();
      return *found;
    }
  }
  invalid();
}

GemmOperand operand(DriverBuffer& memory, const void* address, int type, int ld, long long stride) {
  return {.buffer = &memory,
          .offset_bytes = reinterpret_cast<std::uintptr_t>(address),
          .format = std::string(word_of(type).word),
          .is_transposed = false,
          .leading_dimension = ld,
          .batch_stride = stride};
}

Handle& handle_of(void* handle) {
  if (handle == nullptr) invalid();
  return *static_cast<Handle*>(handle);
}

// Runs one call; turns every exception into a number of the vendor.
template <typename Call>
Status guarded(Call&& call) noexcept {
  try {
    their_last = 0;
    call();
    return 0;
  } catch (const Answer& answer) {
    return answer.status;
  } catch (const std::exception&) {
    return own().declines.front().number;
  }
}

#define HM_FORWARD_ANSWER_NAME(word, enumerator, value) \
  if (status == value) return #enumerator;
const char* name_of_own(Status status) {
  HM_BLAS_DECLINES(HM_FORWARD_ANSWER_NAME)
  HM_BLAS_INVALID(HM_FORWARD_ANSWER_NAME)
  return "an answer without a name";
}

const char* words_of(Status status) {
  thread_local std::string words;
  words = name_of_own(status);
  if (their_last == 0) return words.c_str();
  words += ", forwarded: " + std::to_string(their_last);
  const char* name = calls().status_name == nullptr ? nullptr : calls().status_name(their_last);
  if (name != nullptr) words += std::string(" ") + name;
  return words.c_str();
}

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): a symbol that others look for
__attribute__((visibility("default"))) extern const char halfmark_stand_in_v1[];
const char halfmark_stand_in_v1[] = HM_FORWARDS;
// NOLINTEND(readability-identifier-naming)

Status standin_create(void** handle) {
  return guarded([&] {
    auto made = std::make_unique<Handle>();
    require(calls().create(&made->raw));
    *handle = made.release();
  });
}
Status standin_destroy(void* handle) {
  return guarded([&] {
    const std::unique_ptr<Handle> gone(&handle_of(handle));
    require(calls().destroy(gone->raw));
  });
}
Status standin_set_stream(void* handle, void* stream) {
  return guarded([&] { require(calls().set_stream(handle_of(handle).raw, stream)); });
}
[[maybe_unused]] Status standin_version(void* handle, int* version) {
  return guarded([&] { require(calls().version(handle_of(handle).raw, version)); });
}
[[maybe_unused]] Status standin_version_text(char* text, std::size_t bytes) {
  const std::string words = theirs().name;
  if (bytes <= words.size()) return own().invalid;
  text[words.copy(text, words.size())] = '\0';
  return 0;
}
[[maybe_unused]] const char* standin_status_name(Status status) { return words_of(status); }
[[maybe_unused]] Status standin_set_math_mode(void* handle, int mode) {
  return guarded([&] { handle_of(handle).math_mode = mode; });
}
[[maybe_unused]] Status standin_set_atomics_mode(void* handle, int mode) {
  return guarded([&] {
    if (calls().set_atomics_mode != nullptr)
      require(calls().set_atomics_mode(handle_of(handle).raw, mode));
  });
}
[[maybe_unused]] Status standin_multiply_in_place(
    void* handle, int first_operation, int second_operation, int rows, int columns, int depth,
    const void* alpha, const void* first, int first_type, int first_ld, long long first_stride,
    const void* second, int second_type, int second_ld, long long second_stride, const void* beta,
    void* c, int c_type, int c_ld, long long c_stride, int batch, int compute, int algorithm) {
  return guarded([&] {
    if (algorithm != own().algorithm) invalid();
    const Handle& forwarded = handle_of(handle);
    const BlasCompute& computation = computation_of(forwarded, compute);
    if (calls().set_math_mode != nullptr)
      require(calls().set_math_mode(forwarded.raw, computation.math_mode));
    require(calls().multiply_in_place(
        forwarded.raw, operation_of(first_operation), operation_of(second_operation), rows, columns,
        depth, alpha, first, type_of(first_type), first_ld, first_stride, second,
        type_of(second_type), second_ld, second_stride, beta, c, type_of(c_type), c_ld, c_stride,
        batch, computation.number, theirs().algorithm));
  });
}
// The shim passes d as c when there is no c, so a c that differs from d must be added.
[[maybe_unused]] Status standin_multiply(
    void* handle, int first_operation, int second_operation, int rows, int columns, int depth,
    const void* alpha, const void* first, int first_type, int first_ld, long long first_stride,
    const void* second, int second_type, int second_ld, long long second_stride, const void* beta,
    const void* c, int c_type, int c_ld, long long c_stride, void* d, int d_type, int d_ld,
    long long d_stride, int batch, int compute, int algorithm, int solution, unsigned flags) {
  const Status copied = guarded([&] {
    if (solution != 0 || flags != 0) invalid();
    AllMemory memory;
    GemmProblem problem;
    problem.rows = rows;
    problem.columns = columns;
    problem.batch = batch;
    problem.c = operand(memory, c, c_type, c_ld, c_stride);
    problem.d = operand(memory, d, d_type, d_ld, d_stride);
    problem.has_c = true;
    problem.beta = 1;
    copy_c_into_d(problem);
  });
  if (copied != 0) return copied;
  return standin_multiply_in_place(handle, first_operation, second_operation, rows, columns, depth,
                                   alpha, first, first_type, first_ld, first_stride, second,
                                   second_type, second_ld, second_stride, beta, d, d_type, d_ld,
                                   d_stride, batch, compute, algorithm);
}

// The vendor's symbols.
// NOLINTBEGIN(readability-identifier-naming)
#define HM_STAND_IN_BLAS_CALL(role, symbol) HM_STAND_IN_EXPORT(BlasCalls, role, symbol)
HM_BLAS_CALLS(HM_STAND_IN_BLAS_CALL)
HM_BLAS_CALLS_OPTIONAL(HM_STAND_IN_BLAS_CALL)
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
}  // namespace halfmark::backends::shim::standin
