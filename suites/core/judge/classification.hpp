// SPDX-License-Identifier: Apache-2.0
// Violation or deviation: a freedom of a contract row counts only if whoever is bound by the row
// does not promise otherwise. Decides the standing of a failure from its explanations; does not
// search for explanations.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "backends/device_info.hpp"
#include "suites/core/case/contract.hpp"
#include "suites/core/judge/result.hpp"

namespace halfmark::suites {

/// Whose word counts for a case: the device's, whose compiler builds the kernels, and before it
/// that of the library that the case calls. A view.
struct Promisor {
  const backends::DeviceInfo& device;
  const backends::Library* library = nullptr;
};

/// The promisor's own answer that leaves a freedom of the row open; null if the row does not list
/// the freedom or the promisor closes it.
[[nodiscard]] const backends::Promise* permission(std::string_view freedom, const ContractRow& row,
                                                  const Promisor& promisor);

/// What permits everything that an explanation needs; nothing if it needs no freedom, or one that
/// is closed. An explanation of all results that names no freedom needs the one of its class, if
/// that has one; in an exact row only if it is not a generic one.
[[nodiscard]] std::optional<std::string> permission_of(const Explanation& explanation,
                                                       const ContractRow& row,
                                                       const Promisor& promisor);

/// Whether an explanation that is exact would be permitted.
using Permits = std::function<bool(const Explanation&)>;

/// By that row, which must outlive it, as must what `promisor` is a view of.
[[nodiscard]] Permits permits_of(const ContractRow& row, const Promisor& promisor);

/// A failure is a deviation if one of its exact explanations needs only freedoms that are open: a
/// violation must be the only possibility. Sets class, standing, reason and what permits the
/// deviation, and moves the explanation that is permitted to the front. Several exact explanations
/// are "one of"; the class is that of the first, or "undecided" if experiments have left several
/// classes.
void decide_standing(CaseResult& result, const ContractRow& row, const Promisor& promisor);

}  // namespace halfmark::suites
