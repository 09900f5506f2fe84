"""rung explain as a process: the figures that follow from the algorithms, statuses, reports, what is skipped."""
import csv
import io
import json
import os
import pty
import re
import subprocess

import numpy as np

from process import RUNG, TIMEOUT, Case, main, npy, rung, typed_out


class Race(Case):
    """The kernel of tests/racy.cu, which docs/explain.md shows."""
    RACY = os.path.join(os.path.dirname(RUNG), "rung_racy")

    def run_racy(self, *args):
        return subprocess.run([self.RACY, *args], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)

    def test_every_pair_of_accesses_is_found_at_its_lines(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "racy.cu")) as source:
            lines = source.read().splitlines()
        store, load = ("racy.cu:%d" % next(k for k, line in enumerate(lines, 1) if text in line)
                       for text in ("smem[count - 1 - tid] =", "= smem[tid]"))
        # Thread t of 256 loads what 255 - t stores, a thread of another warp: a pair for each element.
        run = self.run_racy("explain", "reverse", "-k", "racy,shared", "-n", "4096")
        self.assertEqual((run.returncode, run.stderr), (1, b"rung: faults in kernels: racy\n"))
        text = run.stdout.decode()
        races = re.findall(r"shared race: (.*) at (\S+) \(against (\S+)\), block .* (\d+) times", text)
        self.assertEqual({race[:3] for race in races}, {("write after read", store, load), ("read after write", load, store)})
        self.assertEqual(sum(int(race[3]) for race in races), 4096)
        self.assertEqual(text.count("FAULT: shared race"), 2)  # none of them of shared

    def test_its_results_are_not_given(self):
        array = self.save("a.npy", np.arange(1000))
        for args in ([], ["--check"]):
            self.fails(self.run_racy("reverse", "-d", "sim", "-k", "racy", *args, array), 4, "shared race", "racy.cu")


