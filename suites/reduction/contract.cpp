// SPDX-License-Identifier: Apache-2.0
// What is promised of reductions, and what implementations have been seen to do instead.
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "reference/formats/ulp.hpp"
#include "reference/models/exact_sum.hpp"
#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"
#include "suites/core/blocks.hpp"
#include "suites/core/recipe.hpp"
#include "suites/reduction/binding.hpp"

namespace halfmark::suites::reduction {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;
using models::Machine;
using operators::Fp32;

constexpr std::array kRows{
    ContractRow{.id = "reduction.specified",
                .tier = Tier::kSpecified,
                .promise = "every result has the bits of the specified sequence",
                .source = "Halfmark kernel specification, kernels/reduction.hk: order and rounding "
                          "of every addition; IEEE 754-2019, 5.4.1 and 4.3.1",
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "reduction.exact",
                .tier = Tier::kExact,
                .promise = "where fp32 holds every partial sum, in whatever order, the sum is "
                           "exact and rounded once, the mean off by the rounding of one division; "
                           "NaN and infinities as in IEEE 754; nothing sums to 0, and has no mean",
                .source = "The value is unique; IEEE 754-2019, 5.4.1, 6.1 and 6.2"},
    ContractRow{.id = "reduction.bound",
                .tier = Tier::kBounded,
                .promise = "fp32 sums in any order, and one rounding to the format of the result",
                .source = "Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, "
                          "4.2: |error| <= (n - 1) u sum |x| (1 + O(u)), u = 2^-24"},
    ContractRow{.id = "reduction.modelled",
                .tier = Tier::kModelled,
                .promise = kRecipePromise,
                .source = kRecipeSource},
};

constexpr NotAssertedRow kNotAsserted[] = {
    {"the greatest element of nothing", "frameworks refuse, or give -infinity"},
    {"the sign of a zero result", "it depends on the order, which libraries leave open"},
};

class Row {
 public:
  Row(const Binding& b, const Tensor& x, std::size_t row)
      : b_(b), x_(x), start_(row * b.width), width_(b.width) {}
  [[nodiscard]] Bits at(std::size_t column) const { return x_.at(start_ + column); }
  [[nodiscard]] std::size_t width() const { return width_; }
  // Its first elements alone.
  [[nodiscard]] Row first(std::size_t width) const { return part(0, width); }
  [[nodiscard]] Row part(std::size_t begin, std::size_t width) const {
    Row part = *this;
    part.start_ += begin;
    part.width_ = width;
    return part;
  }
  [[nodiscard]] const Format& format() const { return *b_.format; }

