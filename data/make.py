#!/usr/bin/python3
"""Makes every file of this folder, its README.md and answers.json: data/make.py. Seeded: the same bytes each time.

The answers come from Python's integers and fractions, not from NumPy or rung; floats are rounded once, to the type
of the result.
"""
import io
import json
import os
import struct
from fractions import Fraction

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {"bool": "bool", "float16": "f16", "float32": "f32", "float64": "f64", "complex64": "c64",
         **{f"{u}int{b}": f"{u or 'i'}{b}" for u in ("", "u") for b in (8, 16, 32, 64)}}
random = np.random.default_rng(20240229)
answers, malformed = [], []


def write(name, data):
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)


def exact_sum(values, dtype):
    if dtype == "c64":
        parts = [sum(map(Fraction, map(float, part)), Fraction(0)) for part in (values.real.flat, values.imag.flat)]
        return [float(np.float32(float(part))) for part in parts]
    if dtype[0] in "iub" and dtype != "bf16":
        return sum(int(v) for v in values.flat)
    total = float(sum((Fraction(float(v)) for v in values.flat), Fraction(0)))
    return float(np.float32(total)) if dtype in ("f16", "bf16", "f32") else total


def record(name, array, about, options=(), dtype=None):
    """array holds the values that rung must find in the file, in C order."""
    dtype = dtype or NAMES[array.dtype.name]
    ordered = dtype != "c64" and array.size > 0
    answers.append({"file": name, "dtype": dtype, "shape": list(array.shape), "options": list(options),
                    "sum": exact_sum(array, dtype), "about": about,
                    "min": array.min().item() if ordered else None, "max": array.max().item() if ordered else None})


def npy(name, array, about):
    data = io.BytesIO()
    np.save(data, array, allow_pickle=False)
    write(name, data.getvalue())
    record(name, array, about)


def bad(name, data, error, options=()):
    write("malformed/" + name, data)
    malformed.append({"file": "malformed/" + name, "options": list(options), "error": error})


def header(descr, shape, order="False"):
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode("latin-1")


def samples():
    days = np.arange(366)
    season = 11 - 10 * np.cos(2 * np.pi * (days - 20) / 366)
    mean = season + random.normal(0, 2.5, 366)
    at_hours = np.round(mean[:, None] + np.array([-3.0, 2.5, 0.5]) + random.normal(0, 0.8, (366, 3)), 1)
    write("temperatures.csv", "# degrees Celsius at 06:00, 14:00 and 22:00; a line a day, 2024\n" +
          "".join(",".join(f"{v:.1f}" for v in row) + "\n" for row in at_hours))
    record("temperatures.csv", at_hours, "a year of readings, three a day, CSV without a header")

    dates = np.datetime64("2024-01-01") + days
    rain = np.round(np.maximum(0, random.normal(-2, 5, 366)), 1)
    write("station.csv", "date;station;low;high;rain\r\n" + "".join(
        f'{date};"Hill; north";{row.min():.1f};{row.max():.1f};{wet:.1f}\r\n'
        for date, row, wet in zip(dates, at_hours, rain)))
    record("station.csv", np.stack([at_hours.min(1), at_hours.max(1), rain], 1),
           "dates, quoted names with the delimiter in them, CRLF", ["--header", "yes", "--columns", "low,high,rain"])

    latency = np.round(random.lognormal(3, 0.6, 500), 3)
    write("latency.txt", "".join(f"{v:.3f}\n" for v in latency))
    record("latency.txt", latency, "milliseconds, one value a line")

    npy("matrix.npy", np.round(random.normal(0, 10, (6, 4)), 1).astype("f4"), "small enough to look at")
    npy("ramp.npy", np.arange(12, dtype="i4"), "0 to 11: what a reversal does is plain")
    npy("table.npy", random.normal(size=(120, 100)).astype("f4"), "normal variates, rows by columns")
    npy("noise.npy", random.normal(size=6001), "normal variates; the length is a prime")
    npy("counts.npy", random.integers(-2**31, 2**31, 10007, dtype="i4"), "full range: a 32-bit sum overflows")
    rows, columns = np.mgrid[0:160, 0:240]
    disc = np.hypot(rows - 80, columns - 120) < 55
    image = np.where(disc, 255 - rows, columns) + random.integers(-8, 9, (160, 240))
    npy("image.npy", np.clip(image, 0, 255).astype("u1"), "a disc on a gradient, with noise")
    npy("cube.npy", random.integers(-999, 1000, (5, 6, 7), dtype="i2"), "three dimensions, none alike")
    npy("flags.npy", random.random(1000) < 0.3, "one byte each, 0 or 1")
    npy("half.npy", random.normal(size=1000).astype("f2"), "rounded to 11 bits")
    npy("spectrum.npy", (random.normal(size=500) + 1j * random.normal(size=500)).astype("c8"), "complex")
    npy("big-endian.npy", random.normal(size=(33, 65)).astype(">f4"), "the other byte order")
    npy("fortran.npy", np.asfortranarray(random.normal(size=(40, 50))), "columns first in the file")
    npy("scalar.npy", np.array(7.5), "no dimensions")
    npy("empty.npy", np.zeros((0, 5), "f4"), "no elements")

    bits = random.normal(size=(64, 96)).astype("f4").view("u4") & np.uint32(0xFFFF0000)
    write("weights.raw", (bits >> 16).astype("<u2").tobytes())
    record("weights.raw", bits.view("f4"), "bf16, which npy cannot name", ["--dtype", "bf16", "--shape", "64x96"],
           "bf16")


