// SPDX-License-Identifier: Apache-2.0
// The page about an experiment, made of the JSON report of `halfmark lab` alone. Decides the order:
// what each mode died of, its course as curves, then the tensors as histograms. Needs no script, no
// network and no other file.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>

#include "reports/embedded.hpp"
#include "reports/lab_page.hpp"
#include "reports/writers/html_parts.hpp"
#include "reports/writers/lab_charts.hpp"

namespace halfmark::reports {
namespace html {
namespace {

using nlohmann::json;

constexpr std::size_t kMostCurves = 12;  // more look alike
constexpr std::size_t kMostModes = 100;  // a browser shows more only with difficulty

std::string text_at(const json& j, const char* key) { return j.value(key, std::string()); }

// One training: in the reference, or on the device.
struct Course {
  const json* mode;
  std::string where;
  std::size_t colour;  // that of the mode, in both
};

std::vector<Course> courses_of(const json& report) {
  std::vector<Course> list;
  const auto device = report.find("device");
  const json& reference = report.at("reference").at("modes");
  for (std::size_t i = 0; i < std::min(reference.size(), kMostModes); ++i) {
    list.push_back({&reference[i], "reference", i});
    if (device == report.end()) continue;
    for (const json& mode : device->at("modes")) {
      if (mode.at("name") == reference[i].at("name")) list.push_back({&mode, "device", i});
    }
  }
  return list;
}

// A number that is not finite is a word.
double number(const json& step, const char* key) {
  const auto found = step.find(key);
  if (found == step.end() || !found->is_number()) return std::nan("");
  return found->get<double>();
}

std::string shown(const json& step, const char* key) {
  const auto found = step.find(key);
  if (found == step.end()) return "-";
  return found->is_string() ? safe(found->get<std::string>())
                            : fmt::format("{:.5g}", found->get<double>());
}

void print_head(const json& report, std::ostream& out) {
  fmt::print(out,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>Halfmark lab: {}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n"
             "<p class=\"eyebrow\">Halfmark experiment</p>\n",
             safe(text_at(report, "experiment")), report_css, lab_css);
}

// Style and sentence of the answer: what the device made of it, if there is one.
std::pair<std::string_view, std::string> answer_of(const json& report) {
  const auto device = report.find("device");
  if (device == report.end()) return {"part", "In the exact reference; no device was asked."};
  if (device->contains("lost")) return {"bad", "The device was lost: " + text_at(*device, "lost")};
  std::size_t wrong = 0;
  std::uint64_t miscounted = 0;
  bool is_changed = false;
  for (const json& mode : device->at("modes")) {
    wrong += mode.contains("deviations") ? mode.at("deviations").size() : 0;
    if (mode.contains("observed"))
      miscounted += mode.at("observed").value("different", std::uint64_t{0});
    is_changed = is_changed || mode.at("died_of") == "recomputation";
  }
  if (wrong > 0)
    return {"bad",
            fmt::format("{} of the replayed operators are not as specified.", grouped(wrong))};
  if (is_changed)
    return {"bad", "What is computed again for the backward pass has other bits on the device."};
  if (miscounted > 0)
    return {"bad", fmt::format("{} tensors counted on the device have other counts on the host.",
                               grouped(miscounted))};
  return {"good", "Every operator of every step is as specified, or within the bound of its rule."};
}

void print_summary(const json& report, std::ostream& out) {
  const auto [style, sentence] = answer_of(report);
  fmt::print(out, "<h1>{}</h1>\n<p class=\"verdict {}\">{}</p>\n<dl class=\"facts\">\n",
             safe(text_at(report, "experiment")), style, safe(sentence));
  if (report.contains("size")) {
    print_fact(out, "Network", text_at(report.at("size"), "shape"));
    print_fact(out, "Size", text_at(report.at("size"), "name"));
  }
  if (report.contains("training")) print_fact(out, "Training", text_at(report, "training"));
  print_fact(out, "Steps", fmt::format("{}", report.at("steps").get<std::uint64_t>()));
  if (report.contains("seed"))
    print_fact(out, "Seed", fmt::format("{}", report.at("seed").get<std::uint64_t>()));
  if (const auto device = report.find("device"); device != report.end()) {
    print_fact(out, "Device",
               fmt::format("{} ({})", text_at(*device, "selector"), text_at(*device, "name")));
    print_fact(out, "Provider", text_at(*device, "provider"));
  }
  out << "</dl>\n";
}

std::string death_tag(const json& mode) {
  const std::string of = mode.at("died_of").get<std::string>();
  if (of.empty()) return tag("ok", "reached its last step");
  const bool recovered = mode.at("cause").value("recovered", false);
  const bool is_devices = of == "operator" || of == "flush to zero" || of == "recomputation";
  return tag(is_devices ? "violation" : "deviation",
             (recovered ? "recovered from " : "died of ") + of);
}

void print_way(const Course& course, std::ostream& out) {
  const json none = json::object();
  const json& steps = course.mode->at("steps");
  const json& first = steps.empty() ? none : steps.front();
  const json& last = steps.empty() ? none : steps.back();
  const auto skipped = std::count_if(steps.begin(), steps.end(),
                                     [](const json& step) { return step.value("skipped", false); });
  fmt::print(out,
             "<tr><td class=\"k\"><span class=\"key s{}\"></span>{}</td><td>{}</td><td>{}</td>"
             "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
             "<td class=\"n\">{}</td></tr>\n",
             course.colour % kColours, safe(text_at(*course.mode, "title")), course.where,
             death_tag(*course.mode), steps.size(), skipped, shown(first, "loss"),
             shown(last, "loss"));
  const std::string why = text_at(course.mode->at("cause"), "text");
  if (!why.empty())
    fmt::print(out, "<tr class=\"why\"><td></td><td class=\"soft\" colspan=\"6\">{}</td></tr>\n",
               safe(why));
}

void print_ways(const std::vector<Course>& courses, std::ostream& out) {
  out << "<h2>What each mode died of</h2>\n<div class=\"scroll\">\n<table>\n<tr><th>mode</th>"
         "<th>where</th><th>end</th><th class=\"n\">steps</th><th class=\"n\">skipped</th>"
         "<th class=\"n\">first loss</th><th class=\"n\">last loss</th></tr>\n";
  for (const Course& course : courses) print_way(course, out);
  out << "</table>\n</div>\n";
}

struct Quantity {
  const char* key;
  const char* title;
  Axis axis;
};

constexpr Quantity kQuantities[] = {
    {"loss", "Loss", Axis::kLinear},
    {"norm", "Norm of the gradients", Axis::kLogarithm},
    {"scale_log2", "Loss scale", Axis::kPowerOfTwo},
    {"zero_share", "Share of gradients that are zero", Axis::kPercent},
    {"subnormal_share", "Share of gradients that are subnormal", Axis::kPercent},
    {"swallowed_share", "Share of updates that move no weight", Axis::kPercent},
};

Curve curve_of(const Course& course, const Quantity& quantity) {
  Curve curve{.label = fmt::format("{}, {}", text_at(*course.mode, "title"), course.where),
              .colour = course.colour,
              .dashed = course.where == "device"};
  for (const json& step : course.mode->at("steps")) {
    if (!step.contains(quantity.key)) continue;
    curve.points.push_back({.x = step.at("step").get<double>(),
                            .y = number(step, quantity.key),
                            .text = shown(step, quantity.key)});
  }
  return curve;
}

void print_curves(const std::vector<Course>& courses, std::size_t modes, std::ostream& out) {
  out << "<h2>Courses</h2>\n";
  if (modes > kMostCurves)
    fmt::print(out, "<p class=\"soft\">The first {} of {} modes; the table above has {}.</p>\n",
               kMostCurves, modes,
               modes > kMostModes ? fmt::format("the first {}", kMostModes) : "all");
  out << "<p class=\"soft\">A full line is the reference, a broken one the device; x marks a "
         "number "
         "that is not finite.</p>\n<div class=\"charts\">\n";
  for (const Quantity& quantity : kQuantities) {
    std::vector<Curve> curves;
    for (const Course& course : courses) {
      if (course.colour >= kMostCurves) continue;
      Curve curve = curve_of(course, quantity);
      if (!curve.points.empty()) curves.push_back(std::move(curve));
    }
    if (!curves.empty()) print_chart(quantity.title, quantity.axis, curves, out);
  }
  out << "</div>\n";
}

std::string tensor_line(const json& tensor) {
  const auto count = tensor.at("count").get<std::uint64_t>();
  const auto zeros = tensor.at("zeros").get<std::uint64_t>();
  return fmt::format("{} numbers in {}, {} of them zero", grouped(count), text_at(tensor, "format"),
                     grouped(zeros));
}

bool is_gradient(const json& tensor) {
  return tensor.contains("exponents") && text_at(tensor, "name").starts_with('d');
}

void print_tensors(const json& step, std::ostream& out) {
  fmt::print(out, "<h3>Step {}</h3>\n<div class=\"histograms\">\n",
             step.at("step").get<std::uint64_t>());
  for (const json& tensor : step.at("tensors")) {
    if (!is_gradient(tensor)) continue;
    fmt::print(out, "<div>\n<h4>{}</h4>\n<p class=\"soft\">{}</p>\n", safe(text_at(tensor, "name")),
               safe(tensor_line(tensor)));
    print_histogram(tensor, out);
    out << "</div>\n";
  }
  out << "</div>\n";
}

bool has_tensors(const json& step) { return step.contains("tensors"); }

// The first step and the last one.
void print_histograms(const std::vector<Course>& courses, std::ostream& out) {
  const bool any = std::any_of(courses.begin(), courses.end(), [](const Course& course) {
    const json& steps = course.mode->at("steps");
    return std::any_of(steps.begin(), steps.end(), has_tensors);
  });
  if (!any) return;
  out << "<h2>Gradients by exponent</h2>\n<p class=\"soft\">As they are stored, scaled: "
      << tag("ok", "normal") << " " << tag("deviation", "subnormal") << " "
      << tag("violation", "lost")
      << " in fp16, and zeros in grey at the left. A tensor in another format is coloured as fp16 "
         "would hold it.</p>\n";
  for (const Course& course : courses) {
    const json& steps = course.mode->at("steps");
    if (steps.empty() || !has_tensors(steps.front())) continue;
    fmt::print(
        out, "<details>\n<summary><b>{}</b><span class=\"what soft\">{}</span></summary>\n<div>\n",
        safe(text_at(*course.mode, "title")), course.where);
    print_tensors(steps.front(), out);
    if (steps.size() > 1 && has_tensors(steps.back())) print_tensors(steps.back(), out);
    out << "</div>\n</details>\n";
  }
}

}  // namespace
}  // namespace html

void write_lab_page(const nlohmann::json& report, std::ostream& out) {
  const std::vector<html::Course> courses = html::courses_of(report);
  html::print_head(report, out);
  html::print_summary(report, out);
  html::print_ways(courses, out);
  html::print_curves(courses, report.at("reference").at("modes").size(), out);
  html::print_histograms(courses, out);
  out << "<footer>\n<p>Generated only from the report of <code>halfmark lab --json</code>.</p>\n"
         "</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace halfmark::reports
