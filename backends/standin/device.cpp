// SPDX-License-Identifier: Apache-2.0
#include "backends/standin/device.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

#include "backends/host/faults.hpp"
#include "backends/standin/definitions.hpp"
#include "backends/standin/image.hpp"
#include "backends/standin/log.hpp"

namespace halfmark::backends::shim::standin {
namespace {

constexpr std::align_val_t kAlignment{256};
constexpr std::uint32_t kMaxGroupsYZ = 65535;

thread_local const void* current_context = nullptr;

const char* requested_misbehaviour() {
  const char* words = std::getenv("HALFMARK_STAND_IN_MISBEHAVE");
  return words == nullptr ? "" : words;
}

std::size_t half_of_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2;
}

bool has_role(std::span<const Symbol> symbols, std::size_t slot) {
  for (const Symbol& symbol : symbols) {
    if (symbol.slot == slot) return true;
  }
  return false;
}

void check_grid(const Grid& grid) {
  const auto& [x, y, z] = grid.items;
  const std::uint64_t items = std::uint64_t{x} * y * z;
  if (x > host::kMaxGroupItems || y > host::kMaxGroupItems || items > host::kMaxGroupItems ||
      items == 0)
    throw Refusal{&Codes::bad_launch_shape};
  const auto& groups = grid.groups;
  if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0 || groups[0] > 0x7fffffffu ||
      groups[1] > kMaxGroupsYZ || groups[2] > kMaxGroupsYZ)
    throw Refusal{&Codes::bad_launch_shape};
}

}  // namespace

host::Compiler compiler_for(host::Compiler compiler, bool contracts) {
  if (contracts) compiler.flags.emplace_back("-ffp-contract=fast");
  return compiler;
}

void SoftDevice::Free::operator()(std::byte* memory) const {
  ::operator delete(memory, kAlignment);
}

SoftDevice::SoftDevice(const Vendor& vendor)
    : vendor_(vendor),
      misbehaviour_(requested_misbehaviour()),
      memory_bytes_(half_of_memory()),
      compiler_(host::find_compiler()),
      units_(host::default_thread_count()) {}

void SoftDevice::initialise() {
  wait_while_cold("slow-start", vendor_.backend);
  is_initialised_ = true;
}

void SoftDevice::require_initialised() const {
  if (!is_initialised_) throw Refusal{&Codes::not_initialised};
}

void SoftDevice::require_device(Ordinal device) const {
  require_initialised();
  if (device != 0) throw Refusal{&Codes::invalid_device};
}

void SoftDevice::require_ready() const {
  require_initialised();
  const bool has_contexts =
      has_role(vendor_.driver.symbols, offsetof(DriverCalls, context_current));
  if (has_contexts && current_context != this) throw Refusal{&Codes::no_context};
  if (is_lost_) throw Refusal{&Codes::launch_failed};
}

void SoftDevice::make_current(void* context) const {
  if (context != this && context != nullptr) throw Refusal{&Codes::no_context};
  current_context = context;
}

std::string SoftDevice::name() const {
  const std::string& words = misbehaviour_.words();
  const host::Fault fault = host::fault_of_environment();
  std::string text = "Halfmark software device (stand-in";
  if (!words.empty()) text += " that misbehaves: " + words;
  if (fault.planted()) text += ", its library with fault " + fault.name();
  return text + ")";
}

int SoftDevice::attribute(int number) const {
  const Attributes& numbers = vendor_.attributes;
  const int capability = vendor_.stand_in.capability;
  if (number == numbers.max_group_items) return host::kMaxGroupItems;
  if (number == numbers.local_memory_bytes) return host::kLocalMemoryBytes;
  if (number == numbers.warp_items) return vendor_.stand_in.warp_items;
  if (number == numbers.compute_units) return static_cast<int>(units_.count());
  if (number == numbers.capability_major) return capability / 10;
  if (number == numbers.capability_minor) return capability % 10;
  // A processor has no value for the other attributes, and a driver may lack one.
  throw Refusal{&Codes::invalid_value};
}

std::size_t SoftDevice::free_bytes() {
  require_ready();
  if (misbehaviour_.strikes("fail-memory")) throw Refusal{&Codes::invalid_value};
  if (misbehaviour_.strikes("impossible-memory")) return memory_bytes_ + 1;
  if (misbehaviour_.strikes("still-memory")) return memory_bytes_ / 2;
  if (misbehaviour_.strikes("backward-memory")) return memory_bytes_ / 2 + used_bytes_;
  return memory_bytes_ - used_bytes_;
}

void* SoftDevice::allocate(std::size_t bytes) {
  require_ready();
  if (bytes == 0) throw Refusal{&Codes::invalid_value};
  if (misbehaviour_.strikes("fail-allocation") || bytes > memory_bytes_ - used_bytes_)
    throw Refusal{&Codes::out_of_memory};
  Block block{.memory = {}, .bytes = bytes};
  block.memory.reset(static_cast<std::byte*>(::operator new(bytes, kAlignment, std::nothrow)));
  if (block.memory == nullptr) throw Refusal{&Codes::out_of_memory};
  void* address = block.memory.get();
  blocks_.emplace(address, std::move(block));
  used_bytes_ += bytes;
  return address;
}

void SoftDevice::release(void* address) {
  require_initialised();
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) throw Refusal{&Codes::invalid_value};
  used_bytes_ -= found->second.bytes;
  blocks_.erase(found);
}

void SoftDevice::require_range(const void* address, std::size_t bytes) const {
  const auto* begin = static_cast<const std::byte*>(address);
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) throw Refusal{&Codes::invalid_value};
  const Block& block = (--after)->second;
  const auto offset = static_cast<std::size_t>(begin - block.memory.get());
  if (offset > block.bytes || bytes > block.bytes - offset) throw Refusal{&Codes::invalid_value};
}

