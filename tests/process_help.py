"""The width of help texts."""
import fcntl
import os
import pty
import struct
import subprocess
import termios

from process import RUNG, TIMEOUT, Case, main, rung, typed_out

COMMANDS = ([], *([name] for name in ("reduce", "transpose", "reverse", "bench", "explain", "compare", "list", "info",
                                      "gen", "diff")))


class Width(Case):
    def widest(self, text):
        return max(len(line) for line in text.decode().splitlines())

    def test_columns(self):
        for columns, width in (("", 80), ("64", 64), ("72", 72), ("100", 100), ("200", 100), ("20", 64), ("x", 80),
                               ("70x", 80), ("-70", 80), ("99999999999999999999", 80)):
            for command in COMMANDS:
                text = self.ok(rung(*command, "--help", env={"COLUMNS": columns})).stdout
                self.assertLessEqual(self.widest(text), width, (command, columns))
                if command == ["bench"]:  # no narrower than it must be
                    self.assertGreater(self.widest(text), width - 3, columns)
                self.assertNotIn(b" \n", text)

    def test_terminal(self):
        for columns, width in ((70, 70), (240, 100), (0, 80)):
            primary, secondary = pty.openpty()
            fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
            process = subprocess.Popen([RUNG, "bench", "--help"], stdout=secondary, env=environment)
            os.close(secondary)
            text = typed_out(primary)
            self.assertEqual(process.wait(TIMEOUT), 0)
            want = self.ok(rung("bench", "--help", env={"COLUMNS": str(width)})).stdout
            self.assertEqual(text.replace(b"\r\n", b"\n"), want)

    def test_examples_are_commands_at_every_width(self):
        lines = self.ok(rung("bench", "--help", env={"COLUMNS": "100"})).stdout.decode()
        narrow = self.ok(rung("bench", "--help", env={"COLUMNS": "64"})).stdout.decode()
        self.assertIn(" \\\n", narrow)
        commands = [text.split("Examples:\n")[1].split("\n\n")[0].replace("\\\n", "").split() for text in (lines, narrow)]
        self.assertEqual(*commands)


if __name__ == "__main__":
    main()
