#!/usr/bin/env python3
"""How large the core and the modules beside it may be, and how long a function of the core. scripts.layering counts the files of
a folder and the lines of a file."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

CODE = {".h", ".cc", ".cu", ".cuh", ".in"}
MOST = {"lib": (310, 35500), "modules": (100, 12000)}  # files and lines
MODULES = ("flow", "stokes", "elasticity", "tensor", "direct")  # the sources of these, without tests
MOST_LINES = 60  # between the braces of a function
# What has no braces or quotes of its own: comments, literals, and the continued lines of macros.
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|'
                     r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
ATTRIBUTE = re.compile(r"\balignas\s*\([^()]*\)")
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$")  # what comes before its brace


def functions(text):
    """The first line and the number of lines between the braces of each function at the level of namespaces and classes."""
    text = IGNORED.sub(lambda found: "\n" * found[0].count("\n"), text)
    scopes, statement, opened = [], 0, 0  # whether each open brace belongs to a namespace or class; where statement and body begin
    for brace in re.finditer("[{};]", text):
        if brace[0] == "{":
            before = ATTRIBUTE.sub("", text[statement:brace.start()])
            if all(scopes):
                opened = brace.start() if not before.rstrip().endswith("=") else len(text)  # no table
            scopes.append(all(scopes) and bool(SCOPE.search(before)))
        elif brace[0] == "}" and not scopes.pop() and all(scopes):
            yield text.count("\n", 0, opened) + 1, text.count("\n", opened, brace.start()) - 1
        statement = brace.end()
    if scopes:
        yield 1, len(text)  # braces do not match


def files_of(root, top):
    folders = [root / top] if top == "lib" else [root / top / name for name in MODULES]
    found = (file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file())
    return [file for file in found if top == "lib" or (file.suffix in CODE and "tests" not in file.relative_to(root).parts)]


def faults(root):
    root = Path(root)
    for top, (most_files, most_lines) in MOST.items():
        text = {file: file.read_text() for file in files_of(root, top)}
        lines = sum(content.count("\n") for content in text.values())
        if len(text) > most_files:
            yield f"{top}: {len(text)} files, more than {most_files}"
        if lines > most_lines:
            yield f"{top}: {lines} lines, more than {most_lines}"
        for file, content in text.items():
            if top == "lib" and file.suffix in CODE:
                yield from (f"{file.relative_to(root)}:{line}: a function of {n} lines, more than {MOST_LINES}"
                            for line, n in functions(content) if n > MOST_LINES)


class Sizes(unittest.TestCase):
    def test_the_sources(self):
        self.assertEqual(list(faults(Path(__file__).resolve().parents[2])), [])

    def broken(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                (Path(root) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(root) / name).write_text(text)
            return list(faults(root))

    def test_too_much_is_found(self):
        self.assertEqual(self.broken({f"lib/base/{i}.h": "\n" for i in range(311)}), ["lib: 311 files, more than 310"])
        self.assertEqual(self.broken({"lib/CMakeLists.txt": "\n" * 35501}), ["lib: 35501 lines, more than 35500"])
        modules = {"modules/flow/a.cc": "\n" * 6000, "modules/stokes/a.h": "\n" * 6000, "modules/dealii/a.h": "\n" * 9}
        self.assertEqual(self.broken({**modules, "modules/flow/tests/a.cc": "\n", "modules/flow/README.md": "\n"}), [])
        self.assertEqual(self.broken({**modules, "modules/direct/a.cu": "\n"}), ["modules: 12001 lines, more than 12000"])

    def test_a_long_function_is_found(self):
        for head in ("void f()", "template <class T>\nA::A(T x) : a{1}, b(x)", "int operator()(int i) const", "auto f() -> S<3>"):
            for before, after in (("", ""), ("namespace a\n{\nstruct B : C<1>\n{ int i = 3; int j{4};\n", "};\n}\n")):
                body = "{\n" + "  if (a) { b('{', \"}{\", 1'000); } // }\n" * 60
                text = before + "#define A { \\\n {\n" + head + "\n" + body
                line = text.count("\n", 0, text.index("{\n  if")) + 1
                self.assertEqual(self.broken({"lib/a.h": text + "}\n" + after}), [])
                self.assertEqual(self.broken({"lib/a.h": text + "\n}\n" + after}),
                                 [f"lib/a.h:{line}: a function of 61 lines, more than 60"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
