// SPDX-License-Identifier: Apache-2.0
// The operators of frameworks that Halfmark knows more of than their class: which suite asserts
// them, how the shape of their result follows from their operands, and what they keep for the
// backward pass. Decides the names; the classes are in policy.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tools/halfmark/training/policy.hpp"

namespace halfmark::tools {

/// How the shape of the result follows.
enum class ShapeRule : std::uint8_t {
  kSame,               // that of its one operand
  kElementwise,        // its operands have one shape, which the result has, too
  kLinear,             // [..., in] to [..., out], with a matrix of weights
  kProduct,            // [..., m, k] and [..., k, n] to [..., m, n]
  kConvolution2d,      // [batch, channels, height, width], with a kernel
  kEmbedding,          // whole numbers [...] to [..., out], with a table of `in` rows
  kNormalise,          // that of its operand, with weights for its last extent
  kNormaliseChannels,  // the same for its second extent
  kAttention,          // that of the query; query, key and value have four extents
  kLoss,               // a number
  kReduce,             // without the last extent
  kFlatten,            // [batch, ...] to [batch, rest]
  kStated,             // the description has to say it
};

/// What it keeps until the backward pass.
enum class Keeps : std::uint8_t { kNothing, kOperands, kResult, kMask };

struct OperatorRow {
  std::string_view name;        // in PyTorch
  std::string_view tensorflow;  // the node of its graphs; empty: it is made of several
  std::string_view suite;       // that asserts it on a device; empty: none does
  std::string_view operation;   // the word of the suite's axis; empty: it has none
  ShapeRule shape = ShapeRule::kStated;
  Keeps keeps = Keeps::kOperands;
};

[[nodiscard]] std::span<const OperatorRow> operator_rows();

/// By its name in either framework; null if there is no row.
[[nodiscard]] const OperatorRow* find_operator(std::string_view name);
/// Whether a row or a list has that name.
[[nodiscard]] bool is_known_operator(std::string_view name);

/// The class of an operator that either framework's name denotes.
[[nodiscard]] Cast cast_in(const CastProfile& profile, std::string_view name);

}  // namespace halfmark::tools
