#!/usr/bin/env python3
"""scripts/checks/results.py: what it finds in made-up folders of two runs, and what it takes for the same results."""

import base64
import copy
import json
import math
import random
import struct
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from checks.gpu import AGREEMENT  # noqa: E402
from checks.results import compare, kind  # noqa: E402

# A pressure of 500 in all, whose mean at the end is small; a force that vanishes by symmetry.
STATISTICS = {"step": [1, 2, 3], "time": [0.5, 1, 1.5], "iterations": [7, 8, 8], "mean_pressure": [500, 2, 0.25],
              "force_x": [3, 2, 4], "force_y": [1e-17, -2e-16, 3e-17], "cells": [16, 16, 19],
              "dissipation": [math.nan, 2, 3]}
# The largest u_x lies at 0.25 and at 0.75.
PROFILE = {"x": [0, 0.25, 0.5, 0.75, 1], "y": [0.5] * 5, "u_x": [0, 2, 1, 2, 0], "p": [500, 300, 200, 100, 0]}
RECORD = {"backend": "host", "iterations": {"mean": 7.5}, "timings": {"solve": 1}, "mean_pressure": 0.25, "dofs": 99,
          "profiles": [{"u_x": {"min": 0, "max": 2, "min_at": [0, 0.5], "max_at": [0.25, 0.5]}}],
          "at_points": {"u_x": [1, 1e-17], "p": [200]}}


def state(seed):
    """Points twice each, as cells of their own have them: with equal velocities, and pressures that jump."""
    chance = random.Random(seed)
    points = [[0.125 * chance.randrange(9), 0.125 * chance.randrange(9), 0] for _ in range(20)]
    velocity = [[chance.uniform(-2, 2), chance.uniform(-2, 2), 1e-17 * chance.random()] for _ in points]
    return {"points": 2 * points, "velocity": 2 * velocity, "pressure": [chance.uniform(0, 500) for _ in 2 * points]}


RUN = {"statistics": STATISTICS, "profile": PROFILE, "record": RECORD,
       "states": {"solution_0000.vtu": state(0), "solution_0001.vtu": state(1)}}


def data_array(name, rows):
    """As deal.II writes it: float32, zlib in blocks, base64."""
    values = [x for row in rows for x in (row if isinstance(row, list) else [row])]
    data = struct.pack(f"<{len(values)}f", *values)
    blocks = [data[i:i + 128] for i in range(0, len(data), 128)]
    packed = [zlib.compress(block) for block in blocks]
    head = struct.pack(f"<{3 + len(blocks)}I", len(blocks), 128, len(blocks[-1]), *map(len, packed))
    named = f' Name="{name}"' if name != "points" else ""
    components = ' NumberOfComponents="3"' if isinstance(rows[0], list) else ""
    return (f'<DataArray type="Float32"{named}{components} format="binary">\n'
            f'{base64.b64encode(head).decode()}{base64.b64encode(b"".join(packed)).decode()}\n</DataArray>\n')


