// SPDX-License-Identifier: Apache-2.0
// What the suites ask of a library, and the capabilities that they look for, are exactly what the
// documents of the plug-in kit list: something asked and not listed, or listed and never asked, is
// a failure that names it. Both sides are sets of facts, which are lines of text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "suites/core/execute/provider.hpp"
#include "suites/plugin_kit/embedded.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

using Facts = std::set<std::string>;
using Sizes = std::vector<std::int64_t>;
constexpr std::string_view kNotGiven = "not given";

// --- the documents

std::vector<std::string> split(std::string_view text, std::string_view by) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(by), text.size());
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + by.size(), text.size()));
  }
  return parts;
}

std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

struct Line {
  std::string heading;             // the last heading above
  std::vector<std::string> cells;  // of a row of a table
};

std::vector<Line> table_rows(std::string_view document) {
  std::vector<Line> lines;
  std::string heading;
  for (const std::string& line : split(document, "\n")) {
    if (line.starts_with("#")) heading = line;
    if (line.starts_with("|") && !line.starts_with("|-"))
      lines.push_back({heading, split(line, "|")});
  }
  return lines;
}

struct TensorRule {
  std::vector<std::vector<std::string>>
      sizes;  // alternatives, each a name or number for every axis
};

// One operator, as operators.md describes it.
struct OperatorRule {
  std::map<std::string, TensorRule> tensors;
};

struct Kit {
  std::map<std::string, OperatorRule> operators;
  Facts facts;
};

void add_tensor(Kit& kit, const std::string& name, const std::vector<std::string>& cells) {
  const std::string role = plain(cells[0]);
  TensorRule& rule = kit.operators[name].tensors[role];
  for (const std::string& sizes : split(cells[1], " or ")) {
    rule.sizes.push_back(split(sizes, ","));
    kit.facts.insert(fmt::format("{}: {} has the sizes {}", name, role, sizes));
  }
  for (const std::string& format : split(cells[2], " "))
    kit.facts.insert(fmt::format("{}: {} is of {}", name, role, plain(format)));
  for (const std::string& memory : split(cells[3], " "))
    kit.facts.insert(fmt::format("{}: {} lies {}", name, role, memory));
  for (const std::string& use : split(cells[4], ","))
    kit.facts.insert(fmt::format("{}: {}: {}", name, role, use));
}

Kit read_kit() {
  Kit kit;
  for (const Line& line : table_rows(plugin_kit::operators_md)) {
    if (!line.heading.starts_with("### ") || line.cells.empty() || line.cells[0] == "tensor")
      continue;
    for (const std::string& quoted : split(line.heading.substr(4), ",")) {
      const std::string name = plain(quoted);
      kit.operators[name];
      if (line.cells.size() == 5) {
        add_tensor(kit, name, line.cells);
      } else if (line.cells.size() == 2) {
        for (const std::string& value : split(line.cells[1], ","))
          kit.facts.insert(fmt::format("{}: {} = {}", name, plain(line.cells[0]), plain(value)));
      } else {
        ADD_FAILURE() << "operators.md: a row of " << name << " has " << line.cells.size()
                      << " cells";
      }
    }
  }
  return kit;
}

// --- what the suites ask

bool is_dense(const TensorSlice& slice) {
  std::int64_t stride = 1;
  for (std::size_t axis = slice.sizes.size(); axis-- > 0; stride *= slice.sizes[axis]) {
    if (slice.sizes[axis] > 1 && slice.strides[axis] != stride) return false;
  }
  return true;
}

std::vector<std::string> memory_of(const TensorSlice& slice) {
  if (std::count(slice.sizes.begin(), slice.sizes.end(), 0) > 0) return {};
  constexpr std::int64_t kFar = std::int64_t{1} << 31;
  std::vector<std::string> words;
  std::int64_t last = 0;
  bool shared = false;
  for (std::size_t axis = 0; axis < slice.sizes.size(); ++axis) {
    shared = shared || (slice.strides[axis] == 0 && slice.sizes[axis] > 1);
    last += std::max<std::int64_t>(slice.sizes[axis] - 1, 0) * slice.strides[axis];
  }
  if (shared) words.emplace_back("shared");
  if (slice.offset > 0) words.emplace_back("offset");
  if (last >= kFar) words.emplace_back("far");
  const bool has_rows = slice.sizes.back() <= 1 || slice.strides.back() == 1;
  if (!shared && last < kFar)
    words.emplace_back(is_dense(slice) ? "dense" : has_rows ? "gaps" : "columns");
  return words;
}

