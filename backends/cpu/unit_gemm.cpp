// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/unit_gemm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "backends/cpu/libraries.hpp"

namespace halfmark::backends::cpu {
namespace {

constexpr std::uint16_t kMinusZero = 0x8000;  // in fp16 and in bf16

// Elements by batch, row and column.
struct Matrix : UnitMatrix {
  std::byte* first = nullptr;

  template <typename Element>
  [[nodiscard]] Element* at(std::int64_t b, std::int64_t row, std::int64_t column) const {
    return reinterpret_cast<Element*>(first) + b * batch_step + row * row_step +
           column * column_step;
  }
};

Matrix matrix_of(const DriverOperatorCall& call, std::string_view role, std::string_view format) {
  const UnitMatrix found = unit_matrix(call, role, format);
  return {found, address_of(found.buffer, found.offset_bytes)};
}

const UnitInstruction& instruction_of(const DriverOperatorCall& call) {
  const std::string shape = unit_shape(call);
  const std::string& operands = unit_operand(call, "a").format;
  std::string missing;
  for (const UnitInstruction& row : unit_instructions()) {
    const bool is_meant =
        row.library == call.library && (shape.empty() || shape == shape_of(row)) &&
        (call.compute == row.name || (call.compute == "fp32" && operands == row.input));
    if (!is_meant) continue;
    missing = row.missing();
    if (missing.empty()) return row;
  }
  if (!missing.empty()) throw NotOffered(missing);
  throw NotOffered(fmt::format("{} has no instruction {} of {} {}", call.library, call.compute,
                               operands, shape));
}

[[nodiscard]] std::int64_t tiles(std::int64_t items, int each) { return (items + each - 1) / each; }

// One batch's product, with the operands of a row and of a column of tiles in the
// instruction's order.
class Product {
 public:
  Product(const UnitInstruction& instruction, const Matrix& a, const Matrix& b, const Matrix& c,
          const Matrix& d, bool has_c)
      : unit_(instruction), a_(a), b_(b), c_(c), d_(d), has_c_(has_c) {
    steps_ = static_cast<std::size_t>(tiles(a.columns, unit_.k));
    tall_.resize(steps_ * static_cast<std::size_t>(unit_.m * unit_.k));
    wide_.resize(steps_ * static_cast<std::size_t>(unit_.k * unit_.n));
    sums_.resize(static_cast<std::size_t>(unit_.m * unit_.n));
  }

  void run() {
    for (std::int64_t batch = 0; batch < d_.batch; ++batch) {
      for (std::int64_t column = 0; column < d_.columns; column += unit_.n) {
        pack_b(batch, column);
        for (std::int64_t row = 0; row < d_.rows; row += unit_.m) {
          pack_a(batch, row);
          load(batch, row, column);
          unit_.chain(tall_.data(), wide_.data(), sums_.data(), steps_);
          store(batch, row, column);
        }
      }
    }
  }

 private:
  void pack_a(std::int64_t batch, std::int64_t row) {
    std::size_t at = 0;
    for (std::int64_t k = 0; at < tall_.size(); k += unit_.k) {
      for (std::int64_t i = row; i < row + unit_.m; ++i) {
        for (std::int64_t x = k; x < k + unit_.k; ++x, ++at) {
          const bool is_inside = i < a_.rows && x < a_.columns;
          tall_[at] = is_inside ? *a_.at<const std::uint16_t>(batch, i, x) : kMinusZero;
        }
      }
    }
  }
  void pack_b(std::int64_t batch, std::int64_t column) {
    std::size_t at = 0;
    for (std::int64_t k = 0; at < wide_.size(); k += unit_.beside) {
      for (std::int64_t j = column; j < column + unit_.n; ++j) {
        for (std::int64_t x = k; x < k + unit_.beside; ++x, ++at) {
          const bool is_inside = j < b_.columns && x < b_.rows;
          wide_[at] = is_inside ? *b_.at<const std::uint16_t>(batch, x, j) : std::uint16_t{0};
        }
      }
    }
  }

