// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/targets.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "reference/formats/format.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites::throughput {
namespace {

std::uint64_t one_per_element(const Case& c) { return elements_of_work(c); }
std::uint64_t two_per_element(const Case& c) { return 2 * elements_of_work(c); }

// Only plain products: scaling, padding and batches are other kernels, or other traffic. Softmax
// and layer normalisation have no agreed count of operations (what is one exp?); their rate is
// their traffic.
constexpr Target kTargets[] = {
    {"gemm", "gemm.fp32.acc-fp32.out-fp32.portable.*.plain.*", two_per_element},
    {"gemm", "gemm.fp16.acc-fp32.out-fp16.portable.*.plain.*", two_per_element},
    {"gemm", "gemm.fp16.acc-fp32.out-fp32.portable.*.plain.*", two_per_element},
    {"gemm", "gemm.fp16.acc-fp16.out-fp16.portable.*.plain.*", two_per_element},
    {"gemm", "gemm.bf16.acc-fp32.out-bf16.portable.*.plain.*", two_per_element},
    {"add", "arithmetic.fp32.add.portable.*", one_per_element},
    {"add", "arithmetic.fp16.add.portable.*", one_per_element},
    {"mul", "arithmetic.fp32.mul.portable.*", one_per_element},
    {"mul", "arithmetic.fp16.mul.portable.*", one_per_element},
    {"fma", "arithmetic.fp32.fma.portable.*", two_per_element},
    {"fma", "arithmetic.fp16.fma.portable.*", two_per_element},
    {"to_fp16", "arithmetic.fp32.to_fp16.portable.*", nullptr},
    {"to_fp32", "arithmetic.fp16.to_fp32.portable.*", nullptr},
    {"softmax", "softmax.forward.fp32.out-fp32.portable.*", nullptr},
    {"softmax", "softmax.forward.fp16.out-fp16.portable.*", nullptr},
    {"layernorm", "layernorm.forward.fp32.portable.*", nullptr},
    {"layernorm", "layernorm.forward.fp16.portable.*", nullptr},
};

// Random data only, best first: small integers toggle so few bits that devices run faster and
// cooler on them.
constexpr std::string_view kFills[] = {"uniform", "normal", "near", "bits"};

// 0 for a fill that is not timed; the best one is the largest.
std::size_t preference(std::string_view fill) {
  const auto* const found = std::find(std::begin(kFills), std::end(kFills), fill);
  return static_cast<std::size_t>(std::end(kFills) - found);
}

bool is_format(std::string_view token) {
  for (const std::string_view prefix : {"in-", "acc-", "out-"}) {
    if (token.starts_with(prefix)) token.remove_prefix(prefix.size());
  }
  return formats::find_format(token) != nullptr;
}

void append(std::string& words, std::string_view word) {
  if (!words.empty()) words += '.';
  words += word;
}

struct Candidate {
  Case c;
  std::string key;  // equal keys: the same problem in other formats
  std::uint64_t work = 0;
  std::size_t preference = 0;

  [[nodiscard]] auto rank() const { return std::tuple(work, preference, std::string_view(key)); }
};

using Candidates = std::vector<Candidate>;

Candidate make_candidate(Case c) {
  const Labels labels = labels_of(c);
  Candidate made{.c = std::move(c),
                 .key = labels.provider + " " + labels.shape + " " + labels.fill,
                 .work = 0,
                 .preference = preference(labels.fill)};
  made.work = elements_of_work(made.c);
  return made;
}

const Candidate* find_key(const Candidates& candidates, std::string_view key) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const Candidate& candidate) { return candidate.key == key; });
  return found == candidates.end() ? nullptr : &*found;
}

bool ranks_below(const Candidate& a, const Candidate& b) { return a.rank() < b.rank(); }

// The problem that most members can run; of those the one with the most work.
std::string common_key(const std::vector<const Candidates*>& members) {
  const Candidate* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const Candidates* member : members) {
    for (const Candidate& candidate : *member) {
      const auto held = std::count_if(members.begin(), members.end(), [&](const Candidates* other) {
        return find_key(*other, candidate.key) != nullptr;
      });
      if (best != nullptr && std::tuple(held, candidate.rank()) <= std::tuple(most, best->rank()))
        continue;
      best = &candidate;
      most = held;
    }
  }
  return best == nullptr ? std::string() : best->key;
}

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target* find_target(const Case& c) {
  if (preference(labels_of(c).fill) == 0) return nullptr;
  const std::string name = print_seedless(c);
  for (const Target& target : kTargets) {
    if (matches_glob(target.glob, name)) return &target;
  }
  return nullptr;
}

std::vector<std::string> choose(std::span<const std::string> passed) {
  std::map<const Target*, Candidates>
      by_target;  // rows of one array: pointers are in the table's order
  for (const std::string& name : passed) {
    Case c = parse_case(name);
    if (const Target* target = find_target(c))
      by_target[target].push_back(make_candidate(std::move(c)));
  }
  std::vector<std::string> names;
  for (const auto& [target, candidates] : by_target) {
    std::vector<const Candidates*> members;
    for (const auto& [other, others] : by_target) {
      if (other->operation == target->operation) members.push_back(&others);
    }
    const Candidate* chosen = find_key(candidates, common_key(members));
    if (chosen == nullptr)
      chosen = &*std::max_element(candidates.begin(), candidates.end(), ranks_below);
    names.push_back(print(chosen->c));
  }
  return names;
}

Labels labels_of(const Case& c) {
  Labels labels;
  for (const Token& token : c.tokens) {
    if (token.axis == "operation") continue;
    if (token.axis == "provider") {
      labels.provider = token.text;
    } else if (token.axis == "fill") {
      labels.fill = token.text;
    } else {
      append(is_format(token.text) ? labels.formats : labels.shape, token.text);
    }
  }
  return labels;
}

std::uint64_t elements_of_work(const Case& c) {
  std::uint64_t product = 1;
  for (const Axis& axis : find_suite(c.suite).axes) {
    for (const char letter : axis.letters) product *= c.number(axis.name, letter);
  }
  return product;
}

std::uint64_t traffic_bytes(const Plan& plan) {
  std::uint64_t total = 0;
  for (const TensorSpec& spec : plan.tensors) {
    const std::uint64_t once =
        spec.count * static_cast<std::uint64_t>(spec.format->storage_bytes());
    switch (spec.role) {
      case Role::kInput:
      case Role::kOutput:
        total += once;
        break;
      case Role::kInOut:
        total += 2 * once;
        break;
      case Role::kScratch:
        break;
    }
  }
  return total;
}

}  // namespace halfmark::suites::throughput
