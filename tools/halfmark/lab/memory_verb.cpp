// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/memory_verb.hpp"

#include <chrono>
#include <cstdlib>

#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "reports/files.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/lab/memory.hpp"
#include "tools/halfmark/lint/memory.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr const char* kSchemaName = "halfmark-lab-memory/1";

void refuse_without_meaning(const LabOptions& options) {
  const char* word = !options.size.empty()       ? "--size"
                     : !options.provider.empty() ? "--provider"
                     : !options.modes.empty()    ? "--mode"
                     : options.steps != 0        ? "--steps"
                     : options.no_diagnosis      ? "--no-diagnosis"
                                                 : nullptr;
  if (word == nullptr) return;
  throw suites::UsageError(std::string("memory holds tensors and computes nothing; leave out ") +
                           word);
}

json lint_json(const lint::Memory& row) {
  return {{"weights", row.weights}, {"copies", row.copies},           {"gradients", row.gradients},
          {"state", row.state},     {"activations", row.activations}, {"total", row.total()}};
}

// What is asked for and what lint computes; the runtime's word is added by measured().
json modes_without_device(const lab::MemoryNetwork& network) {
  const lint::Model model =
      lint::parse_model(lab::description_of(network.design(), network.size).dump());
  const std::vector<lint::Memory> rows = lint::memory_by_mode(model);
  json list = json::array();
  for (const lab::MemoryMode& mode : lab::memory_modes()) {
    json row = lab::asked_json(network.design(), network.size, mode);
    row["lint"] = nullptr;
    for (const lint::Memory& computed : rows) {
      if (computed.mode == mode.lint) row["lint"] = lint_json(computed);
    }
    list.push_back(std::move(row));
  }
  return list;
}

// By what lint computes, in the bytes that were free before.
json largest_by_lint(const json& mode, std::uint64_t batch) {
  const json& lint = mode.at("lint");
  const json& runtime = mode.at("runtime");
  if (lint.is_null() || runtime.contains("doubt")) return nullptr;
  const lint::Memory row{.weights = lint.at("weights"),
                         .copies = lint.at("copies"),
                         .gradients = lint.at("gradients"),
                         .state = lint.at("state"),
                         .activations = lint.at("activations")};
  const auto largest = lint::largest_batch(row, batch, runtime.at("free_before").get<double>());
  return largest ? json(*largest) : json();
}

// A process that was lost, or a device without room, ends the measurement.
bool has_ended(const json& answer, json& report) {
  for (const char* how : {"lost", "error"}) {
    if (!answer.contains(how)) continue;
    report["device"][how] = answer.at(how);
    return true;
  }
  return false;
}

void add_measurements(const backends::DeviceInfo& device, milliseconds limit, json& report) {
  // Workers otherwise take pages of 2 MB, which is more than some of these tensors.
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=0", 0);
  report["device"] = {{"selector", device.selector}, {"name", device.name}};
  json& networks = report["networks"];
  for (std::size_t n = 0; n < networks.size(); ++n) {
    json& modes = networks[n]["modes"];
    for (std::size_t m = 0; m < modes.size(); ++m) {
      const json answer =
          lab::ask_memory({{"memory", "mode"}, {"network", n}, {"mode", m}}, device, limit);
      if (has_ended(answer, report)) return;
      modes[m]["runtime"] = answer;
      modes[m]["largest_batch_by_lint"] = largest_by_lint(modes[m], networks[n].at("batch"));
    }
  }
  const json answer = lab::ask_memory({{"memory", "matrices"}}, device, limit);
  if (!has_ended(answer, report)) report["matrices"] = answer;
}

}  // namespace

namespace lab {

json description_of(const Design& design, const Size& size) {
  json layers = json::array();
  const auto add = [&](const std::string& name, const char* op) {
    layers.push_back({{"name", name}, {"op", op}});
  };
  for (std::size_t i = 0; i < design.layers.size(); ++i) {
    const Layer& layer = design.layers[i];
    add(std::string(layer.sums), "linear");
    layers.back()["out"] = size.widths[i + 1];
    if (!layer.activated.empty())
      add(std::string(layer.activated), design.activation == Activation::kGelu ? "gelu" : "relu");
    if (!layer.dropped.empty()) add(std::string(layer.dropped), "dropout");
  }
  add("loss", design.loss == Loss::kCrossEntropy ? "cross_entropy" : "mse_loss");
  return {{"schema", "halfmark-model/1"},
          {"input", {{"shape", {size.batch, size.widths[0]}}}},
          {"layers", std::move(layers)},
          {"optimizer", {{"rule", design.adam == nullptr ? "sgd" : "adam"}}}};
}

}  // namespace lab

int run_memory(const LabOptions& options, const std::optional<backends::DeviceInfo>& device,
               std::ostream& out) {
  refuse_without_meaning(options);
  json report = {{"schema", kSchemaName}, {"networks", json::array()}};
  for (const lab::MemoryNetwork& network : lab::memory_networks()) {
    report["networks"].push_back({{"experiment", network.experiment},
                                  {"batch", network.size.batch},
                                  {"shape", lab::shape_text(network.design(), network.size)},
                                  {"modes", modes_without_device(network)}});
  }
  if (device) {
    add_measurements(
        *device, milliseconds(static_cast<std::int64_t>(options.timeout_seconds * 1000)), report);
  }
  lab::print_memory(report, out);
  if (!options.json_file.empty()) {
    try {
      reports::write_file_atomically(options.json_file, text::visible_json(report.dump(2)) + "\n");
    } catch (const reports::FileError& error) {
      throw suites::EnvironmentError(error.what());
    }
  }
  const bool failed =
      device && (report["device"].contains("lost") || report["device"].contains("error"));
  return failed ? reports::kExitDoesNotConform : reports::kExitConforms;
}

}  // namespace halfmark::tools
