// SPDX-License-Identifier: Apache-2.0
//
// A vendor's library for neural networks as a table: library names, symbols, numbers. Everything
// that differs between these libraries is a field here.
//
// A vendor's dnn_names.hpp (the macros HM_DNN_...) lists symbols as rows X(role, symbol) and
// numbers as rows X(word, enumerator, value); a type is X(word, enumerator, value, scalars), and
// the answers that mean "not offered" are X(word, enumerator, value, last): a range. The same rows
// make the tables (dnn_tables.hpp), the exports of the stand-in (standin/dnn.cpp) and the
// comparison with the vendor's headers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "backends/shim/dnn_calls.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

struct DnnType {
  std::string_view format;
  int number;
  std::string_view scalars;  // the format of alpha, beta and sums
};

struct DnnAnswers {
  std::string_view word;
  Status first, last;
};

// The numbers of a graph interface: kinds of descriptors; types of attributes; attributes, each
// prefixed with its descriptor; values.
struct DnnGraph {
  int tensor, norm_forward, norm_backward, operation_graph, heuristics, engine,
      engine_configuration, plan, variant_pack, type_handle, type_data_type, type_boolean,
      type_int64, type_void_pointer, type_heuristics_mode, type_descriptor, type_norm_mode,
      type_norm_phase, type_note, tensor_byte_alignment, tensor_data_type, tensor_dimensions,
      tensor_strides, tensor_unique_id, tensor_is_by_value, forward_mode, forward_phase, forward_x,
      forward_mean, forward_rstd, forward_scale, forward_bias, forward_epsilon, forward_y,
      backward_mode, backward_x, backward_mean, backward_rstd, backward_dy, backward_scale,
      backward_dscale, backward_dbias, backward_dx, graph_handle, graph_operations, heuristics_mode,
      heuristics_graph, heuristics_results, configuration_engine, engine_notes, plan_handle,
      plan_configuration, plan_workspace_bytes, pack_ids, pack_pointers, pack_workspace, layer_norm,
      rms_norm, inference, training, heuristics_a, heuristics_fallback, nondeterministic;
};

// Layer normalisation as a single call.
struct DnnLayerNorm {
  int scaled;  // the mode with gamma and beta
};

struct DnnVendor {
  const char* name;
  Library library;
  std::span<const DnnType> types;
  int accurate, logarithm;  // algorithms of softmax
  int instance, channel;    // modes of softmax: over all axes but the first, or over the second
  const DnnGraph* graph;    // null: no graph interface
  const DnnLayerNorm* layer_norm;        // null: no such call
  std::span<const DnnAnswers> declines;  // statuses that mean "not offered"
  std::string_view invalid_name;
  Status invalid;                  // status for an invalid argument; the stand-in returns it
  std::int64_t most_elements = 0;  // of a tensor, its gaps included; 0: no document names a limit
};

}  // namespace halfmark::backends::shim
