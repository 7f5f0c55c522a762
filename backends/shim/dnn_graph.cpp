// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/dnn_graph.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/shim/dnn_descriptor.hpp"
#include "backends/shim/dnn_extent.hpp"
#include "backends/shim/folded_rows.hpp"

namespace halfmark::backends::shim {
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

struct Shape {
  std::array<std::int64_t, 4> sizes, strides;
};

// Four axes: rows along the first, elements along the second.
Shape shape_of(const DriverTensorView& view, Extent extent) {
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

// Device memory that a plan requests.
class Workspace {
 public:
  Workspace(const Dnn& dnn, std::int64_t bytes) : driver_(dnn.driver()) {
    const Status status = driver_.allocate(&address_, static_cast<std::size_t>(bytes));
    if (status == 0) return;
    throw BackendError("allocate", status, fmt::format("a workspace of {} bytes", bytes));
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { driver_.release(address_); }
  [[nodiscard]] Address address() const { return address_; }

 private:
  const DriverCalls& driver_;
  Address address_{};
};

class Norm final : public DnnOperation {
 public:
  Norm(const Dnn& dnn, const DriverOperatorCall& call, const AddressOf& address_of)
      : dnn_(dnn), graph_(*dnn.vendor().graph), eps_(static_cast<float>(call.scalar("eps", 0))) {
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
    const auto roles =
        is_backward ? std::span<const RoleRow>(kBackward) : std::span<const RoleRow>(kForward);
    for (const RoleRow& row : roles) {
      const bool is_statistic = row.extent == Extent::kPerRow && !is_backward;
      const bool is_shift = row.role == "beta" || row.role == "mean" || row.role == "dbeta";
      const DriverTensorView* view = call.tensor(row.role);
      if (view == nullptr && (is_statistic || (is_shift && !is_centered))) continue;
      if (view == nullptr && row.extent == Extent::kPerColumn)
        throw NotOffered(fmt::format("{}'s {} takes '{}', which the call lacks", dnn.vendor().name,
                                     call.name, row.role));
      add_operand(row, Dnn::needed(call, row.role), address_of);
    }
    operation_->finalise();
    make_plan();
  }
  [[nodiscard]] Status start() override {
    return dnn_.calls().execute(dnn_.handle(), plan_->raw(), pack_->raw());
  }

 private:
  DnnDescriptor* add(int kind) {
    descriptors_.push_back(std::make_unique<DnnDescriptor>(dnn_, kind));
    return descriptors_.back().get();
  }

  DnnDescriptor* add_tensor(int type, const Shape& shape, std::int64_t alignment, void* address) {
    DnnDescriptor* tensor = add(graph_.tensor);
    ids_.push_back(static_cast<std::int64_t>(ids_.size()) + 1);
    pointers_.push_back(address);
    tensor->set(graph_.tensor_data_type, graph_.type_data_type, type);
    tensor->set(graph_.tensor_dimensions, graph_.type_int64,
                std::span<const std::int64_t>(shape.sizes));
    tensor->set(graph_.tensor_strides, graph_.type_int64,
                std::span<const std::int64_t>(shape.strides));
    tensor->set(graph_.tensor_unique_id, graph_.type_int64, ids_.back());
    tensor->set(graph_.tensor_byte_alignment, graph_.type_int64, alignment);
    return tensor;
  }

  void add_operand(const RoleRow& row, const DriverTensorView& view, const AddressOf& address_of) {
    void* address = pointer_at(address_of(view.buffer), view.offset_bytes);
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(address) % kAlignment == 0;
    const auto alignment =
        static_cast<std::int64_t>(is_aligned ? kAlignment : element_bytes(view.format));
    DnnDescriptor* tensor =
        add_tensor(dnn_.type_of(view).number, shape_of(view, row.extent), alignment, address);
    tensor->finalise();
    operation_->set_descriptor(graph_.*row.attribute, *tensor);
  }

  // A scalar that the library reads from the host when the plan executes.
  void add_epsilon() {
    DriverTensorView fp32;
    fp32.format = "fp32";
    const Shape one{.sizes = {1, 1, 1, 1}, .strides = {1, 1, 1, 1}};
    DnnDescriptor* tensor =
        add_tensor(dnn_.type_of(fp32).number, one, static_cast<std::int64_t>(sizeof eps_), &eps_);
    tensor->set(graph_.tensor_is_by_value, graph_.type_boolean, true);
    tensor->finalise();
    operation_->set_descriptor(graph_.forward_epsilon, *tensor);
  }

  void make_plan() {
    DnnDescriptor* graph = add(graph_.operation_graph);
    graph->set(graph_.graph_handle, graph_.type_handle, dnn_.handle());
    graph->set_descriptor(graph_.graph_operations, *operation_);
    graph->finalise();
    Status status = 0;
    for (const int mode : {graph_.heuristics_a, graph_.heuristics_fallback}) {
      status = find_plan(*graph, mode);
      if (status == 0) break;
    }
    dnn_.check("plan", status);
    make_pack();
  }

  // Returns 0, or the status of the last plan that was rejected.
  Status find_plan(const DnnDescriptor& graph, int mode) {
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
    Status last = dnn_.vendor().declines.front().first;  // the status when there is no plan
    for (std::int64_t i = 0; i < count; ++i) {
      plan_ = add(graph_.plan);
      plan_->set(graph_.plan_handle, graph_.type_handle, dnn_.handle());
      plan_->set(graph_.plan_configuration, graph_.type_descriptor,
                 configurations[static_cast<std::size_t>(i)]);
      last = plan_->finalised();
      if (last == 0) return 0;
    }
    return last;
  }

  void make_pack() {
    std::int64_t bytes = 0;
    std::int64_t count = 0;
    dnn_.check("workspace size",
               dnn_.calls().get_attribute(plan_->raw(), graph_.plan_workspace_bytes,
                                          graph_.type_int64, 1, &count, &bytes));
    if (bytes > 0) workspace_ = std::make_unique<Workspace>(dnn_, bytes);
    pack_ = add(graph_.variant_pack);
    pack_->set(graph_.pack_ids, graph_.type_int64, std::span<const std::int64_t>(ids_));
    pack_->set(graph_.pack_pointers, graph_.type_void_pointer, std::span<void* const>(pointers_));
    pack_->set(graph_.pack_workspace, graph_.type_void_pointer,
               workspace_ ? pointer_at(workspace_->address(), 0) : nullptr);
    pack_->finalise();
  }

  const Dnn& dnn_;
  const DnnGraph& graph_;
  float eps_;
  DnnDescriptors descriptors_;
  DnnDescriptor* operation_ = nullptr;
  DnnDescriptor* plan_ = nullptr;
  DnnDescriptor* pack_ = nullptr;
  std::vector<std::int64_t> ids_;
  std::vector<void*> pointers_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace

std::shared_ptr<DnnOperation> prepared_norm(const Dnn& dnn, const DriverOperatorCall& call,
                                            const AddressOf& address_of) {
  if (call.compute != "fp32")
    throw NotOffered(fmt::format("{}'s {} computes in fp32, not {}", dnn.vendor().name, call.name,
                                 call.compute));
  return std::make_shared<Norm>(dnn, call, address_of);
}

}  // namespace halfmark::backends::shim
