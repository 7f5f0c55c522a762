// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/dnn_layer_norm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/shim/dnn_extent.hpp"
#include "backends/shim/dnn_tensor.hpp"

namespace halfmark::backends::shim {
namespace {

struct RoleRow {
  std::string_view role;
  Extent extent;
};
// In the order of the library's parameters.
constexpr std::array<RoleRow, 6> kRoles{{{"x", Extent::kMatrix},
                                         {"gamma", Extent::kPerColumn},
                                         {"beta", Extent::kPerColumn},
                                         {"y", Extent::kMatrix},
                                         {"mean", Extent::kPerRow},
                                         {"rstd", Extent::kPerRow}}};
using Operands = std::array<const DriverTensorView*, kRoles.size()>;

void refuse_older_releases(const Dnn& dnn) {
  if (dnn.calls().layer_norm_forward != nullptr) return;
  const auto symbol = std::ranges::find(dnn.vendor().library.symbols,
                                        offsetof(DnnCalls, layer_norm_forward), &Symbol::slot);
  throw NotOffered(fmt::format("{} {} lacks {}", dnn.vendor().name, dnn.version(), symbol->name));
}

Operands operands_of(const DnnVendor& vendor, const DriverOperatorCall& call) {
  Operands operands{};
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    const auto& [role, extent] = kRoles[i];
    // A release may write through a null pointer.
    if (extent == Extent::kPerRow && call.tensor(role) == nullptr)
      throw NotOffered(fmt::format("{}'s {} writes '{}', for which the call has no place",
                                   vendor.name, call.name, role));
    if (extent == Extent::kPerColumn && call.tensor(role) == nullptr)
      throw NotOffered(fmt::format("{}'s {} with weights reads '{}', which the call lacks",
                                   vendor.name, call.name, role));
    operands[i] = &Dnn::needed(call, role);
  }
  return operands;
}

void refuse_formats(const DnnVendor& vendor, const DriverOperatorCall& call,
                    const Operands& operands) {
  const char* name = vendor.name;
  const std::string& format = operands.front()->format;
  const DnnType& type = Dnn::type_of(vendor, *operands.front());
  if (call.compute != type.scalars)
    throw NotOffered(fmt::format("{}'s {} of {} computes in {}, not {}", name, call.name, format,
                                 type.scalars, call.compute));
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    const DriverTensorView& view = *operands[i];
    const bool is_statistic = kRoles[i].extent == Extent::kPerRow;
    if (is_statistic && format != type.scalars)
      throw NotOffered(
          fmt::format("{}'s {} of {} writes '{}' in {} or in {}, as the release or the "
                      "number of rows has it: neither can be requested",
                      name, call.name, format, view.role, format, type.scalars));
    if (view.format != format)
      throw NotOffered(fmt::format("{}'s {} takes one format, not {} and {}", name, call.name,
                                   format, view.format));
  }
}

// The number of elements, which must be contiguous.
std::int64_t packed_count(const DnnVendor& vendor, const DriverOperatorCall& call,
                          const DriverTensorView& view) {
  std::int64_t count = 1;
  for (std::size_t axis = view.sizes.size(); axis-- > 0; count *= view.sizes[axis]) {
    const std::int64_t size = view.sizes[axis];
    if (size == 1 || (size > 1 && view.strides[axis] == count)) continue;
    throw NotOffered(fmt::format("{}'s {} takes packed tensors: '{}' has size {} and stride {}",
                                 vendor.name, call.name, view.role, size, view.strides[axis]));
  }
  return count;
}

LayerNormShape shape_of(Extent extent, std::int64_t rows, std::int64_t width) {
  if (extent == Extent::kMatrix)
    return {.sizes = {rows, width}, .strides = {width, 1}, .count = rows * width};
  const std::int64_t count = extent == Extent::kPerRow ? rows : width;
  return {.sizes = {count}, .strides = {1}, .count = count};
}

class LayerNorm final : public DnnOperation {
 public:
  LayerNorm(const Dnn& dnn, const LayerNormCall& call, const AddressOf& address_of)
      : dnn_(dnn), eps_(call.eps) {
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      const DriverTensorView& view = *call.operands[i];
      const LayerNormShape& shape = call.shapes[i];
      tensors_.push_back(
          std::make_unique<DnnTensor>(dnn, dnn.type_of(view).number, shape.sizes, shape.strides));
      addresses_.push_back(pointer_at(address_of(view.buffer), view.offset_bytes));
    }
  }

  [[nodiscard]] Status start() override {
    const auto tensor = [&](std::size_t i) { return tensors_[i]->raw(); };
    const std::vector<void*>& at = addresses_;
    return dnn_.calls().layer_norm_forward(dnn_.handle(), dnn_.vendor().layer_norm->scaled,
                                           tensor(0), at[0], tensor(1), at[1], tensor(2), at[2],
                                           eps_, LayerNormCall::kFirstAxisOfARow, tensor(3), at[3],
                                           tensor(4), at[4], tensor(5), at[5]);
  }

 private:
  const Dnn& dnn_;
  float eps_;
  std::vector<std::unique_ptr<DnnTensor>> tensors_;
  std::vector<void*> addresses_;
};

}  // namespace

LayerNormCall layer_norm_call(const DnnVendor& vendor, const DriverOperatorCall& call) {
  const Operands operands = operands_of(vendor, call);
  refuse_formats(vendor, call, operands);
  LayerNormCall made{
      .eps = static_cast<float>(call.scalar("eps", 0)), .operands = {}, .shapes = {}};
  const DriverTensorView& x = *operands.front();
  const std::int64_t width = x.sizes.empty() ? 1 : x.sizes.back();
  const std::int64_t rows = packed_count(vendor, call, x) / width;
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    const DriverTensorView& view = *operands[i];
    made.operands.push_back(&view);
    made.shapes.push_back(shape_of(kRoles[i].extent, rows, width));
    if (packed_count(vendor, call, view) != made.shapes.back().count)
      throw BackendError(call.name, 0,
                         fmt::format("'{}' has not the sizes that 'x' asks for", view.role));
  }
  return made;
}

std::shared_ptr<DnnOperation> prepared_layer_norm(const Dnn& dnn, const DriverOperatorCall& call,
                                                  const AddressOf& address_of) {
  refuse_older_releases(dnn);
  return std::make_shared<LayerNorm>(dnn, layer_norm_call(dnn.vendor(), call), address_of);
}

}  // namespace halfmark::backends::shim
