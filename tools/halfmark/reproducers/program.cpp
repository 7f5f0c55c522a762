// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reference/formats/text.hpp"
#include "tools/halfmark/reproducers/reproducer_text.hpp"

namespace halfmark::tools {
namespace {

constexpr std::size_t kMostValues = 512;
constexpr std::size_t kMostElements = std::size_t{1} << 22;
constexpr std::size_t kGuard = 64;  // guard elements past the end of a tensor, and checked bytes

struct Layout {
  std::size_t columns = 0;
  bool is_cpp = false;
};

// "a[6] = {0x3c00, 0, 0x3c00}", "b[99] = {[98] = 0x4000}": elements that are not listed are zero.
std::string array_of(const suites::TensorSpec& spec, const formats::Tensor* content,
                     std::size_t guard, const Layout& layout, std::size_t& values) {
  const std::string size = fmt::format("{}", std::max<std::size_t>(spec.count, 1));
  std::string text =
      fmt::format("{}[{}{}]", array_name(spec.name), size, guard == 0 ? "" : " + 64");
  constexpr std::size_t kMostZeros = 4;
  std::vector<std::string> listed;
  std::size_t next = 0;
  for (std::size_t i = 0; content != nullptr && i < spec.count; ++i) {
    if (content->at(i) == 0) continue;
    const bool jumps = !layout.is_cpp && i > next + kMostZeros;
    if (!jumps) listed.insert(listed.end(), i - next, "0");
    const std::string place = jumps ? fmt::format("[{}] = ", i) : "";
    listed.push_back(fmt::format("{}0x{}", place, formats::hex(*spec.format, content->at(i))));
    next = i + 1;
  }
  values += listed.size() - static_cast<std::size_t>(std::ranges::count(listed, "0"));
  if (!listed.empty()) text += fmt::format(" = {{{}}}", packed(listed, ", ", layout.columns));
  return text;
}

// Every tensor of the plan as an array, and the table of these arrays.
std::string memory_of(const Remnant& left, const Layout& layout) {
  std::vector<std::pair<std::string, std::string>> lists;  // of arrays, by type
  std::vector<std::string> rows;
  std::size_t values = 0, elements = 0;
  const std::size_t guard = left.form == Form::kRuns ? kGuard : 0;
  for (const suites::TensorSpec& spec : left.plan.tensors) {
    const auto found = left.inputs.find(spec.name);
    elements += spec.count;
    if (spec.stretches > 1) throw NoProgram{"the rows of a matrix are gigabytes apart"};
    if (elements > kMostElements)
      throw NoProgram{fmt::format("its tensors are {} elements and more", elements)};
    const std::string array = array_of(spec, found == left.inputs.end() ? nullptr : &found->second,
                                       guard, layout, values);
    const std::string type = element_type(*spec.format);
    const auto list = std::ranges::find(lists, type, [](const auto& row) { return row.first; });
    if (list != lists.end()) {
      list->second += ", " + array;
    } else {
      lists.emplace_back(type, array);
    }
    rows.push_back(
        guard == 0 ? fmt::format("{{{0}, sizeof {0}}}", array_name(spec.name))
                   : fmt::format("{{{0}, {1} * sizeof *{0}}}", array_name(spec.name), spec.count));
  }
  if (values > kMostValues)
    throw NoProgram{fmt::format("the case was not reduced enough: {} values are left", values)};
  std::string text;
  for (const auto& [type, arrays] : lists) text += fmt::format("static {} {};\n", type, arrays);
  return text +
         fmt::format("static const struct {{ void* data; unsigned size; }} tensors[] = {{{}}};",
                     packed(rows, ", ", layout.columns));
}

constexpr const char* kValue = R"(  @poison@
  for (i = 0; i < @count@; ++i) @place@;
  @call@
  if (!e) e = @read@;
  const @result.type@ got = @result@[@index@]; printf("expected @print@, got @print@, error %d\n", expected, got, e);
  return e ? 2 : @differs@;)";

constexpr const char* kRuns =
    R"(  static unsigned char first[sizeof @result@]@seen@; unsigned run, others = 0, behind = 0;
  for (i = 0; i < @count@; ++i) @create@;
  for (run = 0; run < @runs@ && !e; ++run) {
    const int poison = run % 2 ? 0 : 0xff;  // in the result, and in 64 guard bytes past the end of every tensor
    @poison@
    for (i = 0; i < @count@; ++i) memset((char*)tensors[i].data + tensors[i].size, poison, 64), @write@;
    @call@
    if (!e) e = @read@;
    if (!run) memcpy(first, @into@, sizeof first);
    others += memcmp(first, @into@, tensors[@result.at@].size) != 0;
    for (i = 0; i < 64; ++i) behind += ((unsigned char*)@into@)[tensors[@result.at@].size + i] != poison;
  }
  printf("expected no run to differ from the first, got %u of %u; bytes written past the end: %u; error %d\n", others, run, behind, e);
  return e ? 2 : others + behind != 0;)";

