// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/inference/data.hpp"

namespace halfmark::suites::gemm {
namespace {

using inference::Hypothesis;
using inference::Observation;
using models::Arithmetic;
using models::Combine;
using models::Order;

constexpr std::uint64_t kRounds = 24, kComparedRounds = 3;
constexpr std::size_t kFreshOutputs = 1024;
constexpr std::uint64_t kLeastFreshRounds = 4;
constexpr std::size_t kMostRegions = 4, kMostRectangles = 64;

std::string print(const Rectangle& r) {
  const auto range = [](std::size_t first, std::size_t last) {
    return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  };
  return fmt::format("r{}c{}", range(r.row, r.last_row), range(r.column, r.last_column));
}

// Cuts a text at the first `at`; what is behind it is empty if there is none.
std::pair<std::string_view, std::string_view> cut(std::string_view text, char at) {
  const std::size_t place = text.find(at);
  if (place == text.npos) return {text, {}};
  return {text.substr(0, place), text.substr(place + 1)};
}

bool read_number(std::string_view text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}
bool read_range(std::string_view text, std::size_t& first, std::size_t& last) {
  const auto [low, high] = cut(text, '-');
  return read_number(low, first) && read_number(high.empty() ? low : high, last) && first <= last;
}

std::optional<Rectangle> read_rectangle(std::string_view text) {
  Rectangle r;
  if (!text.starts_with('r')) return std::nullopt;
  const auto [rows, columns] = cut(text.substr(1), 'c');
  if (!read_range(rows, r.row, r.last_row) || !read_range(columns, r.column, r.last_column) ||
      print(r) != text)
    return std::nullopt;
  return r;
}

std::optional<Region> read_region(std::string_view text) {
  const auto [name, places] = cut(text, ':');
  const auto arithmetic = models::parse_arithmetic(name);
  if (!arithmetic || places.empty()) return std::nullopt;
  Region region{*arithmetic, {}};
  for (std::string_view rest = places; !rest.empty();) {
    const auto [first, behind] = cut(rest, ',');
    const auto rectangle = read_rectangle(first);
    if (!rectangle) return std::nullopt;
    region.rectangles.push_back(*rectangle);
    rest = behind;
  }
  return region;
}

// The orders of kernels for what tiles leave: dot products over registers, and few chains.
std::vector<Order> orders_of_edges(std::size_t count) {
  std::vector<Order> orders{Order::kSequential, Order::kReversed, Order::kPairwise};
  constexpr Combine kAll[] = {Combine::kPairwise, Combine::kSequential, Combine::kHalves,
                              Combine::kFolded};
  const auto for_lanes = [&](std::uint32_t least, std::uint32_t most, const auto& add) {
    for (std::uint32_t lanes = least; lanes <= most && lanes < count; lanes *= 2) add(lanes);
  };
  for_lanes(2, 64, [&](std::uint32_t lanes) {
    for (const Combine along : kAll) {
      if (lanes > 2 || along == Combine::kPairwise) orders.push_back(models::strided(lanes, along));
    }
  });
  for_lanes(2, 8, [&](std::uint32_t lanes) {
    for (std::uint32_t run = 2; run <= 8 && lanes * run <= count; run *= 2)
      orders.push_back(models::unrolled(lanes, run));
  });
  for (std::uint32_t unroll = 1; unroll <= 8; unroll *= 2) {
    for_lanes(4, 32, [&](std::uint32_t lanes) {
      if (lanes * unroll > count) return;
      for (const Combine along : kAll) {
        for (const Combine across : {Combine::kPairwise, Combine::kSequential, Combine::kHalves}) {
          if (unroll > 2 || across == Combine::kPairwise)
            orders.push_back(models::vectors(lanes, along, unroll, across));
        }
      }
    });
  }
  return orders;
}

// What is known about each place of D: whether `usual` explains all answers.
class Map {
 public:
  Map(Hypothesis usual, std::vector<Observation> seen)
      : usual_(std::move(usual)),
        seen_(std::move(seen)),
        rows_(seen_[0].question.problem.m),
        columns_(seen_[0].question.problem.n),
        odd_(rows_ * columns_, false) {
    const std::vector<bool> right = explained(usual_.arithmetic);
    for (std::size_t i = 0; i < odd_.size(); ++i) odd_[i] = !right[i];
  }

