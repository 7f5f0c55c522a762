// SPDX-License-Identifier: Apache-2.0
// Any bytes are a roll-up that prints and parses again, or are refused with a line, as whatever
// else a merge reads.
#include <cstdlib>

#include "fleet/agent.hpp"
#include "fleet/history.hpp"
#include "fleet/merge.hpp"
#include "fleet/rollup.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace halfmark::fleet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Rollup rollup = parse_rollup(text);
    if (!(parse_rollup(print(rollup)) == rollup)) std::abort();
  } catch (const RollupError&) {
  }
  try {
    static_cast<void>(parse_agent(text));
  } catch (const RollupError&) {
  }
  try {
    static_cast<void>(parse_sweep(text));
  } catch (const RollupError&) {
  }
  try {
    static_cast<void>(parse_roster(text));
  } catch (const RosterError&) {
  }
  return 0;
}
