// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/dnn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include "backends/shim/dnn_graph.hpp"
#include "backends/shim/dnn_layer_norm.hpp"
#include "backends/shim/dnn_norm_plan.hpp"
#include "backends/shim/dnn_softmax.hpp"

namespace halfmark::backends::shim {
namespace {

bool always(const DnnVendor& /*vendor*/) { return true; }
bool by_graph(const DnnVendor& vendor) { return vendor.graph != nullptr; }
bool by_call(const DnnVendor& vendor) { return vendor.layer_norm != nullptr; }

struct OperatorRow {
  std::string_view name;
  bool (*is_offered)(const DnnVendor& vendor);
  std::shared_ptr<DnnOperation> (*prepared)(const Dnn& dnn, const DriverOperatorCall& call,
                                            const AddressOf& address_of);
};

constexpr OperatorRow kOperators[] = {
    {"softmax", always, prepared_softmax},
    {"log_softmax", always, prepared_softmax},
    {"softmax_backward", always, prepared_softmax},
    {"log_softmax_backward", always, prepared_softmax},
    {"layernorm", by_graph, prepared_norm},
    {"rmsnorm", by_graph, prepared_norm},
    {"layernorm_backward", by_graph, prepared_norm},
    {"rmsnorm_backward", by_graph, prepared_norm},
    {"layernorm", by_call, prepared_layer_norm},
};

class DnnLibrary final : public OperatorLibrary {
 public:
  DnnLibrary(const DnnVendor& vendor, OpenLibrary library, const LibrarySetting& setting)
      : dnn_(vendor, std::move(library), setting) {}
  [[nodiscard]] std::string version() const override { return dnn_.version(); }
  [[nodiscard]] StartOperator prepared(const DriverOperatorCall& call,
                                       const AddressOf& address_of) override {
    const auto row = std::ranges::find_if(kOperators, [&](const OperatorRow& one) {
      return one.name == call.name && one.is_offered(dnn_.vendor());
    });
    if (row == std::end(kOperators))
      throw NotOffered(fmt::format("{} has no {}", dnn_.vendor().name, call.name));
    refuse_extents(dnn_.vendor(), call);
    return [operation = row->prepared(dnn_, call, address_of)] { return operation->start(); };
  }
  [[noreturn]] void refuse(Status status) const override { dnn_.refuse("operator", status); }

 private:
  Dnn dnn_;
};

}  // namespace

Dnn::Dnn(const DnnVendor& vendor, OpenLibrary library, const LibrarySetting& setting)
    : vendor_(vendor), driver_(setting.calls), library_(std::move(library)) {
  library_.bind(vendor.library.symbols, &calls_);
  check("create handle", handle_.create(calls_.create, calls_.destroy));
  library_.keep();
  check("set stream", calls_.set_stream(handle(), setting.stream));
}

std::string Dnn::version() const {
  std::array<std::size_t, 3> parts{};
  if (calls_.version_parts != nullptr) {
    check("version", calls_.version_parts(&parts[0], &parts[1], &parts[2]));
  } else {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      int value = 0;
      check("version", calls_.version_part(static_cast<int>(part), &value));
      parts[part] = static_cast<std::size_t>(value);
    }
  }
  return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
}

void Dnn::refuse(const std::string& what, Status status) const {
  std::string words = fmt::format("{}: {} {}", vendor_.name, status, calls_.status_name(status));
  if (calls_.last_words != nullptr) {
    std::array<char, 512> text{};
    calls_.last_words(text.data(), text.size() - 1);
    if (text[0] != '\0') words += fmt::format(": {}", text.data());
  }
  std::ranges::replace(words, '\n', ' ');
  for (const DnnAnswers& answers : vendor_.declines) {
    if (status >= answers.first && status <= answers.last) throw NotOffered(words);
  }
  throw BackendError(what, status, words);
}

const DnnType& Dnn::type_of(const DnnVendor& vendor, const DriverTensorView& view) {
  const auto row = std::ranges::find(vendor.types, view.format, &DnnType::format);
  if (row != vendor.types.end()) return *row;
  throw NotOffered(fmt::format("{} has no tensors of {}", vendor.name, view.format));
}

const DriverTensorView& Dnn::needed(const DriverOperatorCall& call, std::string_view role) {
  if (const DriverTensorView* view = call.tensor(role)) return *view;
  throw BackendError(call.name, 0, fmt::format("{} needs a tensor '{}'", call.name, role));
}

void refuse_extents(const DnnVendor& vendor, const DriverOperatorCall& call) {
  if (vendor.most_elements == 0) return;
  for (const DriverTensorView& view : call.tensors) {
    std::int64_t last = 0;
    for (std::size_t axis = 0; axis < view.sizes.size(); ++axis)
      last += std::max<std::int64_t>(view.sizes[axis] - 1, 0) * view.strides[axis];
    if (last < vendor.most_elements) continue;
    throw NotOffered(
        fmt::format("{} takes tensors that extend over {} elements at most; '{}' has {}",
                    vendor.name, vendor.most_elements, view.role, last + 1));
  }
}

LibraryRow library_row(const DnnVendor& vendor) {
  LibraryRow row{.name = vendor.name,
                 .where = &vendor.library,
                 .operators = {},
                 .ways = 1,
                 .policy = {},
                 .open = [&vendor](OpenLibrary library, const LibrarySetting& setting) {
                   return std::make_unique<DnnLibrary>(vendor, std::move(library), setting);
                 }};
  for (const OperatorRow& one : kOperators) {
    if (one.is_offered(vendor)) row.operators.emplace_back(one.name);
  }
  return row;
}

}  // namespace halfmark::backends::shim
