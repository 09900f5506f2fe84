"""Pipes as input: two at a time, and standard input where no FILE is named; and what is said of a mapped file."""
import json
import os
import pty
import signal
import subprocess
import threading
import time

import numpy as np

from process import RUNG, TIMEOUT, Case, main, npy, rung, shell

ARRAY = np.arange(100_000, dtype=np.float32)  # more than a pipe holds


class TwoPipes(Case):
    def setUp(self):
        super().setUp()
        for name in ("a", "b"):
            os.mkfifo(self.path(name))

    def diff(self, pieces, *options, order=("a", "b")):
        """One writer for both: opens them in this order, then writes the pieces, (name, bytes), in theirs."""
        def write():
            files = {name: open(self.path(name), "wb", buffering=0) for name in order}
            try:
                for name, data in pieces:
                    files[name].write(data)
            except BrokenPipeError:
                pass
            for file in files.values():
                file.close()
        writer = threading.Thread(target=write, daemon=True)
        writer.start()
        run = rung("diff", *options, "a", "b", cwd=self.dir)
        writer.join(TIMEOUT)
        self.assertFalse(writer.is_alive())
        return run

    @staticmethod
    def in_turn(a, b, step=30_000):
        return [piece for k in range(0, max(len(a), len(b)), step)
                for piece in (("a", a[k:k + step]), ("b", b[k:k + step]))]

    def test_a_writer_that_fills_them_alternately(self):
        other = ARRAY.copy()
        other[70_000] = -1
        self.ok(self.diff(self.in_turn(npy(ARRAY), npy(ARRAY))), "")
        run = self.diff(self.in_turn(npy(ARRAY), npy(other)))
        self.assertEqual((run.returncode, run.stderr), (1, b""))
        self.assertIn(b"[70000] 70000 and -1", run.stdout)

    def test_a_writer_that_fills_one_after_the_other(self):
        data = npy(ARRAY)
        for order in (("a", "b"), ("b", "a")):
            self.ok(self.diff([(name, data) for name in order], order=order), "")

    def test_of_two_formats_each_takes_its_options(self):
        text = "".join(f"{x:.0f}\n" for x in ARRAY).encode()
        options = ("--from", "csv", "--dtype", "f32", "--header", "no")
        self.ok(self.diff([("a", npy(ARRAY)), ("b", text)], *options), "")
        self.ok(self.diff([("b", npy(ARRAY)), ("a", text)], *options), "")
        self.fails(self.diff([("a", npy(ARRAY)), ("b", npy(ARRAY))], *options), 2, "a: --header is for csv input")
        self.fails(self.diff([("a", npy(ARRAY)), ("b", npy(ARRAY))], "--dtype", "f64"), 2, "a: its elements are f32")

    def test_what_is_wrong_with_one_is_said_without_an_end_of_the_other(self):
        for bad, good in (("a", "b"), ("b", "a")):
            # The good one's writer stays, and sends nothing more.
            with open(os.open(self.path(good), os.O_RDWR), "wb", buffering=0) as silent:
                silent.write(npy(ARRAY)[:1000])
                writer = threading.Thread(target=self.write, args=(bad, npy(ARRAY)[:50]))
                writer.start()
                self.fails(rung("diff", "a", "b", cwd=self.dir), 3, f"{bad}: truncated npy header")
                writer.join()

    def test_an_error_does_not_wait_for_the_end_of_what_has_no_header(self):
        for bad, good in (("a", "b"), ("b", "a")):
            for text, options in ((b"1\n2\n3\n4\n", ["--from", "csv"]), (b"12345678", ["--from", "raw", "--dtype", "f32"])):
                with open(os.open(self.path(good), os.O_RDWR), "wb", buffering=0) as silent:
                    silent.write(text)
                    writer = threading.Thread(target=self.write, args=(bad, npy(ARRAY)[:1000]))
                    writer.start()
                    self.fails(rung("diff", *options, "a", "b", cwd=self.dir), 3, f"{bad}: truncated")
                    writer.join()

    def test_headers_that_differ_are_read_no_further(self):
        # Their writers stay, and send no data.
        for other in (ARRAY.astype(np.float64), ARRAY.astype(np.float64)[1:], ARRAY[:99_999], ARRAY.reshape(100, 1000)):
            with self.subTest(other.dtype, shape=other.shape), \
                    open(os.open(self.path("a"), os.O_RDWR), "wb", buffering=0) as a, \
                    open(os.open(self.path("b"), os.O_RDWR), "wb", buffering=0) as b:
                a.write(npy(ARRAY)[:128])
                b.write(npy(other)[:128])
                kind = f"{'f64' if other.dtype == np.float64 else 'f32'} {'x'.join(map(str, other.shape))}"
                both = rung("diff", "a", "b", cwd=self.dir)
                hint = b""
                if other.dtype == np.float64 and other.shape == ARRAY.shape:
                    hint = b"hint: --rtol and --atol compare f32 with f64\n"
                self.assertEqual((both.returncode, both.stderr), (1, hint))
                self.assertEqual(both.stdout.decode(), f"a is f32 100000, b is {kind}\n")
                # What is wrong with the command is said all the same.
                a.write(npy(ARRAY)[:128])
                b.write(npy(other)[:128])
                self.fails(rung("diff", "--dtype", "i32", "a", "b", cwd=self.dir), 2, "a: its elements are f32")

    def test_the_header_of_a_pipe_that_differs_from_a_file_is_enough(self):
        self.write("a.npy", npy(ARRAY))
        self.write("a.csv", "1\n2\n")
        for file, kind in (("a.npy", "f32 100000"), ("a.csv", "f64 2")):
            for args in ((file, "a"), ("a", file)):
                with open(os.open(self.path("a"), os.O_RDWR), "wb", buffering=0) as pipe:
                    pipe.write(npy(ARRAY.reshape(100, 1000))[:128])
                    run = rung("diff", *args, cwd=self.dir)
                    said = {"a": "f32 100x1000", file: kind}
                    want = ", ".join(f"{name} is {said[name]}" for name in args) + "\n"
                    self.assertEqual((run.returncode, run.stdout.decode(), run.stderr), (1, want, b""))

    def test_a_file_that_is_cut_short_is_no_difference(self):
        self.write("cut.npy", npy(ARRAY)[:1000])
        for args in (("cut.npy", self.save("b.npy", ARRAY[:5])), (self.path("b.npy"), "cut.npy")):
            self.fails(rung("diff", *args, cwd=self.dir), 3, "cut.npy: truncated")

    def test_a_pipe_that_is_cut_short_is_a_difference_where_headers_differ(self):
        self.write("cut.npy", npy(ARRAY)[:1000])
        self.write("b.npy", npy(ARRAY[:5]))
        for late in ("", "sleep 0.2; "):
            for pipes in (f"<(cat cut.npy) <({late}cat b.npy)", f"<({late}cat b.npy) <(cat cut.npy)",
                          f"<({late}cat cut.npy) <(cat b.npy)"):
                run = shell(f"$rung diff {pipes}", self.dir)
                self.assertEqual((run.returncode, run.stderr), (1, b""), pipes)
                self.assertRegex(run.stdout, rb"is f32 .* is f32 ")
            self.write("c.npy", npy(ARRAY))
            run = shell(f"$rung diff <(cat cut.npy) <({late}cat c.npy)", self.dir)
            self.assertEqual((run.returncode, run.stdout), (3, b""))
            self.assertIn(b"truncated", run.stderr)

    def test_more_on_standard_input_before_the_other_pipe_is_filled(self):
        # More than a pipe holds: its one writer comes to the other pipe when somebody takes it.
        for args in (("-", "a"), ("a", "-")):
            process = subprocess.Popen([RUNG, "diff", *args], cwd=self.dir, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            written = []
            def write():
                process.stdin.write(npy(ARRAY) + bytes(1_000_000))
                with open(self.path("a"), "wb") as other:
                    other.write(npy(ARRAY))
                written.append(True)
            writer = threading.Thread(target=write, daemon=True)
            writer.start()
            try:
                status = process.wait(TIMEOUT)
            finally:
                process.kill()
            writer.join(TIMEOUT)
            self.assertEqual((status, process.stdout.read(), written), (0, b"", [True]))
            self.assertEqual(process.stderr.read(), b"rung: warning: <stdin>: bytes after the array are ignored\n")
            for file in (process.stdin, process.stdout, process.stderr):
                file.close()

    def test_a_pipe_nobody_opens_can_be_interrupted(self):
        process = subprocess.Popen([RUNG, "diff", "a", "b"], cwd=self.dir)
        time.sleep(0.1)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(TIMEOUT), -signal.SIGINT)

    def test_substitutions_that_ended_before_they_are_read(self):
        self.ok(shell('"$rung" diff --from csv <(printf "1\\n2\\n") <(printf "1\\n2\\n")', self.dir), b"".decode())
        run = shell('printf "1\\n" | { sleep 0.1; "$rung" diff --from csv - <(printf "2\\n"); }', self.dir)
        self.assertEqual((run.returncode, run.stdout.splitlines()[1][:13]), (1, b"  [0] 1 and 2"))
        self.fails(shell('"$rung" diff --from csv <(true) <(printf "1\\n")', self.dir), 3, "the input is empty")

    def test_an_endless_pipe_is_read_no_further_than_its_array(self):
        self.write("a.npy", npy(ARRAY))
        run = self.ok(shell('"$rung" diff <(sleep 0.2; cat a.npy) <(cat a.npy - </dev/zero)', self.dir), "")
        self.assertIn(b"bytes after the array are ignored", run.stderr)


