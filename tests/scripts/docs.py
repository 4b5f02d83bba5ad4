#!/usr/bin/env python3
"""The documentation's links and commands.

  docs.py links               every link of every .md leads to a file, and to a heading in it
  docs.py html                scripts/docs makes HTML of it all without a warning, and fails where there is one
  docs.py commands BUILD      every block ```sh runs, a page's blocks in their order, in a folder that looks like a clone whose build
                              folder is BUILD
  docs.py commands BUILD slow the pages that have blocks ```sh slow, in a copy of the sources, these blocks included

```sh not-run (REASON) is not run here; such blocks are listed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\]|!\[[^\]]*\]\([^)]*\))*\]\(([^)\s]+)\)")


def pages(root=ROOT):
    return sorted(p for p in root.rglob("*.md") if not any(part.startswith(("build", ".")) or part == "output" for part in p.relative_to(root).parts))


def prose(text):
    """Without blocks of code."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(page):
    """GitHub's names of a page's headings."""
    seen, found = {}, set()
    for heading in re.findall(r"^#+ (.*)", prose(page.read_text()), flags=re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
    return found


def broken_links(root=ROOT):
    for page in pages(root):
        text = re.sub(r"`[^`\n]*`", "", prose(page.read_text()))
        targets = LINK.findall(text) + re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", text)
        for target in sorted(set(targets)):
            if re.match(r"(https?|mailto):", target):
                continue
            file, _, anchor = target.partition("#")
            there = (page.parent / file).resolve() if file else page
            if not there.exists():
                yield f"{page.relative_to(root)}: link to {target}: expected a file {there}"
            elif anchor and (there.suffix != ".md" or anchor not in anchors(there)):
                yield f"{page.relative_to(root)}: link to {target}: expected a heading #{anchor} in {there.name}"


def blocks(text):
    """(line, kind, commands) of the blocks of shell commands; kind is '', 'slow' or 'not-run (REASON)'."""
    for found in re.finditer(r"^```sh\b[ ]*([^\n]*)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
        yield text[: found.start()].count("\n") + 1, found[1].strip(), found[2]


def lacks(commands):
    """What is not installed here and the commands need."""
    if "scripts/plot" in commands and subprocess.run(["/usr/bin/python3", "-c", "import numpy, matplotlib"], capture_output=True).returncode != 0:
        return "python3-matplotlib"
    if "scripts/docs" in commands and "--excerpts" not in commands and shutil.which("doxygen") is None:
        return "doxygen"
    return ""


def clone(folder, build):
    """A folder that looks like a clone: programs and parameter files may be changed in it, the rest is ours."""
    for name in ("apps", "prm"):
        shutil.copytree(ROOT / name, folder / name)
    for path in ROOT.iterdir():
        if path.name not in ("apps", "prm", "output", ".git") and not path.name.startswith("build"):
            (folder / path.name).symlink_to(path)
    (folder / "build").symlink_to(build)


def copy(folder):
    """The sources alone."""
    ignore = shutil.ignore_patterns("build*", "output", ".*", "__pycache__")
    shutil.copytree(ROOT, folder, ignore=ignore, dirs_exist_ok=True)
    shutil.copy(ROOT / ".clang-format", folder)


def run_page(page, build, slow):
    """Runs a page's commands; returns how many failed."""
    found = list(blocks(page.read_text()))
    if not found or slow and not any(kind == "slow" for _, kind, _ in found):
        return 0
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        copy(Path(folder)) if slow else clone(Path(folder), build)
        for line, kind, commands in found:
            where = f"{page.relative_to(ROOT)}:{line}"
            missing = lacks(commands)
            if kind.startswith("not-run") or kind == "slow" and not slow or missing:
                print(f"not run: {where}: {f'{missing} is missing' if missing else kind}")
                continue
            start = time.time()
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            print(f"{'ran' if done.returncode == 0 else 'FAILED'}: {where}: {time.time() - start:.1f} s", flush=True)
            if done.returncode != 0:
                failures += 1
                print(f"expected exit code 0, not {done.returncode}:\n{commands}{done.stdout[-3000:]}")
                break  # what follows builds on it
    return failures


def literals():
    """All text between quotes in the sources; neighbouring literals are one."""
    files = [f for top in ("lib", "modules", "apps") for f in (ROOT / top).rglob("*") if f.suffix in (".h", ".cc", ".cu", ".cuh")]
    text = "\n".join(f.read_text() for f in files) + (ROOT / "CMakeLists.txt").read_text()
    return re.sub(r'"\s*\n?\s*"', "", text)


def unknown_messages(guide, sources):
    """The messages of the guide's table that no program prints; … stands for anything."""
    table = guide.split("## Troubleshooting by message")[1]
    for row in re.findall(r"^\| (`.*?) \| ", table, flags=re.MULTILINE):
        for message in re.findall(r"`([^`]*)`", row):
            yield from (message for part in message.split("…") if part not in sources)


class Html(unittest.TestCase):
    def test_without_warnings(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([ROOT / "scripts" / "docs", "--output", f"{folder}/html"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            main = Path(folder, "html", "index.html").read_text()
            pages = {path.name: path.read_text() for path in Path(folder, "html").glob("*.html")}
        self.assertIn("Two commands", main, "expected README.md as the main page")
        for heading in ("Troubleshooting by message", "The commented program", "Hanging nodes: the matrix H", "The first hour"):
            self.assertTrue(any(heading in text for text in pages.values()), f"expected a page with '{heading}'")
        self.assertTrue(any("classadamant_1_1Multigrid" in name for name in pages), "expected the API")
        self.assertTrue(any('src="transport_diffusion.png"' in text for text in pages.values()), "expected the pictures")

    def test_a_warning_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            copy(Path(folder) / "copy")
            header = Path(folder) / "copy" / "lib" / "base" / "array.h"
            header.write_text(header.read_text() + "/// See \\ref nowhere.\nvoid no_such_function();\n")
            done = subprocess.run([Path(folder) / "copy" / "scripts" / "docs", "--output", f"{folder}/html"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("array.h", done.stderr)


class Links(unittest.TestCase):
    """The checks see what they should see, and find nothing in the pages."""

    def test_broken_links_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "b.md").write_text("# One\n# One\n## Two, three: `four`\n```\n# no heading\n```\n")
            (Path(folder) / "a.md").write_text("[x](b.md#one-1) [y](b.md#two-three-four) [z](b.md#no-heading) [![i](i.png)](b.md) [v](c.md)\n```\n[w](d.md)\n```\n")
            found = list(broken_links(Path(folder)))
        self.assertEqual(len(found), 3, found)
        for text in ("#no-heading", "i.png", "c.md"):
            self.assertTrue(any(text in line for line in found), f"expected {text} in {found}")

    def test_blocks(self):
        text = "```sh\na\n```\n```sh slow\nb\n```\n```sh not-run (installs)\nc\n```\n```cpp\nd\n```\n```shell\ne\n```\n"
        self.assertEqual([(kind, code) for _, kind, code in blocks(text)], [("", "a\n"), ("slow", "b\n"), ("not-run (installs)", "c\n")])

    def test_kinds_are_known(self):
        for page in pages():
            for line, kind, _ in blocks(page.read_text()):
                self.assertRegex(kind, r"^(slow|not-run \(.+\)|)$", f"{page}:{line}")

    def test_commands_are_marked(self):
        """So that none escapes from being run or listed."""
        for page in pages():
            for info, first in re.findall(r"^```([^\n]*)\n([^\n]*)\n.*?^```", page.read_text(), flags=re.DOTALL | re.MULTILINE):
                if re.match(r"(build|scripts)/|(cmake|ctest|git|cd|cp|apt|apt-get|sudo|python3) ", first):
                    self.assertRegex(info, "^sh", f"{page}: expected ```sh before '{first}'")

    def test_messages_are_found(self):
        guide = "## Troubleshooting by message\n| Message | x |\n| --- | --- |\n| `the … is gone`, `no such` | y |\n"
        self.assertEqual(list(unknown_messages(guide, 'error("the " + name + " is gone");')), ["no such"])

    def test_messages(self):
        unknown = list(unknown_messages((ROOT / "docs" / "guide.md").read_text(), literals()))
        self.assertFalse(unknown, "expected these messages of docs/guide.md in the sources")

    def test_links(self):
        self.assertGreater(len(pages()), 8)
        broken = list(broken_links())
        self.assertFalse(broken, "\n".join(broken))


if __name__ == "__main__":
    what = sys.argv[1]
    if what == "commands":
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
        os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        sys.exit(1 if sum(run_page(page, Path(sys.argv[2]).resolve(), "slow" in sys.argv[3:]) for page in pages()) else 0)
    if what == "html" and shutil.which("doxygen") is None:
        print("skipped: doxygen is missing")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v", {"links": "Links", "html": "Html"}[what]])
