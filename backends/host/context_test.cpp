// SPDX-License-Identifier: Apache-2.0
//
// Tests contexts in isolation: built once with this machine's switch and once with ucontext.
#include "backends/host/context.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace halfmark::backends::host {
namespace {

constexpr std::size_t kStackSize = 64 * 1024;

struct Walker {
  Context context;
  Context* next = nullptr;
  std::vector<std::byte> stack = std::vector<std::byte>(kStackSize);
  int steps = 0;
  double sum = 0;
  bool aligned = false;
};

void walk(void* argument) {
  auto& walker = *static_cast<Walker*>(argument);
  alignas(16) std::array<double, 4> values{1, 2, 3,
                                           4};  // faults or is misplaced on a misaligned stack
  walker.aligned = reinterpret_cast<std::uintptr_t>(values.data()) % 16 == 0;
  const int steps = walker.steps;
  for (int i = 0; i < steps; ++i) {
    for (double& value : values) value += i;
    Context::switch_to(walker.context, *walker.next);
  }
  for (const double value : values) walker.sum += value;
  Context::exit_to(walker.context, *walker.next);
}

// A ring of contexts that includes the test itself.
TEST(ContextTest, RingKeepsEveryStack) {
  constexpr int kSteps = 1000;
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<std::unique_ptr<Walker>> ring;
    Context here;
    for (int i = 0; i < 40; ++i) {
      ring.push_back(std::make_unique<Walker>());
      ring.back()->steps = kSteps;
      ring.back()->context.begin(ring.back()->stack, &walk, ring.back().get());
    }
    for (std::size_t i = 0; i < ring.size(); ++i)
      ring[i]->next = i + 1 < ring.size() ? &ring[i + 1]->context : &here;
    for (int step = 0; step <= kSteps; ++step) Context::switch_to(here, ring[0]->context);
    for (const auto& walker : ring) {
      EXPECT_TRUE(walker->aligned);
      EXPECT_EQ(walker->sum, 10.0 + 4.0 * kSteps * (kSteps - 1) / 2);
    }
  }
}

TEST(ContextTest, AbandonedContextBeginsAgain) {
  Walker walker;
  walker.steps = 5;
  Context here;
  walker.next = &here;
  for (int repeat = 0; repeat < 100; ++repeat) {
    walker.context.begin(walker.stack, &walk, &walker);
    Context::switch_to(here, walker.context);
    Context::switch_to(here, walker.context);
  }
  EXPECT_TRUE(walker.aligned);
}

}  // namespace
}  // namespace halfmark::backends::host
