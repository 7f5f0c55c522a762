// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

#include "backends/select.hpp"
#include "reference/fast/target.hpp"
#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/console.hpp"

namespace halfmark::tools {
namespace {

constexpr std::size_t kMostOfParser = 400;  // its messages repeat whole words of the command line

int fail(int code, const std::string& text) {
  // A vendor's log follows the line it belongs to; the line itself stays one line.
  fmt::print(std::cerr, "halfmark: {}\n", text);
  return code;
}

std::string one_line(std::string_view text) {
  return text::visible_line(text, text::kMostOfMessage);
}

// The user's environment may choose the engine; an unknown name is reported before anything
// is measured.
void check_environment() {
  try {
    static_cast<void>(fast::default_target());
  } catch (const std::invalid_argument& e) {
    throw suites::UsageError(e.what());
  }
}

bool is_verb(CLI::App& app, std::string_view word) {
  return !app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == word; })
              .empty();
}

int run_action(const Action& action) {
  try {
    check_environment();
    return action();
  } catch (const suites::UsageError& e) {
    return fail(reports::kExitUnusable, one_line(e.what()));
  } catch (const backends::NoSuchDevice& e) {
    return fail(reports::kExitNoAnswer, one_line(e.what()));
  } catch (const suites::EnvironmentError& e) {
    return fail(reports::kExitNoAnswer, e.what());  // a vendor's log follows the line it belongs to
  } catch (const std::exception& e) {
    return fail(reports::kExitNoAnswer, one_line(fmt::format("unexpected: {}", e.what())));
  }
}

int parse_and_run(CLI::App& app, int argc, char** argv, const Action& action) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    const bool has_verb = argc > 1 && is_verb(app, argv[1]);
    return fail(reports::kExitUnusable,
                fmt::format("{}; `{} {}--help` shows what is accepted",
                            text::visible_line(e.what(), kMostOfParser), app.get_name(),
                            has_verb ? fmt::format("{} ", argv[1]) : ""));
  }
  return run_action(action);
}

}  // namespace

int run_command_line(CLI::App& app, int argc, char** argv, const Action& action) {
  Console console;
  return console.finish(parse_and_run(app, argc, argv, action));
}

}  // namespace halfmark::tools