 private:
  const Binding& b_;
  const Tensor& x_;
  std::size_t start_, width_;
};

Bits larger(Bits a, Bits b) {
  if (formats::is_nan(kFp32, a)) return a;
  return Fp32::greater(b, a) || formats::is_nan(kFp32, b) ? b : a;
}

Bits specified(const Binding& b, const Row& x, const Machine& machine) {
  const Fp32 op(machine);
  const auto value = [&](std::size_t i) { return op.load(*b.format, x.at(i)); };
  if (b.operation == Operation::kMax) {
    return operators::reduce_lanes(
        b.width, Fp32::kMinusInfinity, [&](Bits m, std::size_t i) { return larger(m, value(i)); },
        larger);
  }
  const auto add = [&](Bits s, Bits v) { return op.add(s, v); };
  const Bits sum = operators::reduce_lanes(
      b.width, 0, [&](Bits s, std::size_t i) { return add(s, value(i)); }, add);
  if (b.operation == Operation::kSum) return sum;
  return op.div(sum, soft::from_int(kFp32, static_cast<std::int64_t>(b.width)).bits);
}

// A row's exact sum, and how far a sum in fp32 may be from it.
struct Sum {
  Real value, radius;
};

// The place of the last bit that is set.
int last_place(const Format& f, Bits bits) {
  const int field = std::max(1, formats::exponent_field(f, bits));
  const Bits hidden = formats::exponent_field(f, bits) == 0 ? 0 : Bits{1} << f.fraction_bits;
  const Bits significand = formats::fraction_field(f, bits) | hidden;
  return field - f.bias - f.fraction_bits + std::countr_zero(significand);
}

Sum sum_of(const Row& x) {
  models::ExactSum exact;
  Real sizes;
  int place = 127;
  for (std::size_t i = 0; i < x.width(); ++i) {
    const Bits bits = x.at(i);
    exact.add(x.format(), bits);
    if (!formats::is_finite(x.format(), bits) || formats::is_zero(x.format(), bits)) continue;
    sizes = sizes + Real::of(x.format(), bits).abs();
    place = std::min(place, last_place(x.format(), bits));
  }
  const Real value = Real::of(formats::kFp64, exact.round(formats::kFp64).bits);
  // Multiples of the last place below 2^24 of them are numbers of fp32: nothing is ever rounded.
  const bool all_representable = !(Real(1, 24 + place) < sizes);
  if (all_representable) return {value, Real()};
  const auto count = static_cast<std::int64_t>(x.width());
  return {value, Real(count) * kSingleRounding * sizes * Real(1025, -10)};
}

Bits greatest(const Row& x, bool (*passes)(std::size_t)) {
  Bits found = formats::infinity(x.format(), true);
  for (std::size_t i = 0; i < x.width(); ++i) {
    const Bits bits = x.at(i);
    if (formats::is_nan(x.format(), bits)) {
      if (passes(i)) return bits;
    } else if (formats::ordered(x.format(), found) < formats::ordered(x.format(), bits)) {
      found = bits;
    }
  }
  return found;
}

RealInterval allowed(const Binding& b, const Row& x) {
  if (b.operation == Operation::kMax) {
    const Real value = Real::of(*b.format, greatest(x, [](std::size_t) { return true; }));
    return {value, value};
  }
  const Sum sum = sum_of(x);
  const bool infinite = !((sum.value - sum.value).abs() < Real(1));
  if (infinite) return {sum.value, sum.value};
  if (b.operation == Operation::kSum) return around(sum.value, sum.radius);
  const Real count(static_cast<std::int64_t>(b.width));
  const Real mean = sum.value / count;
  // A division, or a product with a rounded reciprocal.
  return around(mean, sum.radius / count + mean.abs() * kSingleRounding * Real(5, -1));
}

template <typename Element>
TensorSet each(const Case& c, const TensorSet& inputs, Element element) {
  const Binding b = bind(c);
  Tensor y = Tensor::zeros(*b.output, b.rows);
  for (std::size_t row = 0; row < b.rows; ++row) {
    y.set(row, element(b, Row(b, inputs.at("x"), row)));
  }
  TensorSet out;
  out.emplace("y", std::move(y));
  return out;
}

Bits in_output(const Binding& b, Bits single) {
  return *b.output == kFp32 ? single : soft::convert(kFp32, *b.output, single).bits;
}

// --- departures

Bits add_narrow(const Format& f, Bits a, Bits b) { return soft::add(f, a, b).bits; }

// Partial sums of every lanes-th element, added one by one; 1 is the sequential sum.
Bits narrow_sum(const Row& x, const Format& f, std::size_t lanes) {
  std::vector<Bits> partial(std::min(lanes, std::max<std::size_t>(1, x.width())), 0);
  for (std::size_t i = 0; i < x.width(); ++i) {
    Bits& lane = partial[i % lanes];
    lane = add_narrow(f, lane, soft::convert(x.format(), f, x.at(i)).bits);
  }
  Bits sum = partial[0];
  for (std::size_t lane = 1; lane < partial.size(); ++lane) {
    sum = add_narrow(f, sum, partial[lane]);
  }
  return sum;
}

Bits narrow_tree(const Row& x, const Format& f, std::size_t first, std::size_t count) {
  if (count == 0) return 0;
  if (count == 1) return soft::convert(x.format(), f, x.at(first)).bits;
  return add_narrow(f, narrow_tree(x, f, first, count / 2),
                    narrow_tree(x, f, first + count / 2, count - count / 2));
}

Bits from_narrow(const Binding& b, const Format& f, Bits sum) {
  if (b.operation == Operation::kSum) return soft::convert(f, *b.output, sum).bits;
  const Bits wide = soft::convert(f, kFp32, sum).bits;
  const Bits count = soft::from_int(kFp32, static_cast<std::int64_t>(b.width)).bits;
  return in_output(b, soft::div(kFp32, wide, count).bits);
}

// Ways in which a sum is cut; 0 is a tree.
constexpr std::size_t kNarrowLanes[] = {1, 0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

Hypothesis narrow_hypothesis(const Format& f, std::size_t lanes) {
  const std::string order = lanes == 0   ? "as a tree"
                            : lanes == 1 ? "one by one"
                                         : "in " + std::to_string(lanes) + " lanes";
  return {.name = "sum-in-" + std::string(f.name) + "-" + std::to_string(lanes),
          .finding_class = "acc_narrow",
          .sentence = "the sum is kept in " + std::string(f.name) + ", " + order,
          .evaluate = [&f, lanes](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              return from_narrow(
                  b, f, lanes == 0 ? narrow_tree(x, f, 0, x.width()) : narrow_sum(x, f, lanes));
            });
          }};
}

