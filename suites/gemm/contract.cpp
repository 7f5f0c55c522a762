// SPDX-License-Identifier: Apache-2.0
// What gemm asserts, and who promises it. A case on data whose partial sums are all representable
// asserts the unique result; libraries and units have rows of their own for that, with more
// freedoms. Every other case asserts, for the kernel, the evaluation specified in
// reference/operators/gemm.hpp, and for a library the possible results of a sum in the
// accumulator's format in any order.
//
// With fp16 operands and an fp32 accumulator the freedom to flush has no effect: products are
// multiples of 2^-48, so the sum is never an fp32 subnormal.
#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "reference/formats/classify.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr std::string_view kUnique =
    "IEEE 754-2019, 5.4.1 and 4.3.1: each operation returns the exact result whenever it is "
    "representable";
constexpr std::string_view kSpecification =
    "Halfmark kernel specification, reference/operators/gemm.hpp, steps 1 to 4; IEEE 754-2019, "
    "5.4.1 fusedMultiplyAdd "
    "and convertFormat, roundTiesToEven";
constexpr std::string_view kHalfStorage =
    "Halfmark kernel specification, reference/operators/gemm.hpp, steps 1 to 4; IEEE 754-2019, "
    "5.4.1; OpenCL C 1.2, "
    "6.1.1.1: conversions of half are exact to float and correctly rounded from it";

constexpr std::string_view kRepresentable =
    "every partial sum is representable, so D is the exact result, stored with one rounding, in "
    "any order";
constexpr std::string_view kSpecial =
    "a NaN, infinity times zero and infinity less infinity make a NaN, an infinity else makes an "
    "infinity; sums without them are exact";
constexpr std::string_view kOfSpecial = "IEEE 754-2019, 6.1, 6.2 and 7.2; 5.4.1";
constexpr std::string_view kOneProduct = "each output is one product, stored with one rounding";

// As gemm.library.bound has them, but for the NaN of a ReLU: no activation follows here.
constexpr Freedom kLibraryFreedoms[] = {{"operation_subnormals", "fp32.subnormals"},
                                        {"conversion_subnormals", "fp32.subnormals"},
                                        {"signed_zero", "fp32.signed_zero"},
                                        {"internal_precision", "products.internal_precision"}};
// A library that is asked for fp16 sums may have wider ones, and convert.
constexpr Freedom kLibraryFp16Freedoms[] = {kFp16Freedoms[0],
                                            kFp16Freedoms[1],
                                            kFp16Freedoms[2],
                                            {"conversion_subnormals", "fp32.subnormals"}};

constexpr ContractRow row(std::string_view id, Tier tier, std::string_view promise,
                          std::string_view source,
                          std::span<const Freedom> freedoms = kFp32Freedoms) {
  return {.id = id,
          .tier = tier,
          .promise = promise,
          .source = source,
          .freedoms = freedoms,
          .bound_ulps = 0};
}

