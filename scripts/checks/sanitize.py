"""Every shipped parameter file for a few steps, every tutorial whole, under address and undefined-behaviour sanitizers.

  scripts/check sanitize [--build DIR] [--parts shipped tutorials] [--steps N] [--threads N ...] [--jobs N]
                         [--only WORD] [--list]

shipped    every prm/*/*.prm, at most N steps (2) on small meshes; --list prints how each of them is reduced
           (scripts/checks/shipped.py)
tutorials  every prm/*/tutorial.prm as it is
Both run with one thread and with four. Without --build the preset sanitize is configured and its programs are built
(Debug, deal.II's debug library, which checks what it is given). Leaks are looked for in programs without MPI only:
cmake/no_leak_detection.cc says why.
"""

import argparse
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import shipped
from .common import PROGRAMS, ROOT, build, executable, program_command, run_program

FOUND = re.compile(r"^.*(?:ERROR: (?:Address|Leak)Sanitizer|runtime error:|An error occurred in line).*$", re.MULTILINE)
ENVIRONMENT = {"UBSAN_OPTIONS": "print_stacktrace=1"}

INSTEAD = {  # what is still long, and what the host does not have
    "stationary_navier_stokes/cylinder_3d": {"Mesh/Refinements": "0"},
    "stationary_navier_stokes/cylinder_3d_adaptive": {"Mesh/Refinements": "0"},
    "stationary_navier_stokes/step": {"Mesh/Refinements": "1", "Problem/Viscosity": "0.01"},
    "poisson/paper_1024": {"Solver/Precision": "float32"},
}


def selected(parts, steps):
    """(name, program, file, settings) of all runs."""
    found = []
    if "shipped" in parts:
        for name, program, file, settings in shipped.runs("small", steps):
            changed = {**dict(s.split("=", 1) for s in settings), **INSTEAD.get(f"{program}/{file.stem}", {})}
            found.append((f"shipped {name}", program, file, [f"{key}={value}" for key, value in changed.items()]))
    if "tutorials" in parts:
        found += [(f"whole {program}/tutorial", program, file, []) for program, file in shipped.files()
                  if file.stem == "tutorial"]
    return found


def one(build_directory, name, program, file, settings, threads, timeout):
    with tempfile.TemporaryDirectory(prefix="adamant_sanitize_") as output:
        words = [executable(build_directory, program), file, "--output", Path(output) / "run"]
        done = run_program(program_command(*words, settings=settings, threads=threads), environment=ENVIRONMENT,
                           timeout=timeout)
    found = FOUND.search(done.err + done.out)
    passed = done.code == 0 and found is None
    last = (done.err.strip().splitlines() or ["no message"])[-1]
    said = "" if passed else " " + (found.group(0) if found else last)[:160]
    output = "" if passed else (done.err or done.out)[:6000]
    return f"{name}, {threads} threads", passed, f"{done.how()}, {done.seconds:.0f} s{said}", output


def run(arguments, report):
    parser = argparse.ArgumentParser(prog="scripts/check sanitize", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--parts", nargs="+", choices=["shipped", "tutorials"], default=["shipped", "tutorials"])
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="runs whose name has this word")
    parser.add_argument("--timeout", type=int, default=3600, help="seconds for each run")
    parser.add_argument("--list", action="store_true", help="print the runs and how they are reduced, and run nothing")
    options = parser.parse_args(arguments)
    chosen = [r for r in selected(options.parts, options.steps) if options.only in r[0]]
    if options.list:
        for name, _, file, settings in chosen:
            print(f"{name:60} {file.relative_to(ROOT)}  {'; '.join(settings)}")
        raise SystemExit(0)
    directory = options.build or build("sanitize", PROGRAMS)
    with ThreadPoolExecutor(options.jobs) as pool:
        work = [pool.submit(one, directory, *r, threads, options.timeout) for r in chosen
                for threads in options.threads]
        for done in work:
            case, passed, text, output = done.result()
            report.add(case, passed, text)
            if output:
                print(output)
    report.note(f"{len(chosen)} runs, each with {' and '.join(map(str, options.threads))} threads")
