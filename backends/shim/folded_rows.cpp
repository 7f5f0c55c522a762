// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/folded_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/gemm_problem.hpp"

namespace halfmark::backends::shim {
namespace {

// Axes common to all operands, outermost first.
struct Axis {
  std::int64_t size;
  std::vector<std::int64_t> strides;
};

void refuse_misfits(std::span<const DriverTensorView* const> views) {
  for (const DriverTensorView* view : views) {
    if (view->sizes != views.front()->sizes || view->sizes.empty()) {
      throw BackendError(
          "row operator", 0,
          fmt::format("'{}' has not the sizes of '{}'", view->role, views.front()->role));
    }
    for (std::size_t axis = 0; axis < view->sizes.size(); ++axis) {
      const bool repeats = view->strides[axis] <= 0 && view->sizes[axis] > 1;
      if (view->sizes[axis] > 0 && !repeats) continue;
      throw NotOffered(fmt::format("'{}' of size {} and stride {}: these libraries take neither",
                                   view->role, view->sizes[axis], view->strides[axis]));
    }
  }
}

Axis axis_of(std::span<const DriverTensorView* const> views, std::size_t axis) {
  Axis result{.size = views.front()->sizes[axis], .strides = {}};
  // A stride along a size of 1 is irrelevant.
  for (const DriverTensorView* view : views)
    result.strides.push_back(result.size == 1 ? 1 : view->strides[axis]);
  return result;
}

// Whether one step of `outer` equals a full run of `inner` in every operand, so that the two merge.
bool continues(const Axis& outer, const Axis& inner) {
  for (std::size_t i = 0; i < outer.strides.size(); ++i) {
    if (outer.strides[i] != inner.size * inner.strides[i]) return false;
  }
  return true;
}

}  // namespace

bool FoldedRows::is_plain() const {
  return sizes[1] == 1 && std::ranges::all_of(strides, [](const auto& s) { return s[2] == 1; });
}

FoldedRows folded_rows(std::span<const DriverTensorView* const> views) {
  refuse_misfits(views);
  const std::size_t last = views.front()->sizes.size() - 1;
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < last; ++i) {
    Axis axis = axis_of(views, i);
    if (axis.size == 1) continue;
    if (!axes.empty() && continues(axes.back(), axis)) {
      axis.size *= axes.back().size;
      axes.back() = std::move(axis);
    } else {
      axes.push_back(std::move(axis));
    }
  }
  if (axes.size() > 2)
    throw NotOffered(fmt::format("'{}' has rows along {} axes: these libraries take two",
                                 views.front()->role, axes.size()));
  const Axis one{.size = 1, .strides = std::vector<std::int64_t>(views.size(), 1)};
  axes.resize(2, one);
  axes.push_back(axis_of(views, last));
  FoldedRows rows;
  rows.strides.resize(views.size());
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    rows.sizes[axis] = axes[axis].size;
    for (std::size_t i = 0; i < views.size(); ++i) rows.strides[i][axis] = axes[axis].strides[i];
  }
  return rows;
}

}  // namespace halfmark::backends::shim
