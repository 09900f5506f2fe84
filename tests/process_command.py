"""The command line: options, names, exit statuses, reports, help."""
import csv
import json
import locale
import os
import pty
import subprocess
import time

import numpy as np

from process import RUNG, TIMEOUT, Case, main, npy, rung, typed_out

SMALL = np.arange(12, dtype=np.int32).reshape(3, 4)


def has_gpu():
    return rung("reduce", "-d", "gpu", stdin=npy(SMALL)).returncode == 0


class Command(Case):
    def setUp(self):
        super().setUp()
        self.small = self.save("small.npy", SMALL)

    def test_help_and_version(self):
        for args in (["--help"], ["-h"], ["reduce", "--help"], ["transpose", "-h"], ["reverse", "--help"],
                     ["list", "--help"], ["info", "--help"], ["gen", "--help"], ["diff", "--help"], ["--version"]):
            run = self.ok(rung(*args))
            self.assertTrue(run.stdout and not run.stderr, args)
        self.assertRegex(rung("--version").stdout.decode(), r"^rung \d+\.\d+\.\d+")
        for name in ("reduce", "transpose", "reverse"):
            self.assertIn("rung " + name, rung(name, "--help").stdout.decode().split("xample", 1)[1])

    def test_no_command_is_usage(self):
        self.assertEqual(rung().returncode, 2)

    def test_unknown_names_suggest_the_nearest(self):
        for args, wrong, right in ((["redcue"], "redcue", "reduce"),
                                   (["reduce", "--op", "summ"], "summ", "sum"),
                                   (["reduce", "-k", "shufle"], "shufle", "shuffle"),
                                   (["reduce", "-d", "gpx"], "gpx", "gpu"),
                                   (["reduce", "--dtype", "f23", "-f", "raw"], "f23", "f32"),
                                   (["reduce", "--from", "nyp"], "nyp", "npy"),
                                   (["reduce", "--acc", "wid"], "wid", "wide"),
                                   (["reduce", "--axsi", "1"], "axsi", "axis"),
                                   (["gen", "3", "--dist", "uniforn"], "uniforn", "uniform")):
            tail = [] if args[0] in ("redcue", "gen") else [self.small]
            self.fails(rung(*args, *tail), 2, wrong, right)

    def test_numbers_are_checked_as_text(self):
        for args in (["--axis", "0x1"], ["--axis", "1.5"], ["--axis", ""], ["--axis", "2"], ["--axis", "-3"],
                     ["--block", "-1"], ["--block", "64k"], ["--grid", "99999999999999999999"]):
            self.fails(rung("reduce", "-d", "cpu", *args, self.small), 2)

    def test_negative_values_and_end_of_options(self):
        run = self.ok(rung("reduce", "-d", "cpu", "--axis", "-1", "-t", "csv", self.small))
        self.assertEqual(run.stdout, b"6\n22\n38\n")
        self.ok(rung("reduce", "-d", "cpu", "--axis=-2", "-t", "csv", "--", self.small), "12\n15\n18\n21\n")

    def test_transpose_axes(self):
        cube = np.arange(24, dtype=np.uint16).reshape(2, 3, 4)
        path = self.save("cube.npy", cube)
        for axes in ((0, 2, 1), (1, 0, 2), (2, 0, 1), (-1, 0, 1)):
            self.ok(rung("transpose", "-d", "cpu", "--axes", ",".join(map(str, axes)), path, "-o", self.path("o.npy")))
            np.testing.assert_array_equal(np.load(self.path("o.npy")), cube.transpose(axes))
        for axes in ("0,1", "0,0,1", "0,1,3", "0,1,2,3", "a,b,c", ""):
            self.fails(rung("transpose", "-d", "cpu", "--axes", axes, path), 2)

    def test_reverse_axes(self):
        for args, want in (([], SMALL[::-1, ::-1]), (["--axis", "0"], SMALL[::-1]), (["--axis", "-1"], SMALL[:, ::-1]),
                           (["--axis", "0", "--axis", "1"], SMALL[::-1, ::-1])):
            self.ok(rung("reverse", "-d", "cpu", *args, self.small, "-o", self.path("o.npy")))
            np.testing.assert_array_equal(np.load(self.path("o.npy")), want)

    def test_keepdims_and_several_axes(self):
        cube = np.arange(24, dtype=np.int64).reshape(2, 3, 4)
        path = self.save("cube.npy", cube)
        for axes in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2)):
            for keep in (False, True):
                flags = [word for axis in axes for word in ("--axis", axis)] + (["--keepdims"] if keep else [])
                self.ok(rung("reduce", "-d", "cpu", *flags, path, "-o", self.path("o.npy")))
                want = cube.sum(axis=axes, keepdims=keep)
                got = np.load(self.path("o.npy"))
                self.assertEqual(got.shape, want.shape)
                np.testing.assert_array_equal(got, want)

    def test_keepdims_of_no_dimensions(self):
        """As in NumPy the result has none either; with --keepdims it is an array all the same, in the input's format."""
        path = self.save("scalar.npy", np.array(5, np.int32))
        want = np.sum(np.load(path), keepdims=True)
        self.write("o.npy", self.ok(rung("reduce", "-d", "cpu", "--keepdims", path)).stdout)
        got = np.load(self.path("o.npy"))
        self.assertEqual((got.shape, got.dtype, got[()]), (np.shape(want), want.dtype, 5))
        self.ok(rung("reduce", "-d", "cpu", "--keepdims", "-t", "csv", path), "5\n")
        self.ok(rung("reduce", "-d", "cpu", path), "5\n")

    def test_empty_and_ordering_errors(self):
        empty = self.save("empty.npy", np.zeros((0, 3), np.float32))
        self.ok(rung("reduce", "-d", "cpu", empty), "0\n")
        self.ok(rung("reduce", "-d", "cpu", "--op", "prod", empty), "1\n")
        for op in ("min", "max", "mean", "argmin", "argmax"):
            self.fails(rung("reduce", "-d", "cpu", "--op", op, empty), 2)
        z = self.save("z.npy", np.zeros(3, np.complex64))
        for op in ("min", "max", "argmin", "argmax"):
            self.fails(rung("reduce", "-d", "cpu", "--op", op, z), 2, "c64")