class Explain(Case):
    def report(self, *args, stdin=b""):
        done = self.ok(rung("explain", *args, "--json", "-", "-q", stdin=stdin))
        self.assertEqual(done.stderr, b"")
        return json.loads(done.stdout)

    @staticmethod
    def kernels(report):
        return {row["kernel"]: row for row in report["kernels"]}

    def test_the_transpose_ladder(self):
        report = self.report("transpose", "-k", "ladder")
        self.assertEqual(report["schema"], "rung-explain-1")
        self.assertEqual((report["dtype"], report["shape"], report["machine"]), ("f32", [128, 128], "sim"))
        self.assertEqual(report["input"], "uniform, seed 0")
        self.assertIn("explain transpose", report["environment"]["command"])
        rows = self.kernels(report)
        requests = 128 * 128 // 32
        self.assertEqual(rows["row-read"]["counters"]["global store"],
                         {"requests": requests, "lanes": 32 * requests, "bytes": 4 * 32 * requests,
                          "sectors": 32 * requests, "ideal_sectors": 4 * requests})
        self.assertEqual(rows["row-write"]["counters"]["global load"]["sectors"], 32 * requests)
        self.assertEqual(rows["tile"]["counters"]["shared load"]["wavefronts"], 32 * requests)
        self.assertEqual(rows["tile-padded"]["counters"]["shared load"]["wavefronts"], requests)
        self.assertEqual(rows["tile"]["launches"], [{"grid": [4, 4, 1], "block": [32, 32, 1], "shared": 4096,
                                                     "occupancy": 1}])
        self.assertEqual(rows["tile"]["barriers"], 16)
        line = rows["tile"]["lines"][0]
        self.assertRegex(line["at"], r"^tile\.cu:\d+$")
        self.assertEqual(line["access"], "shared load")
        self.assertIn("lanes are 128 bytes apart", line["cause"])
        self.assertEqual(line["better"]["kernel"], "tile-padded")
        self.assertTrue(line["better"]["gone"])
        for row in rows.values():
            self.assertEqual(row["findings"], [])

    def test_one_kernel_is_told_where_others_are(self):
        for kernel, told in (("row-read", True), ("tile-padded", False), ("ladder", False)):
            text = self.ok(rung("explain", "transpose", "-k", kernel, "--shape", "64x64")).stdout.decode()
            self.assertEqual("-k ladder, or -k all, names a kernel without this" in text, told, text)

    def test_the_line_named_is_the_one_that_accesses(self):
        row = self.kernels(self.report("transpose", "-k", "row-read"))["row-read"]
        name, number = row["lines"][0]["at"].split(":")
        with open(f"kernels/transpose/{name}") as source:
            self.assertIn("out[", source.read().splitlines()[int(number) - 1])

    def test_every_kernel_of_every_family_is_clean(self):
        for family, more in (("reduce", ["--op", "argmax"]), ("transpose", ["--shape", "67x45"]), ("reverse", [])):
            with self.subTest(family):
                report = self.report(family, "-k", "all", *more)
                self.assertTrue(report["kernels"])
                for row in report["kernels"]:
                    self.assertEqual(row["findings"], [], row["kernel"])

    def test_a_file_and_a_pipe_are_input(self):
        array = np.arange(100, dtype=np.int32)
        path = self.save("a.npy", array)
        for args, stdin in (((path,), b""), (("-",), npy(array))):
            report = self.report("reverse", "-k", "direct", *args, stdin=stdin)
            self.assertEqual((report["dtype"], report["shape"]), ("i32", [100]))
            load = report["kernels"][0]["counters"]["global load"]
            self.assertEqual((load["requests"], load["lanes"], load["bytes"]), (4, 100, 400))

    def test_text_goes_to_stdout_unless_a_report_does(self):
        done = self.ok(rung("explain", "transpose", "-k", "tile,tile-padded"))
        text = done.stdout.decode()
        self.assertTrue(text.startswith("transpose of f32, 128x128 (64.0 KiB), uniform, seed 0, on sim\n"))
        self.assertIn("32 lanes meet in one bank", text)
        self.assertIn("not so in tile-padded: 1.0 wavefronts", text)
        self.assertEqual(done.stderr, b"")
        self.assertNotIn("\x1b", text)
        done = self.ok(rung("explain", "transpose", "-k", "tile,tile-padded", "--csv", "-"))
        self.assertEqual(done.stderr.decode(), text)
        self.assertEqual(self.ok(rung("explain", "reverse", "-q")).stdout, b"")

    def test_verbose_shows_the_lines_that_cost_nothing_more(self):
        args = ("explain", "reverse", "-k", "direct")
        self.assertNotIn(b"direct.cu:", self.ok(rung(*args)).stdout)
        self.assertIn(b"global load: 4.0 sectors a request for 4.0", self.ok(rung(*args, "-v")).stdout)

    def test_reports(self):
        paths = [self.path(name) for name in ("r.json", "r.csv", "r.md")]
        self.ok(rung("explain", "transpose", "-k", "tile,bytes", "--json", paths[0], "--csv", paths[1], "--markdown",
                     paths[2]))
        with open(paths[0]) as file:
            report = json.load(file)
        rows = list(csv.DictReader(io.StringIO(self.read("r.csv").decode())))
        counted = {row["access"]: int(row["units"]) for row in rows if row["kind"] == "kernel"}
        self.assertEqual(counted["shared load"], report["kernels"][0]["counters"]["shared load"]["wavefronts"])
        self.assertEqual({row["schema"] for row in rows}, {"rung-explain-1"})
        self.assertEqual([row["kernel"] for row in rows if row["kind"] == "skipped"], ["bytes"])
        self.assertIn(b"| `tile` |", self.read("r.md"))
        self.assertIn(b"one byte", self.read("r.md"))

    def test_what_cannot_run_is_skipped_with_its_reason(self):
        report = self.report("transpose", "-k", "tile,bytes")
        (skipped,) = report["skipped"]
        self.assertEqual(skipped["kernel"], "bytes")
        self.assertIn("one byte", skipped["reason"])
        self.assertIn(b"bytes: skipped: ", self.ok(rung("explain", "transpose", "-k", "tile,bytes")).stdout)
        self.fails(rung("explain", "transpose", "-k", "bytes"), 2, "kernel bytes: ", "one byte")

    def test_refusals(self):
        for args, words in (((), ["needs a family"]),
                            (("reduce", "-k", "cpu-parallel"), ["does not run on sim"]),
                            (("reduce", "-k", "shuffel"), ["unknown", "shuffle"]),
                            (("reduce", "-d", "cpu"), ["explain runs on sim"]),
                            (("reduce", "-n", "0"), ["no elements"]),
                            (("reduce", "--axis", "0,2", "--shape", "2x3x4"), ["two kernels"]),
                            (("transpose", "--shape", "5"), ["nothing to explain"]),
                            (("reverse", "--axis", "3"), ["out of range"])):
            with self.subTest(args):
                self.fails(rung("explain", *args), 2, *words)
        self.assertNotIn("cpu-", self.fails(rung("explain", "reduce", "-k", "?"), 2, "valid: best, ladder, all, "))
        self.fails(rung("explain", "reduce", self.path("absent.npy")), 3, "absent.npy")
        self.fails(rung("explain", "reduce", "--json", self.path("no/where.json")), 3, "where.json")

    def test_progress_is_shown_on_a_terminal_alone(self):
        # About two seconds of simulation: what is shown after half of one is seen.
        args = [RUNG, "explain", "reduce", "-k", "interleaved-modulo,sequential", "-n", "2^20"]
        primary, secondary = pty.openpty()
        process = subprocess.Popen(args, stderr=secondary, stdout=subprocess.DEVNULL,
                                   env={**os.environ, "TERM": "xterm"})
        os.close(secondary)
        text = typed_out(primary)
        self.assertEqual(process.wait(TIMEOUT), 0)
        shown = [int(share) for share in re.findall(rb"simulating (\d+)%", text)]
        self.assertTrue(shown)
        self.assertEqual(shown, sorted(shown))
        self.assertTrue(text.endswith(b"\r\x1b[K"))  # and is wiped

    def test_long_simulations_are_announced(self):
        process = subprocess.Popen([RUNG, "explain", "reduce", "-k", "sequential", "-n", "150000000", "--dtype", "u8",
                                    "--dist", "exact"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        with process.stderr as stderr:
            said = stderr.readline().decode()
            process.kill()
        process.wait(TIMEOUT)
        self.assertIn("rung: warning: 150000000 elements by 1 kernel may be simulated for ", said)
        # Before the input is made, which no machine has memory for.
        run = rung("explain", "reduce", "-k", "grid-stride", "-n", "2^47")
        self.assertEqual((run.returncode, run.stdout), (3, b""))
        self.assertRegex(run.stderr, rb"^rung: warning: 140737488355328 elements by 1 kernel may be simulated for .*\n"
                         rb"rung: cannot allocate ")

    def test_launch_shape_and_accumulator(self):
        row = self.report("reduce", "-k", "sequential", "--block", "128", "-n", "1024")["kernels"][0]
        self.assertEqual([(l["grid"], l["block"], l["shared"]) for l in row["launches"]],
                         [([8, 1, 1], [128, 1, 1], 1024), ([1, 1, 1], [128, 1, 1], 1024)])
        row = self.report("reduce", "-k", "sequential", "--block", "128", "-n", "1024", "--acc", "same")["kernels"][0]
        self.assertEqual(row["launches"][0]["shared"], 512)
        # 1024 f32 and 8 partials.
        self.assertEqual(row["counters"]["global load"]["bytes"], 4 * 1032)


class Checked(Case):
    def test_check_on_sim_finds_no_race_in_the_ladder(self):
        path = self.save("a.npy", np.arange(5000, dtype=np.int32))
        self.ok(rung("reduce", "-d", "sim", "-k", "ladder", "--check", path))


if __name__ == "__main__":
    main()
