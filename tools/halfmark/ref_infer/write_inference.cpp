// SPDX-License-Identifier: Apache-2.0
// Writes an inference as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "tools/halfmark/ref_infer/ref_infer.hpp"

namespace halfmark::tools {
namespace {

using inference::Inference;
using inference::Outcome;
using inference::Subject;
using nlohmann::json;

std::string headline(const Inference& result) {
  switch (result.outcome) {
    case Outcome::kNamed:
      return result.name;
    case Outcome::kDescribed:
      return "no name; " + result.name;
    case Outcome::kUnexplained:
      return result.name.empty() ? "no named arithmetic explains it"
                                 : "no named arithmetic explains it; the best is " + result.name;
    case Outcome::kNotRepeatable:
      return "not repeatable: the same problem had different answers";
    case Outcome::kNotUniform:
      return "not uniform: an output depends on its place in the matrix";
  }
  return {};
}

std::string formats_of(const Subject& subject) {
  return fmt::format("{} x {}{} -> {}", subject.a->name, subject.b->name,
                     subject.c == nullptr ? "" : fmt::format(" + {}", subject.c->name),
                     subject.d->name);
}

std::string tree_of(const Inference& result) {
  if (result.structure.tree) return print(*result.structure.tree);
  return result.structure.scale ? "none explains the answers"
                                : "not looked for: the operands' range is too small";
}

bool misbehaves(const Inference& result) {
  return result.outcome == Outcome::kNotRepeatable || result.outcome == Outcome::kNotUniform;
}

}  // namespace

void write_text(const Subject& subject, const Inference& result, std::ostream& out) {
  out << headline(result) << '\n';
  for (const inference::Equivalent& e : result.equivalents) {
    out << fmt::format("= {} ({})\n", e.name, e.reason);
  }
  out << fmt::format("\n{:<28} {}, k = {}\n", "asked", formats_of(subject), subject.k);
  out << fmt::format("{:<28} {}\n", "calls", result.calls);
  if (misbehaves(result)) return;
  const inference::Agreement& a = result.agreement;
  out << fmt::format("{:<28} {} of {} sums, {} of {} bits\n", "explained", a.equal_outputs,
                     a.outputs, a.equal_bits, a.bits);
  out << fmt::format("{:<28} {}\n", "tree", tree_of(result));
  for (const inference::Finding& f : result.findings) {
    out << fmt::format("{:<28} {:<12} {}\n", f.name, f.value, f.detail);
  }
}

void write_json(const Subject& subject, const Inference& result, std::ostream& out) {
  json document{{"outcome", to_string(result.outcome)}, {"calls", result.calls}, {"k", subject.k}};
  document["formats"] = {{"a", subject.a->name}, {"b", subject.b->name}, {"d", subject.d->name}};
  if (subject.c != nullptr) document["formats"]["c"] = subject.c->name;
  if (!result.name.empty()) document["arithmetic"] = result.name;
  document["equivalents"] = json::array();
  for (const inference::Equivalent& e : result.equivalents) {
    document["equivalents"].push_back({{"arithmetic", e.name}, {"reason", e.reason}});
  }
  if (!misbehaves(result)) {
    const inference::Agreement& a = result.agreement;
    document["explained"] = {{"sums", a.equal_outputs},
                             {"of_sums", a.outputs},
                             {"bits", a.equal_bits},
                             {"of_bits", a.bits}};
    if (result.structure.tree) document["tree"] = print(*result.structure.tree);
    document["findings"] = json::array();
    for (const inference::Finding& f : result.findings) {
      document["findings"].push_back({{"name", f.name}, {"value", f.value}, {"detail", f.detail}});
    }
  }
  out << document.dump(2) << '\n';
}

}  // namespace halfmark::tools
