#!/usr/bin/env python3
"""examples.py CMAKE SOURCE BUILD GENERATOR COMPILER TYPE LAUNCHER MPIEXEC TEST

Installs the library, builds an example with find_package and runs it; or builds with add_subdirectory.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

CMAKE, SOURCE, BUILD, GENERATOR, COMPILER, KIND, LAUNCHER, MPIEXEC, TEST = sys.argv[1:]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise AssertionError(f"expected '{' '.join(command)}' to end with 0, not {done.returncode}:\n{done.stdout}")
    return done.stdout


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        run(CMAKE, "--install", BUILD, "--prefix", f"{cls.folder.name}/elsewhere")
        os.rename(f"{cls.folder.name}/elsewhere", f"{cls.folder.name}/installed")  # what is installed may be moved

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def build(self, name):
        folder = f"{self.folder.name}/{name}"
        run(CMAKE, "-S", f"{SOURCE}/examples/{name}", "-B", folder, "-G", GENERATOR, f"-DCMAKE_CXX_COMPILER={COMPILER}",
            f"-DCMAKE_BUILD_TYPE={KIND}", f"-DCMAKE_PREFIX_PATH={self.folder.name}/installed")
        run(CMAKE, "--build", folder)
        return f"{folder}/{name}"

    def test_three_lines(self):
        folder = os.path.dirname(self.build("three_lines"))
        poisson = run(f"{folder}/poisson_on_a_ball")
        self.assertLessEqual(max(self.numbers(r"(\d+) iterations", poisson)), 9)
        self.assertLessEqual(max(self.numbers(r"device (\d+)", poisson)), 9)
        self.assertLess(max(self.numbers(r"relative difference (\S+)", poisson)), 1e-7)
        self.assertLessEqual(max(self.numbers(r"(\d+) iterations", run(f"{folder}/stokes_block"))), 80)
        displacements = []
        for n in (1, 3):
            beam = run(MPIEXEC, "--oversubscribe", "--bind-to", "none", "-np", str(n), f"{folder}/elasticity_on_ranks")
            self.assertLessEqual(max(self.numbers(r"(\d+) iterations", beam)), 16)
            displacements.append(self.numbers(r"displacement (\S+)", beam))
        self.assertAlmostEqual(displacements[0][0], displacements[1][0], delta=1e-3 * displacements[0][0])
        self.assertAlmostEqual(displacements[0][0], 10 * displacements[0][1], delta=1e-3 * displacements[0][0])

    def numbers(self, pattern, output):
        return [float(n) for n in re.findall(pattern, output)]

    def test_installed_program(self):
        where = f"{self.folder.name}/installed"
        run(f"{where}/bin/adamant-elasticity", f"{where}/share/adamant/prm/elasticity/two_material_beam.prm", "--output", f"{where}/out")
        with open(f"{where}/out/run.json") as record:
            self.assertAlmostEqual(json.load(record)["displacements"][0][1], -0.0321, places=4)

    # A project of its own whose program main.cc prints one number.
    def outside(self, name, adamant, library, program, *options):
        folder = f"{self.folder.name}/{name}"
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/CMakeLists.txt", "w") as lists:
            lists.write("cmake_minimum_required(VERSION 3.18)\nfind_package(deal.II 9.4 REQUIRED HINTS ${DEAL_II_DIR} $ENV{DEAL_II_DIR})\n"
                        f"deal_ii_initialize_cached_variables()\nproject(outside CXX)\n{adamant}\n"
                        f"add_executable(outside main.cc)\ntarget_link_libraries(outside {library})\n"
                        "deal_ii_setup_target(outside)\n")
        with open(f"{folder}/main.cc", "w") as main:
            main.write(program)
        run(CMAKE, "-S", folder, "-B", f"{folder}/build", "-G", GENERATOR, f"-DCMAKE_CXX_COMPILER={COMPILER}", *options)
        run(CMAKE, "--build", f"{folder}/build")
        return float(run(f"{folder}/build/outside"))

    def test_module(self):
        def number(component, library, header, expression):
            return self.outside(
                library, f"find_package(adamant REQUIRED COMPONENTS {component})", f"adamant::{library}",
                f'#include "{header}"\n#include <cstdio>\nint main()\n{{\n  std::printf("%.6f\\n", double({expression}));\n}}\n',
                f"-DCMAKE_BUILD_TYPE={KIND}", f"-DCMAKE_PREFIX_PATH={self.folder.name}/installed")
        eigenvalue = "tensor/fast_diagonalization.h", "adamant::one_dimensional_eigenpairs({0, 0.25, 0.5, 0.75, 1}, true, true).value[0]"
        with self.assertRaisesRegex(AssertionError, "nonsense"):
            number("tensor nonsense", "tensor", *eigenvalue)
        # 6 / h² (1 - cos(π h)) / (2 + cos(π h)) with h = 1/4, by hand.
        self.assertAlmostEqual(number("tensor", "tensor", *eigenvalue), 10.386642, places=5)
        steps = number("stokes", "stokes", "stokes/stokes_parameters.h", "adamant::StokesSolverParameters::pressure_options(true).pre_steps")
        self.assertEqual(steps, 3)

    # Another project has the sources as a folder. It builds of them what its program takes: the core, without deal.II.
    def test_subdirectory(self):
        program = '#include "base/csr/csr_matrix.h"\n#include <cstdio>\nint main()\n{\n' \
                  "  adamant::CSRMatrix<double> A;\n  A.n_rows = A.n_cols = 2;\n  A.row_start = {0, 1, 2};\n  A.column = {1, 0};\n" \
                  '  A.value = {3, 4};\n  std::printf("%g\\n", product(A, adamant::Array<double>{5, 6})[1]);\n}\n'
        launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={LAUNCHER}"] if LAUNCHER else []
        self.assertEqual(self.outside("subdirectory", f"add_subdirectory({SOURCE} adamant EXCLUDE_FROM_ALL)", "adamant_core", program,
                                      "-DCMAKE_BUILD_TYPE=Debug", "-DADAMANT_WITH_CUDA=OFF", "-DADAMANT_NATIVE=OFF", *launcher), 20)
        built = os.listdir(f"{self.folder.name}/subdirectory/build/adamant/lib")
        self.assertIn("libadamant_core.a", built)
        self.assertNotIn("libadamant.a", built)

    def test_step_6(self):
        output = run(self.build("add_multigrid"))
        ssor, multigrid = self.numbers(r"SSOR: (\d+) iterations", output), self.numbers(r"multigrid: (\d+) iterations", output)
        self.assertEqual([len(ssor), len(multigrid)], [6, 6], f"expected 6 cycles with both solvers:\n{output}")
        self.assertLessEqual(max(multigrid), 16, "expected averages of the coefficient on coarser levels to keep them few")
        self.assertGreater(ssor[-1], 10 * multigrid[-1], "expected ten times as many iterations with SSOR")
        self.assertLess(max(self.numbers(r"relative difference (\S+)", output)), 1e-8, "expected the same solution of both")
        self.assertGreaterEqual(self.numbers(r"(\d+) levels", output)[-1], 6)

    def test_step_40_on_ranks(self):
        program, cells = self.build("many_ranks"), None
        for n in (1, 2, 4):
            output = run(MPIEXEC, "--oversubscribe", "--bind-to", "none", "-np", str(n), program, "4")
            ml, multigrid = self.numbers(r"ML: (\d+) iterations", output), self.numbers(r"multigrid: (\d+) iterations", output)
            self.assertEqual([len(ml), len(multigrid)], [5, 5], f"expected 5 cycles with both solvers:\n{output}")
            self.assertLessEqual(max(multigrid) - min(multigrid), 2, f"expected as many iterations on all meshes (within 1 of the mean):\n{output}")
            self.assertLess(max(multigrid), min(ml[1:]), "expected fewer iterations than with ML, which solves the first cycle directly")
            self.assertLess(max(self.numbers(r"relative difference (\S+)", output)), 1e-7, "expected the same solution of both")
            cells = cells or self.numbers(r"(\d+) cells", output)
            self.assertLess(abs(self.numbers(r"(\d+) cells", output)[-1] / cells[-1] - 1), 0.02, "expected about the same mesh on any number of ranks")


if __name__ == "__main__":
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_WAIT_POLICY="passive")
    unittest.main(argv=[sys.argv[0], "-v", f"Examples.test_{TEST}"])
