// SPDX-License-Identifier: Apache-2.0
//
// The gemm of every library of every device of this machine, on small integers, whose result is
// unique in any arithmetic: layouts, gaps, offsets, batches, alpha and beta, and guard elements. A
// library must decline what it does not offer with its own message.
#include <algorithm>
#include <array>
#include <cstring>
#include <random>

#include "backends/testing/test_devices.hpp"
#include "reference/formats/format.hpp"

namespace halfmark::backends {
namespace {

// The encoding of a small integer; every format of these tests holds -16 to 16.
std::uint64_t encoded(const formats::Format& format, int number) {
  if (number == 0) return 0;
  int exponent = 0;
  while ((std::abs(number) >> exponent) > 1) ++exponent;
  const auto fraction =
      static_cast<std::uint64_t>(std::abs(number)) << format.fraction_bits >> exponent;
  const auto field = static_cast<std::uint64_t>(exponent + format.bias - 1) << format.fraction_bits;
  return (number < 0 ? format.sign_mask() : 0) | (field + fraction);
}

// Range and placement of a matrix's elements: 8-bit matrices need every address at a multiple of
// 16 bytes.
struct Numbers {
  int most = 2;
  bool is_aligned = false;
};

// A batch of matrices in a buffer of its own, with gaps before, between and after them.
struct Operand {
  std::vector<std::int64_t> sizes, strides;
  std::int64_t offset = 0;
  std::vector<int> numbers;  // the whole buffer