std::string without(std::string text, std::string_view line) {
  const std::size_t at = text.find(line);
  return at == std::string::npos ? text : text.erase(at, line.size());
}

}  // namespace

std::size_t columns_of(const Remnant& left) {
  constexpr std::size_t kColumns = 120;
  return std::max(left.columns, kColumns);
}

std::size_t place_of(const suites::Plan& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.tensors, name, &suites::TensorSpec::name);
  return static_cast<std::size_t>(found - plan.tensors.begin());
}

std::string array_name(std::string_view tensor) {
  const bool is_ordered = tensor[0] >= '0' && tensor[0] <= '9';
  return std::string(is_ordered ? tensor.substr(tensor.find('_') + 1) : tensor);
}

backends::Words memory_words(const Remnant& left, bool is_cpp) {
  const std::size_t at = place_of(left.plan, left.wrong.tensor);
  const formats::Format& format = *left.plan.tensors.at(at).format;
  const bool is_value = left.form == Form::kValue;
  const std::string result = array_name(left.wrong.tensor);
  backends::Words words = {
      {"tensors", memory_of(left, {.columns = columns_of(left), .is_cpp = is_cpp})},
      {"count", fmt::format("{}", left.plan.tensors.size())},
      {"result", result},
      {"result.at", fmt::format("{}", at)},
      {"result.type", element_type(format)},
      {"index", fmt::format("{}", left.wrong.index)},
      {"print", print_format(format)},
      {"runs", fmt::format("{}", left.runs)},
      {"guard", is_value ? "" : " + 64"},
      {"into", is_value ? result : "seen"},
      {"bytes",
       is_value ? fmt::format("sizeof {}", result) : fmt::format("tensors[{}].size + 64", at)},
      {"says", is_value ? "results differ" : "runs differ, or memory outside was written"}};
  if (!is_value) return words;
  const WrongResult wrong = wrong_result(left.c, left.wrong, format, left.inputs, left.wrong.index);
  words["tensors"] += "\n" + expected_line(wrong);
  words["differs"] = difference(wrong);
  return words;
}

std::string run_text(const Remnant& left, const backends::ReproducerFrame& frame,
                     const std::string& call, const std::string& prepare) {
  const suites::TensorSpec& spec = left.plan.tensors.at(place_of(left.plan, left.wrong.tensor));
  const bool is_value = left.form == Form::kValue;
  std::string text = is_value ? kValue : kRuns;
  const bool copies = frame.words.contains("create");  // otherwise the arrays are the memory
  if (!copies) {
    text = without(text, "  for (i = 0; i < @count@; ++i) @place@;\n");
    text = without(text, "  for (i = 0; i < @count@; ++i) @create@;\n");
    text = without(text, ", @write@");
    text = without(text, "    if (!e) e = @read@;\n");
    text = without(text, "  if (!e) e = @read@;\n");
  }
  std::string poison;
  const std::string& expected = left.wrong.expected_hex;
  const bool is_zero = expected.find_first_not_of("0", 1) == std::string::npos;  // or -0
  if (spec.role != suites::Role::kInOut && (is_zero || !is_value)) {
    poison =
        is_value
            ? "memset(@result@, 0xff, sizeof @result@);  // the kernel must overwrite all of it"
            : "memset(@result@, poison, tensors[@result.at@].size);";
  }
  if (!prepare.empty()) poison += "\n  " + prepare;
  const std::string name = array_name(left.wrong.tensor);
  const bool apart = copies && !is_value;
  return partly_filled(text, {{"call", call},
                              {"place", frame.words.contains("place") ? frame.words.at("place")
                                                                      : "@create@, @write@"},
                              {"poison", poison},
                              {"into", apart ? "seen" : name},
                              {"seen", apart ? fmt::format(", seen[sizeof {}]", name) : ""}});
}

}  // namespace halfmark::tools
