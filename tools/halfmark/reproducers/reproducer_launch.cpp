// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/reproducer_launch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/catalog.hpp"
#include "tools/halfmark/reproducers/kernel_cut.hpp"
#include "tools/halfmark/reproducers/reproducer_text.hpp"

namespace halfmark::tools {
namespace {

using backends::Words;

// The device's own compiler and its flags, for a program instead of a library; empty if the device
// has none.
std::string compiler_of(const backends::DeviceInfo& device) {
  const auto command = device.extra.find("compiler");
  const auto flags = device.extra.find("compiler_flags");
  for (const auto& word : {command, flags})
    if (word == device.extra.end() || !word->is_string()) return {};
  std::string text = one_line(command->get<std::string>() + " " + flags->get<std::string>());
  constexpr std::string_view kShared = " -shared";
  const std::size_t shared = text.find(kShared);
  return shared == std::string::npos ? text : text.erase(shared, kShared.size());
}

using Definitions = std::map<std::string, std::string>;

// Words that the promises of a device decide.
constexpr std::pair<const char*, const char*> kPromised[] = {
    {"HM_HAS_CR_DIVSQRT", "fp32.divide_sqrt_correctly_rounded"},
    {"HM_HAS_HALF_ARITH", "fp16.arithmetic"}};

// The words of a dialect that is not part of the text, a plug-in's: it built the kernel, so it has
// what the kernel needs. A word that the text uses stays as it is.
void define_needed(const std::string& text, Definitions& defined) {
  for (const Token& token : tokens_of(text)) {
    const bool is_decided =
        std::ranges::any_of(kPromised, [&](const auto& row) { return token.text == row.first; });
    if (token.text.starts_with("HM_HAS_") && !is_decided) defined[token.text] = "1";
  }
  constexpr const char* kHalfFunction = "HM_VENDOR_FP16";
  if (defined.contains("HM_HAS_HALF_ARITH")) defined[kHalfFunction] = kHalfFunction;
}

// The macros that the text tests, in addition to those that the launch defines.
Definitions defined_for(const backends::DeviceInfo& device, const suites::Launch& launch,
                        const std::string& text, bool has_dialect) {
  Definitions defined(launch.defines.begin(), launch.defines.end());
  for (const auto& [word, capability] : kPromised) {
    if (device.offers(capability)) defined[word] = "1";
  }
  if (!has_dialect) define_needed(text, defined);
  if (compiler_of(device).find(" -mf16c") != std::string::npos) {
    for (const char* word : {"__F16C__", "__FLT16_MANT_DIG__"}) defined[word] = "1";
  }
  return defined;
}

// Renames functions of this launch if another launch has functions with the same name but another
// body. Returns the name of the entry.
std::string name_apart(KernelText& more, const KernelText& all, const std::string& entry,
                       std::size_t number) {
  const bool clashes = std::ranges::any_of(more.functions, [&](const Function& f) {
    const auto same = std::ranges::find(all.functions, f.name, &Function::name);
    return same != all.functions.end() && *same != f;
  });
  if (!clashes) return entry;
  std::map<std::string, std::string> names;
  for (const Function& f : more.functions) names[f.name] = fmt::format("{}_{}", f.name, number);
  for (Function& f : more.functions) {
    f.name = names.at(f.name);
    for (Token& token : f.tokens) {
      if (const auto found = names.find(token.text); found != names.end())
        token.text = found->second;
    }
  }
  return fmt::format("{}_{}", entry, number);
}

void add_to(KernelText& all, KernelText more) {
  for (std::string& line : more.directives) {
    if (std::ranges::count(all.directives, line) == 0) all.directives.push_back(std::move(line));
  }
  for (Function& f : more.functions) {
    if (std::ranges::find(all.functions, f.name, &Function::name) == all.functions.end())
      all.functions.push_back(std::move(f));
  }
}

std::string joined(const std::array<std::uint32_t, 3>& sizes) {
  return fmt::format("{}", fmt::join(sizes, ", "));
}

std::string argument_text(const backends::ReproducerFrame& frame, const suites::Plan& plan,
                          const suites::PlanArgument& argument, std::size_t number) {
  Words words = {{"number", fmt::format("{}", number)}};
  std::string kind = "argument.tensor";
  if (const auto* tensor = std::get_if<suites::TensorRef>(&argument)) {
    words["tensor"] = fmt::format("{}", place_of(plan, tensor->name));
    words["tensor.name"] = array_name(tensor->name);
  } else if (const auto* whole = std::get_if<std::int32_t>(&argument)) {
    kind = "argument.int";
    words["value"] = fmt::format("{}", *whole);
  } else if (const auto* natural = std::get_if<std::uint32_t>(&argument)) {
    kind = "argument.unsigned";
    words["value"] = fmt::format("{}u", *natural);
  } else {
    kind = "argument.float";
    words["value"] = fmt::format("{:a}f", std::get<float>(argument));
  }
  return partly_filled(frame.words.at(kind), words);
}

std::string launch_text(const backends::ReproducerFrame& frame, const Remnant& left,
                        const suites::Launch& launch, const std::string& entry) {
  std::vector<std::string> arguments;
  for (const suites::PlanArgument& argument : launch.arguments)
    arguments.push_back(argument_text(frame, left.plan, argument, arguments.size()));
  std::array<std::uint32_t, 3> items = launch.items;
  for (std::size_t i = 0; i < items.size(); ++i) items.at(i) *= launch.groups.at(i);
  return partly_filled(frame.words.at("launch"),
                       {{"entry", entry},
                        {"arguments", packed(arguments, ", ", columns_of(left))},
                        {"argument_count", fmt::format("{}", arguments.size())},
                        {"groups", joined(launch.groups)},
                        {"group", joined(launch.items)},
                        {"items", joined(items)}});
}

// The only launch of a program whose threads are the work-items: a loop over its work-groups.
std::string around_groups(const suites::Launch& launch) {
  constexpr const char* kGroups =
      R"(for (unsigned g = 0; g < @all@; ++g) {
    gid[0] = g % groups[0], gid[1] = g / groups[0] % groups[1], gid[2] = g / groups[0] / groups[1];
    for (i = 0; i < @items@; ++i) pthread_create(&threads[i], nullptr, item, (void*)size_t(i));
    for (i = 0; i < @items@; ++i) pthread_join(threads[i], nullptr);
  })";
  const auto product = [](const std::array<std::uint32_t, 3>& sizes) {
    return fmt::format("{}", std::uint64_t{sizes[0]} * sizes[1] * sizes[2]);
  };
  return partly_filled(kGroups,
                       {{"all", product(launch.groups)}, {"items", product(launch.items)}});
}

