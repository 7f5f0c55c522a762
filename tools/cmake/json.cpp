// SPDX-License-Identifier: Apache-2.0
// Defines the templates that precompiled_json.hpp declares `extern`.
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

template class nlohmann::basic_json<>;
template class nlohmann::detail::serializer<nlohmann::json>;
template class nlohmann::detail::iter_impl<const nlohmann::json>;
template class std::vector<nlohmann::json>;
template class std::map<std::string, nlohmann::json, std::less<>>;
