#!/usr/bin/env python3
"""Breaks each line of each kernel in turn, and sees whether a test on sim notices.

  mutate.py BUILD [WORD...]     BUILD: a build folder without CUDA; WORD: only mutants with it in their place or kind
                                ("reduce/", "tile.cu:18:", "no barrier")

A mutant is one change of one place: a barrier deleted, a comparison negated or moved by one, an index one further.
Declarations of arrays are left alone: a longer array does the same.

All mutants are built into one test program, in BUILD/mutants: each changed place asks there whether its mutant is on
(mutate_sites.hpp). A first run of each kernel's tests tells which places it comes by. Then the tests run once for each
mutant, until the first failure; of a header, with each kernel that comes by, until one notices. A run that takes much
longer than without mutants counts as noticed. What no kernel comes by at run time (the compiler evaluates it) is
compiled for itself, and so is what nothing noticed.

mutate_equivalent.txt lists mutants that no test can notice, each with the reason. Prints the table; exit status 1 when
something else was missed, or a listed one was noticed. JOBS sets how many compilers and tests run at a time."""
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"
SITES = ROOT / "tests/mutate_sites.hpp"
RUNTIME = ROOT / "tests/mutate_runtime.cc"
EQUIVALENT = ROOT / "tests/mutate_equivalent.txt"
FAMILIES = ("reduce", "transpose", "reverse")
JOBS = int(os.environ.get("JOBS") or os.cpu_count())
PER_FILE = 1000  # numbers of mutants set aside for a file, so that a change of one file leaves those of others alone

BARRIER = re.compile(r"\b(?:__syncthreads|__syncwarp|__threadfence|__threadfence_block)\([^()]*\);")
COMPARISON = re.compile(r"(?<= )(<=|>=|==|!=|<|>)(?= )")
# An index: a bracket after a name, a closing bracket or parenthesis, with something in it.
INDEX = re.compile(r"(?<=[\w\])])\[([^\[\]]+)\]")
# What it is an index of, where that is made of names and indices: "half.words", "items[j]".
INDEXED = re.compile(r"(?<![\w.>)\]])(?:[A-Za-z_][\w:]*(?:\[[^\[\]]*\])*(?:\.|->))*[A-Za-z_][\w:]*(?:\[[^\[\]]*\])*$")
# What precedes the bracket of an array that is declared, also a second one's; references to arrays are the last part.
DECLARED = re.compile(r"^\s*(?!return\b)(?:typename )?[A-Za-z_][\w:]*(?:<[^<>]*>)? (?:\w+(?:\[[^\]]+\])+(?:\{\})?, )*"
                      r"\w+(?:\[[^\]]+\])*$|\(&\w+\)$|^\s*using \w+ = [\w:]+$")
NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SKIPPED = re.compile(r"^\s*(//|#|template|static_assert|\[\[maybe_unused)|\boperator\b|\bconcept\b")
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)

# insertions: (column, text) that make the line ask for the mutant at run time.
Mutant = collections.namedtuple("Mutant", "path id line kind before after insertions")


def is_declaration(code, match):
    return bool(DECLARED.search(code[:match.start()])) and bool(re.match(r"[\[;,{)]| = \{", code[match.end():]))


def mutants_of(path, first):
    number = first
    for row, line in enumerate(path.read_text().splitlines()):
        code = line.split("//")[0]
        if SKIPPED.search(line):
            continue

        def change(match, new, kind, *insertions):
            return Mutant(path, number, row, kind, line.strip(), line[:match.start()] + new + line[match.end():],
                          insertions)
        for m in BARRIER.finditer(code):
            number += 1
            yield change(m, ";", "no barrier", (m.start(), f"{{ if (!rung_mutant({number})) "), (m.end(), " }"))
        for m in COMPARISON.finditer(code):
            number += 1
            moved = m.group() in MOVED
            site = (m.end(), f" RungSite{{{number}, {number + 1 if moved else 0}}} {m.group()}")
            yield change(m, NEGATED[m.group()], "negated", site)
            if moved:
                number += 1
                yield change(m, MOVED[m.group()], "edge moved")
        for m in INDEX.finditer(code):
            if not is_declaration(code, m):
                number += 1
                base = INDEXED.search(code[:m.start()])
                begin, end = (f"rung_index<decltype(({base.group()}))>((", ")") if base else ("(", "")
                yield change(m, f"[{m.group(1)} + 1]", "index + 1", (m.start() + 1, begin),
                             (m.end() - 1, f") + rung_mutant({number}){end}"))


def instrumented(path, mutants, lines_left_alone):
    lines = path.read_text().splitlines()
    insertions = [(m.line, *i) for m in mutants if m.path == path and m.line not in lines_left_alone
                  for i in m.insertions]
    for row, column, text in sorted(insertions, reverse=True):
        lines[row] = lines[row][:column] + text + lines[row][column:]
    return "\n".join(lines) + "\n"


def copy_kernels(to):
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(KERNELS, to)


