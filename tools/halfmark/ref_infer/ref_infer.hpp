// SPDX-License-Identifier: Apache-2.0
// `halfmark ref infer`: determines the arithmetic of a matrix product, as text or JSON.
// Decides what the options mean and the exit code: 0 explained, 1 not; errors leave as
// UsageError and EnvironmentError.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "reference/inference/infer.hpp"

namespace halfmark::tools {

struct InferOptions {
  std::string arithmetic = {};            // a model to demonstrate on, or else
  std::vector<std::string> command = {};  // a process to query
  std::string a = {}, b = {}, c = {},
              d = {};  // names of formats; empty: chosen automatically; c may be "none"
  std::size_t k = 0;   // 0: chosen automatically
  std::uint64_t seed = 1;
  unsigned limit_seconds = 600;
  bool json = false;
};

[[nodiscard]] int ref_infer(const InferOptions& options, std::ostream& out);

// The additional text of `--help`: the protocol and a worked example.
[[nodiscard]] std::string ref_infer_help();

void write_text(const inference::Subject& subject, const inference::Inference& result,
                std::ostream& out);
void write_json(const inference::Subject& subject, const inference::Inference& result,
                std::ostream& out);

}  // namespace halfmark::tools
