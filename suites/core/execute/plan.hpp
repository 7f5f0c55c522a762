// SPDX-License-Identifier: Apache-2.0
// What a case runs on a device, as data: named tensors and a sequence of kernel launches or library
// calls over them. Decides the vocabulary between an operator's binding and `execute`; does not
// touch a device itself. Assumes: launches run in order, each complete before the next; tensors are
// dense arrays of encodings, on the host always and on the device unless they say otherwise.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/formats/tensor.hpp"

namespace halfmark::suites {

/// Tensors by name; ordered, so that every walk over them is deterministic.
using TensorSet = std::map<std::string, formats::Tensor>;

/// The values that a contract row allows if it promises a bound instead of bits: the least and
/// the greatest allowed encoding of every element; zeros of either sign are equal. NaN in
/// `low` requires a NaN; NaN only in `high` allows the number in `low` or a NaN. If there are
/// steps, every allowed finite value is an integer times 2^step: 1 - erf(x) is 0 or 2^-24, and
/// nothing between.
struct Enclosure {
  TensorSet low, high;
  std::map<std::string, std::vector<std::int32_t>> steps = {};
};

enum class Role {
  kInput,    // filled from inputs(case); must be unchanged afterwards
  kInOut,    // filled from inputs(case), updated in place and compared
  kOutput,   // starts poisoned, compared
  kScratch,  // starts poisoned, not compared
};

/// The distance of rows for offsets that must pass 2^31 elements: four of these rows make 2^31, so
/// that an index with fewer bits wraps around to the first row.
inline constexpr std::size_t kFarApart = std::size_t{1} << 29;

struct TensorSpec {
  std::string name;
  const formats::Format* format = nullptr;  // fp32 bits also carry indices and flags of 32 bits
  std::size_t count = 0;                    // elements
  Role role = Role::kInput;
  /// For a tensor in several pieces: the number of equal stretches, and the elements from the start
  /// of one to the start of the next. The gaps are neither written nor compared.
  std::size_t stretches = 1, apart = 0;
  std::size_t alike = 1;  // for an output: equal stretches that must have the same bits, as places
                          // of a batch with the same work must
};

/// A kernel argument: a tensor by name, or a scalar.
struct TensorRef {
  std::string name;
};
using PlanArgument = std::variant<TensorRef, std::int32_t, std::uint32_t, float>;

struct Launch {
  std::string family;                                        // kernel text, see kernels/catalog.hpp
  std::vector<std::pair<std::string, std::string>> defines;  // compile-time choices of that text
  std::string entry;
  std::array<std::uint32_t, 3> groups{1, 1, 1};  // work-groups
  std::array<std::uint32_t, 3> items{1, 1, 1};   // work-items in a group
  std::vector<PlanArgument> arguments;
};

/// A view of a tensor for a library operator; its strides alone define the layout.
struct TensorSlice {
  std::string role;                          // the operator's name for it: "a", "x"
  std::string tensor;                        // by name
  std::size_t offset = 0;                    // elements
  std::vector<std::int64_t> sizes, strides;  // elements, outermost first
  std::string format = {};  // empty: the tensor's format; "int32", "int64": its words
};

/// A call of an operator that a library of the device offers.
struct OperatorStep {
  std::string library;  // as the device names it: provider.hpp finds it
  std::string name;     // "gemm"
  std::string compute;  // the requested compute type: "fp32", "tf32", "fp16", ...
  std::vector<TensorSlice> tensors;
  std::vector<std::pair<std::string, double>> scalars;       // name, value
  std::vector<std::pair<std::string, std::string>> options;  // name, value
  /// How many of the plan's launches run before it; by default all.
  std::size_t launches_before = std::numeric_limits<std::size_t>::max();
};

/// Where the repeats of a plan run, and next to what.
enum class Concurrency : std::uint8_t {
  kNone,        // on the queue of the first run, with nothing else running
  kOtherQueue,  // on a second opening of the device: another queue, other library handles
  kBusy,        // on the first queue, while the second one runs the same plan on other operands
};

/// The lowest bit of an element of an output, in memory: an injected fault.
struct FlippedBit {
  std::string tensor;
  std::size_t index = 0;
};

struct Plan {
  std::vector<TensorSpec> tensors;
  std::vector<Launch> launches;
  std::vector<OperatorStep> operators;  // run in order, after the launches or between them
  /// How many more times all steps run on the same buffers; outputs must not change.
  std::size_t repeats = 0;
  Concurrency concurrency = Concurrency::kNone;
  /// Flipped after every launch of all steps, so that the pipeline is seen to notice.
  std::optional<FlippedBit> flipped;
  /// The name of the capability that the case needs and the device lacks. If it is set, nothing
  /// else is.
  std::optional<std::string> needs;
  /// Set instead if the device has no such provider: the verdict's reason, verbatim.
  std::optional<std::string> no_provider;
};

}  // namespace halfmark::suites