def includes(path):
    """The files that a file includes by quotes, through any number of others, and itself."""
    reached, new = set(), {path}
    while new:
        reached |= new
        new = {(p.parent / name).resolve() for p in new for name in INCLUDE.findall(p.read_text())} - reached
        new = {p for p in new if p.exists()}
    return reached


def equivalents():
    """{(file, mutated line): reason}."""
    rows = (line.split("\t") for line in EQUIVALENT.read_text().splitlines() if line and not line.startswith("#"))
    return {(row[0], row[1]): row[2] for row in rows}


class Kernels:
    def __init__(self):
        sources = [p for f in FAMILIES for p in sorted((KERNELS / f).iterdir()) if p.suffix in (".cu", ".hpp")]
        self.kernels = [p for p in sources if p.suffix == ".cu"]
        self.reads = {k: includes(k) for k in self.kernels}
        self.files = [p for p in sources if any(p in reads for reads in self.reads.values())]
        self.mutants = [m for k, p in enumerate(self.files) for m in mutants_of(p, PER_FILE * k)]


class Build:
    """One test program with all mutants in it; and others with one mutant each."""

    def __init__(self, folder, kernels):
        self.folder = pathlib.Path(folder).resolve()
        self.kernels = kernels
        self.place = self.folder / "mutants"
        self.original = self.place / "original"  # kernels may be edited while this runs
        commands = json.loads((self.folder / "compile_commands.json").read_text())
        self.rows = {row["file"]: row for row in commands if row["file"].endswith(".cu")}
        listing = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "rung_tests"], capture_output=True,
                                 text=True, check=True)
        self.link_command = listing.stdout.strip().splitlines()[-1]
        self.tests = self.place / "rung_tests"
        self.object_of = lambda kernel: self.place / f"{kernel.parent.name}.{kernel.stem}.o"
        self.left_alone = collections.defaultdict(set)  # lines that did not compile with their mutants

    def command(self, kernel, copy, obj):
        command = shlex.split(self.rows[str(kernel)]["command"])
        while not os.path.basename(command[0]).startswith(("c++", "g++", "clang")):
            command.pop(0)  # a compiler launcher keeps what will never be asked for again
        command[command.index("-o") + 1] = str(obj)
        command = [word.replace(str(KERNELS), str(copy)) for word in command]
        # An index past the end of a thread's own array, which sim does not watch, ends the test. `bounds` lets an index
        # be one past it where an address is taken, as copies of structs and arguments by reference do. `object-size`
        # sees an access only in the function that has the array; rung_index checks each mutated index itself.
        bounds = ["-fsanitize=bounds-strict,object-size", "-fsanitize-undefined-trap-on-error"]
        return ["-O1" if word in ("-O2", "-O3") else word for word in command] + ["-w", *bounds]

    def link(self, tests, other=None):
        """The objects with mutants, or `other` in the place of that of its name, stand before all others: what a header
        gives several kernels is then theirs."""
        link, objects = self.link_command, [other] if other else []
        for kernel in self.kernels.kernels:
            command = shlex.split(self.rows[str(kernel)]["command"])
            link = link.replace(" " + command[command.index("-o") + 1], "", 1)
            if not other or self.object_of(kernel).name != other.name:
                objects.append(self.object_of(kernel))
        objects = " ".join(map(str, [*objects, self.place / "runtime.o"]))
        link = link.replace("-o rung_tests", f"-o {tests} {objects}", 1)
        subprocess.run(link, shell=True, cwd=self.folder, capture_output=True, check=True)

    def compile_all(self):
        copy = self.place / "kernels"
        self.place.mkdir(exist_ok=True)
        copy_kernels(self.original)
        copy_kernels(copy)
        count = PER_FILE * len(self.kernels.files)
        subprocess.run(["c++", "-std=c++20", f"-DRUNG_MUTANTS={count}", "-c", RUNTIME, "-o", self.place / "runtime.o"],
                       check=True)
        waiting = self.kernels.kernels
        while waiting:
            for path in self.kernels.files:
                text = instrumented(path, self.kernels.mutants, self.left_alone[path])
                (copy / path.relative_to(KERNELS)).write_text(text)
            with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
                done = list(pool.map(self.compile_one, waiting))
            waiting = [kernel for kernel, compiled in zip(waiting, done) if not compiled]
        self.link(self.tests)

    def compile_one(self, kernel):
        """Whether a kernel compiles with all its mutants. If not, the lines that the compiler names are left alone."""
        copy, obj = self.place / "kernels", self.object_of(kernel)
        command = self.command(kernel, copy, obj) + ["-include", str(SITES), "-fmax-errors=20"]
        digest = hashlib.sha1(" ".join(command).encode() + SITES.read_bytes())
        for path in sorted(self.kernels.reads[kernel]):
            digest.update((copy / path.relative_to(KERNELS)).read_bytes())
        stamp = obj.with_suffix(".sha1")
        if obj.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
            return True
        print(f"compiling {kernel.relative_to(KERNELS)}", file=sys.stderr, flush=True)
        run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if run.returncode == 0:
            stamp.write_text(digest.hexdigest())
            return True
        named = {(KERNELS / file, int(line) - 1)
                 for file, line in re.findall(re.escape(str(copy)) + r"/(\S+?):(\d+):", run.stderr)}
        bad = {m for m in self.kernels.mutants if (m.path, m.line) in named and m.line not in self.left_alone[m.path]}
        if not bad:
            sys.exit(run.stderr)
        for mutant in bad:
            self.left_alone[mutant.path].add(mutant.line)
        return False

    def run(self, tests, kernel, environment, seconds=0):
        """Whether the tests of a kernel pass, and the seconds of a processor that they take. Those are what is limited,
        as the machine may be busy; a mutant may sleep for ever, too."""
        limit = ["timeout", str(20 * seconds), "prlimit", f"--cpu={seconds}", "--core=0"] if seconds else []
        process = subprocess.Popen(
            [*limit, tests, f"--test-suite={kernel.parent.name} kernels", "--abort-after=1"], cwd=ROOT,
            env={**os.environ, "RUNG_TEST_MACHINE": "sim", "RUNG_TEST_KERNEL": kernel.stem, **environment},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode == 0, usage.ru_utime + usage.ru_stime

    def trace(self):
        """{kernel: numbers of the mutants that its tests come by}, and {kernel: seconds that they take}."""
        reached, seconds = {}, {}

        def visit(kernel):
            with tempfile.NamedTemporaryFile() as file:
                passed, seconds[kernel] = self.run(self.tests, kernel, {"RUNG_MUTANT_TRACE": file.name})
                if not passed:
                    sys.exit(f"the tests of {kernel.stem} fail without any mutant")
                reached[kernel] = set(map(int, pathlib.Path(file.name).read_text().split()))
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(visit, self.kernels.kernels))  # a list, so that errors come out
        return reached, seconds

    def run_compiled(self, mutant, kernel, seconds):
        """How one kernel takes a mutant that is compiled for itself."""
        with tempfile.TemporaryDirectory() as scratch:
            copy, obj = pathlib.Path(scratch) / "kernels", pathlib.Path(scratch) / self.object_of(kernel).name
            shutil.copytree(self.original, copy)
            path = copy / mutant.path.relative_to(KERNELS)
            lines = path.read_text().splitlines()
            lines[mutant.line] = mutant.after
            path.write_text("\n".join(lines) + "\n")
            command = self.command(kernel, copy, obj)
            if subprocess.run(command, cwd=self.folder, capture_output=True).returncode != 0:
                return "no compile"
            tests = pathlib.Path(scratch) / "rung_tests"
            self.link(tests, obj)
            return "missed" if self.run(tests, kernel, {}, seconds)[0] else "noticed"


