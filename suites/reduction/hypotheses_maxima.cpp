// SPDX-License-Identifier: Apache-2.0
// What implementations of the maximum have been seen to do instead.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/reduction/rows.hpp"

namespace halfmark::suites::reduction {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;

// Rows share registers: the maximum of all rows so far.
Hypothesis maximum_kept() {
  return {.name = "maximum-kept-from-row-to-row",
          .finding_class = "bad_identity",
          .sentence = "the running maximum is not reset between rows",
          .evaluate = [](const Case& c, const TensorSet& in) {
            Bits found = formats::infinity(*bind(c).format, true);
            return each(c, in, [&](const Binding& b, const Row& x) {
              found = greater(*b.format, found, greatest(x, [](std::size_t) { return true; }));
              return soft::convert(*b.format, *b.output, found).bits;
            });
          }};
}

// A running maximum that starts at the lowest number of `f` instead of -inf.
Hypothesis maximum_from_lowest(const Format& f) {
  return {.name = "max-from-lowest-" + std::string(f.name),
          .finding_class = "bad_identity",
          .sentence = "the running maximum starts at the lowest number of " + std::string(f.name),
          .evaluate = [&f](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              const Bits lowest = soft::convert(f, *b.format, formats::max_finite(f, true)).bits;
              const Bits found =
                  greater(*b.format, lowest, greatest(x, [](std::size_t) { return true; }));
              return soft::convert(*b.format, *b.output, found).bits;
            });
          }};
}

struct Dropped {
  std::string_view name, sentence;
  bool (*passes)(std::size_t column);
};

constexpr Dropped kDropped[] = {
    {"nan-dropped", "a NaN loses against numbers", [](std::size_t) { return false; }},
    {"nan-dropped-in-odd-columns", "a NaN in an odd column loses against numbers",
     [](std::size_t column) { return column % 2 == 0; }},
    {"nan-dropped-in-even-columns", "a NaN in an even column loses against numbers",
     [](std::size_t column) { return column % 2 != 0; }},
    {"nan-dropped-but-first", "a NaN loses against numbers unless it comes first",
     [](std::size_t column) { return column == 0; }},
};

Hypothesis dropped_nan(const Dropped& row) {
  return {.name = std::string(row.name),
          .finding_class = "nan_dropped",
          .sentence = std::string(row.sentence),
          .evaluate =
              [passes = row.passes](const Case& c, const TensorSet& in) {
                return each(c, in, [&](const Binding& b, const Row& x) {
                  return soft::convert(*b.format, *b.output, greatest(x, passes)).bits;
                });
              },
          .freedoms = {"nan_operands"}};
}

// a > b ? a : b, which is b if either is a NaN: a maximum that has met a NaN starts again.
Bits greater_or_second(const Format& f, Bits a, Bits b) {
  const bool is_nan = formats::is_nan(f, a) || formats::is_nan(f, b);
  return !is_nan && formats::ordered(f, a) > formats::ordered(f, b) ? a : b;
}

// Every lanes-th element, and then the lanes from the first to the last; 1 is one by one.
Hypothesis restarted_at_nan(std::size_t lanes) {
  const std::string in_lanes = lanes == 1 ? "" : "-in-" + std::to_string(lanes) + "-lanes";
  const std::string words = lanes == 1 ? "" : ", in " + std::to_string(lanes) + " lanes";
  return {.name = "restarted-at-nan" + in_lanes,
          .finding_class = "nan_dropped",
          .sentence = "the running maximum starts again after a NaN" + words,
          .evaluate =
              [lanes](const Case& c, const TensorSet& in) {
                return each(c, in, [&](const Binding& b, const Row& x) {
                  std::vector<Bits> found(std::min(lanes, std::max<std::size_t>(1, x.width())),
                                          formats::infinity(*b.format, true));
                  for (std::size_t i = 0; i < x.width(); ++i)
                    found[i % lanes] = greater_or_second(*b.format, found[i % lanes], x.at(i));
                  for (std::size_t lane = 1; lane < found.size(); ++lane)
                    found[0] = greater_or_second(*b.format, found[0], found[lane]);
                  return soft::convert(*b.format, *b.output, found[0]).bits;
                });
              },
          .freedoms = {"nan_operands"}};
}

// The maximum of other elements than the row's.
Hypothesis greatest_of(std::string name, FindingClassName finding_class, std::string sentence,
                       bool with_zero, std::size_t left_out) {
  return {.name = std::move(name),
          .finding_class = finding_class,
          .sentence = std::move(sentence),
          .evaluate = [=](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              const auto every = [](std::size_t) { return true; };
              const Bits found = greatest(x.first(x.width() - left_out), every);
              const bool number = !formats::is_nan(*b.format, found);
              const bool below = number && formats::sign(*b.format, found) && with_zero;
              return soft::convert(*b.format, *b.output, below ? 0 : found).bits;
            });
          }};
}

// As two's complement orders them: of two negative numbers the smaller one; NaN is
// handled separately.
Hypothesis compared_as_integers() {
  return {.name = "compared-as-integers",
          .finding_class = "decode",
          .sentence = "encodings are compared as signed integers",
          .evaluate = [](const Case& c, const TensorSet& in) {
            return each(c, in, [](const Binding& b, const Row& x) {
              const Format& f = *b.format;
              const auto place = [&f](Bits bits) {
                const auto whole = static_cast<std::int64_t>(bits);
                return formats::sign(f, bits) ? whole - (std::int64_t{1} << f.bits) : whole;
              };
              Bits found = x.at(0);
              for (std::size_t i = 1; i < x.width() && !formats::is_nan(f, found); ++i) {
                const Bits bits = x.at(i);
                if (formats::is_nan(f, bits) || place(found) < place(bits)) found = bits;
              }
              return soft::convert(f, *b.output, found).bits;
            });
          }};
}

}  // namespace

std::vector<Hypothesis> hypotheses_of_maxima(const Binding& b) {
  std::vector<Hypothesis> list;
  for (const Dropped& row : kDropped) list.push_back(dropped_nan(row));
  list.push_back(restarted_at_nan(1));
  constexpr std::size_t kMostLanes = 64;  // of one wave: rows with NaN are short
  for (const std::size_t lanes : power_blocks(std::min(b.width / 2, kMostLanes)))
    list.push_back(restarted_at_nan(lanes));
  list.push_back(
      greatest_of("max-from-zero", "bad_identity", "the running maximum starts at 0", true, 0));
  if (b.width > 0)
    list.push_back(
        greatest_of("last-left-out", "edge_tile", "the last element is not compared", false, 1));
  for (const std::size_t limit : limits_below(b.width)) {
    list.push_back(greatest_of("from-" + std::to_string(limit) + "-left-out", "edge_tile",
                               "elements from " + std::to_string(limit) + " on are not compared",
                               false, b.width - limit));
  }
  list.push_back(maximum_kept());
  list.push_back(compared_as_integers());
  for (const Format* f : {&formats::kFp16, &formats::kBf16, &kFp32}) {
    if (f->bias <= b.format->bias) list.push_back(maximum_from_lowest(*f));
  }
  return list;
}

}  // namespace halfmark::suites::reduction
