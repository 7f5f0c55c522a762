// SPDX-License-Identifier: Apache-2.0
// Problems that compute their operands and expectations once, for tests that run the same cases on
// one software device after another, each with its planted fault. Not thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "suites/core/testing/forwarding_problem.hpp"

namespace halfmark::suites {

struct Remembered {
  TensorSet inputs;
  std::optional<Expectation> expected = std::nullopt;
};

/// The remembered operands and expectations of a suite's problems, by case name.
class Memory {
 public:
  explicit Memory(const Suite& suite) : suite_(suite) {}

  /// The problem of the case, which must not outlive the memory.
  [[nodiscard]] std::unique_ptr<const Problem> bind(const Case& c);
  [[nodiscard]] TensorSet inputs(const Problem& problem);
  [[nodiscard]] Expectation expect(const Problem& problem, const TensorSet& inputs);

 private:
  static constexpr std::size_t kMostElements = 1 << 25;  // of inputs: half a gigabyte in total
  const Suite& suite_;
  std::size_t elements_ = 0;
  std::map<std::string, Remembered> cases_;
};

/// Wraps another problem with a memory.
class RememberingProblem final : public ForwardingProblem {
 public:
  RememberingProblem(std::unique_ptr<const Problem> other, Memory& memory)
      : ForwardingProblem(std::move(other)), memory_(memory) {}

  TensorSet inputs() const override { return memory_.inputs(other()); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return machine == models::Machine{} ? memory_.expect(other(), inputs)
                                        : other().expect(inputs, machine);
  }

 private:
  Memory& memory_;
};

inline std::unique_ptr<const Problem> Memory::bind(const Case& c) {
  return std::make_unique<const RememberingProblem>(suite_.bind(c), *this);
}

inline TensorSet Memory::inputs(const Problem& problem) {
  const std::string name = print(problem.c());
  if (const auto found = cases_.find(name); found != cases_.end()) return found->second.inputs;
  TensorSet inputs = problem.inputs();
  std::size_t elements = 0;
  for (const auto& entry : inputs) elements += entry.second.count();
  if (elements_ + elements <= kMostElements) {
    elements_ += elements;
    cases_[name].inputs = inputs;
  }
  return inputs;
}

inline Expectation Memory::expect(const Problem& problem, const TensorSet& inputs) {
  const auto found = cases_.find(print(problem.c()));
  // A diagnosis may have changed the operands.
  if (found == cases_.end() || found->second.inputs != inputs) return problem.expect(inputs);
  if (!found->second.expected) found->second.expected = problem.expect(inputs);
  return *found->second.expected;
}

/// One memory for each suite of the process.
[[nodiscard]] inline Memory& memory_of(const Suite& suite) {
  static std::map<std::string, Memory> memories;
  return memories.try_emplace(std::string(suite.name), suite).first->second;
}

}  // namespace halfmark::suites
