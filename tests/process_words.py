"""What the command says to one who does not know it yet: warnings, reasons, hints, help, lists."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import numpy as np

from process import RUNG, TIMEOUT, Case, main, npy, rung, shell, typed_out

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def has_gpu():
    return rung("reduce", "-d", "gpu", stdin=npy(np.zeros(3))).returncode == 0


def help_of(*words):
    """The help on one line."""
    return re.sub(r"\s+", " ", rung(*words, "--help").stdout.decode())


class Empty(Case):
    """What a command before in the pipe leaves when it fails."""

    def test_raw_has_its_result_and_a_warning(self):
        raw = ("-d", "cpu", "-f", "raw", "--dtype", "f32")
        run = self.ok(rung("reduce", *raw), "0\n")
        self.assertIn(b"rung: warning: <stdin>: the input is empty", run.stderr)
        self.assertIn(b"the command before it may have failed", run.stderr)
        self.assertEqual(self.ok(rung("reduce", *raw, "-q"), "0\n").stderr, b"")
        # Asked for, it is no surprise.
        self.assertEqual(self.ok(rung("reduce", *raw, "--shape", "0"), "0\n").stderr, b"")
        none = self.write("none.raw", b"")
        run = self.ok(rung("reduce", "-d", "cpu", "--dtype", "f32", none), "0\n")
        self.assertIn(b"none.raw: the input is empty", run.stderr)
        self.assertNotIn(b"pipe", run.stderr)
        four = self.write("four.raw", b"1234")
        run = self.ok(rung("reduce", "-d", "cpu", "--dtype", "f32", "--offset", "4", four), "0\n")
        self.assertIn(b"the input is empty after --offset 4", run.stderr)
        self.assertIn(b"the input is empty", self.ok(rung("info", *raw[2:], "-")).stderr)

    def test_other_formats_say_so(self):
        for args in ([], ["-f", "npy"], ["-f", "csv"], ["-f", "csv", "--header", "yes"]):
            self.fails(rung("reduce", "-d", "cpu", *args), 3, "<stdin>: the input is empty", "may have failed")
        for name in ("none.npy", "none.csv", "none"):
            self.fails(rung("reduce", "-d", "cpu", self.write(name, b"")), 3, f"{name}: the input is empty")


class StandardInput(Case):
    def test_it_has_one_name_in_messages(self):
        """- is what is typed; a value's name beside it, which is data, and a report have what was typed."""
        data, other = npy(np.ones(3, np.float32)), self.save("two.npy", np.ones(2, np.float32))
        self.assertIn(b"<stdin>: f32 3,", self.ok(rung("info", stdin=data)).stdout)
        self.assertEqual(rung("diff", "-", other, stdin=data).stdout.decode(), f"<stdin> is f32 3, {other} is f32 2\n")
        self.assertIn(b", <stdin>, on sim", self.ok(rung("explain", "reverse", "-k", "direct", "-", stdin=data)).stdout)
        run = self.ok(rung("reduce", "-d", "cpu", "--check", "--time", "-", other, stdin=data), f"3  -\n2  {other}\n")
        self.assertIn(b"<stdin>: reduce sum of f32, 3 ", run.stderr)
        self.assertIn(b"\n<stdin>: read ", run.stderr)
        self.assertNotIn(b"-: re", run.stderr)
        self.fails(rung("reduce", "-d", "cpu", stdin=data[:-1]), 3, "rung: <stdin>: ")

    def test_help_says_which_of_q_and_v_counts(self):
        for command in ("reduce", "bench", "explain", "compare", "list", "info", "gen", "diff"):
            self.assertIn("of -q and -v the last one counts", help_of(command))


