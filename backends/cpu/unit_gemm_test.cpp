// SPDX-License-Identifier: Apache-2.0
//
// Gemm by matrix instructions: operands in every layout, edges and padding, on instructions made of
// software and on those of this processor; what is refused, and what a processor lacks.
#include "backends/cpu/unit_gemm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "backends/gemm_problem.hpp"
#include "backends/host/host_buffer.hpp"

namespace halfmark::backends::cpu {
namespace {

using testing::HasSubstr;

constexpr int kM = 2, kN = 3, kK = 4, kBeside = 2;

float of_bf16(std::uint16_t word) { return std::bit_cast<float>(std::uint32_t{word} << 16); }
std::uint16_t to_bf16(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

void software_chain(const std::uint16_t* a, const std::uint16_t* b, float* d, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step, a += kM * kK, b += kK * kN) {
    for (int i = 0; i < kM; ++i) {
      for (int j = 0; j < kN; ++j) {
        for (int x = 0; x < kK; ++x) {
          const float right = of_bf16(b[(x / kBeside * kN + j) * kBeside + x % kBeside]);
          d[i * kN + j] += of_bf16(a[i * kK + x]) * right;
        }
      }
    }
  }
}

constexpr UnitInstruction kSoftware = {"software",
                                       "none",
                                       "mma.bf16.fp32",
                                       "bf16",
                                       kM,
                                       kN,
                                       kK,
                                       kBeside,
                                       [] { return std::string(); },
                                       &software_chain,
                                       {},
                                       {}};

// A product of small integers, with gaps between rows, columns and matrices.
struct Problem {
  std::int64_t batch, m, n, k;
  bool is_transposed, has_c;

  [[nodiscard]] static std::int64_t number(std::int64_t seed) { return seed * 7 % 13 - 6; }
};

constexpr std::int64_t kGap = 3;

struct Tensors {
  host::HostBuffer a, b, c, d;
  DriverOperatorCall call{.library = {},
                          .name = "gemm",
                          .compute = "fp32",
                          .tensors = {},
                          .scalars = {},
                          .options = {}};

  explicit Tensors(const Problem& p)
      : a(bytes(p, p.m, p.k, 2)),
        b(bytes(p, p.k, p.n, 2)),
        c(bytes(p, p.m, p.n, 4)),
        d(bytes(p, p.m, p.n, 4)) {
    add(p, "a", "bf16", a, p.m, p.k);
    add(p, "b", "bf16", b, p.k, p.n);
    add(p, "d", "fp32", d, p.m, p.n);
    if (!p.has_c) return;
    add(p, "c", "fp32", c, p.m, p.n);
    call.scalars.push_back({.name = "beta", .value = 1});
  }

