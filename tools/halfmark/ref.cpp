// SPDX-License-Identifier: Apache-2.0
// `halfmark ref`: the reference alone, as a filter.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "reference/models/arithmetic.hpp"
#include "reference/soft/environment.hpp"
#include "suites/core/errors.hpp"
#include "tools/halfmark/ref/ref_op.hpp"
#include "tools/halfmark/ref_json/ref_json.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

using suites::UsageError;

struct OpOptions {
  std::string operation;
  std::string rounding = "near_even";
  std::string subnormals = "keep";
  std::string overflow = "infinity";
  int random_bits = 0;
};

int op(const OpOptions& options) {
  const auto rounding = soft::parse_rounding(options.rounding);
  if (!rounding) {
    throw UsageError(fmt::format(
        "there is no rounding '{}'; choose from: near_even, toward_zero, down, up, near_away, "
        "stochastic",
        options.rounding));
  }
  const auto subnormals = soft::parse_subnormals(options.subnormals);
  if (!subnormals) {
    throw UsageError(fmt::format(
        "there is no subnormal policy '{}'; choose from: keep, flush_in, flush_out, flush",
        options.subnormals));
  }
  const auto overflow = soft::parse_overflow(options.overflow);
  if (!overflow) {
    throw UsageError(fmt::format(
        "there is no overflow policy '{}'; choose from: infinity, saturate", options.overflow));
  }
  return ref_op(
      STDIN_FILENO, STDOUT_FILENO, std::cerr,
      {.operation = options.operation,
       .environment = {.rounding = *rounding, .subnormals = *subnormals, .overflow = *overflow},
       .random_bits = options.random_bits});
}

void add_op(CLI::App& ref, Action& action) {
  auto options = std::make_shared<OpOptions>();
  CLI::App* verb = ref.add_subcommand(
      "op", "One elementary operation per line: hex operands in, result and flags out");
  verb->add_option("operation", options->operation, "FORMAT.OPERATION, such as fp16.fma")
      ->required()
      ->type_name("FORMAT.OPERATION");
  verb->add_option("--round", options->rounding,
                   "near_even, toward_zero, down, up, near_away or stochastic")
      ->capture_default_str();
  verb->add_option("--subnormals", options->subnormals, "keep, flush_in, flush_out or flush")
      ->capture_default_str();
  verb->add_option("--overflow", options->overflow, "infinity or saturate")->capture_default_str();
  verb->add_option("--random-bits", options->random_bits,
                   "Stochastic rounding: random bits per result")
      ->type_name("N");
  verb->footer(ref_op_help());
  verb->callback([&action, options] { action = [options] { return op(*options); }; });
}

struct Filter {
  const char* name;
  const char* help;
  int (*run)(std::istream&, std::ostream&, std::ostream&);
};

constexpr Filter kFilters[] = {
    {"gemm", "Matrix products: one JSON problem per line in, one answer per line out", ref_gemm},
    {"softmax", "Softmax, log-softmax and their gradient, likewise", ref_softmax},
    {"layernorm", "Layer normalisation, forward and backward, likewise", ref_layernorm},
    {"loss_scaled_backward", "One loss-scaled training step, likewise", ref_loss_scaled_backward},
};

// Every line that is not a heading begins with a name.
int list_arithmetics() {
  fmt::print("# names: FORMAT.ORDER.STEP and options, by example\n");
  for (const models::GrammarLine& line : models::arithmetic_grammar()) {
    fmt::print("{:<40} {}: {}\n", line.example, line.part, line.meaning);
  }
  fmt::print("# arithmetics that a search for an explanation tries\n");
  bool units = false;
  for (const models::NamedArithmetic& named : models::all_arithmetics()) {
    if (named.arithmetic.unit != nullptr && !units) fmt::print("# matrix units\n");
    units = named.arithmetic.unit != nullptr;
    fmt::print("{:<40} {}\n", named.name, named.description);
  }
  return 0;
}

void add_arithmetics(CLI::App& ref, Action& action) {
  CLI::App* verb = ref.add_subcommand(
      "arithmetics", "How arithmetics are named, and those that have a name of their own");
  auto as_json = std::make_shared<bool>(false);
  verb->add_flag("--json", *as_json, "One JSON document, matrix units with all their parameters");
  verb->callback([&action, as_json] {
    action = [as_json] {
      if (!*as_json) return list_arithmetics();
      write_arithmetics(std::cout);
      return 0;
    };
  });
}

}  // namespace

void add_ref(CLI::App& app, Action& action) {
  CLI::App* ref = app.add_subcommand("ref", "The reference, alone");
  ref->require_subcommand(1);
  add_op(*ref, action);
  for (const Filter& filter : kFilters) {
    CLI::App* verb = ref->add_subcommand(filter.name, filter.help);
    verb->callback([&action, run = filter.run] {
      action = [run] {
        std::ios::sync_with_stdio(false);
        return run(std::cin, std::cout, std::cerr);
      };
    });
  }
  add_arithmetics(*ref, action);
}

}  // namespace halfmark::tools
