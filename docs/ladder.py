"""docs/ladder.md, its plots and the README's table, from the files that docs/measure.sh leaves in docs/measurements.

refresh.py writes what `pages` and `summary` return; both depend on those files and on `rung list` alone."""
import copy
import dataclasses
import json
import pathlib
import re
import subprocess
import tempfile
import textwrap

from figures import (ahead, command_text, elements, figure, load, median, no_difference, percent, rate_text, ratio_over,
                     rows_of, shape_text, share, table, time_text, unmeasured)
from sweeps import (LIBRARY_NAMES, Sweep, at, explanation, rate_cell, refusals, sweep_summary, sweep_tables, timed_cell,
                    wide_cost)

MEASURED = pathlib.Path("docs/measurements")


@dataclasses.dataclass
class Family:
    name: str
    title: str
    library: str
    plotted: tuple  # (sweep, which points): GB/s by size
    sweeps: tuple


TIME = "Time, and that of {library} over it with its 95 % interval."
RATE = "GB/s, in brackets the share of the ceiling, and the time of {library} over the kernel's with its 95 % interval."
MIDDLE = ("2^14 … 2^22", lambda point: 2**14 <= elements(point) <= 2**22)
MATRICES = ("without single rows", lambda point: 1 not in point["shape"])

FAMILIES = (
    Family("reduce", "Reduce", "cub", ("reduce-sizes", lambda p: p["operation"] == "sum" and p["dtype"] == "f32"), (
        Sweep("reduce-sizes", "Sum and max", "cub", timed_cell, TIME, some=MIDDLE),
        Sweep("reduce-wide", "Sum in a wide accumulator", "cub", timed_cell,
              TIME + " On both sides integers add in 64 bits and f32 in f64; f16 adds in f32, as it does with `--acc "
              "same`.", some=MIDDLE),
        Sweep("argmax-sizes", "Argmax", "cub", timed_cell, TIME, some=MIDDLE),
        Sweep("axis", "Reductions along an axis", "cub", rate_cell, RATE, "operation"),
        Sweep("axis-middle", "Reductions along the middle of three axes", "cub", rate_cell, RATE, "operation"))),
    Family("transpose", "Transpose", "cublas",
           ("transpose-shapes", lambda p: p["dtype"] == "f32" and p["shape"][0] == p["shape"][1]), (
        Sweep("transpose-shapes", "Transposes by shape", "cublas", rate_cell, RATE, some=MATRICES),
        Sweep("transpose-types", "Transposes by size of the element", "cublas", rate_cell, RATE),
        Sweep("transpose-oblong", "Some hundred columns or rows", "cublas", rate_cell, RATE),
        Sweep("transpose-bytes", "Few columns or rows of bytes", "cublas", rate_cell, RATE),
        Sweep("transpose-permutation-210", "All of three axes turned round", "cublas", rate_cell, RATE),
        Sweep("transpose-permutation-102", "The first two of three axes exchanged", "cublas", rate_cell, RATE))),
    Family("reverse", "Reverse", "thrust", ("reverse-sizes", lambda p: p["dtype"] == "f32"), (
        Sweep("reverse-sizes", "Reverses by size", "thrust", rate_cell, RATE),)))


def output(rung, *args):
    return subprocess.run([rung, *args], stdout=subprocess.PIPE, text=True, check=True).stdout


# What the rungs are.

def rungs(rung, root):
    """By family: {name: (summary, Markdown link)} of those that run on a GPU, and the names of the ladder."""
    known, ladder = {}, {}
    for line in output(rung, "list", "kernels", "--markdown").splitlines()[2:]:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        family, name, _, machines, flags, algorithm = cells
        if "gpu" not in machines:
            continue
        name = name.strip("`")
        source = f"kernels/{family}/{name}.cu"
        link = f"[`{name}`](../{source})" if (root / source).exists() else f"`{name}`"
        gpu_only = "" if "sim" in machines.split(", ") else " (no simulator runs it)"
        known.setdefault(family, {})[name] = (algorithm + gpu_only, link)
        if "ladder" in flags.split(", "):
            ladder.setdefault(family, []).append(name)
    return known, ladder


def over_previous(row, above):
    """The name where the row above is not what it is compared with."""
    ratio = row["speedup_over_previous"]
    if not ratio or not ratio["median"]:
        return ""
    other = "" if ratio["kernel"] == above else f" `{ratio['kernel']}`"
    return figure(ratio["median"], 3) + (" =" if no_difference(ratio) else "") + other


