// SPDX-License-Identifier: Apache-2.0
//
// Stand-alone programs for the software device: the kernel's text as C++, called once, compiled
// with the flags that the device compiles with.
#include <string>
#include <vector>

#include "backends/host/embedded.hpp"
#include "backends/reproducers.hpp"

namespace halfmark::backends::host {

std::vector<ReproducerFrame> reproducers() {
  return {{.library = {},
           .dialect = std::string(dialect_h),
           .text = std::string(reproducer_cc),
           .words = {}}};
}

}  // namespace halfmark::backends::host
