// SPDX-License-Identifier: Apache-2.0
// The checks of the self-test. They compare the reference of this binary with evaluations that
// share no code with it (the naive twin, enclosures, known answers), and the fast engine with
// the reference.
//
// The code under test is a value, so that a test can replace it by wrong code and see the
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

// Products of two formats, and the format of their sum.
struct SumProblem {
  const formats::Format* a_format;
  const formats::Format* b_format;
  std::vector<formats::Bits> a, b;
  const formats::Format* to;
  std::vector<formats::Bits> a_scales = {}, b_scales = {};  // for units that take scales
};

// The operators of the fast engine other than the matrix product.
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
  // A sum of products of one format in a named arithmetic, starting from +0.
  models::Encoded (*dot)(std::string_view arithmetic, const SumProblem&);
  models::Encoded (*unit_dot)(const models::Unit&, const SumProblem&, const models::Encoded& c);
  std::span<const soft::Function> functions;
  std::span<const soft::BinaryFunction> binary_functions;
  soft::Result (*read)(const formats::Format&, std::string_view numeral, const soft::Environment&);
  decltype(&fast::gemm) gemm;
  RowOperators rows;
};
[[nodiscard]] Subject this_reference();

// Compares all operations of one format, in any environment, with the naive twin.
void check_operations(Session& session, const Subject& subject, const formats::Format& f);
// Checks corner cases of every operation, rounding, policy and flag against stored answers.
void check_known_answers(Session& session, const Subject& subject);
// Compares correctly rounded sums of products with exact schoolbook arithmetic.
void check_exact_sums(Session& session, const Subject& subject);
// Compares every named arithmetic with its recursive evaluation.
void check_arithmetics(Session& session, const Subject& subject);
// Compares a digest of every matrix unit's answers to fixed problems with the expected one.
void check_units(Session& session, const Subject& subject);
// Compares elementary functions with interval arithmetic of increasing precision.
void check_functions(Session& session, const Subject& subject);
// Compares decimal and hexadecimal numerals with the twin's rounding, and reads back printed
// encodings.
void check_numerals(Session& session, const Subject& subject);
// Compares the fast engine on one instruction set with the reference, in a hostile
// floating-point state: matrix products in check_fast(); softmax, layer normalisation and
// training in check_fast_rows().
void check_fast(Session& session, const Subject& subject, fast::Target target);
void check_fast_rows(Session& session, const Subject& subject, fast::Target target);

// For check_units: the digest of a unit's answers, and the table of the expected digests.
[[nodiscard]] std::uint64_t unit_digest(const models::Unit& unit,
                                        decltype(Subject::unit_dot) evaluate);
struct UnitDigest {
  std::string_view unit;
  std::uint64_t digest;
};
[[nodiscard]] std::span<const UnitDigest> unit_digests();

}  // namespace halfmark::tools
