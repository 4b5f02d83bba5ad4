"""What needs a GPU: the cases that CI skips, every shipped file against the host, compute-sanitizer.

  scripts/check gpu [--build DIR] [--parts tests programs sanitizer] [--jobs N] [--only WORD...]

tests      every GoogleTest case on a GPU, and matrices on 1, 2 and 4 ranks that share it; on a node with several GPUs
           also on two ranks that see one each; a case that skips itself counts as failed
programs   every shipped parameter file for 20 steps on the host and on the GPU: with graphs, without them, with
           cuSPARSE, on two ranks that share the GPU; all results are compared (scripts/checks/results.py), of the ranks
           with the host's on p4est's mesh
sanitizer  memcheck of small runs of all programs and of every Krylov method's loop, racecheck of operations and solvers
On a node with several GPUs each process takes the one that the fewest others use, and long tests run in parts.
A node without deal.II takes the programs with their libraries from scripts/pack,
run as `bash .gpu/run scripts/check gpu ...`.
"""

import argparse
import os
import re
import shutil
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

from . import shipped
from .common import ROOT, Outcome, executable, fail, mpirun, program_command, run_program
from .results import compare

# Less those that there are not: matrices by cells of cuSPARSE, and ML on a GPU.
GPU_CASES = "*cuda*:*Cuda*:*cusparse*:*Gpu*-ByCells/*cusparse*:*GpusGiveTheSame/*ML*"
FILES = {"transport_diffusion": "Time stepping/Output interval=10", "buoyant_flow": "Time stepping/Output interval=10",
         "elasticity": "Output/Interval=10", "navier_stokes": "Output/Interval=10",
         "template": "Heat/Output interval=10", "nonlinear_heat": "Heat/Output interval=10",
         "solid": "Output/Interval=1",
         "stokes": "Output/Files=true", "stationary_navier_stokes": "Output/Files=true",
         "poisson": "Output/Files=true"}
# Solves end far below what is compared, so that iterations may differ: these keys take the first of TOLERANCES that
# rounding allows.
TIGHT = {"stationary_navier_stokes": ["Nonlinear solver/Tolerance"], "poisson": ["Solver/Refinement tolerance"],
         "nonlinear_heat": ["Heat/Newton tolerance", "Linear solver/Tolerance"]}
TOLERANCES = ["1e-12", "1e-11", "1e-10", "1e-9", "1e-8"]
# Its sweeps go stage by stage, and each stage has few patches, so that a GPU takes long for the shipped 256² cells.
SMALLER = {"transport_oblique": ["Discretization/Refinements=6"]}
DISTRIBUTED = ["Ranks/Distributed mesh=true"]
ONE_RANK = re.compile(r"one rank|serial mesh|p4est's meshes")  # what a refusal of ranks says
AGREEMENT = 1e-7  # see results.py; VTU files have float32
AT_ONCE = {"test_cuda_application": 4, "test_app_ranks": 4}  # the cases that one process of a test takes, else 64
ON_RANKS = {"test_rank_matrices": (1, 2, 4), "test_stokes_ranks": (1, 2, 3), "test_dealii_ranks": (1, 2, 3)}
# Short solves of each method: racecheck makes them 50 times as long.
RACECHECKED = "*BiCGStab*/cuda:*Krylov.ConvergesTo*/cuda:*Krylov.GMRES*/cuda-*EndsAtTheTrueResidual*"
LONG_IN_MEMCHECK = "*ContractionDoesNotDependOnTheLevel*"  # two minutes each there


class Gpus:
    """The GPUs of this node, each with the number of processes that were given to it."""

    def __init__(self):
        listed = Outcome(["nvidia-smi", "-L"]) if shutil.which("nvidia-smi") else None
        visible = re.findall(r"^GPU (\d+)", listed.out if listed and listed.code == 0 else "", re.MULTILINE)
        if not visible:
            fail("no GPU is visible here (nvidia-smi -L)")
        chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
        self.users, self.lock = {name: 0 for name in (chosen.split(",") if chosen else visible)}, threading.Lock()

    @contextmanager
    def one(self):
        """The environment of a process with the GPU that has the fewest users."""
        with self.lock:
            gpu = min(self.users, key=self.users.get)
            self.users[gpu] += 1
        try:
            yield {"CUDA_VISIBLE_DEVICES": gpu}
        finally:
            with self.lock:
                self.users[gpu] -= 1


# --- Tests ------------------------------------------------------------------------------------------------------------


def cases(program, environment):
    """The names of a test program's cases on a GPU; of one that does not start, how it ended."""
    done = Outcome([program, "--gtest_list_tests", f"--gtest_filter={GPU_CASES}"], environment=environment, timeout=60)
    return [line for line in done.out.splitlines() if line.startswith("  ")] if done.code == 0 else [done.how()]


# As batch systems do: each rank sees one GPU of its own, which all call the first one.
ONE_EACH = ["sh", "-c", 'CUDA_VISIBLE_DEVICES=$OMPI_COMM_WORLD_LOCAL_RANK exec "$@"', "sh"]


