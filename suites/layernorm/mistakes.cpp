// SPDX-License-Identifier: Apache-2.0
#include "suites/layernorm/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "reference/formats/classify.hpp"
#include "suites/core/diagnose/mistakes.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/layernorm/model.hpp"

namespace halfmark::suites::layernorm {
namespace {

using formats::Format;

using Rows = Mistakes<Model>;

void add_gamma_by_row(Rows& rows) {
  rows.add("gamma-by-row", "layout", "gamma and beta are indexed by the row",
           [](Model& m) { m.gamma_by_row = true; });
}

void add_places(Rows& rows, std::size_t width) {
  rows.add("between-rows-read", "over_read", "what lies between rows is in the statistics",
           [](Model& m) { m.over_read = true; });
  rows.add("strides-ignored", "layout", "rows are taken as dense whatever the strides say",
           [](Model& m) { m.dense = true; });
  rows.add("statistics-of-row-before", "layout", "rows have the statistics of the row before",
           [](Model& m) { m.statistics_before = true; });
  for (const std::size_t multiple : power_blocks(1024)) {
    if (width % multiple == 0) continue;
    rows.add(fmt::format("count-padded-to-{}", multiple), "norm_stat",
             fmt::format("sums are divided by n rounded up to a multiple of {}", multiple),
             [=](Model& m) { m.counted_multiple = multiple; });
  }
  rows.add_in(narrow_formats(false), "count", "early_round", "the number of elements is rounded to",
              &Model::count_in);
  add_gamma_by_row(rows);
  for (const std::size_t multiple : blocks_by_tail(width, std::min<std::size_t>(2 * width, 512))) {
    for (const bool counted : {false, true}) {
      rows.add(fmt::format("tail-of-{}-not-{}", multiple, counted ? "counted" : "summed"),
               "edge_tile",
               fmt::format("elements from the last multiple of {} on are not in the statistics",
                           multiple),
               [=](Model& m) {
                 m.multiple = multiple;
                 m.divides_by_counted = counted;
               });
    }
  }
}

void add_statistics_of_libraries(Rows& rows) {
  rows.add("gamma-plus-one", "formula", "results are scaled by 1 + gamma",
           [](Model& m) { m.gamma_plus_one = true; });
  rows.add("rstd-inverted", "formula", "rstd holds the deviation, not its reciprocal",
           [](Model& m) { m.rstd_inverted = true; });
  rows.add("rstd-is-variance", "formula", "rstd holds the variance",
           [](Model& m) { m.rstd_is_variance = true; });
  for (const double eps : {1e-3, 1e-5, 1e-6, 1e-8, 1e-12}) {
    rows.add(fmt::format("eps-is-{:g}", eps), "eps_lost",
             fmt::format("eps is {:g}, whatever the call says", eps),
             [=](Model& m) { m.eps_is = eps; });
  }
  for (const std::size_t parts : power_blocks(1024)) {
    rows.add(
        fmt::format("merges-of-{}-count-one-more", parts), "norm_stat",
        fmt::format("running statistics of {} parts are merged with one element too many", parts),
        [=](Model& m) { m.welford_parts = parts; });
  }
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    const double largest = value_of(*format, formats::max_finite(*format));
    rows.add(fmt::format("variance-within-{}", format->name), "sat_instead_of_inf",
             fmt::format("the variance is no more than the largest number of {}", format->name),
             [=](Model& m) { m.largest_variance = largest; });
    rows.add(fmt::format("deviation-in-{}", format->name), "early_round",
             fmt::format("x - mean is rounded to {} before it is squared", format->name),
             [=](Model& m) { m.deviation_in = format; });
  }
}

void add_statistics(Rows& rows, const Binding& b) {
  rows.add("unbiased-variance", "formula", "the variance is divided by n - 1",
           [](Model& m) { m.one_less = true; });
  if (!b.portable) add_statistics_of_libraries(rows);
  if (!b.centered) {
    rows.add("mean-taken-away", "formula", "the mean is taken away, as layer normalisation has it",
             [](Model& m) { m.centers_too = true; });
  }
  rows.add("eps-outside-root", "formula", "eps is added to the deviation, not to the variance",
           [](Model& m) { m.eps_outside_root = true; });
  if (!b.portable) {
    rows.add("eps-under-own-root", "formula", "the root of eps is added to the deviation",
             [](Model& m) { m.eps_under_own_root = true; });
    rows.add("eps-twice", "formula", "eps is added twice", [](Model& m) { m.eps_twice = true; });
    rows.add("eps-as-least", "formula",
             "the larger of variance and eps is taken, and not their sum",
             [](Model& m) { m.eps_is_least = true; });
  }
  rows.add("eps-dropped", "eps_lost", "eps is not added", [](Model& m) { m.eps_dropped = true; });
}

// The elements of every wave from some index on, which are left out.
struct LeftOut {
  std::size_t wave, kept;
  bool squares_alone, uncounted;
};

void add_left_out(Rows& rows, const LeftOut& left) {
  const std::string_view what = left.squares_alone ? "squares" : "elements";
  rows.add(fmt::format("{}-from-{}-of-{}-left-out{}", what, left.kept, left.wave,
                       left.uncounted ? "-uncounted" : ""),
           "wave_width",
           fmt::format("{} from {} on, of every {}, are missing in the {}", what, left.kept,
                       left.wave, left.squares_alone ? "variance" : "statistics"),
           [=](Model& m) {
             m.wave = left.wave;
             m.kept = left.kept;
             m.squares_alone = left.squares_alone;
             m.divides_by_counted = left.uncounted;
           });
}

// Lanes of a wave that are left out, or the upper part of the row.
void add_lanes(Rows& rows, std::size_t width) {
  std::set<std::size_t> waves{width};
  for (const std::size_t wave : power_blocks(std::min<std::size_t>(width, 256))) waves.insert(wave);
  for (const std::size_t wave : waves) {
    if (wave < 4) continue;
    for (const std::size_t kept : {wave / 4, wave / 2, wave - wave / 4}) {
      add_left_out(rows, {wave, kept, false, false});
      add_left_out(rows, {wave, kept, false, true});
      add_left_out(rows, {wave, kept, true, false});
    }
  }
  for (const std::size_t block : power_blocks(std::min<std::size_t>(width, 1024))) {
    if (block < 2 || block >= width) continue;
    rows.add(fmt::format("variance-within-blocks-of-{}", block), "norm_stat",
             fmt::format("the variance is that within blocks of {}, as if their means were alike",
                         block),
             [=](Model& m) { m.blocks_alone = block; });
  }
}

void add_roundings(Rows& rows, const Binding& b) {
  for (const Format* format : narrow_formats(b.portable)) {
    rows.add_in({format}, "eps", "eps_lost", "eps is rounded to", &Model::eps_in);
    if (b.centered) {
      rows.add_in({format}, "mean", "early_round", "the mean is rounded to", &Model::mean_in);
    }
    rows.add_in({format}, "variance", "early_round", "the variance is rounded to",
                &Model::variance_in);
    if (!b.portable) {
      rows.add(fmt::format("normalised-in-{}", format->name), "early_round",
               fmt::format("the normalised row is rounded to {} before gamma", format->name),
               [=](Model& m) { m.normalised_in = format; });
    }
    rows.add_in({format}, "squares", "acc_narrow", "the sum of squares is kept in",
                &Model::squares_in);
  }
  if (b.portable) return;
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    rows.add(fmt::format("rstd-stored-in-{}", format->name), "early_round",
             fmt::format("rstd is rounded to {} as it is stored", format->name),
             [=](Model& m) { m.rstd_to = format; });
  }
}

