// SPDX-License-Identifier: Apache-2.0
//
// The context switch: in assembly for x86-64 and AArch64 (which saves two system calls compared
// with ucontext), by ucontext elsewhere or when HALFMARK_HOST_UCONTEXT is defined. Announces every
// switch to the sanitizers.
#include "backends/host/context.hpp"

#include <cstdint>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#define HALFMARK_HOST_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HALFMARK_HOST_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define HALFMARK_HOST_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HALFMARK_HOST_THREAD_SANITIZER 1
#endif
#endif

#if defined(HALFMARK_HOST_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(HALFMARK_HOST_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

#if !defined(HALFMARK_HOST_UCONTEXT)
extern "C" {
// Saves the callee-saved registers on the running stack, stores the stack pointer, and continues on
// the other stack.
void halfmark_host_switch(void** saved_stack_pointer, void* next_stack_pointer);
// Where a new context starts: calls the entry that begin() left in two callee-saved registers.
void halfmark_host_start();
}
#if defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .globl halfmark_host_switch
  .hidden halfmark_host_switch
  .type halfmark_host_switch, @function
halfmark_host_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size halfmark_host_switch, .-halfmark_host_switch

  .p2align 4
  .globl halfmark_host_start
  .hidden halfmark_host_start
  .type halfmark_host_start, @function
halfmark_host_start:
  .cfi_startproc
  .cfi_undefined rip
  movq %r13, %rdi
  callq *%r12
  ud2
  .cfi_endproc
  .size halfmark_host_start, .-halfmark_host_start
)");
#else
asm(R"(
  .text
  .p2align 4
  .globl halfmark_host_switch
  .hidden halfmark_host_switch
  .type halfmark_host_switch, %function
halfmark_host_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size halfmark_host_switch, .-halfmark_host_switch

  .p2align 4
  .globl halfmark_host_start
  .hidden halfmark_host_start
  .type halfmark_host_start, %function
halfmark_host_start:
  .cfi_startproc
  .cfi_undefined x30
  mov x0, x20
  blr x19
  brk #1
  .cfi_endproc
  .size halfmark_host_start, .-halfmark_host_start
)");
#endif
#endif

namespace halfmark::backends::host {
namespace {

// The two ends of this thread's last switch.
[[maybe_unused]] thread_local Context* left_context = nullptr;
[[maybe_unused]] thread_local Context* entered_context = nullptr;

[[maybe_unused]] constexpr int kRaceFiberBegins = 1000;

#if !defined(HALFMARK_HOST_UCONTEXT)
// The frame that halfmark_host_switch pops. Both ABIs require a stack pointer that is a multiple of
// 16 at the call in halfmark_host_start.
[[nodiscard]] void* first_frame(std::span<std::byte> stack, Context::Entry entry, void* argument) {
  const std::uintptr_t top =
      reinterpret_cast<std::uintptr_t>(stack.data() + stack.size()) & ~std::uintptr_t{15};
#if defined(__x86_64__)
  // r15 r14 r13 r12 rbx rbp, the return address, and two words above it.
  void* const frame[9] = {nullptr,
                          nullptr,
                          argument,
                          reinterpret_cast<void*>(entry),
                          nullptr,
                          nullptr,
                          reinterpret_cast<void*>(&halfmark_host_start)};
#else
  // x19..x28, x29, x30, d8..d15.
  void* frame[20] = {reinterpret_cast<void*>(entry), argument};
  frame[11] = reinterpret_cast<void*>(&halfmark_host_start);
#endif
  void* const stack_pointer = reinterpret_cast<void*>(top - sizeof(frame));
  std::memcpy(stack_pointer, frame, sizeof(frame));
  return stack_pointer;
}
#endif

}  // namespace

Context::~Context() {
#if defined(HALFMARK_HOST_THREAD_SANITIZER)
  if (own_race_fiber_) __tsan_destroy_fiber(race_fiber_);
#endif
}

void Context::begin(std::span<std::byte> stack, Entry entry, void* argument) {
  stack_ = stack;
  entry_ = entry;
  argument_ = argument;
#if defined(HALFMARK_HOST_ADDRESS_SANITIZER)
  fake_stack_ = nullptr;
  __asan_unpoison_memory_region(stack.data(), stack.size());  // left by abandoned frames
#endif
#if defined(HALFMARK_HOST_THREAD_SANITIZER)
  // Creating a fiber is expensive, so it is reused; but it accumulates calls of abandoned code that
  // never return, so it is replaced from time to time.
  if (own_race_fiber_ && race_fiber_begins_++ == kRaceFiberBegins) {
    __tsan_destroy_fiber(race_fiber_);
    own_race_fiber_ = false;
  }
  if (!own_race_fiber_) {
    race_fiber_ = __tsan_create_fiber(0);
    own_race_fiber_ = true;
    race_fiber_begins_ = 0;
  }
#endif
#if defined(HALFMARK_HOST_UCONTEXT)
  getcontext(&machine_);
  machine_.uc_stack.ss_sp = stack.data();
  machine_.uc_stack.ss_size = stack.size();
  machine_.uc_link = nullptr;
  makecontext(&machine_, +[] { start(entered_context); }, 0);
#else
  stack_pointer_ = first_frame(stack, &Context::start, this);
#endif
}

[[gnu::always_inline]] inline void Context::switch_machine(Context& from, Context& to) {
#if defined(HALFMARK_HOST_UCONTEXT)
  swapcontext(&from.machine_, &to.machine_);
#else
  halfmark_host_switch(&from.stack_pointer_, to.stack_pointer_);
#endif
}

// Always inlined: a return between the announcement and the switch would count on the wrong stack.
[[gnu::always_inline]] inline void Context::before_switch([[maybe_unused]] Context& from,
                                                          [[maybe_unused]] bool from_is_done) {
#if defined(HALFMARK_HOST_UCONTEXT)
  entered_context = this;
#endif
#if defined(HALFMARK_HOST_ADDRESS_SANITIZER)
  left_context = &from;
  __sanitizer_start_switch_fiber(from_is_done ? nullptr : &from.fake_stack_, stack_.data(),
                                 stack_.size());
#endif
#if defined(HALFMARK_HOST_THREAD_SANITIZER)
  if (!from.own_race_fiber_) from.race_fiber_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(race_fiber_, 0);
#endif
}

void Context::start(void* self) {
  auto& context = *static_cast<Context*>(self);
  context.after_switch();
  context.entry_(context.argument_);
}

void Context::switch_to(Context& from, Context& to) {
  to.before_switch(from, false);
  switch_machine(from, to);
  from.after_switch();
}

void Context::exit_to(Context& from, Context& to) {
  to.before_switch(from, true);
  switch_machine(from, to);
  __builtin_unreachable();
}

void Context::after_switch() {
#if defined(HALFMARK_HOST_ADDRESS_SANITIZER)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(fake_stack_, &bottom, &size);
  // The bounds of a thread's own stack are known only when it is left for the first time.
  left_context->stack_ = {static_cast<std::byte*>(const_cast<void*>(bottom)), size};
#endif
}

}  // namespace halfmark::backends::host
