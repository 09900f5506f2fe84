"""A sweep of `rung bench` as tables: shapes down, types or operations across; and what it comes to."""
import dataclasses
from typing import Callable

from figures import (ahead, best, elements, figure, input_bytes, least_share, median, percent, rate_text, ratio_over,
                     ratio_text, rows_of, shape_text, share, share_with_writes, table, time_text, unmeasured)

MIB, GIB = 2**20, 2**30
LIBRARY_NAMES = {"cub": "CUB", "thrust": "Thrust", "cublas": "cuBLAS"}


def timed_cell(point, row, library):
    return time_text(median(row)) + (f"<br>{ratio_text(ratio)}" if (ratio := ratio_over(point, row, library)) else "")


def rate_cell(point, row, library):
    """Where the library has no such call, another's ratio, by name."""
    shares = percent(share(point, row, "ceiling"))
    if whole := share_with_writes(point, row):
        shares += f"; {percent(whole)} with writes"
    cell = f"{rate_text(row)} ({shares})"
    for name in dict.fromkeys((library, *row["speedup"])):
        if ratio := ratio_over(point, row, name):
            return f"{cell}<br>{ratio_text(ratio)}" + ("" if name == library else f" {LIBRARY_NAMES.get(name, name)}")
    return cell


@dataclasses.dataclass
class Sweep:
    """A section of the page: one measurement, as tables of shapes down and types, or operations, across."""
    name: str
    title: str
    library: str
    cell: Callable
    explains: str
    across: str = "dtype"
    some: tuple = ()  # ("2^14 … 2^22", which points): the mean over these is told beside that of all


def group(points, key):
    groups = {}
    for point in points:
        groups.setdefault(key(point), []).append(point)
    return groups


def sweep_tables(sweep, points):
    """One for each operation, or for each type where operations stand side by side."""
    down = "dtype" if sweep.across == "operation" else "operation"
    out = []
    for title, part in group(points, lambda p: p[down]).items():
        columns = list(group(part, lambda p: p[sweep.across]))
        by_shape = group(part, lambda p: tuple(p["shape"]))
        shapes = sorted(by_shape) if all(len(shape) == 1 for shape in by_shape) else list(by_shape)
        named = len({row["name"] for p in part if (row := best(p))}) > 1
        rows = []
        for shape in shapes:
            cells = {p[sweep.across]: sweep_cell(sweep, p, named) for p in by_shape[shape]}
            rows.append([shape_text(by_shape[shape][0]), *(cells.get(c, "not run") for c in columns)])
        head = "elements" if all(len(shape) == 1 for shape in by_shape) else "shape"
        name = f"**{title}**\n\n" if title else ""
        out.append(name + table([head, *columns], rows, range(1, len(columns) + 1)))
    return "\n".join(out)


def sweep_cell(sweep, point, named):
    row = best(point)
    if not row:
        return "; ".join(unmeasured(row) for row in rows_of(point, "kernel")) or "not run"
    words = [sweep.cell(point, row, sweep.library)]
    if named:
        words.append(f"`{row['name']}`")
    if row["verdict"] != "pass":
        words.append(row["verdict"])
    return "<br>".join(words)


def explanation(sweep, points):
    """What stands in a cell."""
    text = sweep.explains.format(library=LIBRARY_NAMES[sweep.library])
    if sweep.cell is rate_cell and any_with_writes(points):
        text += (" GB/s and that share count what is read. Where the results are more than 1 % of it, the share with "
                 "writes counts them too: bytes read and written over the time, as a share of the same ceiling, which "
                 "only reads. In sum, each point has the one or the other.")
    return text


def refusals(sweep, points):
    """Why there is no ratio, and of which columns."""
    reasons = {}
    for point in points:
        for row in rows_of(point, "reference"):
            if row["column"] == sweep.library and not median(row):
                why = row["note"] if row["verdict"] == "skipped" else "its result differs"
                reasons.setdefault(why, []).append(point[sweep.across])
    return "".join(f"- {', '.join(dict.fromkeys(columns))}: {why}\n" for why, columns in reasons.items())


def at(pair, text):
    if not pair:
        return ""
    value, point = pair
    return f"{text(value)} at " + " ".join(filter(None, (point["operation"], point["dtype"], shape_text(point))))


def any_with_writes(points):
    return any((row := best(point)) and share_with_writes(point, row) for point in points)


def standing(points, library, some):
    """Cells: points compared, geometric mean, that over some of them, least, behind, least shares of large arrays."""
    of = lambda what: lambda point, row: share(point, row, what)
    # The least counts every point, by the one share or the other.
    written = any_with_writes(points)
    with_writes = lambda point, row: share_with_writes(point, row) or share(point, row, "ceiling")
    all_of = ahead(points, library)
    mean_text = lambda mean: figure(mean) if mean else ""
    cells = [str(all_of.compared), mean_text(all_of.mean)]
    if some:
        cells.append(mean_text(ahead(list(filter(some[1], points)), library).mean))
    large = [p for p in points if input_bytes(p) >= 64 * MIB]
    huge = [p for p in points if input_bytes(p) >= GIB]
    return cells + [at(all_of.least, figure), str(len(all_of.behind)) if all_of.compared else "",
                    at(least_share(large, of("ceiling")), percent),
                    at(least_share(large, with_writes), percent) if written else "",
                    at(least_share(huge, of("theoretical")), percent)]


def sweep_summary(sweep, points):
    """A line for each operation and one for each type; of columns, those that say something."""
    library = LIBRARY_NAMES[sweep.library]
    head = ["", f"points with {library}", "geometric mean", *([sweep.some[0]] if sweep.some else []), "least", "behind",
            "least of ceiling, ≥ 64 MiB", "the same, with writes", "least of peak, ≥ 1 GiB"]
    operations = {name: part for name, part in group(points, lambda p: p["operation"]).items() if name}
    types = group(points, lambda p: p["dtype"])
    rows = [["all", *standing(points, sweep.library, sweep.some)]]
    for parts in (operations, types):
        if len(parts) > 1:
            rows += [[name, *standing(part, sweep.library, sweep.some)] for name, part in parts.items()]
    told = [k for k in range(len(head)) if any(row[k] not in ("", "0") for row in rows) or head[k] == "behind"]
    if head.index("least") not in told:
        told.remove(head.index("behind"))
    return table([head[k] for k in told], [[row[k] for k in told] for row in rows], range(1, len(told)))


def wide_cost(measured):
    """What the wide accumulator costs where memory, not the launch, is waited for: the most, of medians. Of files that
    were measured together: cards differ by more than that."""
    if not {"reduce-sizes", "reduce-wide"} <= measured.keys():
        return ""
    if measured["reduce-sizes"].together() != measured["reduce-wide"].together():
        return "`wide` was not measured together with `same`: what it costs is not said here.\n\n"
    key = lambda p: (p["dtype"], p["operation"], tuple(p["shape"]))
    same = {key(p): best(p) for p in measured["reduce-sizes"].points}
    costs = [(median(wide) / median(same[key(p)]) - 1, p) for p in measured["reduce-wide"].points
             if elements(p) >= 2**26 and (wide := best(p)) and same.get(key(p))]
    if not costs:
        return ""
    cost, point = max(costs, key=lambda pair: pair[0])
    return (f"At 2^26 elements and more `wide` takes at most {100 * cost:.1f} % longer than `same` "
            f"({point['dtype']}, {shape_text(point)}).\n\n")


