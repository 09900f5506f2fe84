// How the oracle walks an outer × n × inner array on all cores: strips of neighbouring columns, and where there are
// few outputs, chunks along the axis whose cells are merged in the order of the axis.
#pragma once
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rung {

struct Extent {
  std::size_t outer, n, inner;
};

inline constexpr std::size_t strip_width = 64;

/// What one task folds: `rows` positions of the axis from `row` on, of `width` columns from `column` on.
/// Element (r, c) is in[start + r * stride + c].
struct Block {
  std::size_t start, stride, rows, width, row;
};

/// Cell: starts neutral, and has merge(const Cell& later). fold(cells, block) adds a block to `width` cells;
/// finish(output, cell) takes the result. Both are called from many threads.
template <class Cell, class Fold, class Finish>
void sweep(const Extent& e, const Fold& fold, const Finish& finish) {
  const std::size_t outputs = e.outer * e.inner;
  if (outputs == 0) return;
  const std::size_t strips = (e.inner + strip_width - 1) / strip_width, width = std::min(e.inner, strip_width);
  const std::size_t wanted = std::max<std::size_t>(1, e.n / std::max<std::size_t>(1, (1 << 16) / width));
  const std::size_t most = std::max<std::size_t>(1, (1 << 16) / outputs);
  const std::size_t rows = std::max<std::size_t>(1, e.n / std::min(wanted, most));
  const std::size_t chunks = std::max<std::size_t>(1, (e.n + rows - 1) / rows);
  std::vector<Cell> partials(chunks > 1 ? outputs * chunks : 0);

  const auto task = [&]<std::size_t capacity>(std::size_t index) {
    const std::size_t chunk = index % chunks, strip = index / chunks % strips, outer = index / chunks / strips;
    const std::size_t row = chunk * rows, column = strip * strip_width;
    const std::size_t columns = std::min(strip_width, e.inner - column);
    const Block block{(outer * e.n + row) * e.inner + column, e.inner, std::min(rows, e.n - row), columns, row};
    Cell cells[capacity];
    fold(cells, block);
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t output = outer * e.inner + column + c;
      if (chunks == 1)
        finish(output, cells[c]);
      else
        partials[output * chunks + chunk] = cells[c];
    }
  };
  const std::size_t grain = std::max<std::size_t>(1, 4096 / std::max<std::size_t>(1, rows * width));
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, e.outer * strips * chunks, grain), [&](const auto& range) {
    for (std::size_t index = range.begin(); index != range.end(); ++index)
      width == 1 ? task.template operator()<1>(index) : task.template operator()<strip_width>(index);
  });
  if (chunks == 1) return;
  tbb::parallel_for(std::size_t{0}, outputs, [&](std::size_t output) {
    Cell total = partials[output * chunks];
    for (std::size_t chunk = 1; chunk < chunks; ++chunk) total.merge(partials[output * chunks + chunk]);
    finish(output, total);
  });
}

/// A fold that visits one element after another: add(cell, element, position along the axis).
template <class T, class Cell, class Add>
auto each_element(const T* in, const Add& add) {
  return [in, add](Cell* cells, const Block& b) {
    for (std::size_t r = 0; r < b.rows; ++r)
      for (std::size_t c = 0; c < b.width; ++c) add(cells[c], in[b.start + r * b.stride + c], b.row + r);
  };
}

}  // namespace rung
