// SPDX-License-Identifier: Apache-2.0
//
// The graph interface of a stand-in's library for neural networks: descriptors with attributes, and
// the execution of plans. Strict: an attribute must belong to its descriptor and have its type,
// nothing changes after it is finalised, and nothing is used before. Offers only normalisation; its
// heuristics return one answer, and its plans require the workspace that they request.
//
// Part of standin/dnn.cpp, whose definitions it uses.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "backends/standin/dnn_objects.hpp"
#include "backends/standin/log.hpp"
#include "backends/standin/misbehaviour.hpp"

#ifdef HM_STAND_IN_DNN
namespace halfmark::backends::shim::standin {

inline constexpr std::int64_t kWorkspaceBytes = 256;
inline constexpr std::int64_t kEngines = 2;  // that the heuristics offer for every graph

struct GraphAttribute {
  int type = 0;
  std::int64_t count = 0;
  std::vector<std::byte> bytes;
};

struct Descriptor {
  int kind = -1;
  bool is_final = false;
  std::map<int, GraphAttribute> attributes;
};

// The attributes that a descriptor has, and their types. Read-only ones are never set.
struct AttributeRow {
  int kind, attribute, type;
  bool is_required;
};

inline std::vector<AttributeRow> norm_rows(const DnnGraph& g) {
  std::vector<AttributeRow> rows{{g.norm_forward, g.forward_mode, g.type_norm_mode, true},
                                 {g.norm_forward, g.forward_phase, g.type_norm_phase, true},
                                 {g.norm_backward, g.backward_mode, g.type_norm_mode, true}};
  for (const int attribute : {g.forward_x, g.forward_scale, g.forward_epsilon, g.forward_y})
    rows.push_back({g.norm_forward, attribute, g.type_descriptor, true});
  for (const int attribute : {g.forward_mean, g.forward_rstd, g.forward_bias})
    rows.push_back({g.norm_forward, attribute, g.type_descriptor, false});
  for (const int attribute : {g.backward_x, g.backward_rstd, g.backward_dy, g.backward_scale,
                              g.backward_dscale, g.backward_dx})
    rows.push_back({g.norm_backward, attribute, g.type_descriptor, true});
  for (const int attribute : {g.backward_mean, g.backward_dbias})
    rows.push_back({g.norm_backward, attribute, g.type_descriptor, false});
  return rows;
}

inline const std::vector<AttributeRow>& attribute_rows() {
  static const std::vector<AttributeRow> kRows = [] {
    const DnnGraph& g = *dnn().graph;
    std::vector<AttributeRow> rows{{g.tensor, g.tensor_data_type, g.type_data_type, true},
                                   {g.tensor, g.tensor_dimensions, g.type_int64, true},
                                   {g.tensor, g.tensor_strides, g.type_int64, true},
                                   {g.tensor, g.tensor_unique_id, g.type_int64, true},
                                   {g.tensor, g.tensor_byte_alignment, g.type_int64, true},
                                   {g.tensor, g.tensor_is_by_value, g.type_boolean, false},
                                   {g.operation_graph, g.graph_handle, g.type_handle, true},
                                   {g.operation_graph, g.graph_operations, g.type_descriptor, true},
                                   {g.heuristics, g.heuristics_graph, g.type_descriptor, true},
                                   {g.heuristics, g.heuristics_mode, g.type_heuristics_mode, true},
                                   {g.plan, g.plan_handle, g.type_handle, true},
                                   {g.plan, g.plan_configuration, g.type_descriptor, true},
                                   {g.variant_pack, g.pack_ids, g.type_int64, true},
                                   {g.variant_pack, g.pack_pointers, g.type_void_pointer, true},
                                   {g.variant_pack, g.pack_workspace, g.type_void_pointer, true}};
    const auto norms = norm_rows(g);
    rows.insert(rows.end(), norms.begin(), norms.end());
    return rows;
  }();
  return kRows;
}

inline std::size_t bytes_of_type(int type) {
  const DnnGraph& g = *dnn().graph;
  if (type == g.type_boolean) return sizeof(bool);
  const bool is_wide = type == g.type_handle || type == g.type_int64 ||
                       type == g.type_void_pointer || type == g.type_descriptor;
  return is_wide ? sizeof(std::int64_t) : sizeof(int);
}

inline Live<Descriptor>& descriptors() {
  static Live<Descriptor> live;
  return live;
}

template <typename Value>
inline std::vector<Value> values(const Descriptor& descriptor, int attribute) {
  const auto found = descriptor.attributes.find(attribute);
  if (found == descriptor.attributes.end()) return {};
  std::vector<Value> list(static_cast<std::size_t>(found->second.count));
  std::memcpy(list.data(), found->second.bytes.data(), found->second.bytes.size());
  return list;
}
template <typename Value>
Value value(const Descriptor& descriptor, int attribute) {
  const auto list = values<Value>(descriptor, attribute);
  if (list.size() != 1) invalid();
  return list.front();
}
// The descriptor that an attribute refers to: a live, finalised one of that kind. Null when
// not set.
inline const Descriptor* part(const Descriptor& descriptor, int attribute, int kind) {
  if (!descriptor.attributes.contains(attribute)) return nullptr;
  const Descriptor& other = descriptors().at(value<void*>(descriptor, attribute));
  if (other.kind != kind || !other.is_final) invalid();
  return &other;
}
inline const Descriptor& needed_part(const Descriptor& descriptor, int attribute, int kind) {
  const Descriptor* found = part(descriptor, attribute, kind);
  if (found == nullptr) invalid();
  return *found;
}

inline void set_attribute(Descriptor& descriptor, int attribute, int type, std::int64_t count,
                          const void* from) {
  const bool is_known = std::ranges::any_of(attribute_rows(), [&](const AttributeRow& row) {
    return row.kind == descriptor.kind && row.attribute == attribute && row.type == type;
  });
  if (!is_known || descriptor.is_final || count < 1 || from == nullptr) invalid();
  GraphAttribute& kept = descriptor.attributes[attribute];
  kept = {.type = type, .count = count, .bytes = {}};
  kept.bytes.resize(static_cast<std::size_t>(count) * bytes_of_type(type));
  std::memcpy(kept.bytes.data(), from, kept.bytes.size());
}

inline const DnnType& type_of(const Descriptor& tensor) {
  const auto number = value<int>(tensor, dnn().graph->tensor_data_type);
  const auto row = std::ranges::find(dnn().types, number, &DnnType::number);
  if (row == dnn().types.end()) invalid();
  return *row;
}

inline void finalise_tensor(const Descriptor& tensor) {
  const DnnGraph& g = *dnn().graph;
  static_cast<void>(type_of(tensor));
  static_cast<void>(value<std::int64_t>(tensor, g.tensor_unique_id));
  const auto sizes = values<std::int64_t>(tensor, g.tensor_dimensions);
  const auto strides = values<std::int64_t>(tensor, g.tensor_strides);
  if (sizes.size() != kAxes || strides.size() != kAxes) invalid();
  const auto is_positive = [](std::int64_t number) { return number > 0; };
  if (!std::ranges::all_of(sizes, is_positive) || !std::ranges::all_of(strides, is_positive))
    invalid();
}

// Attribute and role of every tensor of an operation.
struct NormRole {
  int attribute;
  const char* role;
};
inline std::vector<NormRole> norm_roles(bool is_backward) {
  const DnnGraph& g = *dnn().graph;
  if (is_backward) {
    return {{g.backward_x, "x"},         {g.backward_mean, "mean"},   {g.backward_rstd, "rstd"},
            {g.backward_dy, "dy"},       {g.backward_scale, "gamma"}, {g.backward_dscale, "dgamma"},
            {g.backward_dbias, "dbeta"}, {g.backward_dx, "dx"}};
  }
  return {{g.forward_x, "x"},         {g.forward_mean, "mean"}, {g.forward_rstd, "rstd"},
          {g.forward_scale, "gamma"}, {g.forward_bias, "beta"}, {g.forward_y, "y"}};
}

inline bool is_matrix(std::string_view role) {
  return role == "x" || role == "y" || role == "dx" || role == "dy";
}

// Requires rows x width, 1 x width or rows x 1, depending on the role.
inline void require_sizes(const Descriptor& operation, const NormRole& row, const Descriptor& x) {
  const DnnGraph& g = *dnn().graph;
  const Descriptor* tensor = part(operation, row.attribute, g.tensor);
  if (tensor == nullptr) return;
  const std::string_view role = row.role;
  auto wanted = values<std::int64_t>(x, g.tensor_dimensions);
  if (role == "mean" || role == "rstd") wanted[1] = 1;
  if (role.ends_with("gamma") || role.ends_with("beta")) wanted[0] = 1;
  if (values<std::int64_t>(*tensor, g.tensor_dimensions) != wanted) invalid();
  const bool is_statistic = role == "mean" || role == "rstd";
  if (is_statistic && type_of(*tensor).format != "fp32") decline();
  const auto strides_of = [&](const Descriptor& of) {
    return values<std::int64_t>(of, g.tensor_strides);
  };
  const bool is_unlike = is_matrix(role) && strides_of(*tensor) != strides_of(x);
  if (is_unlike && misbehaves("refuse-unlike-rows")) invalid();
}

inline void finalise_norm(const Descriptor& operation, bool is_backward) {
  const DnnGraph& g = *dnn().graph;
  const int mode = value<int>(operation, is_backward ? g.backward_mode : g.forward_mode);
  if (mode != g.layer_norm && mode != g.rms_norm) invalid();
  const int x_attribute = is_backward ? g.backward_x : g.forward_x;
  const Descriptor& x = needed_part(operation, x_attribute, g.tensor);
  const auto sizes = values<std::int64_t>(x, g.tensor_dimensions);
  if (sizes[2] != 1 || sizes[3] != 1) decline();
  for (const NormRole& row : norm_roles(is_backward)) require_sizes(operation, row, x);
  const auto has = [&](int attribute) { return operation.attributes.contains(attribute); };
  const bool centers = mode == g.layer_norm;
  if (is_backward) {
    if (has(g.backward_mean) != centers || has(g.backward_dbias) != centers) invalid();
    return;
  }
  const int phase = value<int>(operation, g.forward_phase);
  if (phase != g.training && phase != g.inference) invalid();
  const bool trains = phase == g.training;
  if (has(g.forward_rstd) != trains || has(g.forward_mean) != (trains && centers)) invalid();
  if (has(g.forward_bias) != centers) invalid();
  const Descriptor& epsilon = needed_part(operation, g.forward_epsilon, g.tensor);
  if (value<unsigned char>(epsilon, g.tensor_is_by_value) == 0) invalid();
}

inline void finalise(Descriptor& descriptor) {
  const DnnGraph& g = *dnn().graph;
  if (descriptor.is_final) invalid();
  for (const AttributeRow& row : attribute_rows()) {
    const bool lacks = !descriptor.attributes.contains(row.attribute);
    if (row.kind == descriptor.kind && row.is_required && lacks) invalid();
  }
  if (descriptor.kind == g.tensor) finalise_tensor(descriptor);
  if (descriptor.kind == g.norm_forward || descriptor.kind == g.norm_backward)
    finalise_norm(descriptor, descriptor.kind == g.norm_backward);
  if (descriptor.kind == g.operation_graph || descriptor.kind == g.plan) {
    const bool is_plan = descriptor.kind == g.plan;
    const int attribute = is_plan ? g.plan_handle : g.graph_handle;
    static_cast<void>(handles().at(value<void*>(descriptor, attribute)));
  }
  if (descriptor.kind == g.heuristics) {
    const int mode = value<int>(descriptor, g.heuristics_mode);
    if (mode != g.heuristics_a && mode != g.heuristics_fallback) invalid();
    static_cast<void>(needed_part(descriptor, g.heuristics_graph, g.operation_graph));
  }
  if (descriptor.kind == g.plan) {
    static_cast<void>(needed_part(descriptor, g.plan_configuration, g.engine_configuration));
    append_to_log("plan");
  }
  descriptor.is_final = true;
}

// The notes of an engine: the first one of every graph declares itself nondeterministic.
inline bool get_note(const Descriptor& descriptor, int attribute, int type, std::int64_t most,
                     std::int64_t* count, void* into) {
  const DnnGraph& g = *dnn().graph;
  const auto first = descriptor.attributes.find(g.nondeterministic);
  if (descriptor.kind == g.engine_configuration && attribute == g.configuration_engine) {
    if (type != g.type_descriptor || most != 1) invalid();
    void* raw = nullptr;
    std::memcpy(&raw, into, sizeof raw);
    Descriptor& engine = descriptors().at(raw);
    if (engine.kind != g.engine || engine.is_final) invalid();
    if (first != descriptor.attributes.end()) engine.attributes.insert(*first);
    engine.is_final = true;
    *count = 1;
    return true;
  }
  if (descriptor.kind != g.engine || attribute != g.engine_notes) return false;
  if (type != g.type_note) invalid();
  *count = first == descriptor.attributes.end() ? 0 : 1;
  if (*count == 1 && most > 0) std::memcpy(into, &g.nondeterministic, sizeof g.nondeterministic);
  return true;
}

// Copies the two configurations of the graph into the caller's descriptors.
inline void get_attribute(const Descriptor& descriptor, int attribute, int type, std::int64_t most,
                          std::int64_t* count, void* into) {
  const DnnGraph& g = *dnn().graph;
  if (!descriptor.is_final || count == nullptr) invalid();
  if (get_note(descriptor, attribute, type, most, count, into)) return;
  *count = 1;
  if (descriptor.kind == g.plan && attribute == g.plan_workspace_bytes && type == g.type_int64) {
    std::memcpy(into, &kWorkspaceBytes, sizeof kWorkspaceBytes);
    return;
  }
  if (descriptor.kind != g.heuristics || attribute != g.heuristics_results ||
      type != g.type_descriptor)
    invalid();
  *count = kEngines;
  for (std::int64_t i = 0; i < std::min(most, kEngines); ++i) {
    void* raw = nullptr;
    std::memcpy(&raw, static_cast<std::byte*>(into) + i * static_cast<std::int64_t>(sizeof raw),
                sizeof raw);
    Descriptor& configuration = descriptors().at(raw);
    if (configuration.kind != g.engine_configuration) invalid();
    configuration.attributes[g.heuristics_graph] = descriptor.attributes.at(g.heuristics_graph);
    if (i == 0) configuration.attributes[g.nondeterministic] = {};
    configuration.is_final = true;
  }
}

// Data of a plan that is being executed.
struct Execution {
  const Descriptor& operation;
  std::map<std::int64_t, void*> pointers;  // by unique id
};

inline void* pointer_of(const Execution& execution, const Descriptor& tensor) {
  const DnnGraph& g = *dnn().graph;
  const auto found = execution.pointers.find(value<std::int64_t>(tensor, g.tensor_unique_id));
  if (found == execution.pointers.end() || found->second == nullptr) invalid();
  const auto alignment = value<std::int64_t>(tensor, g.tensor_byte_alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(found->second);
  if (alignment < 1 || address % static_cast<std::uintptr_t>(alignment) != 0) invalid();
  return found->second;
}

inline library::TensorView norm_view(const Execution& execution, const NormRole& row,
                                     const Descriptor& tensor) {
  const DnnGraph& g = *dnn().graph;
  const auto sizes = values<std::int64_t>(tensor, g.tensor_dimensions);
  const auto strides = values<std::int64_t>(tensor, g.tensor_strides);
  const std::string_view role = row.role;
  const bool per_row = role == "mean" || role == "rstd";
  const bool per_column = role.ends_with("gamma") || role.ends_with("beta");
  library::TensorView view{.role = row.role,
                           .buffer = {},
                           .offset_bytes = 0,
                           .format = std::string(type_of(tensor).format),
                           .sizes = {sizes[0], sizes[1]},
                           .strides = {strides[0], strides[1]}};
  // A vector has a single axis.
  if (per_row || per_column) {
    const std::size_t axis = per_row ? 0 : 1;
    view.sizes = {sizes[axis]};
    view.strides = {strides[axis]};
  }
  std::int64_t last = 0;
  for (std::size_t i = 0; i < view.sizes.size(); ++i) last += (view.sizes[i] - 1) * view.strides[i];
  view.buffer = {.address = static_cast<std::byte*>(pointer_of(execution, tensor)),
                 .bytes = static_cast<std::uint64_t>(last + 1) *
                          formats::find_format(view.format)->storage_bytes()};
  return view;
}

inline void execute(void* handle, Descriptor& plan, Descriptor& pack) {
  const DnnGraph& g = *dnn().graph;
  void* const stream = handles().at(handle).stream;
  if (plan.kind != g.plan || !plan.is_final || pack.kind != g.variant_pack || !pack.is_final)
    invalid();
  if (value<void*>(plan, g.plan_handle) != handle) invalid();
  if (value<void*>(pack, g.pack_workspace) == nullptr) invalid();
  const Descriptor& configuration = needed_part(plan, g.plan_configuration, g.engine_configuration);
  // A result of such an engine may differ from run to run.
  if (configuration.attributes.contains(g.nondeterministic)) invalid();
  const Descriptor& graph = needed_part(configuration, g.heuristics_graph, g.operation_graph);
  Descriptor& operation = descriptors().at(value<void*>(graph, g.graph_operations));
  const bool is_backward = operation.kind == g.norm_backward;
  if (!operation.is_final || (!is_backward && operation.kind != g.norm_forward)) invalid();
  const auto ids = values<std::int64_t>(pack, g.pack_ids);
  const auto pointers = values<void*>(pack, g.pack_pointers);
  if (ids.size() != pointers.size()) invalid();
  Execution execution{.operation = operation, .pointers = {}};
  for (std::size_t i = 0; i < ids.size(); ++i) execution.pointers[ids[i]] = pointers[i];
  const int mode = value<int>(operation, is_backward ? g.backward_mode : g.forward_mode);
  const std::string name = mode == g.layer_norm ? "layernorm" : "rmsnorm";
  library::OperatorCall call{.library = {},
                             .name = name + (is_backward ? "_backward" : ""),
                             .compute = "fp32",
                             .tensors = {},
                             .scalars = {},
                             .options = {}};
  for (const NormRole& row : norm_roles(is_backward)) {
    if (const Descriptor* tensor = part(operation, row.attribute, g.tensor))
      call.tensors.push_back(norm_view(execution, row, *tensor));
  }
  if (!is_backward) {
    const Descriptor& epsilon = needed_part(operation, g.forward_epsilon, g.tensor);
    float eps = 0;
    std::memcpy(&eps, pointer_of(execution, epsilon), sizeof eps);
    call.scalars.push_back({"eps", static_cast<double>(eps)});
  }
  if (!run_on_software_device(call, stream)) decline();
}

}  // namespace halfmark::backends::shim::standin
#endif
