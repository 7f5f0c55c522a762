// SPDX-License-Identifier: Apache-2.0
#include "suites/core/execute/progress.hpp"

#include <mutex>

namespace halfmark::suites {
namespace {

std::mutex g_mutex;
Stage g_stage;

}  // namespace

void enter_stage(const char* name, bool of_driver) {
  const std::lock_guard lock(g_mutex);
  g_stage = {.name = name, .of_driver = of_driver, .count = g_stage.count + 1};
}

Stage current_stage() {
  const std::lock_guard lock(g_mutex);
  return g_stage;
}

}  // namespace halfmark::suites
