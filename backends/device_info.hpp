// SPDX-License-Identifier: Apache-2.0
//
// What a device reports about itself, and the error that its calls throw: plain values that a
// backend fills, the C table carries as JSON, and the rest of Halfmark reads. Calls no driver.
//
// Assumptions:
//  1. Every capability comes with evidence: the driver's answer, and the clause that defines
//  its meaning.
//  2. Information that only one vendor reports goes into `extra`, unchanged.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::backends {

// One capability, offered or not. Names in use:
//   fp16.storage fp16.subnormals            conversions between fp16 in memory and fp32
//   fp16.arithmetic fp16.arithmetic.subnormals fp16.arithmetic.round_to_nearest
//   fp16.arithmetic.divide_sqrt_correctly_rounded bf16.arithmetic
//   fp32.subnormals fp32.divide_sqrt_correctly_rounded fp32.fma fp32.signed_zero
//   fp64
//   operators.nan                           a NaN among the operands of ReLU or a maximum reaches
//                                           the result
//   operators.masked_rows                   a softmax of nothing but -inf is NaN, as
//                                           exp(-inf - -inf)
//   operators.accuracy                      a library's functions keep the digits of fp32 steps
//   products.internal_precision             a library keeps the sum of a product in the format that
//                                           it computes in until its result is stored
struct Promise {
  std::string capability;
  bool offered = false;
  std::string evidence;  // the driver's own answer
  std::string clause;    // the source that defines what the answer means

  bool operator==(const Promise&) const = default;
};

/// What the documents of a library leave open, so that a promise about its device's compiler does
/// not bind it: subnormals and the signs of zeros, of products also their internal precision, and
/// of functions also NaN and digits. `documents` are cited before a colon.
enum class Of : std::uint8_t { kProducts, kFunctions, kProductsWithFunctions };
[[nodiscard]] std::vector<Promise> left_open(const std::string& library,
                                             const std::string& documents, Of operators);

// Operators that somebody else implemented: a vendor's library, or the instructions of a
// matrix unit.
struct Library {
  std::string name;     // as the vendor names it
  std::string version;  // empty when it is not usable
  std::string kind;     // "library", or "unit": single instructions of the matrix unit
  std::vector<std::string> operators;  // "gemm", "softmax", ...
  bool usable = false;
  std::string evidence;  // where it was found, or why it cannot be used
  // Its documents' word where it differs from the device's, which is about compiled kernels.
  std::vector<Promise> promises = {};

  bool operator==(const Library&) const = default;
};

// Vector widths that the device's language offers, for kernels/rates.hk. Kinds in use: fp32, fp16
// and bf16 (arithmetic), half (fp16 in memory: load, store, convert).
struct Packs {
  std::string kind;
  std::vector<int> widths;  // numbers per pack; 1: a scalar

  bool operator==(const Packs&) const = default;
};

// The member of DeviceInfo::extra that lists what the same backend found beside its devices and
// could not use, each as one line. A matter of the machine, not of the device.
inline constexpr const char* kFaultsBeside = "faults_beside";

struct DeviceInfo {
  std::string selector;  // unique: "opencl:0"; a backend with one device may use its bare name
  std::string alias;     // a readable selector of the same device, "opencl:pocl"; may be empty
  std::string backend;
  std::string name;
  std::string platform;
  std::string vendor;
  std::string driver_version;
  std::string api_version;
  std::string plugin = {};  // the file of the plug-in that has it; empty when built in
  std::uint32_t index = 0;  // the number of the device in its backend; set by backend.cpp
  std::string kind;  // gpu, accelerator, cpu, software (the built-in device), simulator (only on
                     // request), stand-in (the software device with a vendor's interface)
  std::uint64_t memory_bytes = 0;
  std::uint64_t local_memory_bytes = 0;
  std::uint32_t max_group_items = 0;
  std::uint32_t compute_units = 0;
  std::vector<Promise> promises;
  std::vector<Packs> packs = {};        // empty: its dialect lacks the vector words
  std::vector<Library> libraries = {};  // in order of preference; unusable ones too, with a reason
  nlohmann::json extra = nlohmann::json::object();

  [[nodiscard]] const Promise* promise(
      std::string_view capability) const;  // null: the backend does not report it
  // Of a library's calls, if there is one: its own word, and the device's where it has none.
  [[nodiscard]] const Promise* promise_of(const Library* library,
                                          std::string_view capability) const;
  [[nodiscard]] bool offers(std::string_view capability) const;
  [[nodiscard]] bool has_packs(std::string_view pack_kind, int width) const;
  // The usable library of that kind that has the operator; `rank` counts such libraries from 0.
  // Null when there is none.
  [[nodiscard]] const Library* library(std::string_view kind, std::string_view operator_name,
                                       std::size_t rank = 0) const;
};

[[nodiscard]] nlohmann::json to_json_object(const DeviceInfo& info);
[[nodiscard]] DeviceInfo device_info_from_json(
    const nlohmann::json& object);  // throws on a wrong type

struct Define {
  std::string name;
  std::string value;
};

struct Scalar {
  std::string name;
  double value = 0;  // exactly representable in the type that the operator takes
};

// The result of a call that did not fail.
struct OperatorOutcome {
  bool supported = true;
  std::string answer;  // the library's own explanation when it does not offer the call
  std::uint64_t elapsed_ns = 0;
};

// A strided view of elements in a buffer, and one call of a library operator on such views. Names
// and layout as in HmTensor and HmOperator of abi.h.
template <typename BufferPointer>
struct TensorViewOf {
  std::string role;
  BufferPointer buffer{};
  std::uint64_t offset_bytes = 0;
  std::string format;
  std::vector<std::int64_t> sizes, strides;  // in elements, outermost first; at most four
};

template <typename BufferPointer>
struct OperatorCallOf {
  std::string library, name, compute;
  std::vector<TensorViewOf<BufferPointer>> tensors;
  std::vector<Scalar> scalars;
  std::vector<Define> options;

  // Null when the call has no tensor or scalar of that role or name.
  [[nodiscard]] const TensorViewOf<BufferPointer>* tensor(std::string_view role) const {
    for (const auto& view : tensors) {
      if (view.role == role) return &view;
    }
    return nullptr;
  }
  [[nodiscard]] double scalar(std::string_view scalar_name, double otherwise) const {
    for (const Scalar& row : scalars) {
      if (row.name == scalar_name) return row.value;
    }
    return otherwise;
  }
  [[nodiscard]] std::string_view option(std::string_view option_name) const {
    for (const Define& row : options) {
      if (row.name == option_name) return row.value;
    }
    return {};
  }
};

// The number of work-groups, and of work-items in each group.
struct Grid {
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::array<std::uint32_t, 3> items{1, 1, 1};
};

// The only exception that backends throw for a failing device or a misused call.
struct BackendError : std::runtime_error {
  BackendError(std::string call_, int code_, std::string vendor_text_, bool device_lost_ = false);

  std::string call;         // the vendor's function, or Halfmark's step, that failed
  int code;                 // the vendor's own number; 0 when Halfmark refuses
  std::string vendor_text;  // the name of the code, or a build log
  bool device_lost;
};

}  // namespace halfmark::backends