class Asked {
 public:
  explicit Asked(const Kit& kit) : kit_(kit) {}

  void add(const Case& c, const Plan& plan, const OperatorStep& step, std::string_view kind) {
    const std::string about = print_seedless(c);
    say(step.name, fmt::format("kind of library = {}", kind), about);
    say(step.name, fmt::format("compute = {}", step.compute), about);
    Seen& seen = seen_[step.name];
    ++seen.calls;
    for (const auto& [name, value] : step.options) {
      ++seen.given["option " + name];
      say(step.name, fmt::format("option {} = {}", name, value), about);
    }
    for (const auto& [name, value] : step.scalars) {
      ++seen.given["scalar " + name];
      say(step.name, fmt::format("scalar {} = a number", name), about);
    }
    for (const TensorSlice& slice : step.tensors) {
      ++seen.tensors[slice.role];
      add_tensor(step, slice, plan, about);
    }
    add_sizes(step, about);
  }

  // With what is sometimes not given.
  [[nodiscard]] std::map<std::string, std::string> facts() {
    for (const auto& [name, seen] : seen_) {
      for (const auto& [key, count] : seen.given) {
        if (count < seen.calls) say(name, fmt::format("{} = {}", key, kNotGiven), "some case");
      }
      for (const auto& [role, count] : seen.tensors) {
        if (count < seen.calls) say(name, fmt::format("{}: may be missing", role), "some case");
      }
    }
    return facts_;
  }

 private:
  struct Seen {
    std::size_t calls = 0;
    std::map<std::string, std::size_t> given, tensors;
  };

  void say(const std::string& name, const std::string& fact, const std::string& about) {
    facts_.try_emplace(fmt::format("{}: {}", name, fact), about);
  }

  // A call between launches also reads what the plan itself has computed; its result comes last.
  static bool writes(const OperatorStep& step, const TensorSlice& slice, const TensorSpec& spec) {
    const bool is_between = step.launches_before != OperatorStep{}.launches_before;
    return spec.role != Role::kInput && (!is_between || &slice == &step.tensors.back());
  }

  void add_tensor(const OperatorStep& step, const TensorSlice& slice, const Plan& plan,
                  const std::string& about) {
    const auto spec = std::find_if(plan.tensors.begin(), plan.tensors.end(),
                                   [&](const TensorSpec& s) { return s.name == slice.tensor; });
    ASSERT_NE(plan.tensors.end(), spec) << about << ": " << slice.tensor;
    const std::string format =
        slice.format.empty() ? std::string(spec->format->name) : slice.format;
    say(step.name, fmt::format("{} is of {}", slice.role, format), about);
    say(step.name,
        fmt::format("{}: {}", slice.role, writes(step, slice, *spec) ? "written" : "read"), about);
    for (const std::string& word : memory_of(slice))
      say(step.name, fmt::format("{} lies {}", slice.role, word), about);
  }

  // Every tensor has the sizes of one alternative, and a name means one size in the whole call.
  void add_sizes(const OperatorStep& step, const std::string& about) {
    const auto rule = kit_.operators.find(step.name);
    if (rule == kit_.operators.end()) return;
    std::map<std::string, std::int64_t> sizes;
    for (const TensorSlice& slice : step.tensors) {
      const auto known = rule->second.tensors.find(slice.role);
      if (known == rule->second.tensors.end()) continue;
      bool fits = false;
      for (const auto& names : known->second.sizes) {
        std::map<std::string, std::int64_t> bound = sizes;
        if (fits || !bind(names, slice.sizes, bound)) continue;
        fits = true;
        sizes = std::move(bound);
        say(step.name, fmt::format("{} has the sizes {}", slice.role, fmt::join(names, ", ")),
            about);
      }
      if (!fits)
        say(step.name,
            fmt::format("{} has the sizes {}", slice.role, fmt::join(slice.sizes, " x ")), about);
    }
    for (const auto& [name, size] : sizes) {
      if (size == 0) say(step.name, fmt::format("sizes that may be 0 = {}", name), about);
    }
  }

  static bool bind(const std::vector<std::string>& names, const Sizes& sizes,
                   std::map<std::string, std::int64_t>& bound) {
    if (names.size() != sizes.size()) return false;
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      if (names[axis] == "1"
              ? sizes[axis] != 1
              : bound.try_emplace(names[axis], sizes[axis]).first->second != sizes[axis])
        return false;
    }
    return true;
  }

  const Kit& kit_;
  std::map<std::string, Seen> seen_;
  std::map<std::string, std::string> facts_;  // and a case that asks it
};

