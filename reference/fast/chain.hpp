// SPDX-License-Identifier: Apache-2.0
// The traversal of a matrix product whose outputs are chains: each output has a state that a tile
// kernel carries through all k in order. This file decides packing, blocking and the work of a
// thread; it knows neither formats nor arithmetic, which come from the loads, the kernel, and the
// first and last step.
//
// Assumption: the zero operands used as padding may be multiplied by anything: padded outputs are
// dropped, and k is never padded.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <thread>

#include "reference/fast/buffer.hpp"
#include "reference/fast/parallel.hpp"
#include "reference/fast/tile_kernels.hpp"
#include "reference/operators/gemm.hpp"

namespace halfmark::fast {

// T is an element of the packed operands, S the state of an output.
template <typename T, typename S>
struct Chain {
  using Load = std::function<void(std::size_t first, std::size_t count, T* to)>;

  const operators::GemmProblem& problem;
  bool reversed = false;                       // k descending
  Direction direction = Direction::kNearEven;  // of the tile kernel's roundings
  Load load_a, load_b;  // load elements first .. first + count of the stored tensors
  std::size_t tile_rows, tile_columns;
  std::size_t planes = 1;  // states per output; a tile stores them plane by plane, each plane with
                           // all its columns
  std::function<void(const T* a, const T* b, std::size_t depth, S* sums, std::size_t stride)> tile;
  // The states of row i of an item for `count` columns from j on, before the first step and after
  // the last. With several planes, state_index() gives their positions.
  std::function<void(std::size_t item, std::size_t i, std::size_t j, std::size_t count, S* states)>
      start;
  std::function<void(std::size_t item, std::size_t i, std::size_t j, std::size_t count, S* states)>
      finish;

  // The index relative to the first state passed to start and finish.
  [[nodiscard]] std::size_t state_index(std::size_t column, std::size_t plane) const {
    const std::size_t panel = column / tile_columns;
    return (panel * planes + plane) * tile_columns + column % tile_columns;
  }
};

namespace detail {

[[nodiscard]] constexpr std::size_t round_up(std::size_t count, std::size_t step) {
  return (count + step - 1) / step * step;
}
[[nodiscard]] constexpr std::size_t divide_up(std::size_t count, std::size_t step) {
  return (count + step - 1) / step;
}

// A segment of k in the order of traversal, and its position in the stored operand.
struct Stretch {
  std::size_t first, depth;
  std::size_t stored;  // its smallest k
};

template <typename T, typename S>
class ChainWalk {
 public:
  ChainWalk(const Chain<T, S>& chain, const Options& options)
      : chain_(chain), p_(chain.problem), threads_(options.threads) {
    panels_ = divide_up(p_.n, chain.tile_columns);
    choose_blocks();
  }

  void run() {
    if (p_.d_count() == 0) return;
    const std::size_t panel_elements = p_.k * chain_.tile_columns;
    packed_b_ = make_buffer<T>(p_.batch * panels_ * panel_elements);
    if (p_.k != 0) {
      const std::size_t strips = divide_up(panels_, strip_panels());
      for_each_part(p_.batch * strips, threads_, Direction::kNearEven, [&](std::size_t part) {
        pack_strip(part / strips, part % strips * strip_panels());
      });
    }
    const std::size_t row_blocks = divide_up(p_.m, block_rows_);
    const std::size_t column_blocks = divide_up(panels_, block_panels_);
    for_each_part(p_.batch * row_blocks * column_blocks, threads_, Direction::kNearEven,
                  [&](std::size_t part) {
                    const std::size_t column_block = part % column_blocks;
                    const std::size_t row_block = part / column_blocks % row_blocks;
                    walk_block(part / column_blocks / row_blocks, row_block * block_rows_,
                               column_block * block_panels_);
                  });
  }

 private:
  static constexpr std::size_t kStretches = 4;

