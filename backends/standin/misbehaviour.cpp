// SPDX-License-Identifier: Apache-2.0
#include "backends/standin/misbehaviour.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "backends/cache_folder.hpp"

namespace halfmark::backends::shim::standin {
namespace {

constexpr std::string_view kActions[] = {
    "fail-allocation", "lose-device",     "hang",
    "crash",           "wrong-error",     "ignore-launch",
    "corrupt-copy",    "crash-compiler",  "hang-compiler",
    "fail-telemetry",  "crash-telemetry", "hang-telemetry",
    "slow-start",      "slow-library",    "fast-clock",
    "coarse-clock",    "fail-memory",     "impossible-memory",
    "still-memory",    "backward-memory", "refuse-unlike-rows"};
// Longer than the 20 s that were once the limit of a search, and than the pre-set patience
// of most users.
constexpr std::chrono::seconds kColdStart(21);

std::string accepted() {
  std::string list;
  for (const std::string_view action : kActions) {
    if (!list.empty()) list += ", ";
    list += action;
  }
  return list + ", each with @KERNEL or @NUMBER if it is not to be every time";
}

}  // namespace

Misbehaviour::Misbehaviour(std::string_view words) : words_(words) {
  std::istringstream stream(words_);
  for (std::string word; std::getline(stream, word, ',');) {
    const std::size_t at = std::min(word.find('@'), word.size());
    const Row row{.action = word.substr(0, at),
                  .where = at < word.size() ? word.substr(at + 1) : std::string()};
    if (std::find(std::begin(kActions), std::end(kActions), row.action) == std::end(kActions))
      throw std::invalid_argument("a stand-in cannot misbehave like '" + word +
                                  "'; HALFMARK_STAND_IN_MISBEHAVE takes " + accepted());
    rows_.push_back(row);
  }
}

bool Misbehaviour::strikes(std::string_view action, std::string_view kernel) {
  const std::string number = std::to_string(++calls_[std::string(action)]);
  return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
    return row.action == action &&
           (row.where.empty() || row.where == kernel || row.where == number);
  });
}

bool Misbehaviour::has(std::string_view action) const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [&](const Row& row) { return row.action == action; });
}

bool misbehaves(std::string_view action) {
  const char* words = std::getenv("HALFMARK_STAND_IN_MISBEHAVE");
  return words != nullptr && Misbehaviour(words).has(action);
}

void wait_while_cold(std::string_view action, std::string_view name) {
  if (!misbehaves(action)) return;
  const auto file = own_cache_folder("stand-in") / (std::string(action) + "-" + std::string(name));
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown)) return;
  std::this_thread::sleep_for(kColdStart);
  std::ofstream(file) << "warm";
}

}  // namespace halfmark::backends::shim::standin