  Operand(std::int64_t batch, std::int64_t rows, std::int64_t columns, bool by_column,
          unsigned seed, const Numbers& of = {}) {
    const std::int64_t ld = (by_column ? rows : columns) + (of.is_aligned ? 16 : 3);
    const std::int64_t step = ld * (by_column ? columns : rows) + (of.is_aligned ? 16 : 5);
    offset = of.is_aligned ? 16 : 8;
    sizes = {batch, rows, columns};
    strides = {step, by_column ? 1 : ld, by_column ? ld : 1};
    numbers.resize(static_cast<std::size_t>(offset + batch * step + 7));
    std::mt19937 random(seed);
    const auto most = static_cast<unsigned>(of.most);
    for (int& number : numbers) number = static_cast<int>(random() % (2 * most + 1)) - of.most;
  }
  [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(offset + i * strides[0] + row * strides[1] +
                                    column * strides[2]);
  }
  [[nodiscard]] int at(std::int64_t i, std::int64_t row, std::int64_t column) const {
    return numbers[index(i, row, column)];
  }
};

struct Problem {
  std::int64_t m = 7, n = 5, k = 6, batch = 1;
  bool a_by_column = false, b_by_column = false, d_by_column = false;
  int alpha = 1, beta = 0;
  bool c_is_d = false;
  Numbers numbers = {};
};

struct Kind {
  const char* operands;
  const char* result;
  const char* compute;
};
constexpr Kind kKinds[] = {
    {"fp32", "fp32", "fp32"},   {"fp32", "fp32", "tf32"},    {"fp16", "fp16", "fp32"},
    {"fp16", "fp32", "fp32"},   {"fp16", "fp16", "fp16"},    {"fp16", "fp16", "fp32-reduced"},
    {"bf16", "bf16", "fp32"},   {"bf16", "fp32", "fp32"},    {"fp64", "fp64", "fp64"},
    {"e4m3fn", "fp16", "fp32"}, {"e5m2", "bf16", "fp32"},    {"e4m3fnuz", "fp32", "fp32"},
    {"e4m3fn", "fp32", "fp32"}, {"e4m3fn", "e4m3fn", "fp32"}};

class LibraryContract : public DeviceTest {
 protected:
  Buffer upload(const std::vector<int>& numbers, const formats::Format& format) {
    const std::size_t size = format.storage_bytes();
    std::vector<std::byte> bytes(numbers.size() * size);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint64_t word = format.to_word(encoded(format, numbers[i]));
      std::memcpy(bytes.data() + i * size, &word, size);
    }
    return filled_buffer(device, bytes);
  }
  static TensorView view(const char* role, const Operand& operand, const Buffer& buffer,
                         const formats::Format& format) {
    return {.role = role,
            .buffer = &buffer,
            .offset_bytes = static_cast<std::uint64_t>(operand.offset) * format.storage_bytes(),
            .format = std::string(format.name),
            .sizes = operand.sizes,
            .strides = operand.strides};
  }
  // Returns false when the library does not offer the call.
  bool multiply(const Library& library, const Kind& kind, const Problem& p);
};

// The expected content of d's whole buffer.
std::vector<int> expected(const Operand& a, const Operand& b, const Operand& c, const Operand& d,
                          const Problem& p) {
  std::vector<int> numbers = d.numbers;
  for (std::int64_t i = 0; i < p.batch; ++i) {
    for (std::int64_t row = 0; row < p.m; ++row) {
      for (std::int64_t column = 0; column < p.n; ++column) {
        int sum = 0;
        for (std::int64_t l = 0; l < p.k; ++l) sum += a.at(i, row, l) * b.at(i, l, column);
        numbers[d.index(i, row, column)] = p.alpha * sum + p.beta * c.at(i, row, column);
      }
    }
  }
  return numbers;
}

bool LibraryContract::multiply(const Library& library, const Kind& kind, const Problem& p) {
  const formats::Format& operand_format = *formats::find_format(kind.operands);
  const formats::Format& result_format = *formats::find_format(kind.result);
  const Operand a(p.batch, p.m, p.k, p.a_by_column, 1, p.numbers);
  const Operand b(p.batch, p.k, p.n, p.b_by_column, 2, p.numbers);
  const Operand d(p.batch, p.m, p.n, p.d_by_column, 3, p.numbers);
  const Operand c(p.batch, p.m, p.n, p.d_by_column, p.c_is_d ? 3 : 4, p.numbers);
  const Buffer a_buffer = upload(a.numbers, operand_format);
  const Buffer b_buffer = upload(b.numbers, operand_format);
  const Buffer c_buffer = upload(c.numbers, result_format);
  const Buffer d_buffer = upload(d.numbers, result_format);
  const std::vector<std::byte> before = content<std::byte>(d_buffer);
  OperatorCall call{
      .library = library.name,
      .name = "gemm",
      .compute = kind.compute,
      .tensors = {view("a", a, a_buffer, operand_format), view("b", b, b_buffer, operand_format),
                  view("d", d, d_buffer, result_format)},
      .scalars = {{"alpha", static_cast<double>(p.alpha)}, {"beta", static_cast<double>(p.beta)}},
      .options = {}};
  if (p.beta != 0)
    call.tensors.push_back(view("c", c, p.c_is_d ? d_buffer : c_buffer, result_format));
  const OperatorOutcome outcome = device.run(call);
  const auto after = content<std::byte>(d_buffer);
  if (!outcome.supported) {
    EXPECT_FALSE(outcome.answer.empty());
    return false;
  }
  EXPECT_GT(outcome.elapsed_ns, 0u);
  const Buffer wanted = upload(expected(a, b, c, d, p), result_format);
  EXPECT_TRUE(content<std::byte>(wanted) == after)
      << library.name << " " << kind.operands << " to " << kind.result << " in " << kind.compute
      << ", m" << p.m << " n" << p.n << " k" << p.k << " batch " << p.batch << " by column "
      << p.a_by_column << p.b_by_column << p.d_by_column << " alpha " << p.alpha << " beta "
      << p.beta;
  return true;
}

// For 8-bit matrices: sums of at most 16, which every format holds.
std::vector<Problem> narrow_problems() {
  constexpr Numbers kAligned{.most = 1, .is_aligned = true};
  return {{.m = 16, .n = 32, .k = 16, .b_by_column = true, .numbers = kAligned},
          {.m = 48, .n = 16, .k = 16, .batch = 2, .b_by_column = true, .numbers = kAligned}};
}

// Drivers that run on a processor compile a library's kernels separately for each precision, which
// takes seconds; so only one precision, which every library has, covers the layouts.
std::vector<Problem> problems(const Kind& kind) {
  if (kind.compute == std::string_view("fp64")) return {{}, {.batch = 3, .alpha = 2, .beta = -1}};
  if (formats::find_format(kind.result)->storage_bytes() == 1) return narrow_problems();
  std::vector<Problem> all;
  for (int bits = 0; bits < 8; ++bits) {
    all.push_back({.a_by_column = (bits & 1) != 0,
                   .b_by_column = (bits & 2) != 0,
                   .d_by_column = (bits & 4) != 0});
  }
  all.push_back({.batch = 3});
  all.push_back({.batch = 2, .b_by_column = true, .alpha = 2, .beta = -1});
  all.push_back({.alpha = -1, .beta = 2});
  all.push_back({.d_by_column = true, .beta = 1, .c_is_d = true});
  all.push_back({.m = 1, .n = 1, .k = 1});
  all.push_back({.m = 16, .n = 32, .k = 16, .b_by_column = true});
  for (const Problem& problem : narrow_problems()) all.push_back(problem);
  return all;
}

TEST_P(LibraryContract, GemmOfWholeNumbersIsExact) {
  if (is_slow()) GTEST_SKIP() << "a simulator";
  int offered = 0;
  for (const Library& library : device.info().libraries) {
    const auto& names = library.operators;
    const bool has_it = std::find(names.begin(), names.end(), "gemm") != names.end();
    if (!library.usable || library.kind != "library" || !has_it) continue;
    int of_library = 0;
    for (const Kind& kind : kKinds) {
      for (const Problem& problem : problems(kind)) of_library += multiply(library, kind, problem);
    }
    EXPECT_GT(of_library, 0) << library.name << " has a gemm and runs none";
    offered += of_library;
  }
  if (offered == 0) GTEST_SKIP() << "no usable library has a gemm";
}

// Epilogues of a product, on numbers for which they are exact: beyond 60 the smooth activations
// equal their argument or zero in fp32.
struct Epilogue {
  const char* activation;
  bool has_bias;
};
constexpr Epilogue kEpilogues[] = {
    {"none", true}, {"relu", false}, {"relu", true}, {"gelu_tanh", false}, {"gelu_tanh", true}};
constexpr float kScale = 64;

float finished(const Epilogue& epilogue, float x) {
  return epilogue.activation == std::string_view("none") ? x : std::max(x, 0.0F);
}

class LibraryEpilogue : public LibraryContract {
 protected:
  // The elements of a 4 x 3 product: a column times ones, then the epilogue with a bias of 64, 0,
  // -64; empty when not offered.
  std::vector<float> product(const Library& library, const Epilogue& epilogue, float alpha);
  static constexpr std::array<float, 4> kColumn{-2, -1, 1, 2};
};

std::vector<float> LibraryEpilogue::product(const Library& library, const Epilogue& epilogue,
                                            float alpha) {
  const Buffer a = filled_buffer<float>(device, {kColumn.begin(), kColumn.end()});
  const Buffer b = filled_buffer<float>(device, {1, 1, 1});
  const Buffer bias = filled_buffer<float>(device, {kScale, 0, -kScale});
  const Buffer d = filled_buffer<float>(device, std::vector<float>(12));
  const auto matrix = [](const char* role, const Buffer& buffer, std::int64_t rows,
                         std::int64_t columns) {
    return TensorView{.role = role,
                      .buffer = &buffer,
                      .offset_bytes = 0,
                      .format = "fp32",
                      .sizes = {rows, columns},
                      .strides = {columns, 1}};
  };
  OperatorCall call{.library = library.name,
                    .name = "gemm",
                    .compute = "fp32",
                    .tensors = {matrix("a", a, 4, 1), matrix("b", b, 1, 3), matrix("d", d, 4, 3)},
                    .scalars = {{"alpha", static_cast<double>(alpha)}},
                    .options = {{"activation", epilogue.activation}}};
  if (epilogue.has_bias) {
    call.tensors.push_back({.role = "bias",
                            .buffer = &bias,
                            .offset_bytes = 0,
                            .format = "fp32",
                            .sizes = {3},
                            .strides = {1}});
  }
  const OperatorOutcome outcome = device.run(call);
  EXPECT_EQ(outcome.supported, outcome.answer.empty());
  return outcome.supported ? content<float>(d) : std::vector<float>{};
}

TEST_P(LibraryEpilogue, OfWholeNumbersIsExact) {
  if (is_slow()) GTEST_SKIP() << "a simulator";
  std::size_t offered = 0;
  for (const Library& library : device.info().libraries) {
    if (!library.usable || library.kind != "library") continue;
    std::size_t of_library = 0;
    for (const Epilogue& epilogue : kEpilogues) {
      const std::vector<float> found = product(library, epilogue, kScale);
      if (found.empty()) continue;
      ++of_library;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const float bias = epilogue.has_bias ? kScale * (1 - static_cast<float>(i % 3)) : 0;
        EXPECT_EQ(finished(epilogue, kScale * kColumn[i / 3] + bias), found[i])
            << library.name << " " << epilogue.activation << epilogue.has_bias << " element " << i;
      }
    }
    const bool is_whole = of_library == 0 || of_library == std::size(kEpilogues);
    EXPECT_TRUE(is_whole || device.info().kind != "stand-in") << library.name;
    offered += of_library;
  }
  if (offered == 0) GTEST_SKIP() << "no usable library adds a bias or applies an activation";
}

