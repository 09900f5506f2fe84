"""docs/ladder.py: figures from a bench report made by hand, whose answers are plain arithmetic."""
import json
import os
import pathlib
import re
import sys

from process import RUNG, Case, main

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))
import figures  # noqa: E402
import ladder  # noqa: E402
import sweeps  # noqa: E402


def row(role, name, ms, gigabytes, **more):
    """10^9 bytes a millisecond are 1000 GB/s. ms None: not timed."""
    seconds = ms and {"n": 20, "min": ms / 1e3, "lower_quartile": ms / 1e3, "median": ms / 1e3,
                      "upper_quartile": ms / 1e3, "mad": 0.0, "low": ms / 1e3, "high": ms / 1e3}
    return {"role": role, "name": name, "column": "", "version": "", "verdict": "pass", "note": "", "launch": "",
            "seconds": seconds, "bytes_per_second": ms and gigabytes * 1e12 / ms, "waits": False, "runs_a_sample": 1,
            "dropped": 0, "stopped": "precision", "megahertz": None, "speedup": {}, "speedup_over_previous": None,
            "suspect": False, "mismatches": 0, "first_mismatches": [], **more}


def ratio(median, low, high, **more):
    return {"median": median, "low": low, "high": high, "pairs": 20, **more}


def point(rows, shape, dtype="f32", family="reduce", operation="sum", gigabytes=1.0):
    return {"input": "uniform, seed 0", "family": family, "operation": operation, "dtype": dtype, "shape": shape,
            "accumulator": "same" if family == "reduce" else None, "launch": {"block": 0, "grid": 0, "items": 0},
            "machine": "gpu", "device": "Some GPU", "mode": "graph", "simulated": False,
            "logical_bytes": gigabytes * 1e9, "sets": 2, "theoretical": 4e12, "ceiling": 2e12,
            "noise": ratio(1.0, 0.999, 1.002), "precision": 0.005, "rows": rows, "warnings": []}


def compared(over, shape, dtype="f32", ms=1.0, **more):
    """A kernel and CUB, which takes `over`'s median as long."""
    return point([row("kernel", "vector", ms, 1.0, speedup={"cub": over}),
                  row("reference", "cub::X", ms * over["median"], 1.0, column="cub", version="CUB 9")], shape, dtype,
                 **more)


