// SPDX-License-Identifier: Apache-2.0
// Cases and their names. A case is one operator at one point of its parameter space, with its seed;
// its dotted name holds every parameter and parses back to the same case:
// `gemm.fp16.fp16.portable.nt.m128n128k4096.cancel.s7`. Decides the grammar of names. Knows neither
// which suites exist nor what a token means to its suite. Assumes: tokens contain no dot; a name
// never depends on the device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::suites {

/// One parameter of a suite. Exactly one of `words` and `letters` is given.
struct Axis {
  std::string_view name;  // "format"
  std::string_view help;  // what a token means, for `halfmark list --help-axes`
  /// Accepted tokens, in canonical order. An empty one comes first and is what a name means that
  /// leaves the token out; the tokens of such an axis occur in no other.
  std::vector<std::string_view> words;
  std::string_view letters;  // or: a letter before each number, "mnk" accepts m128n64k32
  /// The word that the shrinker tries for a failing case; empty: it keeps the case's word.
  std::string_view simplest = {};
};

struct Token {
  std::string axis;
  std::string text;
  bool operator==(const Token&) const = default;
};

struct Case {
  std::string suite;
  std::vector<Token> tokens;  // in the order of the suite's axes
  std::uint64_t seed = 0;

  /// The token of an axis; the axis must exist (a programming error otherwise).
  [[nodiscard]] std::string_view word(std::string_view axis) const;
  /// The number after `letter` in a lettered axis, e.g. number("shape", 'k').
  [[nodiscard]] std::uint64_t number(std::string_view axis, char letter) const;
  bool operator==(const Case&) const = default;
};

[[nodiscard]] std::string print(const Case&);

/// The name without its seed: the name that a waiver uses, and the key of the input generator.
[[nodiscard]] std::string print_seedless(const Case&);

/// Builds a case from tokens in axis order. Throws UsageError that names the offending token and
/// lists what is accepted.
[[nodiscard]] Case make_case(std::string_view suite, std::span<const Axis> axes,
                             std::span<const std::string_view> tokens, std::uint64_t seed);

/// Inverse of `print` for one suite. Throws UsageError as make_case() does.
[[nodiscard]] Case parse_case(std::string_view suite, std::span<const Axis> axes,
                              std::string_view name);

/// Shell-style match of a whole name: `*` any run of characters, `?` one character.
[[nodiscard]] bool matches_glob(std::string_view glob, std::string_view name);

}  // namespace halfmark::suites
