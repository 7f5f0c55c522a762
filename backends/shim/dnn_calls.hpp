// SPDX-License-Identifier: Apache-2.0
//
// The calls of a vendor's library for neural networks that Halfmark needs, named by role. A
// vendor's table maps symbols to roles (dnn_vendor.hpp). Decides signatures; opens nothing.
//
// Assumptions: as in calls.hpp; in addition, device addresses are passed as pointers, and scalars
// are read from the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/shim/calls.hpp"

namespace halfmark::backends::shim {

struct DnnCalls {
  Status (*create)(void** handle);
  Status (*destroy)(void* handle);
  Status (*set_stream)(void* handle, void* stream);
  // One of these two forms; part 0 is major, 1 minor, 2 patch.
  Status (*version_part)(int part, int* value);
  Status (*version_parts)(std::size_t* major, std::size_t* minor, std::size_t* patch);
  const char* (*status_name)(Status status);
  void (*last_words)(char* text, std::size_t bytes);  // details of the last refusal

  Status (*create_tensor)(void** tensor);
  Status (*destroy_tensor)(void* tensor);
  Status (*describe_tensor)(void* tensor, int type, int axes, const int* sizes, const int* strides);

  // One of these two forms.
  Status (*softmax_algorithm_first)(void* handle, int algorithm, int mode, const void* alpha,
                                    void* x_tensor, const void* x, const void* beta, void* y_tensor,
                                    void* y);
  Status (*softmax_algorithm_last)(void* handle, const void* alpha, void* x_tensor, const void* x,
                                   const void* beta, void* y_tensor, void* y, int algorithm,
                                   int mode);
  Status (*softmax_backward_algorithm_first)(void* handle, int algorithm, int mode,
                                             const void* alpha, void* y_tensor, const void* y,
                                             void* dy_tensor, const void* dy, const void* beta,
                                             void* dx_tensor, void* dx);
  Status (*softmax_backward_algorithm_last)(void* handle, const void* alpha, void* y_tensor,
                                            const void* y, void* dy_tensor, const void* dy,
                                            const void* beta, void* dx_tensor, void* dx,
                                            int algorithm, int mode);

  // `axis` is the first axis of a row.
  Status (*layer_norm_forward)(void* handle, int mode, void* x_tensor, const void* x,
                               void* gamma_tensor, const void* gamma, void* beta_tensor,
                               const void* beta, float eps, std::int32_t axis, void* y_tensor,
                               void* y, void* mean_tensor, void* mean, void* rstd_tensor,
                               void* rstd);

  // The graph interface, if the library has one.
  Status (*create_descriptor)(int kind, void** descriptor);
  Status (*destroy_descriptor)(void* descriptor);
  Status (*set_attribute)(void* descriptor, int attribute, int type, std::int64_t count,
                          const void* values);
  Status (*get_attribute)(void* descriptor, int attribute, int type, std::int64_t most,
                          std::int64_t* count, void* values);
  Status (*finalise)(void* descriptor);
  Status (*execute)(void* handle, void* plan, void* variant_pack);
};

}  // namespace halfmark::backends::shim
