// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/duel.hpp"

#include <cstdint>

#include "suites/registry.hpp"
#include "suites/throughput/measure.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites::throughput {
namespace {

std::uint64_t flops_of(const std::string& name) {
  const Case c = parse_case(name);
  const Target* target = find_target(c);
  return target == nullptr || target->flops == nullptr ? 0 : target->flops(c);
}

}  // namespace

nlohmann::json duel(Session& session, const std::string& own, const std::string& against) {
  const auto ours = launcher_for(session, own);
  const auto theirs = launcher_for(session, against);
  nlohmann::json pairs = nlohmann::json::array();
  static_cast<void>(ours->launch(2));
  static_cast<void>(theirs->launch(2));
  for (int i = 0; i < kDuelPairs; ++i) {
    std::uint64_t own_ns = 0;
    if (i % 2 == 0) own_ns = ours->launch(1).event_ns;
    const std::uint64_t against_ns = theirs->launch(1).event_ns;
    if (i % 2 != 0) own_ns = ours->launch(1).event_ns;
    pairs.push_back({against_ns, own_ns});
  }
  return {{"against", print_seedless(parse_case(against))},
          {"against_flops", flops_of(against)},
          {"pairs_ns", std::move(pairs)}};
}

}  // namespace halfmark::suites::throughput
