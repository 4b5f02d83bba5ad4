#!/usr/bin/env python3
"""Which folder may include which, who may see deal.II and CUDA headers and know on which device it runs, how long files of
the library are. Runs on the sources, then on broken ones."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

LIB = {  # folder of lib/: the folders of lib/ it may include, besides itself
    "base": set(),
    "algebra": {"base"},
    "operators": {"base", "algebra"},
    "solvers": {"base", "algebra", "operators"},
    "multigrid": {"base", "algebra", "operators", "solvers"},
    "fem": {"base", "algebra", "operators"},
    "expressions": {"base"},
    "frame": {"base", "algebra", "operators", "solvers", "multigrid", "fem", "expressions"},
}
MODULES = {  # folder of modules/: the modules it may include. All may include lib/, which knows none of them.
    "meshes": set(),
    "coefficients": set(),
    "evaluation": {"meshes"},
    "tensor": set(),
    "direct": {"tensor"},
    "cells": set(),
    "flow": {"meshes", "coefficients", "evaluation"},
    "stokes": {"meshes", "coefficients", "evaluation", "cells", "flow"},
    "elasticity": {"meshes", "coefficients", "evaluation", "cells"},
    "solid": {"meshes", "coefficients", "evaluation", "cells", "elasticity"},
    "scalar": {"meshes", "coefficients", "evaluation", "cells"},
    "heat": {"meshes", "coefficients", "evaluation", "scalar"},
    "dealii": set(),
}
ROOMS = {Path("lib/algebra/host"), Path("lib/algebra/cuda")}  # only algebra, modules that add to it, and tests of it open them
# These choose between host and GPU at compile time, as lib/algebra does.
EXTEND_ALGEBRA = {Path("modules") / name for name in ("flow/bundle/matrix_bundle.h", "tensor/dense_products.h", "tensor/dense_products.cc",
                                                      "tensor/no_cublas.cc", "cells/cell_matrix.cc")}
FOR_ALL_PROGRAMS = {"coefficients", "meshes"}  # the modules that apps/CMakeLists.txt gives each program
OPEN_ROOMS = {"lib/algebra", "modules/tensor", "modules/flow", "modules/stokes", "modules/cells", "tests/algebra", "tests/cuda"}
# deal.II and Trilinos headers only here.
DEAL_II = {"lib/fem", "lib/expressions", "lib/frame", "modules", "apps", "tests"}
MOST_LINES = 500  # of a file in lib/
MOST_FILES = 30  # of a folder in lib/ or modules/
MOST_HEADERS = 40  # of this tree that the C++ sources of a program to copy may read, directly or not
TEMPLATE = Path("apps/template")
SOURCES = {".h", ".cc", ".cu", ".cuh"}
CUDA_HEADER = re.compile(r"(cuda|cublas|cusparse|cusolver|curand|nccl|nvtx|cooperative_groups|(cub|thrust|nvtx3)/)")
DEAL_II_HEADER = re.compile(r"(deal\.II/|(Epetra|Trilinos|Teuchos|ml)_)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
ONE_DEVICE = {  # what only lib/algebra may say: everything above runs on the device that is chosen at run time
    "a template on the backend": re.compile(r"template\s*<[^>]*\b(?:class|typename)\s+Backend"),
    "a question for the host's type": re.compile(r"is_same(?:_v)?\s*<[^;{]*HostBackend"),
    "a question for CUDA": re.compile(
        r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*ADAMANT_WITH_CUDA|if constexpr \(built_with_cuda", re.MULTILINE
    ),
}

# A name of deal.II and the beginning of the header that declares it: a source that names it includes it, or a header of ours that does.
# Through deal.II's own headers a name comes in one release of deal.II and not in another.
DECLARED = {
    r"Utilities::MPI::": "base/mpi", r"Utilities::(?!MPI)": "base/utilities", r"GridTools::": "grid/grid_tools",
    r"GridGenerator::": "grid/grid_generator", r"DoFTools::": "dofs/dof_tools", r"VectorTools::": "numerics/vector_tools",
    r"AffineConstraints<": "lac/affine_constraints", r"FEValues<": "fe/fe_values", r"FESystem<": "fe/fe_system", r"FE_Q<": "fe/fe_q",
    r"Triangulation<": "grid/tria", r"DoFHandler<": "dofs/dof_handler", r"QGauss<": "base/quadrature_lib", r"MappingQ": "fe/mapping_q",
    r"ParameterHandler\b": "base/parameter_handler", r"DataOut<": "numerics/data_out", r"FunctionParser<": "base/function_parser",
    r"IndexSet\b": "base/index_set", r"Manifold<": "grid/manifold",
    r"KellyErrorEstimator": "numerics/error_estimator",
}
DECLARED = [(re.compile(r"dealii::(?:\w+::)*?" + name), "deal.II/" + header) for name, header in DECLARED.items()]
COMMENT = re.compile(r"//.*")


def layer(path):
    """lib/algebra/x.h -> lib/algebra, modules/stokes/x.h -> modules/stokes, apps/x.cc -> apps."""
    if path.parts[0] == "modules" and path.parts[2] == "tests":
        return "tests"
    return "/".join(path.parts[:2]) if path.parts[0] in ("lib", "modules") else path.parts[0]


class Tree:
    def __init__(self, root):
        self.root = Path(root)
        self.text = {}  # of each file
        for top in ("lib", "modules", "apps", "tests"):
            for file in sorted((self.root / top).rglob("*")):
                if file.suffix in SOURCES:
                    self.text[file.relative_to(self.root)] = file.read_text()
        # The sources of modules that their CMakeLists.txt lists as CORE: no deal.II.
        self.without_deal_ii = set()
        for lists in (self.root / "modules").glob("*/CMakeLists.txt"):
            words = re.sub(r"#.*", "", lists.read_text()).replace(")", " ").split()
            first = words.index("CORE") + 1 if "CORE" in words else len(words)
            end = next((i for i, word in enumerate(words) if i >= first and word.isupper()), len(words))
            self.without_deal_ii |= {lists.relative_to(self.root).parent / word for word in words[first:end]}
        # The modules that a program takes.
        apps = self.root / "apps" / "CMakeLists.txt"
        self.modules_of = {name: set(taken.split()) for name, taken in
                           re.findall(r"set\(modules_of_(\w+) ([^)]*)\)", apps.read_text() if apps.is_file() else "")}
        # File -> names included, files of this tree as Path, others as str.
        self.includes = {
            path: [self.resolve(path, *found) for found in INCLUDE.findall(text)] for path, text in self.text.items()
        }

    def resolve(self, path, bracket, name):
        if bracket == '"':
            for folder in (path.parent, Path("lib"), Path("modules"), Path("tests"), Path(".")):
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
        for path in self.text:
            if path.parts[0] == "lib" and path.parts[1] not in LIB:
                yield f"{path}: lib/{path.parts[1]} is not among the layers {sorted(LIB)}"
                continue
            if path.parts[0] == "modules" and path.parts[1] not in MODULES:
                yield f"{path}: modules/{path.parts[1]} is not among the modules {sorted(MODULES)}"
                continue
            yield from self.include_faults(path)
            yield from self.reach_faults(path)
            yield from self.text_faults(path)
        yield from self.circles()
        read = {name for path in self.text if path.parent == TEMPLATE and path.suffix == ".cc"
                for name in self.reach(path) if isinstance(name, Path)}
        if len(read) > MOST_HEADERS:
            yield f"{TEMPLATE}: reads {len(read)} headers, more than {MOST_HEADERS}"

    def circles(self):
        """Folders beside each other that include each other, directly or through others beside them."""
        beside = {}  # folder -> folders beside it that it includes
        for path, names in self.includes.items():
            if path.parts[0] not in ("lib", "modules") or layer(path) == "tests":
                continue
            for name in names:
                if isinstance(name, Path):
                    common = next((i for i, (a, b) in enumerate(zip(path.parts, name.parts)) if a != b), 0)
                    if 0 < common < min(len(path.parts), len(name.parts)) - 1:
                        beside.setdefault(Path(*path.parts[:common + 1]), set()).add(Path(*name.parts[:common + 1]))
        for folder in sorted(beside):
            seen, todo = set(), list(beside[folder])
            while todo:
                if (next_one := todo.pop()) not in seen:
                    seen.add(next_one)
                    todo += beside.get(next_one, ())
            if folder in seen:
                yield f"{folder}: includes go in a circle through {', '.join(map(str, sorted(seen)))}"
        folders = {}
        for path in self.includes:
            if path.parts[0] in ("lib", "modules"):
                folders[path.parent] = folders.get(path.parent, 0) + 1
        for folder, files in sorted(folders.items()):
            if files > MOST_FILES:
                yield f"{folder}: {files} files, more than {MOST_FILES}"

    def include_faults(self, path):
        where = layer(path)
        for name in self.includes[path]:
            if isinstance(name, Path):
                if path.parts[0] == "apps" and name.parts[0] == "modules" and \
                        name.parts[1] not in self.modules_of.get(path.parts[1], set()) | FOR_ALL_PROGRAMS:
                    yield f"{path}: apps/CMakeLists.txt does not list the module of {name}"
                elif not self.may_include(where, layer(name)):
                    yield f"{path}: {where} must not include {name}"
                elif ROOMS & set(name.parents) and "/".join(path.parts[:2]) not in OPEN_ROOMS:
                    yield f"{path}: {name.parent} is a room that only {sorted(OPEN_ROOMS)} open: no {name} here"
            elif DEAL_II_HEADER.match(name) and where not in DEAL_II and path.parts[0] not in DEAL_II:
                yield f"{path}: {name} may be included in {sorted(DEAL_II)} only"
            elif CUDA_HEADER.match(name) and not self.beside_cuda(path):
                yield f"{path}: {name} may be included in .cu and .cuh files and private headers beside them only"

    def reach_faults(self, path):
        seen = [name for name in self.reach(path) if isinstance(name, str)]
        if path.suffix in (".cu", ".cuh"):
            yield from (f"{path}: a CUDA source must not see {name}" for name in seen if DEAL_II_HEADER.match(name))
        elif path.suffix == ".cc":
            yield from (f"{path}: a C++ source must not see {name}" for name in seen if CUDA_HEADER.match(name))
            if path in self.without_deal_ii:
                yield from (f"{path}: a source of CORE must not see {name}" for name in seen if DEAL_II_HEADER.match(name))

    def text_faults(self, path):
        text = self.text[path]
        if layer(path) != "lib/algebra" and path not in EXTEND_ALGEBRA:
            found = (what for what, sign in ONE_DEVICE.items() if sign.search(text))
            yield from (f"{path}: {what} belongs into lib/algebra" for what in found)
        if path.suffix == ".cc":
            seen = [name for name in self.reach(path) if isinstance(name, str)]
            for name, header in DECLARED:
                found = name.search(COMMENT.sub("", text))
                if found and not any(include.startswith(header) for include in seen):
                    yield f"{path}: {found.group(0)} is named, but {header}*.h is not included"
        lines = text.count("\n")
        if path.parts[0] in ("lib", "modules") and layer(path) != "tests" and lines > MOST_LINES:
            yield f"{path}: {lines} lines, more than {MOST_LINES}"

    def beside_cuda(self, path):
        return path.suffix != ".cc" and any(p.suffix == ".cu" and p.parent == path.parent for p in self.includes)

    @staticmethod
    def may_include(here, there):
        if here == there or here == "tests":
            return True
        if here == "apps":
            return there.startswith(("lib/", "modules/"))
        if here.startswith("modules/"):
            return there.startswith("lib/") or (there.startswith("modules/") and there[8:] in MODULES[here[8:]])
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
            self.fail("expected the sources to keep to these rules, found:\n" + "\n".join(faults))

    def test_upward_include_is_found(self):
        files = {"lib/base/a.h": '#include "solvers/b.h"\n', "lib/solvers/b.h": ""}
        self.assertEqual(self.broken(files), ["lib/base/a.h: lib/base must not include lib/solvers/b.h"])
        self.assertEqual(len(self.broken({"lib/solvers/b.h": '#include "../../apps/c.h"\n', "apps/c.h": ""})), 1)
        upward = "operators solvers, solvers multigrid, multigrid fem, expressions multigrid"
        upward += ", expressions frame, fem expressions, fem solvers, fem multigrid, fem frame"
        for below, above in (pair.split() for pair in upward.split(", ")):
            up = {f"lib/{below}/a.h": f'#include "{above}/b.h"\n', f"lib/{above}/b.h": ""}
            self.assertEqual(self.broken(up), [f"lib/{below}/a.h: lib/{below} must not include lib/{above}/b.h"])
        down = {"lib/operators/a.h": "", "lib/multigrid/smoothers/b.h": '#include "operators/a.h"\n'}
        self.assertEqual(self.broken(down), [])

    def test_modules_stand_beside_the_core(self):
        module = {"modules/stokes/a.h": "", "modules/tensor/b.h": ""}
        for where in ("lib/frame/c.h", "modules/tensor/c.h", "modules/flow/c.cc"):
            (fault,) = self.broken({**module, where: '#include "stokes/a.h"\n'})
            self.assertIn("must not include modules/stokes/a.h", fault)
        (fault,) = self.broken({**module, "apps/poisson/c.h": '#include "tensor/b.h"\n'})
        self.assertIn("does not list the module of modules/tensor/b.h", fault)
        lists = {"apps/CMakeLists.txt": "set(modules_of_poisson direct tensor)\n"}
        core = {"modules/tensor/CMakeLists.txt": "adamant_module(tensor\n  CORE c.cc\n  DEAL_II d.cc)\n"}
        for where, faults in (("c", 1), ("d", 0)):
            found = self.broken({**core, f"modules/tensor/{where}.cc": "#include <deal.II/base/config.h>\n"})
            self.assertEqual(len(found), faults, found)
        for where in ("modules/direct/c.h", "apps/poisson/c.h", "modules/stokes/tests/c.cc"):
            module = {**module, **lists}
            self.assertEqual(self.broken({**module, where: '#include "tensor/b.h"\n'}), [])
        self.assertEqual(self.broken({**module, "lib/multigrid/d.h": "", "modules/stokes/c.h": '#include "multigrid/d.h"\n'}), [])
        self.assertIn("not among the modules", self.broken({"modules/misc/a.h": ""})[0])
        rooms = {"lib/algebra/host/a.h": "", "modules/elasticity/c.h": '#include "algebra/host/a.h"\n'}
        self.assertIn("is a room", self.broken(rooms)[0])

    def test_an_opened_room_is_found(self):
        for room in ("host", "cuda", "cuda/peers", "cuda/sparse"):
            inside = f"lib/algebra/{room}/a.h"
            include = f'#include "algebra/{room}/a.h"\n'
            for where in ("lib/multigrid/b.cc", "apps/b.cu", "tests/solvers/b.cc"):
                (fault,) = self.broken({inside: "", where: include})
                self.assertIn(f"{where}: lib/algebra/{room} is a room", fault)
            for where in ("lib/algebra/b.h", "lib/algebra/host/b.h", "lib/algebra/cuda/b.cu", "tests/algebra/b.cc"):
                self.assertEqual(self.broken({inside: "", where: include}), [])

    def test_what_depends_on_the_device_is_found(self):
        broken = (
            "template <class Backend>\nclass A {};\n",
            "template <int dim, typename Backend>\nvoid f();\n",
            "if constexpr (std::is_same_v<std::decay_t<decltype(b)>, HostBackend<double>>)\n",
            "#if ADAMANT_WITH_CUDA\n#endif\n",
            "  # ifdef ADAMANT_WITH_CUDA\n# endif\n",
            "  if constexpr (built_with_cuda)\n    return cuda::f();\n",
        )
        for text in broken:
            for where in ("lib/solvers/a.h", "apps/a.cc", "tests/ranks/a.cc"):
                (fault,) = self.broken({where: text})
                self.assertIn("belongs into lib/algebra", fault)
            self.assertEqual(self.broken({"lib/algebra/cuda/a.h": text, "lib/algebra/b.h": text}), [])
        harmless = "// backends; template <class Number> void f(int ADAMANT_WITH_CUDA);\n"
        self.assertEqual(self.broken({"apps/a.cc": harmless}), [])

    def test_a_name_whose_header_is_missing_is_found(self):
        text = "// dealii::IndexSet\nauto x = dealii::Utilities::MPI::some_to_some(comm, y);\n"
        (fault,) = self.broken({"lib/fem/a.cc": "#include <deal.II/base/utilities.h>\n" + text})
        self.assertIn("dealii::Utilities::MPI:: is named, but deal.II/base/mpi*.h is not included", fault)
        files = {"lib/fem/a.cc": '#include "fem/a.h"\n' + text, "lib/fem/a.h": "#include <deal.II/base/mpi.h>\n"}
        self.assertEqual(self.broken(files), [])

    def test_a_circle_of_folders_is_found(self):
        files = {"lib/fem/a/x.h": '#include "fem/b/y.h"\n', "lib/fem/b/y.h": '#include "fem/c/z.h"\n', "lib/fem/c/z.h": ""}
        self.assertEqual(self.broken(files), [])
        self.assertEqual(self.broken({**files, "lib/fem/t.h": '#include "fem/a/x.h"\n', "lib/fem/b/u.cc": '#include "fem/t.h"\n'}), [])
        faults = self.broken({**files, "lib/fem/c/w.cc": '#include "fem/a/x.h"\n'})
        self.assertEqual([fault.split(":")[0] for fault in faults], [f"lib/fem/{folder}" for folder in "abc"])

    def test_a_full_folder_is_found(self):
        files = {f"lib/fem/x{i}.h": "" for i in range(31)}
        self.assertEqual(self.broken(files), ["lib/fem: 31 files, more than 30"])

    def test_a_long_file_is_found(self):
        self.assertEqual(self.broken({"lib/base/a.h": "\n" * 501}), ["lib/base/a.h: 501 lines, more than 500"])
        self.assertEqual(self.broken({"lib/base/a.h": "\n" * 500, "tests/base/a.cc": "\n" * 501}), [])

    def test_a_template_of_many_headers_is_found(self):
        files = {f"lib/{folder}/x{i}.h": "" for folder in ("base", "fem") for i in range(20)}
        main = "".join(f'#include "{name[4:]}"\n' for name in files)
        self.assertEqual(self.broken({**files, "apps/template/main.cc": main}), [])
        files["apps/template/data.h"] = '#include "frame/y.h"\n'
        faults = self.broken({**files, "lib/frame/y.h": "", "apps/template/main.cc": main + '#include "data.h"\n'})
        self.assertEqual(faults, ["apps/template: reads 42 headers, more than 40"])

    def test_unknown_layer_is_found(self):
        self.assertIn("not among the layers", self.broken({"lib/misc/a.h": ""})[0])

    def test_deal_ii_below_the_discretization_is_found(self):
        self.assertEqual(len(self.broken({"lib/multigrid/a.h": "#include <deal.II/base/config.h>\n"})), 1)
        self.assertEqual(len(self.broken({"lib/algebra/a.cc": "  # include <Epetra_Map.h>\n"})), 1)
        self.assertEqual(self.broken({"lib/expressions/a.h": "#include <deal.II/base/function_parser.h>\n"}), [])

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
