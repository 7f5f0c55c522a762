// SPDX-License-Identifier: Apache-2.0
#include "suites/core/execute/plan_builder.hpp"

#include <fmt/format.h>

#include "suites/core/execute/provider.hpp"

namespace halfmark::suites {

std::string kernel_word(const formats::Format& format) {
  std::string word = "HM_";
  for (const char letter : format.name)
    word += letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter;
  return word;
}

bool require_group(Plan& plan, const backends::DeviceInfo& device, std::uint32_t items) {
  const bool enough = device.max_group_items == 0 || device.max_group_items >= items;
  if (!enough) plan.needs = fmt::format("{}{}_items", kGroupCapability, items);
  return enough;
}

TensorSlice dense(std::string_view name, std::initializer_list<std::size_t> sizes) {
  TensorSlice slice{.role = std::string(name),
                    .tensor = std::string(name),
                    .offset = 0,
                    .sizes = {},
                    .strides = std::vector<std::int64_t>(sizes.size())};
  for (const std::size_t size : sizes) slice.sizes.push_back(static_cast<std::int64_t>(size));
  std::int64_t stride = 1;
  for (std::size_t axis = sizes.size(); axis-- > 0; stride *= slice.sizes[axis]) {
    slice.strides[axis] = stride;
  }
  return slice;
}

OperatorStep* add_operator(Plan& plan, const backends::DeviceInfo& device,
                           std::string_view provider, std::string_view name) {
  const backends::Library* library = provider_library(device, provider, name);
  if (library == nullptr) {
    plan.no_provider = no_provider(device, provider, name);
    return nullptr;
  }
  plan.operators.push_back({.library = library->name,
                            .name = std::string(name),
                            .compute = "fp32",
                            .tensors = {},
                            .scalars = {},
                            .options = {}});
  return &plan.operators.back();
}

}  // namespace halfmark::suites
