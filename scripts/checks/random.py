"""Runs drawn from the programs' own declared parameters, on drawn meshes, compared with what has to be equal to them.

  scripts/check random N [SEED] [--build DIR] [--programs A,B] [--jobs J]
  scripts/check random 1 SEED --only PROGRAM:I     draw I of this seed alone, with all comparisons
  scripts/check random 100000 SEED --minutes 25    as many draws as the cores do in this time

Each draw ends with exit code 0; or 2 and a message that names a key; or 1 where a solver says why it did not come to an
end; never with a signal. Then: the same bits on 1 and 4 threads, and of a run that is stopped and continued; a serial
mesh as p4est's, and 1 rank as 2 and 3 to 1e-9; no more memory than a dry run promises. A draw that fails is shrunk to
the few keys that matter. Without mpirun the check fails, unless --without ranks says that they are not wanted. A node
without deal.II takes the programs with their libraries from scripts/pack: `bash .gpu/run scripts/check random ...
--build DIR`; likewise the kinds physics, sanitize and races.
"""

import argparse
import collections
import itertools
import math
import os
import shlex
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checks.common import PROGRAMS, ROOT, executable, fail, mpirun, program_command
from checks.draws.parameters import declared
from checks.draws.problems import PROBLEMS, Draw
from checks.draws.runs import Runs
from checks.draws.shrink import shrink

COMPARISONS = ["base", "threads", "dry_run", "restart", "serial", "ranks"]
ONE_RANK = {"poisson", "stationary_navier_stokes"}  # they refuse p4est's meshes
SET_HERE = {"Checkpoint/Steps", "Ranks/Distributed mesh"}  # by comparisons


class Result:
    """Of a draw: how its run ended, the comparisons that were made, and of those that failed (name, complaint,
    command)."""

    def __init__(self, draw):
        self.draw, self.code, self.message, self.seconds = draw, 0, "", 0.
        self.notes, self.done, self.failed = [], [], []


def command(program, settings, folder):
    program = os.path.relpath(program, ROOT) if ROOT in Path(program).parents else str(program)
    settings = {key: text.replace("{folder}", str(folder)) for key, text in settings.items()}
    return " ".join(shlex.quote(str(word)) for word in program_command(program, settings=settings))


def kind(complaint):
    """What has to stay the same while a failing draw is shrunk: the words without the numbers."""
    return "".join(c for c in complaint.split(":")[0].split(" in row")[0] if not c.isdigit())[:60]


def look(options, program, number):
    draw = Draw(options.seed, program, number, options.keys[program])
    result, file = Result(draw), options.executables[program]
    comparisons = COMPARISONS[:6 if number % options.every == 0 else 2 if number % 2 == 0 else 1]
    left_out = options.without + (["serial", "ranks"] if program in ONE_RANK else [])
    comparisons = [c for c in comparisons if c not in left_out]
    keep = options.keep / f"{program}_{number}"
    with tempfile.TemporaryDirectory(prefix="r") as folder:
        for name, text in draw.files.items():
            (Path(folder) / name).write_text(text)
        begin, runs = time.monotonic(), Runs(file, options.keys[program], folder, options.timeout)
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
            result.failed.append((comparison, complaint, command(file, settings, keep)))
    if (result.failed or options.only) and draw.files:
        keep.mkdir(parents=True, exist_ok=True)
        for name, text in draw.files.items():
            (keep / name).write_text(text)
    result.command = command(file, draw.settings, keep)
    return result


