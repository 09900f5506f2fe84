"""Reports, results and tables that cannot be written, or whose reader has gone: what is there then, and the status."""
import json
import os
import resource
import subprocess
import time

import numpy as np

from process import RUNG, TIMEOUT, Case, main, npy, rung

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
        deadline = time.monotonic() + TIMEOUT
        while len(self.files()) < 3 and time.monotonic() < deadline:  # the files beside: what is there has been seen
            time.sleep(0.01)
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
            self.fails(rung("reduce", "-d", "cpu", self.small, "--json", standard), 2, "something else to carry")
            self.fails(rung("reduce", "-d", "cpu", self.small, "-o", "/dev/stdout", "--json", standard), 2)
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
            run = rung("reduce", "-d", "cpu", self.small, "--json", "-", stdout=redirected)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"something else to carry", run.stderr)

    def test_a_name_of_no_letters_is_no_file(self):
        for option in ("json", "csv", "markdown", "output"):
            self.fails(rung("reduce", "-d", "cpu", self.small, "--" + option, ""), 2, f'--{option} "": not a file name')
        self.fails(rung(*QUICK, "-n", "10", "--svg="), 2, '--svg "": not a file name')
        self.fails(rung("bench", "--from-json", ""), 2, '--from-json "": not a file name')
        self.fails(rung("reduce", "-d", "cpu", ""), 3, '"": not a file name')


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