void SoftDevice::copy_in(void* target, const void* source, std::size_t bytes) const {
  require_ready();
  require_range(target, bytes);
  std::memcpy(target, source, bytes);
}

void SoftDevice::copy_out(void* target, const void* source, std::size_t bytes) {
  require_ready();
  require_range(source, bytes);
  std::memcpy(target, source, bytes);
  if (bytes != 0 && misbehaviour_.strikes("corrupt-copy"))
    static_cast<std::byte*>(target)[bytes / 2] ^= std::byte{1};
}

void* SoftDevice::load(const void* image) {
  require_ready();
  const std::optional<SourceImage> found = unpacked(image);
  if (!found || found->backend != vendor_.backend) throw Refusal{&Codes::invalid_image};
  if (found->architecture != vendor_.stand_in.architecture)
    throw Refusal{&Codes::wrong_architecture};
  auto module = std::make_unique<LoadedModule>(
      LoadedModule{.code = host::Module::build(compiler_for(compiler_, found->contracts), cache_,
                                               found->source, definitions_of(found->source)),
                   .functions = {}});
  for (const hm_host_kernel& kernel : module->code.kernels()) {
    if (kernel.kinds != nullptr) module->functions[kernel.name] = {.kernel = &kernel};
  }
  void* handle = module.get();
  modules_.emplace(handle, std::move(module));
  return handle;
}

void SoftDevice::unload(void* module) {
  require_initialised();
  if (modules_.erase(module) == 0) throw Refusal{&Codes::invalid_handle};
}

void* SoftDevice::function(void* module, const char* name) {
  require_ready();
  const auto found = modules_.find(module);
  if (found == modules_.end()) throw Refusal{&Codes::invalid_handle};
  const auto row = found->second->functions.find(name);
  if (row == found->second->functions.end()) throw Refusal{&Codes::not_found};
  return &row->second;
}

Function& SoftDevice::known_function(void* function, std::string& name) {
  for (const auto& [handle, module] : modules_) {
    for (auto& [text, row] : module->functions) {
      if (&row != function) continue;
      name = text;
      return row;
    }
  }
  throw Refusal{&Codes::invalid_handle};
}

void* SoftDevice::create_stream(unsigned flags) {
  require_ready();
  if (flags > kIndependentStream) throw Refusal{&Codes::invalid_value};
  auto stream = std::make_unique<Stream>();
  void* handle = stream.get();
  streams_.emplace(handle, std::move(stream));
  return handle;
}

void SoftDevice::destroy_stream(void* stream) {
  if (streams_.erase(stream) == 0) throw Refusal{&Codes::invalid_handle};
}

void SoftDevice::require_stream(const void* stream) const {
  if (stream != nullptr && !streams_.contains(stream)) throw Refusal{&Codes::invalid_handle};
}

void SoftDevice::run(const Function& function, const Grid& grid, void* const* arguments,
                     void* stream, std::unique_lock<std::mutex>& lock) {
  const host::Launch launch{
      .kernel = function.kernel, .grid = grid, .arguments = arguments, .shuffle_seed = {}};
  const auto found = streams_.find(stream);
  if (found == streams_.end()) {
    const std::scoped_lock alone(default_stream_);
    const Interval interval(stream);
    units_.run(launch, host::FloatControl::ieee());
    return;
  }
  Stream& own = *found->second;
  lock.unlock();
  try {
    const std::shared_lock beside(default_stream_);
    const std::scoped_lock in_order(own.in_order);
    const Interval interval(stream);
    own.units.run(launch, host::FloatControl::ieee());
  } catch (...) {
    lock.lock();
    throw;
  }
  lock.lock();
}

void SoftDevice::launch(void* function, const Grid& grid, void* const* arguments, void* stream,
                        std::unique_lock<std::mutex>& lock) {
  require_ready();
  require_stream(stream);
  std::string name;
  const Function& known = known_function(function, name);
  check_grid(grid);
  if (misbehaviour_.strikes("crash", name)) std::abort();
  if (misbehaviour_.strikes("hang", name)) {
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  is_lost_ = is_lost_ || misbehaviour_.strikes("lose-device", name);
  if (is_lost_) throw Refusal{&Codes::launch_failed};
  if (misbehaviour_.strikes("ignore-launch", name)) return;
  try {
    run(known, grid, arguments, stream, lock);
  } catch (const BackendError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    is_lost_ = true;
    throw Refusal{&Codes::launch_failed};
  }
  if (misbehaviour_.strikes("wrong-error", name)) throw Refusal{&Codes::invalid_handle};
}

void* SoftDevice::create_event() {
  require_ready();
  auto event = std::make_unique<std::int64_t>(0);
  void* handle = event.get();
  events_.emplace(handle, std::move(event));
  return handle;
}

std::int64_t& SoftDevice::known_event(void* event) {
  const auto found = events_.find(event);
  if (found == events_.end()) throw Refusal{&Codes::invalid_handle};
  return *found->second;
}

void SoftDevice::destroy_event(void* event) {
  static_cast<void>(known_event(event));
  events_.erase(event);
}

void SoftDevice::record(void* event, void* stream) {
  require_ready();
  require_stream(stream);
  known_event(event) = std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::chrono::steady_clock::now().time_since_epoch())
                           .count();
}

float SoftDevice::milliseconds_between(void* begin, void* end) {
  const double nanoseconds = static_cast<double>(known_event(end) - known_event(begin));
  const double milliseconds = nanoseconds * (misbehaviour_.has("fast-clock") ? 1e-8 : 1e-6);
  return static_cast<float>(misbehaviour_.has("coarse-clock") ? std::floor(milliseconds)
                                                              : milliseconds);
}

}  // namespace halfmark::backends::shim::standin
