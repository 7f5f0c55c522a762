// SPDX-License-Identifier: Apache-2.0
// `halfmark ref`: runs only the reference, as a filter and as a calculator.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "reference/inference/infer.hpp"
#include "reference/models/arithmetic.hpp"
#include "reference/soft/environment.hpp"
#include "reference/text/visible.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/numbers.hpp"
#include "tools/halfmark/ref/calculator.hpp"
#include "tools/halfmark/ref/ref_names.hpp"
#include "tools/halfmark/ref/ref_op.hpp"
#include "tools/halfmark/ref_infer/ref_infer.hpp"
#include "tools/halfmark/ref_json/ref_json.hpp"
#include "tools/halfmark/selftest/selftest.hpp"
#include "tools/halfmark/selftest/silicon.hpp"
#include "tools/halfmark/training/autocast.hpp"
#include "tools/halfmark/training/policy.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

using suites::UsageError;

constexpr double kMostDivergence = 1e9;
constexpr unsigned kMostSeconds = 86400, kMostThreads = 1024;

struct EnvironmentOptions {
  std::string rounding = "near_even";
  std::string subnormals = "keep";
  std::string overflow = "infinity";
  int random_bits = 0;
};

void add_rounding(CLI::App& verb, EnvironmentOptions& options, const char* help) {
  verb.add_option("--round", options.rounding, help)->capture_default_str();
}

void add_overflow(CLI::App& verb, EnvironmentOptions& options) {
  verb.add_option("--overflow", options.overflow,
                  "beyond the largest finite number: infinity (or the NaN of a format without), or "
                  "saturate")
      ->capture_default_str();
}

void add_subnormals(CLI::App& verb, EnvironmentOptions& options) {
  verb.add_option("--subnormals", options.subnormals, "keep, flush_in, flush_out or flush")
      ->capture_default_str();
}

// The value of a named option, or an error that lists the names.
template <typename Enum, std::size_t kCount>
Enum chosen(const char* what, const std::array<soft::Named<Enum>, kCount>& table,
            const std::string& name) {
  const auto value = soft::find_named(table, name);
  if (value) return *value;
  std::string names;
  for (const auto& row : table) names.append(names.empty() ? "" : ", ").append(row.name);
  throw UsageError(
      fmt::format("there is no {} '{}'; choose from: {}", what, text::visible_line(name), names));
}

soft::Environment environment_of(const EnvironmentOptions& options, bool may_be_stochastic) {
  const bool stochastic = may_be_stochastic && options.rounding == soft::kStochasticRounding.name;
  return {.rounding = stochastic ? soft::Rounding::kStochastic
                                 : chosen("rounding", soft::kRoundings, options.rounding),
          .subnormals = chosen("subnormal policy", soft::kSubnormalPolicies, options.subnormals),
          .overflow = chosen("overflow policy", soft::kOverflowPolicies, options.overflow)};
}

struct CalculatorWords {
  std::string subject;
  EnvironmentOptions environment;
  CLI::App* verb = nullptr;
  bool may_be_stochastic = false;

  // Operands are the remaining words, because -inf would be taken for an option.
  [[nodiscard]] CalculatorOptions options() const {
    CalculatorOptions result{.subject = subject,
                             .words = verb->remaining(),
                             .environment = environment_of(environment, may_be_stochastic),
                             .random_bits = environment.random_bits};
    for (const std::string& word : result.words) {
      if (!word.starts_with("--")) continue;
      throw UsageError(fmt::format("there is no option '{}'; `halfmark ref {} --help` lists them",
                                   text::visible_line(word), verb->get_name()));
    }
    return result;
  }
};

int op(const CalculatorWords& words) {
  const CalculatorOptions options = words.options();
  if (!options.words.empty()) return ref_op_explained(std::cout, std::cerr, options);
  return ref_op(STDIN_FILENO, STDOUT_FILENO, std::cerr,
                {.operation = options.subject,
                 .environment = options.environment,
                 .random_bits = options.random_bits});
}