// Stretches whose sums, exact in fp32 as a rule, are added up in `f`.
Hypothesis blocked_hypothesis(const Format& f, std::size_t block) {
  return {.name = "blocks-of-" + std::to_string(block) + "-in-" + std::string(f.name),
          .finding_class = "acc_narrow",
          .sentence = "sums of " + std::to_string(block) + " elements are added up in " +
                      std::string(f.name),
          .evaluate = [&f, block](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              Bits sum = 0;
              for (std::size_t at = 0; at < x.width(); at += block) {
                const Row part = x.part(at, std::min(block, x.width() - at));
                sum = add_narrow(f, sum, sum_of(part).value.in(f));
              }
              return from_narrow(b, f, sum);
            });
          }};
}

// The mean as a product with a reciprocal that a narrow format holds.
Hypothesis narrow_reciprocal(const Format& f) {
  return {.name = "reciprocal-of-count-in-" + std::string(f.name),
          .finding_class = "early_round",
          .sentence = "the sum is multiplied by 1/n rounded to " + std::string(f.name),
          .evaluate = [&f](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              const Bits count = soft::from_int(kFp32, static_cast<std::int64_t>(b.width)).bits;
              const Bits whole = soft::div(kFp32, formats::one(kFp32), count).bits;
              const Bits part = soft::convert(f, kFp32, soft::convert(kFp32, f, whole).bits).bits;
              return in_output(b, soft::mul(kFp32, sum_of(x).value.in(kFp32), part).bits);
            });
          }};
}

Hypothesis narrow_count() {
  return {.name = "count-in-fp16",
          .finding_class = "overflow",
          .sentence = "the number of elements is rounded to fp16",
          .evaluate = [](const Case& c, const TensorSet& in) {
            return each(c, in, [](const Binding& b, const Row& x) {
              const Bits half =
                  soft::from_int(formats::kFp16, static_cast<std::int64_t>(b.width)).bits;
              const Bits count = soft::convert(formats::kFp16, kFp32, half).bits;
              return in_output(b, soft::div(kFp32, sum_of(x).value.in(kFp32), count).bits);
            });
          }};
}

// A sum over other elements than those of the row, or a mean over another number of them.
struct Slip {
  std::string name;
  std::string_view finding_class;
  std::string sentence;
  std::size_t tail = 0;   // elements at the end that are left out
  std::size_t again = 0;  // that count twice
  std::size_t count = 0;  // what the mean is divided by
};

Hypothesis slip_hypothesis(Slip slip) {
  std::string name = slip.name;
  std::string sentence = slip.sentence;
  const std::string finding_class(slip.finding_class);
  return {.name = std::move(name),
          .finding_class = finding_class,
          .sentence = std::move(sentence),
          .evaluate = [slip = std::move(slip)](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              Real sum = sum_of(x.first(x.width() - slip.tail)).value;
              for (std::size_t i = 1; i <= slip.again; ++i)
                sum = sum + Real::of(x.format(), x.at(x.width() - i));
              const Bits single = sum.in(kFp32);
              if (b.operation == Operation::kSum) return in_output(b, single);
              const auto count = static_cast<std::int64_t>(slip.count);
              return in_output(b, soft::div(kFp32, single, soft::from_int(kFp32, count).bits).bits);
            });
          }};
}

