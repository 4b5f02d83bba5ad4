"""The host's loops under the thread sanitizer, with clang, LLVM's OpenMP and archer, which tells it what OpenMP orders.

  scripts/check races [--build DIR] [--parts tests programs] [--jobs N] [--only WORD]

tests     the core's tests and the discretization's, with four threads
programs  a short run of each program with four threads, on meshes that are large enough that loops do share their work
Without --build the preset races is configured and built (Debian: clang, libomp-dev). Libraries that are not compiled
with the sanitizer (deal.II, TBB, MPI) are passed over: it does not see what orders their accesses.
"""

import argparse
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .common import PROGRAMS, ROOT, build, executable, fail, program_command, run_program

TESTS = ["test_base", "test_algebra", "test_operators", "test_solvers", "test_fast_diagonalization", "test_multigrid",
         "test_schur", "test_cell_matrix", "test_scaled_product", "test_vector_fields", "test_export",
         "test_fem", "test_device_forms", "test_stokes_matrices", "test_transport", "test_flow"]
# Loops of fewer than some thousand entries stay with one thread: these meshes have more.
RUNS = {
    "transport_diffusion": [("tutorial", ["Discretization/Refinements=6", "Time stepping/End time=0.04"]),
                            ("following_blob", ["Adaptivity/Largest level=7", "Time stepping/End time=0.02"])],
    "template": [("tutorial", ["Heat/Refinements=6", "Heat/End time=0.1"])],
    "nonlinear_heat": [("tutorial", ["Heat/Refinements=6", "Heat/End time=0.1"])],
    "elasticity": [("cantilever", ["Discretization/Uniform refinements=2", "Discretization/Refinement steps=1"])],
    "solid": [("cook", [])],
    "navier_stokes": [("cavity_2d_re100", ["Mesh/Refinements=6", "Time stepping/End time=0.012"])],
    "stationary_navier_stokes": [("cavity_re100", ["Mesh/Refinements=5"])],
    "stokes": [("solcx", ["Mesh/Refinements=4"])],
    "buoyant_flow": [("sinking_block", ["Mesh/Refinements=4", "Time stepping/Steps=1"])],
    "poisson": [("tutorial", ["Mesh/Refinements=6", "Problem/Samples=8"])],
}
# In the sort of libstdc++ (multiway_mergesort.h) each thread writes the same number of threads to a shared variable.
SUPPRESSED = "race:__gnu_parallel::parallel_sort_mwms\n"
WARNING = re.compile(r"^WARNING: ThreadSanitizer: (.*?)(?: \(pid=\d+\))?$(.*?)^SUMMARY: ThreadSanitizer: (.*)$",
                     re.MULTILINE | re.DOTALL)


def environment(directory, output):
    found = sorted([*Path("/usr/lib").glob("llvm-*/lib/libarcher.so"), *directory.glob("libarcher.so")])
    if not found:
        fail("libarcher.so is missing: apt-get install clang libomp-dev, or pack it with the programs as "
             f"{directory.name}/libarcher.so")
    suppressions = Path(output) / "suppressions"
    suppressions.write_text(SUPPRESSED, encoding="utf-8")
    return {"OMP_TOOL_LIBRARIES": str(found[-1]),
            "TSAN_OPTIONS": f"ignore_noninstrumented_modules=1 exitcode=66 suppressions={suppressions}",
            "OMP_NUM_THREADS": "4", "OMP_WAIT_POLICY": "passive",  # threads that wait leave the cores to others
            "DEAL_II_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def outcome(name, command, around):
    done = run_program(command, environment=around, timeout=3600)
    races = [f"{kind}: {summary}" for kind, _, summary in WARNING.findall(done.err + done.out)]
    different = sorted(set(races))
    passed = done.code == 0 and not races
    places = f", {len(races)} warnings, {len(different)} places: {'; '.join(different[:3])}" if races else ""
    text = f"{done.how()}, {done.seconds:.0f} s{places}"
    return name, passed, text, "" if passed else (done.err + done.out)[:12000]


def run(arguments, report):
    parser = argparse.ArgumentParser(prog="scripts/check races", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--parts", nargs="+", choices=["tests", "programs"], default=["tests", "programs"])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="tests and programs whose name matches this regular expression")
    options = parser.parse_args(arguments)
    programs = list(RUNS) if "programs" in options.parts else []
    targets = (TESTS if "tests" in options.parts else []) + programs
    for missing in sorted(set(PROGRAMS) - set(RUNS)):
        report.add(f"{missing}: no run", False, "a program of apps/ that RUNS does not name")
    directory = (options.build or build("races", targets)).resolve()
    with tempfile.TemporaryDirectory(prefix="adamant_races_") as output, ThreadPoolExecutor(options.jobs) as pool:
        around = environment(directory, output)
        work = []
        tests = {p.name: p for p in directory.glob("tests/*/test_*") if p.is_file() and os.access(p, os.X_OK)}
        for name in [t for t in TESTS if t in targets and re.search(options.only, t)]:
            if name in tests:
                work.append(pool.submit(outcome, name, [tests[name]], around))
            else:
                report.add(name, False, f"{directory} has no such test")
        for program in [p for p in programs if re.search(options.only, p)]:
            for name, settings in RUNS[program]:
                words = [executable(directory, program), ROOT / "prm" / program / f"{name}.prm",
                         "--output", Path(output) / f"{program}_{name}"]
                command = program_command(*words, settings=settings, threads=4)
                work.append(pool.submit(outcome, f"{program}/{name}", command, around))
        for done in work:
            case, passed, text, said = done.result()
            report.add(case, passed, text)
            if said:
                print(said)
    report.note("four threads, clang's thread sanitizer with archer")
