// The schedule of cpu-serial and cpu-parallel: which parts of an array become partials, and who reduces them.
#include "../machine/cpu/cpu.hpp"
#include "cpu_loops.hpp"

#include <algorithm>
#include <cmath>

namespace rung::reduce::cpu {
namespace {

using rung::cpu::ceil_div;

/// Elements that are worth a task of their own.
constexpr std::size_t task_elements = std::size_t{1} << 16;
/// Bytes of the accumulators of one tile, of any type.
constexpr std::size_t tile_bytes = tile * 16;

/// How each of the `outer` slabs of n × inner elements is cut: along n into `parts` of `length`.
struct Cut {
  explicit Cut(const Problem& p) {
    if (p.inner == 1) {
      length = chunk;
    } else {
      side_by_side = p.inner < narrow_width ? narrow_width / std::max<std::size_t>(1, p.inner) : 1;
      length = side_by_side > 1 ? 128 * side_by_side : most_rows;
    }
    parts = std::max<std::size_t>(1, ceil_div(p.n, length));
  }
  std::size_t length = 0, parts = 1;
  std::size_t side_by_side = 1;  ///< rows that one loop over columns reads at once
};

/// Depth of a fold of neighbours in pairs.
double depth(std::size_t count) { return std::ceil(std::log2(static_cast<double>(std::max<std::size_t>(1, count)))); }

/// The longest chain of additions of one part, and of the parts' fold.
double chain(const Problem& p, const Cut& cut, std::size_t accumulator) {
  const std::size_t n = std::min(p.n, cut.length);
  double part = 0;
  if (p.inner == 1) {
    const std::size_t lanes = 256 / accumulator;
    part = n <= sequential ? static_cast<double>(n) : static_cast<double>(ceil_div(n, lanes)) + depth(lanes);
  } else {
    const std::size_t rows = std::clamp<std::size_t>(n, 1, cut.side_by_side);
    part = static_cast<double>(n / rows + 1) + depth(rows) + 1;
  }
  return part + depth(cut.parts);
}

class Run {
 public:
  Run(const Problem& p, const ReduceSizes& sizes, const Loops& loops, bool parallel, const void* in, void* out,
      void* workspace)
      : p_(p),
        sizes_(sizes),
        loops_(loops),
        parallel_(parallel),
        in_(static_cast<const std::byte*>(in)),
        out_(static_cast<std::byte*>(out)),
        partials_(static_cast<std::byte*>(workspace)),
        cut_(p) {}

  void operator()() const {
    if (p_.output_elements() == 0) return;
    if (p_.inner == 1)
      cut_.parts == 1 ? short_rows() : long_rows();
    else
      columns();
  }

 private:
  template <class Task>
  void spread(std::size_t count, std::size_t elements_each, const Task& task) const {
    if (parallel_)
      rung::cpu::on_all_cores(count, task_elements / std::max<std::size_t>(1, elements_each), task);
    else
      task(0, count);
  }
  const std::byte* input(std::size_t element) const { return in_ + element * sizes_.input; }
  std::byte* output(std::size_t element) const { return out_ + element * sizes_.result; }
  std::byte* partial(std::size_t element) const { return partials_ + element * sizes_.accumulator; }

  void short_rows() const {
    spread(p_.outer, p_.n, [&](std::size_t first, std::size_t last) {
      loops_.rows(input(first * p_.n), last - first, p_.n, output(first));
    });
  }

  void long_rows() const {
    spread(p_.outer * cut_.parts, chunk, [&](std::size_t first, std::size_t last) {
      for (std::size_t unit = first; unit < last; ++unit) {
        const std::size_t start = unit % cut_.parts * chunk, row = unit / cut_.parts;
        loops_.row(input(row * p_.n + start), std::min(chunk, p_.n - start), start, partial(unit));
      }
    });
    spread(p_.outer, cut_.parts, [&](std::size_t first, std::size_t last) {
      for (std::size_t row = first; row < last; ++row) {
        loops_.fold(partial(row * cut_.parts), cut_.parts, 1, 1);
        loops_.finish_row(input(row * p_.n), partial(row * cut_.parts), p_.n, output(row));
      }
    });
  }

  /// Tasks are (slab, part, tile of columns). One part goes straight to the output; more leave partials.
  void columns() const {
    const std::size_t tiles = ceil_div(p_.inner, tile), length = std::min(p_.n, cut_.length);
    spread(p_.outer * cut_.parts * tiles, length * std::min(p_.inner, tile), [&](std::size_t first, std::size_t last) {
      for (std::size_t task = first; task < last; ++task) part_of_columns(task / tiles, task % tiles * tile);
    });
    if (cut_.parts == 1) return;
    spread(p_.outer * tiles, cut_.parts * std::min(p_.inner, tile), [&](std::size_t first, std::size_t last) {
      for (std::size_t task = first; task < last; ++task) {
        const std::size_t slab = task / tiles, column = task % tiles * tile;
        const std::size_t width = std::min(tile, p_.inner - column);
        std::byte* acc = partial(slab * cut_.parts * p_.inner + column);
        loops_.fold(acc, cut_.parts, p_.inner, width);
        loops_.finish(acc, width, p_.n, output(slab * p_.inner + column));
      }
    });
  }

  void part_of_columns(std::size_t unit, std::size_t column) const {
    const std::size_t start = unit % cut_.parts * cut_.length, slab = unit / cut_.parts;
    const std::size_t rows = std::min(cut_.length, p_.n - start), width = std::min(tile, p_.inner - column);
    const std::byte* in = input((slab * p_.n + start) * p_.inner + column);
    alignas(64) std::byte local[tile_bytes];
    std::byte* acc = cut_.parts == 1 ? local : partial(unit * p_.inner + column);
    if (cut_.side_by_side > 1 && rows > 0)
      loops_.narrow(in, rows, width, start, acc);
    else
      loops_.columns(in, rows, p_.inner, width, start, acc);
    if (cut_.parts == 1) loops_.finish(acc, width, p_.n, output(slab * p_.inner + column));
  }

  const Problem& p_;
  const ReduceSizes& sizes_;
  const Loops& loops_;
  bool parallel_;
  const std::byte* in_;
  std::byte *out_, *partials_;
  Cut cut_;
};

}  // namespace

Plan plan(const Problem& p, const ReduceSizes& sizes, const Launch& launch, unsigned cores) {
  if (const std::string reason = rung::cpu::launch_refusal(launch); !reason.empty()) return refuse(reason);
  const Cut cut(p);
  Plan plan;
  if (cut.parts > 1) plan.workspace = p.outer * cut.parts * p.inner * sizes.accumulator;
  plan.chain = chain(p, cut, sizes.accumulator);
  plan.launch = std::to_string(cores) + (cores == 1 ? " core, " : " cores, ") + std::to_string(cut.parts) +
                (cut.parts == 1 ? " part a result" : " parts a result");
  return plan;
}

void run(const Problem& p, const ReduceSizes& sizes, const Loops& loops, bool parallel, const void* in, void* out,
         void* workspace) {
  Run(p, sizes, loops, parallel, in, out, workspace)();
}

}  // namespace rung::reduce::cpu
