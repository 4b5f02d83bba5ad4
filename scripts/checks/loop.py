"""One solve on each new mesh: multigrid of the program's matrix beside Trilinos' ML and hypre's BoomerAMG.

  scripts/check loop [--build FOLDER] [--repeats N] [--unknowns N] [--records FILE.jsonl]

Runs benchmarks/adaptive_loop.cc with one thread, and benchmarks/solve.cc on two ranks. A case passes if set-up and
solve take at most 0.8 of ML's time, 0.9 on ranks, 0.4 for elasticity, and 0.6 of BoomerAMG's. On one rank new values of
the matrix may take half of ML's set-up. Times are processor time, wall time on ranks, medians of runs in turn.
--records writes a record of each run into a file, in the place of older ones; of those `scripts/tables` makes the table
in docs/add_to_dealii.md.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
from pathlib import Path

from .common import AROUND, ROOT, fail, hardware, mpirun
from .tutorials import ONE_THREAD, record, versions

APPLICATION = "one solve on each new mesh"  # in records


def run(arguments, report):
    parser = argparse.ArgumentParser(prog="scripts/check loop", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--unknowns", type=int, default=150000)
    parser.add_argument("--records", type=Path, metavar="FILE.jsonl")
    options = parser.parse_args(arguments)
    found = []
    for name, ranks in (("adaptive_loop", 1), ("solve", 2)):
        program = options.build / "benchmarks" / f"benchmark_{name}"
        if not program.is_file():
            fail(f"'{program}' is not there: it is built where deal.II has Trilinos", 2)
        command = [program] if ranks == 1 else [*mpirun(), "-np", str(ranks), program, "ranks"]
        done = subprocess.run([*command, str(options.repeats), str(options.unknowns)], capture_output=True, text=True,
                              env=os.environ | AROUND | ONE_THREAD)
        if done.returncode != 0:
            fail(f"'{program}' ended with exit code {done.returncode}: {done.stderr.strip()}", 1)
        for line in done.stdout.splitlines():
            r = json.loads(line)
            found.append(r | {"case": r["case"] + (f", {ranks} ranks" if ranks > 1 else "")})
    about = {"application": APPLICATION, "threads": 1, **versions(options.build), "hardware": hardware(),
             "command": "scripts/check loop", "date": datetime.date.today().isoformat(),
             "load_average": os.getloadavg()[0]}
    for case in dict.fromkeys(r["case"] for r in found):
        runs = {}
        for r in found:
            if r["case"] == case:
                runs.setdefault(r["label"], []).append(r)
        time = lambda label, *parts: statistics.median(sum(r["timings"][p] for p in parts) for r in runs[label])
        whole = time("adamant", "init", "solve") / time("ml", "init", "solve")
        again = time("new values", "init") / time("ml", "init")
        hypre = time("adamant", "init", "solve") / time("boomeramg", "init", "solve") if "boomeramg" in runs else 0.
        of_hypre = f", / BoomerAMG's {hypre:.2f}" if hypre else ""
        its = [runs[label][0]["total_iterations"] for label in ("ml", "adamant")]
        limit = 0.4 if "elasticity" in case else 0.9 if "ranks" in case else 0.8
        report.add(case, whole <= limit and (again <= 0.5 or "ranks" in case) and hypre <= 0.6,
                   f"{runs['ml'][0]['dofs']} unknowns, iterations {its[0]} (ML) and {its[1]}; set-up and solve / ML's "
                   f"{whole:.2f}{of_hypre}; new values / ML's set-up {again:.2f}")
        if options.records:
            record(options.records, {**about, "case": case}, runs)