def one_test(gpus, program, environment, ranks=0, part=0, parts=1, one_each=False):
    command = [program, f"--gtest_filter={'CudaRanks.*' if ranks else GPU_CASES}"]
    shard = {"GTEST_TOTAL_SHARDS": str(parts), "GTEST_SHARD_INDEX": str(part)}
    with gpus.one() as gpu:
        environment = {**environment, **shard, **({} if one_each else gpu)}
        done = run_program(command, ranks, under=ONE_EACH if one_each else [], environment=environment, timeout=420)
    text = done.out + done.err
    count = lambda word: sum(int(n) for n in re.findall(rf"\[  {word} +\] (\d+) tests?", text))
    failed = sorted(set(re.findall(r"^\[  FAILED  \] (\S+\.\S+?),? ", text, re.MULTILINE)))
    passed = done.code == 0 and count("SKIPPED") == 0 and count("PASSED") > 0
    of_parts = f", part {part + 1} of {parts}" if parts > 1 else ", a GPU each" if one_each else ""
    name = Path(program).name + (f" on {ranks} ranks" if ranks else "") + of_parts
    if not passed:
        print(text[-6000:])
    counts = f"{count('PASSED')} passed, {count('SKIPPED')} skipped"
    return name, passed, f"{counts}, {done.seconds:.0f} s, {done.how()} {' '.join(failed[:8])}"


