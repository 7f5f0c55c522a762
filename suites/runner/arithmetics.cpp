// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/arithmetics.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

// Empty if the case needs no identification.
std::string key_of(const Case& c) {
  const Modelling* modelling = find_suite(c.suite).modelling;
  return modelling == nullptr ? std::string() : modelling->key(c);
}

Identified ask(const Case& c, const std::string& key, const std::vector<Identified>& known,
               Worker& worker) {
  nlohmann::json list = nlohmann::json::array();
  for (const Identified& found : known) list.push_back(to_json(found));
  const nlohmann::json answer = worker.insist(
      {{"op", "identify"}, {"name", print(c)}, {"known", std::move(list)}}, "arithmetic of " + key);
  if (const auto found = answer.find("identified"); found != answer.end())
    return identified_from_json(*found);
  return {.key = key,
          .suite = c.suite,
          .provider = std::string(c.word("provider")),
          .identity = Identity::kNoAnswer,
          .evidence = "the probes failed: " + answer.value("error", std::string("no answer"))};
}

}  // namespace

void Arithmetics::learn(Identified found) {
  const std::string key = found.key;
  found_.insert_or_assign(key, std::move(found));
}

const Identified* Arithmetics::of(const Case& c, Worker& worker,
                                  const std::function<void(const Identified&)>& on_new) {
  const std::string key = key_of(c);
  if (key.empty()) return nullptr;
  const auto place = found_.find(key);
  if (place != found_.end()) return &place->second;
  std::vector<Identified> known;
  for (const auto& [name, found] : found_) {
    if (found.suite == c.suite && found.provider == c.word("provider") && found.named())
      known.push_back(found);
  }
  Identified found = ask(c, key, known, worker);
  if (interrupted()) return nullptr;
  if (on_new) on_new(found);
  return &found_.insert_or_assign(key, std::move(found)).first->second;
}

std::vector<Identified> Arithmetics::all() const {
  std::vector<Identified> list;
  for (const auto& [key, found] : found_) list.push_back(found);
  return list;
}

void sort_by_use(std::span<const Case> cases, std::vector<Identified>& found) {
  std::map<std::string, std::size_t> places;
  for (const Case& c : cases) places.emplace(key_of(c), places.size());
  std::ranges::sort(found, {}, [&](const Identified& one) {
    const auto place = places.find(one.key);
    return std::pair(place == places.end() ? places.size() : place->second,
                     std::string_view(one.key));
  });
}

}  // namespace halfmark::suites