constexpr ContractRow kRows[] = {
    row("gemm.exact.representable", Tier::kExact, kRepresentable, kUnique),
    row("gemm.exact.special", Tier::kExact, kSpecial, kOfSpecial),
    row("gemm.exact.permutation.acc-fp32.fp16", Tier::kExact, kOneProduct, kUnique),
    row("gemm.exact.permutation.acc-fp32.bf16", Tier::kExact, kOneProduct, kUnique),
    row("gemm.exact.permutation.acc-fp32.fp32", Tier::kExact, kOneProduct, kUnique),
    row("gemm.exact.permutation.acc-fp16.fp16", Tier::kExact, kOneProduct, kUnique, kFp16Freedoms),
    row("gemm.library.exact.representable", Tier::kExact, kRepresentable, kUnique,
        kLibraryFreedoms),
    row("gemm.library.exact.special", Tier::kExact, kSpecial, kOfSpecial, kLibraryFreedoms),
    row("gemm.library.exact.permutation.acc-fp16.fp16", Tier::kExact, kOneProduct, kUnique,
        kLibraryFp16Freedoms),
    row("gemm.library.exact.permutation", Tier::kExact, kOneProduct, kUnique, kLibraryFreedoms),
    row("gemm.exact.epilogue", Tier::kExact,
        "every partial sum is representable, and with the bias, too; D is that number, or after "
        "ReLU zero where it is negative, stored with one rounding; zeros of ReLU of either sign "
        "are equal",
        kUnique, kProductFreedoms),
    row("gemm.specified.acc-fp32.fp16", Tier::kSpecified,
        "fp16 operands, one fp32 fma per term with k ascending, scaled in fp32, stored with one "
        "rounding",
        kHalfStorage),
    row("gemm.specified.acc-fp32.bf16", Tier::kSpecified,
        "bf16 operands, one fp32 fma per term with k ascending, scaled in fp32, stored with one "
        "rounding",
        kSpecification),
    row("gemm.specified.acc-fp32.fp32", Tier::kSpecified,
        "fp32 operands, one fp32 fma per term with k ascending, scaled in fp32, stored with one "
        "rounding",
        kSpecification),
    row("gemm.specified.acc-fp16.fp16", Tier::kSpecified,
        "fp16 operands, one fp16 fma per term with k ascending, scaled in fp32, stored with one "
        "rounding",
        kSpecification, kFp16Freedoms),
    row("gemm.library.bound.acc-fp16.fp16", Tier::kBounded,
        "each result is one that fp16 sums of its terms can have in some order, products rounded "
        "or "
        "not, or wider sums, scaled in fp16 or wider, stored with one rounding",
        "Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, lemma 3.1 and "
        "section 4.2, with the unit roundoff 2^-11: the error of a sum in any order; IEEE "
        "754-2019, "
        "5.4.1 and table 3.5",
        kLibraryFp16Freedoms),
    row("gemm.library.bound", Tier::kBounded,
        "each result is one that fp32 sums of its terms can have in some order, or for a single "
        "instruction of a matrix unit, and for a library's product in 8 bits, as far off as any "
        "known unit may be, scaled in fp32, stored with one rounding",
        "Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, lemma 3.1 and "
        "section 4.2: the error of a sum in any order; Blanchard et al., SIAM J. Sci. Comput. 42, "
        "2020, and Fasi et al., PeerJ Comput. Sci. 7, e330, 2021: of block sums; DeepSeek-AI, "
        "DeepSeek-V3 Technical Report, arXiv:2412.19437, 3.3.2: of 8-bit operands with 14 bits; "
        "IEEE 754-2019, 5.4.1",
        kProductFreedoms),
    row("gemm.related", Tier::kExact,
        "8 A times B is 8 times A times B, bit for bit; of the first, the case's other row holds",
        "IEEE 754-2019, 4.3.1: rounding is relative where nothing is subnormal or overflows, so a "
        "power of two goes through every sum, in whatever order and width, of aligned and "
        "truncated terms, too; Higham, Accuracy and Stability of Numerical Algorithms, 2nd "
        "edition, 2.1. (Not so a sign: there are matrix units that round downwards)",
        {}),
    row("gemm.library.activation.bound", Tier::kBounded,
        "each result is what an fp32 evaluation of the activation, its functions within 2 ulp, may "
        "give of a number within gemm.library.bound before its store, stored with one rounding",
        "gemm.library.bound; activation.gelu.bound, both derived in suites/core/bounds/gelu.cpp "
        "with "
        "SiLU's; Hendrycks and Gimpel, Gaussian Error Linear Units, arXiv:1606.08415",
        kActivatedFreedoms),
    row("gemm.modelled", Tier::kModelled,
        "each result is the one that the arithmetic found by probes gives, scaled as its name says "
        "(in fp32 where it says nothing), activated as "
        "suites/gemm/epilogue.hpp has it, and stored with one rounding, bit for bit",
        "Halfmark, reference/inference: nobody specifies the sum; what was found stands in the "
        "scorecard's list of arithmetics"),
};

consteval const ContractRow& find(std::string_view id) { return row_with_id(kRows, id); }

// Rows that differ in the formats at the end of their ids; one without formats is of all others.
struct Family {
  std::string_view name;

  consteval explicit Family(std::string_view n) : name(n) {
    for (const ContractRow& candidate : kRows) {
      if (candidate.id.starts_with(n)) return;
    }
    throw "no contract row belongs to this family";
  }

  [[nodiscard]] const ContractRow& find(const Binding& bound) const {
    const std::string id =
        fmt::format("{}.acc-{}.{}", name, bound.accumulator->name, bound.operands->name);
    for (const ContractRow& candidate : kRows) {
      if (candidate.id == name || candidate.id == id) return candidate;
    }
    throw std::logic_error("no contract row " + id);
  }
};

// Scaling by a power of two and adding C times one preserve exactness; other scalars round.
bool scales_exactly(const Variant& variant) {
  constexpr formats::Bits kOne = 0x3f800000, kEighth = 0x3e000000;
  if (!variant.scaled) return true;
  if (!formats::is_zero(formats::kFp32, variant.beta)) {
    return variant.alpha == kOne && variant.beta == kOne;
  }
  return variant.alpha == kOne || variant.alpha == kEighth;
}