def main():
    kernels, known, words = Kernels(), equivalents(), sys.argv[2:]

    def place(mutant):
        return f"{mutant.path.relative_to(KERNELS)}:{mutant.line + 1}: {mutant.kind}"

    def judge(mutant):
        able = sorted((k for k in kernels.kernels if mutant.path in kernels.reads[k]), key=lambda k: seconds[k])
        limit = {k: 5 + round(3 * seconds[k]) for k in able}
        listed = (str(mutant.path.relative_to(KERNELS)), mutant.after.strip()) in known
        # A line that stands more than once may be listed for one of its places alone.
        alone = sum(m.path == mutant.path and m.after.strip() == mutant.after.strip() for m in kernels.mutants) == 1
        for kernel in [k for k in able if mutant.id in reached[k]]:
            if not build.run(build.tests, kernel, {"RUNG_MUTANT": str(mutant.id)}, limit[kernel])[0]:
                return "not equivalent" if listed and alone else "noticed"
            if listed:
                break  # the quickest kernel is enough to see that the list is not nonsense
        if listed:
            return "equivalent"
        for kernel in sorted(able, key=lambda k: build.object_of(k).stat().st_size):  # what compiles soonest
            verdict = build.run_compiled(mutant, kernel, limit[kernel])
            if verdict != "missed":
                return verdict
        return "missed"

    mutants = [m for m in kernels.mutants if not words or any(w in place(m) for w in words)]
    paths = {m.path for m in mutants}
    kernels.kernels = [k for k in kernels.kernels if paths & kernels.reads[k]]
    build = Build(sys.argv[1], kernels)
    build.compile_all()
    reached, seconds = build.trace()
    counts, left = collections.defaultdict(collections.Counter), []
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for mutant, verdict in zip(mutants, pool.map(judge, mutants)):
            print(f"{verdict:10} {place(mutant)}: {mutant.after.strip()}", flush=True)
            counts[str(mutant.path.relative_to(KERNELS))][verdict] += 1
            if verdict in ("missed", "not equivalent"):
                left.append(f"{verdict}: {place(mutant)}: {mutant.before}")
    heads = ("noticed", "missed", "equivalent", "no compile")
    print("\n| file | " + " | ".join(heads) + " |\n|---|---|---|---|---|")
    for name, count in sorted(counts.items()) + [("all", sum(counts.values(), collections.Counter()))]:
        print(f"| {name} | " + " | ".join(str(count[head]) for head in heads) + " |")
    print("\n".join(left))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
