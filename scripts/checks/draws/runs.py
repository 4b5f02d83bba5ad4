"""Runs of one draw, and what has to hold for them."""

import json
import math
import os
import re
import shutil
from pathlib import Path

from checks import results
from checks.common import program_command, run_program
from checks.loaded import run_loaded

# The solver did not come to an end, or the mesh that a run has come to does not suit it, and the program says so; what
# else ends with exit code 1 is a defect.
HONEST = re.compile(r"diverge|converge|stagnat|breakdown|more than \d+ iterations|not finite|\bnan\b|no longer falls"
                    r"|the limit of steps|cannot be inverted|not positive|nothing moves|has not fallen|reached only"
                    r"|infinite or no number|div u = 0 needs 0|take block_jacobi|use another smoother", re.IGNORECASE)
SANITIZER = re.compile(r"Sanitizer|runtime error:|terminate called|Assertion .* failed|stack smashing|free\(\): "
                       r"|corrupted|double free")
# In run.json: what tells of the machine and of the clock.
OF_THE_MACHINE = {"timings", "threads", "peak_memory_bytes", "device", "restart", "version", "copy_bandwidth",
                  "v_cycle", "bytes", "balance", "ranks",
                  "seconds", "host_seconds", "transfer_seconds", "median_seconds"}
# What the solver leaves, or how it went: not comparable between numbers of ranks.
OF_THE_SOLVER = re.compile(r"iteration|residual|levels|tolerance|newton|steps_of|halvings|divergence|heat_defect|contraction"
                           r"|condition|seconds|nonlinear|^/updates$")
TIGHT = {"Linear solver/Tolerance": "1e-13", "Linear solver/Maximum iterations": "1000",
         "Heat/Newton tolerance": "1e-12", "Heat/Newton steps": "100"}


def numbers(record, path=""):
    """The leaves of run.json, by their paths, without those of the machine."""
    if isinstance(record, (dict, list)):
        for key, entry in record.items() if isinstance(record, dict) else enumerate(record):
            if key not in OF_THE_MACHINE and "second" not in str(key):
                yield from numbers(entry, f"{path}/{key}")
    else:
        yield path, record


# docs/checkpoints.md: Chebyshev smoothing follows the eigenvalues of a matrix that changes, so that continued runs
# agree to the solver's tolerance.
TO_TOLERANCE = {"buoyant_flow", "nonlinear_heat"}
# Where forces nearly balance the flow is small beside what the solver's tolerance is relative to. A viscosity that
# varies by 1e4 was measured to leave in a velocity 1e4 times the tolerance. On a curved mesh deal.II finds places of
# vertices by Newton's method, to 1e-12 and not to the bit on all ranks; of draw 313 of seed 5 (a viscosity that jumps
# by 1e3) a step then differs by 3e-7. On a box it does not.
RELATIVE = {"buoyant_flow": 1e-6, "stokes": 1e-8}
# The residual is that of forces: what it leaves in a pressure grows with the number of cells and the viscosity's ratio.
# Of draws 41 and 168 of seed 5 it was measured to be 3e6 and 2e7 times the tolerance, at 1e-12, 1e-13 and 1e-14.
PRESSURE = {"stokes": 1e-5}
# Where a profile's least or largest values are equal, rounding chooses the place.
PLACE = re.compile(r"/(min|max)_at/")
# transport_diffusion counts the changes of its matrix since the restart.
OF_THE_WAY = ("/updates",)


def close(a, b, scale, relative=1e-9):
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return a == b
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= relative * (max(abs(a), abs(b)) + 0.1 * scale)


class Run:
    """What a run left."""

    def __init__(self, outcome, folder):
        self.outcome, self.folder, self.code = outcome, folder, outcome.code
        text = outcome.err
        begin = text.find(": error: ")
        self.message = text[text.rfind("\n", 0, begin) + 1:].strip() if begin >= 0 else text.strip()[-600:]
        self.record = json.loads((folder / "run.json").read_text()) if (folder / "run.json").is_file() else None
        self.statistics = (folder / "statistics.csv").read_text() if (folder / "statistics.csv").is_file() else ""
        # After a solver has failed: rounding may decide how often.
        self.repeats = ", so that the step from time" in outcome.out

    def bad(self):
        """What no run may do, whatever its parameters are; None where it did not."""
        if self.code is None:
            return "does not end"
        if found := SANITIZER.search(self.outcome.err):
            return f"{self.outcome.how()}, '{found[0]}'"
        if self.code < 0 or self.code not in (0, 1, 2):
            return f"ends with {self.outcome.how()}"
        if self.code == 1 and not HONEST.search(self.message):
            return "exit code 1 without a reason that a solver has"
        return None

    def fields(self):
        """The bytes of the files for viewers, less the date in them."""
        files = {p.relative_to(self.folder): p.read_bytes() for p in sorted(self.folder.rglob("*"))
                 if p.suffix in (".vtu", ".pvd", ".csv")}
        return {name: data[max(data.find(b"<VTKFile"), 0):] for name, data in files.items()}


