// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "backends/argument_values.hpp"
#include "backends/shim/compiler.hpp"
#include "backends/shim/describe.hpp"
#include "backends/shim/operator_library.hpp"
#include "backends/shim/signature.hpp"
#include "backends/shim/telemetry.hpp"

namespace halfmark::backends::shim {
namespace {

// The device as its buffers and programs use it.
class Session {
 public:
  Session(Runtime& runtime, int index) : runtime_(runtime) {
    runtime.check("device", calls().device_of(&device_, index));
    if (calls().context_retain != nullptr)
      runtime.check("context", calls().context_retain(&context_, device_));
    make_current();
    runtime.check("create stream", calls().stream_create(&stream_, kIndependentStream));
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    calls().stream_destroy(stream_);
    if (context_ != nullptr && calls().context_release != nullptr) calls().context_release(device_);
  }
  void make_current() const {
    const Status status = calls().context_current != nullptr ? calls().context_current(context_)
                                                             : calls().select_device(device_);
    runtime_.check("context", status);
  }
  [[nodiscard]] Runtime& runtime() const { return runtime_; }
  [[nodiscard]] const DriverCalls& calls() const { return runtime_.calls(); }
  [[nodiscard]] Ordinal device() const { return device_; }
  [[nodiscard]] void* stream() const { return stream_; }
  void check(const char* call, Status status, const std::string& detail = {}) const {
    runtime_.check(call, status, detail);
  }

 private:
  Runtime& runtime_;
  Ordinal device_ = 0;
  void* context_ = nullptr;
  void* stream_ = nullptr;
};

// The calls that one with the option `calls` holds: their tensors follow one another.
std::vector<DriverOperatorCall> queued_calls(DriverOperatorCall all) {
  const auto option = std::ranges::find(all.options, "calls", &Define::name);
  if (option == all.options.end()) return {std::move(all)};
  const std::string text = option->value;
  all.options.erase(option);
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count == 0 ||
      all.tensors.size() % count != 0) {
    throw NotOffered(
        fmt::format("{} tensors are not those of '{}' calls", all.tensors.size(), text));
  }
  const std::vector<DriverTensorView> tensors = std::exchange(all.tensors, {});
  const std::size_t each = tensors.size() / count;
  std::vector<DriverOperatorCall> calls;
  for (std::size_t i = 0; i < count; ++i) {
    DriverOperatorCall one = all;
    const auto first = tensors.begin() + static_cast<std::ptrdiff_t>(i * each);
    one.tensors.assign(first, first + static_cast<std::ptrdiff_t>(each));
    calls.push_back(std::move(one));
  }
  return calls;
}

// Of calls in one queue, which differ in their tensors only.
bool has_same_tensors(const DriverOperatorCall& a, const DriverOperatorCall& b) {
  return std::ranges::equal(
      a.tensors, b.tensors, [](const DriverTensorView& x, const DriverTensorView& y) {
        return x.buffer == y.buffer && x.offset_bytes == y.offset_bytes && x.role == y.role &&
               x.format == y.format && x.sizes == y.sizes && x.strides == y.strides;
      });
}

class ShimBuffer final : public DriverBuffer {
 public:
  ShimBuffer(const Session& session, std::uint64_t bytes) : session_(session) {
    session.make_current();
    session.check("allocate", session.calls().allocate(&address_, bytes),
                  fmt::format("{} bytes", bytes));
  }
  ShimBuffer(const ShimBuffer&) = delete;
  ShimBuffer& operator=(const ShimBuffer&) = delete;
  ~ShimBuffer() override { session_.calls().release(address_); }

  void write(std::uint64_t offset, std::span<const std::byte> source) override {
    if (source.empty()) return;
    session_.make_current();
    session_.check("copy in", session_.calls().copy_in(at(offset), source.data(), source.size()));
    // A copy from pageable memory, in the default stream, may return before its last bytes
    // have arrived.
    session_.check("synchronise", session_.calls().stream_synchronise(nullptr));
  }
  void read(std::uint64_t offset, std::span<std::byte> target) override {
    if (target.empty()) return;
    session_.make_current();
    session_.check("copy out", session_.calls().copy_out(target.data(), at(offset), target.size()));
  }
  [[nodiscard]] Address address() const { return address_; }

 private:
  [[nodiscard]] Address at(std::uint64_t offset) const {
    return Address{static_cast<std::uint64_t>(address_) + offset};
  }

  const Session& session_;
  Address address_{};
};

class Event {
 public:
  explicit Event(const Session& session) : session_(session) {
    session.check("create event", session.calls().event_create(&raw_, 0));
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { session_.calls().event_destroy(raw_); }
  void record() const {
    session_.check("record event", session_.calls().event_record(raw_, session_.stream()));
  }
  // The event clock has a resolution of half a microsecond, so a short kernel may appear to take
  // no time.
  [[nodiscard]] std::uint64_t nanoseconds_to(const Event& end) const {
    session_.check("wait for event", session_.calls().event_wait(end.raw_));
    float milliseconds = 0;
    session_.check("elapsed time", session_.calls().event_elapsed(&milliseconds, raw_, end.raw_));
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(static_cast<double>(milliseconds) * 1e6)));
  }