// Whether integers up to `size`, in units of the last place, fit the accumulator.
bool holds(const Binding& bound, std::uint64_t size) {
  return size <= std::uint64_t{1} << bound.accumulator->precision();
}

// Sums of whole numbers, with C and the bias.
bool partial_sums_are_representable(const Binding& bound) {
  const std::uint64_t k = bound.problem.k;
  constexpr std::uint64_t kAdded = 4 + 127;
  constexpr std::uint64_t kWideAdded = 2047 + 127;
  if (bound.fill == "integer" || bound.fill == "positive" || bound.fill == "nonfinite")
    return holds(bound, 16 * k + kAdded);
  if (bound.fill == "wide") return holds(bound, 31 * 31 * k + kWideAdded);
  // A single term; for 8-bit operands and tf32, where units have accumulators of their own,
  // as well.
  if (bound.fill == "permutation")
    return bound.operands->storage_bytes() == 1 || *bound.operands == formats::kTf32;
  if (bound.fill == "large") return holds(bound, 127 * 127 * k + kAdded);
  if (bound.fill == "ones") return holds(bound, 4 * k + kAdded);
  if (bound.fill == "zeros") return holds(bound, 64 + kAdded);
  // Terms of at most 2 in units of 2^-12; see inputs.cpp.
  if (bound.fill == "splitk") return holds(bound, k << 12) && bound.operands->precision() >= 11;
  // v, a last place and nearly half a last place, rounded only when D is narrower than
  // the accumulator.
  return bound.fill == "ties" && bound.output->precision() < bound.accumulator->precision();
}

}  // namespace

std::span<const ContractRow> contract() { return kRows; }

const ContractRow& modelled_row() { return find("gemm.modelled"); }

std::optional<Relation> relation(const Case& c) {
  const Binding bound = bind(c);
  if (bound.fill != "related") return std::nullopt;
  return Relation{.row = &find("gemm.related"),
                  .first = "8 (A B)",
                  .second = "(8 A) B",
                  .operands = {{.tensor = "a", .exponent = 3}},
                  .results = {{.tensor = "d", .exponent = 3}}};
}

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  return contract_row_of(bind(c));
}

namespace {

const ContractRow& representable_row(const Binding& bound) {
  return bound.is_portable() ? find("gemm.exact.representable")
                             : find("gemm.library.exact.representable");
}

const ContractRow& special_row(const Binding& bound) {
  return bound.is_portable() ? find("gemm.exact.special") : find("gemm.library.exact.special");
}

const ContractRow& permutation_row(const Binding& bound) {
  return (bound.is_portable() ? Family("gemm.exact.permutation")
                              : Family("gemm.library.exact.permutation"))
      .find(bound);
}

}  // namespace

const ContractRow& contract_row_of(const Binding& bound) {
  if (is_smooth(bound.variant->activation)) return find("gemm.library.activation.bound");
  // Without terms D is beta * C: one product, rounded when it is stored, and exact before that if
  // beta is a power of two.
  const bool has_exact_scalars = scales_exactly(*bound.variant) || bound.variant->name == "minus2c";
  if (bound.problem.k == 0 && (bound.is_portable() || has_exact_scalars))
    return representable_row(bound);
  if (scales_exactly(*bound.variant)) {
    const bool adds_c = !formats::is_zero(formats::kFp32, bound.variant->beta);
    const bool alone = !adds_c && !bound.variant->bias;
    const bool whole = bound.fill == "integer" || bound.fill == "positive" ||
                       bound.fill == "ones" || bound.fill == "wide" || bound.fill == "large" ||
                       bound.fill == "zeros";
    if (partial_sums_are_representable(bound) && (alone || whole)) {
      if (!bound.variant->plain_epilogue()) return find("gemm.exact.epilogue");
      return bound.fill == "nonfinite" ? special_row(bound) : representable_row(bound);
    }
    if (alone && (bound.fill == "permutation" || bound.fill == "shrunk"))
      return permutation_row(bound);
  }
  return (bound.is_portable() ? Family("gemm.specified") : Family("gemm.library.bound"))
      .find(bound);
}

Expectation with_zeros_of_relu(const Binding& bound, TensorSet only) {
  const bool is_open =
      bound.variant->activation == Activation::kRelu && contract_row_of(bound).tier == Tier::kExact;
  if (!is_open) return {std::move(only)};
  return {only, Enclosure{only, only}};
}

}  // namespace halfmark::suites::gemm