class Kernels(Case):
    def setUp(self):
        super().setUp()
        self.small = self.save("small.npy", np.arange(1000, dtype=np.float32))

    def test_every_cuda_kernel_by_name_on_sim(self):
        run = self.ok(rung("reduce", "-d", "sim", "-k", "ladder", "--check", self.small), "499500\n")
        self.assertIn(b"sequential", run.stderr)

    def test_aliases(self):
        self.ok(rung("reduce", "-d", "sim", "-k", "reduce3", self.small), "499500\n")
        self.ok(rung("reverse", "-d", "sim", "-k", "reverse2", self.small, "-o", self.path("o.npy")))
        np.testing.assert_array_equal(np.load(self.path("o.npy")), np.arange(1000, dtype=np.float32)[::-1])

    def test_several_kernels_need_check(self):
        self.fails(rung("reduce", "-d", "sim", "-k", "sequential,shuffle", self.small), 2, "--check")
        for check in ([], ["--check"]):  # the first error names both faults
            self.fails(rung("reduce", "-d", "sim", "-k", "ladder", "-o", self.path("o"), *check, self.small), 2,
                       "--output", "leave -o out", "--check")

    def test_cuda_kernel_on_cpu_hints_at_sim(self):
        self.fails(rung("reduce", "-d", "cpu", "-k", "sequential", self.small), 2, "sim")

    def test_kernels_that_cannot_run(self):
        matrix = self.save("m.npy", np.ones((2, 3, 4)))
        self.fails(rung("reduce", "-d", "sim", "-k", "sequential", "--axis", "1", matrix), 2)
        self.fails(rung("reduce", "-d", "sim", "-k", "sequential", "--block", "33", self.small), 2)

    def test_skipped_kernels_say_why(self):
        run = self.ok(rung("reduce", "-d", "sim", "-k", "atomic,sequential", "--op", "argmax", "--check", self.small))
        self.assertRegex(run.stderr.decode(), r"(?m)atomic.*skip|skip.*atomic")

    def test_missing_gpu_is_status_4(self):
        if has_gpu():
            self.skipTest("there is a GPU")
        text = self.fails(rung("reduce", "-d", "gpu", self.small), 4)
        self.assertIn("hint:", text)
        # Asked for by name, by a kernel that only a GPU runs, it is missing as well.
        bench = ("-n", "10", "--max-time", "0.01", "--min-samples", "1")
        for args in (("reduce", self.small), ("bench", "reduce", *bench), ("bench", "reduce", "--end-to-end", *bench)):
            for device in ([], ["-d", "gpu"]):
                self.fails(rung(*args, "-k", "sequential", *device), 4, "GPU")
        self.fails(rung("reduce", "-k", "sequential", self.small), 4, "kernel sequential needs a GPU, and there is none",
                   "hint: -d sim runs")
        self.fails(rung("transpose", "-k", "tile,row-read", "--check", self.small), 4, "kernel tile needs a GPU")
        # Kernels that no machine has together, and groups, which are there without one, are as before.
        self.fails(rung("reduce", "-k", "sequential,cpu-serial", "--check", self.small), 2, "does not run on cpu")
        self.ok(rung("reduce", "-k", "ladder", "--check", "-q", self.small), "499500\n")
        run = self.ok(rung("reduce", "-v", self.small), "499500\n")
        self.assertIn(b"cpu", run.stderr)