  // Chooses blocks whose operands stay in the level-2 cache, or smaller ones if there would be too
  // few for the threads.
  void choose_blocks() {
    block_rows_ = round_up(140, chain_.tile_rows);
    block_panels_ = std::max<std::size_t>(1, 1024 / columns_of_states());
    const std::size_t workers =
        threads_ != 0 ? threads_ : std::max(1U, std::thread::hardware_concurrency());
    const auto blocks = [&] {
      return p_.batch * divide_up(p_.m, block_rows_) * divide_up(panels_, block_panels_);
    };
    while (blocks() < 4 * workers && block_panels_ > 1) block_panels_ = divide_up(block_panels_, 2);
    while (blocks() < 4 * workers && block_rows_ > chain_.tile_rows) {
      block_rows_ = round_up(block_rows_ / 2, chain_.tile_rows);
    }
  }

  [[nodiscard]] std::size_t columns_of_states() const {
    return chain_.tile_columns * chain_.planes;
  }
  [[nodiscard]] std::size_t strip_panels() const { return kBlockDepth / chain_.tile_columns; }
  [[nodiscard]] Stretch stretch(std::size_t first) const {
    const std::size_t depth = std::min(kBlockDepth, p_.k - first);
    return {first, depth, chain_.reversed ? p_.k - first - depth : first};
  }
  // The position, in the order of traversal, of the x-th stored k of the stretch.
  [[nodiscard]] std::size_t place(const Stretch& s, std::size_t x) const {
    return chain_.reversed ? s.depth - 1 - x : x;
  }
  // Stored by stretch, then by panel, so that the next panel in memory is the next one used.
  [[nodiscard]] T* panel(std::size_t item, std::size_t index, const Stretch& s) const {
    const std::size_t lines = (item * p_.k + s.first) * panels_ + index * s.depth;
    return packed_b_.get() + lines * chain_.tile_columns;
  }

  // Packs several neighbouring panels of B: for every k, the columns of a tile next to each other.
  void pack_strip(std::size_t item, std::size_t first_panel) const {
    const std::size_t columns = chain_.tile_columns;
    const std::size_t last = std::min(first_panel + strip_panels(), panels_);
    const std::size_t j = first_panel * columns;
    const std::size_t width = std::min((last - first_panel) * columns, p_.n - j);
    const auto element = [&](std::size_t x, const Stretch& s, std::size_t column) {
      const std::size_t index = first_panel + column / columns;
      return panel(item, index, s) + place(s, x) * columns + column % columns;
    };
    alignas(64) T line[kBlockDepth];  // NOLINT(modernize-avoid-c-arrays)
    for (std::size_t first = 0; first < p_.k; first += kBlockDepth) {
      const Stretch s = stretch(first);
      if (width % columns != 0) std::fill_n(panel(item, last - 1, s), s.depth * columns, T{});
      for (std::size_t x = 0; !p_.transpose_b && x < s.depth; ++x) {
        chain_.load_b(p_.b_index(item, s.stored + x, j), width, line);
        for (std::size_t column = 0; column < width; column += columns) {
          std::copy_n(line + column, std::min(columns, width - column), element(x, s, column));
        }
      }
      for (std::size_t column = 0; p_.transpose_b && column < width; ++column) {
        chain_.load_b(p_.b_index(item, s.stored, j + column), s.depth, line);
        for (std::size_t x = 0; x < s.depth; ++x) *element(x, s, column) = line[x];
      }
    }
  }

  // Packs rows of A over several stretches of k: one plane per stretch, row by row; missing rows
  // are zero. It takes several stretches at a time because a row of A comes from distant memory and
  // is best read in one run.
  void pack_rows(std::size_t item, std::size_t i, std::size_t rows,
                 std::span<const Stretch> stretches, T* to) const {
    const std::size_t plane = round_up(rows, chain_.tile_rows) * kRowStride;
    for (std::size_t t = 0; t < stretches.size(); ++t) {
      std::fill(to + t * plane + rows * kRowStride, to + (t + 1) * plane, T{});
      if (p_.transpose_a) pack_columns(item, i, rows, stretches[t], to + t * plane);
    }
    for (std::size_t row = 0; !p_.transpose_a && row < rows; ++row) {
      for (std::size_t t = 0; t < stretches.size(); ++t) {
        const Stretch& s = stretches[t];
        T* line = to + t * plane + row * kRowStride;
        chain_.load_a(p_.a_index(item, i + row, s.stored), s.depth, line);
        if (chain_.reversed) std::reverse(line, line + s.depth);
      }
    }
  }

