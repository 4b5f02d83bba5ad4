#!/usr/bin/env python3
"""add_multigrid.py CMAKE SOURCE BUILD GENERATOR COMPILER TYPE: installs the library, builds the example with find_package and runs it."""

import re
import subprocess
import sys
import tempfile

cmake, source, build, generator, compiler, kind = sys.argv[1:]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"expected '{' '.join(command)}' to end with 0, not {done.returncode}:\n{done.stdout}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    run(cmake, "--install", build, "--prefix", f"{folder}/installed")
    run(cmake, "-S", f"{source}/examples/add_multigrid", "-B", f"{folder}/build", "-G", generator, f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_BUILD_TYPE={kind}", f"-DCMAKE_PREFIX_PATH={folder}/installed")
    run(cmake, "--build", f"{folder}/build")
    output = run(f"{folder}/build/add_multigrid")

numbers = lambda pattern: [float(n) for n in re.findall(pattern, output)]
ssor, multigrid = numbers(r"SSOR: (\d+) iterations"), numbers(r"multigrid: (\d+) iterations")
difference, levels = numbers(r"relative difference (\S+)"), numbers(r"(\d+) levels")
print(output)
if not len(ssor) == len(multigrid) == len(difference) == 6:
    sys.exit(f"expected 6 cycles with both solvers, found {len(ssor)}, {len(multigrid)}, {len(difference)}")
if max(multigrid) > 30 or ssor[-1] < 10 * multigrid[-1]:
    sys.exit(f"expected at most 30 iterations with multigrid and ten times as many with SSOR, found {multigrid} and {ssor}")
if max(difference) > 1e-8:
    sys.exit(f"expected the same solution of both, found differences of {difference}")
if levels[-1] < 6:
    sys.exit(f"expected at least 6 levels in the last cycle, found {levels}")