 private:
  const Session& session_;
  void* raw_ = nullptr;
};

class ShimProgram final : public DriverProgram {
 public:
  ShimProgram(const Session& session, std::string source, Image image)
      : session_(session), source_(std::move(source)), image_(std::move(image)) {
    session.make_current();
    session.check("load module", session.calls().module_load(&module_, image_.bytes.data()));
  }
  ShimProgram(const ShimProgram&) = delete;
  ShimProgram& operator=(const ShimProgram&) = delete;
  ~ShimProgram() override { session_.calls().module_unload(module_); }

  [[nodiscard]] std::string build_log() const override { return image_.log; }
  [[nodiscard]] std::span<const std::byte> image() const override {
    return std::as_bytes(std::span(image_.bytes));
  }
  std::uint64_t launch(const std::string& entry, const Grid& grid,
                       std::span<const DriverArgument> arguments) override;

 private:
  [[nodiscard]] void* function(const std::string& entry);
  void refuse_misfit(const std::string& entry, std::span<const DriverArgument> arguments) const;

  const Session& session_;
  std::string source_;
  Image image_;
  void* module_ = nullptr;
  std::map<std::string, void*> functions_;
};

// The first name of a role in the vendor's interface.
const char* symbol_of(const Vendor& vendor, std::size_t slot) {
  for (const Symbol& symbol : vendor.driver.symbols) {
    if (symbol.slot == slot) return symbol.name;
  }
  return "such a call";
}

void* ShimProgram::function(const std::string& entry) {
  const auto known = functions_.find(entry);
  if (known != functions_.end()) return known->second;
  void* found = nullptr;
  session_.check("find kernel", session_.calls().module_function(&found, module_, entry.c_str()),
                 entry);
  functions_.emplace(entry, found);
  return found;
}

void ShimProgram::refuse_misfit(const std::string& entry,
                                std::span<const DriverArgument> arguments) const {
  const std::string given = kinds_of(arguments);
  const std::string wanted = signature_of(source_, entry).value_or("");
  if (given != wanted) {
    throw BackendError("launch", 0,
                       fmt::format("kernel '{}' takes arguments \"{}\", was given \"{}\" (p "
                                   "buffer, i int, u unsigned, f float)",
                                   entry, wanted, given));
  }
}

std::uint64_t ShimProgram::launch(const std::string& entry, const Grid& grid,
                                  std::span<const DriverArgument> arguments) {
  session_.make_current();
  void* kernel = function(entry);
  refuse_misfit(entry, arguments);
  ArgumentValues values(arguments, [](DriverBuffer* buffer) {
    return reinterpret_cast<void*>(
        static_cast<std::uintptr_t>(static_cast<ShimBuffer*>(buffer)->address()));
  });
  const Event begin(session_);
  const Event end(session_);
  begin.record();
  session_.check("launch",
                 session_.calls().launch(kernel, grid.groups[0], grid.groups[1], grid.groups[2],
                                         grid.items[0], grid.items[1], grid.items[2], 0,
                                         session_.stream(), values.pointers(), nullptr),
                 entry);
  end.record();
  // The first call that waits reports errors of the kernel's execution.
  session_.check("kernel execution", session_.calls().stream_synchronise(session_.stream()), entry);
  return begin.nanoseconds_to(end);
}

class ShimDevice final : public DriverDevice {
 public:
  ShimDevice(Runtime& runtime, int index)
      : index_(index), session_(runtime, index), info_(shim::describe(runtime, index)) {}
  [[nodiscard]] DeviceInfo describe() override;
  [[nodiscard]] std::unique_ptr<DriverBuffer> allocate(std::uint64_t bytes) override {
    return std::make_unique<ShimBuffer>(session_, bytes);
  }
  [[nodiscard]] std::unique_ptr<DriverProgram> build(const std::string& source,
                                                     std::span<const Define> defines) override {
    return built(source, defines, "");
  }
  [[nodiscard]] OperatorOutcome run(const DriverOperatorCall& call) override;
  [[nodiscard]] MemoryAnswer memory() override;

 private:
  [[nodiscard]] std::string definitions(std::span<const Define> defines) const;
  // Builds for the device's architecture with that feature.
  [[nodiscard]] std::unique_ptr<DriverProgram> built(const std::string& source,
                                                     std::span<const Define> defines,
                                                     const char* feature);
  // The first call opens the library. Throws NotOffered when there is none.
  [[nodiscard]] OperatorLibrary& library(const std::string& name);
  // The time of all calls, between two events.
  [[nodiscard]] std::uint64_t timed(OperatorLibrary& library,
                                    std::span<const DriverOperatorCall> calls) const;

