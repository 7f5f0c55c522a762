// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/slice.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "suites/registry.hpp"

namespace halfmark::tools {
namespace {

using suites::Role;

class Slice {
 public:
  explicit Slice(const suites::Plan& plan) : plan_(plan) {}

  // Adds the launches before `end` that make the tensor, and what they need.
  void add_makers(const std::string& tensor, std::size_t end) {
    for (std::size_t i = 0; i < end; ++i) {
      if (!takes(i, tensor)) continue;
      if (launches_.insert(i).second) add_needs(i);
      if (is_made_once(tensor)) return;
    }
  }

  [[nodiscard]] const std::set<std::size_t>& launches() const { return launches_; }
  [[nodiscard]] bool has(const std::string& tensor) const {
    return std::ranges::any_of(launches_, [&](std::size_t i) { return takes(i, tensor); });
  }
  // Whether a launch that is left out makes what one of the slice takes.
  [[nodiscard]] bool is_operand(const std::string& tensor) const {
    return is_made_once(tensor) && has(tensor) && !launches_.contains(first_of(tensor));
  }

 private:
  // The place of the tensor among the arguments, or their number.
  [[nodiscard]] std::size_t place_in(std::size_t launch, const std::string& tensor) const {
    const std::vector<suites::PlanArgument>& all = plan_.launches[launch].arguments;
    const auto found = std::ranges::find_if(all, [&](const suites::PlanArgument& argument) {
      const auto* reference = std::get_if<suites::TensorRef>(&argument);
      return reference != nullptr && reference->name == tensor;
    });
    return static_cast<std::size_t>(found - all.begin());
  }
  [[nodiscard]] bool takes(std::size_t launch, const std::string& tensor) const {
    return place_in(launch, tensor) < plan_.launches[launch].arguments.size();
  }
  [[nodiscard]] std::size_t first_of(const std::string& tensor) const {
    std::size_t launch = 0;
    while (launch < plan_.launches.size() && !takes(launch, tensor)) ++launch;
    return launch;
  }
  // An output that the kernel which writes it first does not write again.
  [[nodiscard]] bool is_made_once(const std::string& tensor) const {
    if (plan_.tensors[place_of(plan_, tensor)].role != Role::kOutput) return false;
    const std::size_t first = first_of(tensor);
    for (std::size_t i = first + 1; i < plan_.launches.size(); ++i) {
      if (takes(i, tensor) && plan_.launches[i].entry == plan_.launches[first].entry &&
          place_in(i, tensor) == place_in(first, tensor))
        return false;
    }
    return true;
  }
  void add_needs(std::size_t launch) {
    for (const suites::TensorSpec& spec : plan_.tensors) {
      const bool is_given = spec.role == Role::kInput || is_made_once(spec.name);
      if (!is_given && takes(launch, spec.name)) add_makers(spec.name, launch);
    }
  }

  const suites::Plan& plan_;
  std::set<std::size_t> launches_;
};

}  // namespace

void cut_to_slice(Remnant& left) {
  Slice slice(left.plan);
  slice.add_makers(left.wrong.tensor, left.plan.launches.size());
  const suites::TensorSet results =
      suites::find_suite(left.c.suite).bind(left.c)->expect(left.inputs).middle;
  for (const auto& [name, result] : results) {
    if (name != left.wrong.tensor && slice.is_operand(name)) left.inputs.insert({name, result});
  }
  std::erase_if(left.plan.tensors, [&](const auto& spec) { return !slice.has(spec.name); });
  std::vector<suites::Launch> kept;
  for (const std::size_t i : slice.launches()) kept.push_back(left.plan.launches[i]);
  left.plan.launches = std::move(kept);
}

}  // namespace halfmark::tools