  // Calls `each` with the place of every sum that is inside, and its batch, row and column.
  template <typename Each>
  void for_inside(std::int64_t row, std::int64_t column, const Each& each) {
    for (std::int64_t i = 0; i < unit_.m && row + i < d_.rows; ++i) {
      for (std::int64_t j = 0; j < unit_.n && column + j < d_.columns; ++j)
        each(static_cast<std::size_t>(i * unit_.n + j), row + i, column + j);
    }
  }
  void load(std::int64_t batch, std::int64_t row, std::int64_t column) {
    std::ranges::fill(sums_, 0.0F);
    if (!has_c_) return;
    for_inside(row, column, [&](std::size_t place, std::int64_t i, std::int64_t j) {
      std::memcpy(&sums_[place], c_.at<const float>(batch, i, j), sizeof(float));
    });
  }
  void store(std::int64_t batch, std::int64_t row, std::int64_t column) {
    for_inside(row, column, [&](std::size_t place, std::int64_t i, std::int64_t j) {
      std::memcpy(d_.at<float>(batch, i, j), &sums_[place], sizeof(float));
    });
  }

  const UnitInstruction& unit_;
  const Matrix a_, b_, c_, d_;
  const bool has_c_;
  std::size_t steps_;
  std::vector<std::uint16_t> tall_, wide_;
  std::vector<float> sums_;
};

// Offered if each instruction of the library keeps it.
Promise promised(std::string_view library, const char* capability,
                 ManualWord UnitInstruction::* word) {
  Promise row{.capability = capability,
              .offered = true,
              .evidence = "the manual of its instructions",
              .clause = {}};
  for (const UnitInstruction& each : unit_instructions()) {
    if (each.library != library) continue;
    const ManualWord& own = each.*word;
    row.offered = row.offered && own.keeps;
    if (row.clause.find(own.clause) == row.clause.npos)
      row.clause += (row.clause.empty() ? "" : "; ") + std::string(own.clause);
  }
  return row;
}

// Its instructions, or why none of them can be used.
Library described(std::string_view name, const std::string& processor) {
  std::vector<std::string> offered, missing;
  for (const UnitInstruction& row : unit_instructions()) {
    if (row.library != name) continue;
    const std::string reason = row.missing();
    if (reason.empty()) offered.push_back(fmt::format("{} {}", row.name, shape_of(row)));
    if (!reason.empty()) missing.push_back(reason);
  }
  const bool is_usable = !offered.empty();
  return {.name = std::string(name),
          .version = is_usable ? processor : "",
          .kind = "unit",
          .operators = {"gemm"},
          .usable = is_usable,
          .evidence = is_usable ? fmt::format("{}", fmt::join(offered, ", "))
                                : fmt::format("{}", fmt::join(missing, "; ")),
          .promises = {promised(name, "fp32.subnormals", &UnitInstruction::subnormals),
                       promised(name, "fp32.signed_zero", &UnitInstruction::zero_signs)}};
}

}  // namespace

std::vector<Library> unit_descriptions(const std::string& processor) {
  std::vector<Library> all;
  for (const UnitInstruction& row : unit_instructions()) {
    if (all.empty() || all.back().name != row.library)
      all.push_back(described(row.library, processor));
  }
  return all;
}

bool is_unit(std::string_view library) {
  return std::ranges::any_of(unit_instructions(),
                             [&](const UnitInstruction& row) { return row.library == library; });
}

std::function<void()> prepared_unit(const UnitInstruction& instruction,
                                    const DriverOperatorCall& call) {
  refuse_what_units_lack(call);
  const Matrix a = matrix_of(call, "a", instruction.input);
  const Matrix b = matrix_of(call, "b", instruction.input);
  const Matrix d = matrix_of(call, "d", "fp32");
  const bool has_c = call.scalar("beta", 0) == 1;
  const Matrix c = has_c ? matrix_of(call, "c", "fp32") : d;
  const auto product = std::make_shared<Product>(instruction, a, b, c, d, has_c);
  return [product] { product->run(); };
}

std::function<void()> prepared_unit(const DriverOperatorCall& call) {
  refuse_what_units_lack(call);
  return prepared_unit(instruction_of(call), call);
}

}  // namespace halfmark::backends::cpu
