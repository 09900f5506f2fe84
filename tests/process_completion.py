"""The completions that cmake/completions.sh makes, as bash and zsh would call them, and the man page."""
import os
import re
import shutil
import subprocess
import unittest

from process import RUNG, TIMEOUT, Case, main, rung

CMAKE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cmake")


def made(shell):
    return subprocess.run([os.path.join(CMAKE, "completions.sh"), RUNG, shell], capture_output=True, check=True,
                          timeout=TIMEOUT).stdout.decode()


def valid(*words):
    """What the command itself lists where a name cannot be."""
    return re.search(r"valid: (.*)", rung(*words).stderr.decode()).group(1).split(", ")


class Completion:
    """Tests of both shells: words(line) is what completes the last word of it."""

    def test_kernels_of_the_family(self):
        for family in ("reduce", "transpose", "reverse"):
            want = valid(family, "-k", "?")
            for option in ("-k", "--kernel"):
                self.assertEqual(self.words("rung", family, option, ""), want)
                self.assertEqual(self.words("rung", "bench", family, option, ""), want)
        self.assertEqual(self.words("rung", "bench", "transpose", "-q", "-k", "tile-p"), ["tile-padded"])

    def test_several_kernels(self):
        self.assertEqual(self.words("rung", "reduce", "-k", "shuffle,ve"), ["shuffle,vector"])
        self.assertEqual(self.words("rung", "bench", "reduce", "-k", "atomic,shuffle,ve"), ["atomic,shuffle,vector"])
        self.assertEqual(self.words("rung", "reduce", "--op", "sum,pr"), [])

    def test_axes_of_a_sweep(self):
        names = self.words("rung", "bench", "reduce", "-a", "")
        self.assertEqual(names, [name + "=" for name in valid("bench", "reduce", "-a", "?=1")])
        self.assertIn("n=", names)
        self.assertEqual(self.words("rung", "bench", "reduce", "--sweep", "dt"), ["dtype="])

    def test_list_kernels_by_name(self):
        self.assertEqual(self.words("rung", "list", "k"), ["kernels"])
        self.assertEqual(self.words("rung", "list", "kernels", ""), valid("list", "kernels", "?"))
        self.assertEqual(self.words("rung", "list", "kernels", "shuffle", "tile-c"), ["tile-coarse"])
        self.assertIn("--markdown", self.words("rung", "list", "kernels", "--m"))

    def test_what_there_was_before(self):
        self.assertEqual(self.words("rung", "tr"), ["transpose"])
        self.assertEqual(self.words("rung", "reduce", "--op", "arg"), ["argmin", "argmax"])
        self.assertEqual(self.words("rung", "reduce", "--keep"), ["--keepdims"])
        self.assertEqual(self.words("rung", "bench", "rev"), ["reverse"])


class Bash(Completion, Case):
    script = made("bash")

    def words(self, *line):
        call = ('COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _rung; '
                '((${#COMPREPLY[@]} == 0)) || printf "%s\\n" "${COMPREPLY[@]}"')
        run = subprocess.run(["bash", "--norc", "-c", self.script + call, "bash", *line], capture_output=True,
                             timeout=TIMEOUT)
        self.assertEqual(run.stderr, b"")
        return run.stdout.decode().split()


@unittest.skipUnless(shutil.which("zsh"), "there is no zsh here")
class Zsh(Completion, Case):
    script = made("zsh")
    # Its builtins for completion work in a line editor alone; here they print what they are called with.
    builtins = """
      compset() { [[ $current == *,* ]] && before=${current%,*}, current=${current##*,}; return 0 }
      compadd() {
        local suffix= ; [[ $1 != -S ]] || { suffix=$2; shift 2 }; [[ $1 != -- ]] || shift
        local word; for word; do [[ $word != $current* ]] || print -r -- "$before$word$suffix"; done
      }
      _files() { : }
      typeset -g before= ; typeset -ga words; words=("$@"); typeset -gi CURRENT=$#; set --
    """

    def words(self, *line):
        run = subprocess.run(["zsh", "-f", "-c", self.builtins + self.script, "zsh", *line], capture_output=True,
                             timeout=TIMEOUT)
        self.assertEqual(run.stderr, b"")
        return run.stdout.decode().split()


@unittest.skipUnless(shutil.which("help2man"), "there is no help2man here")
class Manual(Case):
    def test_synopsis_is_a_command_a_line(self):
        page = subprocess.run([os.path.join(CMAKE, "manual.sh"), RUNG, "help2man"], capture_output=True, check=True,
                              timeout=TIMEOUT).stdout.decode().replace("\\-", "-")
        synopsis = re.search(r'\.SH SYNOPSIS\n\.nf\n(.*?)\n\.fi\n', page, re.S).group(1).splitlines()
        usage = re.search(r"Usage:\n(.*?)\n\n", rung("--help").stdout.decode(), re.S).group(1).splitlines()
        self.assertEqual(synopsis, [line.strip() for line in usage])
        self.assertEqual(page.count(".SH SYNOPSIS"), 1)


if __name__ == "__main__":
    main()
