// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/selftest/silicon_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/slow/operands.hpp"

namespace halfmark::tools {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using models::Unit;

// Every pair of NaNs is equal unless the model has a word for them.
bool are_equal(const Unit& model, Bits expected, Bits got) {
  const bool are_nans = formats::is_nan(kFp32, expected) && formats::is_nan(kFp32, got);
  return expected == got || (are_nans && model.nan_word == 0);
}

std::string words(const Format& f, const std::vector<Bits>& bits) {
  std::string text;
  for (const Bits x : bits) text += fmt::format(" {}", formats::hex(f, x));
  return text;
}

// Executes chains of the instruction for many sums at once.
class Trial {
 public:
  Trial(const SiliconUnit& unit, SiliconReport& report) : unit_(unit), report_(report) {
    report_.neighbours = silicon_neighbours(*unit.model);
    report_.contradicted.assign(report_.neighbours.size(), 0);
  }

  // Rows of A and columns of B of one length, a multiple of the instruction's k; C by rows.
  void compare(const std::vector<std::vector<Bits>>& rows,
               const std::vector<std::vector<Bits>>& columns, const std::vector<Bits>& c) {
    const std::size_t terms = rows.front().size();
    pack(rows, columns, terms);
    std::vector<float> d(c.size());
    for (std::size_t i = 0; i < c.size(); ++i) {
      const auto word = static_cast<std::uint32_t>(c[i]);
      std::memcpy(&d[i], &word, sizeof word);
    }
    unit_.chain(a_.data(), b_.data(), d.data(), terms / static_cast<std::size_t>(unit_.k));
    for (std::size_t i = 0; i < c.size(); ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, &d[i], sizeof word);
      judge({rows[i / columns.size()], columns[i % columns.size()], c[i]}, word);
    }
  }

 private:
  void pack(const std::vector<std::vector<Bits>>& rows,
            const std::vector<std::vector<Bits>>& columns, std::size_t terms) {
    a_.clear();
    b_.clear();
    const auto k = static_cast<std::size_t>(unit_.k);
    const auto beside = static_cast<std::size_t>(unit_.beside);
    for (std::size_t first = 0; first < terms; first += k) {
      for (const std::vector<Bits>& row : rows) {
        for (std::size_t x = first; x < first + k; ++x)
          a_.push_back(static_cast<std::uint16_t>(row[x]));
      }
    }
    for (std::size_t first = 0; first < terms; first += beside) {
      for (const std::vector<Bits>& column : columns) {
        for (std::size_t x = first; x < first + beside; ++x)
          b_.push_back(static_cast<std::uint16_t>(column[x]));
      }
    }
  }

  void judge(const UnitSum& sum, Bits got) {
    ++report_.compared;
    const Unit& model = *unit_.model;
    const Bits expected = evaluate(model, sum);
    if (!are_equal(model, expected, got) && report_.failures++ == 0) {
      report_.first_failure =
          fmt::format("a{}, b{}, c {}: expected {}, got {}", words(*model.a[0], sum.a),
                      words(*model.b[0], sum.b), formats::hex(kFp32, sum.c),
                      formats::hex(kFp32, expected), formats::hex(kFp32, got));
    }
    for (std::size_t i = 0; i < report_.neighbours.size(); ++i) {
      if (report_.contradicted[i] != 0) continue;
      const Bits wrong = report_.neighbours[i].evaluate(sum);
      const bool are_nans = formats::is_nan(kFp32, wrong) && formats::is_nan(kFp32, got);
      if (wrong != got && !are_nans) report_.contradicted[i] = report_.compared;
    }
  }

  const SiliconUnit& unit_;
  SiliconReport& report_;
  std::vector<std::uint16_t> a_, b_;
};

// Both signs of zero, the ends of the subnormal and of the normal numbers, numbers whose products
// meet a sum's last place or cancel it, infinities, quiet and signalling NaNs.
std::vector<Bits> corner_operands(const Format& f) {
  const Bits small = formats::min_normal(f);
  const Bits one = formats::one(f);
  const Bits step = Bits{1} << f.fraction_bits;
  const Bits tiny = static_cast<Bits>(f.bias - std::min(f.bias - 1, 64)) << f.fraction_bits;
  const Bits positive[] = {0,
                           1,
                           small - 1,
                           small,
                           one,
                           one + 1,
                           one - 12 * step,
                           tiny,
                           formats::max_finite(f),
                           formats::infinity(f)};
  std::vector<Bits> all;
  for (const Bits x : positive) {
    all.push_back(x);
    all.push_back(x | f.sign_mask());
  }
  all.push_back(formats::quiet_nan(f) | 5);
  all.push_back(formats::infinity(f, true) | 1);
  return all;
}