class SeveralFormats(Case):
    def setUp(self):
        super().setUp()
        self.array = self.save("a.npy", np.array([1, 2], np.float32))
        self.table = self.write("t.csv", "day;low\nmonday;3\ntuesday;NA\n")
        self.bytes = self.write("r.raw", np.array([7, 8, 9], ">i2").tobytes())
        self.csv = ("--header", "yes", "--columns", "low", "--delimiter", ";", "--missing", "nan")
        self.raw = ("--dtype", "i16", "--offset", "2", "--endian", "big", "--shape", "2")

    def test_each_file_takes_the_options_for_its_format(self):
        for options, other, value in ((self.csv, self.table, "nan"), (self.raw, self.bytes, "17"),
                                      (("-f", "csv", "--dtype", "f64", *self.csv), self.table, "nan")):
            values = {self.array: "3", other: value}
            for files in ([self.array, other], [other, self.array]):
                self.ok(rung("reduce", "-d", "cpu", *options, *files), "".join(f"{values[f]}  {f}\n" for f in files))
                said = self.ok(rung("info", *options, *files)).stdout.decode()
                self.assertIn(f"{self.array}: f32 2, C order, 8 bytes, npy", said)
                self.assertIn(f"{other}: {'i16' if other == self.bytes else 'f64'} 2, ", said)
        # Three formats in one command.
        self.ok(rung("reduce", "-d", "cpu", *self.csv[:6], *self.raw, self.bytes, self.array,
                     self.write("i.csv", "day;low\nmonday;300\n")),
                f"17  {self.bytes}\n3  {self.array}\n300  {self.path('i.csv')}\n")
        self.assertIn("each takes the input options that are for its format", help_of())

    def test_what_no_file_has_a_use_for_is_refused(self):
        other = self.save("b.npy", np.ones(2, np.float32))
        for command in (["reduce", "-d", "cpu"], ["info"]):
            for args, word in ((["--header", "yes"], "--header is for csv input"),
                               (["--offset", "2"], "--offset is for raw input"), (["--dtype", "i32"], "not i32 as --dtype says")):
                run = rung(*command, *args, self.array, other)
                self.assertEqual((run.returncode, run.stdout), (2, b""))
                self.assertEqual(run.stderr.decode().count(word), 2, run.stderr)
            run = rung(*command, "--offset", "2", *self.csv, self.array, self.table)
            self.assertEqual((run.returncode, run.stdout), (2, b""))
            self.assertEqual(run.stderr.decode().count("--offset is for raw input"), 2)
            self.fails(rung(*command, "--header", "yes", self.array), 2, "--header is for csv input")
        run = rung("info", *self.csv, self.path("none.csv"), self.array, self.table)
        self.assertEqual((run.returncode, run.stdout.count(b" C order")), (3, 2))

    def test_streams_are_read_in_their_turn(self):
        self.ok(rung("reduce", "-d", "cpu", "-f", "csv", *self.csv, self.array, "-", stdin=b"day;low\nx;5\n"),
                f"3  {self.array}\n5  -\n")
        # One writer of two FIFOs, which ends the first before it opens the second.
        for name in ("p.csv", "q.csv"):
            os.mkfifo(self.path(name))
        self.write("big.csv", "day;low\n" + "".join(f"x;{k % 2}\n" for k in range(50_000)))  # more than a pipe holds
        self.ok(shell('(cat big.csv >p.csv; cat big.csv >q.csv) & "$rung" reduce -d cpu --header yes --columns low '
                      'p.csv a.npy q.csv', self.dir), "25000  p.csv\n3  a.npy\n25000  q.csv\n")


class Statuses(Case):
    def test_options_that_do_not_fit_the_data_are_usage(self):
        matrix = self.save("m.npy", np.zeros((2, 3), np.float32))
        table = self.write("t.csv", "day,low\n1,2\n")
        for word, args in (("--dtype", [matrix, "--dtype", "i32"]), ("--shape", [matrix, "--shape", "6"]),
                           ("--axis 5", [matrix, "--axis", "5"]),
                           ("t.csv:1: there is no column 9", [table, "--header", "yes", "--columns", "9"]),
                           ("t.csv:1: the header has no", [table, "--header", "yes", "--columns", "cost"])):
            self.fails(rung("reduce", "-d", "cpu", *args), 2, word)
        # Of several files the others go on.
        other = self.save("i.npy", np.arange(4, dtype=np.int32))
        run = rung("reduce", "-d", "cpu", "--dtype", "i32", matrix, other)
        self.assertEqual((run.returncode, run.stdout.decode()), (2, f"6  {other}\n"))
        self.fails(rung("reduce", "-d", "cpu", "--dtype", "f32", self.write("odd.raw", b"1234567")), 3)


