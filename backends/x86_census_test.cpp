// SPDX-License-Identifier: Apache-2.0
#include "backends/x86_census.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
namespace halfmark::backends {
TEST(Probe, P) {
  std::ifstream in(std::getenv("IMG"), std::ios::binary);
  std::vector<char> b(std::istreambuf_iterator<char>(in), {});
  auto s = std::as_bytes(std::span(b));
  for (auto k : {"hmad", "hfma", "once", "each", "copy", "sn"}) {
    auto r = census_of(s, k);
    std::cout << k << ": " << r.why;
    if (r.census) {
      auto& c = *r.census;
      auto& l = *r.in_loops;
      std::cout << c.half << ' ' << c.bf16 << ' ' << c.single << ' ' << c.conversions << " loops "
                << l.half << ' ' << l.bf16 << ' ' << l.single << ' ' << l.conversions;
      for (auto& u : r.unresolved_calls) std::cout << " [" << u << "]";
    }
    std::cout << "\n";
  }
}
}  // namespace halfmark::backends
