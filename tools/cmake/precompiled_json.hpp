// SPDX-License-Identifier: Apache-2.0
// JSON among the precompiled headers: templates that nearly every source uses are defined once
// (json.cpp), and the literal "..."_json is only declared, since it is no template and would make
// every source instantiate the whole parser. The two save a fifth of the time of a source that sees
// JSON.
#pragma once

#define _json(characters, count) \
  _json(characters, count);      \
  template <int>                 \
  nlohmann::json unused_literal(characters, count)
#include <nlohmann/json.hpp>
#undef _json

#include <map>
#include <string>
#include <vector>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::detail::serializer<nlohmann::json>;
extern template class nlohmann::detail::iter_impl<const nlohmann::json>;
extern template class std::vector<nlohmann::json>;
extern template class std::map<std::string, nlohmann::json, std::less<>>;
