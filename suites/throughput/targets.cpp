// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/targets.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <tuple>

#include "reference/formats/format.hpp"
#include "suites/registry.hpp"
#include "suites/throughput/autocast.hpp"
#include "suites/throughput/conditions.hpp"
#include "suites/throughput/sizes.hpp"

namespace halfmark::suites::throughput {
namespace {

std::uint64_t one_per_element(const Case& c) { return elements_of_work(c); }
std::uint64_t two_per_element(const Case& c) { return 2 * elements_of_work(c); }

// Steps of the chains of a launch (suites/rates): eight chains of packs per item, 15 steps
// per round.
std::uint64_t steps_of_chains(const Case& c) {
  const std::string_view width = c.word("width").substr(1);
  std::uint64_t numbers = 0;
  for (const char digit : width) numbers = 10 * numbers + static_cast<std::uint64_t>(digit - '0');
  return 8 * 15 * numbers * elements_of_work(c);
}
std::uint64_t two_per_step(const Case& c) { return 2 * steps_of_chains(c); }

std::uint64_t of_three_products(const Case& c) { return 3 * two_per_element(c); }

// Products with scaling or padding are excluded: they are other kernels, or other traffic. Softmax
// and layer normalisation have no agreed count of operations (how many is one exp?); their rate is
// their traffic.
constexpr Target kTargets[] = {
    {"gemm", "gemm.fp32.acc-fp32.out-fp32.*.plain.*", two_per_element},
    {"gemm", "gemm.fp16.acc-fp32.out-fp16.*.plain.*", two_per_element},
    {"gemm", "gemm.fp16.acc-fp32.out-fp32.*.plain.*", two_per_element},
    {"gemm", "gemm.fp16.acc-fp16.out-fp16.*.plain.*", two_per_element},
    {"gemm", "gemm.bf16.acc-fp32.out-bf16.*.plain.*", two_per_element},
    {"gemm", "gemm.tf32.acc-fp32.out-fp32.*.plain.*", two_per_element},
    {"gemm", "gemm.e4m3fn.acc-fp32.out-fp16.*.plain.*", two_per_element},
    {"gemm_batched", "gemm.fp32.acc-fp32.out-fp32.*.batch3.*", of_three_products},
    {"gemm_batched", "gemm.fp16.acc-fp32.out-fp16.*.batch3.*", of_three_products},
    {"chain.add", "rates.fp32.add.*", steps_of_chains},
    {"chain.add", "rates.fp16.add.*", steps_of_chains},
    {"chain.add", "rates.bf16.add.*", steps_of_chains},
    {"chain.mul", "rates.fp32.mul.*", steps_of_chains},
    {"chain.mul", "rates.fp16.mul.*", steps_of_chains},
    {"chain.mul", "rates.bf16.mul.*", steps_of_chains},
    {"chain.fma", "rates.fp32.fma.*", two_per_step},
    {"chain.fma", "rates.fp16.fma.*", two_per_step},
    {"chain.fma", "rates.bf16.fma.*", two_per_step},
    {"chain.muladd", "rates.fp32.muladd.*", two_per_step},
    {"chain.muladd", "rates.fp16.muladd.*", two_per_step},
    {"chain.muladd", "rates.bf16.muladd.*", two_per_step},
    // Conversions: a step widens and narrows.
    {"chain.convert", "rates.fp16.convert.*", two_per_step},
    {"stream.copy", "rates.fp32.copy.*", nullptr},
    {"stream.copy", "rates.fp16.copy.*", nullptr},
    {"stream.triad", "rates.fp32.triad.*", nullptr},
    {"stream.triad", "rates.fp16.triad.*", nullptr},
    {"add", "arithmetic.fp32.add.*", one_per_element},
    {"add", "arithmetic.fp16.add.*", one_per_element},
    {"mul", "arithmetic.fp32.mul.*", one_per_element},
    {"mul", "arithmetic.fp16.mul.*", one_per_element},
    {"fma", "arithmetic.fp32.fma.*", two_per_element},
    {"fma", "arithmetic.fp16.fma.*", two_per_element},
    {"max", "activation.max.fp32.*", nullptr},
    {"max", "activation.max.fp16.*", nullptr},
    {"max", "activation.max.bf16.*", nullptr},
    {"to_fp16", "arithmetic.fp32.to_fp16.*", nullptr},
    {"to_fp32", "arithmetic.fp16.to_fp32.*", nullptr},
    // At least 100,000 elements: shorter cases measure the launch, and levels have many of them.
    {"to_fp16", "convert.fp32.to-fp16.infinity.*.n???????*bits", nullptr},
    {"to_bf16", "convert.fp32.to-bf16.infinity.*.n???????*bits", nullptr},
    {"to_e4m3fn", "convert.fp32.to-e4m3fn.saturate.*.n???????*bits", nullptr},
    {"to_e5m2", "convert.fp32.to-e5m2.saturate.*.n???????*bits", nullptr},
    {"softmax", "softmax.forward.fp32.out-fp32.*", nullptr},
    {"softmax", "softmax.forward.fp16.out-fp16.*", nullptr},
    {"softmax", "softmax.forward.bf16.out-bf16.*", nullptr},
    {"softmax_backward", "softmax.backward.fp32.out-fp32.*", nullptr},
    {"softmax_backward", "softmax.backward.fp16.out-fp16.*", nullptr},
    {"softmax_backward", "softmax.backward.bf16.out-bf16.*", nullptr},
    {"layernorm", "layernorm.forward.fp32.*", nullptr},
    {"layernorm", "layernorm.forward.fp16.*", nullptr},
    {"layernorm", "layernorm.forward.bf16.*", nullptr},
    {"layernorm_backward", "layernorm.backward.fp32.*", nullptr},
    {"layernorm_backward", "layernorm.backward.fp16.*", nullptr},
    {"layernorm_backward", "layernorm.backward.bf16.*", nullptr},
    {"loss_scaled_backward", "loss_scaled_backward.portable.*.scale65536.*", nullptr},
};

// The axis that sets how long a kernel runs, not which kernel it is.
constexpr std::string_view kLengthAxis = "length";
constexpr std::string_view kProviders[] = {"portable", "library", "library2"};
constexpr std::uint64_t kLeastUnaligned = 1u << 20;
constexpr std::uint64_t kLeastNotRandom = 1u << 21;

struct Fill {
  std::string_view name;
  Regime regime;
};

// The best fill of each regime comes first.
constexpr Fill kFills[] = {{"uniform", Regime::kRandom},  {"normal", Regime::kRandom},
                           {"near", Regime::kRandom},     {"bits", Regime::kRandom},
                           {"periodic", Regime::kRandom}, {"integer", Regime::kIntegers},
                           {"zeros", Regime::kZeros}};

const Fill* find_fill(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kFills), std::end(kFills),
                                         [&](const Fill& fill) { return fill.name == name; });
  return found == std::end(kFills) ? nullptr : found;
}

