// SPDX-License-Identifier: Apache-2.0
//
// The software device as a driver of this interface family presents a device: raw addresses,
// modules, functions, events. One per process. Decides what a strict driver refuses; knows no
// vendor's names, only its numbers.
//
// Assumption: a launch completes before it returns, so that waiting is never needed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "backends/host/compute_units.hpp"
#include "backends/host/module.hpp"
#include "backends/shim/vendor.hpp"
#include "backends/standin/misbehaviour.hpp"

namespace halfmark::backends::shim::standin {

// Makes the driver's call return this number.
struct Refusal {
  Status Codes::* code;
};

struct Function {
  const hm_host_kernel* kernel;
};

class SoftDevice {
 public:
  explicit SoftDevice(const Vendor& vendor);

  void initialise();
  void require_initialised() const;
  void require_device(Ordinal device) const;
  // Every call except queries needs a current context in the thread, and a device that is not lost.
  void require_ready() const;
  void make_current(void* context) const;
  [[nodiscard]] void* context() { return this; }

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::size_t memory_bytes() const { return memory_bytes_; }
  // What it has, less what is allocated; or what a misbehaving driver says.
  [[nodiscard]] std::size_t free_bytes();
  [[nodiscard]] int attribute(int number) const;

  [[nodiscard]] void* allocate(std::size_t bytes);
  void release(void* address);
  void copy_in(void* target, const void* source, std::size_t bytes) const;
  void copy_out(void* target, const void* source, std::size_t bytes);

  [[nodiscard]] void* load(const void* image);
  void unload(void* module);
  [[nodiscard]] void* function(void* module, const char* name);
  // Runs the kernel in the caller's thread. In a stream of its own it releases the lock meanwhile,
  // so that other streams work beside it; the default stream's work waits and lets all others wait.
  void launch(void* function, const Grid& grid, void* const* arguments, void* stream,
              std::unique_lock<std::mutex>& lock);

  [[nodiscard]] void* create_stream(unsigned flags);
  void destroy_stream(void* stream);
  // Null, the default stream, or a live one.
  void require_stream(const void* stream) const;

  [[nodiscard]] void* create_event();
  void destroy_event(void* event);
  void record(void* event, void* stream);
  [[nodiscard]] float milliseconds_between(void* begin, void* end);

 private:
  struct LoadedModule {
    host::Module code;
    std::map<std::string, Function, std::less<>> functions;
  };
  struct Stream {
    std::mutex in_order;
    host::ComputeUnits units{host::default_thread_count()};
  };
  struct Free {
    void operator()(std::byte* memory) const;
  };
  struct Block {
    std::unique_ptr<std::byte, Free> memory;
    std::size_t bytes;
  };

  void require_range(const void* address, std::size_t bytes) const;
  [[nodiscard]] Function& known_function(void* function, std::string& name);
  [[nodiscard]] std::int64_t& known_event(void* event);
  void run(const Function& function, const Grid& grid, void* const* arguments, void* stream,
           std::unique_lock<std::mutex>& lock);

  const Vendor& vendor_;
  Misbehaviour misbehaviour_;
  std::size_t memory_bytes_;
  bool is_initialised_ = false;
  bool is_lost_ = false;
  std::size_t used_bytes_ = 0;
  std::map<const void*, Block> blocks_;
  std::map<const void*, std::unique_ptr<LoadedModule>> modules_;
  std::map<const void*, std::unique_ptr<std::int64_t>> events_;  // nanoseconds
  std::map<const void*, std::unique_ptr<Stream>> streams_;
  std::shared_mutex default_stream_;
  host::Compiler compiler_;
  host::ImageCache cache_;
  host::ComputeUnits units_;
};

// The compiler to use for an image.
[[nodiscard]] host::Compiler compiler_for(host::Compiler compiler, bool contracts);

}  // namespace halfmark::backends::shim::standin