def tell(report, program, results, n_keys, n_drawn):
    """The row of a program, and how its draws ended."""
    codes = collections.Counter(r.code for r in results)
    done = collections.Counter(c for r in results if r.code == 0 for c in r.done)
    notes = collections.Counter(note for r in results for note in r.notes)
    accepted = sum(r.code in (0, 1) for r in results)
    text = (f"{codes[0]} ran, {codes[1]} did not converge, {codes[2]} refused; "
            + ", ".join(f"{name} {n}" for name, n in done.items())
            + f"; {n_drawn} of {n_keys} keys set" + "".join(f"; {note}: {n}" for note, n in notes.items()))
    report.add(f"{program}: {len(results)} draws", accepted >= 0.5 * len(results) or len(results) < 10, text)
    for code, what in ((1, "did not converge"), (2, "refused")):
        for r in results:
            if r.code == code and not r.failed:
                print(f"        {program}:{r.draw.number} {what}: {r.message.partition(chr(10))[0][:300]}")
    slow = max(results, key=lambda r: r.seconds)
    seconds = sum(r.seconds for r in results)
    print(f"        the longest: {program}:{slow.draw.number}, {slow.seconds:.1f} s; all: {seconds:.0f} s", flush=True)
    return accepted


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="scripts/check random", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", nargs="?", type=int, default=20, metavar="N", help="draws for each program")
    parser.add_argument("seed", nargs="?", type=int, default=1, metavar="SEED")
    parser.add_argument("--build", type=Path, default=ROOT / "build",
                        help="the programs lie there, in apps/, bin/ or directly")
    parser.add_argument("--programs", default=",".join(PROBLEMS))
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="draws at a time")
    parser.add_argument("--first", type=int, default=0, metavar="I", help="number of the first draw")
    parser.add_argument("--only", metavar="PROGRAM:I", help="this draw alone")
    parser.add_argument("--every", type=int, default=1, metavar="K",
                        help="all comparisons for every K-th draw only, threads for every second one")
    parser.add_argument("--minutes", type=float, default=math.inf,
                        help="no draw begins after them; N is how many there are at most")
    parser.add_argument("--without", nargs="+", choices=COMPARISONS[1:], default=[],
                        help="comparisons that are left out")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for a run")
    parser.add_argument("--shrink", type=float, default=120, help="seconds for shrinking a failing draw")
    parser.add_argument("--keep", type=Path, default=Path("output/check_random"),
                        help="folder for the meshes of failing draws")
    options = parser.parse_args(arguments)
    if options.only:
        options.programs, _, number = options.only.partition(":")
        options.first, options.n, options.every = int(number), 1, 1
    options.names = options.programs.split(",")
    for name in options.names:
        if name not in PROBLEMS:
            fail(f"no draws of '{name}'; there are: {', '.join(PROBLEMS)}", 2)
    options.keep = options.keep.resolve()
    options.executables = {name: executable(options.build, name) for name in options.names}
    options.keys = {name: declared(options.executables[name]) for name in options.names}
    return options


def looks(options, report):
    """The results of all draws by program; draws of all programs come in turn. Failed comparisons are reported as they
    are found."""
    results, numbers, end = collections.defaultdict(list), itertools.count(), time.monotonic() + 60 * options.minutes

    def work():
        for k in numbers:  # which the workers share
            number, name = divmod(k, len(options.names))
            if number >= options.n or time.monotonic() > end:
                return
            result = look(options, options.names[name], options.first + number)
            results[result.draw.program].append(result)
            for comparison, complaint, line in result.failed:
                report.add(f"{result.draw.program}:{result.draw.number} {comparison}", False,
                           f"{complaint}\n    {result.message}\n    {line}")

    with ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(work) for _ in range(options.jobs)]:
            done.result()
    return {name: sorted(results[name], key=lambda r: r.draw.number) for name in options.names if results[name]}


def report_keys(options, report, name):
    """A failure for the keys that a program declares and that are never drawn."""
    never = set(options.keys[name]) - SET_HERE
    for i in range(400):
        if not never:
            return
        never -= set(Draw(options.seed, name, i, options.keys[name]).settings)
    if never:
        report.add(f"{name}: keys", False, "never drawn: " + ", ".join(sorted(never)))


def run(arguments, report):
    options = options_of(arguments)
    for missing in sorted(set(PROGRAMS) - set(PROBLEMS)):
        report.add(f"{missing}: no draws", False, "a program of apps/ without a function in checks/draws/problems.py")
    if set(options.names) - ONE_RANK and "ranks" not in options.without and not mpirun():
        report.add("ranks", False, "there is no mpirun; --without ranks leaves them out")
        options.without = options.without + ["ranks"]
    accepted, results = 0, looks(options, report)
    for name, of_program in results.items():
        report_keys(options, report, name)
        used = set().union(*(r.draw.settings for r in of_program), SET_HERE)
        accepted += tell(report, name, of_program, len(options.keys[name]), len(used & set(options.keys[name])))
    if options.only:
        print(results[options.names[0]][0].command)
    report.note(f"Of {sum(map(len, results.values()))} draws {accepted} were accepted"
                + (f"; left out: {', '.join(options.without)}" if options.without else ""))
