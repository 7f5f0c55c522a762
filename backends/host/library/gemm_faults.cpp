// SPDX-License-Identifier: Apache-2.0
// Faults G01 to G57 and the controls of gemm: which step of the product each of them alters.
#include <algorithm>
#include <string_view>

#include "backends/host/library/gemm_policy.hpp"

namespace halfmark::backends::host::library {
namespace {

using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::kFp64;
using formats::kTf32;

struct Alteration {
  std::string_view id;
  void (*alter)(GemmPolicy& p, const Fault& f, const GemmCase& c);
};

std::int64_t number(const Fault& f, std::string_view parameter) {
  return static_cast<std::int64_t>(f.value(parameter));
}

void narrow_sum(GemmPolicy& p, bool fused) {
  p.sum.accumulator = &kFp16;
  p.sum.fused = fused;
}

void split(GemmPolicy& p, const Fault& f, const Format* parts) {
  p.sum.order = GemmOrder::kSplit;
  p.sum.size = number(f, "parts");
  p.sum.parts = parts;
}

void substitute(GemmPolicy& p, const Format& format, Rounding rounding = Rounding::kNearestEven) {
  p.reading.through = &format;
  p.reading.how.rounding = rounding;
}

void another_order(GemmPolicy& p, const Fault& f, const GemmCase&) {
  constexpr GemmOrder kOrders[] = {GemmOrder::kDescending, GemmOrder::kPairwise,
                                   GemmOrder::kStrided, GemmOrder::kBlocked};
  p.sum.order = kOrders[std::min<std::uint64_t>(f.value("order"), std::size(kOrders) - 1)];
  p.sum.size = number(f, "size");
}

constexpr Alteration kSums[] = {
    {"G01",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) { narrow_sum(p, f.value("fused")); }},
    {"G02",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) {
       p.sum.order = GemmOrder::kBlocked;
       p.sum.size = number(f, "block");
       p.sum.parts = p.sum.total = &kFp16;
     }},
    {"G03", [](GemmPolicy& p, const Fault& f, const GemmCase& c) { split(p, f, c.d); }},
    {"G04",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) {
       split(p, f, nullptr);
       p.sum.order_drawn = true;
     }},
    {"G38",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) {
       split(p, f, nullptr);
       p.sum.order_drawn = p.sum.order_by_batch = true;
     }},
    {"G39",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) {
       split(p, f, nullptr);
       p.extent.parts_in_one_workspace = number(f, "parts");
     }},
    {"G40",
     [](GemmPolicy& p, const Fault& f, const GemmCase& c) {
       if (c.caller.handle % 2 == 0) split(p, f, nullptr);
     }},
    {"G26", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.sum.skips_zero_operands = true; }},
    {"G27",
     [](GemmPolicy& p, const Fault& f, const GemmCase& c) {
       if (c.n >= number(f, "n")) narrow_sum(p, true);
     }},
    {"G44",
     [](GemmPolicy& p, const Fault&, const GemmCase& c) {
       if (c.half_sums) p.sum.accumulator = &kBf16;
     }},
    {"G29",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) {
       p.sum.aligned_group = std::max<std::int64_t>(number(f, "group"), 1);
       p.sum.aligned_bits = static_cast<int>(std::min<std::int64_t>(number(f, "bits"), 40));
     }},
    {"G48",
     [](GemmPolicy& p, const Fault& f, const GemmCase& c) {
       if (c.a->bits > 8) return;
       p.sum.aligned_group = std::max<std::int64_t>(number(f, "group"), 1);
       p.sum.aligned_bits = static_cast<int>(std::min<std::int64_t>(number(f, "bits"), 40));
     }},
    {"N01", another_order},
    {"N02", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.sum.fused = false; }},
    {"N03", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.sum.accumulator = &kFp64; }},
    {"N06", [](GemmPolicy& p, const Fault& f, const GemmCase&) { split(p, f, nullptr); }},
    {"N13",
     [](GemmPolicy& p, const Fault&, const GemmCase&) {
       p.sum.exact = true;
       p.sum.accumulator = &kFp64;
     }},
    {"N14", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.sum.steps_in_fp32 = true; }},
};

