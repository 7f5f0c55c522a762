// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/reproducer_dnn.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/shim/dnn_layer_norm.hpp"
#include "backends/shim/dnn_softmax.hpp"

namespace halfmark::backends::shim {
namespace {

constexpr const char* kOperate =
    R"(const int axes[] = {@axes@}; int sizes[][4] = {@sizes@}, strides[][4] = {@strides@}; @scalars.part@
  for (i = 0; i < @view_count@; ++i) e |= @dnn.create_tensor@(&views[i]) || @dnn.describe_tensor@(views[i], @view.type@, axes[i], sizes[i], strides[i]);
  if (!e) e = @dnn.call@;)";

constexpr const char* kLayerNorm =
    "@dnn.layer_norm_forward@(handle, @dnn.scaled@, @view.0@, @view.1@, @view.2@, @eps@, "
    "@first_axis@, @view.3@, @view.4@, @view.5@)";

std::string braced(std::span<const std::int64_t> numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ", "));
}

// Collects each operand's declaration and its position in the call.
class Views {
 public:
  void add(const DriverTensorView& view, std::span<const std::int64_t> sizes,
           std::span<const std::int64_t> strides) {
    words_[fmt::format("view.{}", axes_.size())] = fmt::format(
        "views[{}], (char*)at[@at.{}@] + @bytes.{}@", axes_.size(), view.role, view.role);
    words_["view.type"] = fmt::format("@type.{}@", view.format);
    axes_.push_back(sizes.size());
    sizes_.push_back(braced(sizes));
    strides_.push_back(braced(strides));
  }

  [[nodiscard]] Words words() const {
    Words made = words_;
    made["view_count"] = fmt::format("{}", axes_.size());
    made["axes"] = fmt::format("{}", fmt::join(axes_, ", "));
    made["sizes"] = fmt::format("{}", fmt::join(sizes_, ", "));
    made["strides"] = fmt::format("{}", fmt::join(strides_, ", "));
    made["operate"] = kOperate;
    return made;
  }

 private:
  Words words_;
  std::vector<std::size_t> axes_;
  std::vector<std::string> sizes_, strides_;
};

Words softmax_words(const SoftmaxCall& call) {
  Views views;
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    views.add(*call.operands[i], call.sizes, call.strides[i]);
  Words words = views.words();
  words["dnn.call"] = call.is_backward ? "@softmax.backward@" : "@softmax.forward@";
  words["scalars.part"] =
      fmt::format("const {} one = 1, zero = 0;", call.type->scalars == "fp64" ? "double" : "float");
  words["algorithm"] = call.is_logarithm ? "@dnn.logarithm@" : "@dnn.accurate@";
  words["softmax.mode"] = call.is_plain ? "@dnn.instance@" : "@dnn.channel@";
  return words;
}

Words layer_norm_words(const LayerNormCall& call) {
  Views views;
  for (std::size_t i = 0; i < call.operands.size(); ++i)
    views.add(*call.operands[i], call.shapes[i].sizes, call.shapes[i].strides);
  Words words = views.words();
  words["dnn.call"] = kLayerNorm;
  words["scalars.part"] = "";
  words["eps"] = fmt::format("{:a}f", call.eps);
  words["first_axis"] = fmt::format("{}", LayerNormCall::kFirstAxisOfARow);
  return words;
}

}  // namespace

Words dnn_steps(Words words) {
  for (const auto& [direction, operands] :
       {std::pair("", "&one, @view.0@, &zero, @view.1@"),
        std::pair("_backward", "&one, @view.0@, @view.1@, &zero, @view.2@")}) {
    const std::string first = fmt::format("dnn.softmax{}_algorithm_first", direction);
    const std::string place = *direction == '\0' ? "softmax.forward" : "softmax.backward";
    words[place] =
        words.contains(first)
            ? fmt::format("@{}@(handle, @algorithm@, @softmax.mode@, {})", first, operands)
            : fmt::format("@dnn.softmax{}_algorithm_last@(handle, {}, @algorithm@, @softmax.mode@)",
                          direction, operands);
  }
  return words;
}

Words dnn_words(const DnnVendor& vendor, const DriverOperatorCall& call) {
  if (call.name.find("softmax") != std::string::npos)
    return softmax_words(softmax_call(vendor, call));
  if (call.name == "layernorm" && vendor.layer_norm != nullptr)
    return layer_norm_words(layer_norm_call(vendor, call));
  if (call.name.find("norm") != std::string::npos && vendor.graph != nullptr)
    throw NotOffered(
        fmt::format("{} of {} takes a graph of descriptors, which needs more than forty lines",
                    call.name, vendor.name));
  throw NotOffered(fmt::format("there is no program for {} of {}", call.name, vendor.name));
}

}  // namespace halfmark::backends::shim
