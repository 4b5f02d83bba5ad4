"""deal.II's tutorials with adamant: how many lines it takes, and how it compares with other preconditioners.

  scripts/check tutorials [--examples FOLDER] [--build FOLDER] [--only step-6,...] [--repeats N] [--records FILE.jsonl]

FOLDER has step-6/step-6.cc and so on: deal.II's folder examples, or that of Debian's package libdeal.ii-doc. Their
sources are changed by the edits of scripts/checks/tutorial_edits.py, as variants `own`, `ml` (Trilinos ML) and
`adamant`, and built with the libraries of adamant's build folder, in its folder tutorials. All variants of a tutorial
run in turn, with one thread. Times are processor time of the process (with ranks: of the slowest), medians of the runs.
A case passes if all variants have one solution, adamant takes at most six lines and as many iterations as it may.

--records writes a record of each run into a file, in the place of older ones of the tutorial; of those in
docs/benchmarks/*/*.jsonl `scripts/tables` makes the table in docs/add_to_dealii.md. Without the examples the check ends
with exit code 77.
"""

import argparse
import datetime
import gzip
import itertools
import json
import os
import re
import statistics
import sys
from pathlib import Path

from .common import AROUND, ROOT, Outcome, fail, hardware, mpirun
from .edits import EditError, added, apply
from .tutorial_edits import AUTOPILOT, CLOCK, TUTORIALS

