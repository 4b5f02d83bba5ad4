#!/usr/bin/env python3
"""Which folder may include which, and who may see deal.II and CUDA headers. Runs on the sources, then on broken ones."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

LIB = {  # folder of lib/: the folders of lib/ it may include, besides itself
    "base": set(),
    "algebra": {"base"},
    "multigrid": {"base", "algebra"},
    "solver": {"base", "algebra", "multigrid"},
    "discretization": {"base", "algebra", "multigrid"},
    "application": {"base", "algebra", "multigrid", "solver", "discretization"},
}
DEAL_II = {"lib/discretization", "lib/application", "apps", "tests"}  # deal.II and Trilinos headers only here
SOURCES = {".h", ".cc", ".cu", ".cuh"}
CUDA_HEADER = re.compile(r"(cuda|cublas|cusparse|cusolver|curand|nccl|nvtx|cooperative_groups|(cub|thrust|nvtx3)/)")
DEAL_II_HEADER = re.compile(r"(deal\.II/|(Epetra|Trilinos|Teuchos|ml)_)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def layer(path):
    """lib/algebra/x.h -> lib/algebra, apps/x.cc -> apps."""
    return "/".join(path.parts[:2]) if path.parts[0] == "lib" else path.parts[0]


class Tree:
    def __init__(self, root):
        self.root = Path(root)
        self.includes = {}  # file -> names included, files of this tree as Path, others as str
        for top in ("lib", "apps", "tests"):
            for file in sorted((self.root / top).rglob("*")):
                if file.suffix in SOURCES:
                    path = file.relative_to(self.root)
                    self.includes[path] = [self.resolve(path, *found) for found in INCLUDE.findall(file.read_text())]

    def resolve(self, path, bracket, name):
        if bracket == '"':
            for folder in (path.parent, Path("lib"), Path("tests"), Path(".")):
                if (self.root / folder / name).is_file():
                    return Path((self.root / folder / name).resolve().relative_to(self.root.resolve()))
        return name

    def reach(self, path, seen=None):
        """Everything that path includes, directly or not."""
        seen = set() if seen is None else seen
        for name in self.includes.get(path, []):
            if name not in seen:
                seen.add(name)
                self.reach(name, seen)
        return seen

    def faults(self):
        for path, names in self.includes.items():
            where = layer(path)
            if path.parts[0] == "lib" and path.parts[1] not in LIB:
                yield f"{path}: lib/{path.parts[1]} is not among the layers {sorted(LIB)}"
                continue
            for name in names:
                if isinstance(name, Path):
                    if not self.may_include(where, layer(name)):
                        yield f"{path}: {where} must not include {name}"
                elif DEAL_II_HEADER.match(name) and where not in DEAL_II:
                    yield f"{path}: {name} may be included in {sorted(DEAL_II)} only"
                elif CUDA_HEADER.match(name) and not self.beside_cuda(path):
                    yield f"{path}: {name} may be included in .cu and .cuh files and private headers beside them only"
            seen = [name for name in self.reach(path) if isinstance(name, str)]
            if path.suffix in (".cu", ".cuh"):
                yield from (f"{path}: a CUDA source must not see {name}" for name in seen if DEAL_II_HEADER.match(name))
            elif path.suffix == ".cc":
                yield from (f"{path}: a C++ source must not see {name}" for name in seen if CUDA_HEADER.match(name))

    def beside_cuda(self, path):
        return path.suffix != ".cc" and any(p.suffix == ".cu" and p.parent == path.parent for p in self.includes)

    @staticmethod
    def may_include(here, there):
        if here == there or here == "tests":
            return True
        if here == "apps":
            return there.startswith("lib/")
        return there.startswith("lib/") and there[4:] in LIB[here[4:]]


class Layering(unittest.TestCase):
    root = Path(__file__).resolve().parents[2]

    def broken(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                file = Path(folder) / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return list(Tree(folder).faults())

    def test_sources_keep_to_the_layers(self):
        tree = Tree(self.root)
        self.assertGreater(len(tree.includes), 20, f"expected the sources under {self.root}")
        faults = list(tree.faults())
        if faults:
            self.fail("expected no forbidden include, found:\n" + "\n".join(faults))

    def test_upward_include_is_found(self):
        files = {"lib/base/a.h": '#include "solver/b.h"\n', "lib/solver/b.h": ""}
        self.assertEqual(self.broken(files), ["lib/base/a.h: lib/base must not include lib/solver/b.h"])
        self.assertEqual(len(self.broken({"lib/solver/b.h": '#include "../../apps/c.h"\n', "apps/c.h": ""})), 1)

    def test_unknown_layer_is_found(self):
        self.assertIn("not among the layers", self.broken({"lib/misc/a.h": ""})[0])

    def test_deal_ii_below_the_discretization_is_found(self):
        self.assertEqual(len(self.broken({"lib/multigrid/a.h": "#include <deal.II/base/config.h>\n"})), 1)
        self.assertEqual(len(self.broken({"lib/algebra/a.cc": "  # include <Epetra_Map.h>\n"})), 1)

    def test_deal_ii_in_a_cuda_source_is_found(self):
        files = {"apps/a.cu": '#include "b.h"\n', "apps/b.h": "#include <deal.II/base/point.h>\n"}
        self.assertEqual(self.broken(files), ["apps/a.cu: a CUDA source must not see deal.II/base/point.h"])

    def test_cuda_in_a_cpp_source_is_found(self):
        files = {"lib/algebra/a.cc": '#include "algebra/b.h"\n', "lib/algebra/b.h": "#include <cuda_runtime.h>\n"}
        self.assertIn("lib/algebra/a.cc: a C++ source must not see cuda_runtime.h", self.broken(files))
        self.assertEqual(len(self.broken({"lib/multigrid/b.h": "#include <cuda_runtime.h>\n"})), 1)
        files = {"lib/algebra/a.cu": '#include "algebra/b.h"\n', "lib/algebra/b.h": "#include <cublas_v2.h>\n"}
        self.assertEqual(self.broken(files), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