class StandardInput(Case):
    def on_terminal(self, *args):
        primary, secondary = pty.openpty()
        run = subprocess.run([RUNG, *args], stdin=secondary, capture_output=True, timeout=TIMEOUT, cwd=self.dir)
        os.close(primary)
        os.close(secondary)
        return run

    def test_info(self):
        for args in ((), ("-",)):
            run = self.ok(rung("info", *args, stdin=npy(ARRAY)))
            self.assertIn(b"f32 100000", run.stdout)

    def test_terminal_is_help_and_usage(self):
        self.write("n.json", "{}")
        for args in (["info"], ["reduce"], ["reverse"], ["transpose", "-"], ["explain", "reverse", "-"],
                     ["explain", "reverse", "--from", "npy"], ["bench", "reverse", "-"], ["bench", "--from-json", "-"],
                     ["compare", "-", "n.json"], ["diff", "-", "n.json"]):
            run = self.on_terminal(*args)
            self.assertEqual((run.returncode, run.stdout), (2, b""), args)
            self.assertIn(b"rung " + args[0].encode(), run.stderr)

    def test_an_option_of_reading_means_the_pipe(self):
        for option in (["--from", "csv"], ["--from", "csv", "--header", "yes"]):
            text = b"name\n"[:5 * (len(option) > 2)] + b"1\n2\n3\n"
            report = json.loads(self.ok(rung("explain", "reverse", "-q", "--json", "-", *option, stdin=text)).stdout)
            self.assertEqual((report["input"], report["shape"]), ("-", [3]))
            run = self.ok(rung("bench", "reverse", "-d", "cpu", "--max-time", "0.01", *option, stdin=text))
            self.assertIn(b"reverse of f64, 3 ", run.stdout)

    def test_an_array_that_is_not_read_is_spoken_of(self):
        said = b"rung: warning: the input is made: the array on standard input is not read; - as FILE reads it"
        self.write("a.npy", npy(ARRAY))
        for command in ("explain reverse", "bench reverse -d cpu -n 10 --max-time 0.01"):
            # read -t 0 waits for bytes, and takes none.
            for line in (f"$rung {command} <a.npy",
                         f"cat a.npy | {{ until read -t 0; do sleep 0.01; done; $rung {command}; }}"):
                run = shell(f"{line}; true", self.dir)
                self.assertEqual(run.stderr.count(said), 1, (line, run.stderr))
            self.assertNotIn(said, shell(f"$rung {command} -q <a.npy", self.dir).stderr)

    def test_a_script_on_standard_input_stays_whole(self):
        for command in ("explain reverse -q", "bench reverse -q -d cpu -n 10 --max-time 0.01"):
            run = subprocess.run(["bash"], input=f"{RUNG} {command}\necho after\n".encode(), capture_output=True,
                                 timeout=TIMEOUT)
            self.assertEqual((run.stdout, run.stderr), (b"after\n", b""))


