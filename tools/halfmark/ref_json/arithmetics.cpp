// SPDX-License-Identifier: Apache-2.0
// `halfmark ref arithmetics --json` prints
// {"arithmetics":[{"name","description"}...],"units":[...]}. A unit has every parameter of its row
// (defined in reference/models/unit.hpp).
#include <ostream>

#include "reference/formats/text.hpp"
#include "reference/models/arithmetic.hpp"
#include "tools/halfmark/ref_json/json_tensor.hpp"
#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

json names_of(models::FormatSet set) {
  json names = json::array();
  for (const formats::Format* format : set) names.push_back(format->name);
  return names;
}

json unit_json(const models::Unit& unit) {
  json row{{"name", unit.name},
           {"generation", unit.generation()},
           {"instruction", unit.instruction()},
           {"input", unit.input()},
           {"a", names_of(unit.a)},
           {"b", names_of(unit.b)},
           {"output", unit.output->name},
           {"rule", to_string(unit.rule)},
           {"block", unit.block},
           {"fraction_bits", unit.fraction_bits},
           {"kept_bits", unit.kept_bits},
           {"rounding", soft::to_string(unit.rounding)},
           {"zero_exponent", unit.zero_exponent},
           {"instruction_k", unit.instruction_k},
           {"evidence", to_string(unit.evidence)},
           {"source", unit.source}};
  row["nan"] = unit.nan_word == 0 ? json("class") : json(formats::hex(*unit.output, unit.nan_word));
  if (unit.scale != nullptr) {
    row["scale"] = {{"format", unit.scale->name}, {"block", unit.scale_block}};
  }
  return row;
}

}  // namespace

void write_arithmetics(std::ostream& out) {
  json arithmetics = json::array();
  json units = json::array();
  for (const models::NamedArithmetic& named : models::all_arithmetics()) {
    if (named.arithmetic.unit != nullptr) {
      units.push_back(unit_json(*named.arithmetic.unit));
    } else {
      arithmetics.push_back({{"name", named.name}, {"description", named.description}});
    }
  }
  out << json{{"arithmetics", arithmetics}, {"units", units}}.dump(2) << '\n';
}

}  // namespace halfmark::tools
