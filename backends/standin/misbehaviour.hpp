// SPDX-License-Identifier: Apache-2.0
//
// How a stand-in driver misbehaves on request: HALFMARK_STAND_IN_MISBEHAVE holds words
// ACTION[@WHERE], separated by commas. WHERE is a kernel's name, or the number of the call in its
// process, counted from 1; without it the word applies to every such call.
//
//     fail-allocation  an allocation has no memory
//     lose-device      a launch makes the device lost
//     hang             a launch never returns
//     crash            a launch kills the process
//     wrong-error      a launch that worked returns an error code
//     ignore-launch    a launch does nothing
//     corrupt-copy     a copy to the host has a wrong bit
//     crash-compiler   a compilation kills its process (WHERE is hm_empty, the empty kernel of the
//                      search for a compiler, or program)
//     hang-compiler    a compilation hangs (the same)
//     fail-telemetry   a call of the management library is refused (WHERE is the call's role)
//     crash-telemetry  a call of the management library kills the process
//     hang-telemetry   a call of the management library never returns
//     slow-start       the first start of the driver takes half a minute, as from a cold disk
//     slow-library     the first handle of each library does
//     fail-memory      the query of free memory is refused
//     impossible-memory  more memory is free than there is
//     still-memory     the same memory is free, whatever is allocated
//     backward-memory  what is free grows with each allocation
//     fast-clock       events say that the device is 100 times faster than it is
//     coarse-clock     events count whole milliseconds
//     refuse-unlike-rows  a normalisation of matrices with unequal strides is an invalid argument
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::backends::shim::standin {

class Misbehaviour {
 public:
  // Throws std::invalid_argument that names an unknown word.
  explicit Misbehaviour(std::string_view words);

  // Whether any call must misbehave in this way.
  [[nodiscard]] bool has(std::string_view action) const;
  // Whether the current call must misbehave in this way. Counts the call.
  [[nodiscard]] bool strikes(std::string_view action, std::string_view kernel = {});
  [[nodiscard]] const std::string& words() const { return words_; }

 private:
  struct Row {
    std::string action;
    std::string where;  // empty: everywhere
  };
  std::string words_;
  std::vector<Row> rows_;
  std::map<std::string, unsigned long, std::less<>> calls_;
};

// Whether HALFMARK_STAND_IN_MISBEHAVE has the action.
[[nodiscard]] bool misbehaves(std::string_view action);

// Sleeps when HALFMARK_STAND_IN_MISBEHAVE has the action, once for each name and cache folder: a
// process that is killed meanwhile leaves the next one as cold.
void wait_while_cold(std::string_view action, std::string_view name);

}  // namespace halfmark::backends::shim::standin
