// SPDX-License-Identifier: Apache-2.0
// `halfmark ref mismatch`: one network of two layers and an output layer, evaluated twice, as a
// trainer and as a server of the same model do: with sums in one order, and with sums in four parts
// that are kept in the format of the tensors before they are added, as libraries split long sums by
// default. Both add in fp32. What is left are log-probabilities of tokens that should be equal: the
// fewer bits the format has, the further they are apart.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <ostream>
#include <vector>

#include "reference/fast/gemm.hpp"
#include "reference/fast/softmax.hpp"
#include "reports/exit_codes.hpp"
#include "tools/halfmark/ref_json/normal_data.hpp"
#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;
using formats::Tensor;

constexpr std::size_t kTokens = 64, kWidth = 64, kVocabulary = 128;
constexpr std::array kCompared = {&formats::kFp32, &formats::kBf16, &formats::kFp16};
constexpr std::string_view kTraining = "fp32.sequential.fma", kInference = "fp32.splitk-4.fma";

struct Network {
  Tensor tokens, first, second, output;  // fp32
};

Network network_of(Numbers& numbers) {
  const double deviation = 1 / std::sqrt(static_cast<double>(kWidth));
  Network network{.tokens = normal_tensor(kTokens * kWidth, 1, numbers),
                  .first = normal_tensor(kWidth * kWidth, deviation, numbers),
                  .second = normal_tensor(kWidth * kWidth, deviation, numbers),
                  .output = normal_tensor(kWidth * kVocabulary, deviation, numbers)};
  return network;
}

Tensor layer(const Tensor& x, const Tensor& weights, std::size_t width,
             const models::Arithmetic& arithmetic) {
  const operators::GemmProblem shape{.m = kTokens, .n = width, .k = kWidth, .d_format = x.format};
  return fast::gemm(shape, x, converted(weights, *x.format), nullptr, arithmetic, {});
}

// Rounded to fp32, the probabilities of a token do not quite add up to 1.
void normalise(std::vector<double>& logs) {
  for (auto row = logs.begin(); row != logs.end(); row += kVocabulary) {
    double sum = 0;
    for (auto at = row; at != row + kVocabulary; ++at) sum += std::exp(*at);
    for (auto at = row; at != row + kVocabulary; ++at) *at -= std::log(sum);
  }
}

// The logarithms of the probabilities of every token, from logits in the format.
std::vector<double> log_probabilities(const Network& network, const Format& format,
                                      std::string_view name) {
  const models::Arithmetic arithmetic = *models::parse_arithmetic(name);
  const Tensor first = layer(converted(network.tokens, format), network.first, kWidth, arithmetic);
  const Tensor second = layer(first, network.second, kWidth, arithmetic);
  const Tensor logits = layer(second, network.output, kVocabulary, arithmetic);
  const Tensor logs = fast::softmax_log_forward(
      {.rows = kTokens, .width = kVocabulary, .output = &formats::kFp32}, logits, {});
  std::vector<double> values;
  for (std::size_t i = 0; i < logs.count(); ++i) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(logs.at(i))));
  }
  normalise(values);
  return values;
}

MismatchRow compared(const Network& network, const Format& format,
                     const std::vector<std::size_t>& sequence) {
  const std::vector<double> training = log_probabilities(network, format, kTraining);
  const std::vector<double> inference =
      log_probabilities(network, format, fmt::format("{}.parts-{}", kInference, format.name));
  MismatchRow row{.format = &format, .divergence = 0, .largest_gap = 0, .sequence_gap = 0};
  for (std::size_t i = 0; i < training.size(); ++i) {
    row.divergence += std::exp(training[i]) * (training[i] - inference[i]);
  }
  row.divergence /= static_cast<double>(kTokens);
  for (std::size_t token = 0; token < kTokens; ++token) {
    const std::size_t at = token * kVocabulary + sequence[token];
    const double gap = training[at] - inference[at];
    row.largest_gap = std::max(row.largest_gap, std::abs(gap));
    row.sequence_gap += gap;
  }
  row.sequence_gap = std::abs(row.sequence_gap);
  return row;
}

}  // namespace

std::vector<MismatchRow> mismatch_of(std::uint64_t seed) {
  Numbers numbers(seed);
  const Network network = network_of(numbers);
  std::vector<std::size_t> sequence;
  for (std::size_t i = 0; i < kTokens; ++i) sequence.push_back(numbers.next() % kVocabulary);
  std::vector<MismatchRow> rows;
  for (const Format* format : kCompared) rows.push_back(compared(network, *format, sequence));
  return rows;
}

int write_mismatch(std::ostream& out, std::uint64_t seed, double alarm) {
  out << fmt::format(
      "{} tokens of {}: {} against {} with parts in the format\n{:<6} {:>12} {:>14} {:>14}\n",
      kTokens, kVocabulary, kTraining, kInference, "format", "divergence", "largest gap",
      "sequence gap");
  bool exceeds = false;
  for (const MismatchRow& row : mismatch_of(seed)) {
    exceeds = exceeds || row.divergence > alarm;
    out << fmt::format("{:<6} {:>12.3g} {:>14.3g} {:>14.3g}{}\n", row.format->name, row.divergence,
                       row.largest_gap, row.sequence_gap, row.divergence > alarm ? "  alarm" : "");
  }
  return exceeds ? reports::kExitDoesNotConform : reports::kExitConforms;
}

}  // namespace halfmark::tools