void add_op(CLI::App& ref, Action& action) {
  auto words = std::make_shared<CalculatorWords>();
  CLI::App* verb = words->verb = ref.add_subcommand(
      "op",
      "One elementary operation per line, hex operands in, result and flags out; with operands on "
      "the command line: that one, explained");
  words->may_be_stochastic = true;
  verb->add_option("operation", words->subject, "FORMAT.OPERATION, such as fp16.fma")
      ->required()
      ->type_name("FORMAT.OPERATION");
  add_rounding(*verb, words->environment,
               "near_even, toward_zero, down, up, near_away or stochastic");
  add_whole_number(*verb, "--random-bits", words->environment.random_bits,
                   "Stochastic rounding: random bits per result")
      ->type_name("N");
  add_overflow(*verb, words->environment);
  add_subnormals(*verb, words->environment);
  verb->allow_extras();
  verb->footer(ref_op_help());
  verb->callback([&action, words] { action = [words] { return op(*words); }; });
}

void add_value(CLI::App& ref, Action& action) {
  auto words = std::make_shared<CalculatorWords>();
  CLI::App* verb = words->verb = ref.add_subcommand(
      "value",
      "Numbers in a format: encoding, fields, exact value, what rounding lost, neighbours");
  verb->add_option("format", words->subject, "such as fp16")->required()->type_name("FORMAT");
  add_rounding(*verb, words->environment, "near_even, toward_zero, down, up or near_away");
  add_overflow(*verb, words->environment);
  verb->allow_extras();
  verb->footer(ref_value_help());
  verb->callback([&action, words] {
    action = [words] { return ref_value(std::cout, std::cerr, words->options()); };
  });
}

int list_formats(const std::vector<std::string>& names, bool as_json) {
  std::vector<const formats::Format*> chosen;
  for (const std::string& name : names) {
    const ResolvedFormat resolved = resolve_ref_format(name);
    if (resolved.format == nullptr) throw UsageError(resolved.problem);
    chosen.push_back(resolved.format);
  }
  if (chosen.empty()) {
    for (const formats::Format& format : formats::all_formats()) chosen.push_back(&format);
  }
  write_formats(std::cout, chosen, as_json);
  return 0;
}

void add_formats(CLI::App& ref, Action& action) {
  auto names = std::make_shared<std::vector<std::string>>();
  auto as_json = std::make_shared<bool>(false);
  CLI::App* verb = ref.add_subcommand(
      "formats", "What each number format can hold: range, spacing, digits, bytes");
  verb->add_option("format", *names, "only these, such as fp16 bf16")->type_name("FORMAT...");
  verb->add_flag("--json", *as_json, "One JSON document, with exact values");
  verb->callback([&action, names, as_json] {
    action = [names, as_json] { return list_formats(*names, *as_json); };
  });
}

void add_selftest(CLI::App& ref, Action& action) {
  auto options = std::make_shared<SelftestOptions>();
  auto of_silicon = std::make_shared<bool>(false);
  CLI::App* verb = ref.add_subcommand(
      "selftest", "Compares the reference of this binary with independent evaluations, in seconds");
  add_decimal(*verb, "--seconds", options->seconds, "Duration in seconds", 0, kMostSeconds)
      ->capture_default_str();
  add_whole_number(*verb, "--threads", options->threads, "0: as many as the host has", 0,
                   kMostThreads);
  add_seed(*verb, options->seed, "Seed of all operands");
  verb->add_flag("--json", options->json, "A report for programs");
  verb->add_flag("--silicon", *of_silicon,
                 "Compares the matrix units of this processor with their models instead");
  verb->footer(selftest_help());
  verb->callback([&action, options, of_silicon] {
    action = [options, of_silicon] {
      if (!*of_silicon) return selftest(std::cout, *options);
      return selftest_silicon(std::cout, {.seed = options->seed, .json = options->json},
                              units_of_this_processor());
    };
  });
}

struct Filter {
  const char* name;
  const char* help;
  int (*run)(std::istream&, std::ostream&, std::ostream&);
};

