// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/golden_store.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "reference/text/visible.hpp"
#include "suites/runner/content_digest.hpp"

namespace halfmark::suites {
namespace {

constexpr std::string_view kFirstLine = "halfmark-golden 1";
constexpr std::string_view kLastWord = "sha256 ";
constexpr std::size_t kDigits = 16;

std::string sha256_of(std::string_view text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::string hex;
  for (const unsigned char byte : hash) hex += fmt::format("{:02x}", byte);
  return hex;
}

bool are_digits(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// Takes lines from a text, and names the line in errors.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
  std::string_view next() {
    const auto end = rest_.find('\n');
    if (end == rest_.npos) throw GoldenError("it is cut off");
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    ++number_;
    return line;
  }
  std::string_view value(std::string_view key) {
    const std::string_view line = next();
    if (line.starts_with(key) && line.substr(key.size()).starts_with(' '))
      return line.substr(key.size() + 1);
    refuse(fmt::format("'{} ...' is missing", key));
  }
  std::uint64_t whole(std::string_view key) {
    const std::string_view word = value(key);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc{} && end == word.data() + word.size()) return number;
    refuse(fmt::format("'{}' is no whole number", key));
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw GoldenError(fmt::format("line {}: {}", number_, why));
  }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

void take_case(Lines& lines, GoldenStore& store) {
  const std::string_view line = lines.next();
  const auto second = line.rfind(' ');
  const auto first = second == line.npos || second == 0 ? line.npos : line.rfind(' ', second - 1);
  if (first == line.npos) lines.refuse("it is not CASE DIGEST SUM");
  const std::string_view name = line.substr(0, first);
  const std::string_view digest = line.substr(first + 1, second - first - 1);
  const std::string_view sum = line.substr(second + 1);
  if (name.empty() || !are_digits(digest) || !are_digits(sum))
    lines.refuse("it is not CASE DIGEST SUM");
  Golden golden{.digest = std::string(digest), .sum = 0};
  std::from_chars(sum.data(), sum.data() + sum.size(), golden.sum, 16);
  if (!store.cases.empty() && store.cases.rbegin()->first >= name)
    lines.refuse("the cases are not sorted");
  store.cases.emplace_hint(store.cases.end(), name, std::move(golden));
}

// The text without its last line, whose digits are those of the text.
std::string_view checked(std::string_view text, std::string& sha256) {
  const auto end = text.rfind("\n" + std::string(kLastWord));
  if (end == text.npos) throw GoldenError("it is cut off: its last line 'sha256 ...' is missing");
  const std::string_view body = text.substr(0, end + 1);
  sha256 = sha256_of(body);
  if (text.substr(end + 1) != fmt::format("{}{}\n", kLastWord, sha256))
    throw GoldenError("it is damaged: its content does not fit its last line 'sha256 ...'");
  return body;
}

}  // namespace

std::string print(const GoldenStore& store) {
  std::string text =
      fmt::format("{}\ncontract-revision {}\nlevel {}\nseed {}\nseeds {}\n", kFirstLine,
                  store.contract_revision, store.level, store.seed, store.seeds);
  for (const auto& [name, golden] : store.cases)
    text += fmt::format("{} {} {:016x}\n", name, golden.digest, golden.sum);
  return text + fmt::format("{}{}\n", kLastWord, sha256_of(text));
}

GoldenStore parse_golden(std::string_view text, std::string_view contract_revision) {
  if (!text.starts_with(kFirstLine)) throw GoldenError("it is no golden store");
  GoldenStore store;
  Lines lines(checked(text, store.sha256));
  if (lines.next() != kFirstLine) lines.refuse("the form is unknown to this version");
  store.contract_revision = lines.value("contract-revision");
  if (store.contract_revision != contract_revision)
    throw GoldenError(fmt::format(
        "it was made for contract revision {}, and this program has revision {}; make it again",
        text::visible_line(store.contract_revision), contract_revision));
  store.level = lines.value("level");
  store.seed = lines.whole("seed");
  store.seeds = lines.whole("seeds");
  while (!lines.is_at_end()) take_case(lines, store);
  if (store.cases.empty()) throw GoldenError("it has no case");
  return store;
}

bool is_recomputed(std::string_view case_name, std::string_view node) {
  const std::string digits = content_digest({case_name, "\n", node}).substr(0, 4);
  return std::stoul(digits, nullptr, 16) % kGoldenSample == 0;
}

}  // namespace halfmark::suites