void add_variances(Rows& rows, const Binding& b) {
  for (unsigned bits = 4; !b.portable && bits <= 21; ++bits) {
    rows.add(fmt::format("rstd-of-{}-bits", bits), "low_precision",
             fmt::format("the reciprocal deviation has {} bits", bits),
             [=](Model& m) { m.rstd_bits = bits; });
  }
  if (!b.centered) return;
  constexpr std::string_view kDifference = "the variance is E[x^2] - E[x]^2";
  rows.add("naive-variance-clamped", "var_cancel", fmt::format("{}, 0 if negative", kDifference),
           [](Model& m) { m.variance = Variance::kNaiveClamped; });
  rows.add("naive-variance", "nan_made",
           fmt::format("{}, and rsqrt is taken of a negative one", kDifference),
           [](Model& m) { m.variance = Variance::kNaive; });
  if (b.portable) return;
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    rows.add(fmt::format("naive-variance-in-{}", format->name), "var_cancel",
             fmt::format("{}, every step of it in {}, 0 if negative", kDifference, format->name),
             [=](Model& m) {
               m.variance = Variance::kNaiveNarrow;
               m.naive_in = format;
             });
  }
  rows.add("naive-variance-in-some-order", "var_cancel", std::string(kDifference),
           [](Model& m) { m.variance = Variance::kNaiveAnyhow; });
}

