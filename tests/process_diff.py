"""rung diff: tolerances against fractions and NumPy, the worst difference, the hint at --dtype, the report."""
import itertools
import json
import os
import subprocess
from fractions import Fraction

import numpy as np

from process import RUNG, TIMEOUT, Case, main, rung, shell

INTEGERS = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
            "u16": np.uint16, "u32": np.uint32, "u64": np.uint64}
FLOATS = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64}
COMPLEX = {"c64": np.complex64, "c128": np.complex128}
TOLERANCES = (("0", "0"), ("0", "1"), ("0.3", "0"), ("0.29999999999999999999", "0"), ("0.1", "0.9"), ("0.25", "0.5"), ("1e-3", "1e-3"),
              ("0", "18446744073709551614"), ("0", "18446744073709551615"), ("1", "0"), ("2", "1e-300"))


def values_of(dtype, array):
    """As floats or integers of Python, which hold each element exactly."""
    if dtype == "bf16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return [int(v) for v in array] if array.dtype.kind != "f" else array.astype(float).tolist()


def edges(dtype):
    """Values at the ends of the type and small ones, among them pairs that stand right on a tolerance."""
    if dtype in INTEGERS:
        kind = INTEGERS[dtype]
        low, high = (0, 1) if dtype == "bool" else (np.iinfo(kind).min, np.iinfo(kind).max)
        return np.array([v for v in {low, low + 1, 0, 1, 2, 10, 13, high - 1, high} if low <= v <= high], dtype=kind)
    if dtype == "bf16":
        return np.array([0, 0x8000, 1, 0x80, 0x3f80, 0x4120, 0x4150, 0xc120, 0x7f7f, 0xff7f], np.uint16)
    limits = np.finfo(FLOATS[dtype])
    small = [0, -0.0, limits.tiny, limits.tiny / 4, 1, 10, 13, -10, 0.1, 1.1, limits.max, -limits.max]
    return np.array(small, FLOATS[dtype])


class Comparing(Case):
    def differing(self, dtype, a, b, *tolerance):
        """The places that differ, five at most, and how many there are."""
        paths = self.write("a.raw", a.tobytes()), self.write("b.raw", b.tobytes())
        run = rung("diff", *paths, "--dtype", dtype, *tolerance, "-q", "--json", "-")
        report = json.loads(run.stdout)
        self.assertEqual(run.returncode, 0 if report["equal"] else 1, run.stderr)
        self.assertEqual(report["equal"], report["differing"] == 0)
        self.assertEqual(report["elements"], len(a))
        return [m["index"] for m in report["first_differences"]], report["differing"]

    def compare(self, dtype, a, b, want, *tolerance):
        wrong = np.flatnonzero(~np.asarray(want)).tolist()
        self.assertEqual(self.differing(dtype, a, b, *tolerance), (wrong[:5], len(wrong)), (dtype, tolerance))


