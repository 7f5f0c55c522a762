// SPDX-License-Identifier: Apache-2.0
#include "reference/text/json.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "reference/text/visible.hpp"

namespace halfmark::text {
namespace {

using nlohmann::json;

// The offset of the byte after the string that begins at `begin`.
std::size_t end_of_string(std::string_view text, std::size_t begin, const JsonLimits& limits) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
    if (at - begin > limits.string_bytes) {
      throw JsonError(
          fmt::format("a string longer than {} bytes at byte {}", limits.string_bytes, begin + 1));
    }
  }
  return text.size();
}

// Checks the limits before parsing. It is correct for every valid JSON text; the parser refuses
// the others.
void check_limits(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes)
    throw JsonError(fmt::format("{} bytes, more than {}", text.size(), limits.bytes));
  std::size_t depth = 0, values = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at, limits);
      continue;
    }
    ++at;
    const bool opens = c == '{' || c == '[';
    if (opens && ++depth > limits.depth)
      throw JsonError(fmt::format("nested deeper than {} at byte {}", limits.depth, at));
    if ((c == '}' || c == ']') && depth > 0) --depth;
    if ((opens || c == ',') && ++values > limits.values)
      throw JsonError(fmt::format("more than {} values at byte {}", limits.values, at));
  }
}

// RFC 8259 does not say which of two members with the same name counts, so both are refused.
class Members {
 public:
  bool operator()(int /*depth*/, json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key &&
        !open_.back().insert(parsed.get_ref<const std::string&>()).second) {
      throw JsonError(fmt::format("'{}' appears twice in one object",
                                  visible_line(parsed.get_ref<const std::string&>(), 60)));
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> open_;
};

}  // namespace

json read_json(std::string_view text, const JsonLimits& limits) {
  check_limits(text, limits);
  try {
    return json::parse(text, Members());
  } catch (const json::parse_error& error) {
    throw JsonError(fmt::format("not JSON (at byte {})", error.byte));
  } catch (const json::out_of_range&) {
    throw JsonError("a number is too large to be read");
  }
}

}  // namespace halfmark::text