class Delimiters(Case):
    def test_output(self):
        data = np.arange(6, dtype=np.int32).reshape(2, 3)
        path, table = self.save("m.npy", data), self.write("m.csv", "0;1;2\n3;4;5\n")
        out = self.path("o.tsv")
        for args in ([path], ["-f", "raw", "--dtype", "i32", "--shape", "2x3", self.write("m.raw", data.tobytes())],
                     [table, "--delimiter", ";"], [table]):
            self.ok(rung("reverse", "-d", "cpu", *args, "-o", out))
            self.assertEqual(self.read("o.tsv"), b"5\t4\t3\n2\t1\t0\n")
        self.ok(rung("gen", "2x2", "--dist", "arange", "--dtype", "i8", "-o", out))
        self.assertEqual(self.read("o.tsv"), b"0\t1\n2\t3\n")
        for args in ([path, "-t", "csv"], ["-f", "npy", path, "-t", "csv"]):
            self.ok(rung("transpose", "-d", "cpu", *args, "--delimiter", "semicolon"), "0;3\n1;4\n2;5\n")
        self.ok(rung("transpose", "-d", "cpu", path, "--delimiter", "|", "-o", out))
        self.assertEqual(self.read("o.tsv"), b"0|3\n1|4\n2|5\n")
        self.fails(rung("transpose", "-d", "cpu", path, "--delimiter", ";"), 2, "--delimiter is for csv")
        self.fails(rung("transpose", "-d", "cpu", path, "-t", "csv", "--delimiter", "12"), 2, "--delimiter")
        self.assertIn("FILE.tsv tabs", help_of("transpose"))

    def test_hints(self):
        self.fails(rung("reduce", "-d", "cpu", self.write("c.csv", "1:2\n3:4\n")), 3, "--delimiter : splits")
        text = self.fails(rung("reduce", "-d", "cpu", self.write("d.csv", "a:2\n3:4\n")), 3)
        self.assertNotIn("colon", text)
        self.fails(rung("gen", "1e6"), 2, "write 10^6")
        self.fails(rung("bench", "reduce", "-n", "1e6"), 2, "write 10^6")
        self.fails(rung("gen", "3x2E5"), 2, "write all digits")


class Missing(Case):
    def test_an_integer_column_is_told_what_to_do(self):
        path = self.write("m.csv", "1,2\n3,\n")
        args = ("reduce", "-d", "cpu", "--op", "max", path)
        self.fails(rung(*args), 3, "m.csv:2: field 2: empty", "hint: --missing nan reads")
        said = self.fails(rung(*args, "--dtype", "i32"), 3, "m.csv:2: field 2: empty", "of which i32 has none")
        self.assertIn("hint: --dtype f64 --missing nan reads", said)
        self.ok(rung(*args, "--dtype", "f64", "--missing", "nan"), "nan\n")
        self.fails(rung(*args, "--dtype", "i32", "--missing", "nan"), 2, "not i32", "hint: --dtype f64")
        text = help_of("reduce")
        for words in ("an error that names line and field", "nan beside such a --dtype is refused"):
            self.assertIn(words, text)


