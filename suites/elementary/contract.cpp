// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/contract.hpp"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "suites/elementary/callee.hpp"

namespace halfmark::suites::elementary {
namespace {

constexpr std::string_view kOpenCl =
    "OpenCL C 1.2, 7.4 relative error as ULPs, single precision, full profile; the same in OpenCL "
    "C 3.0.19, 7.4";
constexpr std::string_view kFast =
    "OpenCL C 1.2, 7.4: half_ functions <= 8192 ulp; 6.12.2: they may flush subnormals always";
// Both count from the correctly rounded result: the guide says so of its table, and the library's
// tests compare with it.
constexpr std::string_view kCuda =
    "CUDA C++ Programming Guide 12, mathematical functions: single precision, maximum ULP error "
    "over the full range, between a correctly rounded result and the function's (by extensive "
    "tests, as it says, not by proof)";
constexpr std::string_view kCuda13 =
    "CUDA C++ Programming Guide 13, 17.1 standard functions, table 17: single precision, maximum "
    "ULP error over the full range, between a correctly rounded result and the function's (by "
    "extensive tests, as it says, not by proof)";
constexpr std::string_view kCudaRounded =
    "CUDA C++ Programming Guide 13, 17.1 standard functions, table 17: x/y, 1/x and sqrtf(x) have "
    "no error when compiled with -prec-div=true and -prec-sqrt=true, the defaults";
// Revisions of the guide differ in asinf and acosf; the larger bounds are asserted.
constexpr std::string_view kOlderCuda =
    "CUDA C Programming Guide 10, appendix E.1: single precision, maximum ULP error over the full "
    "range, between a correctly rounded result and the function's (by extensive tests, as it says, "
    "not by proof)";
constexpr std::string_view kLibrary =
    "The GNU C Library manual 2.36, 19.7 known maximum errors in math functions, x86_64: by tests, "
    "as it says, which compare with correctly rounded results (sysdeps/x86_64/fpu/libm-test-ulps)";
constexpr std::string_view kLibraryRoot =
    "ISO C 2011, F.3 and F.10.4.5: 1 / sqrt(x) is two operations, each correctly rounded, at most "
    "1.5 ULP together";

constexpr std::string_view kIsoC =
    "ISO C 2011, F.3: / and sqrt are IEC 60559's operations, correctly rounded; F.10.7.1 and "
    "F.10.7.2: fmod and remainder are exact";

constexpr std::string_view kVulkan =
    "Vulkan 1.3, appendix A (SPIR-V environment), precision of GLSL.std.450 instructions, single "
    "precision, undecorated; as of revision 012db30f of Vulkan-Docs";

constexpr auto kBounds = std::to_array<Bound>({
    {"opencl-c", "standard", "exp", 3, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "exp2", 3, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "log", 3, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "log2", 3, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "rsqrt", 2, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "tanh", 5, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "erf", 16, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "sin", 4, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "cos", 4, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "tan", 5, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "asin", 4, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "acos", 4, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "atan", 5, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "sinh", 4, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "cosh", 4, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "exp10", 3, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "expm1", 3, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "log10", 3, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "log1p", 2, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "cbrt", 2, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "erfc", 16, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "sqrt", 3, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "recip", Ulps::and_a_half(2), kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "div", Ulps::and_a_half(2), kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "pow", 16, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "pown", 16, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "powr", 16, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "atan2", 6, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "hypot", 4, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "fmod", 0, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "remainder", 0, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "sinpi", 4, kOpenCl, Origin::kExact},
    {"opencl-c", "standard", "cospi", 4, kOpenCl, Origin::kExact},
    {"opencl-c", "half", "exp", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "exp2", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "exp10", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "log", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "log2", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "log10", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "rsqrt", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "sin", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "cos", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "tan", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "sqrt", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "recip", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "div", 8192, kFast, Origin::kExact},
    {"opencl-c", "half", "powr", 8192, kFast, Origin::kExact},
    {"cuda-c", "standard", "exp", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "exp2", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "log", 1, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "log2", 1, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "rsqrt", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "tanh", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "erf", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "sin", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "cos", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "tan", 4, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "asin", 4, kOlderCuda, Origin::kRounded},
    {"cuda-c", "standard", "acos", 3, kOlderCuda, Origin::kRounded},
    {"cuda-c", "standard", "atan", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "sinh", 3, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "cosh", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "exp10", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "expm1", 1, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "log10", 2, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "log1p", 1, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "cbrt", 1, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "erfc", 4, kCuda, Origin::kRounded},
    {"cuda-c", "standard", "sinpi", 1, kCuda13, Origin::kRounded},
    {"cuda-c", "standard", "cospi", 1, kCuda13, Origin::kRounded},
    {"cuda-c", "standard", "sqrt", 0, kCudaRounded, Origin::kRounded},
    {"cuda-c", "standard", "recip", 0, kCudaRounded, Origin::kRounded},
    {"cuda-c", "standard", "div", 0, kCudaRounded, Origin::kRounded},
    {"cuda-c", "standard", "pow", 4, kCuda13, Origin::kRounded},
    {"cuda-c", "standard", "atan2", 3, kCuda13, Origin::kRounded},
    {"cuda-c", "standard", "hypot", 3, kCuda13, Origin::kRounded},
    {"cuda-c", "standard", "fmod", 0, kCuda13, Origin::kRounded},
    {"cuda-c", "standard", "remainder", 0, kCuda13, Origin::kRounded},
    {"libm", "standard", "exp", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "exp2", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "log", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "log2", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "rsqrt", 2, kLibraryRoot, Origin::kExact},
    {"libm", "standard", "tanh", 2, kLibrary, Origin::kRounded},
    {"libm", "standard", "erf", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "sin", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "cos", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "tan", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "asin", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "acos", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "atan", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "sinh", 2, kLibrary, Origin::kRounded},
    {"libm", "standard", "cosh", 2, kLibrary, Origin::kRounded},
    {"libm", "standard", "exp10", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "expm1", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "log10", 2, kLibrary, Origin::kRounded},
    {"libm", "standard", "log1p", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "cbrt", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "erfc", 3, kLibrary, Origin::kRounded},
    {"libm", "standard", "sqrt", 0, kIsoC, Origin::kRounded},
    {"libm", "standard", "recip", 0, kIsoC, Origin::kRounded},
    {"libm", "standard", "div", 0, kIsoC, Origin::kRounded},
    {"libm", "standard", "pow", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "atan2", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "hypot", 1, kLibrary, Origin::kRounded},
    {"libm", "standard", "fmod", 0, kIsoC, Origin::kRounded},
    {"libm", "standard", "remainder", 0, kIsoC, Origin::kRounded},
    {"vulkan", "standard", "exp", 3, kVulkan, Origin::kExact, Shape::kGrowing, true},
    {"vulkan", "standard", "exp2", 3, kVulkan, Origin::kExact, Shape::kGrowing, true},
    {"vulkan", "standard", "log", 3, kVulkan, Origin::kExact, Shape::kNearOne, true},
    {"vulkan", "standard", "log2", 3, kVulkan, Origin::kExact, Shape::kNearOne, true},
    {"vulkan", "standard", "rsqrt", 2, kVulkan, Origin::kExact, Shape::kConstant, true},
    {"vulkan", "standard", "sin", 0, kVulkan, Origin::kExact, Shape::kOneCircle, true},
    {"vulkan", "standard", "cos", 0, kVulkan, Origin::kExact, Shape::kOneCircle, true},
    {"vulkan", "standard", "atan", 4096, kVulkan, Origin::kExact, Shape::kConstant, true},
    {"vulkan", "standard", "atan2", 4096, kVulkan, Origin::kExact, Shape::kConstant, true},
    {"vulkan", "standard", "div", Ulps::and_a_half(2), kVulkan, Origin::kExact, Shape::kConstant,
     true},
});

// fp16: the same function with one bound per specification; none where a language lacks it.
struct HalfPrecision {
  std::string_view function;
  std::optional<std::uint64_t> opencl, library;
};

constexpr std::string_view kOpenClHalf =
    "OpenCL SPIR-V Environment Specification 2.2, relative error as ULPs, Float16, full profile; "
    "OpenCL 1.2 Extensions, 9.5 cl_khr_fp16";
constexpr std::string_view kLibraryHalf =
    "The GNU C Library manual 2.36, 19.7: at most 3 ULP in binary32, of which 2^13 are one of "
    "binary16; ISO C 2011, F.3: the conversion is correctly rounded, so to the rounded result or "
    "its neighbour";
constexpr std::string_view kIsoCHalf =
    "ISO C 2011, F.10.7.1 and F.10.7.2: fmod and remainder are exact, and of binary16 operands "
    "numbers of binary16";

constexpr HalfPrecision kHalfPrecision[] = {
    {"exp", 2, 1},
    {"exp2", 2, 1},
    {"exp10", 2, 1},
    {"expm1", 2, 1},
    {"log", 2, 1},
    {"log2", 2, 1},
    {"log10", 2, 1},
    {"log1p", 2, 1},
    {"tanh", 2, 1},
    {"erf", 4, 1},
    {"erfc", 4, 1},
    {"sin", 2, 1},
    {"cos", 2, 1},
    {"tan", 2, 1},
    {"asin", 2, 1},
    {"acos", 2, 1},
    {"atan", 2, 1},
    {"sinh", 2, 1},
    {"cosh", 2, 1},
    {"cbrt", 2, 1},
    {"pow", 4, 1},
    {"atan2", 2, 1},
    {"hypot", 2, 1},
    {"fmod", 0, 0},
    {"remainder", 0, 0},
    {"rsqrt", 1, std::nullopt},
    {"sinpi", 2, std::nullopt},
    {"cospi", 2, std::nullopt},
    {"powr", 4, std::nullopt},
    {"pown", 4, std::nullopt},
};

std::vector<Bound> make_bounds() {
  std::vector<Bound> all(kBounds.begin(), kBounds.end());
  const auto add = [&all](std::string_view rules, std::string_view function, std::uint64_t ulps,
                          std::string_view source, Origin origin) {
    all.push_back({rules, "standard", function, ulps, source, origin, Shape::kConstant, false,
                   &formats::kFp16});
  };
  for (const HalfPrecision& row : kHalfPrecision) {
    if (row.opencl) add("opencl-c", row.function, *row.opencl, kOpenClHalf, Origin::kExact);
  }
  for (const HalfPrecision& row : kHalfPrecision) {
    if (!row.library) continue;
    add("libm", row.function, *row.library, *row.library == 0 ? kIsoCHalf : kLibraryHalf,
        Origin::kRounded);
  }
  return all;
}

const std::vector<Bound>& all_bounds() {
  static const std::vector<Bound> kAll = make_bounds();
  return kAll;
}

constexpr NotAssertedRow kNotAsserted[] = {
    {"native_exp and its like (OpenCL C), __expf and its like (CUDA C++)",
     "OpenCL C 1.2, 6.12.2: their accuracy is implementation-defined"},
    {"exp10 of zeros and infinities in OpenCL C", "ISO C 1999, F.9, to which 7.5 refers, has none"},
    {"hexp and its like (CUDA C++), of fp16 operands",
     "cuda_fp16.h, which makes them of instructions, is no part of the run-time compiler"},
    {"accuracy of HIP's and MUSA's functions",
     "HIP math API, ROCm 6: errors on narrow ranges only; MUSA publishes none"},
    {"tanpi, asinpi and its like, tgamma, lgamma, rootn",
     "there is no correctly rounded reference of them"},
    {"Vulkan: tan, asin, acos, sinh, cosh, tanh, sqrt and pow",
     "Vulkan 1.3, appendix A: their precision is inherited from formulas, which an implementation "
     "may rearrange"},
    {"Vulkan: infinities, NaN, sin and cos beyond pi, logarithms and roots of what is not positive",
     "Vulkan 1.3, appendix A: undefined, or without a bound"},
    {"rsqrt of -0", "OpenCL C 1.2, 7.5 says nothing of it"},
};

struct Edges {
  std::string_view rules, source;
};
constexpr Edges kEdges[] = {
    {"opencl-c", "OpenCL C 1.2, 7.5 edge case behavior: as ISO/IEC 9899:1999 TC2, F.9"},
    {"cuda-c",
     "CUDA Math API 12, single precision functions: their values at zeros and infinities"},
    {"libm", "ISO/IEC 9899:2011, F.10 mathematics"},
};

std::string_view source_of_edges(std::string_view rules) {
  for (const Edges& e : kEdges) {
    if (e.rules == rules) return e.source;
  }
  return "";
}

std::string text_of(const Ulps& ulps) {
  return fmt::format("{}{}", ulps.whole(), ulps.is_whole() ? "" : ".5");
}

std::string promise_of(const Bound& b, std::string_view name) {
  const std::string value = b.origin == Origin::kRounded ? "correctly rounded" : "exact";
  const std::string ulps = text_of(b.ulps);
  switch (b.shape) {
    case Shape::kConstant:
      break;
    case Shape::kGrowing:
      return fmt::format("{} is within {} + 2|x| ULP of the {} value", name, ulps, value);
    case Shape::kNearOne:
      return fmt::format("{} is within {} ULP of the {} value, of x from 1/2 to 2 within 2^-21",
                         name, ulps, value);
    case Shape::kOneCircle:
      return fmt::format("{} is within 2^-11 of the {} value, of x from -pi to pi", name, value);
  }
  if (b.ulps == Ulps()) return fmt::format("{} is the {} value", name, value);
  return fmt::format("{} is within {} ULP of the {} value", name, ulps, value);
}

// The expression in source notation: half_exp(x), pow(x, w), x / w.
std::string written(const Bound& b) {
  const std::string_view prefix = b.kind == "half" ? "half_" : "";
  if (b.kind == "standard" && b.function == "div") return "x / w";
  if (b.kind == "standard" && b.function == "recip") return "1 / x";
  const std::string_view name = b.function == "div" ? "divide" : b.function;
  const bool binary = callee_of(b.function).binary != nullptr;
  return fmt::format("{}{}({})", prefix, name, binary ? "x, w" : "x");
}

// An interface that promises the profile removes this freedom.
constexpr Freedom kProfileFreedoms[] = {{"profile", "functions.vulkan"}};

std::span<const Freedom> freedoms_of(const Bound& b) {
  if (b.profile) return kProfileFreedoms;
  return b.format == &formats::kFp16 ? std::span<const Freedom>(kFp16Freedoms)
                                     : std::span<const Freedom>(kFp32Freedoms);
}

// Rows are views of text that is generated once, from the bounds.
struct Rows {
  std::deque<std::string> texts;
  std::vector<ContractRow> rows;
  std::vector<std::size_t> numbers;  // the row number of each bound; its edge row follows

