// SPDX-License-Identifier: Apache-2.0
// Runs long tests on every core: each thread takes the share of the work given by its index.
#pragma once

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

namespace halfmark::slow {

inline void on_every_core(const std::function<void(unsigned index, unsigned count)>& body) {
  const unsigned count = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < count; ++i) threads.emplace_back(body, i, count);
}

}  // namespace halfmark::slow
