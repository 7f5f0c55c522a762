// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/dnn_softmax.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <vector>

#include "backends/shim/dnn_tensor.hpp"
#include "backends/shim/folded_rows.hpp"

namespace halfmark::backends::shim {
namespace {

// Roles in the order of the library's parameters.
constexpr std::array<std::string_view, 2> kForward{"x", "y"};
constexpr std::array<std::string_view, 3> kBackward{"y", "dy", "dx"};

std::vector<const DriverTensorView*> operands_of(const DriverOperatorCall& call, bool backward) {
  const auto roles = backward ? std::span<const std::string_view>(kBackward)
                              : std::span<const std::string_view>(kForward);
  std::vector<const DriverTensorView*> views;
  for (const std::string_view role : roles) views.push_back(&Dnn::needed(call, role));
  return views;
}

void refuse_what_cannot_be_told(const DnnVendor& vendor, const DriverOperatorCall& call,
                                std::span<const DriverTensorView* const> views) {
  const char* name = vendor.name;
  const DriverTensorView& first = *views.front();
  const DriverTensorView& last = *views.back();
  if (call.tensor("mask") != nullptr)
    throw NotOffered(fmt::format("{}'s {} adds no mask", name, call.name));
  if (!call.option("masked_row").empty())
    throw NotOffered(fmt::format("{}'s {} has no choice for rows of -inf", name, call.name));
  for (const DriverTensorView* view : views) {
    if (view->format == first.format) continue;
    throw NotOffered(fmt::format("{}'s {} takes one format, not {} and {}", name, call.name,
                                 first.format, view->format));
  }
  const DnnType& type = Dnn::type_of(vendor, last);
  if (call.compute != type.scalars)
    throw NotOffered(fmt::format("{}'s {} of {} computes in {}, not {}", name, call.name,
                                 first.format, type.scalars, call.compute));
}

class Softmax final : public DnnOperation {
 public:
  Softmax(const Dnn& dnn, const SoftmaxCall& call, const AddressOf& address_of) : dnn_(dnn) {
    const DnnVendor& vendor = dnn.vendor();
    algorithm_ = call.is_logarithm ? vendor.logarithm : vendor.accurate;
    mode_ = call.is_plain ? vendor.instance : vendor.channel;
    alpha_ = scalar_bytes(1, call.type->scalars);
    beta_ = scalar_bytes(0, call.type->scalars);
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      const DriverTensorView& view = *call.operands[i];
      tensors_.push_back(
          std::make_unique<DnnTensor>(dnn, call.type->number, call.sizes, call.strides[i]));
      addresses_.push_back(pointer_at(address_of(view.buffer), view.offset_bytes));
    }
  }

  [[nodiscard]] Status start() override {
    const DnnCalls& calls = dnn_.calls();
    void* handle = dnn_.handle();
    const auto tensor = [&](std::size_t i) { return tensors_[i]->raw(); };
    const std::vector<void*>& at = addresses_;
    const bool is_backward = tensors_.size() == kBackward.size();
    if (!is_backward && calls.softmax_algorithm_first != nullptr) {
      return calls.softmax_algorithm_first(handle, algorithm_, mode_, alpha_.data(), tensor(0),
                                           at[0], beta_.data(), tensor(1), at[1]);
    }
    if (!is_backward) {
      return calls.softmax_algorithm_last(handle, alpha_.data(), tensor(0), at[0], beta_.data(),
                                          tensor(1), at[1], algorithm_, mode_);
    }
    if (calls.softmax_backward_algorithm_first != nullptr) {
      return calls.softmax_backward_algorithm_first(handle, algorithm_, mode_, alpha_.data(),
                                                    tensor(0), at[0], tensor(1), at[1],
                                                    beta_.data(), tensor(2), at[2]);
    }
    return calls.softmax_backward_algorithm_last(handle, alpha_.data(), tensor(0), at[0], tensor(1),
                                                 at[1], beta_.data(), tensor(2), at[2], algorithm_,
                                                 mode_);
  }

 private:
  const Dnn& dnn_;
  int algorithm_ = 0, mode_ = 0;
  std::array<std::byte, 8> alpha_{}, beta_{};
  std::vector<std::unique_ptr<DnnTensor>> tensors_;
  std::vector<void*> addresses_;
};

}  // namespace

SoftmaxCall softmax_call(const DnnVendor& vendor, const DriverOperatorCall& call) {
  SoftmaxCall made{.is_backward = call.name.ends_with("_backward"),
                   .is_logarithm = call.name.starts_with("log_"),
                   .is_plain = false,
                   .type = nullptr,
                   .operands = {},
                   .sizes = {},
                   .strides = {}};
  made.operands = operands_of(call, made.is_backward);
  refuse_what_cannot_be_told(vendor, call, made.operands);
  made.type = &Dnn::type_of(vendor, *made.operands.front());
  const FoldedRows rows = folded_rows(made.operands);
  made.is_plain = rows.is_plain();
  // Rows lie along the first and third axis, their elements along the second.
  made.sizes = {rows.sizes[0], rows.sizes[2], rows.sizes[1], 1};
  for (const auto& [outer, inner, width] : rows.strides)
    made.strides.push_back({outer, width, inner, 1});
  return made;
}

std::shared_ptr<DnnOperation> prepared_softmax(const Dnn& dnn, const DriverOperatorCall& call,
                                               const AddressOf& address_of) {
  return std::make_shared<Softmax>(dnn, softmax_call(dnn.vendor(), call), address_of);
}

}  // namespace halfmark::backends::shim
