// SPDX-License-Identifier: Apache-2.0
#include "backends/gemm_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "reference/formats/format.hpp"

namespace halfmark::backends {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw BackendError("gemm", 0, what); }

// One matrix of a view.
struct Matrix {
  std::int64_t rows = 0, columns = 0, row_stride = 0, column_stride = 0;
};

Matrix transposed(const Matrix& m) { return {m.columns, m.rows, m.column_stride, m.row_stride}; }

Matrix matrix_of(const DriverTensorView& view) {
  const std::size_t rank = view.sizes.size();
  if (rank < 2 || rank > 3) refuse(fmt::format("'{}' has rank {}, not 2 or 3", view.role, rank));
  return {view.sizes[rank - 2], view.sizes[rank - 1], view.strides[rank - 2],
          view.strides[rank - 1]};
}

// The leading dimension of a column-major matrix; empty for any other layout. A stride along a size
// of 1 is irrelevant, and so are all strides of a matrix without elements.
std::optional<std::int64_t> leading_dimension(const Matrix& m) {
  if (m.rows == 0 || m.columns == 0) return std::max<std::int64_t>(m.rows, 1);
  if (m.rows > 1 && m.row_stride != 1) return std::nullopt;
  const std::int64_t least = std::max<std::int64_t>(m.rows, 1);
  if (m.columns <= 1) return least;
  if (m.column_stride < least) return std::nullopt;
  return m.column_stride;
}

[[noreturn]] void refuse_layout(const DriverTensorView& view) {
  const Matrix m = matrix_of(view);
  throw NotOffered(fmt::format(
      "'{}' with strides {} and {}: a BLAS takes matrices whose rows or columns lie together",
      view.role, m.row_stride, m.column_stride));
}

std::int64_t batch_of(const DriverTensorView& view) {
  return view.sizes.size() == 3 ? view.sizes.front() : 1;
}

GemmOperand operand(const DriverTensorView& view, std::int64_t batch) {
  if (batch_of(view) != batch && batch_of(view) != 1)
    refuse(fmt::format("'{}' has a batch of {}, not {}", view.role, batch_of(view), batch));
  const bool varies = view.sizes.size() == 3 && view.sizes.front() > 1;
  return {.buffer = view.buffer,
          .offset_bytes = view.offset_bytes,
          .format = view.format,
          .is_transposed = false,
          .leading_dimension = 0,
          .batch_stride = varies ? view.strides.front() : 0};
}

// Maps the operand as it lies in memory or as its transpose; `is_swapped` for the
// transposed problem.
GemmOperand placed(const DriverTensorView& view, std::int64_t batch, bool is_swapped) {
  const Matrix m = is_swapped ? transposed(matrix_of(view)) : matrix_of(view);
  GemmOperand found = operand(view, batch);
  if (const auto direct = leading_dimension(m)) {
    found.leading_dimension = *direct;
  } else if (const auto turned = leading_dimension(transposed(m))) {
    found.leading_dimension = *turned;
    found.is_transposed = true;
  } else {
    refuse_layout(view);
  }
  return found;
}

// Libraries cannot transpose the d that they write or the c that they read.
GemmOperand placed_upright(const DriverTensorView& view, std::int64_t batch, bool is_swapped) {
  GemmOperand found = operand(view, batch);
  const Matrix m = is_swapped ? transposed(matrix_of(view)) : matrix_of(view);
  const auto direct = leading_dimension(m);
  if (!direct) refuse_layout(view);
  found.leading_dimension = *direct;
  return found;
}

const DriverTensorView& needed(const DriverOperatorCall& call, std::string_view role) {
  const DriverTensorView* view = call.tensor(role);
  if (view == nullptr) refuse(fmt::format("the call has no '{}'", role));
  return *view;
}