std::string directive_text(const KernelText& kernel) {
  std::string text;
  for (const std::string& line : kernel.directives) {
    std::string literal = quoted(line);
    literal.insert(literal.size() - 1, "\\n");
    text += " " + literal;
  }
  return text;
}

// Those definitions of a launch that a dialect reads (kernels/README.md): a plug-in's is not in the
// text, and must still find them.
void add_definitions(const suites::Launch& launch, Words& words) {
  auto definitions = launch.defines;
  std::erase_if(definitions, [](const auto& row) { return !row.first.starts_with("HM_PACK_"); });
  words["definition_list"] = quoted_pairs(definitions);
  words["definition_count"] = fmt::format("{}", definitions.size());
}

// Family and kernel of one launch, before a preprocessor has seen them.
std::string text_of(const Remnant& left, const suites::Launch& launch) {
  const std::string of_family =
      launch.family.empty() ? std::string() : kernels::program_text(launch.family);
  return of_family + "\n" + left.kernel;
}

// How the case's compiler was called.
Words compiler_words(const backends::ReproducerFrame& frame, const Remnant& left,
                     const backends::DeviceInfo& device) {
  if (!frame.words_of_kernel) return {};
  std::string all;
  for (const suites::Launch& launch : left.plan.launches) all += text_of(left, launch);
  return frame.words_of_kernel(all, device);
}

// The launches of a plan as statements, and the kernels that they use.
struct Launches {
  KernelText kernels;
  std::vector<std::string> statements;
};

Launches launches_of(const backends::ReproducerFrame& frame, const Remnant& left,
                     const backends::DeviceInfo& device) {
  Launches made;
  using Kernel = std::tuple<std::string, std::string, decltype(suites::Launch::defines)>;
  std::map<Kernel, std::string> entries;  // of the kernels that were added
  for (const suites::Launch& launch : left.plan.launches) {
    std::string& entry = entries[{launch.family, launch.entry, launch.defines}];
    if (entry.empty()) {
      const std::string text = frame.dialect + "\n" + text_of(left, launch);
      KernelText cut =
          cut_kernel(text, launch.entry, defined_for(device, launch, text, !frame.dialect.empty()));
      if (cut.functions.empty()) throw NoProgram{"its kernel is not in the language of the device"};
      entry = name_apart(cut, made.kernels, launch.entry, entries.size());
      add_to(made.kernels, std::move(cut));
    }
    made.statements.push_back(launch_text(frame, left, launch, entry));
  }
  return made;
}

}  // namespace

Words launch_words(const backends::ReproducerFrame& frame, const Remnant& left,
                   const backends::DeviceInfo& device) {
  const auto [all, launches] = launches_of(frame, left, device);
  const suites::Launch& first = left.plan.launches.at(0);
  const bool in_threads = !frame.words.contains("create");
  if (in_threads && launches.size() > 1)
    throw NoProgram{"it is more than one launch, and work-items are threads of the program"};
  std::vector<std::string> lines =
      left.columns == 0 ? statement_lines(all) : filled_lines(all, left.columns, left.helpers);
  for (std::string& line : lines) {
    // Where Halfmark's words stay, a kernel must start on a new line, and TEXT() makes one line.
    if (line.starts_with("HM_KERNEL")) line.insert(0, ") \"\\n\" TEXT(");
  }
  const std::string call = fmt::format("{}", fmt::join(launches, "\n  "));
  Words words = memory_words(left, in_threads);
  words["kernel"] = fmt::format("{}", fmt::join(lines, "\n"));
  words["code"] = fmt::format("{}\n{}", fmt::join(all.directives, "\n"), words["kernel"]);
  words["directives"] = directive_text(all);
  words["compiler"] = compiler_of(device);
  words["feature"] = left.feature;
  words.merge(compiler_words(frame, left, device));
  add_definitions(first, words);
  words["build_options"] =
      device.offers("fp32.divide_sqrt_correctly_rounded") ? "@options.rounded@" : "@options.plain@";
  words["group"] = joined(first.items);
  words["groups"] = joined(first.groups);
  words["group_items"] =
      fmt::format("{}", std::uint64_t{first.items[0]} * first.items[1] * first.items[2]);
  if (in_threads) words["launch"] = call;
  words["run"] = run_text(left, frame, in_threads ? around_groups(first) : call, "");
  return words;
}

}  // namespace halfmark::tools
