"""--json of info and list: the same that they print, and what NumPy says of the files."""
import json
import os
import re

import numpy as np

from process import Case, main, rung, shell


class Info(Case):
    def files(self, *args, **options):
        report = json.loads(self.ok(rung("info", "--json", "-", *args, **options)).stdout)
        self.assertEqual((report["schema"], report["failures"]), ("rung-info-1", []))
        self.assertIn("command", report["environment"])
        return report["files"]

    def test_npy(self):
        for dtype, name, endian, order in (("<f4", "f32", "little", "C"), (">i8", "i64", "big", "F"),
                                           ("?", "bool", "little", "C"), ("<c16", "c128", "little", "F")):
            array = np.asarray(np.zeros((3, 4, 5), dtype), order=order)
            path = self.save("a.npy", array)
            with open(path, "rb") as file:
                version = np.lib.format.read_magic(file)
                np.lib.format.read_array_header_1_0(file)
                offset = file.tell()
            self.assertEqual(self.files(path), [{
                "input": path, "format": "npy", "version": "%d.%d" % version, "dtype": name, "shape": [3, 4, 5],
                "order": {"C": "C", "F": "Fortran"}[order], "bytes": array.nbytes, "file_bytes": os.path.getsize(path),
                "endian": endian, "data_offset": offset, "delimiter": None, "header": None, "columns": None,
                "missing": None}])
        self.assertEqual(self.files(self.save("b.npy", np.float64(1)))[0]["shape"], [])

    def test_raw(self):
        path = self.write("a.raw", bytes(4 + 24))
        one, = self.files(path, "--dtype", "i16", "--shape", "3x4", "--offset", "4", "--endian", "big")
        self.assertEqual([one[key] for key in ("format", "version", "dtype", "shape", "bytes", "file_bytes", "endian",
                                               "data_offset", "order")],
                         ["raw", None, "i16", [3, 4], 24, 28, "big", 4, "C"])

    def test_csv(self):
        text = "when;a;b, c\n2024-01-01;1;NA\n2024-01-02;;4\n2024-01-03;5;\n"
        path = self.write("a.csv", text)
        one, = self.files(path, "--header", "yes")
        self.assertEqual(one, {
            "input": path, "format": "csv", "version": None, "dtype": "f64", "shape": [3, 2], "order": "C", "bytes": 48,
            "file_bytes": len(text), "endian": None, "data_offset": None, "delimiter": "semicolon", "header": True,
            "columns": [{"name": "when", "numeric": False}, {"name": "a", "numeric": True},
                        {"name": "b, c", "numeric": True}],
            "missing": {"count": 3, "line": 2, "field": 3, "columns": [2, 3]}})
        # A column whose --columns chose it has nothing said of the others.
        one, = self.files(path, "--header", "yes", "--columns", "2")
        self.assertEqual((one["shape"], one["columns"], one["missing"]["columns"]), ([3], None, [2]))
        for text, delimiter in (("1 2\n", "whitespace"), ("1\t2\n", "tab"), ("1,2\n", "comma"), ("1|2\n", "pipe"),
                                ("1\n2\n", None)):
            one, = self.files("-f", "csv", stdin=text.encode())
            self.assertEqual((one["delimiter"], one["header"], one["file_bytes"]), (delimiter, False, None), text)
            self.assertEqual([c["name"] for c in one["columns"]], [None] * (2 if delimiter else 1))
            if delimiter:  # it is what --delimiter takes
                self.ok(rung("info", "-f", "csv", "--delimiter", delimiter, stdin=text.encode()))

    def test_several_files_of_which_one_failed(self):
        good, none = self.save("good.npy", np.zeros(3)), self.path("none.npy")
        run = rung("info", good, none, good, "--json", self.path("r.json"))
        self.assertEqual(run.returncode, 3)
        self.assertEqual(len(run.stdout.splitlines()), 2)  # the text goes to standard output all the same
        report = json.loads(self.read("r.json"))
        self.assertEqual([one["input"] for one in report["files"]], [good, good])
        self.assertEqual(report["failures"], [{"input": none, "error": f"{none}: No such file or directory",
                                               "hint": None, "exit_status": 3}])

    def test_no_file_is_lost(self):
        path = self.save("a.npy", np.zeros(3))
        before = self.read("a.npy")
        self.fails(rung("info", path, "--json", path), 2, "would overwrite")
        self.assertEqual(self.read("a.npy"), before)
        for command in ('info a.npy', 'list'):
            run = shell(f'"$rung" {command} --json out > out', self.dir)
            self.assertEqual(run.returncode, 2)
            self.assertIn(b"would overwrite", run.stderr)
            self.ok(shell(f'"$rung" {command} --json - > out', self.dir))
            json.loads(self.read("out"))
        self.assertEqual(rung("list", "--json", "/dev/full").returncode, 3)
        self.ok(shell('"$rung" info a.npy --json r.json | true', self.dir))
        self.assertEqual(len(json.loads(self.read("r.json"))["files"]), 1)


