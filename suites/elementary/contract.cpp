// SPDX-License-Identifier: Apache-2.0
// Which document bounds which function by how much; rows.cpp makes the contract's rows of it.
#include "suites/elementary/contract.hpp"

#include <algorithm>
#include <vector>

namespace halfmark::suites::elementary {
namespace {

// A document, and what its errors are measured from.
struct Source {
  std::string_view text;
  Origin origin;
};

constexpr Source kOpenCl{
    "OpenCL C 1.2, 7.4 relative error as ULPs, single precision, full profile; the same in OpenCL "
    "C 3.0.19, 7.4",
    Origin::kExact};
constexpr Source kFast{
    "OpenCL C 1.2, 7.4: half_ functions <= 8192 ulp; 6.12.2: they may flush subnormals always",
    Origin::kExact};
// Both count from the correctly rounded result: the guide says so of its table, and the library's
// tests compare with it.
constexpr Source kCuda{
    "CUDA C++ Programming Guide 12, mathematical functions: single precision, maximum ULP error "
    "over the full range, between a correctly rounded result and the function's (by extensive "
    "tests, as it says, not by proof)",
    Origin::kRounded};
constexpr Source kCuda13{
    "CUDA C++ Programming Guide 13, 17.1 standard functions, table 17: single precision, maximum "
    "ULP error over the full range, between a correctly rounded result and the function's (by "
    "extensive tests, as it says, not by proof)",
    Origin::kRounded};
constexpr Source kCudaRounded{
    "CUDA C++ Programming Guide 13, 17.1 standard functions, table 17: x/y, 1/x and sqrtf(x) have "
    "no error when compiled with -prec-div=true and -prec-sqrt=true, the defaults",
    Origin::kRounded};
// Revisions of the guide differ in these functions; the larger bounds are asserted, since the
// run-time compiler may be of an older release.
constexpr Source kOlderCuda{
    "CUDA C Programming Guide 10, appendix E.1: single precision, maximum ULP error over the full "
    "range, between a correctly rounded result and the function's (by extensive tests, as it says, "
    "not by proof)",
    Origin::kRounded};
constexpr Source kLibrary{
    "The GNU C Library manual 2.36, 19.7 known maximum errors in math functions, x86_64: by tests, "
    "as it says, which compare with correctly rounded results (sysdeps/x86_64/fpu/libm-test-ulps)",
    Origin::kRounded};
constexpr Source kLibraryRoot{
    "ISO C 2011, F.3 and F.10.4.5: 1 / sqrt(x) is two operations, each correctly rounded, at most "
    "1.5 ULP together",
    Origin::kExact};

constexpr Source kIsoC{
    "ISO C 2011, F.3: / and sqrt are IEC 60559's operations, correctly rounded; F.10.7.1 and "
    "F.10.7.2: fmod and remainder are exact",
    Origin::kRounded};

constexpr Source kVulkan{
    "Vulkan 1.3, appendix A (SPIR-V environment), precision of GLSL.std.450 instructions, single "
    "precision, undecorated; as of revision 012db30f of Vulkan-Docs",
    Origin::kExact};

constexpr Source kOpenClHalf{
    "OpenCL SPIR-V Environment Specification 2.2, relative error as ULPs, Float16, full profile; "
    "OpenCL 1.2 Extensions, 9.5 cl_khr_fp16",
    Origin::kExact};
constexpr Source kOpenClHalfTan{
    "OpenCL C 3.0, 7.4 relative error as ULPs, half precision, full profile: tan <= 2.5 ulp, by "
    "OpenCL-Docs 1387 (2 ulp before)",
    Origin::kExact};
constexpr Source kLibraryHalf{
    "The GNU C Library manual 2.36, 19.7: at most 3 ULP in binary32, of which 2^13 are one of "
    "binary16; ISO C 2011, F.3: the conversion is correctly rounded, so to the rounded result or "
    "its neighbour",
    Origin::kRounded};
constexpr Source kIsoCHalf{
    "ISO C 2011, F.10.7.1 and F.10.7.2: fmod and remainder are exact, and of binary16 operands "
    "numbers of binary16",
    Origin::kRounded};

struct FunctionBound {
  std::string_view function;
  Ulps ulps;
  const Source* source = nullptr;  // where it is not that of the specification
  Shape shape = Shape::kConstant;
};

constexpr FunctionBound kOpenClFunctions[] = {
    {"exp", 3},
    {"exp2", 3},
    {"log", 3},
    {"log2", 3},
    {"rsqrt", 2},
    {"tanh", 5},
    {"erf", 16},
    {"sin", 4},
    {"cos", 4},
    {"tan", 5},
    {"asin", 4},
    {"acos", 4},
    {"atan", 5},
    {"sinh", 4},
    {"cosh", 4},
    {"exp10", 3},
    {"expm1", 3},
    {"log10", 3},
    {"log1p", 2},
    {"cbrt", 2},
    {"erfc", 16},
    {"sqrt", 3},
    {"recip", Ulps::and_a_half(2)},
    {"div", Ulps::and_a_half(2)},
    {"pow", 16},
    {"pown", 16},
    {"powr", 16},
    {"atan2", 6},
    {"hypot", 4},
    {"fmod", 0},
    {"remainder", 0},
    {"sinpi", 4},
    {"cospi", 4},
};
constexpr FunctionBound kFastFunctions[] = {
    {"exp", 8192},   {"exp2", 8192},  {"exp10", 8192}, {"log", 8192}, {"log2", 8192},
    {"log10", 8192}, {"rsqrt", 8192}, {"sin", 8192},   {"cos", 8192}, {"tan", 8192},
    {"sqrt", 8192},  {"recip", 8192}, {"div", 8192},   {"powr", 8192}};
constexpr FunctionBound kCudaFunctions[] = {
    {"exp", 2},
    {"exp2", 2},
    {"log", 1},
    {"log2", 1},
    {"rsqrt", 2},
    {"tanh", 2},
    {"erf", 2},
    {"sin", 2},
    {"cos", 2},
    {"tan", 4},
    {"asin", 4, &kOlderCuda},
    {"acos", 3, &kOlderCuda},
    {"atan", 2},
    {"sinh", 3},
    {"cosh", 2},
    {"exp10", 2},
    {"expm1", 1},
    {"log10", 2},
    {"log1p", 1},
    {"cbrt", 1},
    {"erfc", 4},
    {"sinpi", 2, &kOlderCuda},
    {"cospi", 2, &kOlderCuda},
    {"sqrt", 0, &kCudaRounded},
    {"recip", 0, &kCudaRounded},
    {"div", 0, &kCudaRounded},
    {"pow", 8, &kOlderCuda},
    {"atan2", 3, &kCuda13},
    {"hypot", 3, &kCuda13},
    {"fmod", 0, &kCuda13},
    {"remainder", 0, &kCuda13},
};
constexpr FunctionBound kLibraryFunctions[] = {
    {"exp", 1},
    {"exp2", 1},
    {"log", 1},
    {"log2", 1},
    {"rsqrt", 2, &kLibraryRoot},
    {"tanh", 2},
    {"erf", 1},
    {"sin", 1},
    {"cos", 1},
    {"tan", 1},
    {"asin", 1},
    {"acos", 1},
    {"atan", 1},
    {"sinh", 2},
    {"cosh", 2},
    {"exp10", 1},
    {"expm1", 1},
    {"log10", 2},
    {"log1p", 1},
    {"cbrt", 1},
    {"erfc", 3},
    {"sqrt", 0, &kIsoC},
    {"recip", 0, &kIsoC},
    {"div", 0, &kIsoC},
    {"pow", 1},
    {"atan2", 1},
    {"hypot", 1},
    {"fmod", 0, &kIsoC},
    {"remainder", 0, &kIsoC},
};
constexpr FunctionBound kVulkanFunctions[] = {
    {.function = "exp", .ulps = 3, .shape = Shape::kGrowing},
    {.function = "exp2", .ulps = 3, .shape = Shape::kGrowing},
    {.function = "log", .ulps = 3, .shape = Shape::kNearOne},
    {.function = "log2", .ulps = 3, .shape = Shape::kNearOne},
    {"rsqrt", 2},
    {.function = "sin", .ulps = 0, .shape = Shape::kOneCircle},
    {.function = "cos", .ulps = 0, .shape = Shape::kOneCircle},
    {"atan", 4096},
    {"atan2", 4096},
    {"div", Ulps::and_a_half(2)},
};
constexpr FunctionBound kOpenClHalfFunctions[] = {
    {"exp", 2},       {"exp2", 2},  {"exp10", 2},
    {"expm1", 2},     {"log", 2},   {"log2", 2},
    {"log10", 2},     {"log1p", 2}, {"tanh", 2},
    {"erf", 4},       {"erfc", 4},  {"sin", 2},
    {"cos", 2},       {"asin", 2},  {"acos", 2},
    {"atan", 2},      {"sinh", 2},  {"tan", Ulps::and_a_half(2), &kOpenClHalfTan},
    {"cosh", 2},      {"cbrt", 2},  {"pow", 4},
    {"atan2", 2},     {"hypot", 2}, {"fmod", 0},
    {"remainder", 0}, {"rsqrt", 1}, {"sinpi", 2},
    {"cospi", 2},     {"powr", 4},  {"pown", 4}};
constexpr FunctionBound kLibraryHalfFunctions[] = {{"exp", 1},
                                                   {"exp2", 1},
                                                   {"exp10", 1},
                                                   {"expm1", 1},
                                                   {"log", 1},
                                                   {"log2", 1},
                                                   {"log10", 1},
                                                   {"log1p", 1},
                                                   {"tanh", 1},
                                                   {"erf", 1},
                                                   {"erfc", 1},
                                                   {"sin", 1},
                                                   {"cos", 1},
                                                   {"tan", 1},
                                                   {"asin", 1},
                                                   {"acos", 1},
                                                   {"atan", 1},
                                                   {"sinh", 1},
                                                   {"cosh", 1},
                                                   {"cbrt", 1},
                                                   {"pow", 1},
                                                   {"atan2", 1},
                                                   {"hypot", 1},
                                                   {"fmod", 0, &kIsoCHalf},
                                                   {"remainder", 0, &kIsoCHalf}};

struct Specification {
  std::string_view rules, kind;
  const Source* source;
  std::span<const FunctionBound> functions;
  bool profile = false;
  const formats::Format* format = &formats::kFp32;
};

constexpr Specification kSpecifications[] = {
    {.rules = "opencl-c", .kind = "standard", .source = &kOpenCl, .functions = kOpenClFunctions},
    {.rules = "opencl-c", .kind = "half", .source = &kFast, .functions = kFastFunctions},
    {.rules = "cuda-c", .kind = "standard", .source = &kCuda, .functions = kCudaFunctions},
    {.rules = "libm", .kind = "standard", .source = &kLibrary, .functions = kLibraryFunctions},
    {.rules = "vulkan",
     .kind = "standard",
     .source = &kVulkan,
     .functions = kVulkanFunctions,
     .profile = true},
    {.rules = "opencl-c",
     .kind = "standard",
     .source = &kOpenClHalf,
     .functions = kOpenClHalfFunctions,
     .format = &formats::kFp16},
    {.rules = "libm",
     .kind = "standard",
     .source = &kLibraryHalf,
     .functions = kLibraryHalfFunctions,
     .format = &formats::kFp16},
};

std::vector<Bound> make_bounds() {
  std::vector<Bound> all;
  for (const Specification& s : kSpecifications) {
    for (const FunctionBound& f : s.functions) {
      const Source& source = f.source == nullptr ? *s.source : *f.source;
      all.push_back({.rules = s.rules,
                     .kind = s.kind,
                     .function = f.function,
                     .ulps = f.ulps,
                     .source = source.text,
                     .origin = source.origin,
                     .shape = f.shape,
                     .profile = s.profile,
                     .format = s.format});
    }
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
    {"half_recip, half_divide and half_rsqrt of zeros and infinities",
     "OpenCL C 1.2, 7.5.1: half_ functions have the edge cases of the functions of the same name, "
     "and 7.5 names no recip, divide or rsqrt"},
    {"half_sin, half_cos and half_tan beyond 2^16",
     "OpenCL C 1.2, 6.12.2: they need not be defined"},
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
    {"rsqrt of -0, and in OpenCL C more of rsqrt of +0 and infinities than its bound",
     "OpenCL C 1.2, 7.5, and ISO C 1999, F.9, to which it refers, say nothing of rsqrt"},
};

// Of all functions of a kind, or of one; the first row that fits.
struct Edges {
  std::string_view rules, source;
  std::string_view kind = "standard", function = {};
};
constexpr std::string_view kBeyondIsoC =
    "OpenCL C 1.2, 7.5.1 additional requirements beyond C99 TC2";
constexpr Edges kEdges[] = {
    {"opencl-c", kBeyondIsoC, "standard", "sinpi"},
    {"opencl-c", kBeyondIsoC, "standard", "cospi"},
    {"opencl-c", kBeyondIsoC, "standard", "powr"},
    {"opencl-c", kBeyondIsoC, "standard", "pown"},
    {"opencl-c",
     "OpenCL C 3.0, 7.5.1 additional requirements beyond C99 TC2; of zeros the same section of the "
     "OpenCL SPIR-V Environment Specification",
     "standard", "exp10"},
    {"opencl-c", "OpenCL C 1.2, 7.5 edge case behavior: as ISO/IEC 9899:1999 TC2, F.9"},
    {"opencl-c",
     "OpenCL C 1.2, 7.5.1: half_ functions have the edge cases of the functions of the same name, "
     "of ISO/IEC 9899:1999 TC2, F.9, and of 7.5.1 itself",
     "half"},
    {"cuda-c",
     "CUDA Math API 12, single precision functions: their values at zeros and infinities"},
    {"libm", "ISO/IEC 9899:2011, F.10 mathematics"},
};

// What no clause gives edges.
struct WithoutEdges {
  std::string_view rules, kind, function;
};
constexpr WithoutEdges kWithoutEdges[] = {{"opencl-c", "standard", "rsqrt"},
                                          {"opencl-c", "half", "rsqrt"},
                                          {"opencl-c", "half", "recip"},
                                          {"opencl-c", "half", "div"}};

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

bool has_edges(const Bound& bound) {
  return !bound.profile && std::ranges::none_of(kWithoutEdges, [&](const WithoutEdges& w) {
    return w.rules == bound.rules && w.kind == bound.kind && w.function == bound.function;
  });
}

bool has_exact_zeros(const Bound& bound) {
  return bound.rules == "opencl-c" && (bound.function == "sinpi" || bound.function == "cospi");
}

std::string_view source_of_edges(const Bound& bound) {
  for (const Edges& e : kEdges) {
    const bool fits = e.function.empty() || e.function == bound.function;
    if (e.rules == bound.rules && e.kind == bound.kind && fits) return e.source;
  }
  return "";
}

std::span<const NotAssertedRow> not_asserted() { return kNotAsserted; }

}  // namespace halfmark::suites::elementary
