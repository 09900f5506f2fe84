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
                row["seconds"].update(n=20, min=factor * 0.99, lower_quartile=factor * 0.999, median=factor,
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
        hidden = "cannot tell of 1 of 1 kernel whether it is beyond the limit (cpu-parallel: 0.5% faster to 1.5% slower)"
        self.assertIn(hidden, rung("compare", old, same, "--fail-if", "slower:0.1%").stderr.decode())
        for limit in ("slower:2%", "slower"):
            self.assertNotIn(b"cannot tell", rung("compare", old, same, "--fail-if", limit).stderr)
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

    @staticmethod
    def scale(report, role, factor):
        for row in report["points"][0]["rows"]:
            if row["role"] == role:
                for name in ("min", "lower_quartile", "median", "upper_quartile", "low", "high"):
                    row["seconds"][name] *= factor

    def test_what_noise_hides_passes_and_is_named(self):
        """Medians of 1 s and 1.015 s, floor 1 %: between 0.5 and 2.5 % slower."""
        old = self.bench("a.json")
        near = self.edit(old, "b.json", lambda report: self.scale(report, "kernel", 1.015))
        name = json.loads(self.read("a.json"))["points"][0]["rows"][0]["name"]
        for limit, verdict, status in (("slower:1.4%", "failed", 1), ("slower:1.6%", "cannot tell", 0),
                                       ("slower:2.4%", "cannot tell", 0), ("slower:2.6%", "passed", 0),
                                       ("faster:1%", "passed", 0), ("slower", "failed", 1)):
            run = rung("compare", "-v", old, near, "--fail-if", limit, "--json", self.path("r.json"))
            self.assertEqual(run.returncode, status, limit)
            self.assertRegex(run.stdout.decode(), rf"(?m)^{name} .* {verdict} ")
            report = json.loads(self.read("r.json"))
            self.assertEqual((report["rows"][0]["limit"], report["exit_status"]), (verdict, status))
            self.assertEqual(b"cannot tell" in run.stderr, verdict == "cannot tell")
        # Wide intervals hide as much: 0.9 to 1.1 s in both is 0.82 to 1.22 of OLD's time.
        def widen(report):
            report["points"][0]["rows"][0]["seconds"].update(low=0.9, high=1.1)
        wide = self.edit(old, "c.json", widen)
        for limit, verdict in (("slower:22%", "cannot tell"), ("slower:23%", "passed"), ("faster:18%", "cannot tell"),
                               ("faster:19%", "passed")):
            run = self.ok(rung("compare", wide, wide, "--fail-if", limit))
            self.assertEqual(f"{name} " in run.stdout.decode(), verdict == "cannot tell", limit)
            self.assertIn(f"{name}: 18.2% faster to 22.2% slower" if verdict == "cannot tell" else "",
                          run.stderr.decode())
        # Without a limit there is none to tell of.
        self.assertNotIn(b"cannot tell", self.ok(rung("compare", wide, wide)).stdout)

    def test_a_ceiling_that_moved_stands_beside_what_failed(self):
        old = self.bench("a.json")
        def steady(report):
            for row in report["points"][0]["rows"]:
                row["seconds"].update(low=row["seconds"]["median"], high=row["seconds"]["median"])
        old = self.edit(old, "b.json", steady)
        slower = self.edit(old, "c.json", lambda report: self.scale(report, "kernel", 1.1))
        both = self.edit(slower, "d.json", lambda report: self.scale(report, "ceiling", 1.08))
        within = self.edit(slower, "e.json", lambda report: self.scale(report, "ceiling", 1.005))
        gate = ("--fail-if", "slower:2%", "--json", self.path("r.json"))
        run = rung("compare", old, both, *gate)
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"10% slower, and ceiling-read, which no code changes, 8% slower (reduce sum", run.stderr)
        self.assertRegex(run.stdout.decode(), r"10% slower +1% +failed; ceiling-read 8% slower ")
        (ceiling,) = [row["ceiling"] for row in json.loads(self.read("r.json"))["rows"] if row["ceiling"]]
        self.assertEqual((ceiling["name"], ceiling["change"]), ("ceiling-read", "slower"))
        self.assertAlmostEqual(ceiling["ratio"]["median"], 1.08)
        for unmoved in (slower, within):  # the floor is 1 %
            run = rung("compare", old, unmoved, *gate)
            self.assertEqual(run.returncode, 1)
            self.assertIn(b"10% slower (reduce sum", run.stderr)
            self.assertEqual([row["ceiling"] for row in json.loads(self.read("r.json"))["rows"] if row["ceiling"]], [])

    def test_a_fact_that_one_side_does_not_have(self):
        def without(report):
            report["environment"].pop("driver", None)
        def having(report):
            report["environment"]["driver"] = "570.1"
        none = self.edit(self.bench("a.json"), "b.json", without)
        some = self.edit(none, "c.json", having)
        self.assertIn(b"driver differs: none recorded, then 570.1\n", self.ok(rung("compare", none, some)).stderr)
        self.assertIn(b"driver differs: 570.1, then none recorded\n", self.ok(rung("compare", some, none)).stderr)
        self.assertNotIn(b"driver", self.ok(rung("compare", none, none)).stderr)
        facts = json.loads(self.ok(rung("compare", none, some, "--json", "-")).stdout)["facts_that_differ"]
        self.assertEqual(facts, [{"fact": "driver", "old": None, "new": "570.1"}])

    def test_json(self):
        old = self.bench("a.json")
        def change(report):
            first = report["points"][0]["rows"][0]
            report["points"][0]["rows"] += [{**first, "name": "gone"}]
            report["points"][0]["warnings"] = ["others use the cores: load 3.1 on 2"]
        before = self.edit(old, "b.json", change)
        def slow(report):
            self.scale(report, "kernel", 1.1)
            report["points"][0]["rows"][-1]["name"] = "new"
            report["points"][0]["rows"] += [{**report["points"][0]["rows"][0], "name": "bad", "verdict": "fail",
                                             "seconds": None}]
        after = self.edit(before, "c.json", slow)
        run = rung("compare", before, after, "--fail-if", "slower:2%", "--fail-if", "faster:5%", "--json", "-")
        report = json.loads(run.stdout)
        self.assertEqual((report["schema"], report["exit_status"], run.returncode), ("rung-compare-1", 1, 1))
        self.assertEqual((report["old"]["input"], report["new"]["input"]), (before, after))
        self.assertEqual(report["old"]["warnings"], ["others use the cores: load 3.1 on 2"])
        with open(before) as file:
            self.assertEqual(report["old"]["environment"], json.load(file)["environment"])
        self.assertEqual(report["fail_if"], [{"change": "slower", "share": 0.02}, {"change": "faster", "share": 0.05}])
        rows = {row["name"]: row for row in report["rows"]}
        slower, same = rows["cpu-parallel"], rows["ceiling-read"]
        self.assertEqual((slower["role"], slower["change"], slower["limit"]), ("kernel", "slower", "failed"))
        self.assertEqual(slower["old_seconds"], 1)
        self.assertAlmostEqual(slower["floor"], 0.01)
        for name, want in (("median", 1.1), ("low", 1.09), ("high", 1.11)):  # the floor, as intervals are narrower
            self.assertAlmostEqual(slower["ratio"][name], want)
        self.assertTrue(slower["of"].startswith("reduce sum of f"))
        self.assertEqual((same["role"], same["change"], same["limit"]), ("ceiling", "no difference", None))
        self.assertEqual((rows["gone"]["change"], rows["gone"]["new_seconds"], rows["gone"]["ratio"]),
                         ("not in NEW", None, None))
        self.assertEqual((rows["new"]["change"], rows["new"]["old_seconds"]), ("not in OLD", None))
        self.assertEqual((rows["bad"]["change"], rows["bad"]["limit"]), ("wrong in NEW", "failed"))
        counts = report["counts"]
        self.assertEqual(sum(counts.values()), len(report["rows"]))
        self.assertEqual({name: counts[name] for name in ("slower", "not in NEW", "not in OLD", "wrong in NEW")},
                         {"slower": 1, "not in NEW": 1, "not in OLD": 1, "wrong in NEW": 1})

    def test_where_the_json_goes(self):
        old = self.bench("a.json")
        text = self.ok(rung("compare", old, old)).stdout
        self.assertEqual(self.ok(rung("compare", old, old, "--json", self.path("r.json"))).stdout, text)
        self.assertIsNone(json.loads(self.read("r.json"))["machine_change"])
        self.assertEqual(self.ok(rung("compare", "-q", old, old, "--json", self.path("q.json"))).stdout, b"")
        before = self.read("a.json")
        self.fails(rung("compare", old, old, "--json", old), 2, "would overwrite")
        self.assertEqual(self.read("a.json"), before)
        with open(self.path("out"), "wb") as out:
            run = rung("compare", old, old, "--json", self.path("out"), stdout=out)
        self.assertEqual(run.returncode, 2)
        self.assertEqual(rung("compare", old, old, "--json", "/dev/full").returncode, 3)

    def test_a_change_of_the_machine_is_told(self):
        old = self.bench("a.json")
        def slow(report):
            self.scale(report, "ceiling", 2)
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
