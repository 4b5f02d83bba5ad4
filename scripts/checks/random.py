"""Runs drawn from the programs' own declared parameters, on drawn meshes, compared with what has to be equal to them.

  scripts/check random N [SEED] [--build DIR] [--programs A,B] [--jobs J]
  scripts/check random 1 SEED --only PROGRAM:I     draw I of this seed alone, with all comparisons

Each draw ends with exit code 0; or 2 and a message that names a key; or 1 where a solver says why it did not come to an end; never with a
signal. Then: the same bits on 1 and 4 threads, and of a run that is stopped and continued; a serial mesh as p4est's, and 1 rank
as 2 and 3 to 1e-9; no more memory than a dry run promises. A draw that fails is shrunk to the few keys that matter.
"""

import argparse
import collections
import concurrent.futures
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from checks.common import PROGRAMS, ROOT, fail
from checks.draws.parameters import declared
from checks.draws.problems import PROBLEMS, Draw
from checks.draws.runs import Runs
from checks.draws.shrink import shrink

COMPARISONS = ["base", "threads", "dry_run", "restart", "serial", "ranks"]
ONE_RANK = {"poisson", "stationary_navier_stokes"}  # they refuse p4est's meshes
SET_HERE = {"Checkpoint/Steps", "Ranks/Distributed mesh"}  # by comparisons


def mpirun():
    """The command that starts ranks, also more than there are cores; None where there is none."""
    if not (found := shutil.which("mpirun") or shutil.which("mpiexec")):
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    return [found, "--oversubscribe", "--bind-to", "none"] if "Open MPI" in version or "OpenRTE" in version else [found]


class Result:
    """Of a draw: how its run ended, the comparisons that were made, and of those that failed (name, complaint, command)."""

    def __init__(self, draw):
        self.draw, self.code, self.message, self.notes, self.done, self.failed, self.seconds = draw, 0, "", [], [], [], 0.


def command(executable, settings, folder):
    words = [os.path.relpath(executable, ROOT) if ROOT in Path(executable).parents else str(executable), "--backend", "host", "--threads", "1"]
    for key, text in settings.items():
        words += ["--set", f"{key}={text.replace('{folder}', str(folder))}"]
    return " ".join(map(shlex.quote, words))


def kind(complaint):
    """What has to stay the same while a failing draw is shrunk: the words without the numbers."""
    return "".join(c for c in complaint.split(":")[0].split(" in row")[0] if not c.isdigit())[:60]


def look(options, program, number):
    draw = Draw(options.seed, program, number, options.keys[program])
    result, executable = Result(draw), options.executables[program]
    comparisons = COMPARISONS[:6 if number % options.every == 0 else 2 if number % 2 == 0 else 1]
    comparisons = [c for c in comparisons if not (c in ("serial", "ranks") and program in ONE_RANK) and not (c == "ranks" and not options.mpirun)]
    keep = options.keep / f"{program}_{number}"
    with tempfile.TemporaryDirectory(prefix="r") as folder:
        for name, text in draw.files.items():
            (Path(folder) / name).write_text(text)
        begin, runs = time.monotonic(), Runs(executable, options.keys[program], folder, options.timeout, options.mpirun)
        wrong = {}
        for comparison in comparisons:
            if complaint := getattr(runs, comparison)(draw.settings):
                wrong[comparison] = complaint
            result.done.append(comparison)
            if comparison == "base":
                result.code, result.message = runs.first.code, runs.first.message
                if result.code != 0 or complaint:
                    break
        result.notes, result.seconds = list(runs.notes), time.monotonic() - begin
        for comparison, complaint in wrong.items():
            settings = draw.settings
            if options.shrink > 0:
                runs.timeout = options.timeout if "not end" in complaint else min(options.timeout, 20)
                fails = lambda some: kind(getattr(runs, comparison)(some) or "") == kind(complaint)
                settings = shrink(settings, fails, options.shrink)
            result.failed.append((comparison, complaint, command(executable, settings, keep)))
    if (result.failed or options.only) and draw.files:
        keep.mkdir(parents=True, exist_ok=True)
        for name, text in draw.files.items():
            (keep / name).write_text(text)
    result.command = command(executable, draw.settings, keep)
    return result


