// SPDX-License-Identifier: Apache-2.0
// The drawings of an experiment's page: curves over steps, and histograms of exponents with the
// zones of fp16. Plain SVG; every text is escaped here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::reports::html {

inline constexpr std::size_t kColours = 8;  // of lab.css

enum class Axis : std::uint8_t { kLinear, kLogarithm, kPowerOfTwo, kPercent };

struct Point {
  double x = 0, y = 0;    // not finite: it is marked at the top
  std::string text = {};  // of the value
};

struct Curve {
  std::string label = {};
  std::size_t colour = 0;
  bool dashed = false;
  std::vector<Point> points = {};
};

void print_chart(std::string_view title, Axis axis, const std::vector<Curve>& curves,
                 std::ostream& out);

/// `tensor` has "exponents", "zeros" and "count", as schema/lab.schema.json says.
void print_histogram(const nlohmann::json& tensor, std::ostream& out);

}  // namespace halfmark::reports::html
