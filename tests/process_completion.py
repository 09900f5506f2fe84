"""The completions that cmake/completions.sh makes, as bash and zsh would call them, and the man page."""
import os
import pty
import re
import shutil
import subprocess
import unittest

import numpy as np

from process import RUNG, TIMEOUT, Case, main, rung, typed_out

CMAKE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cmake")


def made(shell):
    return subprocess.run([os.path.join(CMAKE, "completions.sh"), RUNG, shell], capture_output=True, check=True,
                          timeout=TIMEOUT).stdout.decode()


def valid(*words):
    """What the command itself lists where a name cannot be."""
    return re.search(r"valid: (.*)", rung(*words).stderr.decode()).group(1).split(", ")


class Completion:
    """Tests of both shells: words(line) is what completes the last word of it."""

    def typed(self, typed):
        """The words that an interactive shell runs when a line is typed and the tab key pressed."""
        shell, rules = self.begin()
        primary, secondary = pty.openpty()
        process = subprocess.Popen(shell, stdin=secondary, stdout=secondary, stderr=secondary, cwd=self.dir,
                                   start_new_session=True, env={**os.environ, "TERM": "dumb"})
        os.close(secondary)
        os.write(primary, f"{rules}; rung() {{ printf '<%s>' \"$@\"; exit; }}\n".encode())
        os.write(primary, f"rung {typed}\t\n".encode())
        text = typed_out(primary)
        process.wait(TIMEOUT)
        return re.findall(rb"((?:<[^<>%\r\n]*>)+)", text)[-1].decode()

    def test_in_a_shell_that_is_typed_into(self):
        self.assertEqual(self.typed("reduce --op=arg"), "<reduce><--op=argm>")
        self.assertEqual(self.typed("reduce --op=prod --acc=sa"), "<reduce><--op=prod><--acc=same>")
        self.assertEqual(self.typed("bench reduce -a dtype=i32,bf"), "<bench><reduce><-a><dtype=i32,bf16>")
        self.assertEqual(self.typed("bench reduce -d gpu:1 --mode=gr"), "<bench><reduce><-d><gpu:1><--mode=graph>")
        self.assertEqual(self.typed("explain transpose -k tile,tile-p"), "<explain><transpose><-k><tile,tile-padded>")
        self.save("some.npy", np.ones(1))
        self.assertEqual(self.typed("reduce so"), "<reduce><some.npy>")
        self.assertEqual(self.typed("list so"), "<list><so>")

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

    def test_the_family_stands_behind_options_too(self):
        want = valid("transpose", "-k", "?")
        self.assertEqual(self.words("rung", "bench", "-d", "sim", "transpose", "-k", ""), want)
        self.assertEqual(self.words("rung", "bench", "-q", "transpose", "--kernel", "tile,win"), ["tile,window"])
        self.assertEqual(self.words("rung", "list", "-v", "kernels", "tile-c"), ["tile-coarse"])

    def test_kernels_that_explain_takes(self):
        for line in (["explain", "reduce", "-k", ""], ["explain", "-q", "reduce", "--kernel", ""]):
            offered = self.words("rung", *line)
            self.assertIn("vector", offered)
            self.assertEqual([name for name in offered if name.startswith("cpu-")], [])
        for name in offered:
            self.assertEqual(rung("explain", "reduce", "-n", "100", "-k", name).returncode, 0, name)
        # No other is taken.
        for name in set(valid("reduce", "-k", "?")) - set(offered):
            self.assertIn(b"does not run on sim", rung("explain", "reduce", "-n", "100", "-k", name).stderr)

    def test_what_a_list_has_is_offered_no_more(self):
        kernels = valid("reduce", "-k", "?")
        kernels.remove("shuffle")
        kernels.remove("vector")
        for command in (["reduce"], ["bench", "reduce"]):
            self.assertEqual(self.words("rung", *command, "-k", "shuffle,vector,"),
                             ["shuffle,vector," + name for name in kernels])
        whole = getattr(self, "whole", self.words)
        self.assertEqual(whole("rung", "bench", "reduce", "-a", "op=argmin,arg"), ["op=argmin,argmax"])
        self.assertEqual(whole("rung", "bench", "reduce", "--sweep=op=max,argmin,arg"),
                         ["--sweep=op=max,argmin,argmax"])
        self.assertEqual(self.words("rung", "list", "kernels", "tile-coarse", "tile-"), ["tile-padded"])

    def test_words_that_are_there_once(self):
        for line in (["list", "machines", ""], ["list", "-v", "machines", "k"], ["bench", "reduce", "r"],
                     ["explain", "-q", "reduce", ""], ["help", "list", ""],
                     ["bench", "-k", ""], ["explain", "-k", ""]):  # of which family is not known yet
            self.assertEqual(self.words("rung", *line), [], line)
        self.assertIn("--markdown", self.words("rung", "list", "machines", "--m"))

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
        self.assertEqual(self.words("rung", "list", "kernels", "--color", "al"), ["always"])

    def test_options_of_diff(self):
        self.assertEqual(self.words("rung", "diff", "--r"), ["--rtol"])
        self.assertEqual(self.words("rung", "diff", "--a"), ["--atol"])
        self.assertEqual(self.words("rung", "diff", "a", "b", "--js"), ["--json"])

    def test_what_there_was_before(self):
        self.assertEqual(self.words("rung", "tr"), ["transpose"])
        self.assertEqual(self.words("rung", "reduce", "--op", "arg"), ["argmin", "argmax"])
        self.assertEqual(self.words("rung", "reduce", "--keep"), ["--keepdims"])
        self.assertEqual(self.words("rung", "bench", "rev"), ["reverse"])

    def test_an_option_and_its_value_as_one_word(self):
        whole = getattr(self, "whole", self.words)
        self.assertEqual(whole("rung", "reduce", "--op=ma"), ["--op=max"])
        self.assertEqual(whole("rung", "bench", "reduce", "--kernel=shuffle,ve"), ["--kernel=shuffle,vector"])
        self.assertEqual(whole("rung", "bench", "reduce", "--sweep=mode=g"), ["--sweep=mode=graph"])
        self.assertEqual(whole("rung", "bench", "reduce", "-a", "dtype=i32,bf"), ["dtype=i32,bf16"])
        self.assertEqual(whole("rung", "reduce", "--check="), [])