constexpr Alteration kReadings[] = {
    {"G05",
     [](GemmPolicy& p, const Fault&, const GemmCase& c) { p.reading.flushes = *c.a != kFp32; }},
    {"G07",
     [](GemmPolicy& p, const Fault&, const GemmCase& c) {
       if (*c.a == kFp16) substitute(p, kBf16);
     }},
    {"G08",
     [](GemmPolicy& p, const Fault&, const GemmCase& c) {
       if (*c.a == kFp16) substitute(p, kBf16, Rounding::kTowardZero);
     }},
    {"G25", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.reading.nan_is_zero = true; }},
    {"G57", [](GemmPolicy& p, const Fault&,
               const GemmCase& c) { p.reading.one_type_of_a = c.a->bits == c.b->bits; }},
    {"G32",
     [](GemmPolicy& p, const Fault&, const GemmCase& c) {
       if (*c.a == kFp32 && c.one_b_for_all) substitute(p, kFp16);
     }},
    {"G33",
     [](GemmPolicy& p, const Fault&, const GemmCase& c) {
       if (*c.a == kFp32) substitute(p, kTf32, Rounding::kTowardZero);
     }},
    {"G47",
     [](GemmPolicy& p, const Fault& f, const GemmCase& c) {
       if (c.k >= number(f, "k") && c.a->bits > 8) substitute(p, kBf16);
     }},
    {"G35",
     [](GemmPolicy& p, const Fault&, const GemmCase& c) { p.reading.cuts_nan = *c.a == kFp32; }},
};

constexpr Alteration kExtents[] = {
    {"G14",
     [](GemmPolicy& p, const Fault&, const GemmCase&) { p.extent.empty_sum_returns = true; }},
    {"G15", [](GemmPolicy& p, const Fault& f,
               const GemmCase&) { p.extent.whole_multiple = number(f, "multiple"); }},
    {"G45",
     [](GemmPolicy& p, const Fault&, const GemmCase& c) {
       if (c.half_sums) p.extent.whole_multiple = 2;
     }},
    {"G49", [](GemmPolicy& p, const Fault& f,
               const GemmCase&) { p.extent.most_products = number(f, "products"); }},
    {"G50",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) {
       p.extent.count_bits = static_cast<int>(std::min<std::int64_t>(number(f, "bits"), 62));
     }},
    {"G51", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.extent.repeats_one_b = true; }},
    {"G52", [](GemmPolicy& p, const Fault& f,
               const GemmCase& c) { p.extent.keeps_workspace = c.k >= number(f, "k"); }},
    {"G16", [](GemmPolicy& p, const Fault& f,
               const GemmCase&) { p.extent.rounded_up_to = number(f, "multiple"); }},
    {"G17", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.extent.odd_row_short = true; }},
    {"G18", [](GemmPolicy& p, const Fault& f,
               const GemmCase&) { p.extent.column_limit = number(f, "limit"); }},
    {"G19",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) {
       p.extent.offset_bits = static_cast<int>(std::min<std::int64_t>(number(f, "bits"), 62));
     }},
    {"G41", [](GemmPolicy& p, const Fault&,
               const GemmCase&) { p.extent.offset_bits = p.extent.offset_bits_of_d = 31; }},
    {"G20",
     [](GemmPolicy& p, const Fault&, const GemmCase&) { p.extent.ignores_row_distance = true; }},
    {"G21", [](GemmPolicy& p, const Fault&,
               const GemmCase& c) { p.extent.ignores_square_transpose = c.n == c.k; }},
    {"G22", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.extent.pair_loads = true; }},
    {"G28",
     [](GemmPolicy& p, const Fault& f, const GemmCase& c) {
       const std::uint64_t every = std::max<std::uint64_t>(f.value("every"), 1);
       if (c.caller.call % every == every - 1) p.extent.missing_tile_block = number(f, "block");
     }},
    {"G36", [](GemmPolicy& p, const Fault& f,
               const GemmCase&) { p.extent.short_row_tile = number(f, "tile"); }},
    {"G46", [](GemmPolicy& p, const Fault& f,
               const GemmCase&) { p.extent.stored_vector = number(f, "vector"); }},
    {"G31", [](GemmPolicy& p, const Fault& f,
               const GemmCase&) { p.extent.batch_limit = number(f, "limit"); }},
};