constexpr Filter kFilters[] = {
    {"softmax", "Softmax, log-softmax and their gradients: JSON problems in, answers out",
     ref_softmax},
    {"layernorm", "Layer normalisation, forward and backward: JSON problems in, answers out",
     ref_layernorm},
    {"loss_scaled_backward", "One loss-scaled training step: JSON problems in, answers out",
     ref_loss_scaled_backward},
    {"gradients", "What becomes of gradients at a scale in a narrower format: JSON in, shares out",
     ref_gradients},
    {"updates", "How many updates change no bit of the weights: JSON problems in, answers out",
     ref_updates},
    {"loss_scaler", "The loss scaler of a framework, step by step: JSON problems in, answers out",
     ref_loss_scaler},
    {"optimizer", "Optimizers on fp32 master weights, step by step: JSON problems in, answers out",
     ref_optimizer},
};

int gemm(const std::string& engine, unsigned threads, const std::string& arithmetic) {
  constexpr std::pair<std::string_view, Engine> kEngines[] = {
      {"auto", Engine::kAuto}, {"soft", Engine::kSoft}, {"fast", Engine::kFast}};
  for (const auto& [name, value] : kEngines) {
    if (name != engine) continue;
    std::ios::sync_with_stdio(false);
    return ref_gemm(std::cin, std::cout, std::cerr,
                    {.engine = value, .threads = threads, .arithmetic = arithmetic});
  }
  throw UsageError(fmt::format("there is no engine '{}'; choose from: auto, soft, fast",
                               text::visible_line(engine)));
}

void add_gemm(CLI::App& ref, Action& action) {
  auto engine = std::make_shared<std::string>("auto");
  auto threads = std::make_shared<unsigned>(0);
  auto arithmetic = std::make_shared<std::string>();
  CLI::App* verb = ref.add_subcommand(
      "gemm", "Matrix products: one JSON problem per line in, one answer per line out");
  verb->add_option("--engine", *engine,
                   "soft (integers only), fast (vector code only) or auto; the same answers")
      ->capture_default_str();
  add_whole_number(*verb, "--threads", *threads,
                   "Threads of the vector code; 0: as many as the host has", 0, kMostThreads)
      ->capture_default_str();
  verb->add_option("--arithmetic", *arithmetic, "Arithmetic for problems that do not name one")
      ->type_name("NAME");
  verb->callback([&action, engine, threads, arithmetic] {
    action = [=] { return gemm(*engine, *threads, *arithmetic); };
  });
}

// Every line that is not a heading begins with a name.
int list_arithmetics() {
  fmt::print(std::cout, "# names: FORMAT.ORDER.STEP and options, by example\n");
  for (const models::GrammarLine& line : models::arithmetic_grammar()) {
    fmt::print(std::cout, "{:<40} {}: {}\n", line.example, line.part, line.meaning);
  }
  fmt::print(std::cout, "# arithmetics that a search for an explanation tries\n");
  bool units = false;
  for (const models::NamedArithmetic& named : models::all_arithmetics()) {
    if (named.arithmetic.unit != nullptr && !units) fmt::print(std::cout, "# matrix units\n");
    units = named.arithmetic.unit != nullptr;
    fmt::print(std::cout, "{:<40} {}\n", named.name, named.description);
  }
  return 0;
}