void check_sizes(const DriverOperatorCall& call) {
  const Matrix a = matrix_of(needed(call, "a"));
  const Matrix b = matrix_of(needed(call, "b"));
  const Matrix d = matrix_of(needed(call, "d"));
  const bool fits = a.columns == b.rows && a.rows == d.rows && b.columns == d.columns;
  if (!fits) {
    refuse(fmt::format("{}x{} times {}x{} is not {}x{}", a.rows, a.columns, b.rows, b.columns,
                       d.rows, d.columns));
  }
  const DriverTensorView* c = call.tensor("c");
  if (c != nullptr && (matrix_of(*c).rows != d.rows || matrix_of(*c).columns != d.columns))
    refuse("'c' and 'd' differ in size");
  const DriverTensorView* bias = call.tensor("bias");
  if (bias != nullptr && (bias->sizes.size() != 1 || bias->sizes[0] != d.columns))
    refuse("'bias' must hold one element per column of 'd'");
}

std::string_view activation_of(const DriverOperatorCall& call) {
  for (const Define& option : call.options) {
    if (option.name != "activation")
      throw NotOffered(fmt::format("no BLAS interface has an option '{}'", option.name));
  }
  const std::string_view wanted = call.option("activation");
  return wanted == "none" ? std::string_view() : wanted;
}

std::int64_t elements_spanned(const GemmOperand& operand, const GemmProblem& problem) {
  if (problem.rows == 0 || problem.columns == 0 || problem.batch == 0) return 0;
  return (problem.batch - 1) * operand.batch_stride +
         (problem.columns - 1) * operand.leading_dimension + problem.rows;
}

std::vector<std::byte> bytes_of(const GemmOperand& operand, const GemmProblem& problem) {
  const auto count = static_cast<std::uint64_t>(elements_spanned(operand, problem));
  std::vector<std::byte> bytes(count * element_bytes(operand.format));
  operand.buffer->read(operand.offset_bytes, bytes);
  return bytes;
}

// The encoding of a value if the format has one; finite values only.
std::optional<std::uint64_t> exact_encoding(const formats::Format& format, double value) {
  if (!std::isfinite(value)) return std::nullopt;
  const std::uint64_t sign = std::signbit(value) ? format.sign_mask() : 0;
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), format.min_exponent());
  const double units = std::ldexp(std::fabs(value), format.fraction_bits - exponent);
  if (exponent > format.max_exponent() || units != std::floor(units)) return std::nullopt;
  // The implicit leading one of a normal number carries into the exponent field.
  const auto field = static_cast<std::uint64_t>(exponent - format.min_exponent());
  return sign | ((field << format.fraction_bits) + static_cast<std::uint64_t>(units));
}

}  // namespace

void refuse_what_units_lack(const DriverOperatorCall& call) {
  if (call.name != "gemm") throw NotOffered(fmt::format("a matrix unit has no {}", call.name));
  for (const DriverTensorView& view : call.tensors) {
    if (view.role != "a" && view.role != "b" && view.role != "c" && view.role != "d")
      throw NotOffered(fmt::format("one instruction has no {}", view.role));
  }
  const double beta = call.scalar("beta", 0);
  if (call.scalar("alpha", 1) != 1 || (beta != 0 && beta != 1))
    throw NotOffered("one instruction multiplies by no alpha or beta");
}

const DriverTensorView& unit_operand(const DriverOperatorCall& call, std::string_view role) {
  const DriverTensorView* view = call.tensor(role);
  if (view == nullptr) throw NotOffered(fmt::format("gemm needs {}", role));
  return *view;
}

UnitMatrix unit_matrix(const DriverOperatorCall& call, std::string_view role,
                       std::string_view format) {
  const DriverTensorView& view = unit_operand(call, role);
  if (view.format != format)
    throw NotOffered(
        fmt::format("the instruction has {} as {}, not {}", role, format, view.format));
  const std::size_t rank = view.sizes.size();
  if (rank != 2 && rank != 3) throw NotOffered("gemm takes matrices, or batches of them");
  if (view.offset_bytes % element_bytes(format) != 0)
    throw NotOffered("an element straddles words");
  const bool is_batch = rank == 3;
  return {.buffer = view.buffer,
          .offset_bytes = view.offset_bytes,
          .batch = is_batch ? view.sizes[0] : 1,
          .rows = view.sizes[rank - 2],
          .columns = view.sizes[rank - 1],
          .batch_step = is_batch ? view.strides[0] : 0,
          .row_step = view.strides[rank - 2],
          .column_step = view.strides[rank - 1]};
}