class Bash(Completion, Case):
    script = made("bash")

    def words(self, *line):
        return self.replies(line)

    def whole(self, *line):
        """Where = and : break no words."""
        return self.replies(line, " ")

    def replies(self, line, breaks=None):
        call = ('COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _rung; '
                '((${#COMPREPLY[@]} == 0)) || printf "%s\\n" "${COMPREPLY[@]}"')
        if breaks is not None:
            call = f"COMP_WORDBREAKS={breaks!r}; {call}"
        run = subprocess.run(["bash", "--norc", "-c", self.script + call, "bash", *line], capture_output=True,
                             timeout=TIMEOUT)
        self.assertEqual(run.stderr, b"")
        return run.stdout.decode().split()

    def test_values_after_an_equals_sign(self):
        # As readline breaks --op=ma, with the cursor at its end.
        self.assertEqual(self.words("rung", "reduce", "--op", "=", "ma"), ["max"])
        self.assertEqual(self.words("rung", "reduce", "--op", "="), valid("reduce", "--op", "?"))
        self.assertEqual(self.whole("rung", "reduce", "--op="), ["--op=" + op for op in valid("reduce", "--op", "?")])
        self.assertEqual(self.words("rung", "bench", "reduce", "--kernel", "=", "shuffle,ve"), ["shuffle,vector"])
        for line in (("--check", "=", "r"), ("--check", "=")):  # a flag has no values
            self.assertEqual(self.words("rung", "reduce", *line), [])
        # What comes after is the next word.
        self.assertEqual(self.words("rung", "reduce", "--op", "=", "max", "--keep"), ["--keepdims"])
        self.assertEqual(self.words("rung", "reduce", "--op", "=", "max", "--acc", "sa"), ["same"])

    def test_values_of_a_sweep(self):
        self.assertEqual(self.words("rung", "bench", "reduce", "-a", "op", "=", "arg"), ["argmin", "argmax"])
        self.assertEqual(self.words("rung", "bench", "reduce", "-a", "dtype", "=", "i32,bf"), ["i32,bf16"])
        self.assertEqual(self.words("rung", "bench", "reduce", "--sweep", "=", "mo"), ["mode="])
        self.assertEqual(self.words("rung", "bench", "reduce", "--sweep", "=", "mode", "=", "g"), ["graph"])

    def test_words_with_colons(self):
        self.assertEqual(self.words("rung", "reduce", "-d", "gpu", ":", "1", "--op", "=", "me"), ["mean"])
        self.assertEqual(self.words("rung", "reduce", "-d", "g"), ["gpu"])  # gpu:N is a pattern, no value
        self.assertEqual(self.words("rung", "bench", "reduce", "-a", "n", "=", "1", ":", "9", ":", "x2", "--mode", "ho"),
                         ["hot"])
        self.assertEqual(self.words("rung", "compare", "--fail-if", "=", "sl"), ["slower"])
        self.assertEqual(self.words("rung", "compare", "--fail-if", "slower", ":", "2"), [])

    # Readline decides what a word is.
    def begin(self):
        self.write("rung.bash", self.script)
        return ["bash", "--norc", "--noprofile", "-i"], ". ./rung.bash"


@unittest.skipUnless(shutil.which("zsh"), "there is no zsh here")
class Zsh(Completion, Case):
    script = made("zsh")
    # Its builtins for completion work in a line editor alone; here they print what they are called with.
    builtins = """
      compset() { local rest=${current##${~2}}; before+=${current%$rest}; current=$rest; return 0 }
      compadd() {
        local suffix= ; [[ $1 != -S ]] || { suffix=$2; shift 2 }
        local -a but; [[ $1 != -F ]] || { but=(${(P)2}); shift 2 }
        [[ $1 != -- ]] || shift
        local word; for word; do
          [[ $word != $current* || -n ${(M)but:#$word} ]] || print -r -- "$before$word$suffix"
        done
      }
      _files() { : }
      typeset -g before= ; typeset -ga words; words=("$@"); typeset -gi CURRENT=$#; set --
    """

    def words(self, *line):
        run = subprocess.run(["zsh", "-f", "-c", self.builtins + self.script, "zsh", *line], capture_output=True,
                             timeout=TIMEOUT)
        self.assertEqual(run.stderr, b"")
        return run.stdout.decode().split()

    def begin(self):
        self.write("_rung", self.script)
        return ["zsh", "-f", "-i"], "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D"


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
