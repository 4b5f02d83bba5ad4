#!/usr/bin/env python3
"""Sentences of pages and of comments: how long they are, and words that stand for a noun elsewhere.

  sentences.py [FILE...]    without files: all that are held to it (PAGES, SOURCES)

A page's sentence has at most 35 words, also in a table (but for docs/benchmarks), a comment's 30. "Likewise", "the
same" and "those" need their noun in the same sentence; "what it ..." is said with a noun. Prints file:line of each fault;
exit code 1 where there is one.
"""

import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "docs/benchmarks/*.md", "modules/*/README.md"]
FOLDERS = ("lib", "modules", "apps", "benchmarks", "examples", "tests")
SOURCES = [f"{folder}/**/*.{kind}" for folder in FOLDERS for kind in ("h", "cuh", "cc", "cu")]
LONGEST = {".md": 35, ".h": 30, ".cuh": 30, ".cc": 30, ".cu": 30}
WORDS = [
    re.compile(r"\blikewise\b", re.I),
    re.compile(r"\bthe same(?= *$| *[,.;:)]| (?:as|for|of|in|on|with|to|at|from|by|is|are|holds|where|when)\b)", re.I),
    re.compile(r"\bthose(?= *$| *[,.;:)]| (?:of|that|with|in|on|from|which|whose|to|for|by|at|are|is|were|who|where)\b)", re.I),
    re.compile(r"\bwhat (?:it|they|this|that)\b", re.I),
]


def prose_of_page(text, tables=True):
    """(line, paragraph) of what is neither code, formula, picture, list of headings nor a comment. Each entry of a list
    and, with `tables`, each cell of a table is a paragraph."""
    paragraph, first, code = [], 0, False
    for number, line in enumerate(text.splitlines() + [""], 1):
        stripped = line.strip()
        row = stripped.startswith("|") and stripped.endswith("|")  # prose may begin with |F|
        if tables and row and not code:
            cells = re.split(r"(?<!\\)\|", stripped)[1:-1]
            yield from ((number, cell.strip()) for cell in cells if re.search(r"[^\s:-]", cell))
        if stripped.startswith("```") or stripped.startswith("~~~"):
            code = not code
            stripped = ""
        elif code or row or line.startswith("    ") or stripped.startswith(("#", "<", "![", "\\f", "@")):
            stripped = ""
        elif re.fullmatch(r"(?:\[[^\]]*\]\(#[^)]*\)(?: ·)? *)+", stripped):  # to the page's headings
            stripped = ""
        begins = re.match(r"([-*+]|\d+\.) +", stripped)
        if paragraph and (not stripped or begins):
            yield first, " ".join(paragraph)
            paragraph = []
        if stripped:
            if not paragraph:
                first = number
            paragraph.append(stripped[begins.end():] if begins else stripped)


def prose_of_source(text):
    """(line, comment): lines of // that follow each other."""
    comment, first = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        match = re.match(r"\s*///?<?(?: |$)(.*)", line) or re.match(r".*[;,{)]\s*///< (.*)", line)
        inside = bool(re.match(r"\s*//", line))
        if comment and (not match or not match[1].strip() or not inside):
            yield first, " ".join(comment)
            comment = []
        if match and match[1].strip():
            if not comment:
                first = number
            formula = inside and re.match(r"  .* (=|<-) ", match[1])  # in a line of its own, indented, with few words
            formula = formula and len(re.findall(r"[^\W\d_]{4,}", re.sub(r"`[^`]*`", "", match[1]))) <= 6
            comment.append("formula" if formula else match[1].strip())
            if not inside:
                yield first, comment.pop()


def sentences(paragraph):
    plain = re.sub(r"`[^`]*`", "code", paragraph)  # a command, a formula or a name is one word
    plain = re.sub(r"\$[^$]*\$|\\f\$.*?\\f\$", "formula", plain)
    plain = re.sub(r"\[(?:What|How) [^\]]*\]\([^)]*\)", "heading", plain)  # a link that is named as the heading to which it leads
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
    plain = re.sub(r"\b(?:e\.g|i\.e|cf|Fig|Eq|Sec|al|vs|approx|no)\.", lambda match: match[0][:-1], plain)
    return re.split(r"(?<=[.!?:])[)*\"_]* +(?=[A-Z*\"(_`]|code\b|formula\b)", plain)


def faults_of(path):
    text = path.read_text(encoding="utf-8")
    prose = prose_of_page(text, "benchmarks" not in path.parts) if path.suffix == ".md" else prose_of_source(text)
    for line, paragraph in prose:
        for sentence in sentences(paragraph):
            n_words = len(re.findall(r"[^\W\d_][\w'’-]*", sentence))
            if n_words > LONGEST[path.suffix]:
                yield line, f"{n_words} words: {sentence[:100]}"
            for word in WORDS:
                match = word.search(sentence)
                if match:
                    yield line, f"'{match[0]}': {sentence[max(0, match.start() - 50):match.end() + 40]}"


def check_itself():
    """The checker finds what it looks for, and passes over code."""
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.md"
        header = pathlib.Path(folder) / "header.h"
        source = pathlib.Path(folder) / "source.cc"
        many = "so " * 40
        page.write_text("It works, and " + many + "on. Pressure is stored likewise.\n\n- Those of the host, too.\n\n"
                        "| name | Those of it |\n| --- | --- |\n| `a\\|b` | " + many + "on |\n\n"
                        "```\n| likewise |\n```\n\nThe same mesh is good.\n\n|F| is small, likewise |u|.\n",
                        encoding="utf-8")
        header.write_text("/// The same for floats.\nint f(); ///< what it does\n/// " + "so " * 31 + "on.\n", encoding="utf-8")
        found = [(line, fault.split(":")[0]) for line, fault in faults_of(page)]
        assert found == [(1, "44 words"), (1, "'likewise'"), (3, "'Those'"), (5, "'Those'"), (7, "41 words"),
                         (15, "'likewise'")], found
        record = pathlib.Path(folder) / "benchmarks" / "page.md"
        record.parent.mkdir()
        record.write_text("| likewise |\n\nIt is stored likewise.\n", encoding="utf-8")
        assert [line for line, _ in faults_of(record)] == [3]
        source.write_text("// Likewise the values.\nint f() { return 0; } // likewise\n"
                          "  // Rows that those of b repeat.\n\n"
                          "// It solves\n//\n//   A x = " + "x + " * 40 + "b\n//   y <- " + "y + " * 40 + "x\n"
                          "//   " + many + "\n//\n"
                          "//   Likewise the vector `x = b`, with which this solver begins, is = zero there.\n",
                          encoding="utf-8")
        found = [(line, fault.split(":")[0]) for line, fault in faults_of(source)]
        assert found == [(1, "'Likewise'"), (3, "'those'"), (7, "42 words"), (11, "'Likewise'")], found
        found = [(line, fault.split(":")[0]) for line, fault in faults_of(header)]
        assert found == [(1, "'The same'"), (2, "'what it'"), (3, "32 words")], found


def main():
    check_itself()
    files = [pathlib.Path(name) for name in sys.argv[1:]]
    files = files or sorted(path for pattern in PAGES + SOURCES for path in ROOT.glob(pattern))
    assert files, "no files"
    n_faults = 0
    for path in files:
        for line, fault in faults_of(path):
            n_faults += 1
            print(f"{path}:{line}: {fault}")
    print(f"{n_faults} faults in {len(files)} files")
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