  // Takes the first place that has no order yet and finds one, with all the places
  // that it explains.
  std::optional<Region> next(std::vector<std::string>& others) {
    const auto odd = static_cast<std::size_t>(std::ranges::find(odd_, true) - odd_.begin());
    std::vector<Observation> here;
    for (const Observation& o : seen_) here.push_back(output_at(o, odd));
    std::optional<Arithmetic> first;
    for (const Order& order : orders_of_edges(seen_[0].question.problem.k)) {
      Arithmetic x = usual_.arithmetic;
      x.order = order;
      if (!std::ranges::all_of(here, [&](const Observation& o) {
            return inference::agreement(o.d, predict({x, usual_.conversions}, o.question)).whole();
          }))
        continue;
      if (first)
        others.push_back(
            fmt::format("{} at {} (no data told them apart)", models::print(x), place(odd)));
      if (!first) first = x;
    }
    if (!first) return std::nullopt;
    return covered(*first);
  }
  [[nodiscard]] const Hypothesis& usual() const { return usual_; }
  // Whether nothing is left for the usual arithmetic.
  [[nodiscard]] bool is_covered(const Places& places) const {
    for (std::size_t i = 0; i < odd_.size(); ++i) {
      const auto holds = [&](const Rectangle& r) { return r.holds(i / columns_, i % columns_); };
      const bool has_other = std::ranges::any_of(places.others, [&](const Region& region) {
        return std::ranges::any_of(region.rectangles, holds);
      });
      if (!has_other) return false;
    }
    return true;
  }
  // Places without an order.
  [[nodiscard]] std::size_t left() const {
    return static_cast<std::size_t>(std::ranges::count(odd_, true));
  }

 private:
  [[nodiscard]] std::string place(std::size_t i) const {
    return print(Rectangle{i / columns_, i / columns_, i % columns_, i % columns_});
  }

  static Observation output_at(const Observation& o, std::size_t index) {
    const operators::GemmProblem& p = o.question.problem;
    Observation one{.question = {.problem = p,
                                 .a = formats::Tensor::zeros(*o.question.a.format, p.k),
                                 .b = formats::Tensor::zeros(*o.question.b.format, p.k),
                                 .c = {}},
                    .d = formats::Tensor::zeros(*o.d.format, 1)};
    one.question.problem.m = one.question.problem.n = 1;
    for (std::size_t x = 0; x < p.k; ++x) {
      one.question.a.set(x, o.question.a.at(index / p.n * p.k + x));
      one.question.b.set(x, o.question.b.at(x * p.n + index % p.n));
    }
    one.d.set(0, o.d.at(index));
    return one;
  }

  [[nodiscard]] std::vector<bool> explained(const Arithmetic& arithmetic) const {
    std::vector<bool> right(rows_ * columns_, true);
    for (const Observation& o : seen_) {
      const formats::Tensor d = predict({arithmetic, usual_.conversions}, o.question);
      for (std::size_t i = 0; i < right.size(); ++i) {
        const bool both_nan =
            formats::is_nan(*d.format, d.at(i)) && formats::is_nan(*d.format, o.d.at(i));
        right[i] = right[i] && (both_nan || d.at(i) == o.d.at(i));
      }
    }
    return right;
  }

  // A rectangle grows over places that the arithmetic explains, whether or not they need it, and
  // starts at one that does.
  Region covered(const Arithmetic& arithmetic) {
    const std::vector<bool> right = explained(arithmetic);
    Region region{arithmetic, {}};
    for (std::size_t i = 0; i < odd_.size(); ++i) {
      if (!odd_[i] || !right[i]) continue;
      Rectangle r{i / columns_, i / columns_, i % columns_, i % columns_};
      while (r.last_column + 1 < columns_ && right[i + r.last_column + 1 - r.column])
        ++r.last_column;
      const auto whole = [&](std::size_t row) {
        for (std::size_t j = r.column; j <= r.last_column; ++j) {
          if (!right[row * columns_ + j]) return false;
        }
        return true;
      };
      while (r.last_row + 1 < rows_ && whole(r.last_row + 1)) ++r.last_row;
      for (std::size_t row = r.row; row <= r.last_row; ++row) {
        for (std::size_t j = r.column; j <= r.last_column; ++j) odd_[row * columns_ + j] = false;
      }
      region.rectangles.push_back(r);
    }
    return region;
  }

