// SPDX-License-Identifier: Apache-2.0
// The contract's rows, two for most bounds: its text is made of the bound's fields.
#include <fmt/format.h>

#include <deque>
#include <string>
#include <vector>

#include "suites/elementary/callee.hpp"
#include "suites/elementary/contract.hpp"

namespace halfmark::suites::elementary {
namespace {

std::string text_of(const Ulps& ulps) {
  return fmt::format("{}{}", ulps.whole(), ulps.is_whole() ? "" : ".5");
}

std::string promise_of(const Bound& b, std::string_view name) {
  const std::string value = b.origin == Origin::kRounded ? "correctly rounded" : "exact";
  const std::string ulps = text_of(b.ulps);
  switch (b.shape) {
    case Shape::kConstant:
      break;
    case Shape::kGrowing:
      return fmt::format("{} is within {} + 2|x| ULP of the {} value", name, ulps, value);
    case Shape::kNearOne:
      return fmt::format("{} is within {} ULP of the {} value, of x from 1/2 to 2 within 2^-21",
                         name, ulps, value);
    case Shape::kOneCircle:
      return fmt::format("{} is within 2^-11 of the {} value, of x from -pi to pi", name, value);
  }
  if (b.ulps == Ulps()) return fmt::format("{} is the {} value", name, value);
  return fmt::format("{} is within {} ULP of the {} value", name, ulps, value);
}

// The expression in source notation: half_exp(x), pow(x, w), x / w.
std::string written(const Bound& b) {
  const std::string_view prefix = b.kind == "half" ? "half_" : "";
  if (b.kind == "standard" && b.function == "div") return "x / w";
  if (b.kind == "standard" && b.function == "recip") return "1 / x";
  const std::string_view name = b.function == "div" ? "divide" : b.function;
  const bool binary = callee_of(b.function).binary != nullptr;
  return fmt::format("{}{}({})", prefix, name, binary ? "x, w" : "x");
}

// An interface that promises the profile removes this freedom.
constexpr Freedom kProfileFreedoms[] = {{"profile", "functions.vulkan"}};

std::span<const Freedom> freedoms_of(const Bound& b) {
  if (b.profile) return kProfileFreedoms;
  return b.format == &formats::kFp16 ? std::span<const Freedom>(kFp16Freedoms)
                                     : std::span<const Freedom>(kFp32Freedoms);
}

// Where the rows of a bound stand; `edges` means nothing where it has none.
struct Place {
  std::size_t numbers = 0, edges = 0;
};

// Rows are views of text that is generated once.
struct Rows {
  std::deque<std::string> texts;
  std::vector<ContractRow> rows;
  std::vector<Place> places;  // of each bound

  Rows() {
    for (const Bound& b : bounds()) {
      const std::string id =
          fmt::format("elementary.{}.{}.{}.{}", b.format->name, b.function, b.kind, b.rules);
      const std::string name = written(b);
      Place& place = places.emplace_back();
      place.numbers = add({.id = texts.emplace_back(id),
                           .tier = Tier::kBounded,
                           .promise = texts.emplace_back(promise_of(b, name)),
                           .source = b.source,
                           .freedoms = freedoms_of(b),
                           .bound_ulps = b.ulps.rounded_up()});
      if (has_edges(b)) place.edges = add(edge_row(b, id, name));
    }
  }

  std::size_t add(const ContractRow& row) {
    rows.push_back(row);
    return rows.size() - 1;
  }

  // A bounded row, since it is the vendor's promise, not one of a Halfmark kernel.
  ContractRow edge_row(const Bound& b, const std::string& id, const std::string& name) {
    return {.id = texts.emplace_back(id + ".edges"),
            .tier = Tier::kBounded,
            .promise = texts.emplace_back(
                name +
                " at a zero or an infinity is the exact value where that is a number or "
                "infinite; at a NaN it is NaN" +
                (has_exact_zeros(b) ? "; where its value is zero it is zero" : "")),
            .source = source_of_edges(b),
            .freedoms = callee_of(b.function).binary == nullptr
                            ? std::span<const Freedom>()
                            : freedoms_of(b),  // pairs also contain numbers
            .bound_ulps = 0};
  }

  [[nodiscard]] const Place& place_of(const Bound& bound) const {
    return places.at(static_cast<std::size_t>(&bound - bounds().data()));
  }
};

const Rows& rows() {
  static const Rows kRows;
  return kRows;
}

}  // namespace

std::span<const ContractRow> contract() { return rows().rows; }

const ContractRow& row_of(const Bound& bound) {
  return rows().rows.at(rows().place_of(bound).numbers);
}

const ContractRow& edge_row_of(const Bound& bound) {
  return rows().rows.at(rows().place_of(bound).edges);
}

}  // namespace halfmark::suites::elementary
