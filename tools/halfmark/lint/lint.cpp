// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lint/lint.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "reports/files.hpp"
#include "reports/writers/text.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/lint/layer_formats.hpp"
#include "tools/halfmark/lint/memory.hpp"

namespace halfmark::tools {
namespace {

using lint::Found;
using lint::Layer;
using lint::LayerFormats;
using lint::Memory;
using lint::Model;
using nlohmann::json;

constexpr std::size_t kMostOfModel = std::size_t{64} << 20;
constexpr double kMega = 1e6;

Model read_model(const LintOptions& options) {
  if (!options.profile.empty()) static_cast<void>(known_cast_profile(options.profile));
  try {
    return lint::parse_model(reports::read_file(options.model, kMostOfModel), options.profile);
  } catch (const lint::ModelError& error) {
    throw suites::UsageError(fmt::format("{}: {}", text::visible_line(options.model.string()),
                                         text::visible_line(error.what())));
  } catch (const reports::FileError& error) {
    throw suites::UsageError(error.what());
  }
}

std::string_view class_of(const Model& model, const Layer& layer, const LayerFormats& formats) {
  if (layer.by_hand != nullptr) return "by hand";
  return model.casts == nullptr ? "not cast" : word_of(formats.cast);
}

// What lies between operands and result: sums have a format of their own.
std::string_view between(const Layer& layer, const LayerFormats& formats) {
  const bool is_sum = layer.row != nullptr && layer.row->suite == "gemm";
  return is_sum ? layer.accumulator->name : formats.arithmetic->name;
}

std::string casts_text(const Model& model) {
  if (model.casts == nullptr) return fmt::format("weights in {}, no casts", model.weights->name);
  return fmt::format("{} casts to {}", model.casts->name, model.narrow->name);
}

void print_layers(const Model& model, const std::vector<LayerFormats>& formats, std::ostream& out) {
  std::size_t name = std::string_view("layer").size(), op = std::string_view("operator").size();
  for (const Layer& layer : model.layers) {
    name = std::max(name, text::visible_line(layer.name).size());
    op = std::max(op, layer.op.size());
  }
  fmt::print(out, "\n  {:<{}}  {:<{}}  {:<12} {:<9} {:<8} {:<7} {}\n", "layer", name, "operator",
             op, "class", "operands", "between", "result", "shape");
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    fmt::print(out, "  {:<{}}  {:<{}}  {:<12} {:<9} {:<8} {:<7} {}\n",
               text::visible_line(layer.name), name, layer.op, op,
               class_of(model, layer, formats[i]), formats[i].operands->name,
               between(layer, formats[i]), formats[i].result->name, lint::text_of(layer.shape));
  }
}

std::string mega(std::uint64_t bytes) {
  return bytes == 0 ? "-" : fmt::format("{:.4g}", static_cast<double>(bytes) / kMega);
}

double share_of_fp32(const Memory& row, const Memory& fp32) {
  return static_cast<double>(row.total()) / static_cast<double>(fp32.total());
}

void print_memory(const std::vector<Memory>& rows, std::ostream& out) {
  fmt::print(out, "\n  {:<9} {:>9} {:>9} {:>9} {:>9} {:>12} {:>9} {:>8}\n", "MB", "weights",
             "copies", "gradients", "optimizer", "activations", "total", "of fp32");
  for (const Memory& row : rows) {
    fmt::print(out, "{} {:<9} {:>9} {:>9} {:>9} {:>9} {:>12} {:>9} {:>6.1f} %  {}\n",
               row.is_described ? '*' : ' ', row.mode, mega(row.weights), mega(row.copies),
               mega(row.gradients), mega(row.state), mega(row.activations), mega(row.total()),
               100 * share_of_fp32(row, rows.front()), row.title);
  }
}

json batch_in(const Memory& row, const Model& model, double gigabytes) {
  const std::optional<std::uint64_t> most =
      lint::largest_batch(row, model.input.front(), gigabytes * 1000 * kMega);
  return most ? json(*most) : json();
}

void print_batches(const Model& model, const std::vector<Memory>& rows, double gigabytes,
                   std::ostream& out) {
  fmt::print(out, "\n  largest batch in {:g} GB:", gigabytes);
  for (const Memory& row : rows) {
    const json most = batch_in(row, model, gigabytes);
    fmt::print(out, "{} {} {}", &row == &rows.front() ? "" : ",", row.mode,
               most.is_null() ? "any" : most.dump());
  }
  fmt::print(out, "\n");
}

void print_findings(const std::vector<Found>& found, std::ostream& out) {
  if (found.empty()) fmt::print(out, "\nno rule applies\n");
  for (const Found& each : found) {
    const Rule& rule = *each.rule;
    const std::string layer =
        each.layer.empty() ? "" : fmt::format("layer {}: ", text::visible_line(each.layer));
    fmt::print(out,
               "\n{:<8} {}: {}{}\n         {}\n         change: {}\n         source: {} of "
               "suites/LEDGER.md\n",
               word_of(rule.gravity), rule.id, layer, text::visible_line(each.what), rule.says,
               rule.advice, rule.rows);
  }
}

json layers_json(const Model& model, const std::vector<LayerFormats>& formats) {
  json list = json::array();
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    list.push_back({{"name", layer.name},
                    {"op", layer.op},
                    {"class", class_of(model, layer, formats[i])},
                    {"operands", formats[i].operands->name},
                    {"between", between(layer, formats[i])},
                    {"result", formats[i].result->name},
                    {"shape", layer.shape},
                    {"weights", layer.weights}});
  }
  return list;
}

