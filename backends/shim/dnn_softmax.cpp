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

void refuse_what_cannot_be_told(const Dnn& dnn, const DriverOperatorCall& call,
                                std::span<const DriverTensorView* const> views) {
  const char* name = dnn.vendor().name;
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
  const DnnType& type = dnn.type_of(last);
  if (call.compute != type.scalars)
    throw NotOffered(fmt::format("{}'s {} of {} computes in {}, not {}", name, call.name,
                                 first.format, type.scalars, call.compute));
}

class Softmax final : public DnnOperation {
 public:
  Softmax(const Dnn& dnn, const DriverOperatorCall& call,
          std::span<const DriverTensorView* const> views, const AddressOf& address_of)
      : dnn_(dnn) {
    const DnnVendor& vendor = dnn.vendor();
    const DnnType& type = dnn.type_of(*views.front());
    const FoldedRows rows = folded_rows(views);
    algorithm_ = call.name.starts_with("log_") ? vendor.logarithm : vendor.accurate;
    mode_ = rows.is_plain() ? vendor.instance : vendor.channel;
    alpha_ = scalar_bytes(1, type.scalars);
    beta_ = scalar_bytes(0, type.scalars);
    // Rows along the first and the third axis, elements along the second.
    for (std::size_t i = 0; i < views.size(); ++i) {
      const auto& [outer, inner, width] = rows.strides[i];
      tensors_.push_back(std::make_unique<DnnTensor>(
          dnn, type.number,
          std::array<std::int64_t, 4>{rows.sizes[0], rows.sizes[2], rows.sizes[1], 1},
          std::array<std::int64_t, 4>{outer, width, inner, 1}));
      addresses_.push_back(pointer_at(address_of(views[i]->buffer), views[i]->offset_bytes));
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

std::shared_ptr<DnnOperation> prepared_softmax(const Dnn& dnn, const DriverOperatorCall& call,
                                               const AddressOf& address_of) {
  const auto views = operands_of(call, call.name.ends_with("_backward"));
  refuse_what_cannot_be_told(dnn, call, views);
  return std::make_shared<Softmax>(dnn, call, views, address_of);
}

}  // namespace halfmark::backends::shim