// Larger for a better fill.
std::size_t preference(std::string_view fill) {
  return static_cast<std::size_t>(std::end(kFills) - find_fill(fill));
}

// Points of a sweep: for products the widths and batches of small linear layers, a rectangle, the
// four layouts, and sizes. Each is a row if a level has it.
constexpr std::string_view kPoints[] = {
    "nn.m16n512k512.*", "nn.m32n512k512.*", "nn.m64n512k512.*", "nn.m16n1024k1024.*",
    "nn.m32n1024k1024.*", "nn.m64n1024k1024.*", "nn.m16n2048k2048.*", "nn.m32n2048k2048.*",
    "nn.m64n2048k2048.*", "nn.m512n2048k512.*", "??.m1024n1024k1024.*", "nn.m8192n8192k8192.*",
    // Packs of chains and streams.
    "w1", "w2", "w4", "w8", "w16", "w32"};

// The shape, if it is such a point.
std::string point_of(const std::string& shape) {
  const bool listed = std::any_of(std::begin(kPoints), std::end(kPoints),
                                  [&](std::string_view p) { return matches_glob(p, shape); });
  return listed ? shape : std::string();
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
  bool grows = false;  // to a size with meaningful times

  [[nodiscard]] auto rank() const {
    return std::tuple(grows, work, preference, std::string_view(key));
  }
};

