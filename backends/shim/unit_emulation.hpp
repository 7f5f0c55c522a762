// SPDX-License-Identifier: Apache-2.0
//
// A vendor's kernels of single matrix instructions on the software device, for the tests of its
// folder: the shipped rows, layouts, kernel and call, with the one instruction replaced by what the
// vendor's document says of it (the emulator, a text of the test). Verifies the position of every
// element, not the unit's arithmetic.
//
// Assumptions:
//  1. Values are small integers stored in the bits of the elements, and are added as integers.
//  2. The work-items of a group share one thread of the software device, so that a thread-local
//  variable belongs to the group.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/gemm_problem.hpp"
#include "backends/host/host_test.hpp"
#include "backends/shim/unit.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

// For units whose operands are in registers: all lanes publish theirs, and each computes its
// elements of d. HM_DOCUMENT_{A,B}_{LANE,PLACE} and HM_DOCUMENT_D_{ROW,COLUMN} precede it; the test
// writes them from the document.
inline constexpr std::string_view kRegisterEmulator = R"(
static thread_local HM_UNIT_IN hm_all_a[64][64];
static thread_local HM_UNIT_IN hm_all_b[64][64];
HM_FN void hm_unit_multiply(const HM_UNIT_IN* a, const HM_UNIT_IN* b, HM_UNIT_OUT* d) {
  int lane = HM_LID(0);
  int i, k;
  for (i = 0; i < HM_UNIT_AS; i++) hm_all_a[lane][i] = a[i];
  for (i = 0; i < HM_UNIT_BS; i++) hm_all_b[lane][i] = b[i];
  HM_BARRIER();
  for (i = 0; i < HM_UNIT_DS; i++) {
    int row = HM_DOCUMENT_D_ROW(lane, i);
    int column = HM_DOCUMENT_D_COLUMN(lane, i);
    for (k = 0; k < HM_UNIT_K; k++)
      d[i] += (HM_UNIT_OUT)hm_all_a[HM_DOCUMENT_A_LANE(row, k)][HM_DOCUMENT_A_PLACE(row, k)] *
              (HM_UNIT_OUT)hm_all_b[HM_DOCUMENT_B_LANE(k, column)][HM_DOCUMENT_B_PLACE(k, column)];
  }
  HM_BARRIER();
}
)";

// A matrix of elements of 1, 2 or 4 bytes.
struct EmulatedMatrix {
  std::int64_t rows, columns;
  std::size_t bytes;
  std::vector<std::uint32_t> values;
  std::unique_ptr<DriverBuffer> buffer;

  [[nodiscard]] std::uint32_t at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

class UnitEmulation : public host::HostTest {
 protected:
  // Tests every row of the form, on an architecture that has it, with partial tiles and a c.
  void expect_products(const UnitForm& form, const std::string& before,
                       const std::string& emulator) {
    device_ = open();
    for (const Unit& unit : form.rows) {
      SCOPED_TRACE(unit.name);
      expect_product(form, unit, before, emulator);
    }
  }

 private:
  EmulatedMatrix matrix(std::int64_t rows, std::int64_t columns, const char* format,
                        std::uint32_t seed) {
    EmulatedMatrix made{rows, columns, element_bytes(format), {}, {}};
    std::vector<std::byte> memory;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      made.values.push_back((static_cast<std::uint32_t>(i) * 7 + seed) % 5);
      memory.push_back(static_cast<std::byte>(made.values.back()));
      memory.resize(memory.size() + made.bytes - 1);
    }
    made.buffer = upload(*device_, memory);
    return made;
  }

  void expect_product(const UnitForm& form, const Unit& unit, const std::string& before,
                      const std::string& emulator) {
    const std::int64_t m = 2 * unit.m - 3;
    const std::int64_t n = 2 * unit.n - 1;
    const std::int64_t k = 2 * unit.k + 1;
    EmulatedMatrix a = matrix(m, k, unit.input, 1);
    EmulatedMatrix b = matrix(k, n, unit.input, 2);
    EmulatedMatrix c = matrix(m, n, unit.output, 3);
    const EmulatedMatrix d = matrix(m, n, unit.output, 4);
    DriverOperatorCall call{form.library, "gemm", unit.name, {}, {{"beta", 1}}, {}};
    call.options.push_back({"shape", shape_of(unit)});
    const auto add = [&](const char* role, const char* format, const EmulatedMatrix& of) {
      call.tensors.push_back(
          {role, of.buffer.get(), 0, format, {of.rows, of.columns}, {of.columns, 1}});
    };
    add("a", unit.input, a);
    add("b", unit.input, b);
    add("c", unit.output, c);
    add("d", unit.output, d);
    const std::string architectures = unit.architectures;
    const DeviceFacts facts{.capability = unit.least,
                            .architecture = architectures.substr(0, architectures.find(' ')),
                            .runtime_version = 0};
    const std::string text = std::string(*form.text) + emulator;
    const std::string_view view = text;
    UnitForm emulated = form;
    emulated.text = &view;
    const auto build = [&](const std::string& source, const char* feature) {
      EXPECT_STREQ(form.feature, feature);
      return device_->build("#define HM_UNIT_EMULATED 1\n" + before + source, {});
    };
    UnitPrograms programs;
    const OperatorOutcome outcome = run_unit(emulated, facts, build, programs, call);
    ASSERT_TRUE(outcome.supported) << outcome.answer;
    expect_values(a, b, c, d);
  }

  static void expect_values(const EmulatedMatrix& a, const EmulatedMatrix& b,
                            const EmulatedMatrix& c, const EmulatedMatrix& d) {
    std::vector<std::byte> memory(d.values.size() * d.bytes);
    download(*d.buffer, memory);
    std::size_t wrong = 0;
    for (std::int64_t row = 0; row < d.rows; ++row) {
      for (std::int64_t column = 0; column < d.columns; ++column) {
        std::uint32_t expected = c.at(row, column);
        for (std::int64_t i = 0; i < a.columns; ++i) expected += a.at(row, i) * b.at(i, column);
        std::uint32_t actual = 0;
        std::memcpy(&actual, &memory[static_cast<std::size_t>(row * d.columns + column) * d.bytes],
                    d.bytes);
        if (actual != expected && wrong++ == 0)
          ADD_FAILURE() << "d[" << row << "][" << column << "] is " << actual << ", not "
                        << expected;
      }
    }
    EXPECT_EQ(0u, wrong) << "of " << d.values.size();
  }

  std::unique_ptr<DriverDevice> device_;
};

}  // namespace halfmark::backends::shim
