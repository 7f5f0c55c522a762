// SPDX-License-Identifier: Apache-2.0
// The verdict on the device's fp16: from the kinds and gains of its operations where they were
// timed, else from promises and bits. Decides which product represents all: the fastest that was
// judged. If the driver states that it does not offer fp16 arithmetic, the verdict is storage only,
// whatever the times say; if it states nothing, nothing follows.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/plain_plural.hpp"
#include "reports/throughput.hpp"
#include "reports/true_fp16.hpp"

namespace halfmark::reports {
namespace {

using suites::CaseResult;
using suites::Verdict;

// Conversions only need storage.
bool is_fp16_arithmetic(const CaseResult& r) {
  return r.suite == "arithmetic" && r.operation.starts_with("fp16.") &&
         !r.operation.starts_with("fp16.to_");
}

struct Offer {
  bool stated = false, offered = false;
};

Offer offer_of(const nlohmann::json& device, std::string_view capability, TrueFp16& judged) {
  Offer offer;
  const auto promises = device.find("promises");
  if (promises == device.end()) return offer;
  for (const nlohmann::json& promise : *promises) {
    if (promise.value("capability", "") != capability) continue;
    offer = {.stated = true, .offered = promise.value("offered", false)};
    judged.evidence.push_back({fmt::format("promise {}", capability),
                               fmt::format("{}: {}", offer.offered ? "offered" : "not offered",
                                           promise.value("evidence", ""))});
  }
  return offer;
}

void add_canaries(const std::vector<Canary>& canaries, TrueFp16& judged) {
  for (const Canary& canary : canaries) {
    if (!canary.name.starts_with("fp16.")) continue;
    judged.evidence.push_back({fmt::format("canary {}", canary.name),
                               fmt::format("{} ({})", canary.observed, canary.standing)});
  }
}

// The verdict without its reasons.
std::string_view announced(const Fp16Operation& operation) {
  return std::string_view(operation.sentence).substr(0, operation.sentence.find(':'));
}

Fp16Operation operation_of(const Fp16Operator& o, std::string name, std::string width) {
  return {.operation = std::move(name),
          .kind = o.kind,
          .width = std::move(width),
          .gflops = o.gflops,
          .fp32_gflops = o.fp32_gflops,
          .gain = o.gain,
          .sentence = o.verdict};
}

std::vector<Fp16Operation> operations_of(const std::vector<Fp16Operator>& operators) {
  std::vector<Fp16Operation> operations;
  for (const std::string_view link : {"add", "mul", "fma", "muladd"}) {
    const std::string name = fmt::format("chain.{}", link);
    const auto chain = std::ranges::find(operators, name, &Fp16Operator::operation);
    if (chain != operators.end())
      operations.push_back(operation_of(*chain, std::string(link), chain->shape));
  }
  const Fp16Operator* fastest = nullptr;
  for (const Fp16Operator& o : operators) {
    if (o.operation == "gemm" && (fastest == nullptr || o.gflops > fastest->gflops)) fastest = &o;
  }
  if (fastest != nullptr)
    operations.push_back(
        operation_of(*fastest, "gemm",
                     fmt::format("{} {} {}", fastest->provider, fastest->formats, fastest->shape)));
  return operations;
}

// The operations of one kind: "add and mul native, 1.7 x" if all gain alike, else
// "emulated: add 0.22 x, mul 0.27 x".
std::string phrase_of(const std::vector<Fp16Operation>& operations, std::string_view kind) {
  std::vector<std::string> names, with_gains;
  std::set<std::string> gains;
  for (const Fp16Operation& operation : operations) {
    if (announced(operation) != kind) continue;
    const std::string gain = operation.gain ? fmt::format(" {:.2g} x", *operation.gain) : "";
    names.push_back(operation.operation);
    with_gains.push_back(operation.operation + gain);
    gains.insert(gain);
  }
  if (gains.size() > 1) return fmt::format("{}: {}", kind, listed(with_gains));
  const std::string& alike = *gains.begin();
  return fmt::format("{} {}{}{}", listed(names), kind, alike.empty() ? "" : ",", alike);
}

// In the order in which each kind first appears.
std::string sentence_of(const std::vector<Fp16Operation>& operations) {
  std::vector<std::string> kinds;
  std::string sentence;
  for (const Fp16Operation& operation : operations) {
    const std::string kind(announced(operation));
    if (std::ranges::count(kinds, kind) > 0) continue;
    kinds.push_back(kind);
    sentence += (sentence.empty() ? "" : "; ") + phrase_of(operations, kind);
  }
  return sentence;
}

void judge_timed(const Fp16Cases& counted, TrueFp16& judged) {
  const std::string& first = judged.operations.front().kind;
  const bool alike = std::ranges::all_of(judged.operations,
                                         [&](const Fp16Operation& o) { return o.kind == first; });
  judged.kind = alike ? first : "mixed";
  judged.verdict = sentence_of(judged.operations);
  if (counted.failed > 0)
    judged.verdict += fmt::format("; {} of {} of fp16 arithmetic did not pass", counted.failed,
                                  plain_plural(counted.passed + counted.failed, "case"));
}

void judge_untimed(const Fp16Cases& counted, const Offer& arithmetic, TrueFp16& judged) {
  judged.kind = arithmetic.offered && counted.broken > 0 ? "contradicted" : "undecided";
  const std::string_view offer = arithmetic.offered ? "fp16 arithmetic is offered"
                                                    : "the driver does not say whether it offers "
                                                      "fp16 arithmetic";
  const std::string cases = plain_plural(counted.passed + counted.failed, "case");
  if (counted.broken > 0) {
    judged.verdict =
        fmt::format("{}: {}, but {} of {} did not pass", judged.kind, offer, counted.failed, cases);
  } else if (counted.failed > 0) {
    judged.verdict = fmt::format(
        "undecided: {} of {} did not pass, without breaking a promise; no time counts for the "
        "verdict",
        counted.failed, cases);
  } else if (counted.passed == 0) {
    judged.verdict = fmt::format("undecided: {}, but no case of it gave an answer", offer);
  } else {
    judged.verdict = "undecided: every bit agrees with native fp16; no time counts for the verdict";
  }
}

}  // namespace

Fp16Cases count_fp16_cases(const std::vector<CaseResult>& results) {
  Fp16Cases counted;
  for (const CaseResult& r : results) {
    if (!is_fp16_arithmetic(r)) continue;
    counted.passed += r.verdict == Verdict::kPass;
    counted.failed += r.verdict != Verdict::kPass && r.verdict != Verdict::kNotSupported &&
                      r.verdict != Verdict::kSkipped;
    counted.broken += suites::died(r.verdict) || r.standing == suites::Standing::kViolation;
  }
  return counted;
}

TrueFp16 judge_true_fp16(const RunRecord& record, const std::vector<CaseResult>& results,
                         const std::vector<Fp16Operator>& operators, const Roofs& roofs) {
  TrueFp16 judged;
  const Offer storage = offer_of(record.device, "fp16.storage", judged);
  const Offer arithmetic = offer_of(record.device, "fp16.arithmetic", judged);
  add_canaries(record.canaries, judged);
  const Fp16Cases counted = count_fp16_cases(results);
  judged.evidence.push_back({"bits", fmt::format("fp16 arithmetic: {} passed, {} did not",
                                                 plain_plural(counted.passed, "case"),
                                                 plain_plural(counted.failed, "case"))});
  if (!roofs.clocks.empty())
    judged.evidence.push_back({"clocks", roofs.clocks + "; gains of separate rows do not count"});
  if (arithmetic.stated && !arithmetic.offered) {
    const bool stores = storage.offered || !storage.stated;
    judged.kind = stores ? "storage-only" : "not-offered";
    judged.verdict = stores ? "storage only: the driver offers no fp16 arithmetic"
                            : "none: the driver offers neither fp16 storage nor fp16 arithmetic";
    return judged;
  }
  judged.operations = operations_of(operators);
  if (judged.operations.empty()) {
    judge_untimed(counted, arithmetic, judged);
  } else {
    judge_timed(counted, judged);
  }
  return judged;
}

}  // namespace halfmark::reports
