"""What needs a GPU: the cases that CI skips, every shipped file against the host, compute-sanitizer. Eight minutes on 16 cores.

  scripts/check gpu [--build DIR] [--parts tests programs sanitizer] [--jobs N] [--only WORD]

tests      every GoogleTest case on a GPU, and matrices on 1, 2 and 4 ranks that share it; a case that skips itself counts as failed
programs   every shipped parameter file for 20 steps on the host and on the GPU: with graphs, without them, with cuSPARSE, on two ranks
           that share the GPU; statistics.csv row by row, nodal values of all VTU files, the results in run.json
sanitizer  memcheck of small runs of all programs and of every Krylov method's loop, racecheck of operations and solvers
A node without deal.II takes the programs with their libraries from scripts/pack, run as `bash .gpu/run scripts/check gpu ...`.
"""

import argparse
import base64
import csv
import json
import math
import os
import re
import shutil
import struct
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import shipped
from .common import PROGRAMS, ROOT, Outcome, fail

GPU_CASES = "*cuda*:*Cuda*:*cusparse*:*Gpu*"
FILES = {"transport_diffusion": "Time stepping/Output interval=10", "buoyant_flow": "Time stepping/Output interval=10",
         "elasticity": "Output/Interval=10", "navier_stokes": "Output/Interval=10", "template": "Heat/Output interval=10",
         "nonlinear_heat": "Heat/Output interval=10", "stokes": "Output/Files=true", "stationary_navier_stokes": "Output/Files=true",
         "poisson": "Output/Files=true"}
# Solves end far below what is compared, so that iterations may differ.
TIGHT = {"stationary_navier_stokes": ["Nonlinear solver/Tolerance=1e-11"], "poisson": [],
         "nonlinear_heat": ["Heat/Newton tolerance=1e-11", "Linear solver/Tolerance=1e-11"]}
FORMAT = {"poisson": "Solver/Matrix format=cusparse"}
AGREEMENT = 1e-7  # of what is compared, relative to its largest value; VTU files have float32
COUNTS = re.compile(r"iterations|residual|newton|timing|second|memory|bytes|evaluations|backtrack|updates|applications|levels_by_cells|step", re.IGNORECASE)
# Components of a vector are compared relative to the largest of them: one that vanishes by symmetry has no scale of its own.
COMPONENT = re.compile(r"([_/]u?[xyz](?=/|$))|(/\d+(?=/|$))")
LEFT_OUT = {"backend", "device", "devices", "threads", "timings", "peak_memory_bytes", "iterations", "hardware", "command", "date", "precision",
            "tolerance", "levels", "setup", "memory", "commit", "version", "solver", "ranks", "matrix_format", "bandwidth"}


# --- Tests ------------------------------------------------------------------------------------------------------------


def cases(program, environment):
    """The names of a test program's cases on a GPU."""
    done = Outcome([program, "--gtest_list_tests", f"--gtest_filter={GPU_CASES}"], environment=environment, timeout=60)
    return [line for line in done.out.splitlines() if line.startswith("  ")]


def one_test(program, environment, ranks=0):
    command = [program, f"--gtest_filter={GPU_CASES}"]
    if ranks:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(ranks), program, "--gtest_filter=CudaRanks.*"]
    done = Outcome(command, environment=environment, timeout=420)
    text = done.out + done.err
    count = lambda word: sum(int(n) for n in re.findall(rf"\[  {word}  \] (\d+) tests?", text))
    failed = sorted(set(re.findall(r"^\[  FAILED  \] (\S+?),? ", text, re.MULTILINE)) - {"tests", "test"})
    passed = done.code == 0 and count("SKIPPED") == 0 and count("PASSED") > 0
    name = Path(program).name + (f" on {ranks} ranks" if ranks else "")
    if not passed:
        print(text[-6000:])
    return name, passed, f"{count('PASSED')} passed, {count('SKIPPED')} skipped, {done.seconds:.0f} s, {done.how()} {' '.join(failed[:8])}"


