#!/usr/bin/env python3
"""scripts/check: its tables name each program. tutorials and dealii: how edits find their place, what they count, and
what is read out of a compiler's command and output. Nothing is built."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from checks import gpu, races, shipped  # noqa: E402
from checks.dealii import errors, include_folders, other_headers, syntax_command  # noqa: E402
from checks.draws import problems, small  # noqa: E402
from checks.edits import EditError, added, after, apply, before, either, replace  # noqa: E402
from checks.tutorial_edits import AUTOPILOT, TUTORIALS  # noqa: E402
from checks.tutorials import judge, row  # noqa: E402

SOURCE = """// solver.solve(x); as text
void solve()
{
  Solver   solver(1000,
                  1e-12); // tight
  solver.solve(x);
}
"""


class Programs(unittest.TestCase):
    def test_each_table_has_all(self):
        programs = {main.parent.name for main in ROOT.glob("apps/*/main.cc")}
        self.assertTrue(programs)
        for name, table in {"SMALL of draws/small.py": small.SMALL, "PROBLEMS of draws/problems.py": problems.PROBLEMS,
                            "REFINEMENTS of shipped.py": shipped.REFINEMENTS, "RUNS of races.py": races.RUNS,
                            "FILES of gpu.py": gpu.FILES}.items():
            self.assertEqual(set(table), programs, f"expected {name} in scripts/checks to have each program of apps/")
        for name, place in {"scripts/parameters": r"^PROGRAMS = \(([^)]*)\)",
                            "tests/scripts/CMakeLists.txt": r"foreach\(program ([^)]*)\)"}.items():
            listed = re.findall(r"\w+", re.search(place, (ROOT / name).read_text(), re.MULTILINE)[1])
            self.assertEqual(set(listed), programs, f"expected {name} to name each program of apps/")
        readme = (ROOT / "README.md").read_text()
        missing = {name for name in programs if f"`{name}`" not in readme}
        self.assertEqual(missing, set(), "expected README.md to name each program of apps/")


class Edits(unittest.TestCase):
    def edited(self, *edits):
        return apply(SOURCE, edits, "step-0/step-0.cc")

    def test_places(self):
        self.assertIn("  solver.solve(x);\n  a();\n  b();\n}", self.edited(after("solver.solve(x);", "a();", "b();")))
        self.assertIn("  a();\n  solver.solve(x);\n", self.edited(before("solver.solve( x );", "a();")))
        new = self.edited(replace("Solver solver(1000, 1e-12);", "Solver solver(1);"))
        self.assertIn("{\n  Solver solver(1);\n  solver.solve(x);\n", new, "expected both lines of the statement to go")
        self.assertIn("{\n  solver.solve(x);", self.edited(replace("Solver solver(1000, 1e-12);")))

    def test_a_word_is_not_found_in_another_one(self):
        with self.assertRaises(EditError):
            self.edited(after("solve", "a();"), after("olver", "a();"))

    def test_comments_are_no_anchors_and_remain(self):
        new = self.edited(after("solver.solve(x);", "a();"))
        self.assertTrue(new.startswith("// solver.solve(x); as text\nvoid"), new)

    def test_a_missing_anchor_is_named(self):
        with self.assertRaisesRegex(EditError, r"step-0/step-0.cc: the code 'solver.solve\(y\);' is not there.*version"):
            self.edited(after("solver.solve(y);", "a();"))
        with self.assertRaisesRegex(EditError, "is there 3 times"):
            self.edited(after("solver", "a();"))

    def test_alternatives(self):
        edit = either([replace("y();")], [before("solver.solve(x);", "a();"), after("solver.solve(x);", "b();")])
        self.assertIn("a();\n  solver.solve(x);\n  b();", self.edited(edit))
        with self.assertRaisesRegex(EditError, "y"):
            self.edited(either(replace("y();"), replace("z();")))

    def test_capitals_of_cmake(self):
        for line in ("DEAL_II_INVOKE_AUTOPILOT()", "deal_ii_invoke_autopilot()"):
            self.assertIn(line + "\nfind_package(adamant", apply(f"# as {line}\n{line}\n", AUTOPILOT, "CMakeLists.txt"))

    def test_lines_that_users_write(self):
        self.assertEqual(added([replace("a", "b"), either([after("a", "b", "c")], [replace("d")])]), 3)
        for tutorial in TUTORIALS:
            lines = [line for edit in tutorial.adamant + AUTOPILOT for line in edit.lines]
            self.assertLessEqual(len(lines), 6, tutorial.name)
            for line in lines:
                self.assertLessEqual(line.count(";") - line.startswith("for ("), 1, f"expected one statement: {line}")
                self.assertLessEqual(len(line), 120, line)


class Tutorials(unittest.TestCase):
    def test_the_page_for_users_has_the_lines(self):
        page = [line.lstrip("+ ").split("   #")[0] for line in (ROOT / "docs" / "add_to_dealii.md").read_text().splitlines()]
        for tutorial in TUTORIALS:
            for edit in tutorial.adamant + AUTOPILOT:
                for line in edit.lines:
                    self.assertIn(line, page, f"{tutorial.name}: expected the lines that the check adds in docs/add_to_dealii.md")

    def test_without_examples(self):
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([ROOT / "scripts" / "check", "tutorials", "--examples", empty], capture_output=True, text=True)
        self.assertEqual(done.returncode, 77)
        self.assertIn("skipped", done.stdout)
        self.assertIn("libdeal.ii-doc", done.stdout)

    def measured(self, iterations, norm=1.0, set_up=1.0, solve=2.0):
        return [{"dofs": 1234, "solves": 2, "total_iterations": iterations, "norms": {9: 1.0, 1234: norm}, "timings": {"init": s, "solve": solve}}
                for s in (9 * set_up, set_up, 0.0)]

    def test_row_and_judgement(self):
        tutorial = TUTORIALS[0]
        runs = {"own": self.measured(99, solve=5.0), "adamant": self.measured(2 * tutorial.limit)}
        self.assertEqual(row("step-0", 5, runs), ["step-0", "5", "1 234", "2", "99: 1.00 + 5.00", "–", f"{2 * tutorial.limit}: 1.00 + 2.00", "0.50", "–"])
        self.assertEqual(judge(tutorial, 5, runs), "")
        self.assertIn("7 lines", judge(tutorial, 7, runs))
        self.assertIn("iterations", judge(tutorial, 5, {**runs, "adamant": self.measured(2 * tutorial.limit + 1)}))
        self.assertIn("solutions at 1234 unknowns differ", judge(tutorial, 5, {**runs, "own": self.measured(9, norm=1.01)}))
        other = [{**one, "dofs": 1300} for one in self.measured(9)]
        self.assertIn("meshes differ", judge(tutorial, 5, {**runs, "own": other}))


class Headers(unittest.TestCase):
    def test_command(self):
        with tempfile.TemporaryDirectory() as folder:
            for place in ("installed", "other"):
                (Path(folder) / place / "deal.II" / "base").mkdir(parents=True)
                (Path(folder) / place / "deal.II" / "base" / "config.h").write_text("")
            words = f"ccache c++ -DX -O3 -march=native -isystem {folder}/installed -I{folder}/installed -Ilib -isystem mpi -MD -MT a.o -MF a.d -o a.o -c a.cc"
            made = syntax_command(words.split(), [f"{folder}/other"], ["-std=c++20"], "d")
        self.assertEqual(made, f"c++ -isystem {folder}/other -DX -Ilib -isystem mpi a.cc -std=c++20 -w -fsyntax-only -MD -MF d".split())

    def test_errors(self):
        out = "\n".join([f"In file included from {ROOT}/lib/fem/a.h:7,", f"                 from {ROOT}/lib/fem/a.cc:1:",
                         "/other/deal.II/base/b.h:9:1: error: in a header", f"{ROOT}/lib/fem/../fem/c.cc:3:5: error: first",
                         f"{ROOT}/lib/fem/c.cc:4:5: error: second"])
        found = errors(out, "lib/unity.cc", "/")
        self.assertEqual(found["lib/fem/c.cc"], "line 3: first")
        self.assertEqual(len(found), 2)
        self.assertIn("in /other/deal.II/base/b.h:9: in a header", found.values())

    def test_headers_from_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "d"
            file.write_text("a.o: a.cc /usr/include/deal.II/lac/old.h \\\n /other/include/deal.II/lac/new.h\n")
            self.assertEqual(other_headers(file, ["/other/include"]), ["/usr/include/deal.II/lac/old.h"])

    def test_without_configuration(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual([str(p) for p in include_folders(Path(folder), Path(folder))], [f"{folder}/include"])
            done = subprocess.run([ROOT / "scripts" / "check", "dealii", folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("config.h: run cmake for deal.II", done.stderr)


if __name__ == "__main__":
    unittest.main()