class Arithmetic(Case):
    def test_shares_are_of_the_ceiling_and_of_the_peak(self):
        p = compared(ratio(2.0, 1.9, 2.1), [2**20])
        kernel = figures.best(p)
        self.assertEqual(figures.share(p, kernel, "ceiling"), 0.5)
        self.assertEqual(figures.share(p, kernel, "theoretical"), 0.25)
        self.assertEqual(sweeps.rate_cell(p, kernel, "cub"), "1000 (50.0 %)<br>2.000 [1.900, 2.100]")

    def test_mean_is_geometric_and_behind_is_a_whole_interval_below_1(self):
        points = [compared(ratio(4.0, 3.9, 4.1), [2**10]), compared(ratio(0.25, 0.2, 0.3), [2**12]),
                  compared(ratio(0.99, 0.98, 1.01), [2**14])]
        found = figures.ahead(points[:2], "cub")
        self.assertAlmostEqual(found.mean, 1.0)
        self.assertEqual((found.compared, found.least[0], found.behind), (2, 0.25, [points[1]]))
        self.assertEqual(figures.ahead(points[2:], "cub").behind, [])
        self.assertEqual(figures.ahead(points, "thrust").compared, 0)

    def test_what_an_axis_reduction_writes_is_counted_in_a_second_share(self):
        def of(read, written, operation="sum along axis 0", **more):
            p = point([row("kernel", "axis", 1.0, 1.0)], [4, 5], operation=operation, **more)
            return {**p, "bytes": {"read": read, "written": written}}

        # 1 GB in a millisecond is half of the ceiling; with a quarter of it more, 5/8.
        p = of(1e9, 0.25e9)
        self.assertAlmostEqual(figures.share_with_writes(p, figures.best(p)), 0.625)
        self.assertEqual(sweeps.rate_cell(p, figures.best(p), "cub"), "1000 (50.0 %; 62.5 % with writes)")
        old = {k: v for k, v in p.items() if k != "bytes"}
        for none in (old, {**p, "bytes": None}, {**p, "ceiling": None}, of(1e9, 1e7), of(1e9, 0.25e9, "sum"),
                     of(1e9, 1e9, "along axis 0", family="reverse")):
            self.assertIsNone(figures.share_with_writes(none, figures.best(none)))
            self.assertFalse(sweeps.any_with_writes([none]))
        self.assertIsNotNone(figures.share_with_writes(of(1e9, 1.1e7), row("kernel", "axis", 1.0, 1.0)))

    def test_the_least_share_with_writes_is_over_all_points(self):
        big = {"gigabytes": 1.0, "operation": "sum along axis 0"}
        few = {**compared(ratio(1, 1, 1), [9, 9], ms=0.8, **big), "bytes": {"read": 1e9, "written": 1}}
        most = {**compared(ratio(1, 1, 1), [4, 9], ms=1.0, **big), "bytes": {"read": 1e9, "written": 5e8}}
        # 1250 GB/s of 2000 are 62.5 %; 1000 are 50 %, and 75 % with writes.
        cells = sweeps.standing([few, most], "cub", ())
        self.assertIn("50.0 % at sum along axis 0 f32 4x9", cells)
        self.assertIn("62.5 % at sum along axis 0 f32 9x9", cells)
        self.assertEqual(sweeps.standing([few], "cub", ())[-2], "")

    def test_a_library_that_is_wrong_gives_no_ratio(self):
        p = compared(ratio(2.0, 1.9, 2.1), [2**10])
        p["rows"][1].update(verdict="fail", seconds=None)
        self.assertIsNone(figures.ratio_over(p, figures.best(p), "cub"))

    def test_a_mover_reads_half_of_what_it_moves(self):
        self.assertEqual(figures.input_bytes(point([], [4], family="reverse", operation="")), 5e8)
        self.assertEqual(figures.input_bytes(point([], [4])), 1e9)

    def test_wide_costs_what_it_takes_longer(self):
        files = {"reduce-sizes": [compared(ratio(1, 1, 1), [2**26], ms=2.0), compared(ratio(1, 1, 1), [2**10], ms=1)],
                 "reduce-wide": [compared(ratio(1, 1, 1), [2**26], ms=2.1), compared(ratio(1, 1, 1), [2**10], ms=9)]}
        text = sweeps.wide_cost({name: figures.Measurement(name, {}, points, "") for name, points in files.items()})
        self.assertIn("at most 5.0 % longer", text)

    def test_measured_together_is_one_commit_one_card_one_day(self):
        environment = {"driver": "1.2", "processor": "P", "threads": "8", "system": "S", "date": "2026-01-02T03:04:05Z"}
        points = [compared(ratio(1, 1, 1), [2**26])]

        def text(commit="abc", device="Some GPU", **facts):
            one = figures.Measurement("reduce-sizes", environment, points, "abc")
            other = figures.Measurement("reduce-wide", {**environment, **facts}, [{**points[0], "device": device}],
                                        commit)
            return sweeps.wide_cost({m.name: m for m in (one, other)})

        self.assertIn("at most 0.0 % longer", text())
        self.assertIn("at most 0.0 % longer", text(date="2026-01-02T23:59:59Z"))
        for other in ({"commit": "abd"}, {"device": "Other GPU"}, {"driver": "1.3"}, {"date": "2026-01-03T03:04:05Z"},
                      {"processor": "Q"}, {"threads": "16"}):
            self.assertIn("was not measured together", text(**other), other)


class Text(Case):
    def test_figures(self):
        for value, text in ((1234567, "1234567"), (4814.304, "4814"), (0.99729, "0.9973"), (10.0, "10.00"), (0, "0")):
            self.assertEqual(figures.figure(value), text)
        self.assertEqual(figures.time_text(2.5e-6), "2.500 µs")
        self.assertEqual(figures.ratio_text(ratio(1.0, 0.99, 1.01)), "1.000 [0.9900, 1.010] =")
        self.assertEqual(figures.ratio_text(ratio(0.9, 0.8, 0.95)), "0.9000 [0.8000, 0.9500] behind")

    def test_shapes(self):
        for shape, text in (([2**28 + 1], "2^28+1"), ([1024], "2^10"), ([1000003], "1000003"), ([1, 1024], "1x1024")):
            self.assertEqual(figures.shape_text({"shape": shape}), text)

    def test_a_bar_does_not_end_a_cell(self):
        self.assertEqual(figures.table(["a"], [["x|y"]]), "| a |\n|---|\n| x\\|y |\n")


