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

// The program and the verbs that a command line names, as far as they exist, and the word after
// them where another verb has to stand and none of this name does.
struct Named {
  std::string command;
  std::string no_verb = {};
};

Named named_by(CLI::App& app, int argc, char** argv) {
  Named named{.command = app.get_name()};
  CLI::App* verb = &app;
  for (int i = 1; i < argc && !verb->get_subcommands([](const CLI::App*) { return true; }).empty();
       ++i) {
    const std::string_view word = argv[i];
    const auto chosen =
        verb->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; });
    if (chosen.empty()) {
      if (!word.starts_with('-')) named.no_verb = word;
      break;
    }
    verb = chosen.front();
    named.command += fmt::format(" {}", word);
  }
  return named;
}

// What is wrong with the command line. The parser names the words that it has no use for in
// reverse.
std::string mistake(const CLI::App& app, const CLI::ParseError& error, const Named& named) {
  if (!named.no_verb.empty())
    return fmt::format("there is no verb '{}'", text::visible_line(named.no_verb, kMostOfParser));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !app.remaining(true).empty())
    return fmt::format("'{}' was not expected",
                       text::visible_line(app.remaining(true).front(), kMostOfParser));
  return text::visible_line(error.what(), kMostOfParser);
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
    const Named named = named_by(app, argc, argv);
    return fail(reports::kExitUnusable, fmt::format("{}; `{} --help` shows what is accepted",
                                                    mistake(app, e, named), named.command));
  }
  return run_action(action);
}

}  // namespace

int run_command_line(CLI::App& app, int argc, char** argv, const Action& action) {
  Console console;
  return console.finish(parse_and_run(app, argc, argv, action));
}

}  // namespace halfmark::tools
