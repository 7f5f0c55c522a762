// SPDX-License-Identifier: Apache-2.0
#include "reports/writers/lab_charts.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "reference/formats/format.hpp"
#include "reports/writers/html_parts.hpp"

namespace halfmark::reports::html {
namespace {

using nlohmann::json;

constexpr double kWidth = 480, kHeight = 190, kLeft = 74, kRight = 12, kTop = 16, kBottom = 24;

// What is drawn of a value: its logarithm, or itself. A zero has no logarithm.
double drawn(Axis axis, double value) {
  if (axis != Axis::kLogarithm) return value;
  return value > 0 ? std::log10(value) : std::nan("");
}

std::string label_of(Axis axis, double value) {
  switch (axis) {
    case Axis::kLinear:
      return fmt::format("{:.4g}", value);
    case Axis::kLogarithm:
      return fmt::format("{:.3g}", std::pow(10, value));
    case Axis::kPowerOfTwo:
      return fmt::format("2^{:.3g}", value);
    case Axis::kPercent:
      return fmt::format("{:.2g} %", 100 * value);
  }
  return {};
}

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  // Never empty, so that one value lies in the middle.
  [[nodiscard]] Range widened() const {
    if (!(least <= largest)) return {.least = 0, .largest = 1};
    if (least < largest) return *this;
    const double room = least == 0 ? 0.5 : std::abs(least) / 2;
    return {.least = least - room, .largest = largest + room};
  }
  [[nodiscard]] double part(double value) const { return (value - least) / (largest - least); }
};

class Canvas {
 public:
  Canvas(Axis axis, const std::vector<Curve>& curves) : axis_(axis) {
    for (const Curve& curve : curves) {
      for (const Point& point : curve.points) {
        x_.add(point.x);
        y_.add(drawn(axis, point.y));
      }
    }
    x_ = x_.widened();
    y_ = y_.widened();
  }

  [[nodiscard]] double x(const Point& point) const {
    return kLeft + (kWidth - kLeft - kRight) * x_.part(point.x);
  }
  [[nodiscard]] double y(double value) const {
    return kHeight - kBottom - (kHeight - kBottom - kTop) * y_.part(value);
  }
  void print_grid(std::ostream& out) const {
    for (const double part : {0.0, 0.5, 1.0}) {
      const double value = y_.least + part * (y_.largest - y_.least);
      fmt::print(
          out,
          "<line class=\"axis\" x1=\"{0:.0f}\" y1=\"{1:.1f}\" x2=\"{2:.0f}\" y2=\"{1:.1f}\"/>"
          "<text class=\"end\" x=\"{3:.0f}\" y=\"{4:.1f}\">{5}</text>\n",
          kLeft, y(value), kWidth - kRight, kLeft - 6, y(value) + 4, label_of(axis_, value));
    }
    fmt::print(out, "<text x=\"{:.0f}\" y=\"{:.0f}\">step</text>\n", kLeft, kHeight - 6);
    fmt::print(out, "<text class=\"end\" x=\"{:.0f}\" y=\"{:.0f}\">{:.6g}</text>\n",
               kWidth - kRight, kHeight - 6, x_.largest);
  }

 private:
  Axis axis_;
  Range x_, y_;
};

// Numbers that are not finite break the line.
void print_lines(const Canvas& canvas, Axis axis, const Curve& curve, std::ostream& out) {
  std::string points;
  const auto finish = [&] {
    if (!points.empty())
      fmt::print(out, "<polyline fill=\"none\" class=\"s{}{}\" points=\"{}\"/>\n",
                 curve.colour % kColours, curve.dashed ? " dashed" : "", points);
    points.clear();
  };
  for (const Point& point : curve.points) {
    const double value = drawn(axis, point.y);
    if (std::isfinite(value)) {
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", canvas.x(point),
                            canvas.y(value));
    } else {
      finish();
    }
  }
  finish();
}

void print_marks_of(const Canvas& canvas, Axis axis, const Curve& curve, std::ostream& out) {
  for (const Point& point : curve.points) {
    const double value = drawn(axis, point.y);
    const std::string title =
        fmt::format("{}, step {:.0f}: {}", safe(curve.label), point.x, safe(point.text));
    if (std::isfinite(value)) {
      fmt::print(out,
                 "<circle class=\"dot s{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}</title>"
                 "</circle>\n",
                 curve.colour % kColours, canvas.x(point), canvas.y(value), title);
    } else {
      fmt::print(out, "<text class=\"lost\" x=\"{:.1f}\" y=\"{:.0f}\">x<title>{}</title></text>\n",
                 canvas.x(point), kTop - 3, title);
    }
  }
}