constexpr Alteration kEpilogues[] = {
    {"G06",
     [](GemmPolicy& p, const Fault&, const GemmCase&) { p.epilogue.storing.flushes = true; }},
    {"G10", [](GemmPolicy& p, const Fault&,
               const GemmCase&) { p.epilogue.storing.rounding = Rounding::kTowardZero; }},
    {"G11",
     [](GemmPolicy& p, const Fault&, const GemmCase&) { p.epilogue.storing.saturates = true; }},
    {"G12",
     [](GemmPolicy& p, const Fault&, const GemmCase&) { p.epilogue.reads_c = ReadsC::kAlways; }},
    {"G13",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) {
       p.epilogue.reads_c = ReadsC::kAlwaysInEdgeTiles;
       p.epilogue.tile = std::max<std::int64_t>(number(f, "tile"), 1);
     }},
    {"G37", [](GemmPolicy& p, const Fault&,
               const GemmCase&) { p.epilogue.reads_c = ReadsC::kAlwaysButInFirst; }},
    {"G23", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.epilogue.scaled_in = &kFp16; }},
    {"G24", [](GemmPolicy& p, const Fault&, const GemmCase& c) { p.epilogue.early = c.d; }},
    {"G30",
     [](GemmPolicy& p, const Fault&, const GemmCase&) { p.epilogue.rounds_before_bias = true; }},
    {"G42", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.epilogue.gelu_by_tanh = true; }},
    {"G43", [](GemmPolicy& p, const Fault&,
               const GemmCase&) { p.epilogue.rounds_before_activation = true; }},
    {"G53", [](GemmPolicy& p, const Fault&,
               const GemmCase&) { p.epilogue.storing.cuts_subnormals = true; }},
    {"G54",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) {
       p.epilogue.storing.binades =
           static_cast<int>(std::min<std::int64_t>(number(f, "binades"), 4096));
     }},
    {"G55",
     [](GemmPolicy& p, const Fault& f, const GemmCase&) {
       p.epilogue.storing.first_bits =
           static_cast<int>(std::clamp<std::int64_t>(number(f, "bits"), 1, 53));
     }},
    {"G56", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.epilogue.rounds_cubic = true; }},
    {"N37", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.epilogue.relu_by_slope = true; }},
    {"N15", [](GemmPolicy& p, const Fault&, const GemmCase&) { p.epilogue.unfused_beta = true; }},
    {"G34", [](GemmPolicy& p, const Fault&,
               const GemmCase&) { p.epilogue.storing.loses_zero_sign = true; }},
    {"N04",
     [](GemmPolicy& p, const Fault&, const GemmCase&) { p.epilogue.storing.other_nan = true; }},
};

}  // namespace

void plant(const Fault& fault, const GemmCase& shape, GemmPolicy& policy) {
  for (const std::span<const Alteration> step :
       {std::span<const Alteration>(kSums), std::span<const Alteration>(kReadings),
        std::span<const Alteration>(kExtents), std::span<const Alteration>(kEpilogues)}) {
    for (const Alteration& row : step) {
      if (fault.is(row.id)) row.alter(policy, fault, shape);
    }
  }
}

}  // namespace halfmark::backends::host::library