class Info(Case):
    def test_text_columns_are_described(self):
        path = self.write("log.csv", "day;low;note;high\n2024-01-01;1;\"a\x1b b\";2\n2024-01-02;3;c;4\n")
        self.ok(rung("info", "--header", "yes", path),
                f"{path}: f64 2x2, C order, 32 bytes in memory, 57 in the file, csv, delimiter ';', header\n"
                "  columns: 1 day (text), 2 low, 3 note (text), 4 high\n"
                "  the numbers, of which this is: --columns 2,4\n")
        self.ok(rung("reduce", "-d", "cpu", "--header", "yes", "--columns", "2,4", path), "10\n")
        # A name with a comma as --columns takes it.
        path = self.write("comma.csv", 'low,"high, at ""noon""",5"\n1,2,4\n')
        text = self.ok(rung("info", "--header", "yes", path)).stdout.decode()
        self.assertTrue(text.endswith('\n  columns: 1 low, 2 "high, at ""noon""", 3 5"\n'), text)
        self.ok(rung("reduce", "-d", "cpu", "--header", "yes", "--columns", '"high, at ""noon""",5"', path), "6\n")
        path = self.write("all.csv", "a,b,c\n1,2,3\n")
        self.assertTrue(self.ok(rung("info", "--header", "yes", path)).stdout.endswith(b"\n  columns: 1 a, 2 b, 3 c\n"))
        path = self.write("bare.csv", "x,1,2\ny,3,4\n")
        self.assertIn(b"1 (text), 2, 3\n  the numbers, of which this is: --columns 2-3\n",
                      self.ok(rung("info", path)).stdout)
        # What is no number further down is an error still.
        self.fails(rung("info", self.write("bad.csv", "1,2\nx,3\n")), 3, "bad.csv:2: field 1")

    def test_a_line_of_names_is_told_and_how_to_read_it(self):
        told = "  the first line is names: --header yes reads what is below\n"
        for text, args in (("a,b\n1,2\n", []), ("day;low temp;note\n2024-01-01;1;x\n", []), ("a\n1\nNA\n", []),
                           ("# of 2024\n\nlow, high\n1, 2\n", []), ("a,b\nx,2\n", ["--columns", "2"])):
            path = self.write("names.csv", text)
            said = self.ok(rung("info", *args, path)).stdout.decode()
            self.assertEqual(said.count(told), 1, said)
            # The same as with the option, but for that line; and the option reads it.
            self.ok(rung("info", "--header", "yes", *args, path), said.replace(told, ""))
        self.ok(rung("reduce", "-d", "cpu", "--header", "yes", "--columns", "2", path), "2\n")
        # Without a number below there is nothing to read so; a date or a number is no name; no is no.
        for text, args, reason in (("a,b\nc,d\n", [], "'a' is not a number"), ("a,b\n", [], "'a' is not a number"),
                                   ("2024-01-01\n5\n", [], "'2024-01-01' is not a number"),
                                   ("2x\n3\n", [], "'2x'"), ("a,b\n1,2\n3\n", [], "names.csv:1: field 1"),
                                   ("a,b\n1,2\n", ["--header", "no"], "'a' is not a number")):
            self.fails(rung("info", *args, self.write("names.csv", text)), 3, reason)

    def test_columns_are_broken_as_wide_as_the_terminal_is(self):
        names = [f"station {k} \u00b0C" for k in range(40)]
        path = self.write("wide.csv", ",".join(names) + "\n" + ",".join(["1"] * 40) + "\n")
        args = [RUNG, "info", "--header", "yes", path]
        piped = self.ok(rung(*args[1:])).stdout.decode().splitlines()
        self.assertEqual(piped[1], "  columns: " + ", ".join(f"{k + 1} {name}" for k, name in enumerate(names)))
        for width in (30, 60, 200):
            primary, secondary = pty.openpty()
            fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
            subprocess.run(args, stdin=subprocess.DEVNULL, stdout=secondary, check=True, timeout=TIMEOUT)
            os.close(secondary)
            lines = typed_out(primary).decode().splitlines()[1:]
            self.assertTrue(all(len(line) <= width for line in lines), lines)
            # No line would have held the first item of the next.
            items = [line.strip().split(", ")[0] for line in lines]
            self.assertTrue(all(len(line) + 1 + len(item.rstrip(",")) + 1 > width
                                for line, item in zip(lines, items[1:])), lines)
            self.assertEqual("  " + " ".join(line.strip() for line in lines), piped[1])
            self.assertTrue(all(line.startswith("    ") for line in lines[1:]))
            self.assertTrue(all(re.match(r"\d+ station", item) for item in items[1:]), lines)

    def test_what_is_missing_is_counted(self):
        gaps = self.write("gaps.csv", "a,b\n1,2\n,3\n4,NA\n5,\n")
        for args, told in (((), "an error, or NaN with --missing nan; --columns leaves columns out"),
                           (("--missing", "nan"), "NaN"), (("--dtype", "i64"), "an error; of floats, such as "
                            "--dtype f64, --missing nan makes NaN")):
            self.assertTrue(self.ok(rung("info", "--header", "yes", *args, gaps)).stdout.decode().endswith(
                f"\n  missing: 3 values, of columns 1-2, the first in line 3, field 1: {told}\n"))
        self.ok(rung("info", self.write("gap.csv", "1\nNA\n")),
                f"{self.path('gap.csv')}: f64 2, C order, 16 bytes in memory, 5 in the file, csv, delimiter none\n"
                "  missing: 1 value, the first in line 2, field 1: an error, or NaN with --missing nan\n")

    def test_bytes_in_memory_and_in_the_file(self):
        text = "1.25,2\n3,4\n"
        path = self.write("a.csv", text)
        self.ok(rung("info", path),
                f"{path}: f64 2x2, C order, 32 bytes in memory, {len(text)} in the file, csv, delimiter ','\n")
        self.ok(shell('cat a.csv | "$rung" info -f csv -', self.dir),
                "<stdin>: f64 2x2, C order, 32 bytes in memory, csv, delimiter ','\n")
        self.assertIn(b"C order, 32 bytes, npy", self.ok(rung("info", self.save("a.npy", np.zeros((2, 2))))).stdout)

    def test_accumulators_are_listed(self):
        rows = [line.split("  ") for line in self.ok(rung("list", "dtypes")).stdout.decode().splitlines()]
        head, *rows = [[cell.strip() for cell in row if cell.strip()] for row in rows]
        table = {row[0]: dict(zip(head[1:], row[1:])) for row in rows}
        for dtype, total, wide, same in (("f32", "f32", "f64", "f32"), ("f16", "f32", "f32", "f32"),
                                         ("i8", "i64", "i64", "i8"), ("u32", "u64", "u64", "u32"),
                                         ("bool", "i64", "i64", "u8"), ("c64", "c64", "c128", "c64")):
            row = table[dtype]
            self.assertEqual((row["sum, prod"], row["acc wide"], row["acc same"]), (total, wide, same), dtype)
        # What is added in i8 wraps, in i64 it does not.
        path = self.save("i8.npy", np.full(3, 100, np.int8))
        self.ok(rung("reduce", "-d", "cpu", path), "300\n")
        self.ok(rung("reduce", "-d", "cpu", "--acc", "same", path), "44\n")


