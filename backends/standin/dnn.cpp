// SPDX-License-Identifier: Apache-2.0
//
// The stand-in of a vendor's library for neural networks: the software device's row operators with
// the vendor's symbols. As strict as the strictest vendor: handles and tensors must be live ones of
// this library; tensors must be set, consistent, and have four axes (for layer normalisation
// packed, with as many axes as a row needs); results must not overlap; scalars must be 1 and 0 in
// the type that the table defines. Compiled once per vendor, with HM_STAND_IN_DNN_NAMES (its
// dnn_names.hpp) and HM_STAND_IN_DNN (its row).
//
// Assumption: the driver's stand-in returns addresses of this process.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/shim/dnn_vendor.hpp"
#include "backends/standin/dnn_graph.hpp"
#include "backends/standin/dnn_objects.hpp"
#include "backends/standin/export.hpp"
#include "backends/standin/library.hpp"
#include "backends/standin/misbehaviour.hpp"
#include HM_STAND_IN_DNN_NAMES

#ifndef HM_DNN_SOFTMAX_WITHOUT
#define HM_DNN_SOFTMAX_WITHOUT ""
#endif

namespace halfmark::backends::shim::standin {
namespace {

constexpr std::array<std::size_t, 3> kVersion{99, 0, 0};  // not a vendor's version
template <typename Call>
Status guarded(Call&& call) noexcept {
  return standin::guarded(dnn().invalid, std::forward<Call>(call));
}

struct Tensor {
  const DnnType* type = nullptr;  // null: not set yet
  std::size_t axes = 0;
  std::array<std::int64_t, kAxes> sizes{}, strides{};  // 1 beyond the axes in use
};

Live<Tensor>& tensors() {
  static Live<Tensor> live;
  return live;
}

void describe(Tensor& tensor, int type, int axes, const int* sizes, const int* strides) {
  const auto row = std::ranges::find(dnn().types, type, &DnnType::number);
  const int fewest = dnn().layer_norm == nullptr ? static_cast<int>(kAxes) : 1;
  if (row == dnn().types.end() || axes < fewest || axes > static_cast<int>(kAxes)) invalid();
  tensor.axes = static_cast<std::size_t>(axes);
  tensor.sizes.fill(1);
  tensor.strides.fill(1);
  for (std::size_t i = 0; i < tensor.axes; ++i) {
    if (sizes[i] <= 0 || strides[i] <= 0) invalid();
    tensor.sizes[i] = sizes[i];
    tensor.strides[i] = strides[i];
  }
  tensor.type = &*row;
}

// Number of elements from the first to the last one, inclusive.
std::int64_t extent(const Tensor& tensor) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < kAxes; ++i) last += (tensor.sizes[i] - 1) * tensor.strides[i];
  return last + 1;
}

bool overlaps(const Tensor& tensor) {
  std::array<std::size_t, kAxes> order{0, 1, 2, 3};
  std::ranges::sort(order, {}, [&](std::size_t axis) { return tensor.strides[axis]; });
  std::int64_t reached = 1;
  for (const std::size_t axis : order) {
    if (tensor.sizes[axis] == 1) continue;
    if (tensor.strides[axis] < reached) return true;
    reached = tensor.strides[axis] * (tensor.sizes[axis] - 1) + reached;
  }
  return false;
}

struct Operand {
  const char* role;
  void* tensor;
  const void* address;
};

// An operand's axes as rows; the elements of a row are the last axis.
struct RowAxes {
  std::vector<std::int64_t> sizes, strides;
};

// Rows run over the second axis, or over all axes but the first, which must then merge in memory.
RowAxes axes_of(const Tensor& tensor, int mode) {
  const auto& [n, c, h, w] = tensor.sizes;
  const auto& [n_step, c_step, h_step, w_step] = tensor.strides;
  if (mode == dnn().channel)
    return {.sizes = {n, h, w, c}, .strides = {n_step, h_step, w_step, c_step}};
  if (mode != dnn().instance) invalid();
  if (h == 1 && w == 1) return {.sizes = {n, c}, .strides = {n_step, c_step}};
  if (h_step != w * w_step || c_step != h * h_step) decline();
  return {.sizes = {n, c * h * w}, .strides = {n_step, w_step}};
}

library::TensorView view(const Operand& operand, const RowAxes& axes) {
  const Tensor& tensor = tensors().at(operand.tensor);
  const std::string format(tensor.type->format);
  const auto bytes =
      static_cast<std::uint64_t>(extent(tensor)) * formats::find_format(format)->storage_bytes();
  auto* address = static_cast<std::byte*>(const_cast<void*>(operand.address));
  if (address == nullptr) invalid();
  return {.role = operand.role,
          .buffer = {.address = address, .bytes = bytes},
          .offset_bytes = 0,
          .format = format,
          .sizes = axes.sizes,
          .strides = axes.strides};
}

double scalar(const void* value, const DnnType& type) {
  if (value == nullptr) invalid();
  const formats::Format& format = *formats::find_format(type.scalars);
  return library::load(format, static_cast<const std::byte*>(value));
}