// Tests which function it is, not its accuracy: gelu gives 0.8412 here, relu gives 1.
TEST_P(LibraryEpilogue, NamedGeluIsGelu) {
  if (is_slow()) GTEST_SKIP() << "a simulator";
  for (const Library& library : device.info().libraries) {
    if (!library.usable || library.kind != "library") continue;
    const std::vector<float> found = product(library, {"gelu_tanh", false}, 1);
    if (found.empty()) continue;
    EXPECT_NEAR(0.8412F, found[6], 0.005F) << library.name;
    EXPECT_NEAR(-0.1588F, found[3], 0.005F) << library.name;
  }
}

TEST_P(LibraryContract, SaysWhereItIsOrWhyNot) {
  for (const Library& library : device.info().libraries) {
    EXPECT_FALSE(library.name.empty());
    EXPECT_FALSE(library.evidence.empty()) << library.name;
    EXPECT_EQ(library.usable, !library.version.empty()) << library.name;
    // A stand-in's driver comes with its libraries; a forwarding one has only those that it
    // can forward.
    const bool forwards =
        device.info().extra.value("stand_in", std::string()).starts_with("forwarded");
    const bool must_work =
        device.info().kind == "stand-in" && library.kind == "library" && !forwards;
    EXPECT_TRUE(library.usable || !must_work) << library.name << ": " << library.evidence;
  }
}

