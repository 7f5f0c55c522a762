// SPDX-License-Identifier: Apache-2.0
//
// An engine and a stream of oneDNN, and what its operators share: tensors as the library sees them,
// and one execution of a primitive.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/dnn_forms.hpp"
#include "backends/driver.hpp"

namespace halfmark::backends::cpu::dnn {

using Work = std::function<void()>;

// A tensor with its description.
struct Operand {
  Owned layout;
  void* address = nullptr;
};

// One argument of an execution.
struct Argument {
  int number;
  Operand operand;
};

class Session {
 public:
  // Throws BackendError if the library is no oneDNN of a known version, or has no engine for
  // processors.
  Session(const shim::OpenLibrary& library, unsigned threads);

  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] Forms& forms() const { return *forms_; }
  [[nodiscard]] const Calls& calls() const { return calls_; }

  // Throws NotOffered for a format that this version does not have.
  [[nodiscard]] int type_of(const DriverTensorView& view) const;
  [[nodiscard]] Operand operand(const DriverTensorView& view) const;
  // The same elements with other sizes and strides.
  [[nodiscard]] Operand operand(const DriverTensorView& view, const Sizes& sizes,
                                const Sizes& strides) const;
  [[nodiscard]] Work work(const Owned& description, std::vector<Argument> arguments) const;

 private:
  Calls calls_;
  std::string version_;
  Owned engine_, stream_;
  std::unique_ptr<Forms> forms_;
  unsigned threads_;
  void (*set_threads_)(int) = nullptr;  // of OpenMP, where the library uses it
};

// The tensor of that role; throws NotOffered without one.
[[nodiscard]] const DriverTensorView& needed(const DriverOperatorCall& call, std::string_view role);

// What the operator's row does not know must not be ignored: throws NotOffered for a tensor of
// another role, an option, or an arithmetic other than fp32.
void check_call(const DriverOperatorCall& call, std::initializer_list<std::string_view> roles);

// A primitive from x to y, whose layouts `describe` takes.
[[nodiscard]] Work mapped(const Session& session, const DriverOperatorCall& call,
                          const std::function<Owned(const void* x, const void* y)>& describe);

struct OperatorRow {
  std::string_view name;
  Work (*prepare)(const Session& session, const DriverOperatorCall& call);
};
[[nodiscard]] std::span<const OperatorRow> product_operators();
[[nodiscard]] std::span<const OperatorRow> row_operators();
[[nodiscard]] std::span<const OperatorRow> norm_operators();
[[nodiscard]] std::span<const OperatorRow> element_operators();

}  // namespace halfmark::backends::cpu::dnn
