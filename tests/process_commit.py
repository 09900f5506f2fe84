"""The commit in reports and --version, and the step of the build that finds it, on repositories made here."""
import json
import os
import re
import shutil
import subprocess
import unittest

import numpy as np

from process import Case, main, rung

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cmake", "write_commit.cmake")
COMMIT = re.compile(r"[0-9a-f]{7,}(\+changes)?")


class Binary(Case):
    def test_version_and_reports_agree(self):
        first, *more = self.ok(rung("--version")).stdout.decode().splitlines()
        self.assertRegex(first, r"^rung \d+\.\d+\.\d+$")
        path = self.path("r.json")
        self.ok(rung("reduce", self.save("in.npy", np.ones(3)), "--check", "-d", "cpu", "--json", path))
        with open(path) as file:
            commit = json.load(file)["environment"].get("commit")
        self.assertEqual(more, [] if commit is None else ["commit " + commit])
        if commit is not None:
            self.assertTrue(COMMIT.fullmatch(commit), commit)


@unittest.skipUnless(shutil.which("git") and shutil.which("cmake"), "needs git and cmake")
class Step(Case):
    def setUp(self):
        super().setUp()
        self.source = self.path("source")
        for folder in ("cli", "docs"):
            os.makedirs(os.path.join(self.source, folder))
        self.put("cli/main.cpp", "int main() {}\n")
        self.put("docs/page.md", "words\n")

    def put(self, name, text):
        with open(os.path.join(self.source, name), "w") as file:
            file.write(text)

    def git(self, *args, folder=None):
        who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        return subprocess.run(["git", *who, *args], cwd=folder or self.source, check=True, capture_output=True,
                              text=True).stdout.strip()

    def commit(self, folder=None):
        self.git("init", folder=folder)
        self.git("add", ".", folder=folder)
        self.git("commit", "-m", "one", folder=folder)

    def found(self, **env):
        subprocess.run([shutil.which("cmake"), "-D", "SOURCE=" + self.source, "-D", "HEADER=" + self.path("c.hpp"),
                        "-P", SCRIPT], check=True, env={**os.environ, **env})
        (commit,) = re.fullmatch(r'#define RUNG_COMMIT "(.*)"\n', self.read("c.hpp").decode()).groups()
        return commit

    def test_commit_and_changes_of_what_is_built(self):
        self.commit()
        head = self.git("rev-parse", "--short=7", "HEAD")
        self.assertEqual(self.found(), head)
        self.put("docs/page.md", "other words\n")
        self.put("notes.txt", "mine\n")
        self.assertEqual(self.found(), head)
        self.put("cli/more.cpp", "\n")
        self.assertEqual(self.found(), head + "+changes")
        os.remove(os.path.join(self.source, "cli/more.cpp"))
        self.put("cli/main.cpp", "int main() { return 1; }\n")
        self.assertEqual(self.found(), head + "+changes")

    def test_the_same_again_writes_nothing(self):
        self.commit()
        self.found()
        os.utime(self.path("c.hpp"), (1, 1))
        self.found()
        self.assertEqual(os.stat(self.path("c.hpp")).st_mtime, 1)
        self.put("cli/main.cpp", "\n")
        self.found()
        self.assertNotEqual(os.stat(self.path("c.hpp")).st_mtime, 1)

    def test_none_where_it_is_no_checkout(self):
        self.assertEqual(self.found(), "")
        # Unpacked in another's repository.
        self.commit(self.dir)
        self.assertEqual(self.found(), "")

    def test_none_without_a_commit_or_without_git(self):
        self.git("init")
        self.assertEqual(self.found(), "")
        self.commit()
        self.assertEqual(self.found(PATH=self.path("empty")), "")

    def test_a_hook_s_repository_is_not_taken_for_this_one(self):
        other = self.path("other")
        os.mkdir(other)
        with open(os.path.join(other, "x"), "w") as file:
            file.write("x")
        self.commit(other)
        self.commit()
        self.assertEqual(self.found(GIT_DIR=os.path.join(other, ".git")), self.git("rev-parse", "--short=7", "HEAD"))


if __name__ == "__main__":
    main()
