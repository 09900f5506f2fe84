"""Reports, results and tables that cannot be written, or whose reader has gone: what is there then, and the status."""
import csv
import json
import os
import re
import resource
import subprocess

import numpy as np

from process import RUNG, TIMEOUT, Case, main, npy, rung, wait_for_outputs

SMALL = np.arange(12, dtype=np.int32).reshape(3, 4)
QUICK = ("bench", "reduce", "-d", "cpu", "--max-time", "0.02", "--min-samples", "2", "--mode", "hot")
REPORTS = ("json", "csv", "markdown")


def without_reader(*args, stream="stdout"):
    """One run whose standard output, or error, is a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: write}
    try:
        return subprocess.run([RUNG, *map(str, args)], stdin=subprocess.DEVNULL, timeout=TIMEOUT, **streams)
    finally:
        os.close(write)


class Full(Case):
    def setUp(self):
        super().setUp()
        self.small = self.save("small.npy", SMALL)

    def files(self):
        return sorted(os.listdir(self.dir))

    def test_a_report_that_cannot_be_written_fails_the_run(self):
        for family in ("reduce", "transpose", "reverse"):
            for full in REPORTS:
                others = [w for r in REPORTS for w in ("--" + r, "/dev/full" if r == full else self.path("r." + r))]
                run = rung(family, "-d", "cpu", self.small, "-o", self.path("o.npy"), *others)
                self.fails(run, 3, "/dev/full: cannot write")
                self.assertEqual(self.files(), ["small.npy"])

    def test_what_was_there_stays(self):
        for name in ("o.npy", "r.json"):
            self.write(name, "precious")
        self.fails(rung("transpose", "-d", "cpu", self.small, "-o", self.path("o.npy"), "--json", self.path("r.json"),
                        "--csv", "/dev/full"), 3)
        self.assertEqual((self.read("o.npy"), self.read("r.json")), (b"precious", b"precious"))
        with open("/dev/full", "wb") as full:
            run = rung("transpose", "-d", "cpu", self.small, "-o", self.path("o.npy"), "--json", "-", stdout=full)
        self.assertEqual((run.returncode, self.read("o.npy")), (3, b"precious"))
        # Nor is there a report of an output that could not be written.
        self.fails(rung("transpose", "-d", "cpu", self.small, "-o", "/dev/full", "--json", self.path("r.json")), 3)
        self.assertEqual(self.read("r.json"), b"precious")

    def test_an_output_that_cannot_take_its_place(self):
        output = self.path("o.npy")
        run = subprocess.Popen([RUNG, "transpose", "-d", "cpu", "-", "-o", output, "--json", self.path("r.json")],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for_outputs(run, self.dir, 2)  # what is there has been seen
        os.mkdir(output)
        said = run.communicate(npy(SMALL), timeout=TIMEOUT)[1].decode()
        self.assertEqual((run.returncode, self.files()), (3, ["o.npy", "r.json", "small.npy"]), said)
        self.assertIn("o.npy: cannot replace", said)

    def test_each_report_of_bench_is_written_that_can_be(self):
        for full, others in (("svg", REPORTS), ("json", ("csv", "markdown", "svg"))):
            kept = [word for report in others for word in ("--" + report, self.path("r." + report))]
            self.fails(rung(*QUICK, "-q", "-n", "10", *kept, "--" + full, "/dev/full"), 3, "/dev/full: cannot write")
            self.assertEqual(self.files(), sorted(["small.npy", *("r." + report for report in others)]))
            for report in others:
                self.assertTrue(self.read("r." + report))
                os.remove(self.path("r." + report))

    def test_a_summary_that_cannot_be_written_leaves_the_reports(self):
        command = (*QUICK, "-a", "n=10,20", "--json", self.path("r.json"))
        limit = 1 << 20
        for _ in range(4):  # figures differ in length, and one try in four misses the summary
            text = self.ok(rung(*command)).stdout
            summary = text[text.rindex(b"\nkernel "):]
            self.assertIn(b"geometric mean", summary)
            os.remove(self.path("r.json"))
            with open(self.path("tables"), "wb") as tables:
                tables.seek(limit - len(text) + len(summary) // 2)
                run = subprocess.run([RUNG, *command], stdout=tables, stderr=subprocess.PIPE, timeout=TIMEOUT,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            # 0: the figures are so much shorter that the summary ends below the limit.
            self.assertIn(run.returncode, (0, 3), run.stderr)
            self.assertEqual([p["shape"] for p in json.loads(self.read("r.json"))["points"]], [[10], [20]])

    def test_a_report_on_standard_output_beside_an_output_file(self):
        for standard in ("-", "/dev/stdout", "/dev/fd/1"):
            run = self.ok(rung("transpose", "-d", "cpu", self.small, "-o", self.path("o.npy"), "--json", standard))
            self.assertEqual(json.loads(run.stdout)["runs"][0]["family"], "transpose")
            np.testing.assert_array_equal(np.load(self.path("o.npy")), SMALL.T)
            os.remove(self.path("o.npy"))

    def test_standard_output_carries_one_thing_by_whatever_name(self):
        for standard in ("-", "/dev/stdout", "/dev/fd/1"):
            self.fails(rung("transpose", "-d", "cpu", self.small, "--json", standard), 2, "has the result to carry")
            self.fails(rung("transpose", "-d", "cpu", self.small, "-o", "/dev/stdout", "--json", standard), 2)
            self.fails(rung(*QUICK, "-n", "10", "--json", "-", "--csv", standard), 2, "another report to carry")
        json.loads(self.ok(rung(*QUICK, "-n", "10", "--json", "/dev/stdout")).stdout)

    def test_a_report_on_standard_output_is_not_lost_with_the_file_that_this_is(self):
        transpose = ("transpose", "-d", "cpu", self.small)
        for args, name in (((*transpose, "-o", "o.json", "--json", "-"), "o.json"),
                           ((*transpose, "-o", "o.npy", "--json", "-", "--csv", "r.csv"), "r.csv"),
                           ((*transpose, "-o", "o.npy", "--csv", "r.csv", "--json", "/dev/stdout"), "r.csv"),
                           ((*QUICK, "-n", "10", "--json", "-", "--csv", "r.csv"), "r.csv"),
                           ((*QUICK, "-n", "10", "--json", "r.json", "--markdown", "-"), "r.json"),
                           # Nor are tables, and the value of several kernels, that have gone there.
                           ((*QUICK, "-n", "10", "--json", "r.json"), "r.json"),
                           ((*QUICK, "-n", "10", "--svg", "./r.svg"), "r.svg"),
                           (("reduce", "-d", "cpu", "-k", "all", "--check", self.small, "--csv", "r.csv"), "r.csv")):
            with open(self.path(name), "wb") as redirected:
                run = rung(*args, cwd=self.dir, stdout=redirected)
            self.assertEqual(run.returncode, 2, args)
            self.assertIn(b"would overwrite", run.stderr)
            self.assertEqual((self.files(), self.read(name)), (sorted([name, "small.npy"]), b""))
            os.remove(self.path(name))
        with open(self.path("other"), "wb") as redirected:
            self.assertEqual(rung(*transpose, "-o", self.path("o.npy"), "--json", "-", stdout=redirected).returncode, 0)
        self.assertEqual(len(json.loads(self.read("other"))["runs"]), 1)
        # Without tables there is nothing to lose.
        for args in (("-q", "--json", "r.json"), ("--json", "-"), ("--json", "/dev/stdout", "--csv", "r.csv")):
            with open(self.path("r.json"), "wb") as redirected:
                run = rung(*QUICK, "-n", "10", *args, cwd=self.dir, stdout=redirected)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(len(json.loads(self.read("r.json"))["points"]), 1)
        # What standard output carries already is said as for a pipe.
        with open(self.path("other"), "wb") as redirected:
            run = rung("reverse", "-d", "cpu", self.small, "--json", "-", stdout=redirected)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"has the result to carry", run.stderr)

    def test_a_name_of_no_letters_is_no_file(self):
        for option in ("json", "csv", "markdown", "output"):
            self.fails(rung("reduce", "-d", "cpu", self.small, "--" + option, ""), 2, f'--{option} "": not a file name')
        self.fails(rung(*QUICK, "-n", "10", "--svg="), 2, '--svg "": not a file name')
        self.fails(rung("bench", "--from-json", ""), 2, '--from-json "": not a file name')
        self.fails(rung("reduce", "-d", "cpu", ""), 3, '"": not a file name')


class Results(Case):
    """What the JSON report says of results, against NumPy."""

    def report(self, *args, status=0, stdin=b""):
        run = rung(*args, "-d", "cpu", "--json", "-", stdin=stdin)
        self.assertEqual(run.returncode, status, run.stderr.decode())
        return json.loads(run.stdout)

    def result(self, *args, **options):
        (one,) = self.report(*args, **options)["runs"]
        return one["result"]

    def test_values_of_every_type(self):
        rng = np.random.default_rng(1)
        for dtype, name in (("?", "i64"), ("i1", "i64"), ("i2", "i64"), ("i4", "i64"), ("i8", "i64"), ("u1", "u64"),
                            ("u2", "u64"), ("u4", "u64"), ("u8", "u64"), ("f2", "f32"), ("f4", "f32"), ("f8", "f64"),
                            ("c8", "c64"), ("c16", "c128")):
            array = rng.integers(0, 2, (3, 4, 5)).astype(dtype)
            if dtype in ("i8", "u8"):
                array[0, 0, 0] = np.iinfo(dtype).max - 100  # beyond 2^53
            path = self.save("a.npy", array)
            want = array.sum(axis=1, dtype=array.dtype if dtype in ("i8", "u8", "c8", "c16") else None)
            got = self.result("reduce", "--axis", "1", path, "-o", self.path("o.npy"))
            values = [list(pair) for pair in zip(want.real.ravel().tolist(), want.imag.ravel().tolist())] \
                if array.dtype.kind == "c" else want.ravel().tolist()
            self.assertEqual(got, {"dtype": name, "shape": [3, 5], "values": values}, dtype)
            self.assertEqual({type(v) for v in got["values"]}, {type(v) for v in values}, dtype)
        bf16 = self.write("b.raw", np.array([1.5, -2.25], "f4").view("u4").__rshift__(16).astype("u2").tobytes())
        self.assertEqual(self.result("reduce", "--dtype", "bf16", "--op", "min", bf16),
                         {"dtype": "bf16", "shape": [], "values": [-2.25]})
        self.assertEqual(self.result("reduce", "--op", "max", self.save("t.npy", np.array([False, True])))["values"],
                         [True])

    def test_what_is_no_number(self):
        path = self.save("a.npy", np.array([[np.nan, 1], [np.inf, 2], [-np.inf, 3]]))
        self.assertEqual(self.result("reduce", "--axis", "1", path, "-o", self.path("o.npy"))["values"],
                         ["nan", "inf", "-inf"])

    def test_places(self):
        array = np.random.default_rng(2).permutation(60).reshape(3, 4, 5)
        path = self.save("a.npy", array)
        for op in ("argmin", "argmax"):
            self.assertEqual(self.result("reduce", "--op", op, path),
                             {"dtype": "i64", "shape": [], "values": [int(getattr(array, op)())]})
            self.assertEqual(self.result("reduce", "--op", op, "--axis", "2", path, "-o", self.path("o.npy"))["values"],
                             getattr(array, op)(axis=2).ravel().tolist())

    def test_values_of_few_elements_alone(self):
        for n in (1000, 1001):
            path = self.save("a.npy", np.arange(2 * n).reshape(n, 2))
            got = self.result("reduce", "--axis", "1", path, "-o", self.path("o.npy"))
            self.assertEqual((got["dtype"], got["shape"]), ("i64", [n]))
            self.assertEqual(got["values"], [4 * k + 1 for k in range(n)] if n == 1000 else None)
        got = self.result("reduce", "--axis", "1", self.save("none.npy", np.zeros((0, 3))), "-o", self.path("o.npy"))
        self.assertEqual(got, {"dtype": "f64", "shape": [0], "values": []})

    def test_moves_have_a_type_and_a_shape(self):
        path = self.save("a.npy", np.zeros((2, 3, 4), "f4"))
        for family, shape in (("transpose", [4, 3, 2]), ("reverse", [2, 3, 4])):
            self.assertEqual(self.result(family, path, "-o", self.path("o.npy")),
                             {"dtype": "f32", "shape": shape, "values": None})
        self.assertEqual(self.result("reduce", "--keepdims", path, "-o", self.path("o.npy")),
                         {"dtype": "f32", "shape": [1, 1, 1], "values": [0.0]})

    def test_several_kernels_that_are_right_have_a_result_too(self):
        path = self.save("a.npy", SMALL)
        self.assertEqual(self.result("reduce", "-k", "all", "--check", path)["values"], [66])
        self.assertEqual(self.result("reduce", "-k", "all", "--check", "--axis", "0", path)["values"], [12, 15, 18, 21])
        self.assertEqual(self.result("transpose", "-k", "all", "--check", path)["shape"], [4, 3])

    def test_the_value_of_the_other_reports(self):
        path = self.save("a.npy", SMALL)
        (row,) = csv.DictReader(self.ok(rung("reduce", "-d", "cpu", path, "--csv", "-")).stdout.decode().splitlines())
        self.assertEqual(row["result"], "66")
        self.assertIn(b"the result is `66`", self.ok(rung("reduce", "-d", "cpu", path, "--markdown", "-")).stdout)

    def test_times_are_what_time_prints(self):
        path = self.save("a.npy", SMALL)
        (run,) = self.report("reduce", path)["runs"]
        self.assertIsNone(run["times"])
        for machine, stages, said in (("cpu", ("read", "kernel", "write"), "read kernel write"),
                                      ("sim", ("read", "upload", "kernel", "download", "write"),
                                       "read upload simulation download write")):
            for args in (("reduce",), ("transpose", "-o", self.path("o.npy"))):
                run = self.ok(rung(*args, path, "-d", machine, "--time", "--json", self.path("r.json")))
                (one,) = json.loads(self.read("r.json"))["runs"]
                times = one["times"]
                self.assertIs(times.pop("mapped"), True)
                self.assertEqual({name for name, value in times.items() if value is not None}, set(stages))
                line = run.stderr.decode().splitlines()[-1]
                self.assertEqual(re.findall(r"(?:^|, )([a-z]+) ", line), said.split())
                self.assertEqual(times["kernel"], one["rows"][0]["seconds"])
                units = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
                for name, (value, unit) in zip(stages, re.findall(r"([0-9.]+) ([mun]?s)\b", line)):
                    self.assertAlmostEqual(times[name] / (float(value) * units[unit]), 1, 2, line)
        # The data of a pipe is read before, and a quiet run has its times all the same.
        (run,) = self.report("reduce", "--time", "-q", stdin=npy(SMALL))["runs"]
        self.assertEqual((run["times"]["mapped"], run["times"]["write"]), (False, None))


class SeveralFiles(Case):
    def test_what_failed_is_in_the_report(self):
        good, cut = self.save("good.npy", SMALL), self.write("cut.npy", npy(SMALL)[:-1])
        raw, none = self.write("a.raw", bytes(8)), self.path("none.npy")
        run = rung("reduce", "-d", "cpu", cut, good, raw, none, "--json", self.path("r.json"), "--csv",
                   self.path("r.csv"), "--markdown", self.path("r.md"))
        self.assertEqual((run.returncode, run.stdout.decode()), (3, f"66  {good}\n"))
        report = json.loads(self.read("r.json"))
        self.assertEqual([one["input"] for one in report["runs"]], [good])
        self.assertEqual([(f["input"], f["exit_status"]) for f in report["failures"]], [(cut, 3), (raw, 2), (none, 3)])
        # Each says what standard error does.
        said = [line[len("rung: "):] for line in run.stderr.decode().splitlines() if line.startswith("rung: ")]
        self.assertEqual([f["error"] for f in report["failures"]], said)
        self.assertIn("rung list dtypes", report["failures"][1]["hint"])
        rows = list(csv.DictReader(self.read("r.csv").decode().splitlines()))
        self.assertEqual([(row["input"], row["kind"]) for row in rows],
                         [(good, "kernel"), (cut, "failure"), (raw, "failure"), (none, "failure")])
        self.assertEqual([row["note"] for row in rows[1:]], said)
        for text in said:
            self.assertIn(text, self.read("r.md").decode())

    def test_the_status_is_that_of_the_first_failure(self):
        good, raw, none = self.save("good.npy", SMALL), self.write("a.raw", bytes(8)), self.path("none.npy")
        for files, status in (((good, raw, none), 2), ((none, good, raw), 3), ((good, good), 0)):
            for args in (("reduce", "-d", "cpu"), ("info",)):
                self.assertEqual(rung(*args, *files, "--json", "-").returncode, status)

    def test_of_one_file_that_fails_there_is_no_report(self):
        for args in (("reduce", "-d", "cpu"), ("info",)):
            self.fails(rung(*args, self.path("none.npy"), "--json", self.path("r.json")), 3)
            self.fails(rung(*args, self.path("none.npy"), "--json", "-"), 3)
        self.assertEqual(os.listdir(self.dir), [])


class StandardOutput(Case):
    """It carries one thing: an array that goes there, or a report. A value gives way to the report that has it."""

    def setUp(self):
        super().setUp()
        self.small = self.save("small.npy", SMALL)

    def test_a_value_gives_way(self):
        for kernels in ((), ("-k", "cpu-serial"), ("-k", "all", "--check")):
            for output in ((), ("-o", "-"), ("-t", "csv")):
                if output and kernels[:2] == ("-k", "all"):
                    continue
                run = self.ok(rung("reduce", "-d", "cpu", *kernels, *output, self.small, "--json", "-"))
                self.assertEqual(json.loads(run.stdout)["runs"][0]["result"]["values"], [66])
        # An axis that leaves one value does too.
        line = self.save("line.npy", SMALL[0])
        self.assertEqual(json.loads(self.ok(rung("reduce", "-d", "cpu", "--axis", "0", line, "--json", "-")).stdout)
                         ["runs"][0]["result"]["values"], [6])
        run = self.ok(rung("reduce", "-d", "cpu", self.small, line, "--json", "-"))
        self.assertEqual([one["result"]["values"] for one in json.loads(run.stdout)["runs"]], [[66], [6]])

    def test_an_array_does_not(self):
        for report in ("--json", "--csv", "--markdown"):
            for standard in ("-", "/dev/stdout", "/dev/fd/1"):
                for args in (("transpose",), ("reverse",), ("reduce", "--axis", "0"), ("reduce", "--keepdims"),
                             ("reduce", "-t", "npy"), ("reduce", "-t", "raw"), ("reduce", "--axis", "0", "-t", "csv")):
                    said = self.fails(rung(*args, "-d", "cpu", self.small, report, standard), 2,
                                      f"{report} {standard}: standard output has the result to carry")
                    self.assertIn("hint: name a file", said)
            self.ok(rung("reduce", "--axis", "0", "-d", "cpu", self.small, report, "-", "-o", self.path("o.npy")))

    def test_arrays_of_several_kernels_go_nowhere(self):
        for args in (("transpose",), ("reduce", "--axis", "0")):
            run = self.ok(rung(*args, "-k", "all", "--check", "-d", "cpu", self.small, "--json", "-"))
            self.assertEqual(len(json.loads(run.stdout)["runs"]), 1)

    def test_of_several_files_each_gives_one_value_all_the_same(self):
        run = rung("reduce", "--axis", "0", "-d", "cpu", self.small, self.small, "--json", "-")
        self.assertEqual(run.returncode, 2)
        report = json.loads(run.stdout)
        self.assertEqual((report["runs"], len(report["failures"])), ([], 2))
        self.assertIn("of several FILEs each gives one value", report["failures"][0]["error"])

    def test_help_says_so(self):
        for family in ("reduce", "transpose", "reverse"):
            text = re.sub(r"\s+", " ", rung(family, "--help").stdout.decode())
            self.assertIn("is standard output, unless an array goes there", text)


class ReaderGone(Case):
    def setUp(self):
        super().setUp()
        self.small = self.save("small.npy", SMALL)

    def test_the_report_is_made_though_nobody_takes_the_data(self):
        path = self.path("r.json")
        for args in (["transpose", self.small], ["reduce", self.small], ["reduce", self.small, self.small]):
            run = without_reader(*args, "-d", "cpu", "--json", path)
            self.assertEqual((run.returncode, run.stderr), (0, b""))
            self.assertEqual(len(json.loads(self.read("r.json"))["runs"]), len(args) - 1)
            os.remove(path)

    def test_the_output_is_made_though_nobody_takes_the_report(self):
        for stream, args in (("stdout", ["--json", "-", "--csv", self.path("r.csv")]), ("stderr", ["--check"])):
            run = without_reader("transpose", "-d", "cpu", self.small, "-o", self.path("o.npy"), *args, stream=stream)
            self.assertEqual(run.returncode, 0)
            np.testing.assert_array_equal(np.load(self.path("o.npy")), SMALL.T)
            os.remove(self.path("o.npy"))
        self.assertTrue(self.read("r.csv"))
        self.assertEqual(without_reader("reduce", "-d", "cpu", "--check", self.small, stream="stderr").stdout, b"66\n")

    def test_a_sweep_goes_on_for_its_report(self):
        path = self.path("r.json")
        self.assertEqual(without_reader(*QUICK, "-a", "n=10,20,30", "--json", path).returncode, 0)
        self.assertEqual([p["shape"] for p in json.loads(self.read("r.json"))["points"]], [[10], [20], [30]])
        self.assertEqual(without_reader(*QUICK, "-n", "10", "--json", "-", "--csv", self.path("r.csv")).returncode, 0)
        self.assertTrue(self.read("r.csv"))
        self.assertEqual(without_reader(*QUICK, "-a", "n=10,20,30").returncode, 0)

    def test_an_error_of_an_earlier_file_stays(self):
        missing = self.path("missing.npy")
        for command in (["reduce", "-d", "cpu"], ["info"]):
            run = without_reader(*command, missing, self.small)
            self.assertEqual(run.returncode, 3)
            self.assertIn(b"missing.npy", run.stderr)
            self.assertEqual(without_reader(*command, self.small, missing).returncode, 0)
        run = without_reader("reduce", "-d", "cpu", "--dtype", "f32", self.small, self.save("f.npy", np.ones(3, "f4")))
        self.assertEqual(run.returncode, 2, run.stderr)

    def test_a_status_that_says_something_stays(self):
        other = self.save("other.npy", SMALL + 1)
        self.assertEqual(without_reader("diff", self.small, other).returncode, 1)
        self.assertEqual(without_reader("diff", self.small, self.small).returncode, 0)
        self.ok(rung(*QUICK, "-q", "-n", "10", "--json", self.path("a.json")))
        report = json.loads(self.read("a.json"))
        report["points"][0]["rows"][0].update(verdict="fail", seconds=None)
        wrong = self.write("b.json", json.dumps(report))
        self.assertEqual(without_reader("compare", self.path("a.json"), wrong, "--fail-if", "slower").returncode, 1)
        self.assertEqual(without_reader("compare", self.path("a.json"), wrong).returncode, 0)


if __name__ == "__main__":
    main()
