// SPDX-License-Identifier: Apache-2.0
#include "reports/schema_check.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <exception>
#include <stdexcept>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "reports/embedded.hpp"
#include "reports/fleet_page.hpp"
#include "reports/lab_page.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;

// Never freed; the library's schema cannot be moved.
const valijson::Schema* parsed(std::string_view schema_text) {
  auto* made = new valijson::Schema;
  const json text = json::parse(schema_text);
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(text), *made);
  return made;
}

const valijson::Schema& card_schema() {
  static const valijson::Schema* const kSchema = parsed(scorecard_schema_json);
  return *kSchema;
}

const valijson::Schema& fleet_schema() {
  static const valijson::Schema* const kSchema = parsed(fleet_schema_json);
  return *kSchema;
}

const valijson::Schema& lab_schema() {
  static const valijson::Schema* const kSchema = parsed(lab_schema_json);
  return *kSchema;
}

const valijson::Schema& model_schema() {
  static const valijson::Schema* const kSchema = parsed(model_schema_json);
  return *kSchema;
}

std::string place_of(const std::vector<std::string>& context) {
  std::string place;
  for (const std::string& step : context) place += step == "<root>" ? "card" : step;
  return place;
}

// The library reports a failure once per level of nesting, innermost first; the outer reports only
// refer to the inner one.
bool is_echo(const std::string& description) {
  return description.starts_with("Failed to validate");
}

std::vector<std::string> problems_of(const valijson::Schema& schema, const json& card) {
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(card), &results))
    return {};
  std::vector<std::string> problems, echoes;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    auto& list = is_echo(error.description) ? echoes : problems;
    list.push_back(fmt::format("{}: {}", place_of(error.context), error.description));
  }
  return problems.empty() ? echoes : problems;
}

// The library's regular expressions recurse for each character of a string: some 320 bytes (g++
// 12), more under a sanitizer.
constexpr std::size_t kStackBytes = std::size_t{1} << 29;

struct Task {
  const valijson::Schema& schema;
  const json& card;
  std::vector<std::string> problems;
  std::exception_ptr error;
};

void* work(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  try {
    task.problems = problems_of(task.schema, task.card);
  } catch (...) {
    task.error = std::current_exception();
  }
  return nullptr;
}

std::vector<std::string> checked(const valijson::Schema& schema, const json& card) {
  Task task{.schema = schema, .card = card, .problems = {}, .error = {}};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  const bool begun = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                     pthread_create(&thread, &attributes, &work, &task) == 0;
  pthread_attr_destroy(&attributes);
  if (!begun) throw std::runtime_error("there is no memory to check a scorecard in");
  pthread_join(thread, nullptr);
  if (task.error) std::rethrow_exception(task.error);
  return std::move(task.problems);
}

}  // namespace

std::vector<std::string> check_schema(const json& card) { return checked(card_schema(), card); }

std::vector<std::string> check_fleet_schema(const json& fleet) {
  return checked(fleet_schema(), fleet);
}

std::vector<std::string> check_lab_schema(const json& report) {
  return checked(lab_schema(), report);
}

std::vector<std::string> check_model_schema(const json& model) {
  return checked(model_schema(), model);
}

}  // namespace halfmark::reports
