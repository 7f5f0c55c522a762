// SPDX-License-Identifier: Apache-2.0
//
// The floating-point environment of a thread across calls into drivers: the rounding direction,
// whether subnormals are flushed, which exceptions trap. Calling conventions demand that a function
// leaves it as it was, but a library that was linked with -ffast-math flushes subnormals in the
// thread that loads it, and others forget to restore what they set. What Halfmark computes after
// such a call would then be wrong. Decides that Halfmark has its own environment back after each
// call, and that the next call finds the one that the calls before it left, as it would in any
// other program: what a driver does to itself must show in its results.
#pragma once

#if !defined(__aarch64__)
#include <cfenv>
#endif
#include <cstdint>
#include <optional>

namespace halfmark::backends {

class FloatEnvironment {
 public:
#if defined(__aarch64__)
  // fesetenv() keeps the bits that the C library does not know: those of halves and of NaN.
  FloatEnvironment() {
    asm volatile("mrs %0, fpcr" : "=r"(control_));
    asm volatile("mrs %0, fpsr" : "=r"(status_));
  }
  void restore() const {
    asm volatile("msr fpcr, %0" : : "r"(control_) : "memory");
    asm volatile("msr fpsr, %0" : : "r"(status_) : "memory");
  }

 private:
  std::uint64_t control_ = 0, status_ = 0;
#else
  FloatEnvironment() { std::fegetenv(&saved_); }
  void restore() const { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_{};
#endif
};

/// As long as it lives, the thread has the environment that drivers left in it.
class DriverEnvironmentScope {
 public:
  DriverEnvironmentScope() {
    if (of_drivers_) of_drivers_->restore();
  }
  ~DriverEnvironmentScope() {
    of_drivers_.emplace();
    own_.restore();
  }
  DriverEnvironmentScope(const DriverEnvironmentScope&) = delete;
  DriverEnvironmentScope& operator=(const DriverEnvironmentScope&) = delete;

 private:
  static inline thread_local std::optional<FloatEnvironment> of_drivers_;
  const FloatEnvironment own_;
};

}  // namespace halfmark::backends
