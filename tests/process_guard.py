"""What a command does not do: write over its own files, leave any behind, give orders to a terminal."""
import json
import os
import pty
import resource
import signal
import subprocess
import time

import numpy as np

from process import LONG, RUNG, TIMEOUT, Case, main, npy, rung, shell, typed_out, wait_for_outputs

QUICK = ("-d", "cpu", "--max-time", "0.05", "--min-samples", "2", "--mode", "hot")
TAKEN = "would overwrite an input or another output"
SMALL = np.arange(12, dtype=np.int32)
ESCAPE = "a\x1b[31mb"


class Overwriting(Case):
    def setUp(self):
        super().setUp()
        self.input = self.save("a.npy", SMALL)
        self.before = self.read("a.npy")
        os.symlink("a.npy", self.path("link"))
        os.symlink("new", self.path("dangling"))
        os.symlink(self.dir, self.path("folder"))

    def refused(self, *args, stdin=None):
        with open(stdin or os.devnull, "rb") as source:
            run = subprocess.run([RUNG, *args], stdin=source, capture_output=True, cwd=self.dir, timeout=TIMEOUT)
        self.fails(run, 2, TAKEN)
        self.assertEqual(self.read("a.npy"), self.before)
        self.assertEqual(sorted(os.listdir(self.dir)), ["a.npy", "dangling", "folder", "link"])

    def test_bench_onto_its_input(self):
        for option in ("--json", "--csv", "--markdown", "--svg"):
            for name in ("a.npy", "./a.npy", "link", "folder/a.npy", self.input):
                self.refused("bench", "reduce", "a.npy", *QUICK, option, name)
        self.refused("bench", "reduce", "a.npy", "--end-to-end", "--json", "a.npy")
        self.refused("bench", "--from-json", "a.npy", "--csv", "link")

    def test_reports_onto_each_other_before_they_are_there(self):
        for other in ("new", "./new", "folder/new", "dangling", "folder/dangling", self.path("new")):
            self.refused("bench", "reduce", "-n", "10", *QUICK, "--json", "new", "--svg", other)
            self.refused("reduce", "-d", "cpu", "a.npy", "--json", "new", "-o", other)
            self.refused("reduce", "-d", "cpu", "a.npy", "--json", other, "--csv", "new")

    def test_standard_input_is_a_file(self):
        self.refused("reduce", "-d", "cpu", "--json", "a.npy", stdin=self.input)
        self.refused("bench", "reduce", "-", *QUICK, "--json", "./a.npy", stdin=self.input)

    def test_what_is_no_conflict(self):
        self.ok(rung("bench", "reduce", "a.npy", *QUICK, "--json", "/dev/null", "--csv", "/dev/null", cwd=self.dir))
        self.ok(rung("reduce", "-d", "cpu", "a.npy", "--json", "one", "--csv", "two", cwd=self.dir), "66\n")
        self.ok(shell('"$rung" reverse -d cpu -o a.npy < a.npy', self.dir))
        np.testing.assert_array_equal(np.load(self.input), SMALL[::-1])


class Signals(Case):
    def setUp(self):
        super().setUp()
        self.scratch = self.path("tmp")
        os.mkdir(self.scratch)

    def start(self, *args, **more):
        return subprocess.Popen([RUNG, *args], env={**os.environ, "TMPDIR": self.scratch}, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)), **more)

    def test_a_file_over_the_limit_is_an_error(self):
        run = shell('ulimit -f 1; "$rung" gen 100000 -o big.npy', self.dir)
        self.fails(run, 3, "big.npy: cannot write: File too large")
        self.assertEqual(os.listdir(self.dir), ["tmp"])

    def test_every_signal_that_ends_it_removes_what_was_begun(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU, signal.SIGALRM,
                       signal.SIGUSR1, signal.SIGUSR2):
            process = self.start("transpose", "-d", "cpu", "-f", "npy", "-", "-o", "o.npy")
            wait_for_outputs(process, self.dir, 1)
            process.send_signal(number)
            process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, -number)
            self.assertEqual(os.listdir(self.dir), ["tmp"])

    def test_a_signal_that_ended_the_child_alone_ends_bench_too(self):
        self.save("in.npy", np.ones(2_000_000))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            process = self.start("bench", "transpose", "in.npy", "-d", "cpu", "--end-to-end", *LONG)
            children = f"/proc/{process.pid}/task/{process.pid}/children"
            deadline = time.monotonic() + 30
            while process.poll() is None and time.monotonic() < deadline:
                try:
                    with open(children) as file:
                        for child in file.read().split():
                            os.kill(int(child), number)
                except OSError:  # it has ended meanwhile
                    pass
                time.sleep(0.02)
            _, errors = process.communicate(timeout=TIMEOUT)
            self.assertEqual((process.returncode, errors), (-number, b""))
            self.assertEqual(os.listdir(self.scratch), [])

    def test_a_signal_to_the_whole_group_is_no_error(self):
        self.save("in.npy", np.ones(2_000_000))
        for wait in (0.1, 0.3, 0.5):
            process = self.start("bench", "transpose", "in.npy", "-d", "cpu", "--end-to-end", *LONG,
                                 start_new_session=True)
            time.sleep(wait)
            os.killpg(process.pid, signal.SIGINT)
            _, errors = process.communicate(timeout=TIMEOUT)
            self.assertEqual((process.returncode, errors), (-signal.SIGINT, b""))
            self.assertEqual(os.listdir(self.scratch), [])


