// SPDX-License-Identifier: Apache-2.0
//
// One C++ interface to oneDNN: RAII handles, statuses as exceptions, and the calls whose form
// differs between versions 2 and 3. Knows no operator of Halfmark.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "backends/cpu/dnn_names.hpp"
#include "backends/gemm_problem.hpp"
#include "backends/shim/library.hpp"

namespace halfmark::backends::cpu::dnn {

// A handle and the call that releases it.
using Owned = std::shared_ptr<void>;
using Sizes = std::vector<std::int64_t>;

struct Calls {
#define HM_DNN_MEMBER(symbol, type) std::type_identity_t<type> symbol = nullptr;
  HM_DNN_CALLS(HM_DNN_MEMBER)
#undef HM_DNN_MEMBER
};

struct Numbers {
#define HM_DNN_NUMBER(enumerator, two, three) int enumerator = 0;
  HM_DNN_NUMBERS(HM_DNN_NUMBER)
#undef HM_DNN_NUMBER
};

enum SharedNumber : int {
#define HM_DNN_ENUMERATOR(enumerator, value) k_##enumerator = value,
  HM_DNN_SHARED_NUMBERS(HM_DNN_ENUMERATOR) HM_DNN_V3_NUMBERS(HM_DNN_ENUMERATOR)
#undef HM_DNN_ENUMERATOR
};

// The library declines a call; the text is its own word for it.
struct Declined : NotOffered {
  using NotOffered::NotOffered;
};

// Throws Declined, else BackendError, unless the status is success.
void check(const Calls& calls, Status status, const char* call);

// A layer or root mean square normalisation: the descriptions of its operands. For the gradients, y
// describes dy.
struct NormForm {
  const void *x = nullptr, *y = nullptr, *statistics = nullptr;
  float eps = 0;
  bool is_rms = false, has_scale = false, has_shift = false;
  int scale_type = k_dnnl_f32;
};

// The calls of one version. Descriptions of memory are what layout() made; what the others return
// describes a primitive, for the engine.
class Forms {
 public:
  Forms(const Calls& calls, const Numbers& numbers_, Handle engine)
      : numbers(numbers_), calls_(calls), engine_(engine) {}
  Forms(const Forms&) = delete;
  Forms& operator=(const Forms&) = delete;
  virtual ~Forms() = default;

  [[nodiscard]] virtual bool has_fp8() const = 0;
  [[nodiscard]] virtual Owned layout(const Sizes& sizes, const Sizes& strides, int type) = 0;
  [[nodiscard]] virtual Owned matmul(const void* a, const void* b, const void* bias, const void* d,
                                     const void* attributes) = 0;
  [[nodiscard]] virtual Owned softmax(int algorithm, const void* x, const void* y, int axis) = 0;
  [[nodiscard]] virtual Owned softmax_backward(int algorithm, const void* dx, const void* dy,
                                               const void* y, int axis) = 0;
  [[nodiscard]] virtual Owned layer_norm(const NormForm& form) = 0;
  [[nodiscard]] virtual Owned layer_norm_backward(const NormForm& form, const void* dx) = 0;
  [[nodiscard]] virtual Owned eltwise(int algorithm, const void* x, const void* y) = 0;
  [[nodiscard]] virtual Owned eltwise_backward(int algorithm, const void* dx, const void* dy,
                                               const void* x) = 0;
  [[nodiscard]] Owned reorder(const void* x, const void* y) const;
  [[nodiscard]] virtual Owned reduction(int algorithm, const void* x, const void* y) = 0;
  virtual void append_sum(Handle chain, float scale) = 0;
  virtual void append_eltwise(Handle chain, int algorithm, float alpha) = 0;

  const Numbers numbers;

 protected:
  [[nodiscard]] Owned primitive_description(Handle made) const;
  [[nodiscard]] unsigned flags_of(const NormForm& form) const;

  const Calls& calls_;
  Handle engine_;
};

// Throws BackendError when the library lacks a call of that version.
[[nodiscard]] std::unique_ptr<Forms> forms_v2(const shim::OpenLibrary& library, const Calls& calls,
                                              Handle engine);
[[nodiscard]] std::unique_ptr<Forms> forms_v3(const shim::OpenLibrary& library, const Calls& calls,
                                              Handle engine);

}  // namespace halfmark::backends::cpu::dnn
