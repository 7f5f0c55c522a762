// SPDX-License-Identifier: Apache-2.0
//
// What a stand-alone program in a vendor's own interface is written from: its dialect and a frame
// with places (@kernel@, @operands@, ...) to fill in. A backend whose folder holds reproducer.c has
// one.
#pragma once

#include <span>
#include <string_view>

namespace halfmark::backends {

struct ReproducerFrame {
  std::string_view backend;
  std::string_view dialect;
  std::string_view frame;
};

[[nodiscard]] std::span<const ReproducerFrame> reproducer_frames();

}  // namespace halfmark::backends