class Progress(Case):
    """The line of progress on a terminal."""

    def read_slowly(self, term, end):
        """A pipe that takes longer than progress waits for; end(process) ends it. What came to the terminal."""
        primary, secondary = pty.openpty()
        environment = {key: value for key, value in os.environ.items() if key != "TERM"}
        process = subprocess.Popen([RUNG, "reduce", "-d", "cpu", "--from", "raw", "--dtype", "u8"], stderr=secondary,
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   env=environment if term is None else {**environment, "TERM": term})
        os.close(secondary)
        for _ in range(17):  # MiB; it looks at the clock at 1, 2, 4, 8 and 16
            process.stdin.write(bytes(1 << 20))
            time.sleep(0.1)
        end(process)
        process.stdin.close()
        return typed_out(primary), process.wait(TIMEOUT)

    def test_a_terminal_that_knows_no_escapes_is_shown_none(self):
        text, status = self.read_slowly("xterm", lambda process: None)
        self.assertEqual(status, 0)
        self.assertRegex(text, rb"reading <stdin> \d+ MiB")
        self.assertTrue(text.endswith(b"\r\x1b[K"), text)
        for term in ("dumb", "", None):
            self.assertEqual(self.read_slowly(term, lambda process: None), (b"", 0), term)

    def test_a_signal_wipes_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            text, status = self.read_slowly("xterm", lambda process: process.send_signal(number))
            self.assertEqual(status, -number)
            self.assertRegex(text, rb"reading <stdin> \d+ MiB\r\x1b\[K$")