  [[nodiscard]] static std::uint64_t bytes(const Problem& p, std::int64_t rows,
                                           std::int64_t columns, std::int64_t size) {
    return static_cast<std::uint64_t>(p.batch * (rows + kGap) * (columns + kGap) * size + size);
  }
  // Every tensor begins one element into its buffer.
  void add(const Problem& p, const char* role, const char* format, host::HostBuffer& buffer,
           std::int64_t rows, std::int64_t columns) {
    const std::int64_t row = p.is_transposed ? 1 : columns + kGap;
    const std::int64_t column = p.is_transposed ? rows + kGap : 1;
    call.tensors.push_back({.role = role,
                            .buffer = &buffer,
                            .offset_bytes = std::string_view(format) == "fp32" ? 4U : 2U,
                            .format = format,
                            .sizes = {p.batch, rows, columns},
                            .strides = {(rows + kGap) * (columns + kGap), row, column}});
  }
  template <typename Element>
  [[nodiscard]] Element& at(std::string_view role, std::int64_t i, std::int64_t row,
                            std::int64_t column) {
    const DriverTensorView& view = *call.tensor(role);
    auto* const first = static_cast<host::HostBuffer*>(view.buffer)->address() + view.offset_bytes;
    return reinterpret_cast<Element*>(
        first)[i * view.strides[0] + row * view.strides[1] + column * view.strides[2]];
  }
};

void fill(const Problem& p, Tensors& t) {
  for (std::int64_t i = 0; i < p.batch; ++i) {
    for (std::int64_t x = 0; x < p.k; ++x) {
      for (std::int64_t row = 0; row < p.m; ++row)
        t.at<std::uint16_t>("a", i, row, x) =
            to_bf16(static_cast<float>(Problem::number(row * 5 + x + i)));
      for (std::int64_t column = 0; column < p.n; ++column)
        t.at<std::uint16_t>("b", i, x, column) =
            to_bf16(static_cast<float>(Problem::number(column * 3 + x + 2 * i)));
    }
  }
}

void expect_product(const UnitInstruction& instruction, const Problem& p) {
  Tensors t(p);
  fill(p, t);
  for (std::int64_t i = 0; p.has_c && i < p.batch; ++i) {
    for (std::int64_t row = 0; row < p.m; ++row) {
      for (std::int64_t column = 0; column < p.n; ++column)
        t.at<float>("c", i, row, column) = static_cast<float>(100 * row + column);
    }
  }
  prepared_unit(instruction, t.call)();
  for (std::int64_t i = 0; i < p.batch; ++i) {
    for (std::int64_t row = 0; row < p.m; ++row) {
      for (std::int64_t column = 0; column < p.n; ++column) {
        std::int64_t sum = p.has_c ? 100 * row + column : 0;
        for (std::int64_t x = 0; x < p.k; ++x)
          sum += Problem::number(row * 5 + x + i) * Problem::number(column * 3 + x + 2 * i);
        ASSERT_EQ(static_cast<float>(sum), t.at<float>("d", i, row, column))
            << instruction.name << " m" << p.m << "n" << p.n << "k" << p.k << " at " << row << ", "
            << column;
      }
    }
  }
}

constexpr Problem kProblems[] = {{1, 2, 3, 4, false, false},  {1, 1, 1, 1, false, true},
                                 {2, 5, 7, 9, false, true},   {3, 17, 33, 65, true, false},
                                 {1, 33, 17, 47, true, true}, {1, 4, 5, 0, false, true}};

TEST(UnitGemm, TakesEveryLayoutAndSize) {
  for (const Problem& p : kProblems) expect_product(kSoftware, p);
}

TEST(UnitGemm, ByEveryInstructionOfThisProcessor) {
  int tried = 0;
  for (const UnitInstruction& row : unit_instructions()) {
    if (!row.missing().empty() || std::string_view(row.input) != "bf16") continue;
    ++tried;
    for (const Problem& p : kProblems) expect_product(row, p);
  }
  if (tried == 0) GTEST_SKIP() << "this processor has no instruction for bf16";
}

TEST(UnitGemm, FillingUpChangesNoZero) {
  Tensors t({1, 1, 1, 1, false, true});
  t.at<std::uint16_t>("a", 0, 0, 0) = 0x8000;
  t.at<std::uint16_t>("b", 0, 0, 0) = 0;
  t.at<float>("c", 0, 0, 0) = -0.0F;
  prepared_unit(kSoftware, t.call)();
  EXPECT_TRUE(std::signbit(t.at<float>("d", 0, 0, 0)));
}

std::string refusal(const DriverOperatorCall& call) {
  try {
    static_cast<void>(prepared_unit(kSoftware, call));
  } catch (const NotOffered& answer) {
    return answer.what();
  }
  return "";
}

TEST(UnitGemm, RefusesWhatOneInstructionDoesNotDo) {
  Tensors t({1, 2, 2, 2, false, false});
  EXPECT_EQ("", refusal(t.call));
  DriverOperatorCall call = t.call;
  call.scalars.push_back({.name = "alpha", .value = 2});
  EXPECT_THAT(refusal(call), HasSubstr("multiplies by no alpha"));
  call = t.call;
  call.tensors[2].format = "bf16";
  EXPECT_THAT(refusal(call), HasSubstr("has d as fp32, not bf16"));
  call = t.call;
  call.tensors[0].offset_bytes = 1;
  EXPECT_THAT(refusal(call), HasSubstr("straddles"));
  call = t.call;
  call.tensors.push_back(call.tensors[0]);
  call.tensors.back().role = "bias";
  EXPECT_THAT(refusal(call), HasSubstr("has no bias"));
  call = t.call;
  call.name = "softmax";
  EXPECT_THAT(refusal(call), HasSubstr("has no softmax"));
}

TEST(UnitGemm, DescribesWhatIsThereAndNamesWhatIsNot) {
  for (const Library& library : unit_descriptions("EPYC")) {
    EXPECT_EQ("unit", library.kind);
    EXPECT_TRUE(is_unit(library.name));
    EXPECT_NE("", library.evidence) << library.name;
    EXPECT_EQ(library.usable, !library.version.empty()) << library.name;
  }
  EXPECT_FALSE(is_unit("oneDNN"));
}

// -0 times 0, added to c.
float added_to(const UnitInstruction& row, float c) {
  Tensors t({1, 1, 1, 1, false, true});
  t.at<std::uint16_t>("a", 0, 0, 0) = 0x8000;
  t.at<std::uint16_t>("b", 0, 0, 0) = 0;
  t.at<float>("c", 0, 0, 0) = c;
  for (DriverTensorView* view : {&t.call.tensors[0], &t.call.tensors[1]}) view->format = row.input;
  prepared_unit(row, t.call)();
  return t.at<float>("d", 0, 0, 0);
}

TEST(UnitGemm, EachInstructionKeepsWhatItsManualSays) {
  int tried = 0;
  for (const UnitInstruction& row : unit_instructions()) {
    if (!row.missing().empty()) continue;
    ++tried;
    const float least = std::numeric_limits<float>::denorm_min();
    EXPECT_EQ(row.subnormals.keeps ? least : 0, added_to(row, least)) << row.name;
    EXPECT_EQ(row.zero_signs.keeps, std::signbit(added_to(row, -0.0F))) << row.name;
  }
  if (tried == 0) GTEST_SKIP() << "this processor has no such instruction";
}

// Else the compiler's promises would bind them.
TEST(UnitGemm, PromisesWhatEveryInstructionOfTheLibraryKeeps) {
  for (const Library& library : unit_descriptions("EPYC")) {
    ASSERT_EQ(2u, library.promises.size()) << library.name;
    EXPECT_EQ("fp32.subnormals", library.promises[0].capability);
    EXPECT_EQ("fp32.signed_zero", library.promises[1].capability);
    bool keeps_subnormals = true, keeps_signs = true;
    for (const UnitInstruction& row : unit_instructions()) {
      if (row.library != library.name) continue;
      keeps_subnormals = keeps_subnormals && row.subnormals.keeps;
      keeps_signs = keeps_signs && row.zero_signs.keeps;
      EXPECT_THAT(library.promises[0].clause, HasSubstr(row.subnormals.clause));
      EXPECT_THAT(library.promises[1].clause, HasSubstr(row.zero_signs.clause));
      EXPECT_STRNE("", row.subnormals.clause) << row.name;
      EXPECT_STRNE("", row.zero_signs.clause) << row.name;
    }
    EXPECT_EQ(keeps_subnormals, library.promises[0].offered) << library.name;
    EXPECT_EQ(keeps_signs, library.promises[1].offered) << library.name;
  }
}

TEST(UnitGemm, SaysWhatAProcessorOrItsKernelLacks) {
  X86Features features;
  EXPECT_EQ("the processor has no AVX512-BF16", missing_of_vectors(features));
  features.avx512_bf16 = true;
  EXPECT_THAT(missing_of_vectors(features), HasSubstr("the kernel does not save its registers"));
  features.saves_vectors = true;
  EXPECT_EQ("", missing_of_vectors(features));
  EXPECT_EQ("the processor has no AMX-FP16", missing_of_tiles(features, false, "AMX-FP16"));
  EXPECT_THAT(missing_of_tiles(features, true, "AMX-BF16"), HasSubstr("does not save its tiles"));
  features.saves_tiles = true;
  EXPECT_EQ("", missing_of_tiles(features, true, "AMX-BF16"));
  features.tiles_refused = "Operation not permitted";
  EXPECT_THAT(missing_of_tiles(features, true, "AMX-BF16"),
              HasSubstr("arch_prctl(ARCH_REQ_XCOMP_PERM): Operation not permitted; use Linux"));
}

}  // namespace
}  // namespace halfmark::backends::cpu