class Reports(Case):
    def setUp(self):
        super().setUp()
        self.small = self.save("small.npy", SMALL.astype(np.float32))

    def test_check_and_time_are_on_stderr(self):
        run = self.ok(rung("reduce", "-d", "cpu", "--check", "--time", self.small), "66\n")
        self.assertTrue(run.stderr)
        self.assertNotIn(b"\x1b", run.stderr)

    def test_nothing_to_time_has_no_time(self):
        for args in (["reduce"], ["transpose"], ["reverse"]):
            run = self.ok(rung(*args, "-d", "cpu", "--check", self.save("none.npy", np.zeros((0, 3)))))
            text = run.stderr.decode()
            self.assertNotRegex(text, r"\d\.\d+ [nu]s")
            for line in text.splitlines()[3:5]:
                self.assertRegex(line, r" - +- +-$")

    def test_a_wrong_reference_is_not_the_kernels_failure(self):
        run = self.ok(rung("reduce", "-d", "cpu", "--op", "max", "--check",
                           self.save("nan.npy", np.array([1, np.nan, 3]))), "nan\n")
        self.assertIn(b"reference thrust::max_element differs from the exact answer", run.stderr)
        self.assertNotIn(b"FAIL", run.stderr)

    def test_quiet(self):
        self.assertEqual(self.ok(rung("reduce", "-d", "cpu", "-q", "--check", self.small), "66\n").stderr, b"")
        self.assertEqual(self.ok(rung("reduce", "-d", "cpu", self.small), "66\n").stderr, b"")

    def test_reports_for_machines(self):
        flags = [w for f in ("json", "csv", "markdown") for w in ("--" + f, self.path("r." + f))]
        self.ok(rung("reduce", "-d", "sim", "-k", "sequential,shuffle", "--check", *flags, self.small), "66\n")
        report = json.loads(self.read("r.json"))
        self.assertIn("schema", json.dumps(report))
        for word in ("sequential", "shuffle", "pass", "environment"):
            self.assertIn(word, json.dumps(report))
        rows = list(csv.DictReader(self.read("r.csv").decode().splitlines()))
        self.assertEqual([row["kernel"] for row in rows if row["kernel"] in ("sequential", "shuffle")],
                         ["sequential", "shuffle"])
        self.assertRegex(self.read("r.markdown").decode(), r"\| *`?sequential`? *\|")

    def test_reports_do_not_overwrite_inputs_or_outputs(self):
        m = self.save("m.npy", np.arange(6.0).reshape(2, 3))
        before = self.read("m.npy")
        self.fails(rung("reduce", "--json", m, m), 2, "overwrite")
        self.assertEqual(self.read("m.npy"), before)
        self.fails(rung("transpose", m, "-o", self.path("t.npy"), "--csv", self.path("t.npy")), 2, "overwrite")
        self.assertFalse(os.path.exists(self.path("t.npy")))
        self.fails(rung("reduce", "--json", self.path("r"), "--csv", self.path("r"), m), 2, "overwrite")

    def test_color(self):
        def stderr_on_terminal(*args, **env):
            primary, secondary = pty.openpty()
            subprocess.run([RUNG, "reduce", "-d", "cpu", "--check", *args, self.small], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=secondary, check=True, timeout=TIMEOUT,
                           env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **env})
            os.close(secondary)
            return typed_out(primary)
        self.assertIn(b"\x1b[", stderr_on_terminal())
        self.assertNotIn(b"\x1b[", stderr_on_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\x1b[", stderr_on_terminal("--color", "never"))
        for term in ("dumb", ""):
            self.assertNotIn(b"\x1b[", stderr_on_terminal(TERM=term))
            self.assertIn(b"\x1b[", stderr_on_terminal("--color", "always", TERM=term))
        self.assertIn(b"\x1b[", rung("reduce", "-d", "cpu", "--check", "--color", "always", self.small).stderr)

    def test_color_is_for_the_stream_that_the_text_goes_to(self):
        def text_on(terminal, *args):
            primary, secondary = pty.openpty()
            streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, terminal: secondary}
            run = subprocess.run([RUNG, *args], stdin=subprocess.DEVNULL, check=True, timeout=TIMEOUT, **streams,
                                 env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm"})
            os.close(secondary)
            return typed_out(primary), run.stdout or run.stderr or b""
        bench = ("bench", "reduce", "-d", "cpu", "-n", "10", "--max-time", "0.02", "--min-samples", "2", "--mode", "hot")
        self.assertIn(b"\x1b[3", text_on("stdout", *bench)[0])
        terminal, pipe = text_on("stderr", *bench)
        self.assertIn(b"pass", pipe)
        self.assertNotIn(b"\x1b[", pipe)
        # With the report on standard output the table goes to the other.
        self.assertIn(b"\x1b[3", text_on("stderr", *bench, "--json", "-")[0])
        self.assertNotIn(b"\x1b[", text_on("stdout", *bench, "--json", "-")[0])

    def test_progress_is_not_drawn_into_data_on_a_terminal(self):
        path = self.path("w.npy")
        self.ok(rung("gen", "150x10000", "--dtype", "f32", "-o", path))
        primary, secondary = pty.openpty()
        process = subprocess.Popen([RUNG, "reverse", "-d", "cpu", "-t", "csv", path], stdin=subprocess.DEVNULL,
                                   stdout=secondary, stderr=secondary, env={**os.environ, "TERM": "xterm"})
        os.close(secondary)
        time.sleep(1.5)  # longer than a command is without a line of progress
        text = typed_out(primary)
        self.assertEqual(process.wait(TIMEOUT), 0)
        self.assertNotIn(b"\x1b", text)
        self.assertEqual(text.count(b"\n"), 150)

    def test_locale_does_not_matter(self):
        try:
            locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
        except locale.Error:
            self.skipTest("de_DE.UTF-8 is not installed")
        finally:
            locale.setlocale(locale.LC_ALL, "C")
        path = self.write("d.csv", "1.5\n2000.25\n")
        self.ok(rung("reduce", "-d", "cpu", path, env={"LC_ALL": "de_DE.UTF-8"}), "2001.75\n")
        self.fails(rung("reduce", "-d", "cpu", self.write("c.csv", "1,5;2\n"), "--delimiter", "semicolon",
                        env={"LC_ALL": "de_DE.UTF-8"}), 3, "1,5")


class SmallCommands(Case):
    def test_list(self):
        for what in ([], ["kernels"], ["references"], ["machines"], ["dtypes"], ["formats"]):
            self.assertTrue(self.ok(rung("list", *what)).stdout, what)
        text = rung("list", "kernels").stdout.decode()
        for name in ("interleaved-modulo", "reduce1", "tile-padded", "cpu-parallel", "reverse2"):
            self.assertIn(name, text)
        types = rung("list", "dtypes").stdout.decode().split()
        for name in "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128".split():
            self.assertIn(name, types)
        self.fails(rung("list", "kernelz"), 2, "kernels")

    def test_info(self):
        path = self.save("a.npy", np.asfortranarray(np.zeros((3, 4), ">f4")))
        text = self.ok(rung("info", path)).stdout.decode()
        for word in ("f32", "3x4", "48", "npy"):
            self.assertIn(word, text)
        self.assertRegex(text.lower(), "fortran")
        self.assertRegex(text.lower(), "big")

    def test_gen(self):
        for dtype in "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128".split():
            self.write("g.npy", self.ok(rung("gen", "7x5", "--dtype", dtype)).stdout)
            self.assertEqual(np.load(self.path("g.npy")).shape, (7, 5))
        self.ok(rung("gen", "5", "--dist", "arange", "--dtype", "i32", "-o", self.path("r.npy")), "")
        np.testing.assert_array_equal(np.load(self.path("r.npy")), np.arange(5))
        self.fails(rung("gen", "3x-4"), 2)
        self.fails(rung("gen", "99999999999x99999999999"), 2)

    def test_gen_of_bf16_says_that_it_is_raw(self):
        run = self.ok(rung("gen", "2x3", "--dtype", "bf16"))
        self.assertEqual(len(run.stdout), 12)
        self.assertIn(b"--from raw --dtype bf16 --shape 2x3", run.stderr)
        for args in (["-q"], ["-t", "raw"], ["-t", "csv"], ["-o", self.path("b.raw")]):
            self.assertEqual(self.ok(rung("gen", "2x3", "--dtype", "bf16", *args)).stderr, b"")

    def test_diff_of_two_formats(self):
        a = np.arange(6, dtype=np.float32).reshape(2, 3)
        path, other = self.save("a.npy", a), self.save("b.npy", a + 1)
        raw, text = self.write("a.raw", a.tobytes()), self.write("a.csv", "0,1,2\n3,4,5\n")
        told = ["--dtype", "f32", "--shape", "2x3"]
        self.ok(rung("diff", path, raw, *told), "")
        self.ok(rung("diff", raw, path, *told), "")
        self.ok(rung("diff", path, text, "--dtype", "f32", "--delimiter", "comma"), "")
        self.ok(rung("diff", text, raw, *told), "")
        self.ok(rung("diff", path, "-", "-f", "raw", *told, stdin=a.tobytes()), "")
        self.assertEqual(rung("diff", other, raw, *told).returncode, 1)
        self.fails(rung("diff", path, path, "--shape", "2x3"), 2, "--shape is for raw")
        self.fails(rung("diff", path, raw), 2, "raw input needs --dtype")

    def test_rounded_integers_are_told(self):
        path = self.write("ids.csv", "1,2\n3,9007199254740993\n")
        run = self.ok(rung("reduce", "-d", "cpu", "--op", "max", path), "9007199254740992\n")
        self.assertEqual(run.stderr.decode(), f"rung: warning: {path}:2: field 2: '9007199254740993' is not exact in "
                                              "f64; --dtype i64 keeps it\n")
        self.assertEqual(self.ok(rung("reduce", "-d", "cpu", "-q", "--op", "max", path)).stderr, b"")
        run = self.ok(rung("reduce", "-d", "cpu", "--op", "max", "--dtype", "i64", path), "9007199254740993\n")
        self.assertEqual(run.stderr, b"")

    def test_diff(self):
        a = self.save("a.npy", SMALL.astype(np.float32))
        near, far = SMALL.astype(np.float32), SMALL.astype(np.float32)
        near[1, 1] = np.nextafter(near[1, 1], np.float32(100))
        far[2, 3] = np.nan
        self.ok(rung("diff", a, a))
        for other, index in ((self.save("near.npy", near), "[1,1]"), (self.save("far.npy", far), "[2,3]")):
            run = rung("diff", a, other)
            self.assertEqual(run.returncode, 1)
            self.assertIn(index, (run.stdout + run.stderr).decode())
        self.ok(rung("diff", self.path("far.npy"), self.path("far.npy")))


if __name__ == "__main__":
    main()
