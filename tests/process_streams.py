"""The command among pipes, files, FIFOs and devices."""
import os
import pty
import socket
import stat
import subprocess
import threading
import time
import unittest

import numpy as np

from process import RUNG, TIMEOUT, Case, main, npy, rung, shell, wait_for_outputs

SMALL = np.arange(12, dtype=np.int32).reshape(3, 4)


class Input(Case):
    def test_standard_input_by_name_and_by_default(self):
        for args in ([], ["-"], ["/dev/stdin"]):
            self.ok(rung("reduce", "-d", "cpu", *args, stdin=npy(SMALL)), "66\n")

    def test_a_descriptor_by_its_path_is_read_from_where_it_is(self):
        self.write("two.csv", "1000\n1\n2\n3\n")
        for path in ("/dev/fd/3", "/proc/self/fd/3"):
            # bash's read takes the first line of the descriptor, and no more.
            self.ok(shell(f'exec 3<two.csv; read -r first <&3; "$rung" reduce -d cpu -f csv {path}', self.dir), "6\n")
        self.ok(shell('exec <two.csv; read -r first; "$rung" reduce -d cpu -f csv /dev/fd/0', self.dir), "6\n")
        # A socket cannot be opened by its path.
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(npy(SMALL))
            ours.shutdown(socket.SHUT_WR)
            run = subprocess.run([RUNG, "reduce", "-d", "cpu", f"/dev/fd/{theirs.fileno()}"],
                                 pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, capture_output=True,
                                 timeout=TIMEOUT)
        self.ok(run, "66\n")

    def test_terminal_as_input_is_help_and_usage(self):
        primary, secondary = pty.openpty()
        run = subprocess.run([RUNG, "reduce"], stdin=secondary, capture_output=True, timeout=TIMEOUT)
        os.close(primary)
        os.close(secondary)
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stdout, b"")
        self.assertIn(b"rung reduce", run.stderr)

    def test_fifo(self):
        path = self.path("fifo.npy")
        os.mkfifo(path)
        writer = threading.Thread(target=self.write, args=("fifo.npy", npy(SMALL)))
        writer.start()
        self.ok(rung("reduce", "-d", "cpu", "--op", "max", path), "11\n")
        writer.join()

    def test_process_substitution(self):
        self.save("a.npy", SMALL)
        self.ok(shell('"$rung" reduce -d cpu <(cat a.npy)', self.dir), "66\n")

    def test_short_reads(self):
        reader = subprocess.Popen([RUNG, "reduce", "-d", "cpu"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        data = npy(SMALL)
        for start in range(0, len(data), 7):
            reader.stdin.write(data[start:start + 7])
            reader.stdin.flush()
            time.sleep(0.001)
        self.assertEqual(reader.communicate(timeout=TIMEOUT)[0], b"66\n")

    def test_truncated_pipe_and_file(self):
        data = npy(SMALL)
        for keep in (0, 3, 8, 40, len(data) - 1):
            self.fails(rung("reduce", "-d", "cpu", "-f", "npy", stdin=data[:keep]), 3)
            self.fails(rung("reduce", "-d", "cpu", self.write("cut.npy", data[:keep])), 3, "cut.npy")

    def test_bytes_after_the_array_are_a_warning(self):
        run = self.ok(rung("reduce", "-d", "cpu", self.write("long.npy", npy(SMALL) + b"xyz")), "66\n")
        self.assertIn(b"long.npy", run.stderr)

    def test_several_files(self):
        a, b = self.save("a.npy", SMALL), self.save("b.npy", SMALL.astype(np.float64) / 2)
        run = self.ok(rung("reduce", "-d", "cpu", a, b))
        rows = [line.split(maxsplit=1) for line in run.stdout.decode().splitlines()]
        self.assertEqual(rows, [["66", a], ["33", b]])

    def test_a_file_of_several_that_cannot_be_used_does_not_stop_the_others(self):
        raw, text, good = self.write("b.raw", b"abcd"), self.write("c.csv", "5\n"), self.save("a.npy", SMALL)
        none = self.path("none.npy")
        run = rung("reduce", "-d", "cpu", raw, good, none, text)
        self.assertEqual(run.stdout.decode(), f"66  {good}\n5  {text}\n")
        self.assertEqual(run.returncode, 2)  # of the first fault
        lines = run.stderr.decode().splitlines()
        self.assertEqual([line for line in lines if line.startswith("rung: ")],
                         [f"rung: {raw}: raw input needs --dtype", f"rung: {none}: No such file or directory"])
        self.assertEqual(rung("reduce", "-d", "cpu", none, raw).returncode, 3)
        run = rung("reduce", "-d", "cpu", "--axis", "0,1", text, good)  # an axis that one has
        self.assertEqual((run.returncode, run.stdout.decode()), (2, f"66  {good}\n"))
        self.assertIn(f"rung: {text}: --axis".encode(), run.stderr)
        run = rung("info", raw, good)
        self.assertEqual((run.returncode, len(run.stdout.splitlines())), (2, 1))

    def test_several_files_and_an_output_is_usage(self):
        a = self.save("a.npy", SMALL)
        self.fails(rung("reduce", "-d", "cpu", "-o", self.path("o.npy"), a, a), 2, "hint: > FILE takes a line of each",
                   "a loop of the shell")
        self.assertFalse(os.path.exists(self.path("o.npy")))
        for family in ("transpose", "reverse"):
            self.fails(rung(family, "-d", "cpu", a, a), 2, f"{family} takes one FILE; there are 2",
                       "hint: run it for each, in a loop of the shell")

    def test_several_files_have_no_format(self):
        a = self.save("a.npy", SMALL)
        for name in ("npy", "raw", "csv"):
            run = rung("reduce", "-d", "cpu", "-t", name, a, a)
            self.fails(run, 2, f"its value and its name, which is not {name}", "hint: leave -t out", "a loop of the shell")
            self.assertEqual(run.stdout, b"")
            self.assertEqual(self.ok(rung("reduce", "-d", "cpu", "-t", name, a)).stderr, b"")

    def test_names_with_commas_spaces_and_dashes(self):
        for name in ("a,b.npy", "a b.npy", "-dash.npy"):
            np.save(self.path(name), SMALL)
            self.ok(rung("reduce", "-d", "cpu", "--", name, cwd=self.dir), "66\n")

    def test_magic_bytes_go_before_the_extension(self):
        self.ok(rung("reduce", "-d", "cpu", self.write("array.csv", npy(SMALL))), "66\n")
        self.ok(rung("reduce", "-d", "cpu", "--from", "csv", self.write("text.npy", "1\n2\n")), "3\n")

    def test_missing_file_and_folder(self):
        self.fails(rung("reduce", "-d", "cpu", self.path("none.npy")), 3, "none.npy")
        self.fails(rung("reduce", "-d", "cpu", self.dir), 3, self.dir)

    def test_csv_errors_name_line_and_field(self):
        text = self.fails(rung("reduce", "-d", "cpu", self.write("t.csv", "1,2\n3,x4\n")), 3, "t.csv:2", "x4")
        self.assertIn("field 2", text)


class Output(Case):
    def setUp(self):
        super().setUp()
        self.small = self.save("small.npy", SMALL)

    def test_array_has_the_format_of_the_input(self):
        run = self.ok(rung("transpose", "-d", "cpu", self.small))
        self.write("t.npy", run.stdout)
        np.testing.assert_array_equal(np.load(self.path("t.npy")), SMALL.T)
        self.ok(rung("transpose", "-d", "cpu", self.write("m.csv", "1,2\n3,4\n")), "1,3\n2,4\n")
        self.ok(rung("reverse", "-d", "cpu", "-f", "raw", "--dtype", "u8", stdin=b"abc"), "cba")

    def test_extension_of_the_output_and_t(self):
        self.ok(rung("transpose", "-d", "cpu", self.small, "-o", self.path("t.csv")), "")
        self.assertEqual(self.read("t.csv"), b"0,4,8\n1,5,9\n2,6,10\n3,7,11\n")
        self.ok(rung("transpose", "-d", "cpu", "-t", "raw", self.small, "-o", self.path("t.csv")), "")
        self.assertEqual(self.read("t.csv"), SMALL.T.tobytes())

    def test_npy_is_version_1_c_order_little_endian(self):
        for array in (np.asfortranarray(SMALL), SMALL.astype(">i4")):
            self.ok(rung("reverse", "-d", "cpu", self.save("in.npy", array), "-o", self.path("out.npy")), "")
            self.assertEqual(self.read("out.npy")[:8], b"\x93NUMPY\x01\x00")
            out = np.load(self.path("out.npy"))
            self.assertTrue(out.flags.c_contiguous and out.dtype.str == "<i4")
            np.testing.assert_array_equal(out, SMALL[::-1, ::-1])

    def test_scalar_into_a_file(self):
        self.ok(rung("reduce", "-d", "cpu", self.small, "-o", self.path("sum.npy")), "")
        total = np.load(self.path("sum.npy"))
        self.assertEqual((total.shape, total.dtype, total[()]), ((), np.int64, 66))

    def test_binary_on_a_terminal_is_text(self):
        primary, secondary = pty.openpty()
        subprocess.run([RUNG, "transpose", "-d", "cpu", self.small], stdin=subprocess.DEVNULL, stdout=secondary,
                       stderr=subprocess.PIPE, timeout=TIMEOUT, check=True)
        os.close(secondary)
        text = os.read(primary, 4096).decode()
        os.close(primary)
        self.assertNotIn("NUMPY", text)
        self.assertIn("11", text)

    def test_output_onto_the_input(self):
        self.ok(rung("transpose", "-d", "cpu", self.small, "-o", self.small), "")
        np.testing.assert_array_equal(np.load(self.small), SMALL.T)
        big = np.arange(300_000, dtype=np.float32).reshape(1000, 300)
        path = self.save("big.npy", big)
        self.ok(rung("transpose", "-d", "cpu", path, "-o", path), "")
        np.testing.assert_array_equal(np.load(path), big.T)

    def test_failed_run_leaves_the_old_output(self):
        old = self.write("old.npy", "precious")
        cut = self.write("cut.npy", npy(SMALL)[:-1])
        self.fails(rung("transpose", "-d", "cpu", cut, "-o", old), 3)
        self.fails(rung("transpose", "-d", "cpu", "--axes", "7,8", self.small, "-o", old), 2)
        self.assertEqual(self.read("old.npy"), b"precious")
        self.assertEqual(sorted(os.listdir(self.dir)), ["cut.npy", "old.npy", "small.npy"])

    def test_killed_run_leaves_the_old_output(self):
        old = self.write("old.npy", "precious")
        process = subprocess.Popen([RUNG, "transpose", "-d", "cpu", "-", "-o", old], stdin=subprocess.PIPE)
        process.stdin.write(npy(SMALL)[:-1])
        process.stdin.flush()
        wait_for_outputs(process, self.dir, 1)
        process.kill()
        process.communicate(timeout=TIMEOUT)
        self.assertEqual(self.read("old.npy"), b"precious")
        try:
            os.close(os.open(self.dir, os.O_TMPFILE | os.O_WRONLY))
        except OSError:
            self.skipTest("this file system has no files without a name")
        self.assertEqual(sorted(os.listdir(self.dir)), ["old.npy", "small.npy"])

    @unittest.skipUnless(os.geteuid() == 0, "as root alone")
    def test_group_of_a_replaced_file(self):
        """A member of its group keeps it; who is none gives another group no more than others have."""
        os.chmod(self.dir, 0o777)
        nobody = dict(user=65534, group=65534)
        for groups, owner, mode, kept in (([50], 0, 0o660, (50, 0o660)), ([50], 65534, 0o640, (50, 0o640)),
                                          ([], 65534, 0o660, (65534, 0o600)), ([], 65534, 0o664, (65534, 0o644))):
            path = self.save("old.npy", np.ones(3))
            os.chown(path, owner, 50)
            os.chmod(path, mode)
            try:
                run = subprocess.run([RUNG, "reverse", "-", "-o", "old.npy"], input=npy(np.ones(3)), cwd=self.dir,
                                     capture_output=True, extra_groups=groups, timeout=TIMEOUT, **nobody)
            except PermissionError:
                self.skipTest("the binary is not for everybody")
            self.assertEqual((run.returncode, run.stderr), (0, b""))
            status = os.stat(path)
            self.assertEqual((status.st_gid, stat.S_IMODE(status.st_mode)), kept)

    def test_mode_of_old_and_new_files(self):
        old = self.write("old.npy", "")
        os.chmod(old, 0o640)
        self.ok(rung("transpose", "-d", "cpu", self.small, "-o", old), "")
        self.assertEqual(stat.S_IMODE(os.stat(old).st_mode), 0o640)
        self.ok(shell('umask 027; "$rung" transpose -d cpu small.npy -o new.npy', self.dir), "")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new.npy")).st_mode), 0o640)

    def test_symlink_is_followed(self):
        os.mkdir(self.path("sub"))
        self.write("sub/real.npy", "")
        os.symlink("sub/real.npy", self.path("link.npy"))
        self.ok(rung("transpose", "-d", "cpu", self.small, "-o", self.path("link.npy")), "")
        self.assertTrue(os.path.islink(self.path("link.npy")))
        np.testing.assert_array_equal(np.load(self.path("sub/real.npy")), SMALL.T)

    def test_fifo_and_devices_are_written_in_place(self):
        path = self.path("out.fifo")
        os.mkfifo(path)
        got = []
        reader = threading.Thread(target=lambda: got.append(self.read("out.fifo")))
        reader.start()
        self.ok(rung("transpose", "-d", "cpu", self.small, "-t", "raw", "-o", path), "")
        reader.join()
        self.assertEqual(got, [SMALL.T.tobytes()])
        self.assertTrue(stat.S_ISFIFO(os.stat(path).st_mode))
        self.ok(rung("transpose", "-d", "cpu", self.small, "-o", "/dev/null"), "")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.ok(shell('"$rung" transpose -d cpu -t raw small.npy -o >(cat >copy); wait $!; cat copy', self.dir))

    def test_a_fifo_that_is_read_is_not_written(self):
        # Its input would end when its output does: without a refusal this waits for ever.
        path = self.path("p")
        os.mkfifo(path)
        os.symlink("p", self.path("link"))
        for output in ("p", "link", "./p"):
            for command in ("transpose", "reverse", "reduce"):
                self.fails(rung(command, "-d", "cpu", path, "-o", output, cwd=self.dir), 2,
                           f"{output}: the input and the output are the same FIFO")
            self.fails(rung("reverse", "-d", "cpu", "link", "--json", output, cwd=self.dir), 2,
                       f"--json {output}: the input and the output are the same FIFO")
            self.fails(rung("bench", "reduce", "-d", "cpu", "p", "-q", "--csv", output, cwd=self.dir), 2, "same FIFO")
        for line in ('"$rung" transpose -d cpu -o p <>p', '"$rung" transpose -d cpu p 1<>p'):
            run = shell(line, self.dir)
            self.assertEqual(run.returncode, 2, line)
            self.assertIn(b"same FIFO", run.stderr)

    def test_two_outputs_do_not_share_a_pipe(self):
        # What comes out would be neither the one nor the other.
        os.mkfifo(self.path("q"))
        os.symlink("/dev/stdout", self.path("so"))
        for line in ('"$rung" transpose -d cpu small.npy -o q --json q', '"$rung" reduce -d cpu small.npy --csv q --json ./q',
                     '"$rung" bench reduce -d cpu -n 10 --max-time 0.01 --json q 1<>q',
                     '"$rung" transpose -d cpu small.npy --json so | cat',
                     '"$rung" transpose -d cpu small.npy --json /dev/fd/3 3>&1 | cat'):
            run = shell(line, self.dir)
            self.assertEqual(run.returncode, 2, line)
            self.assertIn(b"is the pipe that another output goes to", run.stderr)
            self.assertEqual(run.stdout, b"")
        # A device is no pipe: two outputs may well go there.
        self.ok(shell('"$rung" transpose -d cpu small.npy -o /dev/null --json /dev/null --csv /dev/null', self.dir))

    def test_diff_does_not_share_a_pipe_out(self):
        os.mkfifo(self.path("p"))
        for a, b in (("/dev/fd/0", "-"), ("/dev/stdin", "/dev/fd/0")):
            run = shell(f'(yes 1 || true) | head -n 6 | "$rung" diff --from csv {a} {b}', self.dir)
            self.assertEqual((run.returncode, run.stdout), (2, b""), run.stderr)
            self.assertIn(b"A and B are the same pipe", run.stderr)
        self.fails(rung("diff", "p", "p", cwd=self.dir), 2, "A and B are the same pipe")  # no writer to wait for
        ours, theirs = socket.socketpair()
        with ours, theirs:
            run = subprocess.run([RUNG, "diff", "-", "/dev/stdin"], stdin=theirs, capture_output=True, timeout=TIMEOUT)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"A and B are the same pipe", run.stderr)
        self.ok(rung("diff", "small.npy", "small.npy", cwd=self.dir), "")

    def test_what_is_no_part_of_the_array_is_not_lost(self):
        frame, path = np.arange(24, dtype=np.uint8), self.path("f.raw")
        os.symlink("f.raw", self.path("link.raw"))
        command = ["transpose", "-d", "cpu", "--dtype", "u8", "f.raw"]
        frame.tofile(path)
        for shape, offset, lost in (("4x5", "0", 4), ("4x5", "4", 4), ("2x6", "2", 12)):
            for output in ("f.raw", "link.raw"):
                self.fails(rung(*command, "--shape", shape, "--offset", offset, "-o", output, cwd=self.dir), 3,
                           f"f.raw: the output would replace the file, and {lost} bytes of it")
                np.testing.assert_array_equal(np.fromfile(path, np.uint8), frame)
        self.write("m.npy", npy(SMALL) + b"more")
        self.fails(rung("transpose", "-d", "cpu", "m.npy", "-o", "m.npy", cwd=self.dir), 3, "and 4 bytes of it",
                   "hint: name another file")
        table = self.write("t.csv", "day,low,high\n1,2,3\n4,5,6\n")
        for option in (["--header", "yes", "--columns", "high"], ["--header", "yes", "--columns", "2-3"]):
            self.fails(rung("transpose", "-d", "cpu", *option, table, "-o", table), 3, "with --columns it is a part of it",
                       "hint: name another file")
            self.assertEqual(self.read("t.csv"), b"day,low,high\n1,2,3\n4,5,6\n")
        self.ok(rung("transpose", "-d", "cpu", "--header", "yes", table, "-o", table))
        self.assertEqual(self.read("t.csv"), b"1,4\n2,5\n3,6\n")
        self.ok(rung(*command, "--shape", "4x6", "-o", "f.raw", cwd=self.dir))
        np.testing.assert_array_equal(np.fromfile(path, np.uint8), frame.reshape(4, 6).T.ravel())

    def test_two_fifos_are_two_files(self):
        for name in ("in", "out"):
            os.mkfifo(self.path(name))
        run = self.ok(shell('cat small.npy >in & cat out >copy.npy & "$rung" transpose -d cpu in -o out && wait',
                            self.dir))
        self.assertEqual(run.stderr, b"")
        np.testing.assert_array_equal(np.load(self.path("copy.npy")), SMALL.T)

    def test_full_device(self):
        for line in ('"$rung" transpose -d cpu small.npy > /dev/full', '"$rung" reduce -d cpu small.npy > /dev/full',
                     '"$rung" transpose -d cpu small.npy -o /dev/full', '"$rung" list > /dev/full',
                     '"$rung" gen 10 > /dev/full', '"$rung" --help > /dev/full'):
            run = shell(line, self.dir)
            self.assertEqual(run.returncode, 3, line)
            self.assertTrue(run.stderr.startswith(b"rung: "), (line, run.stderr))

    def test_closed_standard_output(self):
        self.assertEqual(shell('"$rung" transpose -d cpu small.npy >&-', self.dir).returncode, 3)

    def test_folder_that_is_not_there_or_not_ours(self):
        self.fails(rung("transpose", "-d", "cpu", self.small, "-o", self.path("none/o.npy")), 3, "none/o.npy")
        self.fails(rung("transpose", "-d", "cpu", self.small, "-o", self.dir), 3)

    def test_broken_pipe_ends_quietly(self):
        self.save("big.npy", np.zeros(4_000_000))
        for line in ('"$rung" reverse -d cpu big.npy | head -c 10 | wc -c', '"$rung" gen 4000000 | head -c 10 | wc -c'):
            run = shell(f"{line}; echo ${{PIPESTATUS[0]}}", self.dir)
            count, status = run.stdout.split()
            self.assertEqual(count, b"10")
            self.assertIn(status, (b"0", b"141"))
            self.assertEqual(run.stderr, b"")

    def test_an_array_without_elements_is_not_written_as_csv(self):
        for shape in ("0", "3x0", "0x3"):
            self.fails(rung("gen", shape, "-o", self.path("e.csv")), 2, "without elements", "npy or raw")
            self.assertFalse(os.path.exists(self.path("e.csv")))
            self.ok(rung("gen", shape, "-o", self.path("e.npy")))
        empty = self.save("empty.npy", np.zeros((5, 0)))
        self.fails(rung("reduce", "-d", "cpu", "--axis", "0", "-t", "csv", empty), 2, "without elements")

    def test_formats_that_cannot_hold_it_are_refused_before_work(self):
        cube = self.save("cube.npy", np.zeros((2, 2, 2)))
        self.fails(rung("transpose", "-d", "cpu", "-t", "csv", cube), 2)
        z = self.save("z.npy", np.zeros(3, complex))
        self.fails(rung("reverse", "-d", "cpu", "-t", "csv", z), 2, "complex")
        self.fails(rung("reverse", "-d", "cpu", "-f", "raw", "--dtype", "bf16", "-t", "npy", stdin=b"abcd"), 2, "bf16")


class Chains(Case):
    def test_the_pipe_of_the_readme(self):
        run = self.ok(shell('"$rung" gen 1000x300 --dtype f32 --seed 3 | tee in.npy | "$rung" transpose -d cpu'
                            ' | "$rung" reduce -d cpu --op max -k cpu-parallel --check', self.dir))
        self.assertEqual(np.float32(run.stdout.decode()), np.load(self.path("in.npy")).max())

    def test_a_long_chain_equals_numpy(self):
        run = self.ok(shell('"$rung" gen 1000x300 --dtype f32 | tee in.npy | "$rung" transpose -d cpu'
                            ' | "$rung" reverse -d cpu --axis 0 | "$rung" reduce -d cpu --op max --axis 1 -t csv'
                            ' | "$rung" reduce -d cpu --op mean --from csv', self.dir))
        # Through CSV: the digits that give the f32 back are read as f64.
        want = np.mean([float(str(v)) for v in np.load(self.path("in.npy")).T[::-1].max(axis=1)])
        self.assertAlmostEqual(float(run.stdout), want, delta=1e-12 * abs(want))

    def test_gen_is_reproducible(self):
        a, b, c = (self.ok(rung("gen", "100x3", "--seed", seed)).stdout for seed in (1, 1, 2))
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)


if __name__ == "__main__":
    main()