def broken():
    values = struct.pack("<4f", 1, 2, 3, 4)
    bad("truncated.npy", header("'<f4'", "(4,)") + values[:10], "declares 16 bytes of data (f32, 4), 10 are there")
    bad("terabytes.npy", header("'<f4'", "(1000000000000,)") + values, "declares 4000000000000 bytes")
    bad("overflow.npy", header("'<f8'", "(4294967296, 4294967296)") + values, "overflows")
    bad("negative.npy", header("'<f4'", "(-1,)") + values, "negative extent")
    bad("object.npy", header("'|O'", "(1,)") + b"\x80\4N.", "Python objects")
    bad("structured.npy", header("[('x', '<f4'), ('y', '<i4')]", "(2,)") + values, "structured types")
    bad("times.npy", header("'<M8[ns]'", "(2,)") + values, "times (datetime64)")
    bad("no-order.npy", b"\x93NUMPY\1\0\x26\0{'descr': '<f4', 'shape': (4,), }     \n" + values,
        "'fortran_order' is missing")
    bad("web-page.npy", "<html><body>404 Not Found</body></html>\n", "not a npy file")
    bad("archive.npy", b"PK\3\4" + bytes(26), "npz, not npy")
    bad("ragged.csv", "1,2,3\n4,5\n", "ragged.csv:2: 2 fields, line 1 has 3")
    bad("header.csv", "low,high\n1,2\n", "header.csv:1: field 1: 'low' is not a number")
    bad("missing.csv", "1,2\n3,\n", "missing.csv:2: field 2: empty")
    bad("not-available.csv", "1,2\nNA,4\n", "not-available.csv:2: field 1: 'NA' is not a number")
    bad("decimal-comma.csv", "1,5;2,5\n", "decimal-comma.csv:1: the delimiter is not clear")
    bad("trailing-text.csv", "1,2\n3,4kg\n", "trailing-text.csv:2: field 2: '4kg' is not a number")
    bad("open-quote.csv", '1,2\n"3,4\n', "open-quote.csv:2: field 1: '\"3,4' has a quote")
    bad("too-large.csv", "1e308\n1e309\n", "too-large.csv:2: field 1: '1e309' is out of range for f64")
    bad("byte.csv", "255\n256\n", "byte.csv:2: field 1: '256' is out of range for u8", ["--dtype", "u8"])
    bad("nul.csv", b"1,2\n3,4\n" + bytes(8), "nul.csv:3: a NUL byte")
    bad("utf-16.csv", "1,2\n3,4\n".encode("utf-16"), "utf-16.csv:1: UTF-16")
    bad("nothing.csv", "# no rows\n", "nothing.csv: no data rows")
    bad("odd.raw", b"\0" * 7, "7 bytes are not a whole number of f32", ["--dtype", "f32"])


def readme():
    lines = ["# Sample inputs", "",
             "Made by `make.py`, with NumPy from a fixed seed: no outside origin, no rights to heed. The answers are by",
             "exact arithmetic, rounded once; `answers.json` has them for the tests. CSV is read as f64.", "",
             "Of float sums `rung reduce` may print another last digit: it rounds at each of its additions, in an",
             "order of its own (`latency.txt`: 12411.565999999999, which is 1.1e-12 below the sum). `--check` knows how",
             "far apart the two may be. Minima and maxima are the digits that `rung` prints, the fewest that the",
             "element's type reads back: -3.262 is the f16 -3.26171875.", "",
             "| file | dtype | shape | sum | min | max | options | what it is |", "|---|---|---|---|---|---|---|---|"]
    for row in answers:
        shape = "x".join(map(str, row["shape"])) or "scalar"
        options = f"`{' '.join(row['options'])}`" if row["options"] else ""
        results = [text(row["sum"], row["dtype"]), *(element(row[op], row["dtype"]) for op in ("min", "max"))]
        cells = [f"`{row['file']}`", row["dtype"], shape, *results, options, row["about"]]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "`malformed/` holds files that are refused, with exit status 3 and these words:", "",
              "| file | options | error |", "|---|---|---|"]
    for row in malformed:
        lines.append(f"| `{row['file']}` | {' '.join(row['options'])} | {row['error']} |")
    write("README.md", "\n".join(lines) + "\n")


def text(value, dtype):
    if value is None:
        return ""
    if isinstance(value, list):
        return text(value[0], "f32") + ("+" if value[1] >= 0 else "") + text(value[1], "f32") + "j"
    if isinstance(value, bool):
        return str(int(value))
    return str(np.float32(value)) if dtype in ("f16", "bf16", "f32") else str(value)


def element(value, dtype):
    """The fewest digits that the element's own type reads back; a sum of 16-bit floats is an f32."""
    if dtype == "f16":
        return str(np.float16(value))
    if dtype != "bf16":
        return text(value, dtype)
    for digits in range(1, 10):
        short = float(f"{value:.{digits}g}")
        bits = int(np.float32(short).view("u4"))
        nearest = np.uint32((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view("f4")
        if float(nearest) == value:
            return str(short)
    raise ValueError(value)


os.makedirs(os.path.join(HERE, "malformed"), exist_ok=True)
samples()
broken()
readme()
write("answers.json", json.dumps({"samples": answers, "malformed": malformed}, indent=1) + "\n")