std::string unit_shape(const DriverOperatorCall& call) {
  std::string shape;
  for (const Define& option : call.options) {
    if (option.name != "shape")
      throw NotOffered(fmt::format("one instruction has no {}", option.name));
    shape = option.value;
  }
  return shape;
}

GemmProblem gemm_problem(const DriverOperatorCall& call) {
  check_sizes(call);
  const DriverTensorView& a = needed(call, "a");
  const DriverTensorView& b = needed(call, "b");
  const DriverTensorView& d = needed(call, "d");
  GemmProblem problem;
  problem.batch = batch_of(d);
  problem.alpha = call.scalar("alpha", 1);
  problem.beta = call.scalar("beta", 0);
  problem.activation = activation_of(call);
  problem.bias = call.tensor("bias");
  problem.is_swapped = leading_dimension(transposed(matrix_of(d))).has_value();
  const bool swapped = problem.is_swapped;
  problem.rows = swapped ? matrix_of(d).columns : matrix_of(d).rows;
  problem.columns = swapped ? matrix_of(d).rows : matrix_of(d).columns;
  problem.depth = matrix_of(a).columns;
  problem.first = placed(swapped ? b : a, problem.batch, swapped);
  problem.second = placed(swapped ? a : b, problem.batch, swapped);
  problem.d = placed_upright(d, problem.batch, swapped);
  const DriverTensorView* c = call.tensor("c");
  problem.has_c = c != nullptr;
  problem.c = c != nullptr ? placed_upright(*c, problem.batch, swapped) : problem.d;
  if (problem.beta != 0 && c == nullptr) refuse("beta is not 0 and there is no 'c'");
  return problem;
}

void copy_c_into_d(const GemmProblem& problem) {
  const GemmOperand& c = problem.c;
  const GemmOperand& d = problem.d;
  const bool is_same = c.buffer == d.buffer && c.offset_bytes == d.offset_bytes &&
                       c.leading_dimension == d.leading_dimension &&
                       c.batch_stride == d.batch_stride;
  if (!problem.has_c || problem.beta == 0 || is_same) return;
  if (c.format != d.format)
    throw NotOffered(fmt::format("c of {} and d of {}: one matrix in this library's interface",
                                 c.format, d.format));
  const std::uint64_t size = element_bytes(d.format);
  const std::vector<std::byte> from = bytes_of(c, problem);
  std::vector<std::byte> to = bytes_of(d, problem);
  for (std::int64_t i = 0; i < problem.batch; ++i) {
    for (std::int64_t j = 0; j < problem.columns; ++j) {
      const auto source =
          static_cast<std::uint64_t>(i * c.batch_stride + j * c.leading_dimension) * size;
      const auto target =
          static_cast<std::uint64_t>(i * d.batch_stride + j * d.leading_dimension) * size;
      std::memcpy(to.data() + target, from.data() + source,
                  static_cast<std::uint64_t>(problem.rows) * size);
    }
  }
  d.buffer->write(d.offset_bytes, to);
}

int narrow(std::int64_t size) {
  if (size > std::numeric_limits<int>::max()) {
    throw NotOffered(fmt::format("a size of {}: the interface counts in 32 bits", size));
  }
  return static_cast<int>(size);
}

std::array<std::byte, 8> scalar_bytes(double value, std::string_view format) {
  const formats::Format* row = formats::find_format(format);
  if (row == nullptr) refuse(fmt::format("no format is named '{}'", format));
  const std::optional<std::uint64_t> encoding = exact_encoding(*row, value);
  if (!encoding) {
    refuse(
        fmt::format("{} is no number of {}, the type of this arithmetic's scalars", value, format));
  }
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &*encoding, bytes.size());
  return bytes;
}

std::uint64_t element_bytes(std::string_view format) {
  const formats::Format* row = formats::find_format(format);
  if (row == nullptr) refuse(fmt::format("no format is named '{}'", format));
  return row->storage_bytes();
}

}  // namespace halfmark::backends