using Candidates = std::vector<Candidate>;

Candidate make_candidate(Case c) {
  const Labels labels = labels_of(c);
  Candidate made{.c = std::move(c),
                 .key = labels.provider + " " + labels.shape + " " + labels.fill,
                 .work = 0,
                 .preference = preference(labels.fill)};
  made.work = elements_of_work(made.c);
  made.grows = may_grow(made.c);
  return made;
}

// The unit of timing: a row of the table (rows of one array: pointers are in the table's order), on
// one provider, in one class of shapes or at one point of the sweep, in one regime.
struct Slot {
  const Target* target = nullptr;
  std::string provider, shape_class, point;
  Regime regime = Regime::kRandom;
  auto operator<=>(const Slot&) const = default;
};

using Slots = std::map<Slot, Candidates>;

Slots slots_of(std::span<const std::string> passed) {
  Slots slots;
  for (const std::string& name : passed) {
    Case c = parse_case(name);
    const Target* target = find_target(c);
    if (target == nullptr) continue;
    Labels labels = labels_of(c);
    Candidate candidate = make_candidate(std::move(c));
    const bool unaligned = labels.shape_class == "ragged" || labels.shape_class == "skinny";
    if (unaligned && candidate.work < kLeastUnaligned) continue;
    slots[{.target = target,
           .provider = std::move(labels.provider),
           .shape_class = std::move(labels.shape_class),
           .point = point_of(labels.shape),
           .regime = *regime_of(labels.fill)}]
        .push_back(std::move(candidate));
  }
  return slots;
}

std::vector<const Candidates*> members_of(const Slots& slots, const Slot& slot) {
  std::vector<const Candidates*> members;
  for (const auto& [other, candidates] : slots) {
    if (other.target->operation == slot.target->operation && other.provider == slot.provider &&
        other.shape_class == slot.shape_class && other.point == slot.point &&
        other.regime == slot.regime)
      members.push_back(&candidates);
  }
  return members;
}

// FNV-1a from the end of the name, so that the seed there affects every bit: the order is
// independent of the table's.
std::uint64_t drawn(std::string_view name) {
  std::uint64_t digest = 0xcbf29ce484222325u;
  for (std::size_t i = name.size(); i > 0; --i)
    digest = (digest ^ static_cast<unsigned char>(name[i - 1])) * 0x100000001b3u;
  return digest;
}

const Candidate* find_key(const Candidates& candidates, std::string_view key) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const Candidate& candidate) { return candidate.key == key; });
  return found == candidates.end() ? nullptr : &*found;
}

bool ranks_below(const Candidate& a, const Candidate& b) { return a.rank() < b.rank(); }

// The problem that most members can run; among equals the one with the most work.
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

std::string class_of_shape(const Case& c) {
  for (const Axis& axis : find_suite(c.suite).axes) {
    if (axis.name == kLengthAxis) return c.number(kLengthAxis, 'r') > 1 ? "chain" : "stream";
    if (axis.letters != "mnk") continue;
    const std::uint64_t m = c.number(axis.name, 'm');
    const std::uint64_t n = c.number(axis.name, 'n');
    if (std::min(m, n) <= 64 && std::max(m, n) >= 512) return "skinny";
    return m % 8 == 0 && n % 8 == 0 && c.number(axis.name, 'k') % 8 == 0 ? "aligned" : "ragged";
  }
  return "stream";
}

}  // namespace

