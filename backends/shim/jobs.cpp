// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "backends/shim/library.hpp"
#include "backends/shim/library_trial.hpp"

namespace halfmark::backends::shim {
namespace {

using nlohmann::json;

std::string joined(const std::vector<std::string>& reasons) {
  std::string text;
  for (const std::string& reason : reasons) {
    text += (text.empty() ? "" : "; ") + reason;
  }
  return text;
}

// Opens one candidate after the other until `use` takes one; the reasons of the others are told.
template <typename Use>
void first_usable(const Library& library, std::vector<std::string>& reasons, Use&& use) {
  for (const std::string& name : candidates(library)) {
    try {
      OpenLibrary opened = OpenLibrary::open(name);
      const bool taken = opened && use(opened);
      opened.keep();  // unloading a driver that has started is a way to die; the process ends soon
      if (taken) return;
    } catch (const BackendError& error) {
      if (std::find(reasons.begin(), reasons.end(), error.vendor_text) == reasons.end())
        reasons.push_back(error.vendor_text);
    }
  }
}

json probe_with(const Vendor& vendor, const OpenLibrary& library) {
  DriverCalls calls{};
  library.bind(vendor.driver.symbols, &calls);
  Status status = calls.initialise(0);
  if (status == vendor.stub_code && status != 0) {
    throw BackendError("initialise", status,
                       fmt::format("{} is a stub, made for linking only", library.path()));
  }
  int count = 0;
  if (status == 0) status = calls.device_count(&count);
  return {{"path", library.path()}, {"status", status}, {"device_count", count}};
}

// The first library that has devices; else the first that answers.
json probe(const Vendor& vendor) {
  json best;
  std::vector<std::string> reasons;
  first_usable(vendor.driver, reasons, [&](const OpenLibrary& library) {
    json found = probe_with(vendor, library);
    const bool has_devices = found.at("status") == 0 && found.at("device_count") > 0;
    if (best.is_null() || has_devices) best = std::move(found);
    return has_devices;
  });
  if (!best.is_null()) return best;
  throw BackendError("dlopen", 0,
                     fmt::format("no {} driver: {}; {}", vendor.platform,
                                 reasons.empty() ? "no library of it was found" : joined(reasons),
                                 vendor.driver.remedy));
}

json compiler_with(const Vendor& vendor, const OpenLibrary& library) {
  CompilerCalls calls{};
  library.bind(vendor.compiler.symbols, &calls);
  int major = 0;
  int minor = 0;
  calls.version(&major, &minor);
  int count = 0;
  std::vector<int> list;
  if (calls.architecture_count != nullptr && calls.architectures != nullptr &&
      calls.architecture_count(&count) == 0 && count > 0) {
    list.resize(static_cast<std::size_t>(count));
    if (calls.architectures(list.data()) != 0) list.clear();
  }
  return {{"path", library.path()}, {"major", major}, {"minor", minor}, {"architectures", list}};
}

// The newest library that the driver can follow; else the newest.
json compiler(const Vendor& vendor, int driver_major) {
  json best;
  std::vector<std::string> reasons;
  const auto take = [&](const OpenLibrary& library) {
    json found = compiler_with(vendor, library);
    const bool fits = !vendor.compiler_follows_driver || found.at("major") <= driver_major;
    if (best.is_null() || fits) best = std::move(found);
    return fits;
  };
  first_usable(vendor.compiler, reasons, take);
  if (best.is_null() && vendor.compiler_may_be_in_driver) {
    first_usable(vendor.driver, reasons, take);
  }
  if (!best.is_null()) return best;
  throw BackendError("dlopen", 0,
                     fmt::format("no run-time compiler for {}: {}; {}", vendor.platform,
                                 reasons.empty() ? "no library of it was found" : joined(reasons),
                                 vendor.compiler.remedy));
}

// One program of the compiler, destroyed with the scope.
class Program {
 public:
  Program(const CompilerCalls& calls, const std::string& source, const std::string& name)
      : calls_(calls) {
    check("create", calls_.create(&raw_, source.c_str(), name.c_str(), 0, nullptr, nullptr));
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { calls_.destroy(&raw_); }

  void check(const char* call, Status status) const {
    if (status != 0) throw BackendError(call, status, calls_.error_name_of(status));
  }
  [[nodiscard]] Status compile(const std::vector<std::string>& options) const {
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    return calls_.compile(raw_, static_cast<int>(words.size()), words.data());
  }
  [[nodiscard]] std::string log() const {
    std::size_t bytes = 0;
    if (calls_.log_bytes(raw_, &bytes) != 0 || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (calls_.log(raw_, text.data()) != 0) return {};
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
  }
  [[nodiscard]] std::string image() const {
    std::size_t bytes = 0;
    check("image size", calls_.image_bytes(raw_, &bytes));
    if (bytes == 0) throw BackendError("image", 0, "the compiler made no code for the device");
    std::string image(bytes, '\0');
    check("image", calls_.image(raw_, image.data()));
    return image;
  }

 private:
  const CompilerCalls& calls_;
  void* raw_ = nullptr;
};

// The first file that gives a right product on the driver's first device.
json library_of(const Vendor& vendor, const json& job) {
  const LibraryTrial trial(vendor, job.at("driver"));
  const std::vector<LibraryRow> rows = library_rows(vendor);
  const auto row = std::ranges::find(rows, job.at("name").get<std::string>(), &LibraryRow::name);
  json found;
  std::vector<std::string> reasons;
  first_usable(*row->where, reasons, [&](const OpenLibrary& library) {
    const TriedLibrary tried = trial.of(*row, library);
    found = {{"path", library.path()}, {"version", tried.version}, {"way", tried.way}};
    return true;
  });
  if (!found.is_null()) return found;
  throw BackendError(
      "dlopen", 0,
      fmt::format("{}; {}", reasons.empty() ? "no library of it was found" : joined(reasons),
                  row->where->remedy));
}

Answer compile(const Vendor& vendor, const json& job) {
  const OpenLibrary library = OpenLibrary::open(job.at("path"));
  CompilerCalls calls{};
  library.bind(vendor.compiler.symbols, &calls);
  const Program program(calls, full_text(vendor, job.at("definitions"), job.at("source")),
                        fmt::format("halfmark{}", vendor.kernel_suffix));
  const Status status = program.compile(options_for(vendor, job.at("architecture")));
  const std::string log = program.log();
  if (status != 0) {
    throw BackendError("compile", status,
                       fmt::format("{}: {}", calls.error_name_of(status),
                                   log.empty() ? "the compiler says nothing" : log));
  }
  return {.told = {{"log", log}}, .image = program.image()};
}

json units_of(const Units& units) {
  json rows = json::array();
  for (const Unit& unit : units.rows) {
    rows.push_back({{"name", unit.name},
                    {"shape", shape_of(unit)},
                    {"least", unit.least},
                    {"architectures", unit.architectures},
                    {"text", program_of(units, unit)}});
  }
  return rows;
}

}  // namespace

std::string full_text(const Vendor& vendor, const std::string& definitions,
                      const std::string& source) {
  return fmt::format("{}#ifndef HM_KERNEL\n#line 1 \"dialect.h\"\n{}#endif\n#line 1 \"source\"\n{}",
                     definitions, *vendor.dialect, source);
}

std::vector<std::string> options_for(const Vendor& vendor, const std::string& architecture) {
  std::vector<std::string> options{vendor.architectures.option + architecture};
  options.insert(options.end(), vendor.strict_options.begin(), vendor.strict_options.end());
  return options;
}

Answer run_job(const Vendor& vendor, const Telemetry& telemetry, const json& job) {
  const std::string op = job.at("op");
  if (op == "probe") return {.told = probe(vendor), .image = {}};
  if (op == "compiler") return {.told = compiler(vendor, job.at("driver_major")), .image = {}};
  if (op == "telemetry") {
    const std::vector<std::string> bus_ids = job.at("bus_ids");
    return {.told = {{"telemetry", read_telemetry(telemetry, bus_ids)}}, .image = {}};
  }
  if (op == "units") return {.told = {{"units", units_of(vendor.units)}}, .image = {}};
  if (op == "library") return {.told = library_of(vendor, job), .image = {}};
  if (op == "compile") return compile(vendor, job);
  throw BackendError("vendor process", 0, "unknown job " + op);
}

}  // namespace halfmark::backends::shim