json memory_json(const Model& model, const std::vector<Memory>& rows,
                 const std::optional<double>& gigabytes) {
  json list = json::array();
  for (const Memory& row : rows) {
    list.push_back({{"mode", row.mode},
                    {"described", row.is_described},
                    {"weights", row.weights},
                    {"copies", row.copies},
                    {"gradients", row.gradients},
                    {"optimizer", row.state},
                    {"activations", row.activations},
                    {"total", row.total()}});
    if (gigabytes) list.back()["largest_batch"] = batch_in(row, model, *gigabytes);
  }
  return list;
}

json findings_json(const std::vector<Found>& found) {
  json list = json::array();
  for (const Found& each : found)
    list.push_back({{"id", each.rule->id},
                    {"gravity", word_of(each.rule->gravity)},
                    {"threshold", each.rule->threshold},
                    {"rows", each.rule->rows},
                    {"layer", each.layer.empty() ? json() : json(each.layer)},
                    {"what", each.what},
                    {"says", each.rule->says},
                    {"advice", each.rule->advice}});
  return list;
}

bool is_grave(const Found& found) { return found.rule->gravity != Gravity::kNote; }

}  // namespace

int lint_model(const LintOptions& options, std::ostream& out) {
  const Model model = read_model(options);
  const std::vector<DeviceNote> notes =
      options.card ? read_device_notes(*options.card) : std::vector<DeviceNote>{};
  const std::vector<LayerFormats> formats = lint::formats_of(model);
  const std::vector<Memory> memory = lint::memory_by_mode(model);
  const std::vector<Found> found = lint::findings_of(model, notes, options.card.has_value());
  if (options.as_json) {
    const json report = {{"name", model.name},
                         {"profile", model.casts == nullptr ? json() : json(model.casts->name)},
                         {"layers", layers_json(model, formats)},
                         {"memory", memory_json(model, memory, options.memory_gb)},
                         {"findings", findings_json(found)}};
    out << text::visible_json(report.dump(2)) << '\n';
  } else {
    fmt::print(out, "{}: {}, {}, {}\n", text::visible_line(model.name),
               reports::plural(model.layers.size(), "layer"),
               reports::plural(weights_of(model), "weight"), casts_text(model));
    print_layers(model, formats, out);
    print_memory(memory, out);
    if (options.memory_gb) print_batches(model, memory, *options.memory_gb, out);
    print_findings(found, out);
  }
  const bool warns = std::any_of(found.begin(), found.end(), is_grave);
  return warns ? reports::kExitDoesNotConform : reports::kExitConforms;
}

}  // namespace halfmark::tools