class Machines(Case):
    def test_why_the_cpu(self):
        for args, reason in ((["reduce"], "one pass over a file"), (["transpose"], "before CUDA would have started")):
            run = self.ok(rung(*args, "-v", "-o", self.path("o.npy"), self.save("m.npy", np.zeros((2, 2)))))
            self.assertRegex(run.stderr.decode(), reason if has_gpu() else "there is no GPU: ")

    def test_help_has_the_rule(self):
        for name in ("reduce", "reverse"):
            self.assertIn("best takes the cpu, as one pass", help_of(name))
        self.assertIn("below 256 MiB", help_of("transpose"))
        self.assertIn("Unlike rung reduce", help_of("bench"))


class Kernels(Case):
    def test_equal_reasons_are_one_line(self):
        matrix = self.save("m.npy", np.ones((4, 5), np.float32))
        said = self.fails(rung("reduce", "-d", "sim", "-k", "ladder", "--check", "--axis", "0", matrix), 2,
                          "interleaved-modulo, interleaved-strided, ", "axis can: -k axis")
        reason = said.splitlines()[0].rsplit(": ", 1)[1]
        self.assertEqual(said.count(reason), 1)
        run = self.ok(rung("reduce", "-d", "sim", "-k", "all", "--check", "--axis", "0", matrix))
        (line,) = [line for line in run.stderr.decode().splitlines() if "skipped" in line]
        self.assertTrue(line.startswith("interleaved-modulo, interleaved-strided, "), line)

    def test_a_hint_does_not_repeat_the_reason(self):
        matrix = self.save("m.npy", np.ones((4, 5), np.float32))
        said = self.fails(rung("reverse", "-d", "sim", "-k", "vector", "--axis", "0", matrix), 2,
                          "flips some of the axes: strided does", "hint: -k strided, or -k all")
        self.assertEqual(said.count("strided"), 2)
        self.ok(rung("reverse", "-d", "sim", "-k", "strided", "--axis", "0", matrix))

    def test_list_by_name_says_what_is_taught(self):
        table = self.ok(rung("list", "kernels", "reverse")).stdout.decode()
        self.assertIn("strided", table)
        self.assertNotIn("reduce", table)
        self.assertNotIn("teaches", table)
        for args in (["-v"], ["reduce", "-v"], ["shuffle"], ["subgroup"], ["sequential", "shuffle"]):
            self.assertIn("teaches", self.ok(rung("list", "kernels", *args)).stdout.decode().splitlines()[0])
        self.assertEqual(len(self.ok(rung("list", "kernels", "vector")).stdout.splitlines()), 1 + 3)
        self.assertEqual(len(self.ok(rung("list", "kernels", "reduce", "vector")).stdout.splitlines()),
                         len(self.ok(rung("list", "kernels", "reduce")).stdout.splitlines()) + 2)
        self.fails(rung("list", "kernels", "shufle"), 2, "did you mean shuffle?")
        self.fails(rung("list", "kernels", ""), 2, "unknown family or kernel")
        self.fails(rung("list", "dtypes", "f32"), 2, "takes one word")

    def test_a_kernel_of_another_family_is_named_as_that(self):
        m = self.save("m.npy", np.ones((4, 5), np.float32))
        for family, name, owners in (("reduce", "tile", "transpose"), ("transpose", "shuffle", "reduce"),
                                     ("reverse", "try3", "transpose"), ("reduce", "direct", "reverse"),
                                     ("reduce", "strided", "transpose and reverse")):
            for command in ([family], ["bench", family], ["bench", "--end-to-end", family], ["explain", family]):
                said = self.fails(rung(*command, "-k", name, m), 2, f"{name} is a kernel of {owners}, not of {family}",
                                  f"hint: those of {family}: best, ladder, all, ")
                self.assertNotIn(f" {name}", said.split("hint:")[1])
        # One that is nearly its name; a near name of the family itself goes first.
        self.fails(rung("reduce", "-k", "tile-pade", m), 2, "unknown reduce kernel", "tile-padded is a kernel of transpose",
                   "valid: best")
        self.fails(rung("transpose", "-k", "vektor", m), 2, "did you mean vector?")
        self.fails(rung("reduce", "-k", "something", m), 2, "unknown reduce kernel", "hint: valid: best, ladder, all, ")

    def test_a_skipped_library_says_what_there_is_no_call_for(self):
        run = self.ok(rung("reduce", "-d", "cpu", "--check", self.save("h.npy", np.ones(9, np.float16))))
        self.assertIn("thrust-tbb: skipped: rung is built with no Thrust call for sum of f16; it has those of whole "
                      "arrays of all types but 16-bit floats", run.stderr.decode())


