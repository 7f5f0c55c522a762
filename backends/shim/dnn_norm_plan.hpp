// SPDX-License-Identifier: Apache-2.0
//
// The graph of one normalisation and the library's plan for it, without addresses: built once for
// operands of the same formats, layout and alignment. Decides which of the library's plans to use:
// the first that its heuristics offer and that does not declare itself nondeterministic.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/shim/dnn_descriptor.hpp"

namespace halfmark::backends::shim {

struct NormShape;

// Device memory that a plan requests.
class DnnWorkspace {
 public:
  DnnWorkspace(const Dnn& dnn, std::int64_t bytes);
  DnnWorkspace(const DnnWorkspace&) = delete;
  DnnWorkspace& operator=(const DnnWorkspace&) = delete;
  ~DnnWorkspace() { driver_.release(address_); }
  [[nodiscard]] Address address() const { return address_; }

 private:
  const DriverCalls& driver_;
  Address address_{};
};

class NormPlan {
 public:
  // Throws NotOffered or BackendError.
  NormPlan(const Dnn& dnn, const DriverOperatorCall& call, const AddressOf& address_of);

  // Everything that a plan depends on, as text.
  [[nodiscard]] static std::string key_of(const DriverOperatorCall& call,
                                          const AddressOf& address_of);
  [[nodiscard]] void* raw() const { return plan_->raw(); }
  // The operands' roles in the order of ids(); "" is epsilon, which the library reads
  // from the host.
  [[nodiscard]] const std::vector<std::string_view>& roles() const { return roles_; }
  [[nodiscard]] const std::vector<std::int64_t>& ids() const { return ids_; }
  [[nodiscard]] void* workspace() const;

 private:
  DnnDescriptor* add(int kind);
  DnnDescriptor* add_tensor(std::string_view role, int type, const NormShape& shape,
                            std::int64_t alignment);
  void add_operands(const DriverOperatorCall& call, const AddressOf& address_of, bool is_backward);
  void add_epsilon();
  void finalise(const DriverOperatorCall& call, bool is_backward);
  void make_plan();
  [[nodiscard]] Status find_plan(const DnnDescriptor& graph, int mode);
  [[nodiscard]] bool is_deterministic(void* configuration);

  const Dnn& dnn_;
  const DnnGraph& graph_;
  DnnDescriptors descriptors_;
  DnnDescriptor* operation_ = nullptr;
  DnnDescriptor* plan_ = nullptr;
  bool left_one_out_ = false;
  std::vector<std::string_view> roles_;
  std::vector<std::int64_t> ids_;
  std::unique_ptr<DnnWorkspace> workspace_;
};

}  // namespace halfmark::backends::shim