class Pages(Case):
    def measure(self, **files):
        os.makedirs(self.path("docs/measurements"), exist_ok=True)
        for name, points in files.items():
            report = {"schema": "rung-bench-1", "points": points, "environment": {
                "rung": "0", "driver": "1.2", "date": "2026-01-02T03:04:05Z",
                "command": "rung bench reduce -n 9 --json /tmp/x.json -q"}}
            self.write(f"docs/measurements/{name.replace('_', '-')}.json", json.dumps(report))

    def test_nothing_measured_is_nothing_written(self):
        self.assertEqual(ladder.pages(RUNG, self.dir), {})
        self.assertIsNone(ladder.summary(RUNG, self.dir))

    def test_a_ladder(self):
        rows = [row("kernel", "sequential", 4.0, 1.0, speedup={"cub": ratio(0.25, 0.24, 0.26)}),
                row("kernel", "vector", 0.8, 1.0, speedup={"cub": ratio(1.25, 1.2, 1.3)},
                    speedup_over_previous=ratio(5.0, 4.9, 5.1, kernel="sequential")),
                row("reference", "cub::X", 1.0, 1.0, column="cub", version="CUB 9"),
                row("kernel", "shuffle", None, 1.0, verdict="skipped", note="needs more")]
        self.measure(reduce_ladder=[point(rows, [2**28])])
        self.write("docs/measurements/commits.txt", "reduce-ladder abc123\n")
        pages = ladder.pages(RUNG, self.dir)
        page = pages["docs/ladder.md"]
        self.assertRegex(page, r"`vector` \| 800\.0 µs \| 1250 \| 62\.5 % \| 31\.2 % \| 5\.00 \| 1\.25 \| .*16-byte")
        self.assertRegex(page, r"`sequential` \| 4\.000 ms \| 250\.0 \| 12\.5 % \| 6\.2 % \|  \| 0\.250 \| ")
        self.assertRegex(page, r"`shuffle` .*refused: needs more")
        self.assertRegex(page, r"`grid-stride` .*not measured yet")
        self.assertIn("cub::X | 1.000 ms", page)
        self.assertRegex(page, r"2026-01-02 \| abc123 \| Some GPU \| 1\.2 .* 0\.2 % \| `rung bench reduce -n 9` \|")
        self.assertIn("CUB 9", pages["docs/plots/reduce-ladder.svg"])
        self.assertRegex(ladder.summary(RUNG, self.dir), r"reduce \| `vector` \| 1250 .*\| 5\.00 \| 1\.25 CUB \|")

    def test_few_samples_are_told(self):
        for few, words in ((20, ""), (7, " (medians of as few as 7 samples)"),
                           (1, " (one sample of each, no interval)")):
            rows = [row("kernel", "sequential", 4.0, 1.0), row("kernel", "vector", 0.8, 1.0)]
            rows[1]["seconds"]["n"] = few
            self.measure(reduce_ladder=[point(rows, [2**28])])
            self.assertIn(f"2^28, `--acc same`{words}:\n", ladder.pages(RUNG, self.dir)["docs/ladder.md"])
            self.assertIn(f"2^28, `--acc same`{words}. ", " ".join(ladder.summary(RUNG, self.dir).split()))

    def test_a_sweep(self):
        refused = point([row("kernel", "vector", 1.0, 1.0),
                         row("reference", "cub", None, 1.0, column="cub", verdict="skipped", note="has none")],
                        [2**10], "i8")
        wrong = point([row("kernel", "vector", None, 1.0, verdict="fail", note="at the end")], [2**12], "i8")
        self.measure(reduce_sizes=[compared(ratio(2.0, 1.9, 2.1), [2**12]), compared(ratio(8.0, 7.9, 8.1), [2**14]),
                                   compared(ratio(0.5, 0.4, 0.6), [2**10]), refused, wrong])
        page = ladder.pages(RUNG, self.dir)["docs/ladder.md"]
        self.assertIn("| 2^10 | 1.000 ms<br>0.5000 [0.4000, 0.6000] behind | 1.000 ms |", page)
        self.assertIn("| 2^12 | 1.000 ms<br>2.000 [1.900, 2.100] | wrong: at the end |", page)
        self.assertIn("| 2^14 | 1.000 ms<br>8.000 [7.900, 8.100] | not run |", page)
        self.assertIn("- i8: has none", page)
        # (2 · 8 · 1/2)^(1/3) = 2; of 2^14 … 2^22 there is one.
        self.assertIn("| all | 3 | 2.000 | 8.000 | 0.5000 at sum f32 2^10 | 1 |", page)


    def test_the_page_explains_the_share_with_writes_where_it_shows_it(self):
        p = compared(ratio(2.0, 1.9, 2.1), [4, 9], operation="argmax along axis 0")
        words = "the share with writes counts them too"
        for moved, shown in ((None, False), ({"read": 1e9, "written": 5e8}, True)):
            self.measure(axis=[{**p, "bytes": moved}])
            page = " ".join(ladder.pages(RUNG, self.dir)["docs/ladder.md"].split())
            self.assertEqual(words in page, shown)
            self.assertEqual("| 1000 (50.0 %; 75.0 % with writes)<br>2.000 [1.900, 2.100] |" in page, shown)


class Scripts(Case):
    def test_each_section_has_its_measurement(self):
        measured = set(re.findall(r"^measure (\S+)", (ROOT / "docs/measure.sh").read_text(), re.MULTILINE))
        shown = {f"{family.name}-ladder" for family in ladder.FAMILIES}
        shown |= {sweep.name for family in ladder.FAMILIES for sweep in family.sweeps}
        self.assertEqual(measured, shown)


if __name__ == "__main__":
    main()