  // The same for one stretch, where A is stored by columns.
  void pack_columns(std::size_t item, std::size_t i, std::size_t rows, const Stretch& s,
                    T* to) const {
    const Buffer<T> column = make_buffer<T>(rows);
    for (std::size_t x = 0; x < s.depth; ++x) {
      chain_.load_a(p_.a_index(item, i, s.stored + x), rows, column.get());
      for (std::size_t row = 0; row < rows; ++row) {
        to[row * kRowStride + place(s, x)] = column[row];
      }
    }
  }

  // The states of a block are stored panel by panel, row by row, so those of a tile are contiguous
  // in memory.
  void walk_block(std::size_t item, std::size_t i, std::size_t first_panel) const {
    const std::size_t rows = std::min(block_rows_, p_.m - i);
    const std::size_t panels = std::min(block_panels_, panels_ - first_panel);
    const std::size_t padded_rows = round_up(rows, chain_.tile_rows);
    const std::size_t width = columns_of_states();
    const Buffer<S> states = make_buffer<S>(panels * padded_rows * width);
    const std::size_t plane = padded_rows * kRowStride;
    const Buffer<T> packed_a = make_buffer<T>(kStretches * plane);
    const auto states_of = [&](std::size_t index, std::size_t row) {
      return states.get() + (index * padded_rows + row) * width;
    };
    move_rows(item, i, first_panel, rows, panels, states_of, chain_.start, true);
    for (std::size_t index = 0; index < panels; ++index) {
      std::fill(states_of(index, rows), states_of(index, padded_rows), S{});
    }
    std::array<Stretch, kStretches> stretches;
    for (std::size_t first = 0; first < p_.k;) {
      std::size_t count = 0;
      for (; count < kStretches && first < p_.k; first += kBlockDepth) {
        stretches[count++] = stretch(first);
      }
      pack_rows(item, i, rows, {stretches.data(), count}, packed_a.get());
      const FloatingPointScope scope(chain_.direction);
      for (std::size_t t = 0; t < count; ++t) {
        for (std::size_t index = 0; index < panels; ++index) {
          const T* a = packed_a.get() + t * plane;
          const T* b = panel(item, first_panel + index, stretches[t]);
          for (std::size_t row = 0; row < rows; row += chain_.tile_rows) {
            chain_.tile(a + row * kRowStride, b, stretches[t].depth, states_of(index, row), width);
          }
        }
      }
    }
    move_rows(item, i, first_panel, rows, panels, states_of, chain_.finish, false);
  }

  // Passes every row of a block through `step`, which sees the row's states contiguously: into the
  // block at the start, out of it at the end.
  template <typename StatesOf, typename Step>
  void move_rows(std::size_t item, std::size_t i, std::size_t first_panel, std::size_t rows,
                 std::size_t panels, const StatesOf& states_of, const Step& step,
                 bool begin) const {
    const std::size_t width = columns_of_states();
    const std::size_t j = first_panel * chain_.tile_columns;
    const std::size_t columns = std::min(panels * chain_.tile_columns, p_.n - j);
    const Buffer<S> line = make_buffer<S>(panels * width);
    std::fill_n(line.get(), panels * width, S{});
    for (std::size_t row = 0; row < rows; ++row) {
      if (begin) step(item, i + row, j, columns, line.get());
      for (std::size_t index = 0; index < panels; ++index) {
        S* in_line = line.get() + index * width;
        S* in_block = states_of(index, row);
        std::copy_n(begin ? in_line : in_block, width, begin ? in_block : in_line);
      }
      if (!begin) step(item, i + row, j, columns, line.get());
    }
  }

  const Chain<T, S>& chain_;
  const operators::GemmProblem& p_;
  unsigned threads_;
  std::size_t panels_ = 0;
  std::size_t block_rows_ = 0;
  std::size_t block_panels_ = 0;
  Buffer<T> packed_b_;
};

}  // namespace detail

// Runs the chain of every output on the threads given by the options.
template <typename T, typename S>
void walk(const Chain<T, S>& chain, const Options& options) {
  detail::ChainWalk<T, S>(chain, options).run();
}

}  // namespace halfmark::fast
