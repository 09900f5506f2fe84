"""rung bench as a process: what it prints, writes and returns. No figure is asserted."""
import csv
import io
import json
import xml.etree.ElementTree

import numpy as np

from process import Case, main, npy, rung

# hot: one input, where cold fills twice the processor's cache.
QUICK = ("--max-time", "0.05", "--min-samples", "3", "--mode", "hot")


class Bench(Case):
    def report(self, *args, stdin=b""):
        path = self.path("report.json")
        # A mode that is swept is not given beside.
        quick = QUICK[:-2] if any("mode=" in str(arg) for arg in args) else QUICK
        self.ok(rung("bench", *args, *quick, "--json", path, stdin=stdin))
        with open(path) as file:
            return json.load(file)

    def test_cpu_has_times_ratios_and_a_ceiling(self):
        report = self.report("reduce", "-d", "cpu", "-n", "5000")
        self.assertEqual(report["schema"], "rung-bench-1")
        self.assertIn("bench reduce", report["environment"]["command"])
        (point,) = report["points"]
        self.assertEqual(point["shape"], [5000])
        self.assertEqual(point["dtype"], "f32")
        self.assertEqual(point["logical_bytes"], 20000)
        self.assertGreater(point["ceiling"], 0)
        self.assertLessEqual(point["noise"]["low"], point["noise"]["high"])
        roles = {row["role"] for row in point["rows"]}
        self.assertEqual(roles, {"kernel", "reference", "ceiling"})
        kernel = point["rows"][0]
        self.assertEqual(kernel["verdict"], "pass")
        seconds = kernel["seconds"]
        order = ["min", "lower_quartile", "median", "upper_quartile"]
        self.assertEqual(sorted(order, key=seconds.get), order)
        self.assertGreaterEqual(seconds["n"], 1)
        self.assertTrue(kernel["speedup"])
        self.assertAlmostEqual(kernel["bytes_per_second"] * seconds["median"], 20000, delta=1)

    def test_cold_rotates_through_inputs(self):
        (point,) = self.report("reduce", "-d", "cpu", "-n", "2^22", "-a", "mode=cold")["points"]
        self.assertEqual(point["mode"], "cold")
        self.assertGreaterEqual(point["sets"], 2)
        self.assertEqual(point["rows"][0]["verdict"], "pass")

    def test_no_reference(self):
        (point,) = self.report("reduce", "-d", "cpu", "-n", "100", "--no-reference")["points"]
        self.assertEqual({row["role"] for row in point["rows"]}, {"kernel", "ceiling"})

    def test_sweep_is_all_combinations(self):
        points = self.report("reduce", "-d", "cpu", "-a", "n=10:1000:x10", "-a", "dtype=f32,i8",
                             "-a", "op=sum,argmax")["points"]
        found = [(p["dtype"], p["shape"][0], p["operation"]) for p in points]
        self.assertEqual(found, [(d, n, o) for d in ("f32", "i8") for n in (10, 100, 1000) for o in ("sum", "argmax")])

    def test_what_a_type_cannot_is_left_out_of_a_sweep_and_an_error_alone(self):
        path = self.path("r.json")
        run = rung("bench", "reduce", "-d", "cpu", "-n", "10", "-a", "dtype=f32,c64", "--op", "max", *QUICK,
                   "--json", path)
        self.ok(run)
        self.assertIn(b"left out", run.stderr)
        self.fails(rung("bench", "reduce", "-d", "cpu", "-n", "10", "--dtype", "c64", "--op", "max", *QUICK), 2)

    def test_axis_shape_transpose_reverse(self):
        (point,) = self.report("reduce", "-d", "cpu", "--shape", "30x40", "--axis", "1")["points"]
        self.assertEqual(point["operation"], "sum along axis 1")
        (point,) = self.report("transpose", "-d", "cpu", "--shape", "2x3x4", "--axes", "1,0,2",
                               "--dtype", "u8")["points"]
        self.assertEqual(point["logical_bytes"], 48)
        (point,) = self.report("reverse", "-d", "cpu", "-n", "100", "--dtype", "c128")["points"]
        self.assertEqual(point["rows"][0]["verdict"], "pass")

    def test_bytes_are_what_is_read_and_what_is_written(self):
        args = ("reduce", "-d", "cpu", "--shape", "30x40", "-a", "axis=0,1", "-a", "op=sum,argmax")
        points = self.report(*args)["points"]
        # 4800 bytes of f32; 40 or 30 results, of 4 bytes where they are sums, of 8 where they are places.
        self.assertEqual([(p["operation"], p["bytes"]["read"], p["bytes"]["written"]) for p in points],
                         [("sum along axis 0", 4800, 160), ("sum along axis 1", 4800, 120),
                          ("argmax along axis 0", 4800, 320), ("argmax along axis 1", 4800, 240)])
        for point in points:
            self.assertEqual(point["logical_bytes"], 4800)
        shown = self.ok(rung("bench", "--from-json", self.path("report.json"))).stdout
        self.assertEqual(shown.count(b"+writes: of the ceiling, counting the "), 4)
        (point,) = self.report("reduce", "-d", "cpu", "-n", "100", "--op", "argmin")["points"]
        self.assertEqual(point["bytes"], {"read": 400, "written": 8})
        (point,) = self.report("transpose", "-d", "cpu", "--shape", "3x4", "--dtype", "u8")["points"]
        self.assertEqual(point["bytes"], {"read": 12, "written": 12})

    def test_figures_that_nothing_has_are_refused(self):
        (point,) = self.report("reduce", "-d", "cpu", "-n", "100")["points"]
        whole = json.load(open(self.path("report.json")))
        for name, value, words in (("logical_bytes", 1.7976931348623157e308, "logical_bytes is too large"),
                                   ("theoretical", 1e300, "theoretical is too large"),
                                   ("bytes", {"read": 400, "written": 1e300}, "written is too large")):
            whole["points"][0] = {**point, name: value}
            with open(self.path("bad.json"), "w") as file:
                json.dump(whole, file)
            run = rung("bench", "--from-json", self.path("bad.json"))
            self.assertEqual(run.returncode, 3, run.stdout)
            self.assertIn(words, run.stderr.decode())

    def test_simulated_times_give_no_bandwidth_and_no_ratio(self):
        run = rung("bench", "reverse", "-d", "sim", "-n", "500", "-k", "direct,vector")
        self.ok(run)
        self.assertIn(b"simulated", run.stdout)
        for word in (b"GB/s", b"95%", b"precision", b"mad"):
            self.assertNotIn(word, run.stdout)
        run = rung("bench", "reverse", "-d", "sim", "-n", "500", "-k", "direct,vector", "--json", "-")
        (point,) = json.loads(self.ok(run).stdout)["points"]
        self.assertTrue(point["simulated"])
        for row in point["rows"]:
            self.assertIsNone(row["bytes_per_second"])
            self.assertEqual(row["speedup"], {})

    def test_a_copy_is_no_transpose(self):
        for args in (["-n", "2^10"], ["-a", "n=8,16"], ["--shape", "64"], [self.save("v.npy", np.zeros(9))]):
            self.fails(rung("bench", "transpose", "-d", "cpu", *args, *QUICK), 2, "is a copy", "--shape RxC")
        self.fails(rung("bench", "reduce", "-n", "4x4"), 2, "not one number", "--shape")
        run = self.ok(rung("bench", "transpose", "-d", "cpu", "-a", "shape=8,4x2", *QUICK))
        self.assertIn(b"left out", run.stderr)

    def test_what_no_bound_can_judge(self):
        # The sum is finite, the sum of the magnitudes is not.
        path = self.save("big.npy", np.array([3e38, 3e38, -3e38], np.float32))
        args = ("-d", "cpu", "--acc", "same", *QUICK)
        run = self.ok(rung("bench", "reduce", path, *args))
        self.assertIn(b"unverifiable", run.stdout)
        self.assertIn(b"neither right nor wrong", run.stderr)
        self.assertIn(b"data of rung gen --dist exact settles it", run.stderr)
        small = self.save("p.npy", np.array([1e-200, 1e-200, 1e200]))
        run = self.ok(rung("bench", "reduce", "--op", "prod", small, *args))
        self.assertIn(b"neither right nor wrong", run.stderr)
        self.assertNotIn(b"--dist", run.stderr)
        run = self.ok(rung("reduce", "--check", "-d", "cpu", "--acc", "same", path))
        self.assertRegex(run.stderr.decode(), r"(?m)^cpu-parallel +unverifiable +- +- ")

    def test_file_as_input(self):
        path = self.save("in.npy", np.arange(77, dtype=np.int16))
        (point,) = self.report("reduce", "-d", "cpu", path)["points"]
        self.assertEqual((point["input"], point["dtype"], point["shape"]), (path, "i16", [77]))
        (point,) = self.report("reduce", "-d", "cpu", "-", stdin=npy(np.ones(5)))["points"]
        self.assertEqual(point["dtype"], "f64")

    def test_reports_agree_and_come_from_json_again(self):
        files = {name: self.path("r." + name) for name in ("json", "csv", "markdown", "svg")}
        self.ok(rung("bench", "reduce", "-d", "cpu", "-a", "n=10,1000", *QUICK,
                     *(word for name in files for word in ("--" + name, files[name]))))
        again = {name: self.path("again." + name) for name in files}
        self.ok(rung("bench", "--from-json", files["json"],
                     *(word for name in again for word in ("--" + name, again[name]))), "")
        for name in files:
            self.assertEqual(self.read("r." + name), self.read("again." + name), name)
        rows = list(csv.DictReader(io.StringIO(self.read("r.csv").decode())))
        report = json.loads(self.read("r.json"))
        self.assertEqual([float(r["median"]) for r in rows],
                         [row["seconds"]["median"] for p in report["points"] for row in p["rows"]])
        self.assertTrue(self.read("r.svg").startswith(b"<svg "))
        # XML has no control characters; a report from elsewhere may.
        self.write("e.json", self.read("r.json").replace(b'"cpu-parallel"', b'"\\u001b[31m&<"'))
        self.ok(rung("bench", "--from-json", self.path("e.json"), "--svg", self.path("e.svg")))
        self.assertIn("\\x1b[31m&<", "".join(xml.etree.ElementTree.fromstring(self.read("e.svg")).itertext()))
        self.ok(rung("bench", "--from-json", self.path("e.json"), "-q"), "")
        report["points"][0]["warnings"] = ["others use the cores"]
        self.write("w.json", json.dumps(report))
        run = self.ok(rung("bench", "--from-json", "w.json", cwd=self.dir))
        self.assertEqual(run.stderr.count(b"w.json warned: others use the cores\n"), 1)
        self.assertEqual(self.ok(rung("bench", "--from-json", "w.json", "-q", cwd=self.dir), "").stderr, b"")

    def test_a_plot_without_anything_to_draw_is_told(self):
        path, plot = self.path("s.json"), self.path("s.svg")
        run = self.ok(rung("bench", "reduce", "-d", "sim", "-n", "64", "--json", path, "--svg", plot))
        self.assertIn("s.svg: nothing to draw", run.stderr.decode())
        again = self.ok(rung("bench", "--from-json", path, "--svg", plot))
        self.assertIn("s.svg: nothing to draw", again.stderr.decode())
        self.assertEqual(self.ok(rung("bench", "--from-json", path, "--csv", self.path("s.csv"))).stderr, b"")

    def test_a_report_on_stdout_is_alone_there(self):
        run = self.ok(rung("bench", "reduce", "-d", "cpu", "-n", "10", *QUICK, "--json", "-"))
        json.loads(run.stdout)
        self.assertIn(b"cpu-", run.stderr)
        self.fails(rung("bench", "reduce", "-d", "cpu", "-n", "10", "--json", "-", "--csv", "-"), 2)

    def test_refusals(self):
        for args in (["bench"], ["bench", "reduce", "-n", "0", "-d", "cpu"],
                     ["bench", "reduce", "-d", "cpu", "--mode", "graph"],
                     ["bench", "reduce", "-d", "cpu", "-k", "nosuch"], ["bench", "reduce", "-a", "n=4:2:x2"],
                     ["bench", "reduce", "-d", "cpu", "--axis", "0,2", "--shape", "2x3x4"]):
            self.fails(rung(*args), 2)
        self.fails(rung("bench", "reduce", "-d", "cpu", self.path("missing.npy")), 3)


if __name__ == "__main__":
    main()
