// SPDX-License-Identifier: Apache-2.0
#include "suites/core/judge/geometry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "suites/core/judge/wrong_bits.hpp"

namespace halfmark::suites {
namespace {

using Indices = std::span<const std::size_t>;

// A coincidence of `count` elements, each of chance 1 / period, counts as real below a probability
// of 10^-4.
bool beyond_chance(std::size_t period, std::size_t count) {
  return count >= 2 &&
         static_cast<double>(count - 1) * std::log10(static_cast<double>(period)) >= 4;
}

std::string ordinal(std::size_t n) {
  const bool teens = n % 100 >= 11 && n % 100 <= 13;
  const char* ending = teens         ? "th"
                       : n % 10 == 1 ? "st"
                       : n % 10 == 2 ? "nd"
                       : n % 10 == 3 ? "rd"
                                     : "th";
  return fmt::format("{}{}", n, ending);
}

// The rows or the columns that contain wrong elements.
struct Axis {
  const char* word;  // "row"
  std::size_t extent;
  std::set<std::size_t> places;

  [[nodiscard]] std::size_t first() const { return *places.begin(); }
  [[nodiscard]] std::size_t last() const { return *places.rbegin(); }
  [[nodiscard]] bool all() const { return places.size() == extent; }
  [[nodiscard]] bool contiguous() const { return last() - first() + 1 == places.size(); }
  // The greatest common divisor of all distances; 0 for a single place.
  [[nodiscard]] std::size_t period() const {
    std::size_t divisor = 0;
    for (const std::size_t place : places) divisor = std::gcd(divisor, place - first());
    return divisor;
  }
};

// The places of one axis in words; none if all places are wrong, or if no description fits.
struct AxisWords {
  std::string words;
  bool is_exact = false;  // no other places fit the description
};

std::string range_words(const Axis& axis) {
  if (axis.places.size() == 1) {
    if (axis.first() + 1 == axis.extent) return fmt::format("the last {}", axis.word);
    return fmt::format("{} {}", axis.word, axis.first());
  }
  if (axis.last() + 1 < axis.extent)
    return fmt::format("{}s {} to {}", axis.word, axis.first(), axis.last());
  return axis.places.size() <= 8 ? fmt::format("the last {} {}s", axis.places.size(), axis.word)
                                 : fmt::format("every {} from {} on", axis.word, axis.first());
}

AxisWords words_of(const Axis& axis) {
  if (axis.all()) return {"", true};
  if (axis.contiguous()) return {range_words(axis), true};
  const std::size_t period = axis.period();
  const bool every = axis.first() < period && axis.last() + period >= axis.extent &&
                     (axis.last() - axis.first()) / period + 1 == axis.places.size();
  if (every && axis.places.size() >= 3)
    return {fmt::format("every {} {} from {}", ordinal(period), axis.word, axis.first()), true};
  if (period < 2 || !beyond_chance(period, axis.places.size())) return {};
  return {
      fmt::format("only {}s that leave {} modulo {}", axis.word, axis.first() % period, period)};
}

// The side of the largest square block (a run, in a single row) such that the wrong elements form
// whole blocks, cut off only by the edges; 0: there is none.
std::size_t tile_of(Extent extent, Indices wrong) {
  for (const std::size_t side : {128u, 64u, 32u, 16u, 8u}) {
    const std::size_t height = extent.rows == 1 ? 1 : side;
    if (extent.rows <= height && extent.columns <= side) continue;
    std::set<std::size_t> blocks;
    const std::size_t across = (extent.columns + side - 1) / side;
    for (const std::size_t i : wrong) {
      blocks.insert(i / extent.columns / height * across + i % extent.columns / side);
    }
    std::size_t area = 0;
    for (const std::size_t block : blocks) {
      const std::size_t row = block / across * height;
      const std::size_t column = block % across * side;
      area += std::min(height, extent.rows - row) * std::min(side, extent.columns - column);
    }
    if (area == wrong.size()) return side;
  }
  return 0;
}

std::string words_of_tiles(Extent extent, Indices wrong, std::size_t side) {
  const std::size_t row = extent.rows == 1 ? 0 : wrong[0] / extent.columns / side * side;
  const std::size_t column = wrong[0] % extent.columns / side * side;
  const std::string size =
      extent.rows == 1 ? fmt::format("{}", side) : fmt::format("{0} x {0}", side);
  return fmt::format("whole blocks of {}, the first at row {}, column {}", size, row, column);
}

// Describes both axes; a description names exactly the wrong elements if these are all the
// intersections of the axes' places, and those are named.
void describe_places(Extent extent, Indices wrong, const Axis& rows, const Axis& columns,
                     Geometry& g) {
  if (wrong.size() == extent.rows * extent.columns) {
    g.patterns.emplace_back("every element");
    return;
  }
  const bool product = rows.places.size() * columns.places.size() == wrong.size();
  const std::size_t side = tile_of(extent, wrong);
  g.complete = product && words_of(rows).is_exact && words_of(columns).is_exact;
  for (const Axis* axis : {&rows, &columns}) {
    const std::string words = words_of(*axis).words;
    if (words.empty()) continue;
    // If right elements are there, too, a contiguous range is only a bounding box.
    g.patterns.push_back(!g.complete && axis->contiguous() ? "within " + words : words);
  }
  const bool shows_a_side = rows.places.size() > 1 && columns.places.size() > 1;
  if (side != 0 && (shows_a_side || !g.complete))
    g.patterns.push_back(words_of_tiles(extent, wrong, side));
  const std::size_t period = Axis{"element", 0, {wrong.begin(), wrong.end()}}.period();
  const bool flat = g.patterns.empty() && extent.rows > 1 && period >= 2;
  if (flat && beyond_chance(period, wrong.size()))
    g.patterns.push_back(
        fmt::format("only elements whose index leaves {} modulo {}", wrong[0] % period, period));
}

std::string share_of(std::size_t part, std::size_t whole) {
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent >= 99.5) return part == whole ? "100 %" : "over 99 %";
  return fmt::format("{:.2g} %", percent);
}

void write_sentence(Extent extent, const std::vector<std::string>& bits, Geometry& g) {
  const std::string shape = extent.rows == 1 ? fmt::format("{}", extent.columns)
                                             : fmt::format("{} x {}", extent.rows, extent.columns);
  const std::size_t count = extent.rows * extent.columns;
  g.sentence = fmt::format("{} of {} elements of {} ({}) are wrong ({})", g.wrong, count, g.tensor,
                           shape, share_of(g.wrong, count));
  if (!g.patterns.empty())
    g.sentence += fmt::format(": {}{}", g.complete ? "all of " : "", fmt::join(g.patterns, "; "));
  g.patterns.insert(g.patterns.end(), bits.begin(), bits.end());
  for (const std::string& text : bits) g.sentence += "; " + text;
}

Geometry places_of(const std::string& tensor, Extent extent, Indices wrong) {
  Axis rows{"row", extent.rows, {}};
  Axis columns{extent.rows == 1 ? "element" : "column", extent.columns, {}};
  for (const std::size_t i : wrong) {
    rows.places.insert(i / extent.columns);
    columns.places.insert(i % extent.columns);
  }
  Geometry g;
  g.tensor = tensor;
  g.rows = extent.rows;
  g.columns = extent.columns;
  g.wrong = wrong.size();
  g.first_row = rows.first();
  g.last_row = rows.last();
  g.first_column = columns.first();
  g.last_column = columns.last();
  describe_places(extent, wrong, rows, columns, g);
  return g;
}

}  // namespace

Geometry describe_geometry(const std::string& tensor, Extent extent, Indices wrong) {
  Geometry g = places_of(tensor, extent, wrong);
  write_sentence(extent, {}, g);
  return g;
}

Geometry describe_geometry(const std::string& tensor, Extent extent, Indices wrong,
                           const formats::Tensor& expected, const formats::Tensor& actual,
                           bool are_integers) {
  Geometry g = places_of(tensor, extent, wrong);
  const WrongBits bits = describe_bits(wrong, expected, actual, are_integers);
  g.differ_ever = bits.ever;
  g.differ_always = bits.always;
  std::vector<std::string> words = bits.patterns;
  const std::string moved = describe_movement(extent.rows, extent.columns, wrong, expected, actual);
  if (!moved.empty()) words.push_back(moved);
  write_sentence(extent, words, g);
  return g;
}

}  // namespace halfmark::suites