def ladder_rows(point, family, known, ladder):
    """(name, link, time, GB/s, of ceiling, of peak, x before, x library, what it does), of kernels in their order."""
    rows, above = [], None
    kernels = rows_of(point, "kernel")
    for row in kernels:
        summary, link = known.get(row["name"], ("", f"`{row['name']}`"))
        if not median(row):
            rows.append((row["name"], link, *[""] * 6, unmeasured(row)))
            continue
        ratio = ratio_over(point, row, family.library)
        doubt = " (unverifiable)" if row["verdict"] == "unverifiable" else ""
        rows.append((row["name"], link, time_text(median(row)), rate_text(row), percent(share(point, row, "ceiling")),
                     percent(share(point, row, "theoretical")), over_previous(row, above),
                     figure(ratio["median"], 3) + (" =" if no_difference(ratio) else "") if ratio else "",
                     summary + doubt))
        above = row["name"]
    there = {row["name"] for row in kernels}
    rows += [(name, known[name][1], *[""] * 6, "not measured yet") for name in ladder if name not in there]
    return rows


def ladder_table(point, family, known, ladder):
    rows = [row[1:] for row in ladder_rows(point, family, known, ladder)]
    for row in rows_of(point, "reference") + rows_of(point, "ceiling"):
        if median(row):
            rows.append((row["name"], time_text(median(row)), rate_text(row), percent(share(point, row, "ceiling")),
                         percent(share(point, row, "theoretical")), "", "",
                         "; ".join(filter(None, (row["version"], row["note"])))))
    head = ("rung", "time", "GB/s", "of ceiling", "of peak", "x the one before", f"x {LIBRARY_NAMES[family.library]}",
            "what it does")
    return table(head, rows, range(1, 7))


# Plots: the points of interest, with short names, drawn by rung.

def plot(rung, measurement, points, one_kernel):
    points = copy.deepcopy(points)
    for point in points:
        for row in point["rows"]:
            if row["role"] == "reference":
                row["name"] = row["version"] or row["column"]
            elif row["role"] == "kernel" and one_kernel:
                row["name"] = "rung, best"
    report = {"schema": "rung-bench-1", "environment": measurement.environment, "points": points}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "plot.json"
        source.write_text(json.dumps(report))
        return output(rung, "bench", "--from-json", source, "--svg", "-", "-q")


# The page.

FEW = 4  # points that need no summary


