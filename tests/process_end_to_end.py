"""rung bench --end-to-end as a process: what it runs, writes, leaves behind and returns. No figure is asserted."""
import json
import os
import signal
import subprocess
import time

import numpy as np

from process import LONG, RUNG, Case, main, rung

QUICK = ("--end-to-end", "--max-time", "0.05", "--min-samples", "2")


class EndToEnd(Case):
    def setUp(self):
        super().setUp()
        self.scratch = self.path("tmp")
        os.mkdir(self.scratch)
        self.env = {"TMPDIR": self.scratch}

    def report(self, *args, quick=QUICK):
        path = self.path("report.json")
        self.ok(rung("bench", *args, *quick, "--json", path, env=self.env))
        self.assertEqual(os.listdir(self.scratch), [])
        with open(path) as file:
            (point,) = json.load(file)["points"]
        self.assertEqual(point["mode"], "end-to-end")
        return point

    def test_kernel_against_the_cpu(self):
        path = self.save("in.npy", np.arange(1000, dtype=np.int32))
        point = self.report("reduce", path, "-d", "cpu", "-k", "cpu-serial", "--op", "max")
        self.assertEqual((point["input"], point["dtype"], point["shape"]), (path, "i32", [1000]))
        self.assertEqual(point["operation"], "max")
        self.assertEqual(point["machine"], "cpu")
        self.assertEqual(point["file"]["format"], "npy")
        self.assertEqual(point["logical_bytes"], os.path.getsize(path))
        kernel, cpu = point["rows"]
        self.assertEqual((kernel["role"], kernel["name"], kernel["verdict"]), ("kernel", "cpu-serial", "pass"))
        self.assertEqual((cpu["role"], cpu["column"], cpu["verdict"]), ("reference", "cpu", "pass"))
        # No process ends sooner than the loader takes.
        for row in point["rows"]:
            self.assertGreater(row["seconds"]["min"], 1e-4)
            self.assertAlmostEqual(row["bytes_per_second"] * row["seconds"]["median"], os.path.getsize(path), delta=1)
        ratio = kernel["speedup"]["cpu"]
        self.assertLessEqual(ratio["low"], ratio["median"])
        self.assertEqual(ratio["pairs"], kernel["seconds"]["n"])
        self.assertGreater(point["noise"]["median"], 0)

    def test_the_cpu_alone_has_no_reference(self):
        path = self.save("in.npy", np.ones(10))
        self.assertEqual(len(self.report("reverse", path, "-d", "cpu")["rows"]), 1)
        self.assertEqual(len(self.report("reduce", path, "-d", "cpu", "-k", "cpu-serial", "--no-reference")["rows"]), 1)

    def test_several_kernels_and_axes_that_lie_apart(self):
        path = self.save("in.npy", np.ones((3, 4, 5), np.float32))
        point = self.report("transpose", path, "-d", "cpu", "-k", "ladder", "--axes", "2,0,1")
        self.assertEqual([row["name"] for row in point["rows"]],
                         ["cpu-naive", "cpu-blocked", "rung transpose -d cpu"])
        self.assertEqual({row["verdict"] for row in point["rows"]}, {"pass"})
        point = self.report("reduce", path, "-d", "cpu", "--axis", "0,2")
        self.assertEqual(point["operation"], "sum along axes 0,2")

    def test_raw_and_csv(self):
        raw = self.write("in.raw", np.arange(12, dtype=">i2").tobytes())
        point = self.report("transpose", raw, "-d", "cpu", "--dtype", "i16", "--shape", "3x4", "--endian", "big")
        self.assertEqual((point["file"]["format"], point["shape"]), ("raw", [3, 4]))
        table = self.write("in.csv", "a;b\n1;2\n3;4\n5;NA\n")
        point = self.report("reduce", table, "-d", "cpu", "--header", "yes", "--columns", "b", "--missing", "nan",
                            "--delimiter", ";", "--op", "min")
        self.assertEqual((point["file"]["format"], point["dtype"]), ("csv", "f64"))

    def test_made_input_of_every_type_that_files_have(self):
        for dtype in ("f32", "bf16", "c128", "bool"):
            point = self.report("reverse", "-n", "500", "--dtype", dtype, "-d", "cpu")
            self.assertEqual((point["input"], point["dtype"], point["shape"]), ("uniform, seed 0", dtype, [500]))

    def test_sweep_makes_each_input_and_leaves_out_what_cannot_be(self):
        path = self.path("r.json")
        run = self.ok(rung("bench", "reduce", "-d", "cpu", "--op", "max", "-a", "n=10,100", "-a", "dtype=f32,c64",
                           *QUICK, "--json", path, env=self.env))
        self.assertIn(b"left out", run.stderr)
        with open(path) as file:
            self.assertEqual([p["shape"] for p in json.load(file)["points"]], [[10], [100]])
        self.assertEqual(os.listdir(self.scratch), [])

    def test_simulator(self):
        point = self.report("reverse", "-n", "300", "-d", "sim", "-k", "direct", quick=QUICK[:1])
        self.assertTrue(point["simulated"])
        (row,) = point["rows"]
        self.assertEqual((row["verdict"], row["speedup"], row["bytes_per_second"]), ("pass", {}, None))

    def test_reports_and_compare(self):
        path = self.path("a.json")
        # A time limit could leave one sample on a busy machine, which compare does not judge.
        two = ("--end-to-end", "--max-time", "60", "--min-samples", "2", "--precision", "90%")
        run = self.ok(rung("bench", "reduce", "-n", "100", "-d", "cpu", *two, "--json", path, env=self.env))
        self.assertIn(b"end-to-end from npy", run.stdout)
        self.assertIn(b"in the page cache", run.stdout)
        self.ok(rung("compare", path, path), "1 row compared: 1 no difference, 0 slower, 0 faster\n")
        again = self.ok(rung("bench", "--from-json", path, "--markdown", "-"))
        self.assertIn(b"GB/s of file", again.stdout)

    def test_warnings_of_the_input_are_told_once(self):
        with open(self.save("in.npy", np.ones(10)), "ab") as file:
            file.write(b"more")
        run = self.ok(rung("bench", "reduce", self.path("in.npy"), "-d", "cpu", *QUICK, env=self.env))
        self.assertEqual(run.stderr.count(b"4 bytes after the array"), 1, run.stderr)

    def test_errors_of_the_process_are_its_own(self):
        self.fails(rung("bench", "reduce", self.write("x.csv", "1\nx\n"), "-d", "cpu", *QUICK, env=self.env), 3,
                   "x.csv:2: ")
        self.fails(rung("bench", "reduce", self.path("none.npy"), "-d", "cpu", *QUICK, env=self.env), 3, "none.npy")
        self.fails(rung("bench", "reverse", "-d", "cpu", "-n", "10", "--axis", "3", *QUICK, env=self.env), 2,
                   "out of range")
        self.fails(rung("bench", "reduce", "-d", "gpu:99", "-n", "10", *QUICK, env=self.env), 4, "no GPU")
        self.assertEqual(os.listdir(self.scratch), [])

    def test_refusals(self):
        self.fails(rung("bench", "reduce", "-", *QUICK), 2, "regular file")
        self.fails(rung("bench", "reduce", "-k", "nosuch", *QUICK), 2)
        self.fails(rung("bench", "reduce", "-n", "10", *QUICK, env={"TMPDIR": self.path("none")}), 3, "none")

    def test_a_signal_leaves_nothing(self):
        path = self.save("in.npy", np.ones((2000, 1000)))
        for wait in (0.05, 0.3, 0.7):
            process = subprocess.Popen([RUNG, "bench", "transpose", path, "-d", "cpu", "--end-to-end", *LONG],
                                       env={**os.environ, **self.env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(wait)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, -signal.SIGTERM)
            self.assertEqual(os.listdir(self.scratch), [])


if __name__ == "__main__":
    main()
