"""rung compare, of reports whose times are known."""
import json

from process import Case, main, rung

QUICK = ("--max-time", "0.05", "--min-samples", "3", "--mode", "hot")


class Compare(Case):
    def bench(self, name, factor=1.0):
        """A report whose medians are then scaled: what is compared is known."""
        path = self.path(name)
        self.ok(rung("bench", "reduce", "-d", "cpu", "-n", "1000", *QUICK, "--json", path))
        with open(path) as file:
            report = json.load(file)
        for row in report["points"][0]["rows"]:
            if row["role"] == "kernel":
                row["seconds"].update(min=factor * 0.99, lower_quartile=factor * 0.999, median=factor,
                                      upper_quartile=factor * 1.001, low=factor * 0.999, high=factor * 1.001)
        report["points"][0]["noise"].update(low=0.99, median=1, high=1.01)
        with open(path, "w") as file:
            json.dump(report, file)
        return path

    def test_status(self):
        old, slower, same = self.bench("a.json"), self.bench("b.json", 1.1), self.bench("c.json", 1.005)
        self.ok(rung("compare", old, old, "--fail-if", "slower:2%"))
        self.ok(rung("compare", old, same, "--fail-if", "slower:0.1%"))
        # The noise floor of these is 1 %.
        hidden = "1 of 1 kernel varies by more than 0.1%"
        self.assertIn(hidden, rung("compare", old, same, "--fail-if", "slower:0.1%").stderr.decode())
        for limit in ("slower:2%", "slower"):
            self.assertNotIn(b"more than", rung("compare", old, same, "--fail-if", limit).stderr)
        self.assertIn(b"10% slower", self.ok(rung("compare", old, slower)).stdout)
        self.fails(rung("compare", "-q", old, slower, "--fail-if", "slower:2%"), 1, "10% slower")
        self.ok(rung("compare", old, slower, "--fail-if", "slower:20%"))
        self.ok(rung("compare", slower, old, "--fail-if", "slower:2%"))
        self.fails(rung("compare", "-q", slower, old, "--fail-if", "faster:2%"), 1)

    def edit(self, path, name, change):
        """A copy of a report after change(report)."""
        with open(path) as file:
            report = json.load(file)
        change(report)
        return self.write(name, json.dumps(report))

    def test_a_limit_that_is_held_against_nothing_fails(self):
        def rename(report):
            report["points"][0]["rows"][0]["name"] = "another"
        old = self.bench("a.json")
        (point,) = json.loads(self.read("a.json"))["points"]
        self.assertEqual([row["role"] for row in point["rows"]].count("kernel"), 1)
        other = self.edit(old, "b.json", rename)
        name = point["rows"][0]["name"]
        run = rung("compare", old, other)
        self.assertEqual(run.returncode, 0)
        self.assertIn(b"1 not in NEW, 1 not in OLD", run.stdout)
        for quiet in ([], ["-q"]):
            run = rung("compare", *quiet, old, other, "--fail-if", "slower:2%")
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"rung: {name}: not in NEW (reduce sum", run.stderr.decode())
            self.assertIn("no kernel was compared", run.stderr.decode())
        # A kernel that is compared is a gate, and the missing one is named all the same.
        def add(report):
            report["points"][0]["rows"].append({**report["points"][0]["rows"][0], "name": "another"})
        run = rung("compare", "-q", self.edit(old, "c.json", add), old, "--fail-if", "slower:2%")
        self.assertEqual(run.returncode, 0)
        self.assertIn("rung: another: not in NEW", run.stderr.decode())

    def test_what_is_wrong_in_new_passes_no_gate(self):
        def fail(report):
            report["points"][0]["rows"][0].update(verdict="fail", seconds=None)
        old = self.bench("a.json")
        wrong = self.edit(old, "b.json", fail)
        name = json.loads(self.read("a.json"))["points"][0]["rows"][0]["name"]
        run = self.ok(rung("compare", old, wrong))
        self.assertRegex(run.stdout.decode(), rf"{name} .*wrong in NEW")
        self.assertIn(f"{name}: wrong in NEW", run.stderr.decode())
        run = rung("compare", "-q", old, wrong, "--fail-if", "slower")
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"{name}: wrong in NEW", run.stderr.decode())
        self.assertIn(b"wrong in OLD", self.ok(rung("compare", wrong, old)).stdout)
        self.assertIn(b"wrong in both", self.ok(rung("compare", wrong, wrong)).stdout)
        self.assertEqual(rung("compare", "-q", wrong, wrong, "--fail-if", "slower").returncode, 1)

    def test_what_was_wrong_and_is_gone_was_wrong(self):
        def add(report):
            row = report["points"][0]["rows"][0]
            report["points"][0]["rows"].append({**row, "name": "another", "verdict": "fail", "seconds": None})
        old = self.bench("a.json")
        wrong = self.edit(old, "b.json", add)
        self.assertRegex(self.ok(rung("compare", wrong, old)).stdout.decode(), r"another .*wrong in OLD, not in NEW")
        said = self.ok(rung("compare", "-q", wrong, old, "--fail-if", "slower")).stderr.decode()
        self.assertIn("rung: another: wrong in OLD, not in NEW (reduce sum", said)

    def test_rows_with_no_difference_are_counted_and_shown_on_request(self):
        old, slower = self.bench("a.json"), self.bench("b.json", 1.1)
        def settle(report):  # the other rows alike, whatever was measured
            with open(old) as file:
                same = json.load(file)["points"][0]
            report["points"][0]["rows"][1:] = same["rows"][1:]
        slower = self.edit(slower, "c.json", settle)
        others = len(json.loads(self.read("c.json"))["points"][0]["rows"]) - 1
        short = self.ok(rung("compare", old, slower)).stdout.decode()
        self.assertIn(f"{others} more: no difference; -v shows", short)
        self.assertNotIn("ceiling-read", short)
        long = self.ok(rung("compare", "-v", old, slower)).stdout.decode()
        self.assertRegex(long, r"ceiling-read .* no difference")
        self.assertNotIn("more: no difference", long)

    def test_percentages_are_of_the_old_median(self):
        ten, eleven, nine = self.bench("a.json", 1.0), self.bench("b.json", 1.1), self.bench("c.json", 0.9)
        self.assertIn(b"10% slower", rung("compare", ten, eleven).stdout)
        self.assertIn(b"10% faster", rung("compare", ten, nine).stdout)
        # 9 after 10: 10 % of the old, where 11.1 % of the new would be beyond.
        self.fails(rung("compare", "-q", ten, nine, "--fail-if", "faster:9.9%"), 1)
        self.ok(rung("compare", "-q", ten, nine, "--fail-if", "faster:10.1%"))

    def test_a_change_of_the_machine_is_told(self):
        old = self.bench("a.json")
        def slow(report):
            for row in report["points"][0]["rows"]:
                if row["role"] == "ceiling":
                    for name in ("min", "lower_quartile", "median", "upper_quartile", "low", "high"):
                        row["seconds"][name] *= 2
        def steady(report):
            for row in report["points"][0]["rows"]:
                row["seconds"].update(low=row["seconds"]["median"], high=row["seconds"]["median"])
            report["points"][0]["warnings"] = ["others use the cores: load 3.1 on 2"]
        old = self.edit(old, "b.json", steady)
        def warn(report):
            report["points"] += [report["points"][0]]
            report["points"][0] = {**report["points"][0], "warnings": ["others use the cores: load 4 on 2"]}
        new = self.edit(self.edit(old, "c.json", slow), "d.json", warn)
        said = self.ok(rung("compare", old, new)).stderr.decode()
        self.assertIn("the machine itself changed: ceiling-read 100% slower (reduce sum", said)
        self.assertIn("b.json warned: others use the cores: load 3.1 on 2", said)
        # Of one kind, whatever the numbers, the first.
        self.assertIn("d.json warned: others use the cores: load 4 on 2", said)
        self.assertEqual(said.count("d.json warned"), 1)
        self.assertNotIn("machine itself", self.ok(rung("compare", old, old)).stderr.decode())
        self.assertEqual(self.ok(rung("compare", "-q", old, new)).stderr, b"")

    def test_files_that_are_no_benchmark(self):
        old = self.bench("a.json")
        self.fails(rung("compare", old, self.path("missing.json")), 3)
        self.fails(rung("compare", old, self.write("x.json", "{}")), 3, "x.json")
        self.fails(rung("bench", "--from-json", self.write("y.json", "not json")), 3, "y.json")
        for text, words in (('{"schema": "rung-bench-1",\n x', ("z.json:2: not JSON",)),
                            ('{"schema": "rung-bench-1"', ("z.json:1: not JSON",)), ("", ("z.json:1: not JSON",)),
                            ('{"schema": "rung-bench-1"}', ("z.json: not a benchmark: environment is missing",)),
                            ('{"schema": "rung-bench-1", "environment": 1, "points": 2}', ("z.json: not a benchmark",))):
            said = self.fails(rung("compare", old, self.write("z.json", text)), 3, *words)
            self.assertNotIn("exception", said)
            self.assertNotIn("parse_error", said)

    def test_a_file_without_points_is_no_benchmark(self):
        old = self.bench("a.json")
        none = self.edit(old, "none.json", lambda report: report.update(points=[]))
        for args in (["compare", old, none], ["compare", none, old], ["bench", "--from-json", none]):
            self.fails(rung(*args), 3, "none.json: not a benchmark: it holds no points\n")
        rowless = self.edit(old, "rowless.json", lambda report: report["points"][0].update(rows=[]))
        self.fails(rung("compare", old, rowless), 3, "rowless.json: not a benchmark: points[0]: it holds no rows\n")


if __name__ == "__main__":
    main()
