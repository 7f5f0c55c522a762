// SPDX-License-Identifier: Apache-2.0
//
// oneDNN 2: descriptions are structures of the caller's, and a primitive's description is made from
// that of its operation.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <type_traits>

#include "backends/cpu/dnn_forms.hpp"

namespace halfmark::backends::cpu::dnn {
namespace {

struct V2Calls {
#define HM_DNN_MEMBER(symbol, type) std::type_identity_t<type> symbol = nullptr;
  HM_DNN_V2_CALLS(HM_DNN_MEMBER)
#undef HM_DNN_MEMBER
};

#define HM_DNN_REQUIRED(symbol, type) {#symbol, offsetof(V2Calls, symbol), true},
constexpr shim::Symbol kSymbols[] = {HM_DNN_V2_CALLS(HM_DNN_REQUIRED)};

constexpr Numbers kNumbers = {
#define HM_DNN_FIELD(enumerator, two, three) .enumerator = two,
    HM_DNN_NUMBERS(HM_DNN_FIELD)
#undef HM_DNN_FIELD
};

struct Description {
  alignas(std::max_align_t) std::array<std::byte, kDescriptionBytes> bytes{};
};

// Softmax, eltwise and layer normalisation take one description for what they read and write.
void refuse_apart(const void* x, const void* y) {
  if (static_cast<const Description*>(x)->bytes != static_cast<const Description*>(y)->bytes)
    throw NotOffered("oneDNN 2 takes one format and one layout for operand and result");
}

void refuse_weights(const NormForm& form) {
  if (form.is_rms) throw NotOffered("oneDNN 2 has no RMS normalisation");
  if ((form.has_scale || form.has_shift) && form.scale_type != k_dnnl_f32)
    throw NotOffered("oneDNN 2 takes gamma and beta of fp32");
}

class FormsV2 final : public Forms {
 public:
  FormsV2(const shim::OpenLibrary& library, const Calls& calls, Handle engine)
      : Forms(calls, kNumbers, engine) {
    library.bind(kSymbols, &v2_);
  }

  [[nodiscard]] bool has_fp8() const override { return false; }

  [[nodiscard]] Owned layout(const Sizes& sizes, const Sizes& strides, int type) override {
    const auto made = std::make_shared<Description>();
    check(calls_,
          v2_.dnnl_memory_desc_init_by_strides(made->bytes.data(), static_cast<int>(sizes.size()),
                                               sizes.data(), type, strides.data()),
          "dnnl_memory_desc_init_by_strides");
    return made;
  }

  [[nodiscard]] Owned matmul(const void* a, const void* b, const void* bias, const void* d,
                             const void* attributes) override {
    Description made;
    return described(v2_.dnnl_matmul_desc_init(made.bytes.data(), a, b, bias, d), "matmul", made,
                     attributes);
  }

  [[nodiscard]] Owned softmax(int algorithm, const void* x, const void* y, int axis) override {
    Description made;
    return described(v2_.dnnl_softmax_v2_forward_desc_init(
                         made.bytes.data(), k_dnnl_forward_inference, algorithm, x, y, axis),
                     "softmax", made);
  }

  [[nodiscard]] Owned softmax_backward(int algorithm, const void* dx, const void* dy, const void* y,
                                       int axis) override {
    Description before, made;
    const Owned forward =
        described(v2_.dnnl_softmax_v2_forward_desc_init(
                      before.bytes.data(), k_dnnl_forward_training, algorithm, y, y, axis),
                  "softmax", before);
    return described(
        v2_.dnnl_softmax_v2_backward_desc_init(made.bytes.data(), algorithm, dx, dy, y, axis),
        "softmax_backward", made, nullptr, forward.get());
  }

  [[nodiscard]] Owned layer_norm(const NormForm& form) override {
    refuse_weights(form);
    refuse_apart(form.x, form.y);
    Description made;
    return described(v2_.dnnl_layer_normalization_forward_desc_init(
                         made.bytes.data(), k_dnnl_forward_training, form.x, form.statistics,
                         form.eps, flags_of(form)),
                     "layer_normalization", made);
  }

  [[nodiscard]] Owned layer_norm_backward(const NormForm& form, const void* dx) override {
    refuse_weights(form);
    refuse_apart(dx, form.y);
    NormForm same = form;
    same.y = form.x;
    const Owned forward = layer_norm(same);
    const bool has_weights = form.has_scale || form.has_shift;
    Description made;
    return described(v2_.dnnl_layer_normalization_backward_desc_init(
                         made.bytes.data(), has_weights ? k_dnnl_backward : k_dnnl_backward_data,
                         dx, form.x, form.statistics, form.eps, flags_of(form)),
                     "layer_normalization_backward", made, nullptr, forward.get());
  }

  [[nodiscard]] Owned eltwise(int algorithm, const void* x, const void* y) override {
    refuse_apart(x, y);
    Description made;
    return described(v2_.dnnl_eltwise_forward_desc_init(made.bytes.data(), k_dnnl_forward_inference,
                                                        algorithm, x, 0, 0),
                     "eltwise", made);
  }

  [[nodiscard]] Owned eltwise_backward(int algorithm, const void* dx, const void* dy,
                                       const void* x) override {
    refuse_apart(dx, dy);
    Description before, made;
    const Owned forward =
        described(v2_.dnnl_eltwise_forward_desc_init(before.bytes.data(), k_dnnl_forward_training,
                                                     algorithm, x, 0, 0),
                  "eltwise", before);
    return described(v2_.dnnl_eltwise_backward_desc_init(made.bytes.data(), algorithm, dx, x, 0, 0),
                     "eltwise_backward", made, nullptr, forward.get());
  }

  [[nodiscard]] Owned reduction(int algorithm, const void* x, const void* y) override {
    Description made;
    return described(v2_.dnnl_reduction_desc_init(made.bytes.data(), algorithm, x, y, 0, 0),
                     "reduction", made);
  }

  void append_sum(Handle chain, float scale) override {
    check(calls_, v2_.dnnl_post_ops_append_sum(chain, scale), "dnnl_post_ops_append_sum");
  }
  void append_eltwise(Handle chain, int algorithm, float alpha) override {
    check(calls_, v2_.dnnl_post_ops_append_eltwise(chain, 1, algorithm, alpha, 0),
          "dnnl_post_ops_append_eltwise");
  }

 private:
  [[nodiscard]] Owned described(Status status, const char* operation, const Description& made,
                                const void* attributes = nullptr,
                                const void* forward = nullptr) const {
    check(calls_, status, operation);
    Handle description = nullptr;
    check(calls_,
          v2_.dnnl_primitive_desc_create(&description, made.bytes.data(), attributes, engine_,
                                         forward),
          operation);
    return primitive_description(description);
  }

  V2Calls v2_;
};

}  // namespace

std::unique_ptr<Forms> forms_v2(const shim::OpenLibrary& library, const Calls& calls,
                                Handle engine) {
  return std::make_unique<FormsV2>(library, calls, engine);
}

}  // namespace halfmark::backends::cpu::dnn
