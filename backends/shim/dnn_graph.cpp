// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/dnn_graph.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/shim/dnn_descriptor.hpp"
#include "backends/shim/dnn_norm_plan.hpp"

namespace halfmark::backends::shim {
namespace {

// Plans of shapes that no longer occur may hold workspaces.
constexpr std::size_t kMostPlans = 64;

std::shared_ptr<NormPlan> plan_for(const Dnn& dnn, const DriverOperatorCall& call,
                                   const AddressOf& address_of) {
  auto& plans = dnn.plans();
  const std::string key = NormPlan::key_of(call, address_of);
  if (const auto known = plans.find(key); known != plans.end()) return known->second;
  auto plan = std::make_shared<NormPlan>(dnn, call, address_of);
  if (plans.size() >= kMostPlans) plans.clear();
  plans.emplace(key, plan);
  return plan;
}

class Norm final : public DnnOperation {
 public:
  Norm(const Dnn& dnn, const DriverOperatorCall& call, const AddressOf& address_of)
      : dnn_(dnn),
        eps_(static_cast<float>(call.scalar("eps", 0))),
        plan_(plan_for(dnn, call, address_of)),
        pack_(dnn, dnn.vendor().graph->variant_pack) {
    for (const std::string_view role : plan_->roles()) {
      if (role.empty()) {
        pointers_.push_back(&eps_);
        continue;
      }
      const DriverTensorView& view = Dnn::needed(call, role);
      pointers_.push_back(pointer_at(address_of(view.buffer), view.offset_bytes));
    }
    const DnnGraph& graph = *dnn.vendor().graph;
    pack_.set(graph.pack_ids, graph.type_int64, std::span<const std::int64_t>(plan_->ids()));
    pack_.set(graph.pack_pointers, graph.type_void_pointer, std::span<void* const>(pointers_));
    pack_.set(graph.pack_workspace, graph.type_void_pointer, plan_->workspace());
    pack_.finalise();
  }
  [[nodiscard]] Status start() override {
    return dnn_.calls().execute(dnn_.handle(), plan_->raw(), pack_.raw());
  }

 private:
  const Dnn& dnn_;
  float eps_;
  std::shared_ptr<NormPlan> plan_;
  DnnDescriptor pack_;
  std::vector<void*> pointers_;
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