class Mapped(Case):
    NOTE = " (reads the mapped file)"

    def times(self, *args, stdin=b""):
        return self.ok(rung("reduce", "--time", *args, stdin=stdin)).stderr.decode().splitlines()[-1]

    def test_what_reads_a_mapped_file_is_said(self):
        path = self.save("a.npy", ARRAY)
        self.assertRegex(self.times("-d", "cpu", path), r"^read [^,]*, kernel [^,]*s \(reads the mapped file\), write ")
        # A pipe, CSV, and the other byte order are read before; the oracle of a check reads a file before the kernel.
        self.assertNotIn(self.NOTE, self.times("-d", "cpu", stdin=npy(ARRAY)))
        self.assertNotIn(self.NOTE, self.times("-d", "cpu", self.write("a.csv", "1\n2\n")))
        self.assertNotIn(self.NOTE, self.times("-d", "cpu", self.save("big.npy", ARRAY.astype(">f4"))))
        self.assertNotIn(self.NOTE, self.times("-d", "cpu", "--check", path))

    def test_the_simulator_is_not_a_kernel(self):
        text = self.times("-d", "sim", self.save("a.npy", ARRAY[:100]))
        self.assertRegex(text, r", upload [^,]*s \(reads the mapped file\), simulation [^,]*s, download ")
        self.assertNotIn("kernel", text)


if __name__ == "__main__":
    main()
