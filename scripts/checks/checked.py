"""All tests in the checked build: arrays that check their indices, between red zones.

  scripts/check checked [--build DIR] [--jobs N] [CTEST ARGUMENT ...]

Without --build the preset checked is configured and built whole, in build-checked. A row for each label of tests, and
for each test that failed. `scripts/check checked -L app` runs the programs' tests alone. scripts/test and CI run the
fast ones.
"""

import argparse
import xml.etree.ElementTree as xml
from pathlib import Path

from .common import Outcome, build


def run(arguments, report):
    parser = argparse.ArgumentParser(prog="scripts/check checked", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    options, of_ctest = parser.parse_known_args(arguments)
    directory = (options.build or build("checked")).resolve()
    results = directory / "checked.xml"
    results.unlink(missing_ok=True)
    done = Outcome(["ctest", "--test-dir", directory, "-j", options.jobs, "--timeout", "1800", "--output-on-failure",
                    "--output-junit", results, *of_ctest],
                   environment={"OMP_WAIT_POLICY": "passive"}, timeout=4 * 3600)
    cases = xml.parse(results).getroot().findall("testcase") if results.is_file() else []
    failed = [case for case in cases if case.get("status") == "fail"]
    for case in failed:
        said = (case.findtext("system-out") or "").strip().splitlines()
        report.add(case.get("name"), False,
                   next((line for line in said if "checked build:" in line), said[-1] if said else "no output")[:160])
    skipped = sum(case.get("status") not in ("run", "fail") for case in cases)
    report.add("ctest", done.code == 0 and len(cases) > skipped,
               f"{done.how()}; {len(cases) - len(failed) - skipped} passed, {skipped} skipped, "
               f"{len(failed)} failed, {done.seconds / 60:.0f} min")
    report.note(f"{len(cases)} tests, {skipped} of them skipped")
    if not cases:
        print((done.out + done.err)[-3000:])
