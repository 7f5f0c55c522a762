// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/ref_json/json_tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <new>
#include <optional>
#include <ostream>
#include <vector>

#include "reference/formats/text.hpp"
#include "reference/text/json.hpp"
#include "tools/halfmark/ref/shown.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const formats::Format& format : formats::all_formats()) names.push_back(format.name);
  return names;
}

// Element `index` of the tensor `field`, or the scalar `field` itself without an index.
std::string path(std::string_view field, std::optional<std::size_t> index) {
  return index ? fmt::format("{}.bits[{}]", field, *index) : std::string(field);
}

formats::Bits bits_of(const json& text, const formats::Format& format, std::string_view field,
                      std::optional<std::size_t> index) {
  if (!text.is_string()) {
    throw ProblemError(fmt::format("'{}' is {}; write the encoding as hex text, such as \"{}\"",
                                   path(field, index), text.type_name(), formats::hex(format, 0)));
  }
  const auto& spelling = text.get_ref<const std::string&>();
  const auto bits = formats::parse_hex(format, spelling);
  if (!bits) {
    throw ProblemError(fmt::format("'{}' is \"{}\"; {} takes at most {} hex digits",
                                   path(field, index), shown(spelling), format.name,
                                   format.hex_digits()));
  }
  return *bits;
}

constexpr const char* kTooLarge = "the answer does not fit memory; make the dimensions smaller";

// Ends a run; answers written before remain.
int stop(std::string_view verb, std::size_t number, std::string_view text, std::ostream& out,
         std::ostream& err) {
  out.flush();
  err << fmt::format("halfmark {}: line {}: {}\n", verb, number,
                     text::visible_line(text, text::kMostOfMessage));
  return 2;
}

// Allows tensors of 4096 x 4096 elements and more in one line.
constexpr text::JsonLimits kProblemLimits{.bytes = std::size_t{1} << 30, .values = 100'000'000};

json parse_problem(const std::string& line) {
  json problem = text::read_json(line, kProblemLimits);
  if (!problem.is_object()) throw ProblemError("a problem is one JSON object on one line");
  return problem;
}

}  // namespace

const json& member(const json& problem, std::string_view field) {
  const auto found = problem.find(field);
  if (found == problem.end()) {
    throw ProblemError(fmt::format("'{}' is missing; add it to the problem", field));
  }
  return *found;
}

bool has(const json& problem, std::string_view field) { return problem.contains(field); }

formats::Tensor parse_tensor(const json& problem, std::string_view field, std::size_t count) {
  const json& object = member(problem, field);
  if (!object.is_object()) {
    throw ProblemError(fmt::format(R"('{}' is {}; write {{"format":"fp16","bits":["3c00",...]}})",
                                   field, object.type_name()));
  }
  if (!object.contains("format") || !object.contains("bits") || !object["bits"].is_array()) {
    throw ProblemError(
        fmt::format("'{}' needs \"format\" and an array \"bits\" of hex text", field));
  }
  const formats::Format& format = parse_format(object, "format");
  const json& elements = object["bits"];
  if (elements.size() != count) {
    throw ProblemError(fmt::format("'{}.bits' has {} elements; the dimensions require {}", field,
                                   elements.size(), count));
  }
  formats::Tensor tensor = formats::Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i) {
    tensor.set(i, bits_of(elements[i], format, field, i));
  }
  return tensor;
}

json tensor_json(const formats::Tensor& tensor) {
  json elements = json::array();
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    elements.push_back(formats::hex(*tensor.format, tensor.at(i)));
  }
  return {{"format", tensor.format->name}, {"bits", std::move(elements)}};
}

std::size_t parse_size(const json& problem, std::string_view field) {
  const json& value = member(problem, field);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost) {
    throw ProblemError(fmt::format("'{}' is {}; write a whole number from 0 to {}", field,
                                   shown(value.dump()), kMost));
  }
  return value.get<std::size_t>();
}

void require_elements(std::string_view what, std::size_t count) {
  constexpr std::size_t kMost = std::size_t{1} << 26;
  if (count <= kMost) return;
  throw ProblemError(
      fmt::format("{} would have {} elements; it may have at most {}", what, count, kMost));
}

formats::Bits parse_bits(const json& problem, std::string_view field,
                         const formats::Format& format) {
  return bits_of(member(problem, field), format, field, std::nullopt);
}

const formats::Format& parse_format(const json& problem, std::string_view field) {
  const std::string name = parse_string(problem, field);
  const formats::Format* format = formats::find_format(name);
  if (format == nullptr) {
    throw ProblemError(fmt::format("'{}' is \"{}\", which is no format; known: {}", field,
                                   shown(name), fmt::join(format_names(), ", ")));
  }
  return *format;
}

std::string parse_string(const json& problem, std::string_view field) {
  const json& value = member(problem, field);
  if (!value.is_string()) {
    throw ProblemError(fmt::format("'{}' is {}; write text", field, value.type_name()));
  }
  return value.get<std::string>();
}

void refuse_unknown(const json& problem, std::span<const std::string_view> known) {
  for (const auto& item : problem.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      throw ProblemError(fmt::format("'{}' is not a field of this problem; known: {}",
                                     shown(item.key()), fmt::join(known, ", ")));
    }
  }
}

int each_problem(std::string_view verb, std::istream& in, std::ostream& out, std::ostream& err,
                 const std::function<json(const json&)>& answer) {
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      out << answer(parse_problem(line)).dump() << '\n';
    } catch (const text::JsonError& error) {
      const std::string_view what = error.what();
      const char* remedy = what.starts_with("not JSON") ? "; write one object per line" : "";
      return stop(verb, number, fmt::format("{}{}", what, remedy), out, err);
    } catch (const ProblemError& error) {
      return stop(verb, number, error.what(), out, err);
    } catch (const std::bad_alloc&) {
      return stop(verb, number, kTooLarge, out, err);
    } catch (const std::length_error&) {
      return stop(verb, number, kTooLarge, out, err);
    }
  }
  if (out.flush()) return 0;
  err << fmt::format("halfmark {}: the output cannot be written; check the pipe or the disk\n",
                     verb);
  return 3;
}

}  // namespace halfmark::tools
