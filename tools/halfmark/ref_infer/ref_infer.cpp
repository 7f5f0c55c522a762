// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/ref_infer/ref_infer.hpp"

#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/ref_infer/gemm_process.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;
using inference::Subject;
using suites::UsageError;

const Format& format_of(const std::string& option, const std::string& name, const Format& usual) {
  if (name.empty()) return usual;
  const Format* format = formats::find_format(name);
  if (format == nullptr || !format->has_sign) {
    throw UsageError(fmt::format("{} is '{}'; write a format such as fp16, bf16, fp32 or e4m3fn",
                                 option, text::visible_line(name)));
  }
  return *format;
}

models::Arithmetic arithmetic_of(const std::string& name) {
  auto read = models::read_arithmetic(name);
  if (const auto* error = std::get_if<models::NameError>(&read)) {
    throw UsageError(
        fmt::format("--arithmetic '{}': {}; `halfmark ref arithmetics` shows the names",
                    text::visible_line(name), text::visible_line(error->message)));
  }
  return std::get<models::Arithmetic>(read);
}

// Enough products for three blocks of a unit.
std::size_t length_for(const models::Unit* unit) {
  constexpr std::size_t kUsual = 32;
  const std::size_t blocks = unit == nullptr ? 0 : 3 * static_cast<std::size_t>(unit->block);
  return std::clamp<std::size_t>(blocks, kUsual, inference::kLongest);
}

Subject formats_and_length(const InferOptions& options, const models::Arithmetic& arithmetic) {
  const models::Unit* unit = arithmetic.unit;
  Subject subject;
  subject.a = &format_of("--a", options.a, unit == nullptr ? formats::kFp16 : *unit->a[0]);
  subject.b = &format_of("--b", options.b, unit == nullptr ? *subject.a : *unit->b[0]);
  subject.d = &format_of("--d", options.d, unit == nullptr ? formats::kFp32 : *unit->output);
  if (options.c != "none") subject.c = &format_of("--c", options.c, *subject.d);
  subject.k = options.k == 0 ? length_for(unit) : options.k;
  if (arithmetic.order.kind == models::Order::kTree && options.k == 0) {
    subject.k = models::products_of(arithmetic.order.tree);
  }
  if (subject.k < inference::kShortest || subject.k > inference::kLongest) {
    throw UsageError(fmt::format("--k is {}; write a length from {} to {}", subject.k,
                                 inference::kShortest, inference::kLongest));
  }
  return subject;
}

// Hides the model behind the interface of a user's process.
void demonstrate_on(Subject& subject, const models::Arithmetic& arithmetic) {
  try {
    models::require_products(arithmetic, subject.k);
    if (arithmetic.unit != nullptr) {
      models::require_operands(*arithmetic.unit, *subject.a, *subject.b);
    }
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--arithmetic {}: {}", models::print(arithmetic), error.what()));
  }
  subject.gemm = [arithmetic](const operators::GemmProblem& p, const formats::Tensor& a,
                              const formats::Tensor& b, const formats::Tensor* c) {
    const inference::Question question{p, a, b, c == nullptr ? formats::Tensor{} : *c};
    return inference::predict({arithmetic, {}}, question);
  };
}

}  // namespace

int ref_infer(const InferOptions& options, std::ostream& out) {
  if (options.arithmetic.empty() == options.command.empty()) {
    throw UsageError(
        "ref infer asks a process or a model; give `-- COMMAND...` or --arithmetic NAME");
  }
  models::Arithmetic arithmetic;
  if (!options.arithmetic.empty()) arithmetic = arithmetic_of(options.arithmetic);
  Subject subject = formats_and_length(options, arithmetic);
  if (options.command.empty()) {
    demonstrate_on(subject, arithmetic);
  } else {
    const auto process =
        std::make_shared<GemmProcess>(options.command, std::chrono::seconds(options.limit_seconds));
    subject.gemm = [process](const auto&... question) { return (*process)(question...); };
  }
  const inference::Inference result = inference::infer(subject, options.seed);
  (options.json ? write_json : write_text)(subject, result, out);
  const bool explained = result.outcome == inference::Outcome::kNamed ||
                         result.outcome == inference::Outcome::kDescribed;
  return explained ? reports::kExitConforms : reports::kExitDoesNotConform;
}

std::string ref_infer_help() {
  return R"(
The process reads one JSON problem per line and answers one line for each, as `halfmark ref gemm` does:
  in   {"m":2,"n":1,"k":3,"a":{"format":"fp16","bits":["3c00",...]},"b":{...},"c":{...},"d_format":"fp32"}
  out  {"d":{"format":"fp32","bits":["3f800000","40000000"]}}
Matrices are row-major; d = a * b + c, without c where --c is none. It must flush every line. It is queried some tens
of times, for up to 65536 rows at once.

Try it on a product whose arithmetic is known:
  halfmark ref infer -- halfmark ref gemm --arithmetic fp16.blocked-8.fma.total-fp32
  halfmark ref infer --arithmetic unit.hopper.mma.fp16.fp32
Your own, for 8-bit operands without an addend, over three blocks of 32 products:
  halfmark ref infer --a e4m3fn --d fp32 --c none --k 96 -- ./my-gemm --device 0

The answer is a name that every `halfmark` verb takes as an arithmetic, or a description. "= NAME" lines are
arithmetics that none of the data tried distinguishes from it. In trees (x+y) is an addition, [x+y+z] a fused sum that
loses nothing before it is rounded, {x+y+z} one that drops bits far below its largest term.

Exit codes: 0 every queried sum is explained to the last bit; 1 some sum is not; 2 wrong usage; 3 the process failed.)";
}

}  // namespace halfmark::tools