class Difference(Case):
    def test_a_tolerance_is_for_floats(self):
        for dtype in (np.int32, np.uint8, bool):
            a, b = self.save("a.npy", np.array([0, 1]).astype(dtype)), self.save("b.npy", np.ones(2).astype(dtype))
            run = rung("diff", a, b, "--max-ulp", "5")
            self.assertEqual(run.returncode, 1)
            self.assertEqual(run.stdout, b"1 of 2 elements differ\n  [0] 0 and 1\nworst: [0] 0 and 1 "
                                         b"(absolute 1, relative 1)\n")
        zero, minus = self.save("z.npy", np.zeros(1)), self.save("m.npy", -np.zeros(1))
        run = rung("diff", zero, minus)
        self.assertEqual((run.returncode, run.stdout), (1, b"1 of 1 element differs\n  [0] 0 and -0 (sign of zero)\n"
                                                        b"worst: [0] 0 and -0 (sign of zero)\n"))
        self.ok(rung("diff", zero, minus, "--max-ulp", "1"), "")
        nan = self.save("n.npy", np.array([np.nan]))
        self.ok(rung("diff", nan, self.save("o.npy", -np.array([np.nan]))), "")
        self.assertIn("NaNs are equal to one another", help_of("diff"))
        self.assertIn("0 and -0 differ", help_of("diff"))