void add_arithmetics(CLI::App& ref, Action& action) {
  CLI::App* verb =
      ref.add_subcommand("arithmetics", "How arithmetics are named, and the predefined ones");
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

void add_precision(CLI::App& ref, Action& action) {
  auto sizes = std::make_shared<std::vector<std::size_t>>();
  auto seed = std::make_shared<std::uint64_t>(1);
  CLI::App* verb = ref.add_subcommand(
      "precision",
      "How far products in fp32, tf32, bf16 and fp16 are from the exact ones, by size");
  verb->add_option("size", *sizes, "of square matrices; by default 100, 1000 and 10000")
      ->type_name("SIZE...")
      ->check(CLI::Range(1, 1 << 20));
  add_seed(*verb, *seed, "Seed of the data");
  verb->callback([&action, sizes, seed] {
    action = [sizes, seed] {
      if (sizes->empty()) *sizes = {100, 1000, 10000};
      write_precision(std::cout, *sizes, *seed);
      return 0;
    };
  });
}

void add_mismatch(CLI::App& ref, Action& action) {
  auto seed = std::make_shared<std::uint64_t>(1);
  auto alarm = std::make_shared<double>(kMostDivergence);
  CLI::App* verb = ref.add_subcommand(
      "mismatch", "How far training and inference drift apart that add in different orders");
  add_seed(*verb, *seed, "Seed of the network and its tokens");
  add_decimal(*verb, "--alarm", *alarm, "exit code 1 if a divergence exceeds this", 0,
              kMostDivergence);
  verb->callback([&action, seed, alarm] {
    action = [seed, alarm] { return write_mismatch(std::cout, *seed, *alarm); };
  });
}

void add_autocast(CLI::App& ref, Action& action) {
  auto options = std::make_shared<AutocastOptions>();
  CLI::App* verb = ref.add_subcommand(
      "autocast",
      "What automatic mixed precision does to each operator, by the lists of frameworks");
  verb->add_option("operator", options->operators, "only these, such as softmax linear")
      ->type_name("OPERATOR...");
  verb->add_option("--profile", options->profile,
                   "the whole list of one: " + names_of_cast_profiles())
      ->type_name("PROFILE");
  verb->add_flag("--json", options->as_json, "One JSON document");
  verb->callback([&action, options] {
    action = [options] {
      list_casts(*options, std::cout);
      return 0;
    };
  });
}

void add_infer(CLI::App& ref, Action& action) {
  auto options = std::make_shared<InferOptions>();
  CLI::App* verb = ref.add_subcommand(
      "infer", "Which arithmetic a matrix product has: that of a process, or of a model");
  verb->add_option("--arithmetic", options->arithmetic, "Demonstrate on this model")
      ->type_name("NAME");
  verb->add_option("command", options->command, "The process to query, after --")
      ->type_name("COMMAND...");
  const auto format = [&](const char* name, std::string& value, const char* help) {
    verb->add_option(name, value, help)->type_name("FORMAT");
  };
  format("--a", options->a, "Format of A (default: fp16, or the unit's)");
  format("--b", options->b, "Format of B (default: that of A)");
  format("--c", options->c, "Format of the addend (default: that of D); none: no addend");
  format("--d", options->d, "Format of D (default: fp32, or the unit's)");
  add_whole_number(*verb, "--k", options->k,
                   "Length of the sums (default: 32, or three blocks of the unit)",
                   inference::kShortest, inference::kLongest);
  add_seed(*verb, options->seed, "Seed of the random data");
  add_whole_number(*verb, "--limit", options->limit_seconds, "Seconds that one answer may take", 1,
                   kMostSeconds)
      ->capture_default_str();
  verb->add_flag("--json", options->json, "One JSON document in place of text");
  verb->footer(ref_infer_help());
  verb->callback(
      [&action, options] { action = [options] { return ref_infer(*options, std::cout); }; });
}

}  // namespace

void add_ref(CLI::App& app, Action& action) {
  CLI::App* ref = app.add_subcommand("ref", "The reference by itself, without a device");
  ref->require_subcommand(1);
  add_op(*ref, action);
  add_value(*ref, action);
  add_formats(*ref, action);
  add_selftest(*ref, action);
  add_gemm(*ref, action);
  for (const Filter& filter : kFilters) {
    CLI::App* verb = ref->add_subcommand(filter.name, filter.help);
    verb->callback([&action, run = filter.run] {
      action = [run] {
        std::ios::sync_with_stdio(false);
        return run(std::cin, std::cout, std::cerr);
      };
    });
  }
  add_precision(*ref, action);
  add_mismatch(*ref, action);
  add_infer(*ref, action);
  add_arithmetics(*ref, action);
  add_autocast(*ref, action);
}

}  // namespace halfmark::tools