class Tolerance(Comparing):
    def test_every_type_at_its_edges(self):
        """Integers without rounding, floats as NumPy has it for f64."""
        for dtype in (*INTEGERS, *FLOATS):
            each = edges(dtype)
            pairs = np.array(list(itertools.product(range(len(each)), repeat=2)))
            a, b = each[pairs[:, 0]], each[pairs[:, 1]]
            x, y = values_of(dtype, a), values_of(dtype, b)
            for rtol, atol in TOLERANCES:
                if dtype in INTEGERS:
                    want = [abs(p - q) <= Fraction(atol) + Fraction(rtol) * abs(q) for p, q in zip(x, y)]
                else:
                    with np.errstate(over="ignore"):
                        want = np.isclose(x, y, rtol=float(rtol), atol=float(atol))
                self.compare(dtype, a, b, want, "--rtol", rtol, "--atol", atol)

    def test_one_of_the_two_leaves_the_other_at_0(self):
        a, b = np.array([1e-9, 1.0, 1.000001, 11]), np.array([0, 1.1, 1, 10])
        self.compare("f64", a, b, [False, True, True, True], "--rtol", "0.1")
        self.compare("f64", a, b, [False, True, True, False], "--rtol", "0.0999")
        self.compare("f64", a, b, [True, False, True, False], "--atol", "1e-5")
        self.compare("f64", a, b, [True, True, True, True], "--atol", "1e-9", "--rtol", ".1")

    def test_b_is_what_is_expected(self):
        small, large = np.array([9, 9], np.int32), np.array([10, 10], np.int32)
        self.compare("i32", small, large, [True, True], "--rtol", "0.1")
        self.compare("i32", large, small, [False, False], "--rtol", "0.1")
        self.assertIn(b"B being what", rung("diff", "--help").stdout)

    def test_as_numpy_has_it(self):
        rng = np.random.default_rng(5)
        for dtype, kind in (*FLOATS.items(), *COMPLEX.items()):
            b = rng.normal(size=4000)
            a = b * (1 + rng.normal(size=4000) * 1e-2)
            if dtype in COMPLEX:
                b, a = b + 1j * rng.normal(size=4000), a + 1j * rng.normal(size=4000)
            if dtype == "bf16":
                a, b = ((v.astype(np.float32).view(np.uint32) >> 16).astype(kind) for v in (a, b))
            else:
                a, b = a.astype(kind), b.astype(kind)
            x, y = (np.array(v.tolist() if dtype in COMPLEX else values_of(dtype, v)) for v in (a, b))
            for rtol, atol in (("0.01", "0"), ("0.005", "0.003"), ("0", "0.01")):
                want = np.isclose(x, y, rtol=float(rtol), atol=float(atol))
                self.assertTrue(0 < want.sum() < want.size)
                self.compare(dtype, a, b, want, "--rtol", rtol, "--atol", atol)

    def test_complex_by_modulus(self):
        for dtype, kind in COMPLEX.items():
            a, b = np.array([6 + 8j], kind), np.array([3 + 4j], kind)  # 5 apart, and 5 is the modulus of b
            for tolerance, want in ((("--rtol", "1"), True), (("--rtol", "0.999999999999999"), False),
                                    (("--atol", "5"), True), (("--atol", "4.999999999999999"), False),
                                    (("--rtol", "0.1", "--atol", "4.5"), True),
                                    (("--rtol", "0.1", "--atol", "4.499999999999999"), False)):
                self.compare(dtype, a, b, [want], *tolerance)

    def test_what_is_no_number(self):
        special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0])
        pairs = np.array(list(itertools.product(special, repeat=2)))
        for dtype in ("f16", "f32", "f64"):
            a, b = pairs[:, 0].astype(FLOATS[dtype]), pairs[:, 1].astype(FLOATS[dtype])
            for tolerance in (("--rtol", "1e-3"), ("--atol", "0"), ("--rtol", "0.5", "--atol", "1e300")):
                values = {name: float(value) for name, value in zip(tolerance[::2], tolerance[1::2])}
                want = np.isclose(a.astype(float), b.astype(float), rtol=values.get("--rtol", 0),
                                  atol=values.get("--atol", 0), equal_nan=True)
                self.compare(dtype, a, b, want, *tolerance)
        # Part by part, as with --max-ulp: what is no number must be so in both, and the rest is near.
        a = np.array([complex(np.nan, 1), complex(np.inf, 1), complex(np.inf, 1), complex(np.nan, 1), complex(1, 1)])
        b = np.array([complex(np.nan, 1.05), complex(np.inf, 1.05), complex(-np.inf, 1), complex(1, np.nan),
                      complex(1, np.nan)])
        for tolerance in (("--rtol", "0.1"), ("--max-ulp", "1000000000000000")):
            self.compare("c128", a, b, [True, True, False, False, False], *tolerance)

    def test_bools(self):
        a, b = self.save("a.npy", np.array([True, False])), self.save("b.npy", np.array([True, True]))
        self.assertEqual(rung("diff", a, b, "--atol", "0.5").returncode, 1)
        self.ok(rung("diff", a, b, "--rtol", "1"), "")

    def test_either_tolerance_is_enough(self):
        next_to_1 = np.nextafter(np.float32(1), np.float32(2))
        a = np.array([next_to_1, 1e-20, 1.5, 100], np.float32)
        b = np.array([1, -1e-20, 1, 90], np.float32)
        self.compare("f32", a, b, [True, False, False, False], "--max-ulp", "1")
        self.compare("f32", a, b, [False, True, False, False], "--atol", "1e-15")
        self.compare("f32", a, b, [True, True, False, False], "--max-ulp", "1", "--atol", "1e-15")
        self.compare("f32", a, b, [True, True, False, True], "--max-ulp", "1", "--atol", "1e-15", "--rtol", "0.12")
        # Integers have no ulp, and take the others.
        a, b = np.array([5, 7]), np.array([6, 9])
        self.compare("i64", a, b, [True, False], "--max-ulp", "9", "--atol", "1")

    def test_what_is_no_tolerance(self):
        a = self.save("a.npy", np.ones(2))
        for option in ("--rtol", "--atol"):
            for text in ("-1", "-0.5", "nan", "inf", "1%", ""):
                for words in ([option, text], [f"{option}={text}"]):
                    self.fails(rung("diff", a, a, *words), 2, f'{option} "{text}": not a number of 0 or more (0.01')
            self.fails(rung("diff", a, a, option, "1e999"), 2, "beyond what f64 holds")