// The device's promises are about what its compiler makes. Halfmark's own library keeps them and
// has no others; a plug-in may be silent, and what it says has its evidence.
TEST_P(LibraryContract, SaysWhatItsOwnDocumentsPromise) {
  const bool is_ours = device.info().kind == "software";
  const bool may_be_silent = is_ours || !device.info().plugin.empty();
  for (const Library& library : device.info().libraries) {
    if (!library.usable || library.kind != "library") continue;
    EXPECT_TRUE(!is_ours || library.promises.empty()) << library.name;
    for (const char* capability : {"fp32.subnormals", "fp32.signed_zero"}) {
      const auto row = std::ranges::find(library.promises, capability, &Promise::capability);
      EXPECT_TRUE(may_be_silent || row != library.promises.end())
          << library.name << " says nothing of " << capability;
    }
    const bool multiplies = std::ranges::count(library.operators, "gemm") > 0;
    EXPECT_TRUE(may_be_silent || !multiplies ||
                std::ranges::count(library.promises, "products.internal_precision",
                                   &Promise::capability) == 1)
        << library.name;
    for (const Promise& row : library.promises) {
      EXPECT_FALSE(row.evidence.empty()) << library.name << " " << row.capability;
      EXPECT_FALSE(row.clause.empty()) << library.name << " " << row.capability;
    }
  }
}

TEST_P(LibraryContract, WhatNobodyOffersIsDeclinedInWords) {
  for (const Library& library : device.info().libraries) {
    if (library.kind != "library") continue;
    const OperatorOutcome outcome =
        device.run({library.name, "no such operator", "fp32", {}, {}, {}});
    EXPECT_FALSE(outcome.supported);
    EXPECT_FALSE(outcome.answer.empty());
  }
  EXPECT_FALSE(device.run({"no such library", "gemm", "fp32", {}, {}, {}}).supported);
}

INSTANTIATE_TEST_SUITE_P(Devices, LibraryEpilogue, testing::ValuesIn(all_devices()), test_name);
INSTANTIATE_TEST_SUITE_P(Devices, LibraryContract, testing::ValuesIn(all_devices()), test_name);

}  // namespace
}  // namespace halfmark::backends
