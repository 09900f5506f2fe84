#!/usr/bin/env python3
"""Puts the output of real runs into the documents: refresh.py RUNG [--check].

  <!-- run: COMMAND -->      the output of COMMAND, which --check compares with what stands there
  <!-- example: COMMAND -->  the same, for output with times in it: refreshed, never compared
  <!-- ladder -->            the table of docs/measurements, with docs/ladder.md and its plots beside it; see ladder.py
  <!-- end -->

Commands run in bash in the project's folder, with rung on the path. Output that is Markdown stays as it is;
other output becomes a code block with the command above it."""
import os
import pathlib
import re
import subprocess
import sys

import ladder

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"<!-- (run|example): (.*?) -->\n(.*?)<!-- end -->", re.DOTALL)
LADDER = re.compile(r"(<!-- ladder -->\n).*?(<!-- end -->)", re.DOTALL)


def output(command, rung):
    path = os.path.dirname(os.path.abspath(rung)) + ":" + os.environ["PATH"]
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"{command}\n{done.stdout}exit status {done.returncode}")
    if done.stdout.startswith(("|", "#")):
        return done.stdout.rstrip("\n") + "\n"
    return f"```console\n$ {command}\n{done.stdout.rstrip()}\n```\n"


def refresh_ladder(rung, check):
    """Returns what was not in step with the measurements. Without any, everything stays as it is."""
    texts = ladder.pages(rung, ROOT)
    table = ladder.summary(rung, ROOT)
    if table is not None:
        readme = (ROOT / "README.md").read_text()
        texts["README.md"] = LADDER.sub(lambda match: match[1] + table + match[2], readme)
    stale = []
    for name, text in texts.items():
        path = ROOT / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(f"{name}: {ladder.MEASURED}")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    return stale


def arguments(words):
    """The path of rung, and whether to check alone."""
    if any(word in ("-h", "--help") for word in words):
        print(__doc__)
        sys.exit(0)
    options = [word for word in words if word.startswith("-")]
    files = [word for word in words if not word.startswith("-")]
    if len(files) != 1 or set(options) - {"--check"}:
        sys.exit(f"usage: refresh.py RUNG [--check]; not: {' '.join(words)}" if words else
                 "usage: refresh.py RUNG [--check]")
    if not os.access(files[0], os.X_OK):
        sys.exit(f"refresh.py: {files[0]}: no such program; ./dev build makes build/rung")
    return files[0], bool(options)


def main():
    rung, check = arguments(sys.argv[1:])
    stale = []
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = document.read_text()

        def fill(match):
            kind, command, old = match.groups()
            if check and kind == "example":
                return match.group(0)
            new = output(command, rung)
            if new != old:
                stale.append(f"{document.relative_to(ROOT)}: {command}")
            return f"<!-- {kind}: {command} -->\n{new}<!-- end -->"

        fresh = BLOCK.sub(fill, text)
        if not check and fresh != text:
            document.write_text(fresh)
    stale += refresh_ladder(rung, check)
    if check and stale:
        sys.exit("not current, run ./dev docs:\n  " + "\n  ".join(stale))
    print("documents are current" if not stale else "refreshed:\n  " + "\n  ".join(stale))


if __name__ == "__main__":
    main()