def wrapped(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def ladder_of(measured, family):
    return measured.get(f"{family.name}-ladder")


def what_text(point):
    operation = f" {point['operation']}" if point["operation"] else ""
    acc = f", `--acc {point['accumulator']}`" if point["accumulator"] else ""
    return f"{point['family']}{operation} of {point['dtype']}, {shape_text(point)}{acc}"


ENOUGH = 20  # samples: bench's --min-samples


def samples_text(point):
    """A doubt, where bench came to --max-time before its fewest samples."""
    fewest = min((row["seconds"]["n"] for row in rows_of(point, "kernel") if median(row)), default=ENOUGH)
    if fewest >= ENOUGH:
        return ""
    return " (one sample of each, no interval)" if fewest == 1 else f" (medians of as few as {fewest} samples)"


def family_text(family, measured, known, ladder, plots):
    out = f"## {family.title}\n\n"
    if m := ladder_of(measured, family):
        point = m.points[0]
        out += f"The rungs, {what_text(point)}{samples_text(point)}:\n\n{ladder_table(point, family, known, ladder)}\n"
        out += f"![GB/s of each rung](plots/{family.name}-ladder.svg)\n\n"
    if f"{family.name}-sizes" in plots:
        out += f"The best by size, of f32:\n\n![GB/s by size](plots/{family.name}-sizes.svg)\n\n"
    for sweep in family.sweeps:
        if sweep.name not in measured:
            continue
        points = measured[sweep.name].points
        explains = wrapped(explanation(sweep, points))
        out += f"### {sweep.title}\n\n{explains}\n\n{sweep_tables(sweep, points)}\n"
        if len(points) > FEW:
            out += f"In sum:\n\n{sweep_summary(sweep, points)}\n"
        if sweep.name == "reduce-wide":
            out += wide_cost(measured)
        if why := refusals(sweep, points):
            out += f"Not compared with {LIBRARY_NAMES[sweep.library]}:\n\n{why}\n"
    return out


def provenance(measured):
    """A line a file: what would be typed to measure it again."""
    rows = []
    for m in measured.values():
        e, noise = m.environment, [p["noise"] for p in m.points if p["noise"]]
        floor = sorted(max(abs(n["low"] - 1), abs(n["high"] - 1)) for n in noise)
        rows.append([f"[{m.name}](measurements/{m.name}.json)", e.get("date", "")[:10], m.commit,
                     ", ".join(dict.fromkeys(p["device"] for p in m.points)), e.get("driver", ""), e.get("cuda", ""),
                     str(len(m.points)), percent(floor[len(floor) // 2]) if floor else "", f"`{command_text(e)}`"])
    head = ("file", "date", "commit", "device", "driver", "CUDA", "points", "noise floor, median", "command")
    return table(head, rows)


def versions(measured):
    """The libraries, in words."""
    found = dict.fromkeys(row["version"] for m in measured.values() for p in m.points
                          for row in rows_of(p, "reference") if median(row) and row["version"])
    return ", ".join(found)


def device_text(measured):
    points = [p for m in measured.values() for p in m.points]
    devices = ", ".join(dict.fromkeys(f"{p['device']} ({figure(p['theoretical'] / 1e9)} GB/s by its driver)"
                                      for p in points))
    return f"{devices}, against {versions(measured)}" if versions(measured) else devices


INTRO = """# The ladder, measured

{device}

Every run is in graph mode, over inputs in rotation, so that nothing is in the cache; kernel, library and ceiling take
turns. **GB/s** are logical bytes; **ceiling** is that of a kernel that only reads, or only copies, in the same turns;
**peak** is the driver's figure. A ratio is the library's time over the kernel's, the median of neighbours with its 95 %
interval: above 1 the kernel is faster, `=` where the interval contains 1, `behind` where all of it is below.
[benchmarking.md](benchmarking.md) has the method.

"""


def pages(rung, root):
    """{path: text} of what is to be in the documents' folder; nothing where nothing was measured."""
    root = pathlib.Path(root)
    measured = load(root / MEASURED)
    known, ladder = rungs(rung, root) if measured else ({}, {})
    out, plots, text = {}, {}, ""
    for family in FAMILIES:
        if m := ladder_of(measured, family):
            plots[f"{family.name}-ladder"] = plot(rung, m, m.points[:1], False)
        sweep, wanted = family.plotted
        if sweep in measured and (points := list(filter(wanted, measured[sweep].points))):
            plots[f"{family.name}-sizes"] = plot(rung, measured[sweep], points, True)
        if ladder_of(measured, family) or any(s.name in measured for s in family.sweeps):
            text += family_text(family, measured, known.get(family.name, {}), ladder.get(family.name, []), plots)
    if text:
        out["docs/ladder.md"] = INTRO.format(device=wrapped(
            f"On {device_text(measured)}. `./dev ladder` measures it again and writes this page.")) + text + (
            "## Where the figures come from\n\n" + provenance(measured))
    return out | {f"docs/plots/{name}.svg": svg for name, svg in plots.items()}


def summary_of_rungs(measured, known, ladder):
    rows, problems = [], []
    for family in FAMILIES:
        if not (m := ladder_of(measured, family)):
            continue
        point = m.points[0]
        problems.append(what_text(point) + samples_text(point))
        of_family = ladder_rows(point, family, known.get(family.name, {}), ladder.get(family.name, []))
        for name, _, _, rate, ceiling, peak, before, over, _ in of_family:
            if rate:
                rows.append((family.name, f"`{name}`", rate, ceiling, peak, before,
                             over and f"{over} {LIBRARY_NAMES[family.library]}"))
    head = ("family", "rung", "GB/s", "of ceiling", "of peak", "x the one before", "x library")
    text = wrapped(f"On {device_text(measured)}, each rung of: {'; '.join(problems)}.")
    return f"{text}\n\n{table(head, rows, range(2, 7))}\n"


def summary_of_sweeps(measured):
    rows = []
    for sweep in (sweep for family in FAMILIES for sweep in family.sweeps if sweep.name in measured):
        a = ahead(measured[sweep.name].points, sweep.library)
        if a.compared:
            rows.append((sweep.title, LIBRARY_NAMES[sweep.library], str(a.compared), figure(a.mean),
                         at(a.least, figure), str(len(a.behind))))
    if not rows:
        return ""
    head = ("", "library", "points", "geometric mean", "least", "points behind")
    return ("The kernels that `best` chooses; a ratio is the library's time over theirs:\n\n" +
            table(head, rows, range(2, 6)) + "\n")


def summary(rung, root):
    """The README's section; None where no ladder was measured."""
    root = pathlib.Path(root)
    measured = load(root / MEASURED)
    if not any(ladder_of(measured, family) for family in FAMILIES):
        return None
    return ("## How fast\n\n" + summary_of_rungs(measured, *rungs(rung, root)) + summary_of_sweeps(measured) +
            "[docs/ladder.md](docs/ladder.md) has all of it; `rung list kernels -v` says what each rung teaches.\n")