class Beside(Case):
    """What goes beside the data."""

    def test_times_that_cannot_be_written_fail_nothing(self):
        m = self.save("m.npy", np.arange(6.0).reshape(2, 3))
        with open("/dev/full", "wb") as full:
            run = subprocess.run([RUNG, "transpose", "-d", "cpu", m, "-o", self.path("t.npy"), "--time"], stderr=full,
                                 timeout=TIMEOUT)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(np.load(self.path("t.npy")).tolist(), [[0, 3], [1, 4], [2, 5]])

    def test_markdown_of_several_files_names_them(self):
        files = [self.save("a`b.npy", np.arange(3.0)), self.save("c.npy", np.arange(4.0))]
        self.ok(rung("reduce", "-d", "cpu", "--check", "-q", *files, "--markdown", self.path("r.md")))
        heads = [line for line in self.read("r.md").decode().splitlines() if line.startswith("**")]
        self.assertEqual(len(heads), 2)
        self.assertTrue(heads[0].startswith(f"**`` {files[0]} ``: "), heads[0])
        self.assertTrue(heads[1].startswith(f"**`{files[1]}`: "), heads[1])
        # Its name also where the other could not be read.
        run = rung("reduce", "-d", "cpu", "--check", "-q", self.path("none.npy"), files[1], "--markdown",
                   self.path("o.md"))
        self.assertEqual(run.returncode, 3)
        self.assertTrue(self.read("o.md").decode().startswith(f"**`{files[1]}`: "))

    def test_gen_on_a_terminal_is_text(self):
        primary, secondary = pty.openpty()
        subprocess.run([RUNG, "gen", "2x3", "--dtype", "i32", "--dist", "arange"], stdin=subprocess.DEVNULL,
                       stdout=secondary, stderr=subprocess.PIPE, check=True, timeout=TIMEOUT)
        os.close(secondary)
        text = os.read(primary, 4096)
        os.close(primary)
        self.assertEqual(text.replace(b"\r\n", b"\n"), b"[[0 1 2]\n [3 4 5]]\n")

    def test_a_terminal_has_a_preview_of_bytes_and_all_of_csv(self):
        count = 1001  # one more than a preview leaves whole
        for args, want in (([], "[0 1 2 ... 998 999 1000]\n"), (["-t", "csv"], "".join(f"{k}\n" for k in range(count)))):
            primary, secondary = pty.openpty()
            run = subprocess.Popen([RUNG, "gen", str(count), "--dtype", "i32", "--dist", "arange", *args],
                                   stdin=subprocess.DEVNULL, stdout=secondary, stderr=subprocess.PIPE)
            os.close(secondary)
            text = typed_out(primary)
            self.assertEqual((run.wait(TIMEOUT), run.stderr.read()), (0, b""))
            run.stderr.close()
            self.assertEqual(re.sub(" +", " ", text.decode().replace("\r\n", "\n")).replace("[ ", "["), want)


class Help(Case):
    def test_meaning(self):
        for words in (("reduce",), ("bench",)):
            for part in ("wrap at 64 bits", "a NaN wins", "flat index in C order", "first of equals"):
                self.assertIn(part, help_of(*words))
        self.assertIn("every sum, product, mean, minimum and maximum that it is in", help_of("reduce"))
        self.assertIn("most-samples", help_of("bench"))
        for words in (("reduce",), ("transpose",), ("gen",)):
            self.assertIn("On a terminal an array that is npy or raw is shown as text", help_of(*words))
            self.assertIn("CSV is text anyway, and all of it", help_of(*words))
        self.assertIn("one value is then an array too", help_of("reduce"))
        self.assertIn("no kernel could be compared", help_of("compare"))
        self.assertIn("what is unverifiable has not failed", help_of())

    def test_refresh(self):
        script = os.path.join(ROOT, "docs", "refresh.py")
        run = subprocess.run([sys.executable, "-B", script, "--help"], capture_output=True, timeout=TIMEOUT)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.assertIn(b"refresh.py RUNG [--check]", run.stdout)
        for args in ([], ["--chek", RUNG], ["/nonexistent/rung"]):
            run = subprocess.run([sys.executable, "-B", script, *args], capture_output=True, timeout=TIMEOUT)
            self.assertNotEqual(run.returncode, 0)
            self.assertNotIn(b"Traceback", run.stderr)
            self.assertTrue(run.stderr)


if __name__ == "__main__":
    main()