def write(folder, run):
    folder.mkdir()
    for name, table in (("statistics", run["statistics"]), ("profile_0", run["profile"])):
        rows = [table.keys(), *zip(*table.values())]
        (folder / f"{name}.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    (folder / "run.json").write_text(json.dumps(run["record"]))
    for name, fields in run["states"].items():
        (folder / name).write_text("<VTKFile>" + "".join(data_array(*field) for field in fields.items()))


def in_order(fields, order):
    return {name: [rows[i] for i in order] for name, rows in fields.items()}


def permuted(run):
    for name, fields in run["states"].items():
        order = list(range(40))
        random.Random(5).shuffle(order)
        run["states"][name] = in_order(fields, order)


class Results(unittest.TestCase):
    def compared(self, change, host=lambda run: None):
        """(difference, where) of the run with a change against the one on the host."""
        runs = [copy.deepcopy(RUN), copy.deepcopy(RUN)]
        host(runs[0])
        change(runs[1])
        with tempfile.TemporaryDirectory() as place:
            folders = [Path(place) / "host", Path(place) / "other"]
            for folder, run in zip(folders, runs):
                write(folder, run)
            return compare(*folders)

    def found(self, where, change, size=math.inf, **host):
        worst, place = self.compared(change, **host)
        self.assertGreater(worst, AGREEMENT)
        self.assertIn(where, place)
        if size < math.inf:
            self.assertAlmostEqual(worst / size, 1, delta=0.05)
        else:
            self.assertEqual(worst, math.inf)

    def same(self, change, **host):
        worst, place = self.compared(change, **host)
        self.assertLessEqual(worst, AGREEMENT, place)

    def test_the_same_run(self):
        self.assertEqual(self.compared(lambda run: None)[0], 0)

    def test_a_pressure_off_by_little_of_the_scale(self):
        self.found("statistics.csv: mean_pressure",
                   lambda run: run["statistics"].update(mean_pressure=[500, 2, 0.2501]), 1e-4 / 500)
        self.same(lambda run: run["statistics"].update(mean_pressure=[500, 2, 0.25 + 500 * 0.9 * AGREEMENT]))
        self.found("run.json: /mean_pressure", lambda run: run["record"].update(mean_pressure=0.2501), 1e-4 / 500)
        self.found("profile_0.csv: p", lambda run: run["profile"]["p"].__setitem__(4, 1e-4), 1e-4 / 500)

    def test_the_scale_is_of_the_kind(self):
        # Of the forces, not of the pressure.
        self.found("force_x", lambda run: run["statistics"].update(force_x=[3, 2, 4 + 8e-7]), 2e-7)
        self.found("force_y", lambda run: run["statistics"].update(force_y=[1e-17, 8e-7, 3e-17]), 2e-7)

    def test_values_that_vanish_by_symmetry(self):
        def change(run):
            run["statistics"]["force_y"] = [-3e-16, 0, 1e-16]
            run["record"]["at_points"]["u_x"][1] = -3e-16
            run["profile"]["u_x"][4] = 2e-16
            for fields in run["states"].values():
                for row in fields["velocity"]:
                    row[2] *= -30
        self.same(change)

    def test_rounding_of_float32_is_no_difference(self):
        pressure = lambda value: lambda run: run["states"]["solution_0001.vtu"]["pressure"].__setitem__(3, value)
        self.same(pressure(513 + 2 ** -14), host=pressure(513))
        self.found("solution_0001.vtu: pressure", pressure(513 + 3 * 2 ** -14), 2 ** -13 / 513, host=pressure(513))

    def test_a_row_missing(self):
        drop = lambda table: lambda run: [values.pop() for values in run[table].values()]
        self.found("statistics.csv", drop("statistics"))
        self.found("profile_0.csv", drop("profile"))
        self.found("solution_0001", lambda run: run["states"]["solution_0001.vtu"].update(
            in_order(run["states"]["solution_0001.vtu"], range(39))))

    def test_a_row_too_many(self):
        self.found("statistics.csv", lambda run: [values.append(values[-1]) for values in run["statistics"].values()])

    def test_nan_and_infinite_values(self):
        for value in (math.nan, math.inf, -math.inf):
            self.found("statistics.csv: force_x", lambda run: run["statistics"].update(force_x=[3, value, 4]))
            self.found("run.json: /mean_pressure", lambda run: run["record"].update(mean_pressure=value))
            self.found("solution_0001.vtu: pressure",
                       lambda run: run["states"]["solution_0001.vtu"]["pressure"].__setitem__(7, value))
            self.found("max_at", lambda run: run["record"]["profiles"][0]["u_x"].update(max_at=[value, 0.5]))
        # Where the host's run has NaN, in "dissipation", another one must have it, too.
        self.found("dissipation", lambda run: run["statistics"].update(dissipation=[1, 2, 3]))
        # One infinite value of the host's is not the scale of the others.
        infinite = lambda run: run["statistics"]["force_x"].__setitem__(0, math.inf)
        self.found("force_x", lambda run: run["statistics"].update(force_x=[math.inf, 2, 3]), 0.25, host=infinite)
        self.found("force_x", lambda run: None, host=infinite)
        self.same(infinite, host=infinite)

    def test_a_name_missing(self):
        self.found("statistics.csv: force_x is missing", lambda run: run["statistics"].pop("force_x"))
        self.found("profile_0.csv: p is missing", lambda run: run["profile"].pop("p"))
        self.found("run.json: /at_points/p/0 is missing", lambda run: run["record"]["at_points"].pop("p"))
        self.found("run.json: /at_points/u_x/1 is missing", lambda run: run["record"]["at_points"]["u_x"].pop())
        self.found("max_at is missing", lambda run: run["record"]["profiles"][0]["u_x"].pop("max_at"))
        self.found("solution_0000.vtu: pressure is missing",
                   lambda run: run["states"]["solution_0000.vtu"].pop("pressure"))
        self.found("other files", lambda run: run["states"].pop("solution_0001.vtu"))

    def test_permuted_points(self):
        self.same(permuted)

        def pieces(run):  # as of two ranks
            permuted(run)
            fields = run["states"].pop("solution_0001.vtu")
            for k in range(2):
                run["states"][f"solution_0001.{k}.vtu"] = in_order(fields, range(20 * k, 20 * k + 20))
        self.same(pieces)

    def test_permuted_points_with_a_wrong_value(self):
        def wrong(run):
            permuted(run)
            run["states"]["solution_0001.vtu"]["pressure"][7] += 0.01
        self.found("solution_0001.vtu: pressure", wrong, 0.01 / max(state(1)["pressure"]))

        def swapped(run):  # between two points
            permuted(run)
            fields = run["states"]["solution_0001.vtu"]
            other = next(i for i in range(40) if fields["points"][i] != fields["points"][0])
            rows = fields["velocity"]
            rows[0], rows[other] = rows[other], rows[0]
        worst, place = self.compared(swapped)
        self.assertGreater(worst, 1e-3)
        self.assertIn("solution_0001.vtu: velocity", place)

        def moved(run):
            permuted(run)
            run["states"]["solution_0000.vtu"]["points"][3][0] += 1e-3
        worst, place = self.compared(moved)
        self.assertGreater(worst, AGREEMENT)
        self.assertIn("solution_0000.vtu", place)

    def test_the_place_of_an_extreme(self):
        place = lambda *at: lambda run: run["record"]["profiles"][0]["u_x"].update(max_at=list(at))
        self.same(place(0.75, 0.5))  # the same value
        self.found("/profiles/0/u_x/max_at", place(0.5, 0.5), 0.5)

    def test_how_a_run_went_is_no_result(self):
        def change(run):
            run["statistics"]["iterations"] = [70, 80, 90]
            run["record"].update(backend="cuda", iterations={"mean": 9}, timings={"solve": 0.1}, more=[1, 2])
            run["statistics"]["more"] = [1, 2, 3]
        self.same(change)
        self.found("cells", lambda run: run["statistics"].update(cells=[16, 16, 20]), 1 / 19)
        self.found("/dofs", lambda run: run["record"].update(dofs=98), 1 / 99)

    def test_kinds(self):
        for name, names in {
            "velocity": ["velocity/y", "u_z", "/profiles/0/u_x/max", "/velocity_at_points/z/3", "/at_points/u_x/0"],
            "pressure": ["p", "pressure", "mean_pressure", "/mean_pressure", "pressure_at_point10", "/at_points/p/0"],
            "displacement": ["point0_ux", "/displacements/0/2", "displacement/z"],
            "stress": ["stress_yz", "von_mises", "/stresses/0/stress_xx"],
            "relative": ["/remesh_mass_change"],
        }.items():
            self.assertEqual({kind(n) for n in names}, {name})
        self.assertEqual(kind("force2_x"), kind("force2_y"))
        self.assertEqual(len({kind(n) for n in ("force2_x", "force3_x", "/pressure_nodes", "/composition/mass")}), 4)

    def test_a_velocity_has_the_rounding_of_displacements(self):
        # 2 in half a unit of time: 4.
        def host(run):
            fields = run["states"]["solution_0001.vtu"]
            fields["displacement"] = [[2, 0, 0] for _ in range(40)]
            fields["velocity"] = [[1e-9, 0, 0] for _ in range(40)]

        def other(by):
            def change(run):
                host(run)
                run["states"]["solution_0001.vtu"]["velocity"][0][0] = by
            return change
        self.same(other(2e-7), host=host)
        self.found("velocity", other(8e-7), 2e-7, host=host)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
