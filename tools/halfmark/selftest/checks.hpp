// SPDX-License-Identifier: Apache-2.0
// What the self-test compares: the reference of this binary with evaluations that share no code
// with it (the naive twin, enclosures, answers known beforehand), and the fast engine with the
// reference.
//
// The thing under test is a value, so that a test can put a wrong one in its place and see the
// check fail.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reference/fast/backward.hpp"
#include "reference/fast/gemm.hpp"
#include "reference/fast/layernorm.hpp"
#include "reference/fast/softmax.hpp"
#include "reference/models/unit.hpp"
#include "reference/soft/binary_functions.hpp"
#include "tools/halfmark/ref/ref_operations.hpp"
#include "tools/halfmark/selftest/session.hpp"

namespace halfmark::tools {

// Products of two formats and where their sum goes.
struct SumProblem {
  const formats::Format* a_format;
  const formats::Format* b_format;
  std::vector<formats::Bits> a, b;
  const formats::Format* to;
  std::vector<formats::Bits> a_scales = {}, b_scales = {};  // of units that take them
};

// The operators of the fast engine beside the matrix product.
struct RowOperators {
  decltype(&fast::softmax_forward) softmax_forward;
  decltype(&fast::softmax_log_forward) softmax_log_forward;
  decltype(&fast::softmax_backward) softmax_backward;
  decltype(&fast::layernorm_forward) layernorm_forward;
  decltype(&fast::layernorm_backward) layernorm_backward;
  decltype(&fast::loss_scaled_backward) loss_scaled_backward;
};

struct Subject {
  std::span<const RefOperation> (*operations)(const formats::Format&);
  soft::Result (*exact_sum)(const SumProblem&, const soft::Environment&);
  // A sum of products of one format in a named arithmetic, started with +0.
  models::Encoded (*dot)(std::string_view arithmetic, const SumProblem&);
  models::Encoded (*unit_dot)(const models::Unit&, const SumProblem&, const models::Encoded& c);
  std::span<const soft::Function> functions;
  std::span<const soft::BinaryFunction> binary_functions;
  soft::Result (*read)(const formats::Format&, std::string_view numeral, const soft::Environment&);
  decltype(&fast::gemm) gemm;
  RowOperators rows;
};
[[nodiscard]] Subject this_reference();

// All operations of one format, in any environment, against the naive twin.
void check_operations(Session& session, const Subject& subject, const formats::Format& f);
// Corners of every operation, rounding, policy and flag, written down with their answers.
void check_known_answers(Session& session, const Subject& subject);
// Correctly rounded sums of products against school arithmetic.
void check_exact_sums(Session& session, const Subject& subject);
// Every named arithmetic against its recursive evaluation.
void check_arithmetics(Session& session, const Subject& subject);
// Every matrix unit: a digest of its answers to fixed problems.
void check_units(Session& session, const Subject& subject);
// Elementary functions against interval arithmetic of growing precision.
void check_functions(Session& session, const Subject& subject);
// Decimal numerals against the twin's rounding, and encodings printed and read back.
void check_numerals(Session& session, const Subject& subject);
// The fast engine on one instruction set, in a process that left a hostile floating-point state,
// against the reference: matrix products, and softmax, layer normalisation and training.
void check_fast(Session& session, const Subject& subject, fast::Target target);
void check_fast_rows(Session& session, const Subject& subject, fast::Target target);

// Of check_units: the digest of a unit's answers, and the table of what they must be.
[[nodiscard]] std::uint64_t unit_digest(const models::Unit& unit,
                                        decltype(Subject::unit_dot) evaluate);
struct UnitDigest {
  std::string_view unit;
  std::uint64_t digest;
};
[[nodiscard]] std::span<const UnitDigest> unit_digests();

}  // namespace halfmark::tools