std::span<const Target> targets() { return kTargets; }

bool is_product(std::string_view operation) { return operation.starts_with("gemm"); }

bool is_fused(std::string_view operation) {
  return is_product(operation) || operation == "fma" || operation == "chain.fma";
}

std::optional<Regime> regime_of(std::string_view fill) {
  const Fill* found = find_fill(fill);
  return found == nullptr ? std::nullopt : std::optional(found->regime);
}

const Target* find_target(const Case& c) {
  const Labels labels = labels_of(c);
  const std::optional<Regime> regime = regime_of(labels.fill);
  if (!regime || std::find(std::begin(kProviders), std::end(kProviders), labels.provider) ==
                     std::end(kProviders))
    return nullptr;
  const bool is_large_product = c.suite == "gemm" && elements_of_work(c) >= kLeastNotRandom;
  if (*regime != Regime::kRandom && !is_large_product) return nullptr;
  const std::string name = print_seedless(c);
  for (const Target& target : kTargets) {
    if (matches_glob(target.glob, name)) return &target;
  }
  return nullptr;
}

std::vector<std::string> choose(std::span<const std::string> passed) {
  const Slots slots = slots_of(passed);
  std::vector<std::string> names;
  for (const auto& [slot, candidates] : slots) {
    const Candidate* chosen = find_key(candidates, common_key(members_of(slots, slot)));
    if (chosen == nullptr)
      chosen = &*std::max_element(candidates.begin(), candidates.end(), ranks_below);
    names.push_back(print(chosen->c));
    if (slot.shape_class == "aligned" && slot.regime == Regime::kRandom && may_be_cast(chosen->c))
      names.push_back(std::string(kAutocast) + names.back());
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::tuple(drawn(a), std::string_view(a)) < std::tuple(drawn(b), std::string_view(b));
  });
  return names;
}

Labels labels_of(const Case& c) {
  Labels labels;
  for (const Token& token : c.tokens) {
    if (token.text.empty() || token.axis == "operation" || token.axis == kLengthAxis) continue;
    if (token.axis == "provider") {
      labels.provider = token.text;
    } else if (token.axis == "fill") {
      labels.fill = token.text;
    } else {
      append(is_format(token.text) ? labels.formats : labels.shape, token.text);
    }
  }
  // A step of several operators names no format: fp16 operands, fp32 sums and weights.
  if (labels.formats.empty()) labels.formats = "mixed";
  labels.shape_class = class_of_shape(c);
  return labels;
}

std::uint64_t elements_of_work(const Case& c) {
  std::uint64_t product = 1;
  for (const Axis& axis : find_suite(c.suite).axes) {
    for (const char letter : axis.letters) product *= c.number(axis.name, letter);
  }
  return product;
}

nlohmann::json untimed(const Case& c, const backends::DeviceInfo& device, const std::string& why) {
  const Target* target = find_target(c);
  Labels labels = labels_of(c);
  return {{"name", print_seedless(c)},
          {"provider", labels.provider},
          {"operation", target == nullptr ? c.suite : std::string(target->operation)},
          {"formats", labels.formats},
          {"shape", labels.shape},
          {"shape_class", labels.shape_class},
          {"fill", labels.fill},
          {"samples_ns", nlohmann::json::array()},
          {"flops", target == nullptr || target->flops == nullptr ? 0 : target->flops(c)},
          {"bytes", traffic_bytes(find_suite(c.suite).bind(c)->plan(device))},
          {"declared_gflops", declared_gflops(device, labels.formats)},
          {"fresh_ns", 0},
          {"conditions", nlohmann::json::object()},
          {"passed_case", print(c)},
          {"host_ns", 0},
          {"doubt", why}};
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
        if (!plan.operators.empty()) total += 2 * once;
        break;
    }
  }
  return total;
}

}  // namespace halfmark::suites::throughput
