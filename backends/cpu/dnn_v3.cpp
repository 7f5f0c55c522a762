// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 3: descriptions are handles, and a primitive's description is made in one call.
#include <cstddef>
#include <type_traits>

#include "backends/cpu/dnn_forms.hpp"

namespace halfmark::backends::cpu::dnn {
namespace {

struct V3Calls {
#define HM_DNN_MEMBER(symbol, type) std::type_identity_t<type> symbol = nullptr;
  HM_DNN_V3_CALLS(HM_DNN_MEMBER)
  HM_DNN_V3_CALLS_OPTIONAL(HM_DNN_MEMBER)
#undef HM_DNN_MEMBER
};

#define HM_DNN_REQUIRED(symbol, type) {#symbol, offsetof(V3Calls, symbol), true},
#define HM_DNN_OPTIONAL(symbol, type) {#symbol, offsetof(V3Calls, symbol), false},
constexpr shim::Symbol kSymbols[] = {HM_DNN_V3_CALLS(HM_DNN_REQUIRED)
                                         HM_DNN_V3_CALLS_OPTIONAL(HM_DNN_OPTIONAL)};

constexpr Numbers kNumbers = {
#define HM_DNN_FIELD(enumerator, two, three) .enumerator = three,
    HM_DNN_NUMBERS(HM_DNN_FIELD)
#undef HM_DNN_FIELD
};

class FormsV3 final : public Forms {
 public:
  FormsV3(const shim::OpenLibrary& library, const Calls& calls, Handle engine)
      : Forms(calls, kNumbers, engine) {
    library.bind(kSymbols, &v3_);
  }

  [[nodiscard]] bool has_fp8() const override { return true; }

  [[nodiscard]] Owned layout(const Sizes& sizes, const Sizes& strides, int type) override {
    Handle made = nullptr;
    check(calls_,
          v3_.dnnl_memory_desc_create_with_strides(&made, static_cast<int>(sizes.size()),
                                                   sizes.data(), type, strides.data()),
          "dnnl_memory_desc_create_with_strides");
    return {made, v3_.dnnl_memory_desc_destroy};
  }

  [[nodiscard]] Owned matmul(const void* a, const void* b, const void* bias, const void* d,
                             const void* attributes) override {
    Handle made = nullptr;
    const Status status =
        v3_.dnnl_matmul_primitive_desc_create(&made, engine_, a, b, bias, d, attributes);
    return described(status, made, "matmul");
  }

  [[nodiscard]] Owned softmax(int algorithm, const void* x, const void* y, int axis) override {
    return softmax_of(k_dnnl_forward_inference, algorithm, x, y, axis);
  }

  [[nodiscard]] Owned softmax_backward(int algorithm, const void* dx, const void* dy, const void* y,
                                       int axis) override {
    const Owned forward = softmax_of(k_dnnl_forward_training, algorithm, y, y, axis);
    Handle made = nullptr;
    const Status status = v3_.dnnl_softmax_backward_primitive_desc_create(
        &made, engine_, algorithm, dx, dy, y, axis, forward.get(), nullptr);
    return described(status, made, "softmax_backward");
  }

  [[nodiscard]] Owned layer_norm(const NormForm& form) override {
    const unsigned flags = flags_of(form);
    Handle made = nullptr;
    Status status = 0;
    if (has_plain_weights(form)) {
      status = v3_.dnnl_layer_normalization_forward_primitive_desc_create(
          &made, engine_, k_dnnl_forward_training, form.x, form.y, form.statistics, form.eps, flags,
          nullptr);
    } else if (v3_.dnnl_layer_normalization_forward_primitive_desc_create_v2 != nullptr) {
      status = v3_.dnnl_layer_normalization_forward_primitive_desc_create_v2(
          &made, engine_, k_dnnl_forward_training, form.x, form.y, form.statistics, form.scale_type,
          form.eps, flags, nullptr);
    } else {
      throw NotOffered("this oneDNN takes gamma and beta of fp32");
    }
    return described(status, made, "layer_normalization");
  }

