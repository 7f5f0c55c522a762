// SPDX-License-Identifier: Apache-2.0
//
// The operators of the software device's library: a table of functions over strided tensors in host
// memory. Decides the inputs of such a function. Without a planted fault every operator is correct;
// a fault alters the policy that describes its evaluation, in the family's own file.
//
// To add a family: one file with its functions and a span of rows, and a line in operators.cpp.
//
// Assumptions:
//  1. Views lie inside their memory, with the ranks and formats that the checks below require; a
//  function refuses anything else with Unsupported.
//  2. A function runs in the IEEE floating-point state; so must the threads that it
//  starts (rows_do).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device_info.hpp"
#include "backends/host/faults.hpp"
#include "backends/host/library/number.hpp"
#include "backends/host/thread_pool.hpp"

namespace halfmark::backends::host::library {

// The memory of a buffer.
struct Memory {
  std::byte* address = nullptr;
  std::uint64_t bytes = 0;
};

using TensorView = TensorViewOf<Memory>;
using OperatorCall = OperatorCallOf<Memory>;

// The library's answer when it does not offer a call.
struct Unsupported {
  std::string answer;
};

// A tensor as a function uses it: elements by their index in the view.
struct Tensor {
  const Format* format = nullptr;
  Memory memory;
  std::int64_t origin_bytes = 0;             // offset of element (0, ..., 0)
  std::vector<std::int64_t> sizes, strides;  // in elements

  [[nodiscard]] std::int64_t size(std::size_t axis) const { return sizes.at(axis); }
  // `offset` is in elements from the origin.
  [[nodiscard]] std::byte* at(std::int64_t offset) const {
    return memory.address + origin_bytes +
           offset * static_cast<std::int64_t>(format->storage_bytes());
  }
  [[nodiscard]] double load(std::int64_t offset) const {
    return library::load(*format, at(offset));
  }
  void store(std::int64_t offset, double value, const Storing& storing = {}) const {
    library::store(*format, at(offset), value, storing);
  }
  // Whether an element at that offset lies in the buffer, inside the view or not.
  [[nodiscard]] bool in_memory(std::int64_t offset) const;
};

// The caller: a handle of the library; each opened device has one.
struct Caller {
  std::uint64_t call = 0;    // number of the call on this handle, from 0
  std::uint64_t handle = 0;  // number of handles made before it in the process
};

struct Context {
  const OperatorCall& call;
  const Fault& fault;
  Caller caller;
  ThreadPool& pool;

  // Throws Unsupported unless the call has the tensor, in a format with a sign and a zero, and with
  // a rank from `least` to `most`.
  [[nodiscard]] Tensor tensor(std::string_view role, std::size_t least, std::size_t most) const;
  [[nodiscard]] bool has(std::string_view role) const { return call.tensor(role) != nullptr; }
};

// Calls work(i) for every i below count, on the device's threads, in the IEEE state.
void rows_do(ThreadPool& pool, std::int64_t count, const std::function<void(std::int64_t)>& work);

struct OperatorRow {
  std::string_view name;
  void (*run)(const Context&);  // may throw Unsupported, but only before it writes anything
};

// A vector of integers of 32 or 64 bits, as the call specifies.
class Integers {
 public:
  // Throws Unsupported unless the call has the tensor, with one axis and such a format.
  Integers(const Context& context, std::string_view role);
  [[nodiscard]] std::int64_t count() const { return view_.sizes[0]; }
  [[nodiscard]] std::int64_t at(std::int64_t index) const;

 private:
  const TensorView& view_;
  bool wide_;
};

// One span per family, then all of them in one list.
[[nodiscard]] std::span<const OperatorRow> gemm_operators();
[[nodiscard]] std::span<const OperatorRow> elementwise_operators();
[[nodiscard]] std::span<const OperatorRow> reduction_operators();
[[nodiscard]] std::span<const OperatorRow> cross_entropy_operators();
[[nodiscard]] std::span<const OperatorRow> all_operators();

// The library's entry in the device's description.
[[nodiscard]] Library describe_library(std::string_view version);

// Runs the call and waits for it. Reports a name that the table lacks as not supported.
[[nodiscard]] OperatorOutcome run_operator(const OperatorCall& call, const Fault& fault,
                                           const Caller& caller, ThreadPool& pool);

// Calls in flight in the process, on all handles.
[[nodiscard]] int calls_in_flight();

}  // namespace halfmark::backends::host::library
