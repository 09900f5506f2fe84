"""rung against NumPy on random (operation, type, shape, axis, order, byte order, format) tuples, by these rules:
integers and movers bit for bit, min, max and arg exactly, float sums within their rounding bound.
RUNG_PROPERTY_COUNT tuples (400), from RUNG_PROPERTY_SEED (1), two processes at a time."""
import concurrent.futures
import os
import sys
import tempfile

import numpy as np

from process import rung

DTYPES = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
          "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "bf16": None, "f32": np.float32,
          "f64": np.float64, "c64": np.complex64, "c128": np.complex128}
OPS = ["sum", "prod", "min", "max", "mean", "argmin", "argmax", "transpose", "reverse"]
UNIT = {np.float32: 2.0 ** -24, np.float64: 2.0 ** -53}


def random_shape(rng):
    kind = rng.integers(10)
    if kind == 0:
        return (int(rng.integers(0, 40000)),)
    if kind == 1:
        return tuple(int(n) for n in rng.permutation([1, int(rng.integers(1, 3000))]))
    return tuple(int(n) for n in rng.choice([0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 33, 40], size=rng.integers(0, 5),
                                            p=[.03, .1, .1, .1, .1, .1, .1, .07, .1, .05, .05, .05, .05]))


def random_values(rng, name, shape, op):
    """(what the file holds, the values as NumPy arithmetic sees them)"""
    dtype = DTYPES[name]
    if name == "bool":
        stored = rng.integers(0, 2, shape).astype(np.bool_)
        return stored, stored
    if name[0] in "iu":
        limits = np.iinfo(dtype)
        stored = rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
        return stored, stored
    base = dtype or np.float32
    real = np.float64 if base in (np.float64, np.complex128) else np.float32

    def reals():
        # Factors near 1: a product that leaves the range of normal numbers has no relative bound.
        size = rng.uniform(0.99, 1.01, shape) if op == "prod" else np.exp2(rng.uniform(-8, 8, shape))
        values = np.asarray(rng.choice([-1.0, 1.0], shape) * size, real)
        if values.size and op != "prod" and rng.integers(4) == 0:
            values.flat[rng.integers(values.size)] = rng.choice([np.nan, np.inf, -np.inf, -0.0])
        return values
    with np.errstate(all="ignore"):
        if name[0] == "c":
            values = ((reals() + 1j * reals()) * (0.5 ** 0.5 if op == "prod" else 1)).astype(base)
        else:
            values = np.asarray(reals(), base)
    if name == "bf16":
        bits = np.asarray(values).view(np.uint32) >> np.uint32(16)
        return bits.astype(np.uint16), (bits << np.uint32(16)).astype(np.uint32).view(np.float32)
    return values, values


def expect(op, name, values, axis):
    """(want, allowed error) for a reduction; both broadcast to the result."""
    n = values.size if axis is None else int(np.prod([values.shape[a] for a in np.atleast_1d(axis)]))
    kind = values.dtype.kind
    if op in ("min", "max"):
        return getattr(np, op)(values, axis=axis), 0
    if op in ("argmin", "argmax"):
        return getattr(np, op)(values, axis=axis), 0
    if kind in "biu" and op != "mean":
        return getattr(np, op)(values, axis=axis, dtype=np.uint64 if kind == "u" else np.int64), 0
    wide = np.clongdouble if kind == "c" else np.longdouble
    exact = getattr(np, op)(values.astype(wide), axis=axis)
    accumulator = np.float32 if name in ("f16", "bf16") else np.float64
    result = np.float64 if kind in "biu" or name in ("f64", "c128") else np.float32
    unit = UNIT[accumulator]
    if op == "prod":
        return exact, np.abs(exact) * (4 * (n + 1) * unit + 2 * UNIT[result])
    magnitude = np.abs(values.astype(wide)).sum(axis=axis) / (n if op == "mean" else 1)
    return exact, 2 * ((n + 2) * unit * magnitude + UNIT[result] * np.abs(exact))


def same(got, want, allowed):
    got, want, allowed = np.asarray(got), np.asarray(want), np.broadcast_to(np.asarray(allowed), np.shape(want))
    if got.shape != want.shape:
        return False
    if want.dtype.kind in "biu":
        return bool(np.array_equal(got, want))
    wide = np.clongdouble if want.dtype.kind == "c" else np.longdouble
    a, b = got.astype(wide), want.astype(wide)
    finite = np.isfinite(b)
    with np.errstate(all="ignore"):
        close = np.abs(a - b) <= allowed
    if want.dtype.kind == "c":  # of infinities and NaN in complex sums only "not finite" is stated
        return bool(np.all(np.where(finite, close, ~np.isfinite(a))))
    special = (np.isnan(a) & np.isnan(b)) | (a == b)
    return bool(np.all(np.where(finite, close, special)))


