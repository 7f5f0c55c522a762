// SPDX-License-Identifier: Apache-2.0
//
// What a stand-alone program in a vendor's own interface is written from: texts with places
// (@kernel@, @operands@, ...) and the words that a backend puts into them. Decides how places are
// filled; not what is computed, and not for which finding (tools/halfmark/reproducers).
//
// A backend whose folder holds reproducer.cpp has such texts. Plug-ins share those of `plugin`,
// which call the plug-in through its table.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/device_info.hpp"
#include "backends/driver.hpp"

namespace halfmark::backends {

/// What stands in a place: the word of "entry" in @entry@. A word may hold places itself.
using Words = std::map<std::string, std::string>;

/// A kernel of the backend's own, and the launch of it that an operator is.
struct OperatorKernel {
  std::string text;     // behind the dialect
  std::string feature;  // after the name of the architecture, for the compiler
  std::string entry;
  Grid grid;
  std::vector<DriverArgument> arguments;  // buffers are those of the call, which nobody reads
};

struct ReproducerFrame {
  std::string library;  // whose call the program makes; "*": any; empty: it launches a kernel
  std::string dialect;  // what stands before a kernel's text; empty: the interface has the words
  std::string text;
  Words words;
  /// What a call adds to the words. A role's tensor is @at.ROLE@, from @bytes.ROLE@ on. Throws
  /// what the library's own adapter throws for a call that it does not make.
  std::function<Words(const DriverOperatorCall&)> words_of_call = {};
  /// Of a library whose operators are kernels. Empty: the device has none for the call.
  std::function<std::optional<OperatorKernel>(const DriverOperatorCall&, const DeviceInfo&)>
      kernel_of_call = {};
};

/// Those of the device's backend, or of its plug-in.
[[nodiscard]] std::vector<ReproducerFrame> reproducer_frames(const DeviceInfo& device);
/// Of every backend that has some, by name.
[[nodiscard]] std::map<std::string, std::vector<ReproducerFrame>> all_reproducer_frames();

/// Empty where a place has no word: the interface does not know what it names.
[[nodiscard]] std::optional<std::string> filled(std::string text, const Words& words);

}  // namespace halfmark::backends