  int index_;
  Session session_;
  DeviceInfo info_;
  UnitPrograms unit_programs_;
  std::map<std::string, std::unique_ptr<OperatorLibrary>>
      libraries_;  // their handles belong to the session's context
};

DeviceInfo ShimDevice::describe() {
  DeviceInfo info = shim::describe(session_.runtime(), index_);
  add_telemetry(session_.runtime().vendor(), {&info, 1});
  const Compiler& compiler = session_.runtime().compiler();
  info.extra["compiler"] = compiler.path;
  info.extra["compiler_version"] = compiler.version;
  info.extra["compiled_for"] = compilable(session_.runtime(), compiler, session_.device());
  return info;
}

std::string ShimDevice::definitions(std::span<const Define> defines) const {
  std::string text = device_definitions(info_.promises);
  for (const Define& define : defines)
    text += fmt::format("#define {} {}\n", define.name, define.value);
  return text;
}

std::unique_ptr<DriverProgram> ShimDevice::built(const std::string& source,
                                                 std::span<const Define> defines,
                                                 const char* feature) {
  Runtime& runtime = session_.runtime();
  Image image =
      runtime.compile(definitions(defines), source,
                      compilable(runtime, runtime.compiler(), session_.device()) + feature);
  return std::make_unique<ShimProgram>(session_, source, std::move(image));
}

OperatorLibrary& ShimDevice::library(const std::string& name) {
  Runtime& runtime = session_.runtime();
  for (const FoundLibrary& found : runtime.libraries()) {
    if (found.library.name != name) continue;
    if (!found.library.usable) throw NotOffered(found.library.evidence);
    auto& opened = libraries_[name];
    if (!opened)
      opened = found.row.open(
          OpenLibrary::open(found.path, found.row.where->companions),
          {.calls = session_.calls(), .stream = session_.stream(), .way = found.way});
    return *opened;
  }
  throw NotOffered("there is no library '" + name + "'");
}

std::uint64_t ShimDevice::timed(OperatorLibrary& library,
                                std::span<const DriverOperatorCall> calls) const {
  // Calls with the same tensors share a preparation: a library may take longer to choose an
  // algorithm than to run it, and the host's clock shows that.
  std::vector<StartOperator> starts;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto same = std::ranges::find_if(calls.first(i), [&](const DriverOperatorCall& call) {
      return has_same_tensors(call, calls[i]);
    });
    starts.push_back(same != calls.begin() + static_cast<std::ptrdiff_t>(i)
                         ? starts[static_cast<std::size_t>(same - calls.begin())]
                         : library.prepared(calls[i], [](DriverBuffer* buffer) {
                             return static_cast<ShimBuffer*>(buffer)->address();
                           }));
  }
  const Event begin(session_);
  const Event end(session_);
  begin.record();
  Status status = 0;
  for (std::size_t i = 0; i < starts.size() && status == 0; ++i) status = starts[i]();
  end.record();
  // The call that waits reports errors of the execution on the device.
  session_.check("execution of a library's operator",
                 session_.calls().stream_synchronise(session_.stream()), calls.front().name);
  if (status != 0) library.refuse(status);
  return begin.nanoseconds_to(end);
}

OperatorOutcome ShimDevice::run(const DriverOperatorCall& call) {
  Runtime& runtime = session_.runtime();
  if (const UnitForm* form = unit_form(runtime.vendor().units, call.library)) {
    const auto build = [this](const std::string& text, const char* feature) {
      return built(text, {}, feature);
    };
    return run_unit(*form, facts_of(runtime, session_.device()), build, unit_programs_, call);
  }
  session_.make_current();
  try {
    const std::uint64_t elapsed_ns = timed(library(call.library), queued_calls(call));
    return {.supported = true, .answer = {}, .elapsed_ns = elapsed_ns};
  } catch (const NotOffered& answer) {
    return {.supported = false, .answer = answer.what(), .elapsed_ns = 0};
  }
}

MemoryAnswer ShimDevice::memory() {
  const char* symbol = symbol_of(session_.runtime().vendor(), offsetof(DriverCalls, memory_info));
  if (session_.calls().memory_info == nullptr)
    return {.answer = fmt::format("the driver has no {}", symbol)};
  session_.make_current();
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  session_.check(symbol, session_.calls().memory_info(&free_bytes, &total_bytes));
  return {.known = true, .source = symbol, .free_bytes = free_bytes, .total_bytes = total_bytes};
}

}  // namespace

std::unique_ptr<DriverDevice> open_device(Runtime& runtime, int index) {
  return std::make_unique<ShimDevice>(runtime, index);
}

}  // namespace halfmark::backends::shim
