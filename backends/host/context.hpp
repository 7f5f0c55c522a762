// SPDX-License-Identifier: Apache-2.0
//
// Execution contexts (stackful coroutines) that work-items run on. Decides how a thread switches
// stacks; knows nothing of work-groups or schedules.
//
// Assumptions:
//  1. A context stays on the thread that began it.
//  2. Code inside a context lets no exception escape and never returns from its entry.
//  3. An abandoned context (one that is never resumed) holds nothing that needs a destructor.
//  4. The floating-point control state belongs to the thread, not to the context: a switch does not
//  change it.
#pragma once

#include <cstddef>
#include <span>

#if !defined(HALFMARK_HOST_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define HALFMARK_HOST_UCONTEXT 1
#endif
#if defined(HALFMARK_HOST_UCONTEXT)
#include <ucontext.h>
#endif

namespace halfmark::backends::host {

class Context {
 public:
  using Entry = void (*)(void* argument);

  Context() =
      default;  // the calling thread's context once it has switched away; else empty until begin()
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  // Makes the next switch to this context call entry(argument) on the given stack. Abandons what
  // ran there before.
  void begin(std::span<std::byte> stack, Entry entry, void* argument);

  // Leaves the running context `from` for `to`; returns when another context switches back
  // to `from`.
  static void switch_to(Context& from, Context& to);
  // The same for a context that is finished: it can only be begun again.
  [[noreturn]] static void exit_to(Context& from, Context& to);

 private:
  static void start(void* self);  // the first function on a new stack
  void before_switch(Context& from, bool from_is_done);
  void after_switch();
  static void switch_machine(Context& from, Context& to);

  Entry entry_ = nullptr;
  void* argument_ = nullptr;
#if defined(HALFMARK_HOST_UCONTEXT)
  ucontext_t machine_{};
#else
  void* stack_pointer_ = nullptr;
#endif
  // For the sanitizers, which must know which stack is in use.
  std::span<std::byte> stack_{};
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] void* race_fiber_ = nullptr;
  [[maybe_unused]] bool own_race_fiber_ = false;
  [[maybe_unused]] int race_fiber_begins_ = 0;
};

}  // namespace halfmark::backends::host
