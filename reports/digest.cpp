// SPDX-License-Identifier: Apache-2.0
#include "reports/digest.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>

namespace halfmark::reports {

namespace {

void strip_timed_mark(nlohmann::json& marks) {
  if (!marks.is_array()) return;
  for (nlohmann::json& mark : marks) {
    if (!mark.is_object() || mark.value("id", nlohmann::json()) != kTimedMark) continue;
    for (const std::string_view key : kNotInDigestOfTimedMark) mark.erase(std::string(key));
  }
}

void strip_origins(nlohmann::json& cases) {
  if (!cases.is_array()) return;
  for (nlohmann::json& line : cases) {
    if (!line.is_object()) continue;
    for (const std::string_view key : kNotInDigestOfCase) line.erase(std::string(key));
  }
}

}  // namespace

std::string canonical_text(const nlohmann::json& card) {
  nlohmann::json kept = nlohmann::json::object();
  for (const auto& [key, value] : card.items()) {
    if (std::ranges::count(kNotInDigest, key) == 0) kept[key] = value;
  }
  if (const auto cases = kept.find("cases"); cases != kept.end()) strip_origins(*cases);
  if (const auto marks = kept.find("marks"); marks != kept.end()) strip_timed_mark(*marks);
  return kept.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string digest_of(const nlohmann::json& card) {
  const std::string text = canonical_text(card);
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::string hex;
  for (const unsigned char byte : hash) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace halfmark::reports
