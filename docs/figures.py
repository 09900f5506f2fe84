"""What the JSON of `rung bench` says: its points and rows, and figures as the documents write them."""
import dataclasses
import json
import math
import pathlib
import re


@dataclasses.dataclass
class Measurement:
    """A file of docs/measurements."""
    name: str
    environment: dict
    points: list
    commit: str

    def together(self):
        """What files that were measured together have alike: commit, card, driver, machine and day (UTC). A report does
        not tell one card from another of its kind."""
        facts = [self.environment.get(name) for name in ("driver", "cuda", "processor", "threads", "system")]
        devices = sorted({point["device"] for point in self.points})
        return self.commit, devices, facts, self.environment.get("date", "")[:10]


def load(folder):
    """All of them, by name; none where nothing was measured."""
    folder = pathlib.Path(folder)
    commits = folder / "commits.txt"
    commit_of = dict(line.split(None, 1) for line in commits.read_text().splitlines()) if commits.exists() else {}
    found = {}
    for path in sorted(folder.glob("*.json")):
        report = json.loads(path.read_text())
        if report["points"]:
            found[path.stem] = Measurement(path.stem, report["environment"], report["points"],
                                           commit_of.get(path.stem, "unknown"))
    return found


# Points and rows.

def elements(point):
    return math.prod(point["shape"])


def input_bytes(point):
    """What a mover reads and writes counts twice."""
    return point["logical_bytes"] / (1 if point["family"] == "reduce" else 2)


def rows_of(point, role):
    return [row for row in point["rows"] if row["role"] == role]


def median(row):
    """Seconds; None of what was refused or is wrong."""
    return row["seconds"] and row["seconds"]["median"]


def best(point):
    """The kernel of a point that measures one: None where none has a time."""
    return next((row for row in rows_of(point, "kernel") if median(row)), None)


def ratio_over(point, row, library):
    """{median, low, high} of the library's time over the row's; None without both times."""
    timed = any(other["column"] == library and median(other) for other in rows_of(point, "reference"))
    ratio = row["speedup"].get(library) if timed else None
    return ratio if ratio and ratio["pairs"] and ratio["median"] else None


def share(point, row, of):
    """Of "ceiling" (measured) or "theoretical" bandwidth; None where that is not known."""
    return row["bytes_per_second"] / point[of] if median(row) and point[of] else None


def share_with_writes(point, row):
    """Of the measured ceiling, which only reads, with the bytes of the result counted too: for reductions along axes
    that write more than 1 % of what they read. None for others, and for reports that do not say what is written."""
    moved = point.get("bytes")
    if point["family"] != "reduce" or " along " not in point["operation"] or not moved:
        return None
    if moved["written"] <= moved["read"] / 100 or not share(point, row, "ceiling"):
        return None
    return (moved["read"] + moved["written"]) / median(row) / point["ceiling"]


def behind(ratio):
    return ratio["high"] < 1


def no_difference(ratio):
    return ratio["low"] <= 1 <= ratio["high"]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


@dataclasses.dataclass
class Ahead:
    """How the kernels of some points stand against a library."""
    compared: int          # points at which both have a time
    mean: float            # geometric, of the median ratios; None of no points
    least: tuple           # (ratio, point); None of no points
    behind: list           # points whose interval is wholly below 1


def ahead(points, library):
    pairs = [(ratio, point) for point in points
             if (row := best(point)) and (ratio := ratio_over(point, row, library))]
    least = min(pairs, key=lambda pair: pair[0]["median"], default=None)
    return Ahead(len(pairs), geometric_mean([ratio["median"] for ratio, _ in pairs]),
                 least and (least[0]["median"], least[1]), [point for ratio, point in pairs if behind(ratio)])


def least_share(points, of):
    """(share, point), of what `of` finds of a point and its best row; None where no point has one."""
    shares = [(found, point) for point in points if (row := best(point)) and (found := of(point, row))]
    return min(shares, key=lambda pair: pair[0], default=None)


# Text.

def figure(value, digits=4):
    """Significant digits, without an exponent and without a bare point."""
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def time_text(seconds):
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= scale:
            return f"{figure(seconds / scale)} {unit}"
    return f"{figure(seconds / 1e-9)} ns"


def rate_text(row):
    """GB/s, with a word where that cannot be the memory's."""
    return figure(row["bytes_per_second"] / 1e9) + (" suspect" if row["suspect"] else "")


def percent(value):
    return "" if value is None else f"{100 * value:.1f} %"


def ratio_text(ratio):
    """"2.012 [2.007, 2.015]"; `=` after an interval that contains 1, `behind` after one wholly below."""
    if ratio is None:
        return ""
    text = "{} [{}, {}]".format(*(figure(ratio[key]) for key in ("median", "low", "high")))
    return text + (" =" if no_difference(ratio) else " behind" if behind(ratio) else "")


def shape_text(point):
    """2^28+1 of one dimension, 4097x8191 of several."""
    shape = point["shape"]
    if len(shape) > 1:
        return "x".join(map(str, shape))
    for more in (0, 1):
        power = (shape[0] - more).bit_length() - 1
        if power >= 10 and shape[0] == 2**power + more:
            return f"2^{power}" + (f"+{more}" if more else "")
    return str(shape[0])


def command_text(environment):
    """As typed, but for where the report went."""
    return re.sub(r" --json \S+| -q\b", "", environment["command"])


def unmeasured(row):
    """Why a row has no time."""
    what = {"skipped": "refused", "fail": "wrong"}.get(row["verdict"], "no sample was kept")
    return what + (f": {row['note']}" if row["note"] else "")


def table(head, rows, right=()):
    """Markdown. `right`: columns of numbers."""
    line = lambda cells: "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
    rule = "|" + "|".join("---:" if k in right else "---" for k in range(len(head))) + "|\n"
    return line(head) + rule + "".join(map(line, rows))