// result = alpha * operator(...) + beta * result; only alpha = 1 and beta = 0 are accepted.
struct Scalars {
  const void *alpha, *beta;
};

const DnnType& common_type(std::span<const Operand> operands) {
  const Tensor& first = tensors().at(operands.front().tensor);
  if (first.type == nullptr || first.axes != kAxes) invalid();
  for (const Operand& operand : operands) {
    const Tensor& tensor = tensors().at(operand.tensor);
    if (tensor.type != first.type || tensor.sizes != first.sizes) invalid();
  }
  return *first.type;
}

void run_softmax(void* handle, int algorithm, int mode, const Scalars& scalars,
                 std::span<const Operand> operands, const std::string& suffix) {
  void* const stream = handles().at(handle).stream;
  if (algorithm != dnn().accurate && algorithm != dnn().logarithm) invalid();
  const DnnType& type = common_type(operands);
  if (scalar(scalars.alpha, type) != 1 || scalar(scalars.beta, type) != 0) invalid();
  if (overlaps(tensors().at(operands.back().tensor))) invalid();
  // The software device computes rows in fp32.
  constexpr std::string_view kWithout = HM_DNN_SOFTMAX_WITHOUT;
  if (type.scalars != "fp32" || type.format == kWithout) decline();
  const std::string name = algorithm == dnn().logarithm ? "log_softmax" : "softmax";
  library::OperatorCall call{.library = {},
                             .name = name + suffix,
                             .compute = std::string(type.scalars),
                             .tensors = {},
                             .scalars = {},
                             .options = {}};
  for (const Operand& operand : operands)
    call.tensors.push_back(view(operand, axes_of(tensors().at(operand.tensor), mode)));
  if (!run_on_software_device(call, stream)) decline();
}

// Requires a packed tensor of these sizes in the format of sums.
void require_packed(const Operand& operand, const std::vector<std::int64_t>& sizes) {
  const Tensor& tensor = tensors().at(operand.tensor);
  if (tensor.type == nullptr || tensor.axes != sizes.size()) invalid();
  if (tensor.type->format != tensor.type->scalars) decline();
  std::int64_t count = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0; count *= sizes[axis]) {
    if (tensor.sizes[axis] != sizes[axis]) invalid();
    if (tensor.strides[axis] != count) decline();
  }
}

// Operands in the order of the call; rows along the first axis of x, their elements along
// its second.
[[maybe_unused]] void run_layer_norm(void* handle, int mode, float eps, std::int32_t axis,
                                     std::span<const Operand> operands) {
  void* const stream = handles().at(handle).stream;
  if (dnn().layer_norm == nullptr || mode != dnn().layer_norm->scaled) invalid();
  const Tensor& x = tensors().at(operands.front().tensor);
  if (x.axes != 2 || axis != 1) invalid();
  library::OperatorCall call{.library = {},
                             .name = "layernorm",
                             .compute = "fp32",
                             .tensors = {},
                             .scalars = {{"eps", static_cast<double>(eps)}},
                             .options = {}};
  for (const Operand& operand : operands) {
    const std::string_view role = operand.role;
    RowAxes axes{.sizes = {x.sizes[0], x.sizes[1]}, .strides = {x.sizes[1], 1}};
    if (role != "x" && role != "y") {
      const bool per_row = role == "mean" || role == "rstd";
      axes = {.sizes = {x.sizes[per_row ? 0 : 1]}, .strides = {1}};
    }
    require_packed(operand, axes.sizes);
    call.tensors.push_back(view(operand, axes));
  }
  if (!run_on_software_device(call, stream)) decline();
}

#define HM_STAND_IN_DNN_ANSWER(word, enumerator, value, last) \
  if (status == value) return #enumerator;
const char* name_of(Status status) {
  HM_DNN_DECLINES(HM_STAND_IN_DNN_ANSWER)
  return status == dnn().invalid ? dnn().invalid_name.data()
                                 : "an answer that the stand-in never gives";
}

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): a symbol that others look for
__attribute__((visibility("default"))) extern const char halfmark_stand_in_v1[];
const char halfmark_stand_in_v1[] = "Halfmark software device";
// NOLINTEND(readability-identifier-naming)

Status standin_create(void** handle) {
  wait_while_cold("slow-library", dnn().name);
  return guarded([&] { *handle = handles().add(); });
}
Status standin_destroy(void* handle) {
  return guarded([&] { handles().remove(handle); });
}
Status standin_set_stream(void* handle, void* stream) {
  return guarded([&] { handles().at(handle).stream = stream; });
}
[[maybe_unused]] Status standin_version_part(int part, int* value) {
  return guarded([&] { *value = static_cast<int>(kVersion.at(static_cast<std::size_t>(part))); });
}
[[maybe_unused]] Status standin_version_parts(std::size_t* major, std::size_t* minor,
                                              std::size_t* patch) {
  *major = kVersion[0];
  *minor = kVersion[1];
  *patch = kVersion[2];
  return 0;
}
const char* standin_status_name(Status status) { return name_of(status); }
[[maybe_unused]] void standin_last_words(char* text, std::size_t bytes) {
  constexpr std::string_view kWords = "no further message from the stand-in";
  const std::size_t count = std::min(bytes - 1, kWords.size());
  std::memcpy(text, kWords.data(), count);
  text[count] = '\0';
}
Status standin_create_tensor(void** tensor) {
  return guarded([&] { *tensor = tensors().add(); });
}
Status standin_destroy_tensor(void* tensor) {
  return guarded([&] { tensors().remove(tensor); });
}
Status standin_describe_tensor(void* tensor, int type, int axes, const int* sizes,
                               const int* strides) {
  return guarded([&] { describe(tensors().at(tensor), type, axes, sizes, strides); });
}