std::vector<Bits> corner_addends() {
  return {0,          0x80000000, 1,          0x807fffff, 0x00800000, 0x80800000,
          0x00ffffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x4b800000, 0x7f7fffff,
          0xff7fffff, 0x7f800000, 0xff800000, 0x7fc12345, 0xff812345};
}

// All pairs of corner products with all addends, at neighbouring places of an instruction. The
// other places hold -0 times +0, which changes no sum.
void compare_corners(const SiliconUnit& unit, Trial& trial, slow::Operands& operands,
                     std::uint64_t step) {
  const Format& f = *unit.model->a[0];
  const std::vector<Bits> corners = corner_operands(f);
  const std::vector<Bits> addends = corner_addends();
  const auto terms = static_cast<std::size_t>(std::max(unit.k, 2));
  const auto tall = static_cast<std::size_t>(unit.m), wide = static_cast<std::size_t>(unit.n);
  std::vector<std::vector<Bits>> rows(tall), columns(wide);
  std::vector<Bits> c(tall * wide);
  // Pairs of operands, for rows and for columns, are counted with one number each.
  const std::size_t pairs = corners.size() * corners.size();
  const auto place_pair = [&](std::vector<std::vector<Bits>>& lines, std::size_t pair,
                              std::size_t at, Bits rest) {
    for (std::vector<Bits>& line : lines) {
      line.assign(terms, rest);
      line[at] = corners[pair % corners.size()];
      line[at + 1] = corners[pair / corners.size()];
      pair = (pair + 1) % pairs;
    }
  };
  for (std::size_t row = 0; row < pairs; row += tall) {
    for (std::size_t column = 0; column < pairs; column += wide) {
      if (operands.word() % step != 0) continue;
      const std::size_t at = operands.word() % (terms / 2) * 2;
      place_pair(rows, row, at, f.sign_mask());
      place_pair(columns, column, at, 0);
      for (const Bits addend : addends) {
        std::ranges::fill(c, addend);
        trial.compare(rows, columns, c);
      }
    }
  }
}

// Numbers of a few exponents around a centre, so that terms meet; now and then any word at all.
Bits random_operand(const Format& f, slow::Operands& operands, int centre, int spread) {
  const std::uint64_t word = operands.word();
  if (word % 64 == 0) return operands.any(f) & f.mask();
  const int field = centre + static_cast<int>((word >> 8) % static_cast<unsigned>(spread));
  const Bits exponent = static_cast<Bits>(std::clamp(field, 0, f.max_exponent_field() - 1))
                        << f.fraction_bits;
  const Bits fraction = (word >> 6) % 4 == 0 ? 0 : word >> 32;
  return (fraction & f.fraction_mask()) | exponent | ((word >> 7 & 1) != 0 ? f.sign_mask() : 0);
}

void compare_random(const SiliconUnit& unit, Trial& trial, slow::Operands& operands,
                    std::uint64_t sums) {
  const Format& f = *unit.model->a[0];
  const auto tall = static_cast<std::size_t>(unit.m), wide = static_cast<std::size_t>(unit.n);
  std::vector<std::vector<Bits>> rows(tall), columns(wide);
  std::vector<Bits> c(tall * wide);
  constexpr int kSpreads[] = {1, 4, 16, 32, 80};
  for (std::uint64_t done = 0; done < sums; done += c.size()) {
    const auto terms = static_cast<std::size_t>(unit.k) * (1 + operands.word() % 4);
    const int spread = kSpreads[operands.word() % std::size(kSpreads)];
    const auto centre = [&] {
      return static_cast<int>(operands.word() % static_cast<unsigned>(f.max_exponent_field()));
    };
    // Half of all products lie around the fp32 numbers' middle or at their lower end.
    const bool is_chosen = operands.word() % 2 == 0;
    const int a_centre = centre();
    const int target = operands.word() % 2 == 0 ? 0 : kFp32.min_exponent();
    const int b_centre = is_chosen ? target + 2 * f.bias - a_centre - spread : centre();
    for (auto& row : rows) {
      row.resize(terms);
      for (Bits& x : row) x = random_operand(f, operands, a_centre, spread);
    }
    for (auto& column : columns) {
      column.resize(terms);
      for (Bits& x : column) x = random_operand(f, operands, b_centre, spread);
    }
    const int sum = a_centre + b_centre - 2 * f.bias + kFp32.bias;
    for (Bits& x : c) x = random_operand(kFp32, operands, sum - 13, spread + 26);
    trial.compare(rows, columns, c);
  }
}

}  // namespace

SiliconReport compare_silicon(const SiliconUnit& unit, const SiliconOptions& options) {
  SiliconReport report;
  Trial trial(unit, report);
  slow::Operands operands(options.seed);
  compare_corners(unit, trial, operands, options.corner_step);
  report.corners = report.compared;
  compare_random(unit, trial, operands, options.random_sums);
  return report;
}

}  // namespace halfmark::tools
