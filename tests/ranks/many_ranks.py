#!/usr/bin/env python3
"""many_ranks.py MPIEXEC PROGRAM: how a program on several ranks writes, continues and fails."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

MPIEXEC, PROGRAM = sys.argv[1:3]
del sys.argv[1:3]
NAME = Path(PROGRAM).name
SMALL = ["Linear solver/Coarsest level cells=16", "Discretization/Refinements=4", "Discretization/Adaptive cycles=3", "Time stepping/End time=0.4", "Time stepping/Output interval=10"]
FLOW = ["Problem/Boundary velocity=0: 4*y*(1-y)*(1+t); 0, 3: 1; 0", "Problem/Boundaries=1: outflow", "Mesh/Refinements=4", "Mesh/Local refinements=2", "Mesh/Refine where=0.3 - x - 0.5*y",
        "Linear solver/Coarsest level cells=16", "Time stepping/Time step=0.001", "Time stepping/End time=0.02", "Output/Interval=10", "Output/Force boundaries=2", "Output/Profiles=0, 0.5, 1, 0.5"]  # fmt: skip
# Its mesh follows the composition.
BLOCK = ["Problem/Initial composition=1/(1+exp(40*((x-0.4)^2+2*(y-0.6)^2-0.03)))", "Problem/Viscosity=10^(2*c)", "Mesh/Cells=1, 1, 1", "Mesh/Refinements=2", "Linear solver/Coarsest level cells=16",
         "Time stepping/Longest time step=2", "Time stepping/End time=40", "Time stepping/Output interval=10", "Adaptivity/Interval=8", "Adaptivity/Refine fraction=0.2", "Adaptivity/Largest level=4"]  # fmt: skip
# Of each program the settings of a run of 20 steps, the key of its end, the end after 10 of them, and what to compare of run.json.
PROGRAMS = {
    "transport_diffusion": (SMALL, "Time stepping/End time", 0.4, lambda record: record["errors"]["l2"]),
    "navier_stokes": (FLOW, "Time stepping/End time", 0.02, lambda record: record["kinetic_energy"]),
    "buoyant_flow": (BLOCK, "Time stepping/End time", 40, lambda record: record["composition"]["height"]),
    "nonlinear_heat": (["Linear solver/Coarsest level cells=16", "Heat/End time=1", "Heat/Newton tolerance=1e-12", "Adaptivity/Interval=8"], "Heat/End time", 1,
                       lambda record: record["errors"]["l2"]),
    "template": (["Linear solver/Coarsest level cells=16", "Heat/End time=1"], "Heat/End time", 1, lambda record: record["errors"]["l2"]),
}


def run(n, *arguments, settings=(), environment=(), signal_when=None):
    """The program on n ranks, each with one thread; mesh of p4est. Ranks that wait for each other for ever end by the time limit.
    All but the first rank get SIGUSR1 where signal_when(what has been written) is true; `stderr` are then the seconds that it takes to end."""
    ranks = [MPIEXEC, "--oversubscribe", "--bind-to", "none", "-np", str(n)]
    settings = ["Ranks/Distributed mesh=true", *settings]
    command = ranks + [PROGRAM, "--backend", "host", "--threads", "1", *arguments] + [a for s in settings for a in ("--set", s)]
    allow = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_WAIT_POLICY": "passive",
             "TERM": "xterm"}
    environment = {**os.environ, **allow, **dict(environment)}
    if signal_when is None:
        return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    with tempfile.NamedTemporaryFile() as out, subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, text=True, env=environment) as process:
        written = Path(out.name).read_bytes
        while process.poll() is None and not (len(ranks_of(process.pid)) == n and signal_when(written().decode())):
            time.sleep(0.05)
        begin = time.monotonic()
        for pid in ranks_of(process.pid)[1:]:
            os.kill(pid, signal.SIGUSR1)
        process.wait(timeout=60)
        return subprocess.CompletedProcess(command, process.returncode, written().decode(), time.monotonic() - begin)


def ranks_of(mpirun):
    """The processes of the ranks that have a handler for SIGUSR1, in their order."""
    ranks = {}
    for pid in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        try:
            parent = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
            handles = int(re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())[1], 16) >> signal.SIGUSR1 - 1 & 1
            found = re.search(r"\0(?:OMPI_COMM_WORLD_RANK|PMI_RANK)=(\d+)\0", "\0" + Path(f"/proc/{pid}/environ").read_text(errors="replace"))
        except (OSError, TypeError):  # it has ended
            continue
        if parent == mpirun and handles and found:
            ranks[int(found[1])] = pid
    return [ranks[rank] for rank in sorted(ranks)]


def record(folder):
    return json.loads(Path(folder, "run.json").read_text())


def statistics(folder):
    return list(csv.DictReader(Path(folder, "statistics.csv").read_text().splitlines()))


class RanksTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def run_well(self, n, name, *arguments, settings=SMALL):
        done = run(n, "--output", str(self.folder / name), *arguments, settings=settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done


class Checkpoints(RanksTest):
    def test_checkpoints_continue_on_any_number(self):
        settings, key, end, result = PROGRAMS[NAME]
        tight = settings + ["Linear solver/Tolerance=1e-12", "Checkpoint/Steps=10"]
        self.run_well(1, "whole", settings=tight)
        expected = result(record(self.folder / "whole"))
        for n, m in ((1, 4), (2, 1), (4, 2)):  # more, none but one, and fewer
            name = f"{n}-{m}"
            self.run_well(n, name, settings=tight + [f"{key}={end / 2}"])
            done = run(m, "--restart=" + str(self.folder / name), settings=[f"{key}={end}"])
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("checkpoint_0000000010: step 10", done.stdout)
            found = record(self.folder / name)
            self.assertEqual(found["steps"], 20)
            self.assertAlmostEqual(result(found) / expected, 1, delta=1e-10, msg=f"{n} ranks continued on {m}")


@unittest.skipUnless(NAME == "navier_stokes", "of Navier-Stokes")
class NavierStokes(RanksTest):
    def test_output(self):
        done = self.run_well(4, "four", settings=FLOW)
        self.assertEqual(done.stdout.count("kinetic energy"), 1, "expected one rank on the screen:\n" + done.stdout)
        files = {file.name for file in (self.folder / "four").iterdir()}
        self.assertLessEqual({"run.json", "statistics.csv", "profile_0.csv", "solution.pvd"} | {f"solution_000{i}.pvtu" for i in range(3)}, files)
        self.assertEqual([int(row["step"]) for row in statistics(self.folder / "four")], list(range(1, 21)))

    def test_what_takes_one_rank_is_refused(self):
        for setting in ("Implementation/Pressure solver=fast_diagonalization", "Implementation/Custom kernels=false", "Mesh/Coordinates=x^2; y"):
            done = run(2, "--output", str(self.folder / "none"), settings=[setting])
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
            self.assertIn(setting.split("=")[0].split("/")[1], done.stderr)


@unittest.skipUnless(NAME == "transport_diffusion", "of transport-diffusion")
class ManyRanks(RanksTest):
    def test_output(self):
        done = self.run_well(4, "four")
        self.assertEqual(done.stdout.count("L2 error"), 1, "expected one rank on the screen:\n" + done.stdout)
        files = {file.name for file in (self.folder / "four").iterdir()}
        expected = {"run.json", "parameters.prm", "statistics.csv", "solution.pvd"} | {f"solution_000{i}.pvtu" for i in range(3)}
        self.assertLessEqual(expected, files)
        self.assertEqual(len([f for f in files if re.fullmatch(r"solution_0000\.\d+\.vtu", f)]), 1, f"expected one file of pieces among {files}")
        self.assertEqual(record(self.folder / "four")["ranks"], 4)
        self.assertEqual([int(row["step"]) for row in statistics(self.folder / "four")], list(range(1, 21)))

    def test_same_bits_on_as_many(self):
        settings = SMALL + ["Checkpoint/Steps=10"]
        self.run_well(2, "whole", settings=settings)
        self.run_well(2, "parts", settings=settings + ["Time stepping/End time=0.2"])
        self.assertEqual(run(2, "--restart=" + str(self.folder / "parts"), settings=["Time stepping/End time=0.4"]).returncode, 0)
        whole, parts = record(self.folder / "whole"), record(self.folder / "parts")
        self.assertEqual(whole["errors"]["l2"], parts["errors"]["l2"])

    def test_serial_checkpoint_is_refused(self):
        serial = ["Ranks/Distributed mesh=false", "Checkpoint/Steps=10"]
        self.run_well(1, "serial", settings=SMALL + serial)
        done = run(2, "--restart=" + str(self.folder / "serial"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the checkpoint holds a serial mesh, which only one rank can continue", done.stderr)

    def test_signal_ends_all_with_a_checkpoint(self):
        done = self.run_well(2, "whole", settings=SMALL + ["Checkpoint/Steps=20"])
        done = run(2, "--output", str(self.folder / "limit"), settings=SMALL + ["Checkpoint/Wall-time limit=1e-9"])
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("stopped by the wall-time limit after step 1", done.stdout)
        done = run(2, "--restart=" + str(self.folder / "limit"), settings=["Checkpoint/Wall-time limit=0"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(record(self.folder / "limit")["errors"], record(self.folder / "whole")["errors"])

    def test_signal_of_one_rank_between_steps(self):
        done = run(2, "--output", str(self.folder / "signal"), settings=SMALL + ["Time stepping/Time step=1e-5"], signal_when=lambda text: "step 1/" in text)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("stopped by another rank's signal or limit after step", done.stdout)
        self.assertNotIn("\r", done.stdout, "expected whole lines, which each mpiexec passes on at once")
        self.assertEqual(len(list((self.folder / "signal").glob("checkpoint_*"))), 1)

    def test_signal_of_one_rank_in_the_set_up(self):
        done = run(2, "--output", str(self.folder / "signal"), settings=SMALL + ["Discretization/Refinements=9"], signal_when=lambda text: True)
        self.assertEqual(done.returncode, 3, done.stdout)
        # mpiexec ends the other rank by SIGTERM, and may drop the first one's last words.
        self.assertRegex(done.stdout, "transport_diffusion: ended at once by SIG(USR1|TERM)")
        self.assertLess(done.stderr, 10, "expected that the other rank ends, too")

    def test_a_failing_rank_ends_all(self):
        places = ["init/mesh:1", "init/hierarchy:1", "init/solver:1", "copy:1", "output:2", "rhs:3", "solve:5",
                  "checkpoint:1"]  # fmt: skip
        for place in places:
            section = place.split(":")[0]
            done = run(2, "--output", str(self.folder / "failing"), settings=SMALL + ["Checkpoint/Steps=5"],
                       environment={"ADAMANT_FAIL": f"1:{place}"}.items())  # fmt: skip
            self.assertEqual(done.returncode, 1, f"{place}:\n{done.stdout}{done.stderr}")
            self.assertIn(f"(rank 1): error: failed as ADAMANT_FAIL wants it in section '{section}'", done.stderr)
            self.assertFalse((self.folder / "failing/run.json").exists(), "expected no record of a failed run")

    def test_bad_input_is_told_once(self):
        done = run(4, "--set", "Problem/Diffusivity=1", "--output", str(self.folder / "none"))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("no parameter 'Problem/Diffusivity'"), 1, done.stderr)
        self.assertFalse((self.folder / "none").exists(), "expected nothing to be written")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