def tell(report, program, results, n_keys, n_drawn):
    """The row of a program, and how its draws ended."""
    codes = collections.Counter(r.code for r in results)
    done = collections.Counter(c for r in results if r.code == 0 for c in r.done)
    notes = collections.Counter(note for r in results for note in r.notes)
    accepted = sum(r.code in (0, 1) for r in results)
    text = (f"{codes[0]} ran, {codes[1]} did not converge, {codes[2]} refused; " + ", ".join(f"{name} {n}" for name, n in done.items())
            + f"; {n_drawn} of {n_keys} keys set" + "".join(f"; {note}: {n}" for note, n in notes.items()))
    report.add(f"{program}: {len(results)} draws", accepted >= 0.5 * len(results) or len(results) < 10, text)
    for code, what in ((1, "did not converge"), (2, "refused")):
        for r in results:
            if r.code == code and not r.failed:
                print(f"        {program}:{r.draw.number} {what}: {r.message.splitlines()[0][:300] if r.message else ''}")
    slow = max(results, key=lambda r: r.seconds)
    print(f"        the longest: {program}:{slow.draw.number}, {slow.seconds:.1f} s; all: {sum(r.seconds for r in results):.0f} s", flush=True)
    return accepted


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="scripts/check random", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", nargs="?", type=int, default=20, metavar="N", help="draws for each program")
    parser.add_argument("seed", nargs="?", type=int, default=1, metavar="SEED")
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the programs lie there, in apps/, bin/ or directly")
    parser.add_argument("--programs", default=",".join(PROBLEMS))
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="draws at a time")
    parser.add_argument("--first", type=int, default=0, metavar="I", help="number of the first draw")
    parser.add_argument("--only", metavar="PROGRAM:I", help="this draw alone")
    parser.add_argument("--every", type=int, default=1, metavar="K", help="all comparisons for every K-th draw only, threads for every second one")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for a run")
    parser.add_argument("--shrink", type=float, default=120, help="seconds for shrinking a failing draw")
    parser.add_argument("--keep", type=Path, default=Path("output/check_random"), help="folder for the meshes of failing draws")
    options = parser.parse_args(arguments)
    if options.only:
        options.programs, _, number = options.only.partition(":")
        options.first, options.n, options.every = int(number), 1, 1
    options.names = options.programs.split(",")
    for name in options.names:
        if name not in PROBLEMS:
            fail(f"no draws of '{name}'; there are: {', '.join(PROBLEMS)}", 2)
    options.executables, options.mpirun, options.keep = {}, mpirun(), options.keep.resolve()
    for name in options.names:
        places = [options.build.resolve() / folder / name for folder in ("apps", "bin", ".")]
        if not (found := [p for p in places if os.access(p, os.X_OK) and p.is_file()]):
            fail(f"no program '{name}' in {options.build}", 2)
        options.executables[name] = found[0]
    options.keys = {name: declared(options.executables[name]) for name in options.names}
    return options


def run(arguments, report):
    options = options_of(arguments)
    for missing in sorted(set(PROGRAMS) - set(PROBLEMS)):
        report.add(f"{missing}: no draws", False, "a program of apps/ without a function in checks/draws/problems.py")
    work = [(name, i) for i in range(options.first, options.first + options.n) for name in options.names]
    results = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda item: look(options, *item), work):
            results[result.draw.program].append(result)
            for comparison, complaint, line in result.failed:
                report.add(f"{result.draw.program}:{result.draw.number} {comparison}", False, f"{complaint}\n    {result.message}\n    {line}")
    accepted = 0
    for name in options.names:
        drawn = set().union(*(Draw(options.seed, name, i, options.keys[name]).settings for i in range(400)), SET_HERE)
        if never := sorted(set(options.keys[name]) - drawn):
            report.add(f"{name}: keys", False, "never drawn: " + ", ".join(never))
        used = set().union(*(r.draw.settings for r in results[name]), SET_HERE)
        accepted += tell(report, name, results[name], len(options.keys[name]), len(used & set(options.keys[name])))
    if options.only:
        print(results[options.names[0]][0].command)
    report.note(f"Of {len(work)} draws {accepted} were accepted" + ("" if options.mpirun else "; ranks were left out, as there is no mpirun"))
