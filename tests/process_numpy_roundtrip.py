#!/usr/bin/python3
"""What NumPy writes, rung reads, and the other way round; and the files of data/ have the answers they claim.

process_numpy_roundtrip.py RUNG
"""
import io
import itertools
import json
import os
import struct
import unittest

import numpy as np

from process import Case, main, rung

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
OURS = {"?": "bool", "c8": "c64", "c16": "c128", "f2": "f16", "f4": "f32", "f8": "f64",
        **{f"{k}{b}": f"{k}{8 * b}" for k in "iu" for b in (1, 2, 4, 8)}}
SHAPES = [(), (1,), (37,), (0,), (5, 0, 3), (7, 11), (65, 33), (2, 3, 4), (3, 1, 5, 2)]


def sample(dtype, shape, seed=1):
    """Every bit pattern is allowed, but bool's bytes are 0 and 1."""
    generator = np.random.default_rng(seed)
    if dtype == "?":
        return np.array(generator.integers(0, 2, shape), "?")
    size = int(np.prod(shape, dtype=int)) * np.dtype(dtype).itemsize
    return np.frombuffer(generator.bytes(size), dtype).reshape(shape)


def same_bits(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def as_element(text, dtype):
    if dtype == "bf16":  # round to nearest even to the upper half of a binary32
        bits = int(np.float32(text).view("u4"))
        bits += 0x7FFF + (bits >> 16 & 1)
        return float(np.uint32(bits & 0xFFFF0000).view("f4"))
    return float({"f16": np.float16, "f32": np.float32, "f64": np.float64}[dtype](text))


class Npy(Case):
    def check(self, path, array):
        """array has the native byte order."""
        out = self.path("out.npy")
        self.ok(rung("transpose", "-o", out, path))
        want = np.ascontiguousarray(array.T).reshape(array.T.shape)
        self.assertTrue(same_bits(np.load(out, allow_pickle=False), want), (array.dtype, array.shape))
        with open(out, "rb") as file:
            self.assertEqual(np.lib.format.read_magic(file), (1, 0))
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
            self.assertEqual((shape, fortran), (array.T.shape, False))
            self.assertIn(dtype.str[0], "<|")
            self.assertEqual(file.tell() % 64, 0)

    def test_every_type_shape_and_order(self):
        for number, (dtype, shape) in enumerate(itertools.product(TYPES, SHAPES)):
            array = sample(dtype, shape, number)
            for order, endian in itertools.product("CF", "<>"):
                stored = np.asarray(array, order=order).astype(array.dtype.newbyteorder(endian), order="K")
                with self.subTest(dtype=dtype, shape=shape, order=order, endian=endian):
                    self.check(self.save("in.npy", stored), array)
                if np.ndim(array) < 2 and order == "C" and endian == "<":
                    break  # one dimension has one order; the byte order is seen elsewhere

    def test_versions(self):
        array = sample("f4", (5, 6))
        for version in ((1, 0), (2, 0), (3, 0)):
            with open(self.path("in.npy"), "wb") as file:
                np.lib.format.write_array(file, array, version=version)
            self.check(self.path("in.npy"), array)

    def test_through_pipes(self):
        array = sample("f8", (123, 77))
        buffer = io.BytesIO()
        np.save(buffer, np.asfortranarray(array))
        out = self.ok(rung("transpose", stdin=buffer.getvalue())).stdout
        self.assertTrue(same_bits(np.load(io.BytesIO(out)), np.ascontiguousarray(array.T)))

    def test_memory_mapped_output(self):
        array = sample("i4", (300, 20))
        self.ok(rung("reverse", "-o", self.path("out.npy"), self.save("in.npy", array)))
        self.assertTrue(np.array_equal(np.load(self.path("out.npy"), mmap_mode="r"), array[::-1, ::-1]))

    def test_what_numpy_pickles_or_packs_is_refused(self):
        np.savez(self.path("a.npz"), x=np.arange(3))
        os.rename(self.path("a.npz"), self.path("a.npy"))
        self.fails(rung("reduce", self.path("a.npy")), 3, "npz, not npy")
        for array in (np.array([None, 1]), np.array(["a", "bc"]), np.array([b"a"]), np.array(["2024-01-01"], "M8[D]"),
                      np.array([5], "m8[s]"), np.zeros(2, [("x", "f4"), ("y", "i4")]), np.zeros(2, "V8"),
                      np.zeros(2, "longdouble")):
            np.save(self.path("b.npy"), array, allow_pickle=True)
            self.fails(rung("reduce", self.path("b.npy")), 3, "b.npy: npy header: ")


class Raw(Case):
    def test_every_type_and_byte_order(self):
        for dtype, endian in itertools.product(TYPES, "<>"):
            array = sample(dtype, (6, 5))
            array.astype(array.dtype.newbyteorder(endian)).tofile(self.path("in.raw"))
            order = {"<": "little", ">": "big"}[endian]
            self.ok(rung("transpose", "--dtype", OURS[dtype], "--shape", "6x5", "--endian", order, "-o",
                         self.path("out.raw"), self.path("in.raw")))
            got = np.fromfile(self.path("out.raw"), dtype)
            self.assertEqual(got.tobytes(), array.T.tobytes(), (dtype, endian))

    def test_offset(self):
        self.write("in.bin", b"abc" + struct.pack("<3i", 1, 2, 3))
        self.ok(rung("reduce", "--dtype", "i32", "--offset", "3", self.path("in.bin")), "6\n")


class Csv(Case):
    def test_savetxt_to_rung(self):
        array = np.random.default_rng(5).normal(size=(40, 3)) * 10.0 ** np.arange(-150, 300, 150)
        for delimiter in (" ", ",", ";", "\t"):
            np.savetxt(self.path("in.csv"), array, delimiter=delimiter, header="a b c")
            self.ok(rung("reverse", "-t", "npy", "-o", self.path("out.npy"), self.path("in.csv")))
            got = np.load(self.path("out.npy"))
            self.assertTrue(same_bits(got, np.ascontiguousarray(array[::-1, ::-1])), delimiter)

    def test_rung_to_loadtxt(self):
        for dtype in TYPES:
            if dtype[0] in "?c":
                continue
            array = sample(dtype, (50, 4))
            self.ok(rung("transpose", "-t", "csv", "-o", self.path("out.csv"), self.save("in.npy", array)))
            # Through Python's own numbers: loadtxt goes through f64, which cannot hold 64-bit integers.
            number = float if dtype[0] == "f" else int
            with open(self.path("out.csv"), encoding="ascii") as file:
                rows = [[number(field) for field in line.split(",")] for line in file]
            with np.errstate(over="ignore"):
                self.assertTrue(np.array_equal(np.array(rows, dtype), array.T, equal_nan=dtype[0] == "f"), dtype)

    def test_rung_to_rung_keeps_every_value(self):
        for dtype in TYPES:
            if dtype[0] == "c":
                continue
            array = sample(dtype, (50, 4))
            text = self.ok(rung("transpose", "-t", "csv", self.save("in.npy", array))).stdout
            self.ok(rung("transpose", "-f", "csv", "-t", "npy", "--dtype", OURS[dtype], "-o", self.path("out.npy"),
                         stdin=text))
            got = np.load(self.path("out.npy"))
            self.assertEqual(got.dtype, array.dtype)
            self.assertTrue(np.array_equal(got, array, equal_nan=dtype[0] == "f"), dtype)


class Data(Case):
    answers = json.load(open(os.path.join(DATA, "answers.json"), encoding="utf-8"))

    def test_samples_have_their_answers(self):
        for row in self.answers["samples"]:
            path = os.path.join(DATA, row["file"])
            for op in ("sum", "min", "max"):
                if row[op] is None:
                    continue
                with self.subTest(file=row["file"], op=op):
                    text = self.ok(rung("reduce", "--op", op, *row["options"], path)).stdout.decode().strip()
                    want = complex(*row[op]) if isinstance(row[op], list) else row[op]
                    if isinstance(want, int):
                        self.assertEqual(int(text), want)
                    elif op != "sum":  # an element, as the shortest text that its own type reads back
                        self.assertEqual(as_element(text, row["dtype"]), want)
                    else:  # the order of additions is rung's to choose
                        self.assertLessEqual(abs(complex(text) - want), 1e-6 * max(1, abs(want)))

    def test_malformed_files_are_refused(self):
        for row in self.answers["malformed"]:
            with self.subTest(file=row["file"]):
                self.fails(rung("reduce", *row["options"], os.path.join(DATA, row["file"])), 3, row["error"])


if __name__ == "__main__":
    main()
