#!/usr/bin/env python3
"""Breaks each line of each kernel in turn, and sees whether a test on sim notices.

  mutate.py BUILD [WORD...]     BUILD: a build folder without CUDA; WORD: only kernels and headers with it in their path

A mutant is one change of one place: a barrier deleted, a comparison negated or moved by one, an index one further.
The file alone is compiled, as the build does it, and linked with the build's other objects; then the tests of that
kernel run, until the first failure. Of a header, each kernel that includes it is tried until one notices.
mutate_equivalent.txt lists mutants that no test can notice, each with the reason. Prints the table; exit status 1 when
something else was missed, or a listed one was noticed."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"
FAMILIES = ("reduce", "transpose", "reverse")
TIMEOUT = 900

BARRIER = re.compile(r"\b(?:__syncthreads|__syncwarp|__threadfence|__threadfence_block)\([^()]*\);")
COMPARISON = re.compile(r"(?<= )(<=|>=|==|!=|<|>)(?= )")
# An index: a bracket after a name, a closing bracket or parenthesis, with something in it.
INDEX = re.compile(r"(?<=[\w\])])\[([^\[\]]+)\]")
NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SKIPPED = re.compile(r"^\s*(//|#|template|static_assert|\[\[maybe_unused)|\boperator\b|\bconcept\b")

Mutant = collections.namedtuple("Mutant", "path line kind before after")


def mutants_of(path):
    for number, line in enumerate(path.read_text().splitlines()):
        code = line.split("//")[0]
        if SKIPPED.search(line):
            continue

        def change(match, new, kind):
            return Mutant(path, number, kind, line.strip(), line[:match.start()] + new + line[match.end():])
        for m in BARRIER.finditer(code):
            yield change(m, ";", "no barrier")
        for m in COMPARISON.finditer(code):
            yield change(m, NEGATED[m.group()], "negated")
            if m.group() in MOVED:
                yield change(m, MOVED[m.group()], "edge moved")
        for m in INDEX.finditer(code):
            yield change(m, f"[{m.group(1)} + 1]", "index + 1")


def includers(path):
    """The kernels that a change of this file reaches, nearest first."""
    if path.suffix == ".cu":
        return [path]
    reached, files = {path.name}, [p for f in FAMILIES for p in (KERNELS / f).iterdir() if p.parent == path.parent]
    for _ in range(3):
        for file in files:
            if any(f'#include "{name}"' in file.read_text() for name in list(reached)):
                reached.add(file.name)
    return sorted(p for p in files if p.suffix == ".cu" and p.name in reached)


def equivalents():
    """{(file, mutated line): reason}. A line of the list: FILE, TAB, the mutated line, TAB, why nothing can tell."""
    rows = (line.split("\t") for line in (ROOT / "tests/mutate_equivalent.txt").read_text().splitlines()
            if line and not line.startswith("#"))
    return {(row[0], row[1]): row[2] for row in rows}


class Build:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        commands = json.loads((self.folder / "compile_commands.json").read_text())
        self.compile = {row["file"]: row for row in commands if row["file"].endswith(".cu")}
        listing = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "rung_tests"], capture_output=True,
                                 text=True, check=True)
        self.link = listing.stdout.strip().splitlines()[-1]

    def notices(self, mutant, kernel, scratch):
        """How the tests of one kernel take a mutant: "noticed", "missed" or "no compile"."""
        # The file and its folder are copied, so that mutants of a header can be compiled two at a time.
        copy = pathlib.Path(scratch) / "kernels"
        if not copy.exists():
            subprocess.run(["cp", "-r", KERNELS, copy], check=True)
        target = copy / mutant.path.relative_to(KERNELS)
        lines = mutant.path.read_text().splitlines()
        lines[mutant.line] = mutant.after
        target.write_text("\n".join(lines) + "\n")
        try:
            return self.build_and_run(kernel, copy, scratch)
        finally:
            target.write_text(mutant.path.read_text())

    def build_and_run(self, kernel, copy, scratch):
        row = self.compile[str(kernel)]
        command = shlex.split(row["command"])
        while not os.path.basename(command[0]).startswith(("c++", "g++", "clang")):
            command.pop(0)  # a compiler launcher keeps what will never be asked for again
        obj, tests = os.path.join(scratch, "mutant.o"), os.path.join(scratch, "rung_tests")
        original = command[command.index("-o") + 1]
        command[command.index("-o") + 1] = obj
        command = [str(copy / kernel.relative_to(KERNELS)) if word == str(kernel) else word for word in command]
        command = [word.replace(str(KERNELS), str(copy)) if word.startswith("-I") else word for word in command]
        command = ["-O1" if word in ("-O2", "-O3") else word for word in command] + ["-w"]
        if subprocess.run(command, cwd=row["directory"], capture_output=True).returncode != 0:
            return "no compile"
        link = self.link.replace(original, obj).replace("-o rung_tests", "-o " + tests)
        subprocess.run(link, shell=True, cwd=self.folder, capture_output=True, check=True)
        environment = {**os.environ, "RUNG_TEST_MACHINE": "sim", "RUNG_TEST_KERNEL": kernel.stem}
        try:
            run = subprocess.run([tests, f"--test-suite={kernel.parent.name} kernels", "--abort-after=1"],
                                 env=environment, capture_output=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return "noticed"
        return "missed" if run.returncode == 0 else "noticed"


def main():
    build, words = Build(sys.argv[1]), sys.argv[2:]
    files = [p for f in FAMILIES for p in sorted((KERNELS / f).iterdir())
             if (p.suffix == ".cu" or p.suffix == ".hpp") and includers(p)]
    mutants = [m for p in files if not words or any(w in str(p.relative_to(KERNELS)) for w in words)
               for m in mutants_of(p)]
    known, counts, missed = equivalents(), collections.defaultdict(collections.Counter), []

    def judge(mutant):
        with tempfile.TemporaryDirectory() as scratch:
            verdict = "no compile"
            for kernel in includers(mutant.path):
                verdict = build.notices(mutant, kernel, scratch)
                if verdict == "noticed":
                    break
            return verdict

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count())) as pool:
        for mutant, verdict in zip(mutants, pool.map(judge, mutants)):
            name, after = str(mutant.path.relative_to(KERNELS)), mutant.after.strip()
            reason = known.get((name, after))
            if reason:
                verdict = "not equivalent" if verdict == "noticed" else "equivalent"
            print(f"{verdict:10} {name}:{mutant.line + 1}: {mutant.kind}: {after}", flush=True)
            counts[name][verdict] += 1
            if verdict in ("missed", "not equivalent"):
                missed.append((verdict, name, mutant))
    heads = ("noticed", "missed", "equivalent", "no compile")
    print("\n| file | " + " | ".join(heads) + " |\n|---|---|---|---|---|")
    for name, count in sorted(counts.items()):
        print(f"| {name} | " + " | ".join(str(count[head]) for head in heads) + " |")
    for verdict, name, m in missed:
        print(f"{verdict}: {name}:{m.line + 1}: {m.kind}: {m.before}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