class Tuple:
    """One random command with its input and its right answer."""

    def __init__(self, seed, index, folder):
        rng = np.random.default_rng([seed, index])
        self.op = str(rng.choice(OPS))
        self.name = str(rng.choice(list(DTYPES)))
        if self.name[0] == "c" and self.op in ("min", "max", "argmin", "argmax"):
            self.op = "sum"
        self.shape = random_shape(rng)
        stored, self.values = random_values(rng, self.name, self.shape, self.op)
        self.stored = np.asarray(stored)
        self.out = os.path.join(folder, f"{index}.out")
        raw = self.name == "bf16" or rng.integers(6) == 0
        big, fortran = bool(rng.integers(2)), bool(rng.integers(2))
        file = self.write(os.path.join(folder, f"{index}.in"), raw, big, fortran)
        device = "sim" if self.values.size < 3000 and rng.integers(4) == 0 else "cpu"
        self.args = ["-d", device, *file]
        if self.op in ("transpose", "reverse"):
            self.plan_mover(rng)
        else:
            self.plan_reduction(rng)

    def write(self, path, raw, big, fortran):
        order = self.stored.dtype.newbyteorder(">" if big else "<")
        data = np.asarray(self.stored, dtype=order, order="F" if fortran and not raw else "C")
        if raw:
            shape = "x".join(map(str, self.shape)) or "scalar"
            with open(path, "wb") as file:
                file.write(data.tobytes())
            return ["-f", "raw", "--dtype", self.name, "--shape", shape, "--endian", "big" if big else "little", path]
        with open(path, "wb") as file:
            np.save(file, data)
        return [path]

    def plan_mover(self, rng):
        rank = len(self.shape)
        flags = []
        if self.op == "transpose":
            axes = None if rank == 0 or rng.integers(3) == 0 else [int(a) for a in rng.permutation(rank)]
            if axes is not None:
                flags = ["--axes", ",".join(str(a - rank if rng.integers(2) else a) for a in axes)]
            self.want = np.transpose(self.stored, axes)
        else:
            axes = None if rank == 0 or rng.integers(3) == 0 else [
                int(a) for a in rng.choice(rank, size=rng.integers(1, rank + 1), replace=False)]
            for a in axes or []:
                flags += ["--axis", str(a - rank if rng.integers(2) else a)]
            self.want = np.flip(self.stored, axes if axes is None else tuple(axes))
        self.command = [self.op, *flags, *self.args, "-t", "raw", "-o", self.out]

    def plan_reduction(self, rng):
        rank = len(self.shape)
        whole = rank == 0 or rng.integers(3) == 0
        several = not whole and rank > 1 and self.op[:3] != "arg" and rng.integers(4) == 0
        axis = None if whole else int(rng.integers(rank))
        if several:
            axis = tuple(sorted(int(a) for a in rng.choice(rank, size=rng.integers(2, rank + 1), replace=False)))
        flags = []
        for a in () if whole else np.atleast_1d(axis):
            flags += ["--axis", str(a - rank if rng.integers(2) else a)]
        reduced = self.values.size if whole else int(np.prod([self.shape[a] for a in np.atleast_1d(axis)]))
        outputs = 1 if whole else int(np.prod([n for k, n in enumerate(self.shape) if k not in np.atleast_1d(axis)]))
        self.error = reduced == 0 and outputs != 0 and self.op not in ("sum", "prod")
        if not self.error and outputs != 0:
            with np.errstate(all="ignore"):
                self.want, self.allowed = expect(self.op, self.name, self.values, axis)
        else:
            self.want, self.allowed = np.zeros(0, self.result_dtype()), 0
        self.to_file = not whole
        self.command = ["reduce", "--op", self.op, *flags, *self.args]
        if self.to_file:
            self.command += ["-t", "raw", "-o", self.out]

    def result_dtype(self):
        kind = self.stored.dtype.kind if self.name != "bf16" else "f"
        if self.op in ("argmin", "argmax"):
            return np.int64
        if self.op in ("min", "max"):
            return np.uint16 if self.name == "bf16" else DTYPES[self.name]
        if self.op == "mean" and kind in "biu":
            return np.float64
        if kind in "biu":
            return np.uint64 if kind == "u" else np.int64
        return {"f64": np.float64, "c64": np.complex64, "c128": np.complex128}.get(self.name, np.float32)

    def parse(self, text):
        """A scalar, whose digits are as many as give its own type back."""
        dtype = self.result_dtype()
        if self.name == "bf16" and self.op in ("min", "max"):
            bits = np.float32(text).view(np.uint32)
            rounded = bits + np.uint32(0x7fff) + ((bits >> np.uint32(16)) & np.uint32(1))
            return np.float32(text) if "n" in text else (rounded & np.uint32(0xffff0000)).view(np.float32)
        return np.asarray(int(text) if np.dtype(dtype).kind in "biu" else complex(text) if self.name[0] == "c" else text, dtype)

    def judge(self, run):
        """Empty when right, else what is wrong."""
        if self.op in ("transpose", "reverse"):
            if run.returncode != 0:
                return run.stderr.decode()
            with open(self.out, "rb") as file:
                return "" if file.read() == np.ascontiguousarray(self.want).tobytes() else "wrong bytes"
        if self.error:
            return "" if run.returncode == 2 and not os.path.exists(self.out) else f"status {run.returncode}, want 2"
        if run.returncode != 0:
            return run.stderr.decode()
        if self.to_file:
            got = np.fromfile(self.out, self.result_dtype())
            if got.size != np.size(self.want):
                return f"{got.size} results, want {np.size(self.want)}"
            got = got.reshape(np.shape(self.want))
            if self.name == "bf16" and self.op in ("min", "max"):
                got = (got.astype(np.uint32) << np.uint32(16)).view(np.float32)
        else:
            got = self.parse(run.stdout.decode().strip())
        return "" if same(got, self.want, self.allowed) else f"got {got}, want {self.want} within {self.allowed}"


def main():
    count = int(os.environ.get("RUNG_PROPERTY_COUNT", "400"))
    seed = int(os.environ.get("RUNG_PROPERTY_SEED", "1"))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def one(index):
            case = Tuple(seed, index, folder)
            return case, case.judge(rung(*case.command))
        for index, (case, fault) in enumerate(pool.map(one, range(count))):
            if fault:
                wrong += 1
                print(f"tuple {index}: {case.op} of {case.name} {case.shape}: rung {' '.join(map(str, case.command))}\n"
                      f"  {fault[:400]}")
    print(f"{count} tuples from seed {seed}, {wrong} different")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