class Worst(Comparing):
    def said(self, a, b, *options):
        run = rung("diff", self.save("a.npy", a), self.save("b.npy", b), *options)
        self.assertEqual(run.returncode, 1, run.stderr)
        return run.stdout.decode()

    def worst(self, a, b, *options):
        last = self.said(a, b, *options).splitlines()[-1]
        self.assertTrue(last.startswith("worst: "), last)
        return last[len("worst: "):]

    def test_of_all_that_differ(self):
        rng = np.random.default_rng(6)
        for dtype in (np.float64, np.float32, np.int16):
            a, b = ((rng.normal(size=(300, 200)) * 1000).astype(dtype) for _ in range(2))
            apart = np.abs(a.astype(float) - b.astype(float))
            i, k = (int(v) for v in np.unravel_index(np.argmax(apart), apart.shape))
            self.assertIn(f"[{i},{k}] {str(a[i, k])} and {str(b[i, k])} (absolute ", self.worst(a, b))

    def test_absolute_relative_ulp(self):
        a, b = np.array([[1, 2], [3, 5]], np.float32), np.array([[1, 2.5], [3, 4]], np.float32)
        self.assertEqual(self.said(a, b), "2 of 4 elements differ\n  [0,1] 2 and 2.5 (2097152 ulp)\n"
                         "  [1,1] 5 and 4 (2097152 ulp)\n"
                         "worst: [1,1] 5 and 4 (absolute 1, relative 0.25, 2097152 ulp)\n")
        self.assertEqual(self.worst(a, b, "--atol", "0.5"), "[1,1] 5 and 4 (absolute 1, relative 0.25, 2097152 ulp)")
        # Of equals the first; nothing relative to 0.
        self.assertEqual(self.worst(np.array([1, 3, 5]), np.array([1, 0, 8])), "[1] 3 and 0 (absolute 3)")
        self.assertEqual(self.worst(np.array([3 + 4j]), np.array([0j])),
                         f"[0] 3+4j and 0+0j (absolute 5, {np.array(4.0).view(np.int64)} ulp)")
        # Of those that differ alone: 100 is within 1 % of 10000.
        a, b = np.array([10100, 1.5]), np.array([10000.0, 1])
        self.assertTrue(self.worst(a, b).startswith("[0] 10100 "))
        self.assertTrue(self.worst(a, b, "--rtol", "0.01").startswith("[1] 1.5 "))

    def test_all_digits(self):
        one = np.array([1.1])
        steps = int(one.view(np.int64)[0])
        self.assertEqual(self.said(one, np.zeros(1)), f"1 of 1 element differs\n  [0] 1.1 and 0 ({steps} ulp)\n"
                         f"worst: [0] 1.1 and 0 (absolute 1.1, {steps} ulp)\n")
        self.ok(rung("diff", self.path("a.npy"), self.path("b.npy"), "--max-ulp", str(steps)), "")
        self.assertEqual(rung("diff", self.path("a.npy"), self.path("b.npy"), "--max-ulp", str(steps - 1)).returncode, 1)
        # 2^63 and one more are one number to a double.
        a, b = np.array([2**63, 2**63 + 1], np.uint64), np.zeros(2, np.uint64)
        self.assertEqual(self.worst(a, b), "[1] 9223372036854775809 and 0 (absolute 9223372036854775809)")
        a, b = np.array([-2**63]), np.array([2**63 - 1])
        self.assertEqual(self.worst(a, b), f"[0] {-2**63} and {2**63 - 1} (absolute {2**64 - 1}, relative 2)")

    def test_what_is_no_number_is_worse_than_any(self):
        a, b = np.array([1, np.inf, np.nan, 2]), np.array([2, 1, 5, 1e300])
        steps = [int(np.array(v).view(np.int64)) for v in (np.inf, 1.0)]
        self.assertEqual(self.worst(a, b), "[2] nan and 5")
        self.assertEqual(self.worst(a[:2], b[:2]), f"[1] inf and 1 (absolute inf, relative inf, {steps[0] - steps[1]} ulp)")
        self.assertEqual(self.worst(b[:2], a[:2]), f"[1] 1 and inf (absolute inf, {steps[0] - steps[1]} ulp)")
        self.assertEqual(self.worst(np.zeros(1), -np.zeros(1)), "[0] 0 and -0 (sign of zero)")
        most = np.finfo(np.float64).max
        self.assertIn("(absolute 3.59539e+308, relative 2, ", self.worst(np.array([most]), np.array([-most])))
        # A part of both that is NaN is not what makes them differ.
        self.assertIn("(absolute 0.5, relative 0.5, ",
                      self.worst(np.array([complex(np.nan, 1.5)]), np.array([complex(np.nan, 1)])))


