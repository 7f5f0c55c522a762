// SPDX-License-Identifier: Apache-2.0
//
// The templates of stand-alone programs in a vendor's own interface: texts with
// placeholders (@kernel@, @operands@, ...) and the words that a backend substitutes for
// them. Decides how placeholders are filled; tools/halfmark/reproducers decides what is
// computed and for which finding.
//
// A backend whose folder holds reproducer.cpp has such templates. Plug-ins share those of `plugin`,
// which call the plug-in through its table.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device_info.hpp"
#include "backends/driver.hpp"

namespace halfmark::backends {

/// The replacement for each placeholder: the word of "entry" replaces @entry@. A word may contain
/// placeholders itself.
using Words = std::map<std::string, std::string>;

/// A kernel that belongs to the backend, and the launch of it that implements an operator.
struct OperatorKernel {
  std::string text;     // without the dialect, which precedes it
  std::string feature;  // appended to the name of the architecture for the compiler
  std::string entry;
  Grid grid;
  std::vector<DriverArgument> arguments;  // the buffers are those of the call, never read
};

struct ReproducerFrame {
  std::string library;  // the library that the program calls; "*": any; empty: it launches a kernel
  std::string dialect;  // the text before a kernel; empty: the interface defines the words itself
  std::string text;
  Words words;
  /// The words that a call adds. The tensor of a role is @at.ROLE@ and starts at @bytes.ROLE@.
  /// Throws what the library's own adapter throws for a call that it does not make.
  std::function<Words(const DriverOperatorCall&)> words_of_call = {};
  /// The words that the text of a program's kernels, without the dialect, and the device add: how
  /// the compiler was called.
  std::function<Words(std::string_view text, const DeviceInfo&)> words_of_kernel = {};
  /// For libraries whose operators are kernels. Returns nothing when the device has none for
  /// the call.
  std::function<std::optional<OperatorKernel>(const DriverOperatorCall&, const DeviceInfo&)>
      kernel_of_call = {};
};

/// The frames of the device's backend, or of its plug-in.
[[nodiscard]] std::vector<ReproducerFrame> reproducer_frames(const DeviceInfo& device);
/// The frames of every backend that has some, by backend name.
[[nodiscard]] std::map<std::string, std::vector<ReproducerFrame>> all_reproducer_frames();

/// Returns nothing when a placeholder has no word: the interface lacks what it names.
[[nodiscard]] std::optional<std::string> filled(std::string text, const Words& words);

}  // namespace halfmark::backends
