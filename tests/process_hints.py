"""What the command says that one can do about it."""
import os

import numpy as np

from process import Case, main, rung


class Hints(Case):
    def test_axes(self):
        cube = self.save("c.npy", np.zeros((2, 3, 4)))
        self.fails(rung("transpose", "-d", "cpu", "--axes", "1,0", cube), 2, "names 2 axes; the array has 3",
                   "hint: name each once, 0 to 2", "leave --axes out")
        self.fails(rung("transpose", "-d", "cpu", "--axes", "0,1,1", cube), 2, "names axis 1 twice",
                   "hint: name each once; of 3, axis 1 is also -2")
        self.fails(rung("reduce", "-d", "cpu", "--axis", "0,-3", cube), 2, "names axis -3 twice", "axis 0 is also -3")
        # One dimension and none.
        self.fails(rung("transpose", "-d", "cpu", "--axes", "0,0", self.save("v.npy", np.zeros(2))), 2, "twice")
        self.fails(rung("transpose", "-d", "cpu", "--axes", "0", self.save("s.npy", np.zeros(()))), 2, "leave --axes")

    def test_an_operation_without_its_option(self):
        np.save(self.path("a.npy"), np.arange(5))
        self.fails(rung("reduce", "-d", "cpu", "max", "a.npy", cwd=self.dir), 2, "there is no file", "--op max")
        np.save(self.path("max.npy"), np.arange(4))
        os.rename(self.path("max.npy"), self.path("max"))  # a file of that name is one
        self.ok(rung("reduce", "-d", "cpu", "max", "a.npy", cwd=self.dir), "6  max\n10  a.npy\n")

    def test_types_that_npy_has_and_rung_has_not(self):
        dates = np.array(["2024-01-01", "2024-01-03"], "M8[D]")
        texts = np.array(["1", "2.5"])
        structured = np.zeros(2, [("low", "f4"), ("high", "f4")])
        for array, hint, remedy, total in (
                (dates, "a.view('i8')", lambda a: a.view("i8"), str(int(dates.view("i8").sum()))),
                (texts, "a.astype('f8')", lambda a: a.astype("f8"), "3.5"),
                (texts.astype(object), "a.astype('f8')", lambda a: a.astype("f8"), "3.5"),
                (np.ones(2, np.longdouble), "a.astype('f8')", lambda a: a.astype("f8"), "2"),
                (structured, "a['NAME']", lambda a: a["low"], "0")):
            self.fails(rung("reduce", "-d", "cpu", self.save("a.npy", array)), 3, "hint: in NumPy, ", hint)
            self.ok(rung("reduce", "-d", "cpu", self.save("b.npy", remedy(array))), total + "\n")

    def test_arrays_of_several_files(self):
        names = [self.save(name, np.zeros((2, 3))) for name in ("a.npy", "b.npy")]
        for args in (["--axis", "0"], ["--keepdims"]):
            run = rung("reduce", "-d", "cpu", *args, names[0], self.path("none.npy"), names[1])
            self.assertEqual((run.returncode, run.stdout), (2, b""))
            said = run.stderr.decode().splitlines()
            self.assertEqual([line.split(":")[1].strip() for line in said if line.startswith("rung: ")],
                             [names[0], self.path("none.npy"), names[1]])
            (hint,) = [line for line in said if line.startswith("hint: ")]
            self.assertIn("one FILE at a time", hint)

    def test_output_whose_extension_says_another_format(self):
        matrix = self.save("m.npy", np.arange(6.0).reshape(2, 3))
        for args, name in ((["transpose", "-d", "cpu", matrix], "o.parquet"), (["gen", "3"], "o.npy.gz")):
            path = self.path(name)
            run = self.ok(rung(*args, "-o", path), "")
            self.assertEqual(run.stderr.decode(), f"rung: warning: {path} is written as npy: .{name.split('.')[-1]} "
                             "names none of npy, raw and csv; -t says which\n")
            self.assertTrue(self.read(name).startswith(b"\x93NUMPY"))
            for quiet in (["-q"], ["-t", "npy"]):
                self.assertEqual(self.ok(rung(*args, *quiet, "-o", path), "").stderr, b"")
        for name in ("o", "o.", "o.raw", "o.NPY"):
            self.assertEqual(self.ok(rung("transpose", "-d", "cpu", matrix, "-o", self.path(name)), "").stderr, b"")
        # Capitals name the format for output as they do for input.
        self.ok(rung("transpose", "-d", "cpu", matrix, "-o", self.path("o.CSV")), "")
        self.assertEqual(self.read("o.CSV"), b"0,3\n1,4\n2,5\n")
        self.ok(rung("transpose", "-d", "cpu", matrix, "-o", self.path("o.TSV")), "")
        self.assertEqual(self.read("o.TSV"), b"0\t3\n1\t4\n2\t5\n")


if __name__ == "__main__":
    main()