  Rows() {
    for (const Bound& b : all_bounds()) {
      const std::string id =
          fmt::format("elementary.{}.{}.{}.{}", b.format->name, b.function, b.kind, b.rules);
      const std::string name = written(b);
      numbers.push_back(rows.size());
      rows.push_back({.id = texts.emplace_back(id),
                      .tier = Tier::kBounded,
                      .promise = texts.emplace_back(promise_of(b, name)),
                      .source = b.source,
                      .freedoms = freedoms_of(b),
                      .bound_ulps = b.ulps.rounded_up()});
      if (!has_edges(b)) continue;
      rows.push_back({.id = texts.emplace_back(id + ".edges"),
                      .tier = Tier::kBounded,  // the vendor's promise, not one of a Halfmark kernel
                      .promise = texts.emplace_back(
                          name + " of a zero or an infinity is the exact value, where that is a "
                                 "number or infinite, of a NaN NaN"),
                      .source = source_of_edges(b.rules),
                      .freedoms = callee_of(b.function).binary == nullptr
                                      ? std::span<const Freedom>()
                                      : freedoms_of(b),  // pairs also contain numbers
                      .bound_ulps = 0});
    }
  }
};

const Rows& rows() {
  static const Rows kRows;
  return kRows;
}

}  // namespace

std::span<const Bound> bounds() { return all_bounds(); }

const Bound* find_bound(std::string_view format, std::string_view rules, std::string_view kind,
                        std::string_view function) {
  for (const Bound& b : all_bounds()) {
    if (b.format->name == format && b.rules == rules && b.kind == kind && b.function == function) {
      return &b;
    }
  }
  return nullptr;
}

std::span<const ContractRow> contract() { return rows().rows; }

bool has_edges(const Bound& bound) {
  return bound.kind == "standard" && !bound.profile &&
         !(bound.rules == "opencl-c" && bound.function == "exp10");
}

const ContractRow& row_of(const Bound& bound) {
  return rows().rows.at(rows().numbers.at(static_cast<std::size_t>(&bound - all_bounds().data())));
}

const ContractRow& edge_row_of(const Bound& bound) { return *(&row_of(bound) + 1); }

std::span<const NotAssertedRow> not_asserted() { return kNotAsserted; }

}  // namespace halfmark::suites::elementary