// The zones of fp16, which the exponent decides but for its last binade: of the numbers between
// 2^-25 and 2^-24 all but 2^-25 itself round up.
std::string_view zone_of(int exponent) {
  const formats::Format& fp16 = formats::kFp16;
  const int least_normal = fp16.min_exponent();
  const int half_of_least = fp16.min_place() - 1;
  if (exponent > fp16.max_exponent()) return "lost";
  if (exponent >= least_normal) return "normal";
  return exponent >= half_of_least ? "subnormal" : "lost";
}

std::map<int, std::uint64_t> exponents_of(const json& tensor) {
  std::map<int, std::uint64_t> counts;
  for (const auto& [word, count] : tensor.at("exponents").items()) {
    int exponent = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), exponent);
    if (error == std::errc() && end == word.data() + word.size())
      counts[exponent] = count.get<std::uint64_t>();
  }
  return counts;
}

struct Bar {
  std::string_view zone;
  std::uint64_t count;
  std::string title;
};

// The zeros, then every exponent from the least to the largest.
std::vector<Bar> bars_of(const json& tensor) {
  const std::map<int, std::uint64_t> counts = exponents_of(tensor);
  std::vector<Bar> bars = {
      {"zero", tensor.at("zeros").get<std::uint64_t>(),
       fmt::format("zero: {}", grouped(tensor.at("zeros").get<std::uint64_t>()))}};
  if (counts.empty()) return bars;
  for (int e = counts.begin()->first; e <= counts.rbegin()->first; ++e) {
    const auto found = counts.find(e);
    const std::uint64_t count = found == counts.end() ? 0 : found->second;
    bars.push_back({zone_of(e), count, fmt::format("2^{}, {}: {}", e, zone_of(e), grouped(count))});
  }
  return bars;
}

}  // namespace

void print_chart(std::string_view title, Axis axis, const std::vector<Curve>& curves,
                 std::ostream& out) {
  const Canvas canvas(axis, curves);
  fmt::print(
      out,
      "<div>\n<h3>{0}</h3>\n<svg class=\"plot\" viewBox=\"0 0 {1:.0f} {2:.0f}\" role=\"img\" "
      "aria-label=\"{0} by step\">\n",
      safe(title), kWidth, kHeight);
  canvas.print_grid(out);
  for (const Curve& curve : curves) print_lines(canvas, axis, curve, out);
  for (const Curve& curve : curves) print_marks_of(canvas, axis, curve, out);
  out << "</svg>\n</div>\n";
}

void print_histogram(const json& tensor, std::ostream& out) {
  constexpr double kBars = 300, kTall = 90, kFoot = 16;
  const std::vector<Bar> bars = bars_of(tensor);
  const double wide = kBars / static_cast<double>(bars.size());
  std::uint64_t most = 1;
  for (const Bar& bar : bars) most = std::max(most, bar.count);
  fmt::print(out,
             "<svg class=\"plot\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{} by "
             "exponent\">\n",
             kBars, kTall + kFoot, safe(tensor.value("name", std::string())));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double tall = kTall * static_cast<double>(bars[i].count) / static_cast<double>(most);
    fmt::print(out,
               "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\">"
               "<title>{}</title></rect>\n",
               bars[i].zone, wide * static_cast<double>(i), kTall - tall, 0.9 * wide, tall,
               bars[i].title);
  }
  const std::map<int, std::uint64_t> counts = exponents_of(tensor);
  if (!counts.empty())
    fmt::print(out,
               "<text x=\"{:.1f}\" y=\"{:.0f}\">2^{}</text><text class=\"end\" x=\"{:.0f}\" "
               "y=\"{:.0f}\">2^{}</text>\n",
               wide, kTall + kFoot - 2, counts.begin()->first, kBars, kTall + kFoot - 2,
               counts.rbegin()->first);
  out << "</svg>\n";
}

}  // namespace halfmark::reports::html