class Changes(Case):
    def test_a_file_that_changes_while_it_is_measured_has_no_figures(self):
        report = self.path("r.json")

        def touch(path):
            os.utime(path, (1, 1))

        def replace(path):
            np.save(path + ".new.npy", np.zeros(1000))
            os.replace(path + ".new.npy", path)

        for change in (touch, replace, os.remove):
            path = self.save("in.npy", np.ones(1000))
            # What it says with -v comes after its look at the file, and a second before its end.
            process = subprocess.Popen([RUNG, "bench", "reduce", path, "-d", "cpu", "--end-to-end", "--max-time", "1",
                                        "-v", "--json", report], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            said = b""
            while b"checking: " not in said and (line := process.stderr.readline()):
                said += line
            self.assertIn(b"checking: ", said)
            change(path)
            output, said = process.communicate(timeout=TIMEOUT)
            self.assertEqual((process.returncode, output), (3, b""), said)
            self.assertIn(b"in.npy: changed while it was measured", said)
            self.assertFalse(os.path.exists(report))


class Terminal(Case):
    def test_control_characters_of_names_are_escaped_in_messages(self):
        csv = self.write(ESCAPE + ".csv", "1\nx\n")
        for status, args in ((3, ["reduce", "-d", "cpu", csv]), (3, ["reduce", "-d", "cpu", self.path(ESCAPE)]),
                             (2, ["reduce", "-d", "cpu", "-f", "csv", self.write("h\n.csv", "a\x9b,b\n1,2\n"),
                                  "--header", "yes", "--columns", "c"])):
            text = self.fails(rung(*args), status, "\\x")
            self.assertNotIn("\x1b", text)
        path = self.save(ESCAPE + ".npy", SMALL)
        for args in (["info", path], ["diff", path, self.save("b.npy", SMALL[1:])]):
            run = rung(*args)
            self.assertIn(b"a\\x1b[31mb", run.stdout)
            self.assertNotIn(b"\x1b", run.stdout)
        run = self.ok(rung("reduce", "-d", "cpu", "--check", "--time", path, self.path("b.npy")))
        self.assertNotIn(b"\x1b", run.stderr)
        self.assertIn(path.encode(), run.stdout)  # data, for the next in the pipe

    def test_names_of_values_on_a_terminal(self):
        path = self.save(ESCAPE + ".npy", SMALL)
        primary, secondary = pty.openpty()
        subprocess.run([RUNG, "reduce", "-d", "cpu", path, path], stdin=subprocess.DEVNULL, stdout=secondary,
                       timeout=TIMEOUT, check=True)
        os.close(secondary)
        text = os.read(primary, 4096)
        os.close(primary)
        self.assertIn(b"a\\x1b[31mb", text)
        self.assertNotIn(b"\x1b", text)

    def test_names_of_a_benchmark_from_a_file(self):
        path = self.path("r.json")
        self.ok(rung("bench", "reduce", "-a", "n=10,20", *QUICK, "--json", path))
        with open(path) as file:
            report = json.load(file)
        for point in report["points"]:
            point.update(device=ESCAPE, operation=ESCAPE)
            point["rows"][0].update(name=ESCAPE, note=ESCAPE)
        other = self.write("o.json", json.dumps(report))
        for args in (["bench", "--from-json", other], ["compare", path, other]):
            run = self.ok(rung(*args))
            self.assertIn(b"a\\x1b[31mb", run.stdout)
            self.assertNotIn(b"\x1b", run.stdout + run.stderr)

    def test_a_report_that_cannot_be_written_is_an_error(self):
        self.save("a.npy", SMALL)
        run = shell('"$rung" reduce -d cpu --check a.npy 2>/dev/full', self.dir)
        self.assertEqual((run.returncode, run.stdout), (3, b""))
        self.ok(shell('"$rung" reduce -d cpu --check -q a.npy 2>/dev/full', self.dir), "66\n")


class Once(Case):
    def test_a_usage_error_of_no_file_is_told_once(self):
        a, b = self.write("a.csv", "1\n"), self.write("b.csv", "2\n")
        for args in (["--delimiter", "xy"], ["--columns", "0"], ["--columns", "1,,2"], ["--columns", "3-1"],
                     ["--columns", "name"], ["--columns", '"a'], ["--missing", "nan", "--dtype", "i32"],
                     ["--from", "csv", "--shape", "3"], ["--from", "raw"], ["-t", "npy"]):
            self.fails(rung("reduce", "-d", "cpu", *args, a, b), 2)
        self.fails(rung("info", "--columns", "0", a, b), 2)

    def test_bench_options_without_effect(self):
        path = self.save("a.npy", SMALL)
        for args in (["--seed", "0"], ["--dist", "uniform"]):
            self.fails(rung("bench", "reduce", path, *QUICK, *args), 2, args[0] + " makes input")
        for args in (["--columns", "1"], ["--delimiter", ","], ["--header", "no"], ["--missing", "error"],
                     ["--offset", "0"], ["--endian", "little"], ["--from", "npy"]):
            self.fails(rung("bench", "reduce", "-n", "10", *QUICK, *args), 2, args[0] + " is for reading a FILE")
        report = self.path("r.json")
        self.ok(rung("bench", "reduce", "-n", "10", *QUICK, "--json", report))
        for args in (["--mode", "cold"], ["-n", "5"], ["--op", "sum"], ["-d", "cpu"], ["--end-to-end"], ["-k", "best"],
                     ["--columns", "1"], ["-a", "n=1,2"], ["--max-time", "5"]):
            self.fails(rung("bench", "--from-json", report, *args), 2, "--from-json measures nothing")
        self.ok(rung("bench", "--from-json", report, "--csv", "-", "-v", "--color", "never"))

    def test_one_sample_has_no_interval(self):
        run = self.ok(rung("bench", "reverse", "-n", "10", "-d", "cpu", "--max-time", "0.000000001",
                           "--min-samples", "1", "--no-reference", "--json", self.path("r.json")))
        self.assertIn(b"stopped by --max-time", run.stdout)
        with open(self.path("r.json")) as file:
            (point,) = json.load(file)["points"]
        self.assertEqual([row["seconds"]["n"] for row in point["rows"]], [1] * len(point["rows"]))
        lines = run.stdout.decode().splitlines()[1:]
        for line in lines[1:1 + len(point["rows"])]:
            start = lines[0].index("median") + len("median")
            self.assertEqual(line[start:].split()[:3], ["-", "-", "1"])


if __name__ == "__main__":
    main()