class OtherTypes(Case):
    def test_floats_of_two_types_under_a_tolerance(self):
        rng = np.random.default_rng(5)
        kinds = ((np.float16, np.float32, np.float64), (np.complex64, np.complex128))
        for a, b in ((a, b) for group in kinds for a in group for b in group if a is not b):
            want = rng.standard_normal((7, 5)).astype(b)
            got = (want * (1 + rng.choice([0, 1e-3, 1e-2, 0.1], (7, 5)))).astype(a)
            got[0, :3], want[0, :3] = [np.nan, np.inf, np.inf], [np.nan, np.inf, 1]
            paths = self.save("a.npy", got), self.save("b.npy", want)
            wide = np.complex128 if np.iscomplexobj(want) else np.float64
            for rtol, atol in ((0.005, 0), (0, 0.01), (0.05, 0.001), (1, 0)):
                close = np.isclose(got.astype(wide), want.astype(wide), rtol=rtol, atol=atol, equal_nan=True)
                run = rung("diff", *paths, "--rtol", str(rtol), "--atol", str(atol))
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertTrue(run.stdout.decode().startswith(f"{(~close).sum()} of 35 element"), run.stdout)
            got[0, 2] = want[0, 2]
            self.save("a.npy", got)
            self.ok(rung("diff", *paths, "--rtol", "0.2"), "")
            run = shell('"$rung" diff <(cat a.npy) <(cat b.npy) --rtol 0.2 --json -', self.dir)
            report = json.loads(self.ok(run).stdout)
            self.assertEqual((report["equal"], report["elements"], report["differing"]), (True, 35, 0))
            self.assertNotEqual(report["a"]["dtype"], report["b"]["dtype"])

    def test_bf16(self):
        half = self.write("h.bin", (np.array([1.5, -2, 0.1], np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes())
        full = self.save("f.npy", np.array([1.5, -2, 0.1]))
        args = ("--dtype", "bf16", half, full)
        self.assertIn(b"1 of 3 elements differ", rung("diff", *args, "--rtol", "1e-4").stdout)
        self.ok(rung("diff", *args, "--rtol", "1e-2"), "")


class Hint(Case):
    def hint(self, *args, cwd=None):
        run = rung("diff", *args, cwd=cwd)
        self.assertEqual(run.returncode, 1)
        return run.stderr.decode()

    def test_a_csv_file_beside_another_type(self):
        text = self.write("c.csv", "1,2\n3,4\n")
        for name in (*INTEGERS, "f16", "f32", "f64", "c64"):
            kind = {**INTEGERS, **FLOATS, **COMPLEX}[name]
            path = self.save("a.npy", np.array([[1, 2], [3, 4]]).astype(kind))
            if name == "bool":
                text = self.write("c.csv", "1,1\n1,1\n")
            for pair in ((path, text), (text, path)):
                if name == "f64":
                    self.ok(rung("diff", *pair), "")
                elif name == "c64":
                    self.assertEqual(self.hint(*pair), "")
                else:
                    self.assertEqual(self.hint(*pair), f"hint: --dtype {name} reads {text} as {name}, too\n")
                    self.assertEqual(self.hint(*pair, "-q"), "")
                    self.ok(rung("diff", *pair, "--dtype", name), "")
            text = self.write("c.csv", "1,2\n3,4\n")
        # What was asked for is not what helps.
        self.assertIn("hint: --dtype f32 reads", self.hint(self.save("f.npy", np.ones((2, 2), np.float32)), text,
                                                           "--dtype", "i8"))

    def test_not_where_it_would_not_help(self):
        two = self.save("a.npy", np.ones(2, np.int32)), self.save("b.npy", np.ones(2, np.int64))
        self.assertEqual(self.hint(*two), "")
        self.assertEqual(self.hint(*two, "--rtol", "1"), "")
        self.assertEqual(self.hint(self.write("a.csv", "1\n2\n"), self.write("b.csv", "1\n2\n3\n")), "")
        self.assertEqual(self.hint(two[0], self.path("b.csv")), "")  # nor of the same shape

    def test_floats_of_other_types(self):
        a, b = self.save("a.npy", np.ones(2, np.float32)), self.save("b.npy", np.ones(2))
        self.assertEqual(self.hint(a, b), "hint: --rtol and --atol compare f32 with f64\n")
        self.assertEqual(self.hint(a, b, "--rtol", "1", "--max-ulp", "1"),
                         "hint: without --max-ulp, --rtol and --atol compare f32 with f64\n")

    def test_bytes_beside_a_shape(self):
        a, b = self.save("a.npy", np.ones((2, 3), np.float32)), self.write("b.bin", np.ones(6, np.float32).tobytes())
        self.assertEqual(self.hint(a, b, "--dtype", "f32"), f"hint: --shape 2x3 reads {b} in that shape, too\n")
        self.ok(rung("diff", a, b, "--dtype", "f32", "--shape", "2x3"), "")
        self.assertEqual(self.hint(a, self.write("c.bin", bytes(20)), "--dtype", "f32"), "")

    def test_of_pipes(self):
        self.save("a.npy", np.ones(2, np.float32))
        for pipes in ("<(cat a.npy) <(printf '1\\n1\\n')", "<(printf '1\\n1\\n') <(cat a.npy)"):
            run = shell(f'"$rung" diff --from csv {pipes}', self.dir)
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr.decode(), r"^hint: --dtype f32 reads /dev/fd/\d+ as f32, too\n$")
        run = shell('cat a.npy | "$rung" diff - c.csv', self.dir)
        self.write("c.csv", "1\n1\n")
        run = shell('cat c.csv | "$rung" diff --from csv - a.npy', self.dir)
        self.assertEqual(run.stderr.decode(), "hint: --dtype f32 reads <stdin> as f32, too\n")


class Report(Case):
    def setUp(self):
        super().setUp()
        self.a = self.save("a.npy", np.array([[1, 2, 3], [4, 5, 6]], np.float32))
        self.b = self.save("b.npy", np.array([[1, 2.5, 3], [4, 5, 7]], np.float32))

    def report(self, *args, status=1):
        run = rung("diff", *args, "--json", "-")
        self.assertEqual(run.returncode, status, run.stderr)
        return json.loads(run.stdout)

    def test_what_differs(self):
        report = self.report(self.a, self.b)
        environment = report.pop("environment")
        self.assertEqual(environment["command"], f"rung diff {self.a} {self.b} --json -")
        second = {"index": 5, "coordinates": [1, 2], "a": "6", "b": "7", "absolute": 1, "relative": 1 / 7,
                  "ulp": 2097152}
        self.assertEqual(report, {
            "schema": "rung-diff-1", "a": {"file": self.a, "dtype": "f32", "shape": [2, 3]},
            "b": {"file": self.b, "dtype": "f32", "shape": [2, 3]},
            "tolerance": {"max_ulp": 0, "rtol": None, "atol": None}, "equal": False, "elements": 6, "differing": 2,
            "first_differences": [{"index": 1, "coordinates": [0, 1], "a": "2", "b": "2.5", "absolute": 0.5,
                                   "relative": 0.2, "ulp": 2097152}, second], "worst_difference": second})

    def test_what_is_equal(self):
        report = self.report(self.a, self.b, "--rtol", "1e-3", "--atol", "1", "--max-ulp", "3", status=0)
        self.assertEqual(report["tolerance"], {"max_ulp": 3, "rtol": 1e-3, "atol": 1})
        self.assertEqual([report[name] for name in ("equal", "elements", "differing", "first_differences",
                                                    "worst_difference")], [True, 6, 0, [], None])

    def test_what_is_not_compared(self):
        for other in (np.ones(6, np.float32), np.ones((2, 3))):
            report = self.report(self.a, self.save("o.npy", other))
            self.assertEqual([report[name] for name in ("equal", "elements", "differing", "first_differences",
                                                        "worst_difference")], [False, None, None, [], None])
            self.assertEqual(report["b"], {"file": self.path("o.npy"), "shape": list(other.shape),
                                           "dtype": "f32" if other.dtype == np.float32 else "f64"})

    def test_numbers(self):
        def worst(a, b):
            return self.report(self.save("x.npy", a), self.save("y.npy", b))["worst_difference"]

        keys = ("a", "b", "absolute", "relative", "ulp")
        for a, b, want in ((np.array([2**64 - 1], np.uint64), np.array([0], np.uint64),
                            [str(2**64 - 1), "0", 2**64 - 1, None, None]),
                           (np.array(np.nan), np.array(1.0), ["nan", "1", None, None, None]),
                           (np.array([np.inf]), np.array([-np.inf]),
                            ["inf", "-inf", "inf", None, 2 * int(np.array(np.inf).view(np.int64))]),
                           (np.array([0.0]), np.array([-0.0]), ["0", "-0", 0, None, 0]),
                           (np.array([1.1]), np.array([0.0]), ["1.1", "0", 1.1, None, int(np.array(1.1).view(np.int64))]),
                           (np.array([1 + 2j]), np.array([1 - 1j]),
                            ["1+2j", "1-1j", 3, 3 / 2**0.5, int(np.array(2.0).view(np.int64)) +
                             int(np.array(1.0).view(np.int64))])):
            self.assertEqual([worst(a, b)[key] for key in keys], want)
        self.assertEqual(worst(np.array(np.nan), np.array(1.0))["coordinates"], [])
        # No double holds it.
        most = np.finfo(np.float64).max
        self.assertTrue(worst(np.array([most]), np.array([-most]))["absolute"].startswith("3.5953862697246314"))

    def test_where_it_goes(self):
        path = self.path("r.json")
        text = rung("diff", self.a, self.b).stdout
        run = rung("diff", self.a, self.b, "--json", path)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (1, text, b""))
        self.assertEqual(json.loads(self.read("r.json"))["differing"], 2)
        # On standard output: the text is beside it.
        run = rung("diff", self.a, self.b, "--json", "-")
        self.assertEqual((run.returncode, run.stderr), (1, text))
        json.loads(run.stdout)
        run = rung("diff", self.a, self.b, "--json", "-", "-q")
        self.assertEqual((run.returncode, run.stderr), (1, b""))
        self.assertEqual(self.ok(rung("diff", self.a, self.a, "--json", path), "").stderr, b"")
        self.assertTrue(json.loads(self.read("r.json"))["equal"])

    def test_what_it_must_not_replace(self):
        for path in (self.a, self.b):
            self.fails(rung("diff", self.a, self.b, "--json", path), 2, "would overwrite an input")
        self.fails(shell('"$rung" diff a.npy b.npy --json r.json >r.json', self.dir), 2, "would overwrite")
        self.write("r.json", "precious")
        self.fails(rung("diff", self.a, self.path("none.npy"), "--json", self.path("r.json")), 3, "none.npy")
        self.assertEqual(self.read("r.json"), b"precious")
        self.fails(rung("diff", self.a, self.a, "--json", ""), 2, "not a file name")

    def test_a_report_that_cannot_be_written_fails_the_run(self):
        self.fails(rung("diff", self.a, self.a, "--json", "/dev/full"), 3, "/dev/full: cannot write")
        self.assertEqual(rung("diff", self.a, self.b, "--json", "/dev/full").returncode, 3)
        self.fails(rung("diff", self.a, self.a, "--json", self.path("no/r.json")), 3, "no/r.json")

    def test_a_reader_that_has_gone(self):
        for other, status in ((self.a, 0), (self.b, 1)):
            read, write = os.pipe()
            os.close(read)
            run = subprocess.run([RUNG, "diff", self.a, other, "--json", "-"], stdout=write, stderr=subprocess.PIPE,
                                 timeout=TIMEOUT)
            os.close(write)
            self.assertEqual(run.returncode, status, run.stderr)


if __name__ == "__main__":
    main()
