// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/dnn_norm_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "backends/shim/dnn_extent.hpp"
#include "backends/shim/folded_rows.hpp"

namespace halfmark::backends::shim {

struct NormShape {
  std::array<std::int64_t, 4> sizes, strides;
};

namespace {

constexpr std::uintptr_t kAlignment = 16;  // preferred by plans

struct RoleRow {
  std::string_view role;
  int DnnGraph::* attribute;
  Extent extent;
};
constexpr RoleRow kForward[] = {{"x", &DnnGraph::forward_x, Extent::kMatrix},
                                {"gamma", &DnnGraph::forward_scale, Extent::kPerColumn},
                                {"beta", &DnnGraph::forward_bias, Extent::kPerColumn},
                                {"y", &DnnGraph::forward_y, Extent::kMatrix},
                                {"mean", &DnnGraph::forward_mean, Extent::kPerRow},
                                {"rstd", &DnnGraph::forward_rstd, Extent::kPerRow}};
constexpr RoleRow kBackward[] = {{"x", &DnnGraph::backward_x, Extent::kMatrix},
                                 {"gamma", &DnnGraph::backward_scale, Extent::kPerColumn},
                                 {"dy", &DnnGraph::backward_dy, Extent::kMatrix},
                                 {"mean", &DnnGraph::backward_mean, Extent::kPerRow},
                                 {"rstd", &DnnGraph::backward_rstd, Extent::kPerRow},
                                 {"dx", &DnnGraph::backward_dx, Extent::kMatrix},
                                 {"dgamma", &DnnGraph::backward_dscale, Extent::kPerColumn},
                                 {"dbeta", &DnnGraph::backward_dbias, Extent::kPerColumn}};

// Four axes: rows along the first, elements along the second.
NormShape shape_of(const DriverTensorView& view, Extent extent) {
  DriverTensorView rows = view;
  if (extent == Extent::kPerRow) {
    rows.sizes.push_back(1);
    rows.strides.push_back(1);
  }
  const DriverTensorView* const views[] = {&rows};
  const FoldedRows folded = folded_rows(views);
  const auto& [outer, inner, width] = folded.sizes;
  if (inner != 1) throw NotOffered(fmt::format("'{}' has rows without a fixed stride", view.role));
  const auto& [row_step, unused, step] = folded.strides.front();
  static_cast<void>(unused);
  // The stride along a size of 1 is set as in dense memory.
  const std::int64_t per_row = outer == 1 ? width * step : row_step;
  return {.sizes = {outer, width, 1, 1}, .strides = {per_row, step, step, step}};
}

// The first matrix whose rows lie otherwise apart than those of the first one; empty: none does.
std::string_view unlike_rows(const DriverOperatorCall& call, std::span<const RoleRow> rows) {
  const NormShape first = shape_of(Dnn::needed(call, rows.front().role), Extent::kMatrix);
  for (const RoleRow& row : rows) {
    const DriverTensorView* view = call.tensor(row.role);
    if (view == nullptr || row.extent != Extent::kMatrix) continue;
    if (shape_of(*view, row.extent).strides != first.strides) return row.role;
  }
  return {};
}

std::span<const RoleRow> roles_of(bool is_backward) {
  return is_backward ? std::span<const RoleRow>(kBackward) : std::span<const RoleRow>(kForward);
}

std::int64_t alignment_of(const DriverTensorView& view, const AddressOf& address_of) {
  const void* address = pointer_at(address_of(view.buffer), view.offset_bytes);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(address) % kAlignment == 0;
  return static_cast<std::int64_t>(is_aligned ? kAlignment : element_bytes(view.format));
}

}  // namespace

DnnWorkspace::DnnWorkspace(const Dnn& dnn, std::int64_t bytes) : driver_(dnn.driver()) {
  const Status status = driver_.allocate(&address_, static_cast<std::size_t>(bytes));
  if (status == 0) return;
  throw BackendError("allocate", status, fmt::format("a workspace of {} bytes", bytes));
}

std::string NormPlan::key_of(const DriverOperatorCall& call, const AddressOf& address_of) {
  std::string key = call.name;
  for (const DriverTensorView& view : call.tensors) {
    key += fmt::format("; {} {} {} by {} at {}", view.role, view.format, fmt::join(view.sizes, " "),
                       fmt::join(view.strides, " "), alignment_of(view, address_of));
  }
  return key;
}

NormPlan::NormPlan(const Dnn& dnn, const DriverOperatorCall& call, const AddressOf& address_of)
    : dnn_(dnn), graph_(*dnn.vendor().graph) {
  const bool is_backward = call.name.ends_with("_backward");
  const bool is_centered = call.name.starts_with("layernorm");
  operation_ = add(is_backward ? graph_.norm_backward : graph_.norm_forward);
  operation_->set(is_backward ? graph_.backward_mode : graph_.forward_mode, graph_.type_norm_mode,
                  is_centered ? graph_.layer_norm : graph_.rms_norm);
  if (!is_backward) {
    const bool keeps = call.tensor("rstd") != nullptr;
    operation_->set(graph_.forward_phase, graph_.type_norm_phase,
                    keeps ? graph_.training : graph_.inference);
    add_epsilon();
  }
  add_operands(call, address_of, is_backward);
  finalise(call, is_backward);
  make_plan();
}

// cuDNN 9.14 calls matrices of equal sizes and other strides "of another shape" (status 2008).
void NormPlan::finalise(const DriverOperatorCall& call, bool is_backward) {
  try {
    operation_->finalise();
  } catch (const BackendError& refusal) {
    const auto rows = roles_of(is_backward);
    const std::string_view unlike = unlike_rows(call, rows);
    if (unlike.empty()) throw;
    throw NotOffered(
        fmt::format("{}'s {} does not take {} and {} with rows unequally far apart "
                    "(status {})",
                    dnn_.vendor().name, call.name, rows.front().role, unlike, refusal.code));
  }
}

void NormPlan::add_operands(const DriverOperatorCall& call, const AddressOf& address_of,
                            bool is_backward) {
  const bool is_centered = call.name.starts_with("layernorm");
  const auto rows = roles_of(is_backward);
  for (const RoleRow& row : rows) {
    const bool is_statistic = row.extent == Extent::kPerRow && !is_backward;
    const bool is_shift = row.role == "beta" || row.role == "mean" || row.role == "dbeta";
    const DriverTensorView* view = call.tensor(row.role);
    if (view == nullptr && (is_statistic || (is_shift && !is_centered))) continue;
    if (view == nullptr && row.extent == Extent::kPerColumn)
      throw NotOffered(fmt::format("{}'s {} takes '{}', which the call lacks", dnn_.vendor().name,
                                   call.name, row.role));
    const DriverTensorView& operand = Dnn::needed(call, row.role);
    DnnDescriptor* tensor =
        add_tensor(row.role, dnn_.type_of(operand).number, shape_of(operand, row.extent),
                   alignment_of(operand, address_of));
    tensor->finalise();
    operation_->set_descriptor(graph_.*row.attribute, *tensor);
  }
}

void* NormPlan::workspace() const {
  return workspace_ ? pointer_at(workspace_->address(), 0) : nullptr;
}

DnnDescriptor* NormPlan::add(int kind) {
  descriptors_.push_back(std::make_unique<DnnDescriptor>(dnn_, kind));
  return descriptors_.back().get();
}

DnnDescriptor* NormPlan::add_tensor(std::string_view role, int type, const NormShape& shape,
                                    std::int64_t alignment) {
  DnnDescriptor* tensor = add(graph_.tensor);
  roles_.push_back(role);
  ids_.push_back(static_cast<std::int64_t>(ids_.size()) + 1);
  tensor->set(graph_.tensor_data_type, graph_.type_data_type, type);
  tensor->set(graph_.tensor_dimensions, graph_.type_int64,
              std::span<const std::int64_t>(shape.sizes));
  tensor->set(graph_.tensor_strides, graph_.type_int64,
              std::span<const std::int64_t>(shape.strides));
  tensor->set(graph_.tensor_unique_id, graph_.type_int64, ids_.back());
  tensor->set(graph_.tensor_byte_alignment, graph_.type_int64, alignment);
  return tensor;
}

// A scalar that the library reads from the host when the plan executes.
void NormPlan::add_epsilon() {
  DriverTensorView fp32;
  fp32.format = "fp32";
  const NormShape one{.sizes = {1, 1, 1, 1}, .strides = {1, 1, 1, 1}};
  DnnDescriptor* tensor = add_tensor("", dnn_.type_of(fp32).number, one, sizeof(float));
  tensor->set(graph_.tensor_is_by_value, graph_.type_boolean, true);
  tensor->finalise();
  operation_->set_descriptor(graph_.forward_epsilon, *tensor);
}

void NormPlan::make_plan() {
  DnnDescriptor* graph = add(graph_.operation_graph);
  graph->set(graph_.graph_handle, graph_.type_handle, dnn_.handle());
  graph->set_descriptor(graph_.graph_operations, *operation_);
  graph->finalise();
  Status status = 0;
  for (const int mode : {graph_.heuristics_a, graph_.heuristics_fallback}) {
    status = find_plan(*graph, mode);
    if (status == 0) break;
  }
  if (status != 0 && left_one_out_)
    throw NotOffered(fmt::format("{} offers only engines that declare themselves nondeterministic",
                                 dnn_.vendor().name));
  dnn_.check("plan", status);
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  dnn_.check("workspace size", dnn_.calls().get_attribute(plan_->raw(), graph_.plan_workspace_bytes,
                                                          graph_.type_int64, 1, &count, &bytes));
  if (bytes > 0) workspace_ = std::make_unique<DnnWorkspace>(dnn_, bytes);
}

// An engine without notes, or of a release that cannot say, declares nothing.
bool NormPlan::is_deterministic(void* configuration) {
  const auto get = dnn_.calls().get_attribute;
  void* engine = add(graph_.engine)->raw();
  std::int64_t count = 0;
  if (get(configuration, graph_.configuration_engine, graph_.type_descriptor, 1, &count, &engine) !=
      0)
    return true;
  std::array<int, 32> notes{};
  count = 0;
  if (get(engine, graph_.engine_notes, graph_.type_note, notes.size(), &count, notes.data()) != 0)
    return true;
  const auto known = std::clamp<std::int64_t>(count, 0, notes.size());
  return std::find(notes.begin(), notes.begin() + known, graph_.nondeterministic) ==
         notes.begin() + known;
}

// Returns 0, or the status of the last plan that was rejected.
Status NormPlan::find_plan(const DnnDescriptor& graph, int mode) {
  const DnnDescriptor* heuristics = add(graph_.heuristics);
  heuristics->set_descriptor(graph_.heuristics_graph, graph);
  heuristics->set(graph_.heuristics_mode, graph_.type_heuristics_mode, mode);
  if (const Status status = heuristics->finalised(); status != 0) return status;
  std::int64_t count = 0;
  const auto results = [&](std::int64_t most, void* into) {
    return dnn_.calls().get_attribute(heuristics->raw(), graph_.heuristics_results,
                                      graph_.type_descriptor, most, &count, into);
  };
  if (const Status status = results(0, nullptr); status != 0) return status;
  std::vector<void*> configurations;
  for (std::int64_t i = 0; i < count; ++i)
    configurations.push_back(add(graph_.engine_configuration)->raw());
  if (const Status status = results(count, configurations.data()); status != 0) return status;
  configurations.resize(static_cast<std::size_t>(count));
  Status last = dnn_.vendor().declines.front().first;  // the status when there is no plan
  for (void* configuration : configurations) {
    if (!is_deterministic(configuration)) {
      left_one_out_ = true;
      continue;
    }
    plan_ = add(graph_.plan);
    plan_->set(graph_.plan_handle, graph_.type_handle, dnn_.handle());
    plan_->set(graph_.plan_configuration, graph_.type_descriptor, configuration);
    last = plan_->finalised();
    if (last == 0) return 0;
  }
  return last;
}

}  // namespace halfmark::backends::shim