  [[nodiscard]] Owned layer_norm_backward(const NormForm& form, const void* dx) override {
    const Owned forward = layer_norm(form);
    const int kind = form.has_scale || form.has_shift ? k_dnnl_backward : k_dnnl_backward_data;
    const unsigned flags = flags_of(form);
    Handle made = nullptr;
    Status status = 0;
    if (has_plain_weights(form)) {
      status = v3_.dnnl_layer_normalization_backward_primitive_desc_create(
          &made, engine_, kind, dx, form.y, form.x, form.statistics, form.eps, flags, forward.get(),
          nullptr);
    } else if (v3_.dnnl_layer_normalization_backward_primitive_desc_create_v2 != nullptr) {
      status = v3_.dnnl_layer_normalization_backward_primitive_desc_create_v2(
          &made, engine_, kind, dx, form.y, form.x, form.statistics, form.scale_type,
          form.scale_type, form.eps, flags, forward.get(), nullptr);
    } else {
      throw NotOffered("this oneDNN takes gamma and its gradient in fp32");
    }
    return described(status, made, "layer_normalization_backward");
  }

  [[nodiscard]] Owned eltwise(int algorithm, const void* x, const void* y) override {
    Handle made = nullptr;
    const Status status = v3_.dnnl_eltwise_forward_primitive_desc_create(
        &made, engine_, k_dnnl_forward_inference, algorithm, x, y, 0, 0, nullptr);
    return described(status, made, "eltwise");
  }

  [[nodiscard]] Owned eltwise_backward(int algorithm, const void* dx, const void* dy,
                                       const void* x) override {
    Handle before = nullptr, made = nullptr;
    check(calls_,
          v3_.dnnl_eltwise_forward_primitive_desc_create(&before, engine_, k_dnnl_forward_training,
                                                         algorithm, x, x, 0, 0, nullptr),
          "eltwise");
    const Owned forward = primitive_description(before);
    const Status status = v3_.dnnl_eltwise_backward_primitive_desc_create(
        &made, engine_, algorithm, dx, dy, x, 0, 0, forward.get(), nullptr);
    return described(status, made, "eltwise_backward");
  }

  [[nodiscard]] Owned reduction(int algorithm, const void* x, const void* y) override {
    Handle made = nullptr;
    const Status status =
        v3_.dnnl_reduction_primitive_desc_create(&made, engine_, algorithm, x, y, 0, 0, nullptr);
    return described(status, made, "reduction");
  }

  void append_sum(Handle chain, float scale) override {
    check(calls_, v3_.dnnl_post_ops_append_sum(chain, scale, 0, 0), "dnnl_post_ops_append_sum");
  }
  void append_eltwise(Handle chain, int algorithm, float alpha) override {
    check(calls_, v3_.dnnl_post_ops_append_eltwise(chain, algorithm, alpha, 0),
          "dnnl_post_ops_append_eltwise");
  }

 private:
  [[nodiscard]] static bool has_plain_weights(const NormForm& form) {
    return (!form.has_scale && !form.has_shift) || form.scale_type == k_dnnl_f32;
  }

  [[nodiscard]] Owned softmax_of(int kind, int algorithm, const void* x, const void* y, int axis) {
    Handle made = nullptr;
    const Status status = v3_.dnnl_softmax_forward_primitive_desc_create(
        &made, engine_, kind, algorithm, x, y, axis, nullptr);
    return described(status, made, "softmax");
  }

  [[nodiscard]] Owned described(Status status, Handle made, const char* operation) const {
    check(calls_, status, operation);
    return primitive_description(made);
  }

  V3Calls v3_;
};

}  // namespace

std::unique_ptr<Forms> forms_v3(const shim::OpenLibrary& library, const Calls& calls,
                                Handle engine) {
  return std::make_unique<FormsV3>(library, calls, engine);
}

}  // namespace halfmark::backends::cpu::dnn