DEBIAN = Path("/usr/share/doc/libdeal.ii-doc/examples")
ONE_THREAD = {"DEAL_II_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
NAMES = {"own": "its own", "ml": "ML", "adamant": "adamant"}
MOST_LINES = 6
APPLICATION = "deal.II's tutorials"  # in records


def read(file):
    """A file of the examples, which Debian may have compressed."""
    packed = file.with_name(file.name + ".gz")
    return gzip.decompress(packed.read_bytes()).decode() if packed.is_file() else file.read_text()


def write_variants(tutorial, examples, folder):
    """{variant: its folder} with all sources of a tutorial."""
    source = examples / tutorial.step
    program, lists = f"{tutorial.step}.cc", read(source / "CMakeLists.txt")
    folders = {}
    for variant, edits in tutorial.variants().items():
        folders[variant] = place = folder / tutorial.name.replace(", ", "_") / variant
        place.mkdir(parents=True, exist_ok=True)
        texts = {program: apply(read(source / program), edits, f"{tutorial.step}/{program}"), "clock.h": CLOCK,
                 "CMakeLists.txt": apply(lists, AUTOPILOT * (variant == "adamant"), f"{tutorial.step}/CMakeLists.txt")}
        for name, text in texts.items():
            if not (place / name).is_file() or (place / name).read_text() != text:  # else nothing is built anew
                (place / name).write_text(text)
    return folders


def build(folder, adamant):
    """The error of the build; empty if there is none."""
    options = ["-DCMAKE_BUILD_TYPE=Release", f"-Dadamant_DIR={adamant}"]
    for command in (["cmake", "-S", folder, "-B", folder / "build", *options], ["cmake", "--build", folder / "build"]):
        done = Outcome(command, timeout=1800)
        if done.code != 0:
            (folder / "build.log").write_text(done.out + done.err)
            error = re.search(r"^.*error.*$", done.out + done.err, re.MULTILINE | re.IGNORECASE)
            return f"{done.how()}: {error.group()[:200] if error else ''} (all: {folder / 'build.log'})"
    return ""


def measure(folder, step, ranks):
    """What the clock said on the last mesh; a text where the program failed."""
    starts = [*mpirun(), "-np", ranks] if ranks > 1 else []
    done = Outcome([*starts, folder / "build" / step], cwd=folder, timeout=600,
                   environment={**AROUND, **ONE_THREAD, "OMPI_MCA_ess_singleton_isolated": "1" if ranks == 1 else "0"})
    said = [line.split()[1:] for line in done.out.splitlines() if line.startswith("clock: ")]
    if done.code != 0 or not said:
        (folder / "run.log").write_text(done.out + done.err)
        return f"{done.how()} after {done.seconds:.0f} s: {folder / 'run.log'}"
    last = [line for line in said if line[:3] == said[-1][:3]]  # a line of each rank
    return {"dofs": int(last[0][0]), "solves": int(last[0][1]), "total_iterations": int(last[0][2]),
            "timings": {"init": max(float(line[3]) for line in last), "solve": max(float(line[4]) for line in last)},
            "norms": {int(line[0]): float(line[5]) for line in said}, "load_average": os.getloadavg()[0]}


def median(runs, part):
    return statistics.median(run["timings"][part] for run in runs)


def row(case, lines, runs):
    """A row of the table, of {variant: runs}."""
    first = next(iter(runs.values()))[0]
    cells = [case, str(lines), f"{first['dofs']:,}".replace(",", " "), str(first["solves"])]
    for variant in NAMES:
        if one := runs.get(variant):
            cells.append(f"{one[0]['total_iterations']}: {median(one, 'init'):.2f} + {median(one, 'solve'):.2f}")
        else:
            cells.append("–")
    whole = {variant: median(one, "init") + median(one, "solve") for variant, one in runs.items()}
    cells += [f"{whole['adamant'] / whole[v]:.2f}" if v in whole else "–" for v in ("own", "ml")]
    return cells


def judge(tutorial, lines, runs):
    """What is wrong with a case; empty if nothing."""
    wrong = []
    if lines > MOST_LINES:
        wrong.append(f"{lines} lines")
    ours = runs["adamant"][0]
    if ours["total_iterations"] > tutorial.limit * ours["solves"]:
        wrong.append(f"more than {tutorial.limit} iterations a solve")
    # Rounding decides which of two like cells is refined: solutions are compared as long as the meshes are alike.
    meshes = list(zip(*(one[0]["norms"].items() for one in runs.values())))
    alike = list(itertools.takewhile(lambda of_all: len({n for n, _ in of_all}) == 1, meshes))
    for of_all in alike:
        norms = [norm for _, norm in of_all]
        if max(norms) - min(norms) > 1e-4 * max(norms):
            wrong.append(f"the solutions at {of_all[0][0]} unknowns differ: {dict(zip(runs, norms))}")
            break
    sizes = [one[0]["dofs"] for one in runs.values()]
    if not alike or max(sizes) > 1.05 * min(sizes):
        wrong.append(f"the meshes differ: {sizes} unknowns")
    return "; ".join(wrong)


def run(arguments, report):
    parser = argparse.ArgumentParser(prog="scripts/check tutorials", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=Path, default=DEBIAN)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--only", default="", metavar="step-6,...")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--records", type=Path, metavar="FILE.jsonl")
    options = parser.parse_args(arguments)
    if not (options.examples / "step-6").is_dir():
        print(f"check tutorials: skipped, as '{options.examples}' has no step-6 (Debian: package libdeal.ii-doc)")
        sys.exit(77)
    if not (options.build / "adamantConfig.cmake").is_file():
        fail(f"'{options.build}' is no build folder of adamant (it has no adamantConfig.cmake)", 2)
    wanted = [t for t in TUTORIALS if not options.only or t.step in options.only.split(",")]
    table = [["tutorial", "lines added", "unknowns", "solves", *(f"{n}: iterations, s" for n in NAMES.values()),
              "adamant / own", "adamant / ML"]]
    folder = options.build.resolve() / "tutorials"
    about = {"application": APPLICATION, "threads": 1, **versions(options.build), "hardware": hardware(),
             "command": "scripts/check tutorials", "date": datetime.date.today().isoformat()}
    for tutorial in wanted:
        try:
            folders = write_variants(tutorial, options.examples, folder)
        except EditError as error:
            report.add(tutorial.name, False, str(error))
            continue
        built = {variant: build(place, options.build.resolve()) for variant, place in folders.items()}
        if any(built.values()):
            report.add(tutorial.name, False, "; ".join(f"{v}: {error}" for v, error in built.items() if error))
            continue
        for ranks in tutorial.ranks:
            case = tutorial.name + (f", {ranks} ranks" if ranks > 1 else "")
            measured = [(v, measure(place, tutorial.step, ranks)) for _ in range(options.repeats)
                        for v, place in folders.items()]
            failed = [f"{v}: {m}" for v, m in measured if isinstance(m, str)]
            if failed:
                report.add(case, False, failed[0])
                continue
            runs = {v: [m for of, m in measured if of == v] for v in folders}
            lines = added(tutorial.adamant) + added(AUTOPILOT)
            table.append(row(case, lines, runs))
            report.add(case, not (wrong := judge(tutorial, lines, runs)), wrong or ", ".join(table[-1][1:]))
            if options.records:
                record(options.records, {**about, "case": case, "lines": lines, "ranks": ranks}, runs)
    print()
    for cells in [table[0], ["---"] * len(table[0]), *table[1:]]:
        print(f"| {' | '.join(cells)} |")


def versions(build):
    """Of the libraries in a build folder: the version of deal.II, and the commit of adamant."""
    place = re.search(r"^deal.II_DIR:PATH=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)[1]
    commit = re.search(r'return "([0-9a-f]{7,}\+?)";', (build / "lib" / "version.cc").read_text())
    return {"deal_ii": re.search(r'DEAL_II_VERSION "(.*)"', (Path(place) / "deal.IIConfig.cmake").read_text())[1],
            "commit": commit[1] if commit else "unknown"}


def record(file, about, runs):
    """Writes the runs in the form of scripts/benchmark."""
    older = file.read_text().splitlines() if file.is_file() else []
    same = lambda r: all(r.get(key) == about[key] for key in ("application", "case"))
    kept = [line for line in older if not same(json.loads(line))]
    kept += [json.dumps({**about, "label": variant, "repeat": repeat, **{k: v for k, v in one.items() if k != "norms"}})
             for variant, of in runs.items() for repeat, one in enumerate(of, 1)]
    file.write_text("\n".join(kept) + "\n")