def tests(gpus, build, jobs, only, report):
    variable = lambda name: "STATIONARY" if name == "stationary_navier_stokes" else name.upper()
    environment = {variable(name): str((build / "apps" / name).resolve()) for name in FILES}
    programs = sorted(p for p in build.glob("tests/*/test_*") if os.access(p, os.X_OK) and p.is_file()
                      and only(p.name))
    names = [p.name for p in programs]
    for name in sorted({n for n in names if names.count(n) > 1}):
        report.add(name, False, "there are two of this name; one is of an older build: remove it")
    with ThreadPoolExecutor(max(1, jobs // 2)) as pool:
        parts = {p: -(-len(cases(str(p), environment)) // AT_ONCE.get(p.name, 64)) for p in programs
                 if p.name not in ON_RANKS}
        work = [pool.submit(one_test, gpus, str(p), environment, 0, k, parts[p])
                for p in sorted(parts, key=lambda p: -parts[p]) for k in range(parts[p])]
        on_ranks = [p for p in programs if p.name in ON_RANKS]
        work += [pool.submit(one_test, gpus, str(p), environment, n) for p in on_ranks for n in ON_RANKS[p.name]]
        if len(gpus.users) > 1:
            work += [pool.submit(one_test, gpus, str(p), environment, 2, one_each=True) for p in on_ranks]
        for done in as_completed(work):
            report.add(*done.result())
    for name in sorted(n for n in ON_RANKS if only(n) and n not in names):
        report.add(name, False, f"{build} has no such test")


# --- Programs ---------------------------------------------------------------------------------------------------------


def solved(words, settings, keys, tolerances=TOLERANCES, ranks=0, environment=None, **how):
    """The outcome of a run with the first tolerance that rounding allows its problem; the tolerances from there on."""
    for k, tolerance in enumerate(tolerances):
        command = program_command(*words, settings=settings + [f"{key}={tolerance}" for key in keys], threads=2, **how)
        done = run_program(command, ranks, environment=environment, timeout=240)
        if done.code != 1 or "rounding" not in done.err:
            break
    return done, tolerances[k:]


def variants():
    """Of the runs on the GPU: name, settings, ranks, environment, and which run on the host they are compared with."""
    return [("cuda", [], 0, {}, "host"), ("without graphs", [], 0, {"ADAMANT_CUDA_GRAPHS": "0"}, "host"),
            ("cusparse", ["Linear solver/Matrix format=cusparse"], 0, {}, "host"),
            ("2 ranks", DISTRIBUTED + ["Ranks/Share devices=true"], 2, {}, "host, p4est's mesh")]


def one_file(gpus, build, name, program, file, change):
    """The rows of a shipped file: its runs on the GPU against those on the host."""
    change = change + SMALLER.get(file.stem, [])
    if shipped.settings(file).get("Solver/Precision") == "float16":  # which the host has not
        change = change + ["Solver/Precision=float32"]
    settings, keys, hosts, rows = change + [FILES[program]], TIGHT.get(program, ["Linear solver/Tolerance"]), {}, []
    with tempfile.TemporaryDirectory() as place:
        words = lambda label: [executable(build, program), file, "--output", f"{place}/{label}"]
        for label, more in (("host", []), ("host, p4est's mesh", DISTRIBUTED)):
            hosts[label] = solved(words(label), settings + more, keys)
        for label, more, ranks, environment, host in variants():
            first, tolerances = hosts[host]
            done = first
            if first.code is not None:  # nothing can be compared with a run that does not end
                with gpus.one() as gpu:
                    done, _ = solved(words(label), settings + more, keys, tolerances, ranks, {**environment, **gpu},
                                     backend="cuda")
            rows.append((f"{name}: {label}", *judged(Path(place), first, host, done, label)))
    return rows


def judged(place, first, host, done, label):
    """Whether a run is as the one on the host, and what to say of it."""
    said = re.search(r": error: (.*)", done.err)
    if done.code == 2 and said and label == "2 ranks" and ONE_RANK.search(done.err):
        return True, f"refused: {said[1][:110]}"
    for which, outcome in ((host, first), (label, done)):
        if outcome.code != 0:
            return False, f"{which}: {outcome.how()}: {outcome.err.strip()[-300:]}"
    try:
        worst, where = compare(place / host, place / label)
    except (OSError, ValueError, IndexError) as error:
        return False, f"{host} or {label} has left no whole results: {error}"
    return worst <= AGREEMENT, f"{worst:.1e} {where}, {done.seconds:.1f} s"


def programs(gpus, build, jobs, only, report):
    with ThreadPoolExecutor(max(1, jobs // 2)) as pool:
        work = [pool.submit(one_file, gpus, build, *run) for run in shipped.runs("medium", 20) if only(run[0])]
        for done in as_completed(work):
            for row in done.result():
                report.add(*row)


# --- Sanitizer --------------------------------------------------------------------------------------------------------


def sanitized(gpus, name, command, tool="memcheck"):
    # racecheck itself ends with a segmentation fault in loops of graphs
    graphs = {"ADAMANT_CUDA_GRAPHS": "0"} if tool == "racecheck" else {}
    with gpus.one() as gpu:
        done = run_program(command, under=["compute-sanitizer", "--tool", tool, "--error-exitcode", "99"], timeout=400,
                           environment={**gpu, **graphs})
    summary = re.findall(r"ERROR SUMMARY: .*|RACECHECK SUMMARY: .*", done.out + done.err)
    none = re.search(r"PASSED  \] 0 tests", done.out)  # a filter that fits nothing finds no fault
    zero = bool(summary) and all(re.search(r": 0 (errors|hazards)", line) for line in summary)
    clean = done.code == 0 and not none and zero
    if not clean:
        print((done.out + done.err)[-4000:])
    return f"{tool}: {name}", clean, f"{'; '.join(summary) or done.how()}, {done.seconds:.0f} s"


def sanitizer(gpus, build, jobs, only, report):
    if not shutil.which("compute-sanitizer"):
        fail("compute-sanitizer is not on the PATH")
    # One on each GPU: with several processes on one GPU memcheck reports valid accesses of loops in graphs.
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(len(gpus.users)) as pool:
        work = []

        def add(name, *rest, **more):
            if only(name):
                work.append(pool.submit(sanitized, gpus, name, *rest, **more))

        def add_test(name, some, tool):
            if only(name) and not (build / "tests" / name).is_file():
                report.add(f"{tool}: {name}", False, f"{build} has no such test")
            else:
                add(name, [build / "tests" / name, f"--gtest_filter={some}"], tool)

        for test, some in [("solvers/test_solvers", "*cuda*"), ("algebra/test_algebra", "*cuda*"),
                           ("cells/test_cell_matrix", "*cuda*"),
                           ("multigrid/test_multigrid", "*cuda*-" + LONG_IN_MEMCHECK),
                           ("fem/test_device_forms", "*cuda*:*Cuda*")]:
            add_test(test, some, "memcheck")
        for test, some in [("solvers/test_solvers", RACECHECKED),
                           ("algebra/test_algebra", "VectorOperations*cuda.*:MatrixOperations*cuda.*")]:
            add_test(test, some, "racecheck")
        seen = set()
        for name, program, file, change in shipped.runs("small", 3):
            if program in seen and "adaptive" not in name and "following" not in name:
                continue
            seen.add(program)
            words = [executable(build, program), file, "--output", f"{place}/{name.replace('/', '_')}"]
            add(name, program_command(*words, settings=change, backend="cuda", threads=2))
        for done in as_completed(work):
            report.add(*done.result())


def run(arguments, report):
    parser = argparse.ArgumentParser(prog="scripts/check gpu", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--parts", nargs="+", choices=["tests", "programs", "sanitizer"],
                        default=["tests", "programs", "sanitizer"])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD", help="names with one of these words")
    options = parser.parse_args(arguments)
    gpus = Gpus()
    if not mpirun() and set(options.parts) - {"sanitizer"}:
        fail("there is no mpirun, which tests and programs on ranks need")
    os.environ["GTEST_COLOR"] = "no"
    only = lambda name: any(word in name for word in options.only)
    for part in options.parts:
        of_part = {"tests": tests, "programs": programs, "sanitizer": sanitizer}[part]
        of_part(gpus, options.build.resolve(), options.jobs, only, report)
    report.note(f"Parts: {', '.join(options.parts)}")
