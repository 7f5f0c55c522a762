// SPDX-License-Identifier: Apache-2.0
// The operators of the reference as JSON filters: one problem per input line, one answer per output
// line. Each lives in a file named after its operator, which also documents the fields. They return
// the exit code: 0, or 2 after one line on `err`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>
#include <vector>

#include "reference/formats/format.hpp"

namespace halfmark::tools {

// Which code computes matrix products; the answers are the same.
enum class Engine : std::uint8_t {
  kAuto,  // vector code where it exists, else the soft-float
  kSoft,  // the soft-float
  kFast,  // vector code; a problem that it does not cover is an error
};

struct GemmOptions {
  Engine engine = Engine::kAuto;
  unsigned threads = 0;              // for the vector code; 0: as many as the host has
  std::string_view arithmetic = {};  // for problems that do not name one; empty: they must
};

[[nodiscard]] int ref_gemm(std::istream& in, std::ostream& out, std::ostream& err,
                           const GemmOptions& options = {});
[[nodiscard]] int ref_softmax(std::istream& in, std::ostream& out, std::ostream& err);
[[nodiscard]] int ref_layernorm(std::istream& in, std::ostream& out, std::ostream& err);
[[nodiscard]] int ref_loss_scaled_backward(std::istream& in, std::ostream& out, std::ostream& err);
[[nodiscard]] int ref_gradients(std::istream& in, std::ostream& out, std::ostream& err);
[[nodiscard]] int ref_updates(std::istream& in, std::ostream& out, std::ostream& err);

// Writes what the formats can hold, as a table for people or as one JSON document.
void write_formats(std::ostream& out, std::span<const formats::Format* const> chosen, bool as_json);

// The errors of products of square matrices that are kept in a format, against exact products.
struct PrecisionRow {
  const formats::Format* format;
  std::size_t size;
  double mean_error, mean_result;
};
[[nodiscard]] std::vector<PrecisionRow> precision_of(std::size_t size, std::uint64_t seed);
void write_precision(std::ostream& out, std::span<const std::size_t> sizes, std::uint64_t seed);

// How far two implementations of one network are apart that add in different orders.
struct MismatchRow {
  const formats::Format* format;
  double divergence;    // Kullback-Leibler, the mean over tokens
  double largest_gap;   // of the log-probability of a token
  double sequence_gap;  // of the log-probability of the sequence
};
[[nodiscard]] std::vector<MismatchRow> mismatch_of(std::uint64_t seed);
// Returns 1 if a divergence exceeds `alarm`, else 0.
[[nodiscard]] int write_mismatch(std::ostream& out, std::uint64_t seed, double alarm);
[[nodiscard]] int ref_loss_scaler(std::istream& in, std::ostream& out, std::ostream& err);
[[nodiscard]] int ref_optimizer(std::istream& in, std::ostream& out, std::ostream& err);

// Writes the named arithmetics and, with all their parameters, the matrix units as one
// JSON document.
void write_arithmetics(std::ostream& out);

}  // namespace halfmark::tools
