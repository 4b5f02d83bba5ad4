#!/usr/bin/env python3
"""How large the core, the modules beside it and the programs may be, and how long a function of the core.
scripts.layering counts the files of a folder and the lines of a file."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

CODE = {".h", ".cc", ".cu", ".cuh", ".in"}
MOST = {"lib": (270, 34980), "modules": (124, 18470)}  # files and lines
MODULES = ("meshes", "flow", "cells", "stokes", "elasticity", "tensor", "direct")  # the sources of these, without tests
MOST_LINES = 60  # between the braces of a function
# The lines of main.cc, and of all files of the program.
PROGRAMS = {"template": (130, 180), "transport_diffusion": (220, 510), "elasticity": (243, 650),
            "navier_stokes": (300, 1518), "buoyant_flow": (300, 719), "nonlinear_heat": (260, 380),
            "poisson": (262, 1510), "solid": (300, 940), "stationary_navier_stokes": (260, 1650), "stokes": (260, 725)}
# The V-cycle, what a level's data are, and the interface of a smoother, together.
CYCLE = ["multigrid/v_cycle.h", "multigrid/v_cycle.cc", "operators/level_data.h", "multigrid/smoothers/smoother.h"]
MOST_OF_CYCLE, MOST_OF_CYCLE_FUNCTION = 250, 15
# What has no braces or quotes of its own: comments, literals, and the continued lines of macros.
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|'
                     r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
ATTRIBUTE = re.compile(r"\balignas\s*\([^()]*\)")
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$")  # what comes before its brace


def code_of(text):
    """The text with empty lines for what IGNORED is."""
    return IGNORED.sub(lambda found: "\n" * found[0].count("\n"), text)


def functions(text):
    """The first line and the number of lines between the braces of each function at the level of namespaces and classes."""
    text = code_of(text)
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
    yield from faults_of_cycle(root)
    for program in sorted(root.glob("apps/*/main.cc")):
        yield from faults_of_program(program.parent)


def cycles(text):
    """The first line and the number of lines of each function that is named cycle."""
    for line, n in functions(text):
        head = re.split(r"[;}]\s*\n", "\n".join(text.splitlines()[:line - 1]))[-1]  # what stands before its brace
        if re.search(r"\bcycle\(", head):
            yield line, n


def faults_of_cycle(root):
    text = {f"lib/{name}": (root / "lib" / name).read_text() for name in CYCLE if (root / "lib" / name).is_file()}
    lines = sum(content.count("\n") for content in text.values())
    if lines > MOST_OF_CYCLE:
        yield f"{', '.join(CYCLE)}: {lines} lines, more than {MOST_OF_CYCLE}"
    for file, content in text.items():
        for line, n in cycles(content):
            if n > MOST_OF_CYCLE_FUNCTION:
                yield f"{file}:{line}: cycle() has {n} lines, more than {MOST_OF_CYCLE_FUNCTION}"


def faults_of_program(folder):
    text = {file.relative_to(folder): file.read_text() for file in sorted(folder.rglob("*")) if file.is_file()}
    lines = {file.as_posix(): content.count("\n") for file, content in text.items()}
    if folder.name not in PROGRAMS:
        yield f"apps/{folder.name}: PROGRAMS has no limit for this program"
        return
    of_main, of_all = PROGRAMS[folder.name]
    if lines["main.cc"] > of_main:
        yield f"apps/{folder.name}/main.cc: {lines['main.cc']} lines, more than {of_main}"
    if sum(lines.values()) > of_all:
        yield f"apps/{folder.name}: {sum(lines.values())} lines, more than {of_all}"
    for file, code in ((file, code_of(content)) for file, content in text.items() if file.suffix in CODE):
        for word in ("Section", "run_info"):
            if found := re.search(rf"\b{word}\b", code):
                place = f"apps/{folder.name}/{file}:{code.count(chr(10), 0, found.start()) + 1}"
                yield f"{place}: '{word}' belongs to lib/frame, no equation knows it"


class Sizes(unittest.TestCase):
    def test_the_sources(self):
        root = Path(__file__).resolve().parents[2]
        self.assertEqual(list(faults(root)), [])
        self.assertEqual(set(PROGRAMS), {main.parent.name for main in root.glob("apps/*/main.cc")})
        self.assertEqual([name for name in CYCLE if not (root / "lib" / name).is_file()], [])
        self.assertEqual(len([n for name in CYCLE for _, n in cycles((root / "lib" / name).read_text())]), 1)

    def broken(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                (Path(root) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(root) / name).write_text(text)
            return list(faults(root))

    def test_too_much_is_found(self):
        self.assertEqual(self.broken({f"lib/base/{i}.h": "\n" for i in range(271)}), ["lib: 271 files, more than 270"])
        self.assertEqual(self.broken({"lib/CMakeLists.txt": "\n" * 34981}), ["lib: 34981 lines, more than 34980"])
        modules = {"modules/flow/a.cc": "\n" * 8200, "modules/stokes/a.h": "\n" * 10270, "modules/dealii/a.h": "\n" * 9}
        self.assertEqual(self.broken({**modules, "modules/flow/tests/a.cc": "\n", "modules/flow/README.md": "\n"}), [])
        self.assertEqual(self.broken({**modules, "modules/direct/a.cu": "\n"}),
                         ["modules: 18471 lines, more than 18470"])

    def test_a_long_function_is_found(self):
        for head in ("void f()", "template <class T>\nA::A(T x) : a{1}, b(x)", "int operator()(int i) const", "auto f() -> S<3>"):
            for before, after in (("", ""), ("namespace a\n{\nstruct B : C<1>\n{ int i = 3; int j{4};\n", "};\n}\n")):
                body = "{\n" + "  if (a) { b('{', \"}{\", 1'000); } // }\n" * 60
                text = before + "#define A { \\\n {\n" + head + "\n" + body
                line = text.count("\n", 0, text.index("{\n  if")) + 1
                self.assertEqual(self.broken({"lib/a.h": text + "}\n" + after}), [])
                self.assertEqual(self.broken({"lib/a.h": text + "\n}\n" + after}),
                                 [f"lib/a.h:{line}: a function of 61 lines, more than 60"])

    def test_a_large_program_is_found(self):
        self.assertEqual(self.broken({"apps/template/main.cc": "// Section\n" + "\n" * 129,
                                      "apps/template/a.h": "\n" * 50}), [])
        self.assertEqual(self.broken({"apps/template/main.cc": "\n" * 131, "apps/template/a.h": "\n" * 50}),
                         ["apps/template/main.cc: 131 lines, more than 130", "apps/template: 181 lines, more than 180"])
        self.assertEqual(self.broken({"apps/wave/main.cc": "\n"}),
                         ["apps/wave: PROGRAMS has no limit for this program"])
        self.assertEqual(self.broken({"apps/stokes/main.cc": "\n", "apps/stokes/a.h": "\nvoid save(Section &);\n"}),
                         ["apps/stokes/a.h:2: 'Section' belongs to lib/frame, no equation knows it"])

    def test_a_long_cycle_is_found(self):
        cycle = "auto V::cycle(int a,\n         int b) -> int\n{\n" + "  f();\n" * 16 + "}\n"
        self.assertEqual(self.broken({"lib/multigrid/v_cycle.cc": cycle}),
                         ["lib/multigrid/v_cycle.cc:3: cycle() has 16 lines, more than 15"])
        self.assertEqual(self.broken({"lib/multigrid/v_cycle.h": "\n" * 251}),
                         [f"{', '.join(CYCLE)}: 251 lines, more than 250"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
