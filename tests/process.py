"""Runs rung as a process for the process_*.py tests: process_X.py RUNG [unittest arguments]."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

RUNG = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "rung"
TIMEOUT = 120
LONG = ("--max-time", "60", "--min-samples", "2000")  # a bench that goes on until a signal ends it

# A shell's background job starts with some of these ignored, nohup's with another, and rung leaves ignored ones so.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def rung(*args, stdin=b"", env=None, cwd=None, stdout=subprocess.PIPE):
    """One run; standard input is these bytes, never a terminal."""
    environment = {**os.environ, **(env or {})}
    return subprocess.run([RUNG, *map(str, args)], input=stdin, env=environment, cwd=cwd, stdout=stdout,
                          stderr=subprocess.PIPE, timeout=TIMEOUT)


def shell(line, cwd, env=None):
    """A line of bash with $rung set; its status is that of the first command of a pipe that failed."""
    environment = {**os.environ, "rung": RUNG, **(env or {})}
    return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT)


def wait_for_outputs(process, folder, count, seconds=TIMEOUT):
    """Until the process has so many files of the folder open. Those that it has begun may not have a name yet."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        links = []
        for name in os.listdir(f"/proc/{process.pid}/fd"):
            try:
                links.append(os.readlink(f"/proc/{process.pid}/fd/{name}"))
            except OSError:  # closed meanwhile
                pass
        if sum(link.startswith(os.path.realpath(folder) + "/") for link in links) >= count:
            return
        time.sleep(0.01)
    raise AssertionError(f"{count} files were not opened in {folder}")


def typed_out(primary):
    """What comes to a terminal until its other end is closed; closes it too."""
    pieces = []
    try:
        while piece := os.read(primary, 65536):
            pieces.append(piece)
    except OSError:  # that is how Linux says so
        pass
    os.close(primary)
    return b"".join(pieces)


def npy(array):
    import io
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


class Case(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = folder.name

    def path(self, name):
        return os.path.join(self.dir, name)

    def save(self, name, array):
        np.save(self.path(name), array)
        return self.path(name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def ok(self, run, stdout=None):
        """Status 0; with `stdout`, exactly that text."""
        self.assertEqual(run.returncode, 0, run.stderr.decode(errors="replace"))
        if stdout is not None:
            self.assertEqual(run.stdout.decode(), stdout)
        return run

    def fails(self, run, status, *words):
        """That exit status, nothing on stdout, one error line that has the words, and at most one hint."""
        text = run.stderr.decode(errors="replace")
        self.assertEqual(run.returncode, status, text)
        self.assertEqual(run.stdout, b"")
        lines = text.splitlines()
        self.assertTrue(lines and lines[0].startswith("rung: "), text)
        self.assertLessEqual(len(lines), 2, text)
        self.assertTrue(all(line.startswith("hint:") for line in lines[1:]), text)
        for word in words:
            self.assertIn(word, text)
        return text


def main():
    unittest.main(module="__main__", argv=[sys.argv[0], *sys.argv[2:]])