void add_gradients_of_libraries(Rows& rows, const Binding& b) {
  rows.add("means-over-one-less", "formula", "the means inside dx are divided by n - 1",
           [](Model& m) { m.means_over_less = true; });
  rows.add("gamma-left-out", "formula", "dx lacks gamma", [](Model& m) { m.no_gamma = true; });
  rows.add("gamma-not-projected", "formula", "dx lacks gamma in the term along the normalised row",
           [](Model& m) { m.gamma_outside = true; });
  if (b.centered) return;
  rows.add("mean-taken-away", "formula",
           "the mean of the gradients is subtracted from dx, as in layer normalisation",
           [](Model& m) { m.mean_term_too = true; });
}

void add_gradients(Rows& rows, const Binding& b) {
  rows.add("no-projection", "formula", "dx lacks the term along the normalised row",
           [](Model& m) { m.no_projection = true; });
  if (b.centered) {
    rows.add("no-mean-term", "formula", "dx lacks the mean of the gradients",
             [](Model& m) { m.no_mean_term = true; });
  }
  if (!b.portable) add_gradients_of_libraries(rows, b);
  rows.add_in(narrow_formats(b.portable), "gradient", "early_round", "dy gamma is rounded to",
              &Model::gradient_in);
}

// Rows missing from the gradients of gamma and beta.
void add_missing_rows(Rows& rows, std::size_t count) {
  rows.add("last-row-left-out", "edge_tile", "dgamma and dbeta lack the last row",
           [](Model& m) { m.last_row_left_out = true; });
  rows.add("last-row-left-out-of-dbeta", "edge_tile", "dbeta lacks the last row", [](Model& m) {
    m.last_row_left_out = true;
    m.dbeta_alone = true;
  });
  for (const std::size_t block : blocks_by_tail(count, 128)) {
    rows.add(fmt::format("rows-beyond-{}-left-out", block), "edge_tile",
             fmt::format("dgamma and dbeta lack the rows from the last multiple of {} on", block),
             [=](Model& m) { m.rows_multiple = block; });
  }
  for (const std::size_t limit : usual_blocks(count)) {
    if (limit >= count) break;
    for (const bool dbeta : {false, true}) {
      rows.add(fmt::format("rows-from-{}-left-out{}", limit, dbeta ? "-of-dbeta" : ""),
               "grid_limit",
               fmt::format("{} the rows from {} on",
                           dbeta ? "dbeta lacks" : "dgamma and dbeta lack", limit),
               [=](Model& m) {
                 m.rows_limit = limit;
                 m.dbeta_alone = dbeta;
               });
    }
  }
}

void add_narrow_weights(Rows& rows) {
  rows.add_in(narrow_formats(false), "weights", "acc_narrow", "dgamma and dbeta are accumulated in",
              &Model::weights_in);
}

void add_half_of_rows(Rows& rows) {
  rows.add("half-of-rows", "wave_width", "dgamma and dbeta lack the upper half of the rows",
           [](Model& m) { m.half_of_rows = true; });
}

void add_weight_gradients(Rows& rows, std::size_t count) {
  for (const std::size_t block : blocks_by_tail(count, 1024)) {
    rows.add(
        fmt::format("rows-beyond-{}-twice", block), "edge_tile",
        fmt::format("dgamma and dbeta have the rows from the last multiple of {} on twice", block),
        [=](Model& m) { m.rows_again = block; });
  }
  rows.add("first-axis-is-all", "layout", "of three axes the first is taken for all rows",
           [](Model& m) { m.first_axis_is_all = true; });
  add_narrow_weights(rows);
  for (const std::size_t lanes : usual_blocks(std::min<std::size_t>(count, 4096))) {
    rows.add(fmt::format("half-of-{}-lanes", lanes), "wave_width",
             fmt::format("the upper half of {} lanes is missing in dgamma and dbeta", lanes),
             [=](Model& m) { m.lanes_halved = lanes; });
  }
  rows.add("dgamma-of-deviations", "formula", "dgamma lacks the factor rstd",
           [](Model& m) { m.weights_unscaled = true; });
  add_half_of_rows(rows);
}