def tests(build, jobs, only, report):
    environment = {name.upper() if name != "stationary_navier_stokes" else "STATIONARY": str((build / "apps" / name).resolve()) for name in PROGRAMS}
    programs = sorted(p for p in build.glob("tests/*/test_*") if os.access(p, os.X_OK) and p.is_file() and only in p.name)
    with ThreadPoolExecutor(max(1, jobs // 2)) as pool:
        work = [pool.submit(one_test, str(p), environment) for p in programs if p.name != "test_rank_matrices" and cases(str(p), environment)]
        work += [pool.submit(one_test, str(p), environment, n) for p in programs if p.name == "test_rank_matrices" for n in (1, 2, 4)]
        for done in work:
            report.add(*done.result())


# --- Results of programs ----------------------------------------------------------------------------------------------


def array(text):
    """The numbers of a VTU file's DataArray: zlib in base64, or plain text."""
    header = base64.b64decode(text[:8])
    (blocks,) = struct.unpack("<I", header[:4])
    length = 4 * (3 + blocks)
    encoded = (length + 2) // 3 * 4
    sizes = struct.unpack(f"<{3 + blocks}I", base64.b64decode(text[:encoded])[:length])
    raw, data = base64.b64decode(text[encoded:]), b""
    for size in sizes[3:]:
        data += zlib.decompress(raw[:size])
        raw = raw[size:]
    return data


def fields(file):
    """{name: values} of the floating-point arrays of a VTU file, points included."""
    found = {}
    pattern = r'<DataArray type="Float(32|64)"(?: Name="([^"]*)")?[^>]*>\s*([^<]*?)\s*</DataArray>'
    for i, (bits, name, text) in enumerate(re.findall(pattern, file.read_text())):
        if "partition" in name or "subdomain" in name or "owner" in name:
            continue
        data = array(text)
        found[name or f"points {i}"] = struct.unpack(f"<{len(data) // (int(bits) // 8)}{'f' if bits == '32' else 'd'}", data)
    return found


def largest_of_groups(values):
    """{name without its components: the largest value}."""
    found = {}
    for name, value in values:
        if not math.isnan(value):
            found[COMPONENT.sub("", name)] = max(found.get(COMPONENT.sub("", name), 0.0), value)
        else:
            found.setdefault(COMPONENT.sub("", name), 0.0)
    return found


def difference(a, b, scale=None):
    """The largest difference of two lists relative to scale or their largest value; infinite where lengths or NaN differ."""
    if len(a) != len(b):
        return math.inf
    largest = max((abs(x) for x in a if not math.isnan(x)), default=0.0) if scale is None else scale
    worst = 0.0
    for x, y in zip(a, b):
        if math.isnan(x) != math.isnan(y):
            return math.inf
        if not math.isnan(x) and x != y:
            worst = max(worst, abs(x - y))
    return worst / largest if largest > 0 else worst


def columns(file):
    rows = list(csv.reader(file.open()))
    number = lambda word: float(word) if word not in ("", "-") else math.nan
    return {name: [number(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0]) if not COUNTS.search(name)} if rows else {}


def leaves(record, path=""):
    """The numbers of a run.json that are results."""
    if isinstance(record, dict):
        for key, value in record.items():
            if key not in LEFT_OUT and not COUNTS.search(key):
                yield from leaves(value, f"{path}/{key}")
    elif isinstance(record, list):
        for i, value in enumerate(record):
            yield from leaves(value, f"{path}/{i}")
    elif isinstance(record, (int, float)) and not isinstance(record, bool):
        yield path, float(record)


def compare(host, other, with_files=True):
    """What differs between the folders of two runs: (largest difference, where)."""
    found = [(0.0, "")]
    if (host / "statistics.csv").is_file():
        a, b = columns(host / "statistics.csv"), columns(other / "statistics.csv")
        scales = largest_of_groups((name, abs(x)) for name in a for x in a[name])
        found += [(difference(a[name], b.get(name, []), scales[COMPONENT.sub("", name)]), f"statistics.csv: {name}") for name in a]
    a, b = (dict(leaves(json.loads((folder / "run.json").read_text()))) for folder in (host, other))
    scales = largest_of_groups((path, abs(value)) for path, value in a.items())
    for path, value in a.items():
        scale = scales[COMPONENT.sub("", path)]
        found.append((abs(value - b[path]) / (scale or 1.0) if path in b else math.inf, f"run.json: {path}"))
    for file in sorted(host.glob("*.vtu")) if with_files else []:
        if not (other / file.name).is_file():
            found.append((math.inf, f"{file.name} is missing"))
            continue
        a, b = fields(file), fields(other / file.name)
        found += [(difference(a[name], b.get(name, [])), f"{file.name}: {name}") for name in a]
    return max(found)


# --- Programs ---------------------------------------------------------------------------------------------------------


def launch(build, program, file, settings, folder, backend, ranks=0, environment=None):
    command = [build / "apps" / program, file, "--backend", backend, "--threads", "2", "--output", folder]
    for setting in settings:
        command += ["--set", setting]
    if ranks:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", str(ranks), *command,
                   "--set", "Ranks/Share devices=true", "--set", "Ranks/Distributed mesh=true"]
    return Outcome(command, environment=environment, timeout=240)


def one_file(build, name, program, file, change):
    """The rows of a shipped file: its runs on the GPU against the one on the host."""
    rows = []
    with tempfile.TemporaryDirectory() as place:
        if shipped.settings(file).get("Solver/Precision") == "float16":  # which the host has not
            change = change + ["Solver/Precision=float32"]
        settings = change + [FILES[program]] + TIGHT.get(program, ["Linear solver/Tolerance=1e-11"])
        host = launch(build, program, file, settings, f"{place}/host", "host")
        if host.code == 1 and "tolerance" in host.err:  # below what rounding allows this problem
            settings = change + [FILES[program]]
            host = launch(build, program, file, settings, f"{place}/host", "host")
        if host.code != 0:
            return [(f"{name}: host", False, f"{host.how()}: {host.err.strip()[-200:]}")]
        variants = [("cuda", [], 0, {}), ("without graphs", [], 0, {"ADAMANT_CUDA_GRAPHS": "0"}),
                    ("cusparse", [FORMAT.get(program, "Linear solver/Matrix format=cusparse")], 0, {}), ("2 ranks", [], 2, {})]
        for label, more, ranks, environment in variants:
            folder = f"{place}/{label.replace(' ', '_')}"
            done = launch(build, program, file, settings + more, folder, "cuda", ranks, environment)
            if done.code == 2 and label in ("cusparse", "2 ranks"):
                rows.append((f"{name}: {label}", True, f"refused: {done.err.strip().splitlines()[-1][-110:]}"))
            elif done.code != 0:
                rows.append((f"{name}: {label}", False, f"{done.how()}: {done.err.strip()[-300:]}"))
            else:
                worst, where = compare(Path(f"{place}/host"), Path(folder), with_files=ranks == 0)
                rows.append((f"{name}: {label}", worst <= AGREEMENT, f"{worst:.1e} {where}, {done.seconds:.1f} s"))
    return rows


def programs(build, jobs, only, report):
    with ThreadPoolExecutor(max(1, jobs // 2)) as pool:
        work = [pool.submit(one_file, build, *run) for run in shipped.runs("medium", 20) if only in run[0]]
        for done in work:
            for row in done.result():
                report.add(*row)


# --- Sanitizer --------------------------------------------------------------------------------------------------------


def sanitized(name, command, environment=None, tool="memcheck"):
    done = Outcome(["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", *command], environment=environment, timeout=200)
    summary = re.findall(r"ERROR SUMMARY: .*|RACECHECK SUMMARY: .*", done.out + done.err)
    none = re.search(r"PASSED  \] 0 tests", done.out)  # a filter that fits nothing finds no fault
    clean = done.code == 0 and not none and bool(summary) and all(re.search(r": 0 (errors|hazards)", line) for line in summary)
    if not clean:
        print((done.out + done.err)[-4000:])
    return f"{tool}: {name}", clean, f"{'; '.join(summary) or done.how()}, {done.seconds:.0f} s"


def sanitizer(build, jobs, only, report):
    if not shutil.which("compute-sanitizer"):
        fail("compute-sanitizer is not on the PATH")
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(max(1, jobs // 2)) as pool:
        work = []
        add = lambda name, *rest, **more: work.append(pool.submit(sanitized, name, *rest, **more)) if only in name else None
        seen = set()
        for name, program, file, change in shipped.runs("small", 3):
            if program in seen and "adaptive" not in name and "following" not in name:
                continue
            seen.add(program)
            command = [build / "apps" / program, file, "--backend", "cuda", "--threads", "2", "--output", f"{place}/{name.replace(' ', '_')}"]
            add(name, command + [word for setting in change for word in ("--set", setting)])
        for test, some in [("solvers/test_solvers", "*cuda*"), ("algebra/test_algebra", "*cuda*"), ("multigrid/test_multigrid", "*cuda*"),
                           ("discretization/test_device_forms", "*cuda*:*Cuda*")]:
            if (build / "tests" / test).is_file():
                add(f"{test}", [build / "tests" / test, f"--gtest_filter={some}"])
        for test, some in [("solvers/test_solvers", "*Krylov*/cuda:*BiCGStab*/cuda:*TimeSteps*/cuda"), ("algebra/test_algebra", "VectorOperations*cuda.*:MatrixOperations*cuda.*")]:
            if (build / "tests" / test).is_file():
                add(f"{test}", [build / "tests" / test, f"--gtest_filter={some}"], tool="racecheck")
        for done in work:
            report.add(*done.result())


def run(arguments, report):
    parser = argparse.ArgumentParser(prog="scripts/check gpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--parts", nargs="+", choices=["tests", "programs", "sanitizer"], default=["tests", "programs", "sanitizer"])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--only", default="", metavar="WORD")
    options = parser.parse_args(arguments)
    if not shutil.which("nvidia-smi") or Outcome(["nvidia-smi", "-L"]).code != 0:
        fail("no GPU is visible here (nvidia-smi -L)")
    os.environ.update(OMP_WAIT_POLICY="passive", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_ess_singleton_isolated="1", GTEST_COLOR="no")
    for part in options.parts:
        {"tests": tests, "programs": programs, "sanitizer": sanitizer}[part](options.build.resolve(), options.jobs, options.only, report)
    report.note(f"Parts: {', '.join(options.parts)}")