class Runs:
    """Runs one program on the settings of a draw in a folder of its own; each comparison returns a complaint, or
    None."""

    def __init__(self, executable, keys, folder, timeout):
        self.executable, self.keys, self.folder, self.timeout = executable, keys, Path(folder), timeout
        self.notes, self.n, self.known = [], 0, {}
        self.environment = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "detect_leaks=0")}

    def run(self, settings, threads=1, ranks=0, arguments=(), restart=None):
        """Where `ranks` is 0, without mpirun. What has been run is not run again."""
        key = (tuple(sorted(settings.items())), threads, ranks, tuple(arguments))
        if restart is None and key in self.known:
            return self.known[key]
        self.n += 1
        output = restart or self.folder / f"run{self.n}"
        where = [f"--restart={restart}"] if restart else ["--output", output]
        named = {name: text.replace("{folder}", str(self.folder)) for name, text in settings.items()}
        command = program_command(self.executable, *where, *arguments, settings=named, threads=threads)
        options = {"cwd": self.folder, "environment": self.environment, "timeout": self.timeout}
        run = Run(run_program(command, ranks, **options) if ranks else run_loaded(command, **options), output)
        if restart is None:
            self.known[key] = run
        return run

    def base(self, settings):
        run = self.run(settings)
        self.first = run
        if complaint := run.bad():
            return complaint
        if run.code == 2:
            named = any(re.search(rf"(?<![\w]){re.escape(key)}(?![\w])", run.message)
                        for key in [*self.keys, *(k.rsplit("/", 1)[0] for k in self.keys)])
            if not named:
                return "exit code 2 without the name of a key"
            if run.folder.exists():
                return "exit code 2 after files have been written"
        if run.code == 0 and run.record is None:
            return "exit code 0 without run.json"
        infinite = lambda v: isinstance(v, float) and not math.isfinite(v)
        if run.code == 0 and (bad := [p for p, v in numbers(run.record) if infinite(v)]):
            return f"exit code 0 with {bad[0]} not finite"
        return None

    def threads(self, settings):
        one, four = self.run(settings), self.run(settings, threads=4)
        return one.bad() or self.same_bits(one, four)

    def same_bits(self, one, other, but=("-",)):
        if one.code != other.code:
            return f"exit code {other.code} instead of {one.code}: {other.message}"
        if one.code != 0:
            return None
        if one.statistics != other.statistics:
            rows = [(a, b) for a, b in zip(one.statistics.splitlines(), other.statistics.splitlines()) if a != b]
            if not rows:
                return "statistics.csv of another length"
            return f"another statistics.csv; the first row that differs:\n    {rows[0][0]}\n    {rows[0][1]}"
        a, b = ({p: v for p, v in numbers(run.record) if not p.startswith(but)} for run in (one, other))
        if wrong := [path for path in {**a, **b} if a.get(path) != b.get(path)
                     and not (a.get(path) != a.get(path) and b.get(path) != b.get(path))]:
            return f"another {wrong[0]} in run.json: {b.get(wrong[0])} instead of {a.get(wrong[0])}"
        a, b = one.fields(), other.fields()
        if wrong := [name for name in {**a, **b} if a.get(name) != b.get(name)]:
            return f"another file {wrong[0]}" if wrong[0] in a and wrong[0] in b else f"{wrong[0]} is not in both"
        return None

    def restart(self, settings):
        """A run with checkpoints is the run without; its files but the newest checkpoint, continued, become the same
        again."""
        settings = {**settings, "Checkpoint/Steps": settings.get("Checkpoint/Steps", "2")}
        if self.executable.name in TO_TOLERANCE:
            settings = self.tight(settings)
        run = self.run(settings)
        checkpoints = sorted(run.folder.glob("checkpoint_*")) if run.folder.is_dir() else []
        if run.code == 0 and not checkpoints:
            self.notes.append("too short for a checkpoint")
        if run.bad() or run.code == 0 and not checkpoints:
            return run.bad()
        plain = self.run({key: text for key, text in settings.items() if key != "Checkpoint/Steps"})
        if complaint := self.same_bits(plain, run):
            return f"with checkpoints: {complaint}"
        if run.code != 0 or self.repeat(run):
            return None
        copy = self.folder / f"copy{self.n}"
        shutil.copytree(run.folder, copy)
        if len(checkpoints) > 1:
            (copy / checkpoints[-1].name).unlink()
        again = self.run({}, restart=copy)
        if self.executable.name in TO_TOLERANCE:
            return again.bad() or self.same_results(run, again, 1e-4)
        if complaint := again.bad() or self.same_bits(run, again, OF_THE_WAY):
            return complaint
        last = copy / checkpoints[-1].name
        if not last.is_file():
            return "without the last checkpoint"
        if last.read_bytes() != checkpoints[-1].read_bytes():
            return "other bits in the last checkpoint"
        return None

    def tight(self, settings):
        return {**settings, **{key: text for key, text in TIGHT.items() if key in self.keys}}

    def serial(self, settings):
        """A serial mesh and p4est's."""
        settings = self.tight(settings)
        serial, p4est = self.run(settings), self.run({**settings, "Ranks/Distributed mesh": "true"})
        if complaint := serial.bad() or p4est.bad():
            return complaint
        if p4est.code == 2 or serial.code != 0 or self.repeat(serial, p4est):
            return None
        if p4est.code == 0 and self.other_mesh(serial, p4est):
            return None
        complaint = self.same_results(serial, p4est)
        if complaint and serial.record.get("remeshes", 0) > 0:  # p4est keeps neighbours over corners within one level
            self.notes.append("adaptive runs that differ between serial and p4est's meshes")
            return None
        return complaint

    def ranks(self, settings):
        settings = {**self.tight(settings), "Ranks/Distributed mesh": "true"}
        one = self.run(settings)
        if one.code != 0 or self.repeat(one):
            return one.bad()
        for n in (2, 3):
            run = self.run(settings, ranks=n)
            if self.repeat(run):
                return run.bad()
            if run.code == 2 and "rank" in run.message:
                self.notes.append(f"{n} ranks refused")
                return None
            if run.bad() or run.code != 0:
                return f"{n} ranks: {run.bad() or 'exit code ' + str(run.code)}: {run.message}"
            if self.adaptive(settings) and self.other_mesh(one, run):
                return None
            if complaint := self.same_results(one, run):
                return f"{n} ranks: {complaint}"
        return None

    def repeat(self, *runs):
        if any(run.repeats for run in runs):
            self.notes.append("steps that were taken again")
            return True
        return False

    def adaptive(self, settings):
        """Whether rounding decides which cells are refined, where estimates are equal."""
        keys = ("Adaptivity/Interval", "Adaptivity/Growth", "Refinement/For velocity", "Refinement/Cycles",
                "Discretization/Adaptive cycles", "Heat/Adaptive cycles", "Adaptivity/First mesh cycles")
        return (any(settings.get(key, "") not in ("0", "") for key in keys)
                or settings.get("Discretization/Refinement") == "kelly")

    def other_mesh(self, one, other):
        column = lambda run: [row.split(",") for row in run.statistics.splitlines()]
        a, b = column(one), column(other)
        cells = [k for k, name in enumerate(a[0] if a else []) if name in ("cells", "dofs", "unknowns")]
        same = all(one.record.get(key) == other.record.get(key) for key in ("dofs", "remeshes"))
        if same and all(x[k] == y[k] for x, y in zip(a, b) for k in cells):
            return False
        self.notes.append("another mesh")
        return True

    def same_results(self, one, other, relative=None):
        relative = relative or RELATIVE.get(self.executable.name, 1e-9)
        if other.code != one.code:
            return f"exit code {other.code} instead of {one.code}: {other.message}"
        a, b = one.statistics.splitlines(), other.statistics.splitlines()
        if len(a) != len(b) or a[:1] != b[:1]:
            return f"statistics.csv with {len(b)} rows instead of {len(a)}"
        names = a[0].split(",") if a else []
        rows = [([float(x) for x in r.split(",")], [float(x) for x in s.split(",")]) for r, s in zip(a[1:], b[1:])]
        scales = [max((abs(x) for pair in rows for x in (pair[0][k], pair[1][k]) if math.isfinite(x)), default=0.)
                  for k in range(len(names))]
        largest = max((s for n, s in zip(names, scales)
                       if n not in ("step", "time", "iterations", "cells", "dofs", "unknowns")), default=0.)
        for step, (r, s) in enumerate(rows):
            for k, name in enumerate(names):
                if not OF_THE_SOLVER.search(name) and not close(r[k], s[k], max(scales[k], 1e-2 * largest), relative):
                    return f"{name} in row {step + 1} of statistics.csv is {s[k]} instead of {r[k]}"
        a, b = dict(numbers(one.record)), dict(numbers(other.record))
        largest = max([largest] + [abs(v) for p, v in a.items() if isinstance(v, float) and math.isfinite(v)
                                   and not OF_THE_SOLVER.search(p)])
        for path in {**a, **b}:
            of_path = PRESSURE.get(self.executable.name, relative) if results.kind(path) == "pressure" else relative
            compared = not OF_THE_SOLVER.search(path) and not PLACE.search(path)
            if compared and not close(a.get(path), b.get(path), 0.1 * min(largest, 1.), of_path):
                return f"{path} in run.json is {b.get(path)} instead of {a.get(path)}"
        return None

    def dry_run(self, settings):
        run, dry = self.run(settings), self.run(settings, arguments=["--dry-run"])
        if run.code != 0 or self.adaptive(settings):  # a mesh that changes needs what it will
            return dry.bad()
        if dry.code != 0:
            return f"--dry-run: exit code {dry.code}: {dry.message}"
        if dry.folder.exists():
            return "--dry-run: files have been written"
        told = re.search(r"host memory expected: ([0-9.]+) MB", dry.outcome.out)
        used = 1e-6 * run.record["peak_memory_bytes"]["host"]
        if not told or float(told[1]) < 0.9 * used - 1:
            return f"--dry-run: {told[1] if told else 'no'} MB promised, {used:.1f} MB used"
        return None