backends::DeviceInfo device_with_everything(const Kit& kit) {
  backends::DeviceInfo device;
  for (const char* kind : {"library", "unit"}) {
    for (const char* name : {"first", "second"}) {
      backends::Library& library = device.libraries.emplace_back();
      library.name = fmt::format("{} {}", name, kind);
      library.kind = kind;
      library.usable = true;
      for (const auto& row : kit.operators) library.operators.push_back(row.first);
    }
  }
  return device;
}

template <typename Check>
void each_case(Level level, const Check& check) {
  constexpr std::uint64_t kSeed = 7;
  for (const Suite* suite : all_suites()) {
    for (const Case& c : suite->cases(level, kSeed)) check(*suite, c);
  }
}

TEST(PluginKit, ListsExactlyWhatLibrariesAreAsked) {
  const Kit kit = read_kit();
  const backends::DeviceInfo device = device_with_everything(kit);
  Asked asked(kit);
  Facts missing;
  each_case(Level::kExhaustive, [&](const Suite& suite, const Case& c) {
    const std::string provider(c.word("provider"));
    if (provider == kPortable) return;
    const Plan plan = suite.bind(c)->plan(device);
    if (plan.no_provider) missing.insert(*plan.no_provider);
    for (const OperatorStep& step : plan.operators)
      asked.add(c, plan, step, is_unit(provider) ? "unit" : "library");
  });
  EXPECT_EQ(Facts(), missing) << "operators that operators.md lacks";
  const std::map<std::string, std::string> facts = asked.facts();
  for (const auto& [fact, about] : facts) {
    EXPECT_TRUE(kit.facts.contains(fact))
        << "asked, but not in operators.md: " << fact << "\n  by " << about;
  }
  for (const std::string& fact : kit.facts)
    EXPECT_TRUE(facts.contains(fact)) << "in operators.md, but never asked: " << fact;
}

// --- capabilities

void offer(backends::DeviceInfo& device, const std::string& capability, bool offered = true) {
  device.promises.push_back(
      {.capability = capability, .offered = offered, .evidence = "", .clause = ""});
}

// What the plans of cases name as missing, until nothing is missing any more.
Facts capabilities_needed(const std::vector<std::unique_ptr<const Problem>>& problems) {
  backends::DeviceInfo device;
  Facts all;
  for (Facts found = {"any"}; !found.empty();) {
    found.clear();
    for (const auto& problem : problems) {
      if (const Plan plan = problem->plan(device); plan.needs) found.insert(*plan.needs);
    }
    for (const std::string& capability : found) {
      EXPECT_TRUE(all.insert(capability).second) << capability << " is offered and still missing";
      offer(device, capability);
    }
  }
  return all;
}

// Whether some case has another contract row on a device that lacks the capability.
bool chooses_rows(const std::vector<std::unique_ptr<const Problem>>& problems,
                  const std::string& capability) {
  backends::DeviceInfo with;
  offer(with, capability);
  const backends::DeviceInfo without;
  return std::any_of(problems.begin(), problems.end(), [&](const auto& problem) {
    return &problem->row(with) != &problem->row(without);
  });
}

TEST(PluginKit, ListsExactlyTheCapabilitiesThatAreLookedFor) {
  Facts listed;
  for (const Line& line : table_rows(plugin_kit::README_md)) {
    if (line.heading == "### Capabilities" && line.cells.front().starts_with("`"))
      for (const std::string& name : split(line.cells.front(), " ")) listed.insert(plain(name));
  }
  std::vector<std::unique_ptr<const Problem>> problems;
  each_case(Level::kFull, [&](const Suite& suite, const Case& c) {
    if (c.word("provider") == kPortable) problems.push_back(suite.bind(c));
  });
  Facts asked = capabilities_needed(problems);
  for (const Suite* suite : all_suites()) {
    for (const ContractRow& row : suite->contract) {
      for (const Freedom& freedom : row.freedoms) asked.emplace(freedom.capability);
    }
  }
  for (const std::string& name : listed) {
    if (!asked.contains(name) && chooses_rows(problems, name)) asked.insert(name);
  }
  EXPECT_EQ(asked, listed);
}

}  // namespace
}  // namespace halfmark::suites
