// SPDX-License-Identifier: Apache-2.0
// The report of `halfmark lab memory` as text.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "reference/text/visible.hpp"
#include "tools/halfmark/lab/memory_verb.hpp"

namespace halfmark::tools::lab {
namespace {

using nlohmann::json;

constexpr double kMegabyte = 1e6;
constexpr const char* kKinds[] = {"weights", "copies", "gradients", "state", "activations"};

double number(const json& value) { return value.get<double>(); }

std::string megabytes(const json& bytes) {
  if (bytes.is_null()) return "-";
  return fmt::format("{:.4g}", number(bytes) / kMegabyte);
}

std::string percent(const json& part, const json& whole) {
  if (part.is_null() || whole.is_null() || number(whole) == 0) return "-";
  return fmt::format("{:.1f} %", 100 * number(part) / number(whole));
}

// Of what is alive for the backward pass or longer, as lint counts it.
double kept(const json& mode) {
  double sum = 0;
  for (const char* kind : kKinds) sum += number(mode.at("asked").at(kind));
  return sum;
}

bool is_known(const json& mode) {
  return mode.contains("runtime") && !mode.at("runtime").contains("doubt");
}

json said(const json& mode, const char* what) {
  return is_known(mode) ? mode.at("runtime").at(what) : json();
}

void print_kinds(const json& modes, std::ostream& out) {
  fmt::print(out, "  {:<15}{:>9}{:>9}{:>10}{:>10}{:>12}{:>10}{:>10}\n", "MB asked for", "weights",
             "copies", "gradients", "optimizer", "activations", "in all", "lint");
  for (const json& mode : modes) {
    const json& asked = mode.at("asked");
    fmt::print(out, "  {:<15}{:>9}{:>9}{:>10}{:>10}{:>12}{:>10}{:>10}  {}\n",
               mode.at("name").get<std::string>(), megabytes(asked.at("weights")),
               megabytes(asked.at("copies")), megabytes(asked.at("gradients")),
               megabytes(asked.at("state")), megabytes(asked.at("activations")),
               megabytes(kept(mode)),
               mode.at("lint").is_null() ? "-" : megabytes(mode.at("lint").at("total")),
               mode.at("title").get<std::string>());
  }
}

void print_times(const json& modes, std::ostream& out) {
  fmt::print(out, "  {:<15}{:>28}{:>38}{:>20}\n", "", "asked for", "in use, measured",
             "peak of fp32's");
  fmt::print(out, "  {:<15}{:>9}{:>9}{:>10} {:>9}{:>9}{:>10}{:>9} {:>10}{:>10}\n", "MB", "at rest",
             "forward", "peak", "at rest", "forward", "peak", "after", "asked", "measured");
  for (const json& mode : modes) {
    const json& asked = mode.at("asked");
    fmt::print(out, "  {:<15}{:>9}{:>9}{:>10} {:>9}{:>9}{:>10}{:>9} {:>10}{:>10}\n",
               mode.at("name").get<std::string>(), megabytes(asked.at("prepared")),
               megabytes(asked.at("forward")), megabytes(asked.at("peak")),
               megabytes(said(mode, "prepared")), megabytes(said(mode, "forward")),
               megabytes(said(mode, "peak")), megabytes(said(mode, "left")),
               percent(asked.at("peak"), modes[0].at("asked").at("peak")),
               percent(said(mode, "peak"), said(modes[0], "peak")));
  }
}

// The first reason why the runtime's word is not used; nothing where it is.
void print_doubt(const json& modes, std::ostream& out) {
  for (const json& mode : modes) {
    if (!mode.contains("runtime") || is_known(mode)) continue;
    fmt::print(out, "  the runtime does not say: {}\n",
               text::visible_line(mode.at("runtime").at("doubt").get<std::string>()));
    return;
  }
}

// From two batches of one network: what each sample takes, and how many fit into what is free; by
// lint, how many of the same.
void print_batches(const json& few, const json& many, std::ostream& out) {
  const double more = number(many.at("batch")) - number(few.at("batch"));
  bool is_first = true;
  for (std::size_t i = 0; i < many.at("modes").size(); ++i) {
    const json &a = few.at("modes")[i], &b = many.at("modes")[i];
    if (!is_known(a) || !is_known(b)) continue;
    const double each = (number(said(b, "peak")) - number(said(a, "peak"))) / more;
    if (each <= 0) continue;
    const double fixed = number(said(b, "peak")) - number(many.at("batch")) * each;
    const double free = number(said(b, "free_before"));
    if (is_first)
      fmt::print(out, "  {:<15}{:>12}{:>14}{:>16}{:>12}\n", "largest batch", "GB free",
                 "bytes each", "by measurement", "by lint");
    is_first = false;
    const json lint = b.value("largest_batch_by_lint", json());
    fmt::print(out, "  {:<15}{:>12.4g}{:>14.0f}{:>16.0f}{:>12}\n", b.at("name").get<std::string>(),
               free / 1e9, each, std::max(0.0, std::floor((free - fixed) / each)),
               lint.is_null() ? "-" : std::to_string(lint.get<std::uint64_t>()));
  }
}

void print_matrices(const json& matrices, std::ostream& out) {
  fmt::print(out, "\nsquare matrices, all held at once\n  {:>5}  {:<8}{:>12}{:>12}{:>12}\n", "side",
             "format", "MB asked", "MB in use", "of fp32's");
  json wide;
  for (const json& row : matrices.at("rows")) {
    if (row.at("format") == "fp32") wide = row;
    const bool is_said = !row.at("runtime").is_null();
    fmt::print(out, "  {:>5}  {:<8}{:>12}{:>12}{:>12}\n", row.at("side").get<int>(),
               row.at("format").get<std::string>(), megabytes(row.at("asked")),
               megabytes(row.at("runtime")),
               is_said ? percent(row.at("runtime"), wide.at("runtime")) : "-");
  }
  const std::string doubt = matrices.at("doubt");
  if (!doubt.empty())
    fmt::print(out, "  the runtime does not say: {}\n", text::visible_line(doubt));
}

// Who says what is in use, from the first answer that counts.
void print_source(const json& report, std::ostream& out) {
  for (const json& network : report.at("networks")) {
    for (const json& mode : network.at("modes")) {
      if (!is_known(mode)) continue;
      const json& runtime = mode.at("runtime");
      fmt::print(out, "measured   {}, above what was in use before the first tensor, by {}\n",
                 runtime.at("of_process").get<bool>() ? "what the process has resident"
                                                      : "everybody's memory on the device",
                 text::visible_line(runtime.at("source").get<std::string>()));
      return;
    }
  }
}

}  // namespace

void print_memory(const json& report, std::ostream& out) {
  fmt::print(out, "memory of one training step; 1 MB is 10^6 bytes\n");
  if (report.contains("device")) {
    fmt::print(out, "device     {}, {}\n",
               text::visible_line(report.at("device").at("selector").get<std::string>()),
               text::visible_line(report.at("device").at("name").get<std::string>()));
    print_source(report, out);
  }
  const json* before = nullptr;
  for (const json& network : report.at("networks")) {
    fmt::print(out, "\n{}: {}\n", network.at("experiment").get<std::string>(),
               network.at("shape").get<std::string>());
    const json& modes = network.at("modes");
    print_kinds(modes, out);
    print_times(modes, out);
    print_doubt(modes, out);
    if (before != nullptr && before->at("experiment") == network.at("experiment"))
      print_batches(*before, network, out);
    before = &network;
  }
  if (report.contains("matrices")) print_matrices(report.at("matrices"), out);
  for (const char* how : {"lost", "error"}) {
    if (!report.contains("device") || !report.at("device").contains(how)) continue;
    fmt::print(out, "\nnot measured to the end: {}\n",
               text::visible_line(report.at("device").at(how).get<std::string>()));
  }
}

}  // namespace halfmark::tools::lab
