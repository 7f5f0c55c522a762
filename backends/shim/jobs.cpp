// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/shim/compiler.hpp"
#include "backends/shim/image_store.hpp"
#include "backends/shim/library.hpp"
#include "backends/shim/library_trial.hpp"
#include "backends/shim/search.hpp"
#include "backends/shim/trial_records.hpp"

namespace halfmark::backends::shim {
namespace {

using nlohmann::json;

json probe(const Vendor& vendor) {
  const FoundDriver found = find_driver(vendor);
  return {{"path", found.path},
          {"status", found.status},
          {"device_count", found.device_count},
          {"status_name", found.status_name}};
}

json compiler(const Vendor& vendor, const json& job, const Note& note) {
  const std::string architecture = job.value("architecture", std::string());
  const CompilerSearch search{.driver_major = job.at("driver_major"),
                              .capability = capability_of(vendor, architecture),
                              .skipped = job.value("skipped", std::vector<std::string>()),
                              .reasons = job.value("reasons", std::vector<std::string>()),
                              .before = [&](const std::string& name) { note({{"trying", name}}); },
                              .prove =
                                  [&](const FoundCompiler& found, const OpenLibrary& library) {
                                    prove_compiler(vendor, found, library, architecture);
                                    note({{"files", loaded_files()}});
                                  }};
  const FoundCompiler found = find_compiler(vendor, search);
  return {{"path", found.path},
          {"major", found.major},
          {"minor", found.minor},
          {"architectures", found.architectures},
          {"content", compiler_content(found.path, vendor.compiler)}};
}

// Finds the first file that computes a correct product on the driver's first device.
json library_of(const Vendor& vendor, const json& job, const Note& note) {
  const LibraryTrial trial(vendor, job.at("driver"));
  const std::vector<LibraryRow> rows = library_rows(vendor);
  const auto row = std::ranges::find(rows, job.at("name").get<std::string>(), &LibraryRow::name);
  json found;
  std::vector<std::string> reasons;
  const auto use = [&](const OpenLibrary& library) {
    note({{"files", loaded_files()}});
    const TriedLibrary tried = trial.of(*row, library);
    found = {{"path", library.path()}, {"version", tried.version}, {"way", tried.way}};
    note({{"files", loaded_files()}});
    return true;
  };
  first_usable(*row->where, reasons, use, [&](const std::string& name) {
    note({{"trying", name}});
    return true;
  });
  if (!found.is_null()) return found;
  throw BackendError("dlopen", 0,
                     fmt::format("{}; {}", joined(reasons, *row->where), row->where->remedy));
}

Answer compile(const Vendor& vendor, const json& job) {
  CompiledText made =
      compiled(vendor, OpenLibrary::open(job.at("path"), vendor.compiler.companions),
               full_text(vendor, job.at("definitions"), job.at("source")), job.at("architecture"));
  return {.reply = {{"log", made.log}}, .image = std::move(made.image), .notes = {}};
}

// Builds the programs of a part that the store lacks. A compiler needs no device.
json prebuild(const Vendor& vendor, const json& job) {
  const std::string wanted = job.at("architecture");
  const FoundCompiler found =
      find_compiler(vendor, {.driver_major = job.at("driver_major"),
                             .capability = capability_of(vendor, wanted),
                             .skipped = {},
                             .reasons = {},
                             .before = {},
                             .prove = [&](const FoundCompiler& one, const OpenLibrary& library) {
                               prove_compiler(vendor, one, library, wanted);
                             }});
  const OpenLibrary library = OpenLibrary::open(found.path, vendor.compiler.companions);
  const ImageStore store(vendor, compiler_content(found.path, vendor.compiler));
  const std::string architecture = architecture_for(vendor, found, wanted);
  const std::string definitions =
      device_definitions(vendor.promises({.capability = capability_of(vendor, wanted),
                                          .architecture = wanted,
                                          .runtime_version = job.at("runtime_version")}));
  const std::size_t parts = job.at("parts");
  int built = 0, known = 0;
  std::string failed;
  for (std::size_t i = job.at("part"); i < job.at("programs").size(); i += parts) {
    const json& program = job.at("programs")[i];
    const std::string text = full_text(
        vendor, definitions + program.at("definitions").get<std::string>(), program.at("text"));
    if (store.find(text, architecture)) {
      ++known;
      continue;
    }
    try {
      store.keep(text, architecture, compiled(vendor, library, text, architecture));
      ++built;
    } catch (const BackendError& error) {
      failed = error.vendor_text;
    }
  }
  return {{"built", built}, {"known", known}, {"compiler", found.path}, {"failed", failed}};
}

json units_of(const Units& units) {
  json rows = json::array();
  for (const UnitForm& form : units.forms) {
    for (const Unit& unit : form.rows) {
      rows.push_back({{"name", unit.name},
                      {"shape", shape_of(unit)},
                      {"least", unit.least},
                      {"architectures", unit.architectures},
                      {"feature", form.feature},
                      {"text", program_of(form, unit)}});
    }
  }
  return rows;
}

}  // namespace

Answer run_job(const Vendor& vendor, const Telemetry& telemetry, const json& job,
               const Note& note) {
  const std::string op = job.at("op");
  if (op == "probe") return {.reply = probe(vendor), .image = {}, .notes = {}};
  if (op == "compiler") return {.reply = compiler(vendor, job, note), .image = {}, .notes = {}};
  if (op == "telemetry") {
    const std::vector<std::string> bus_ids = job.at("bus_ids");
    return {.reply = {{"telemetry", read_telemetry(telemetry, bus_ids)}}, .image = {}, .notes = {}};
  }
  if (op == "units")
    return {.reply = {{"units", units_of(vendor.units)}}, .image = {}, .notes = {}};
  if (op == "library") return {.reply = library_of(vendor, job, note), .image = {}, .notes = {}};
  if (op == "compile") return compile(vendor, job);
  if (op == "prebuild") return {.reply = prebuild(vendor, job), .image = {}, .notes = {}};
  throw BackendError("vendor process", 0, "unknown job " + op);
}

}  // namespace halfmark::backends::shim