class List(Case):
    def rows(self, *words):
        report = json.loads(self.ok(rung("list", *words, "--json", "-")).stdout)
        self.assertEqual((report["schema"], report["listing"]), ("rung-list-1", words[0] if words else "kernels"))
        return report["rows"]

    def table(self, *words):
        """Cells of the Markdown table, by the heads of their columns."""
        lines = self.ok(rung("list", *words, "--markdown")).stdout.decode().splitlines()
        cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
        return [dict(zip(cells[0], row)) for row in cells[2:]]

    def test_kernels(self):
        rows, table = self.rows(), self.table("kernels", "-v")
        self.assertEqual(len(rows), len(table))
        for row, shown in zip(rows, table):
            self.assertEqual((row["family"], f"`{row['kernel']}`", ", ".join(row["aliases"]), ", ".join(row["flags"]),
                              row["algorithm"], row["teaches"]),
                             tuple(shown[key] for key in ("family", "kernel", "aliases", "flags", "algorithm",
                                                          "teaches")))
            self.assertTrue(set(row["machines"]) <= {"gpu", "cpu", "sim"} and row["machines"])
        self.assertEqual([row["kernel"] for row in self.rows("kernels", "shuffle")], ["shuffle"])
        self.assertEqual({row["family"] for row in self.rows("kernels", "reverse")}, {"reverse"})

    def test_references(self):
        for row, shown in zip(self.rows("references"), self.table("references"), strict=True):
            for key in ("machine", "reference", "version", "for", "call"):
                self.assertEqual(row[key], shown[key])
            self.assertEqual("all" if len(row["dtypes"]) == 15 else " ".join(row["dtypes"]), shown["dtypes"])

    def test_machines(self):
        rows = self.rows("machines")
        self.assertEqual([row["machine"].split(":")[0] for row in rows[-2:]], ["cpu", "sim"])
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
        self.assertEqual(rows[-2]["memory_bytes"], pages * size)
        for row in rows:
            self.assertEqual(row["device"] is None, row["missing"] is not None)

    def test_dtypes(self):
        rows = {row["dtype"]: row for row in self.rows("dtypes")}
        self.assertEqual(len(rows), 15)
        for name, dtype in (("bool", "?"), ("i16", "i2"), ("u64", "u8"), ("f16", "f2"), ("c128", "c16")):
            self.assertEqual(rows[name]["bytes"], np.dtype(dtype).itemsize)
        self.assertEqual(rows["i8"], {"dtype": "i8", "bytes": 1, "kind": "signed integer", "sum": "i64",
                                      "acc_wide": "i64", "acc_same": "i8", "mean": "f64", "max": "i8",
                                      "argmax": "i64"})
        self.assertEqual((rows["c64"]["max"], rows["c64"]["argmax"]), (None, None))

    def test_formats(self):
        self.assertEqual(self.rows("formats"), self.table("formats"))

    def test_text_and_report_do_not_share_standard_output(self):
        self.fails(rung("list", "--markdown", "--json", "-"), 2, "standard output")
        run = self.ok(rung("list", "dtypes", "--json", self.path("r.json")))
        self.assertEqual(run.stdout, self.ok(rung("list", "dtypes")).stdout)
        self.assertEqual(json.loads(self.read("r.json"))["listing"], "dtypes")


if __name__ == "__main__":
    main()