  Hypothesis usual_;
  std::vector<Observation> seen_;
  std::size_t rows_, columns_;
  std::vector<bool> odd_;
};

// The region with the most places becomes the usual one.
void promote_largest(Places& places) {
  const auto size = [](const Region& region) {
    std::size_t count = 0;
    for (const Rectangle& r : region.rectangles)
      count += (r.last_row - r.row + 1) * (r.last_column - r.column + 1);
    return count;
  };
  const auto largest = std::ranges::max_element(places.others, {}, size);
  places.usual = largest->arithmetic;
  places.others.erase(largest);
}

}  // namespace

std::string print(const Places& places) {
  std::string text = models::print(places.usual);
  for (const Region& region : places.others) {
    text += fmt::format("@{}:", models::print(region.arithmetic));
    for (const Rectangle& r : region.rectangles)
      text += fmt::format("{}{}", text.back() == ':' ? "" : ",", print(r));
  }
  return text;
}

std::optional<Places> parse_places(std::string_view name) {
  auto [usual, rest] = cut(name, '@');
  const auto arithmetic = models::parse_arithmetic(usual);
  if (!arithmetic || (rest.empty() && usual.size() != name.size())) return std::nullopt;
  Places places{*arithmetic};
  while (!rest.empty()) {
    const auto [text, behind] = cut(rest, '@');
    auto region = read_region(text);
    if (!region) return std::nullopt;
    places.others.push_back(std::move(*region));
    rest = behind;
  }
  return places;
}

formats::Tensor by_place(
    const Places& places, const operators::GemmProblem& problem, std::size_t rows,
    std::size_t columns,
    const std::function<formats::Tensor(const models::Arithmetic&)>& evaluate) {
  formats::Tensor d = evaluate(places.usual);
  for (const Region& region : places.others) {
    const formats::Tensor other = evaluate(region.arithmetic);
    for (std::size_t i = 0; i < d.count(); ++i) {
      const std::size_t row = i / problem.n % problem.m % rows, column = i % problem.n % columns;
      if (std::ranges::any_of(region.rectangles,
                              [&](const Rectangle& r) { return r.holds(row, column); }))
        d.set(i, other.at(i));
    }
  }
  return d;
}

inference::Question question_of_all(const inference::Laboratory& laboratory, std::size_t m,
                                    std::size_t n, std::uint64_t seed) {
  constexpr std::size_t kColumns = inference::kColumns;
  const std::size_t terms = laboratory.subject().k;
  inference::Question all = laboratory.blank(m, n);
  for (std::size_t first = 0; first < n; first += kColumns) {
    const auto some = inference::random_question(laboratory, m, seed * n + first);
    if (first == 0) all.a = some.a;
    for (std::size_t x = 0; x < terms; ++x) {
      for (std::size_t j = first; j < std::min(n, first + kColumns); ++j)
        all.b.set(x * n + j, some.b.at(x * kColumns + (j + seed) % kColumns));
    }
  }
  return all;
}

std::optional<PlacesFound> find_places(std::span<const Hypothesis> usual, const AskAll& ask,
                                       std::uint64_t seed) {
  std::vector<Observation> seen;
  for (std::uint64_t i = 0; i < kRounds; ++i) seen.push_back(ask(++seed));
  std::optional<Map> map;
  for (const Hypothesis& h : usual) {
    Map made(h, {seen.begin(), seen.begin() + kComparedRounds});
    if (!map || made.left() < map->left()) map = std::move(made);
  }
  if (!map) return std::nullopt;
  const Hypothesis best = map->usual();
  map.emplace(best, std::move(seen));
  PlacesFound found{.places = {best.arithmetic, {}}};
  std::size_t rectangles = 0;
  while (map->left() > 0) {
    auto region = map->next(found.others);
    if (!region || found.places.others.size() == kMostRegions) return std::nullopt;
    rectangles += region->rectangles.size();
    if (rectangles > kMostRectangles) return std::nullopt;
    found.places.others.push_back(std::move(*region));
  }
  if (map->is_covered(found.places)) promote_largest(found.places);
  for (std::uint64_t i = 0; i < kLeastFreshRounds || found.outputs < kFreshOutputs; ++i) {
    const Observation fresh = ask(++seed);
    const operators::GemmProblem& p = fresh.question.problem;
    const formats::Tensor d = by_place(found.places, p, p.m, p.n, [&](const Arithmetic& x) {
      return predict({x, best.conversions}, fresh.question);
    });
    if (!inference::agreement(fresh.d, d).whole()) return std::nullopt;
    found.outputs += d.count();
  }
  return found;
}

}  // namespace halfmark::suites::gemm