// What the kernels' one order of operations adds.
void add_of_kernels(Rows& rows) {
  add_gamma_by_row(rows);
  rows.add("radicand-in-fp16", "early_round", "variance + eps is rounded to fp16",
           [](Model& m) { m.radicand_in = &formats::kFp16; });
  rows.add("statistics-in-fp16", "norm_stat", "mean and rstd are rounded to fp16",
           [](Model& m) { m.mean_in = m.rstd_in = &formats::kFp16; });
  rows.add("rstd-12-bits", "rounding", "the reciprocal deviation has 12 bits",
           [](Model& m) { m.rstd_bits = 12; });
  rows.add("unit-in-fp16", "cvt_round",
           "the normalised value is rounded to fp16 before gamma and beta",
           [](Model& m) { m.normalised_in = &formats::kFp16; });
  for (const std::size_t multiple : {operators::kLanes, std::size_t{4}}) {
    rows.add(multiple == 4 ? "remainder-not-summed" : "tail-not-summed", "edge_tile",
             fmt::format("elements from the last multiple of {} on are missing in the statistics",
                         multiple),
             [=](Model& m) { m.multiple = multiple; });
  }
}

void add_fusions(Rows& rows, const Binding& b) {
  if (b.backward) {
    rows.add("sums-not-fused", "contraction", "products are rounded before they are summed",
             [](Model& m) { m.sums_unfused = true; });
  }
  if (!b.centered) return;
  if (!b.backward) {
    rows.add("affine-not-fused", "contraction",
             "the product with gamma is rounded before beta is added",
             [](Model& m) { m.affine_unfused = true; });
    return;
  }
  rows.add("centering-fused", "contraction", "dy * gamma - a is one fused operation",
           [](Model& m) { m.centering_fused = true; });
  rows.add("gradient-fused", "contraction",
           "dy * gamma is fused into its sum and into the centering",
           [](Model& m) { m.centering_fused = m.gradient_fused = true; });
}

void add_specified(Rows& rows, const Binding& b) {
  if (b.backward) {
    add_gradients(rows, b);
    add_narrow_weights(rows);
    if (b.rows >= operators::kLanes) add_half_of_rows(rows);
  } else {
    add_variances(rows, b);
    add_statistics(rows, b);
    add_roundings(rows, b);
    add_of_kernels(rows);
  }
  add_fusions(rows, b);
  rows.add("inputs-in-bf16", "fmt_subst", "inputs are rounded to bf16 first",
           [](Model& m) { m.inputs_in = &formats::kBf16; });
}

}  // namespace

std::vector<Hypothesis> mistakes(const Case& c) {
  const Binding b = bind(c);
  Rows rows;
  if (b.portable) {
    add_specified(rows, b);
    return std::move(rows).take();
  }
  if (!b.has_gamma())
    rows.add("gamma-is-zero", "formula", "a gamma that the call lacks is taken as zero",
             [](Model& m) { m.gamma_is_zero = true; });
  if (b.backward) {
    add_gradients(rows, b);
    add_weight_gradients(rows, b.rows);
    add_missing_rows(rows, b.rows);
  } else {
    add_places(rows, b.width);
    add_statistics(rows, b);
    add_lanes(rows, b.width);
    add_roundings(rows, b);
    add_variances(rows, b);
  }
  return std::move(rows).take();
}

std::vector<Hypothesis> located_mistakes(const Case& c, const Places& wrong) {
  const Binding b = bind(c);
  const auto of_rows = wrong.find(b.backward ? "dx" : "y");
  if (b.portable || of_rows == wrong.end()) return {};
  Rows rows;
  const std::size_t first = of_rows->second.front() / b.width;
  // The first rows past a limit may be right by chance.
  for (const std::size_t limit : std::set<std::size_t>{first, std::bit_floor(first)}) {
    if (limit == 0) continue;
    rows.add(fmt::format("rows-modulo-{}", limit),
             b.fill == "far" ? FindingClassName("index_ovf") : FindingClassName("grid_limit"),
             fmt::format("rows of x from {} on are taken from the start again", limit),
             [=](Model& m) { m.row_limit = limit; });
  }
  return std::move(rows).take();
}

}  // namespace halfmark::suites::layernorm