[[maybe_unused]] Status standin_softmax_algorithm_first(void* handle, int algorithm, int mode,
                                                        const void* alpha, void* x_tensor,
                                                        const void* x, const void* beta,
                                                        void* y_tensor, void* y) {
  return guarded([&] {
    const Operand operands[] = {{"x", x_tensor, x}, {"y", y_tensor, y}};
    run_softmax(handle, algorithm, mode, {alpha, beta}, operands, "");
  });
}
[[maybe_unused]] Status standin_softmax_algorithm_last(void* handle, const void* alpha,
                                                       void* x_tensor, const void* x,
                                                       const void* beta, void* y_tensor, void* y,
                                                       int algorithm, int mode) {
  return standin_softmax_algorithm_first(handle, algorithm, mode, alpha, x_tensor, x, beta,
                                         y_tensor, y);
}
[[maybe_unused]] Status standin_softmax_backward_algorithm_first(
    void* handle, int algorithm, int mode, const void* alpha, void* y_tensor, const void* y,
    void* dy_tensor, const void* dy, const void* beta, void* dx_tensor, void* dx) {
  return guarded([&] {
    const Operand operands[] = {{"y", y_tensor, y}, {"dy", dy_tensor, dy}, {"dx", dx_tensor, dx}};
    run_softmax(handle, algorithm, mode, {alpha, beta}, operands, "_backward");
  });
}
[[maybe_unused]] Status standin_softmax_backward_algorithm_last(void* handle, const void* alpha,
                                                                void* y_tensor, const void* y,
                                                                void* dy_tensor, const void* dy,
                                                                const void* beta, void* dx_tensor,
                                                                void* dx, int algorithm, int mode) {
  return standin_softmax_backward_algorithm_first(handle, algorithm, mode, alpha, y_tensor, y,
                                                  dy_tensor, dy, beta, dx_tensor, dx);
}

[[maybe_unused]] Status standin_layer_norm_forward(void* handle, int mode, void* x_tensor,
                                                   const void* x, void* gamma_tensor,
                                                   const void* gamma, void* beta_tensor,
                                                   const void* beta, float eps, std::int32_t axis,
                                                   void* y_tensor, void* y, void* mean_tensor,
                                                   void* mean, void* rstd_tensor, void* rstd) {
  return guarded([&] {
    const Operand operands[] = {{"x", x_tensor, x},          {"gamma", gamma_tensor, gamma},
                                {"beta", beta_tensor, beta}, {"y", y_tensor, y},
                                {"mean", mean_tensor, mean}, {"rstd", rstd_tensor, rstd}};
    run_layer_norm(handle, mode, eps, axis, operands);
  });
}

[[maybe_unused]] Status standin_create_descriptor(int kind, void** descriptor) {
  return guarded([&] {
    void* raw = descriptors().add();
    descriptors().at(raw).kind = kind;
    *descriptor = raw;
  });
}
[[maybe_unused]] Status standin_destroy_descriptor(void* descriptor) {
  return guarded([&] { descriptors().remove(descriptor); });
}
[[maybe_unused]] Status standin_set_attribute(void* descriptor, int attribute, int type,
                                              std::int64_t count, const void* from) {
  return guarded(
      [&] { set_attribute(descriptors().at(descriptor), attribute, type, count, from); });
}
[[maybe_unused]] Status standin_get_attribute(void* descriptor, int attribute, int type,
                                              std::int64_t most, std::int64_t* count, void* into) {
  return guarded(
      [&] { get_attribute(descriptors().at(descriptor), attribute, type, most, count, into); });
}
[[maybe_unused]] Status standin_finalise(void* descriptor) {
  return guarded([&] { finalise(descriptors().at(descriptor)); });
}
[[maybe_unused]] Status standin_execute(void* handle, void* plan, void* variant_pack) {
  return guarded([&] { execute(handle, descriptors().at(plan), descriptors().at(variant_pack)); });
}

// The vendor's symbols.
// NOLINTBEGIN(readability-identifier-naming)
#define HM_STAND_IN_DNN_CALL(role, symbol) HM_STAND_IN_EXPORT(DnnCalls, role, symbol)
HM_DNN_CALLS(HM_STAND_IN_DNN_CALL)
HM_DNN_CALLS_OPTIONAL(HM_STAND_IN_DNN_CALL)
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
}  // namespace halfmark::backends::shim::standin
