// SPDX-License-Identifier: Apache-2.0
// What a case asks of a device, as data: named tensors and a sequence of kernel launches over them.
// Decides the vocabulary between an operator's binding and `execute`; does not touch a device
// itself. Assumes: launches run in order, each complete before the next; tensors are dense arrays
// of encodings, here, and on the device where they do not say otherwise.
#pragma once

#include <array>
#include <cstdint>
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

/// The values that a contract row allows, where it promises a bound and not bits: the least and the
/// greatest encoding of every element, both allowed, zeros of either sign being equal. NaN in `low`
/// asks for a NaN; in `high` alone it allows the number in `low`, or a NaN.
struct Enclosure {
  TensorSet low, high;
};

enum class Role {
  kInput,    // filled from inputs(case); must be unchanged afterwards
  kInOut,    // filled from inputs(case), updated in place and compared
  kOutput,   // starts poisoned, compared
  kScratch,  // starts poisoned, not compared
};

/// The distance of rows where offsets are to pass 2^31 elements: four of them are 2^31, so that
/// what counts in fewer bits arrives at the first row again.
inline constexpr std::size_t kFarApart = std::size_t{1} << 29;

struct TensorSpec {
  std::string name;
  const formats::Format* format = nullptr;  // fp32 bits also carry indices and flags of 32 bits
  std::size_t count = 0;                    // elements
  Role role = Role::kInput;
  /// Where it does not lie in one piece: equal stretches, each so many elements behind the one
  /// before. What lies between belongs to nobody and is neither written nor compared.
  std::size_t stretches = 1, apart = 0;
  std::size_t alike = 1;  // of an output: equal stretches that must have the same bits, as the same
                          // work has in every place of a batch
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

/// A view of a tensor for a library operator; layout is told by strides alone.
struct TensorSlice {
  std::string role;                          // the operator's word for it: "a", "x"
  std::string tensor;                        // by name
  std::size_t offset = 0;                    // elements
  std::vector<std::int64_t> sizes, strides;  // elements, outermost first
  std::string format = {};                   // empty: the tensor's; "int32", "int64": its words
};

/// A call of an operator that a library of the device offers.
struct OperatorStep {
  std::string library;  // as the device names it: provider.hpp finds it
  std::string name;     // "gemm"
  std::string compute;  // the arithmetic asked for: "fp32", "tf32", "fp16", ...
  std::vector<TensorSlice> tensors;
  std::vector<std::pair<std::string, double>> scalars;       // name, value
  std::vector<std::pair<std::string, std::string>> options;  // name, value
};

/// Where the repeats of a plan run, and beside what.
enum class Company : std::uint8_t {
  kAlone,       // where it ran first, and nothing else
  kOtherQueue,  // on the device opened once more: another queue, other handles of its libraries
  kBusy,        // where it ran first, while the other queue runs the same plan on other operands
};

struct Plan {
  std::vector<TensorSpec> tensors;
  std::vector<Launch> launches;
  std::vector<OperatorStep> operators;  // run in order, after the launches
  /// How many times more all steps run on the same buffers; outputs must not change.
  std::size_t repeats = 0;
  Company company = Company::kAlone;
  /// Set when the device does not offer what the case needs: the capability's name. Nothing else is
  /// filled then.
  std::optional<std::string> needs;
  /// Set instead where the device has no such provider: the verdict's reason, as it stands.
  std::optional<std::string> no_provider;
};

}  // namespace halfmark::suites
