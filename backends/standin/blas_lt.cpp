// SPDX-License-Identifier: Apache-2.0
//
// The stand-in of a vendor's "Lt" BLAS: the software device's library with the vendor's symbols. As
// strict as the vendors' documents: objects must be live and of the right kind, attributes of the
// right size, numbers in its table, sizes consistent, memory aligned as declared, the algorithm
// chosen for this very product, and the workspace as large as requested; all of the workspace is
// written. 8-bit matrices: the first transposed and the second not, sizes and addresses multiples
// of 16 bytes, formats as the documents list them. Compiled once per vendor, with
// HM_STAND_IN_BLAS_LT_NAMES (its blas_lt_names.hpp) and HM_STAND_IN_BLAS_LT (its row).
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "backends/standin/blas_lt_rules.hpp"
#include "backends/standin/export.hpp"
#include "backends/standin/misbehaviour.hpp"
#include HM_STAND_IN_BLAS_LT_NAMES

namespace halfmark::backends::shim::standin {
namespace {

namespace library = host::library;

constexpr int kVersion = 99000;  // not a vendor's version
constexpr std::size_t kPage = 4096;

struct Algorithm {
  std::uint64_t product;
  std::array<std::uint8_t, 4> alignment;  // base-2 logarithms
  std::uint8_t computation;
  std::uint8_t workspace_pages;
  std::array<char, 2> mark{'H', 'M'};
};
static_assert(sizeof(Algorithm) == 16);  // the smallest of the vendors' structures holds 24 bytes

void choose(const Problem& p, const Preference& preference, void* results) {
  Algorithm algorithm{
      .product = digest(p),
      .alignment = {},
      .computation = computation(p.product, preference),
      .workspace_pages = preference.workspace >= kPage ? std::uint8_t{1} : std::uint8_t{0}};
  for (std::size_t i = 0; i < algorithm.alignment.size(); ++i) {
    require(std::has_single_bit(preference.alignment[i]));
    algorithm.alignment[i] = static_cast<std::uint8_t>(std::countr_zero(preference.alignment[i]));
    const bool says = lt().numbers.preference_first_alignment >= 0;
    expect_offered(!says || !is_narrow(*p.matrices()[i]) ||
                   preference.alignment[i] >= kNarrowAlignment);
  }
  const LtCompute& compute = lt().computes[algorithm.computation];
  require_sizes(p);
  require_formats(p, compute);
  require_epilogue(p);
  const LtChoice choice{
      .workspace_bytes = algorithm.workspace_pages * kPage, .state = 0, .waves = 1, .reserved = {}};
  auto* bytes = static_cast<std::byte*>(results);
  std::memcpy(bytes, &algorithm, sizeof algorithm);
  std::memcpy(bytes + lt().algorithm_bytes, &choice, sizeof choice);
}

Algorithm chosen_for(const Problem& p, const void* raw) {
  require(raw != nullptr);
  Algorithm algorithm;
  std::memcpy(&algorithm, raw, sizeof algorithm);
  require(algorithm.mark == Algorithm{}.mark && algorithm.product == digest(p));
  return algorithm;
}

void use_workspace(const Algorithm& algorithm, void* workspace, std::size_t bytes) {
  require(bytes >= algorithm.workspace_pages * kPage);
  if (bytes == 0) return;
  require(workspace != nullptr && reinterpret_cast<std::uintptr_t>(workspace) % 16 == 0);
  std::memset(workspace, 0xa5, bytes);
}

struct Addresses {
  const void *alpha, *beta;
  std::array<const void*, 4> matrices;
};

void require_addresses(const Problem& p, const Algorithm& algorithm, const Addresses& at) {
  require(at.alpha != nullptr && at.beta != nullptr);
  for (std::size_t i = 0; i < at.matrices.size(); ++i) {
    const std::uint64_t said = std::uint64_t{1} << algorithm.alignment[i];
    const std::uint64_t least = is_narrow(*p.matrices()[i]) ? kNarrowAlignment : 1;
    require(at.matrices[i] != nullptr);
    require(reinterpret_cast<std::uintptr_t>(at.matrices[i]) % std::max(said, least) == 0);
  }
}

// Views the matrix in a row-major problem, whose bias belongs to the columns of d.
library::TensorView turned_view(const char* role, const Layout& layout, const void* address,
                                bool is_transposed) {
  const auto stored_rows = static_cast<std::int64_t>(layout.rows);
  const auto stored_columns = static_cast<std::int64_t>(layout.columns);
  auto seen = view(role,
                   {.address = address,
                    .format = format_of(layout.type),
                    .is_transposed = is_transposed,
                    .ld = layout.ld,
                    .stride = layout.stride},
                   is_transposed ? stored_columns : stored_rows,
                   is_transposed ? stored_rows : stored_columns, layout.batch);
  require(seen.has_value());
  std::swap(seen->sizes[1], seen->sizes[2]);
  std::swap(seen->strides[1], seen->strides[2]);
  return *seen;
}

double scale_at(const void* address) { return address == nullptr ? 1 : scalar(address, "fp32"); }

void run(const Problem& p, const Algorithm& algorithm, const Addresses& at, const void* stream) {
  const LtCompute& compute = lt().computes[algorithm.computation];
  const LtEpilogue& epilogue = epilogue_of(p.product);
  const double d_scale = scale_at(p.product.d_scale);
  expect_offered(d_scale == 1 || &epilogue == &lt().epilogues.front());
  const double alpha = scalar(at.alpha, compute.scalars) * d_scale *
                       scale_at(p.product.first_scale) * scale_at(p.product.second_scale);
  const double beta = scalar(at.beta, compute.scalars) * d_scale;
  const auto& [first, second, c, d] = at.matrices;
  library::OperatorCall call{
      .library = {},
      .name = "gemm",
      .compute = std::string(compute.word),
      .tensors = {turned_view("a", p.second, second, is_transposed(p.product.second)),
                  turned_view("b", p.first, first, is_transposed(p.product.first)),
                  turned_view("d", p.d, d, false)},
      .scalars = {{"alpha", alpha}, {"beta", beta}},
      .options = {}};
  if (beta != 0) call.tensors.push_back(turned_view("c", p.c, c, false));
  if (epilogue.has_bias) {
    const int type = p.product.bias_type < 0 ? p.d.type : p.product.bias_type;
    auto* address = static_cast<std::byte*>(const_cast<void*>(p.product.bias));
    const std::string format = format_of(type);
    call.tensors.push_back(
        {.role = "bias",
         .buffer = {.address = address,
                    .bytes = p.d.rows * formats::find_format(format)->storage_bytes()},
         .offset_bytes = 0,
         .format = format,
         .sizes = {static_cast<std::int64_t>(p.d.rows)},
         .strides = {1}});
  }
  if (!epilogue.activation.empty())
    call.options.push_back({"activation", std::string(epilogue.activation)});
  expect_offered(run_on_software_device(call, stream));
}

template <typename Call>
Status guarded(Call&& call) noexcept {
  return standin::guarded(lt().invalid, std::forward<Call>(call));
}

#define HM_STAND_IN_ANSWER_NAME(word, enumerator, value) \
  if (status == value) return #enumerator;
const char* name_of(Status status) {
  HM_LT_DECLINES(HM_STAND_IN_ANSWER_NAME)
  HM_LT_INVALID(HM_STAND_IN_ANSWER_NAME)
  return "an answer that the stand-in never gives";
}

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): a symbol that others look for
__attribute__((visibility("default"))) extern const char halfmark_stand_in_v1[];
const char halfmark_stand_in_v1[] = "Halfmark software device";
// NOLINTEND(readability-identifier-naming)

Status standin_create(void** handle) {
  wait_while_cold("slow-library", lt().name);
  return guarded([&] { create(handle, LtHandle{}); });
}
Status standin_destroy(void* handle) {
  return guarded([&] { destroy<LtHandle>(handle); });
}
[[maybe_unused]] std::size_t standin_version() { return kVersion; }
[[maybe_unused]] Status standin_version_of(void* handle, int* version) {
  return guarded([&] {
    static_cast<void>(object<LtHandle>(handle));
    *version = kVersion;
  });
}
[[maybe_unused]] const char* standin_status_name(Status status) { return name_of(status); }

Status standin_layout_create(void** layout, int type, std::uint64_t rows, std::uint64_t columns,
                             std::int64_t ld) {
  return guarded([&] {
    static_cast<void>(format_of(type));
    create(layout, Layout{.type = type, .rows = rows, .columns = columns, .ld = ld});
  });
}
Status standin_layout_destroy(void* layout) {
  return guarded([&] { destroy<Layout>(layout); });
}
Status standin_layout_set(void* layout, int number, const void* value, std::size_t bytes) {
  return guarded([&] {
    auto& to = object<Layout>(layout);
    assign({attribute(lt().numbers.layout_batch, to.batch),
            attribute(lt().numbers.layout_stride, to.stride)},
           number, value, bytes);
  });
}
Status standin_product_create(void** product, int compute, int scalar_type) {
  return guarded([&] {
    static_cast<void>(format_of(scalar_type));
    create(product, Product{.compute = compute, .scalar_type = scalar_type});
  });
}
Status standin_product_destroy(void* product) {
  return guarded([&] { destroy<Product>(product); });
}
Status standin_product_set(void* product, int number, const void* value, std::size_t bytes) {
  return guarded([&] {
    auto& to = object<Product>(product);
    const LtNumbers& numbers = lt().numbers;
    assign(
        {attribute(numbers.product_first, to.first), attribute(numbers.product_second, to.second),
         attribute(numbers.product_epilogue, to.epilogue), attribute(numbers.product_bias, to.bias),
         attribute(numbers.product_bias_type, to.bias_type),
         attribute(numbers.product_first_scale, to.first_scale),
         attribute(numbers.product_second_scale, to.second_scale),
         attribute(numbers.product_d_scale, to.d_scale)},
        number, value, bytes);
  });
}
Status standin_preference_create(void** preference) {
  return guarded([&] { create(preference, Preference{}); });
}
Status standin_preference_destroy(void* preference) {
  return guarded([&] { destroy<Preference>(preference); });
}
Status standin_preference_set(void* preference, int number, const void* value, std::size_t bytes) {
  return guarded([&] {
    auto& to = object<Preference>(preference);
    const LtNumbers& numbers = lt().numbers;
    assign({attribute(numbers.preference_workspace, to.workspace),
            attribute(numbers.preference_reductions, to.reductions),
            attribute(numbers.preference_first_alignment, to.alignment[0]),
            attribute(numbers.preference_second_alignment, to.alignment[1]),
            attribute(numbers.preference_c_alignment, to.alignment[2]),
            attribute(numbers.preference_d_alignment, to.alignment[3])},
           number, value, bytes);
  });
}

Status standin_choose(void* handle, void* product, void* first, void* second, void* c, void* d,
                      void* preference, int wanted, void* results, int* found) {
  return guarded([&] {
    static_cast<void>(object<LtHandle>(handle));
    require(wanted > 0 && results != nullptr && found != nullptr);
    *found = 0;
    const Problem problem{.product = object<Product>(product),
                          .first = object<Layout>(first),
                          .second = object<Layout>(second),
                          .c = object<Layout>(c),
                          .d = object<Layout>(d)};
    choose(problem, object<Preference>(preference), results);
    *found = 1;
  });
}
Status standin_multiply(void* handle, void* product, const void* alpha, const void* first,
                        void* first_layout, const void* second, void* second_layout,
                        const void* beta, const void* c, void* c_layout, void* d, void* d_layout,
                        const void* algorithm, void* workspace, std::size_t workspace_bytes,
                        void* stream) {
  return guarded([&] {
    static_cast<void>(object<LtHandle>(handle));
    const Problem problem{.product = object<Product>(product),
                          .first = object<Layout>(first_layout),
                          .second = object<Layout>(second_layout),
                          .c = object<Layout>(c_layout),
                          .d = object<Layout>(d_layout)};
    const Algorithm chosen = chosen_for(problem, algorithm);
    const Addresses at{.alpha = alpha, .beta = beta, .matrices = {first, second, c, d}};
    require_addresses(problem, chosen, at);
    require_epilogue(problem);
    use_workspace(chosen, workspace, workspace_bytes);
    run(problem, chosen, at, stream);
  });
}

// The vendor's symbols.
// NOLINTBEGIN(readability-identifier-naming)
#define HM_STAND_IN_LT_CALL(role, symbol) HM_STAND_IN_EXPORT(LtCalls, role, symbol)
HM_LT_CALLS(HM_STAND_IN_LT_CALL)
HM_LT_CALLS_OPTIONAL(HM_STAND_IN_LT_CALL)
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
}  // namespace halfmark::backends::shim::standin