// Ends that are left out or added twice, and counts of padded rows.
std::vector<Slip> slips(const Binding& b) {
  constexpr std::size_t kLargestBlock = 1024;
  const std::size_t n = b.width;
  std::vector<Slip> list;
  if (n < 2) return list;
  list.push_back({"last-left-out", "edge_tile", "the last element is not summed", 1, 0, n});
  list.push_back({"last-twice", "edge_tile", "the last element is summed twice", 0, 1, n});
  for (const std::size_t block : power_blocks(kLargestBlock)) {
    // The last element alone is told above, and the same tail once.
    const std::size_t tail = n % block;
    if (tail < 2 || tail == n % (block / 2)) continue;
    list.push_back(
        {"tail-of-" + std::to_string(block) + "-left-out", "edge_tile",
         "elements from the last multiple of " + std::to_string(block) + " on are not summed", tail,
         0, n});
  }
  if (b.operation != Operation::kMean) return list;
  list.push_back({"one-less", "formula", "the sum is divided by n - 1", 0, 0, n - 1});
  for (const std::size_t block : power_blocks(kLargestBlock)) {
    if (n % block == 0) continue;
    list.push_back({"count-padded-to-" + std::to_string(block), "edge",
                    "the sum is divided by n rounded up to a multiple of " + std::to_string(block),
                    0, 0, (n + block - 1) / block * block});
  }
  return list;
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
          .evaluate = [passes = row.passes](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              return soft::convert(*b.format, *b.output, greatest(x, passes)).bits;
            });
          }};
}

// The greatest of other elements than those of the row.
Hypothesis greatest_of(std::string name, std::string_view finding_class, std::string sentence,
                       bool with_zero, std::size_t left_out) {
  return {.name = std::move(name),
          .finding_class = std::string(finding_class),
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

}  // namespace

std::span<const ContractRow> contract() { return kRows; }
const ContractRow& modelled_row() { return kRows.back(); }
std::span<const NotAssertedRow> not_asserted() { return kNotAsserted; }

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  if (b.portable) return kRows[0];
  return b.fill == "normal" && b.operation != Operation::kMax ? kRows[2] : kRows[1];
}

TensorSet refer(const Case& c, const TensorSet& inputs, const Machine& machine) {
  return each(c, inputs, [&](const Binding& b, const Row& x) {
    if (!b.portable) {
      const RealInterval all = allowed(b, x);
      const Real middle = all.low < all.high ? (all.low + all.high) * Real(1, -1) : all.low;
      return middle.in(*b.output);
    }
    return Fp32(machine).store(*b.output, specified(b, x, machine));
  });
}

std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs) {
  const Binding b = bind(c);
  if (b.portable) return std::nullopt;
  Enclosure enclosure = empty_enclosure("y", *b.output, b.rows);
  for (std::size_t row = 0; row < b.rows; ++row) {
    allow(enclosure, "y", row, allowed(b, Row(b, inputs.at("x"), row)));
  }
  return enclosure;
}

std::vector<Hypothesis> hypotheses(const Case& c) {
  const Binding b = bind(c);
  std::vector<Hypothesis> list;
  if (b.operation == Operation::kMax) {
    for (const Dropped& row : kDropped) list.push_back(dropped_nan(row));
    list.push_back(
        greatest_of("max-from-zero", "bad_identity", "the running maximum starts at 0", true, 0));
    if (b.width > 0)
      list.push_back(
          greatest_of("last-left-out", "edge_tile", "the last element is not compared", false, 1));
    return list;
  }
  for (const Format* f : {&formats::kFp16, &formats::kBf16}) {
    for (const std::size_t lanes : kNarrowLanes) {
      list.push_back(narrow_hypothesis(*f, lanes));
    }
  }
  if (b.operation == Operation::kMean) list.push_back(narrow_count());
  if (b.portable) return list;
  for (const Format* f : {&formats::kFp16, &formats::kBf16}) {
    if (b.operation == Operation::kMean) list.push_back(narrow_reciprocal(*f));
    for (const std::size_t block : usual_blocks(std::min<std::size_t>(b.width, 256)))
      list.push_back(blocked_hypothesis(*f, block));
  }
  for (Slip& slip : slips(b)) list.push_back(slip_hypothesis(std::move(slip)));
  return list;
}

}  // namespace halfmark::suites::reduction
