"""What must hold for any discretization: rest, balances, other places and units, patches of moved cells.

  scripts/check physics [--build DIR] [--only WORD] [--jobs N]

rest      a fluid that a constant force presses on a body is at rest, and the force on the body is that of the
          displaced fluid
moved     results do not change when mesh and data are turned by 90 degrees, mirrored, moved, or given in other units
balance   what is dissipated or stored is the work of the forces; mass stays; forces on all boundaries of a creeping
          flow cancel
patch     linear solutions are found to rounding on boxes of quadrilaterals and hexahedra with vertices moved at random
"""

import argparse
import json
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from . import meshes
from .common import ROOT, executable, program_command, run_program


class Runs:
    """Runs of the programs in folders of their own on the host with one thread."""

    def __init__(self, build, place):
        self.build, self.place, self.n = build, Path(place), 0

    def __call__(self, program, settings, mesh=None):
        self.n += 1
        folder = self.place / f"{program}_{self.n}"
        folder.mkdir()
        if mesh is not None:
            (folder / "mesh.inp").write_text(meshes.ucd(mesh))
            settings = {**settings, "Mesh/File": str(folder / "mesh.inp")}
            if program not in ("elasticity", "transport_diffusion", "template", "nonlinear_heat"):
                settings["Mesh/Type"] = "file"
        words = [executable(self.build, program), "--output", folder / "run"]
        done = run_program(program_command(*words, settings=settings))
        if done.code != 0:
            raise RuntimeError(f"{done.how()}: {done.err.strip()[-300:]}")
        return json.loads((folder / "run" / "run.json").read_text())


def compared(name, value, exact, tolerance, scale=None):
    """A row: whether a number or a list is what it must be, relative to scale or to the largest exact one."""
    values, exacts = (v if isinstance(v, list) else [v] for v in (value, exact))
    scale = scale or max(abs(e) for e in exacts) or 1.0
    worst = max(abs(a - b) for a, b in zip(values, exacts)) / scale
    passed = len(values) == len(exacts) and worst <= tolerance
    return name, passed, f"{worst:.1e} of {scale:.4g} ({tolerance:.0e} allowed)"


# --- Rest -------------------------------------------------------------------------------------------------------------

BODIES = {
    "triangle": meshes.polygon(meshes.regular(3, 0.6, 0.3), 4),
    "square": meshes.polygon(meshes.regular(4, 0.6, 0.785398163397448), 3),
    "12-gon": meshes.regular(12, 0.5),
    "star": [p for pair in zip(meshes.regular(6, 0.7), meshes.regular(6, 0.45, 0.523598775598299)) for p in pair],
}
WHERE = {"uniform": "", "half": "min(x,y)", "ring": "0.75-sqrt(x^2+y^2)", "point": "0.3-abs(x-0.5)-abs(y)"}
FLOW = {"navier_stokes": {"Time stepping/Time step": "1e-4", "Time stepping/End time": "3e-4",
                          "Time stepping/Unstable step": "shorten",
                          "Linear solver/Tolerance": "1e-12"},
        "stationary_navier_stokes": {"Nonlinear solver/Tolerance": "1e-11", "Output/Files": "false"}}


def rest(runs):
    for program, settings in FLOW.items():
        for body, inner in BODIES.items():
            outer = meshes.projected(inner, 1.1)
            flat = meshes.ring(inner, outer, 2)
            areas = [meshes.area(inner), -meshes.area(outer)]
            spaces = [(2, flat, 1.0)] + ([(3, meshes.extruded(flat, 0.7), 0.7)] if body == "12-gon" else [])
            for dimension, mesh, height in spaces:
                for where in WHERE if dimension == 2 else ("uniform", "half"):
                    def case(program=program, settings=settings, mesh=mesh, dimension=dimension, where=where,
                             height=height, areas=areas):
                        force = [1.0, -0.5, 0.25][:dimension]
                        record = runs(program, {**settings, "Problem/Dimension": dimension, "Problem/Viscosity": 0.1,
                                                "Problem/Boundary velocity": "",
                                                "Problem/Body force": "; ".join(map(str, force)),
                                                "Mesh/Refinements": 1 if dimension == 2 else 0,
                                                "Mesh/Local refinements": int(where != "uniform"),
                                                "Mesh/Refine where": WHERE[where],
                                                "Output/Force boundaries": "1, 2"}, mesh)
                        # Bottom and top of the 3D ring take no part in the horizontal forces.
                        return [compared(f"force on {side}", record["forces"][str(i + 1)][:2],
                                         [-f * areas[i] * height for f in force[:2]], 1e-7)
                                for i, side in enumerate(("body", "outer boundary"))]
                    yield f"rest: {program} around {body}, {dimension}D, {where}", case


# --- Moved ------------------------------------------------------------------------------------------------------------


class Motion:
    """New coordinates (x', y', z') of a point, and how data in the old ones are written in the new: x = old[0] of x',
    y', z'."""

    def __init__(self, map, old, vector, flipped=False, length=1.0):
        self.map, self.old, self.vector, self.flipped, self.length = map, old, vector, flipped, length

    def scalar(self, expression):
        named = dict(zip("xyz", self.old))
        return re.sub(r"\b[xyz]\b", lambda found: f"({named[found[0]]})", expression)

    def field(self, components):
        """Components of a vector field, each an expression in the old coordinates."""
        moved = [self.scalar(c) for c in components]
        return "; ".join(f"({sign})*({moved[axis]})" for axis, sign in self.vector[:len(moved)])

    def numbers(self, values):
        return [sign * values[axis] for axis, sign in self.vector[:len(values)]]

    def point(self, p):
        return ", ".join(f"{c:.15g}" for c in self.map(*(list(p) + [0.0])[:3])[:len(p)])


MOTIONS = {
    "as it is": Motion(lambda x, y, z: (x, y, z), ("x", "y", "z"), [(0, 1), (1, 1), (2, 1)]),
    "turned": Motion(lambda x, y, z: (-y, x, z), ("y", "-x", "z"), [(1, -1), (0, 1), (2, 1)]),
    "mirrored": Motion(lambda x, y, z: (-x, y, z), ("-x", "y", "z"), [(0, -1), (1, 1), (2, 1)], flipped=True),
    "moved": Motion(lambda x, y, z: (x + 16, y - 8, z), ("x-16", "y+8", "z"), [(0, 1), (1, 1), (2, 1)]),
}


def results(program, m, runs, dimension):
    """A problem of the program in the coordinates of a motion: results that do not know them."""
    mesh = meshes.box(dimension, 3, 0.2, seed=7)
    mesh = mesh.moved(m.map, m.flipped)
    vector = lambda *components: m.field(list(components)[:dimension])
    inside = [0.4, 0.3, 0.6][:dimension]
    if program == "elasticity":
        record = runs(program,
                      {"Problem/Dimension": dimension, "Problem/Young modulus": 1, "Problem/Poisson ratio": 0.3,
                       "Problem/Dirichlet boundaries": "0: xyz"[:5 + (dimension == 3)],
                       "Problem/Body force": vector("y", "1+x", "x*y"),
                       "Problem/Traction": "3: " + vector("0.1", "x", "y"), "Time stepping/Stationary": "true",
                       "Discretization/Refinement": "kelly", "Discretization/Uniform refinements": 1,
                       "Discretization/Refinement steps": 1,
                       "Linear solver/Tolerance": "1e-11", "Output/Points": m.point(inside)}, mesh)
        return [record["strain_energy"], *m_back(m, record["displacements"][0])]
    if program == "transport_diffusion":
        b = m.numbers([0.7, -0.4, 0.2])
        record = runs(program, {"Problem/Dimension": dimension, "Problem/Transport": ", ".join(map(str, b)),
                                "Problem/Diffusion": 0.05, "Problem/Source": m.scalar("x*y*(1+t)"),
                                "Problem/Boundary values": m.scalar("1+x*x*y"),
                                "Problem/Initial values": m.scalar("1+x*x*y"),
                                "Problem/Exact solution": m.scalar("sin(x)*y"), "Discretization/Refinements": 1,
                                "Discretization/Adaptive cycles": 1, "Discretization/SUPG": "true",
                                "Time stepping/End time": 0.1, "Time stepping/Time step": 0.02,
                                "Linear solver/Tolerance": "1e-12"}, mesh)
        return [record["errors"]["l2"]]
    if program == "poisson":
        record = runs(program, {"Problem/Dimension": dimension, "Problem/Source": m.scalar("1+x*y"),
                                "Problem/Exact solution": m.scalar("sin(x)*y"),
                                "Problem/Boundary values": m.scalar("x"), "Problem/Samples": 1, "Mesh/Refinements": 2},
                      mesh)
        return [record["errors"][key] for key in sorted(record["errors"])]
    flow = {"Problem/Dimension": dimension, "Mesh/Refinements": 1, "Mesh/Local refinements": 1,
            "Mesh/Refine where": m.scalar("0.5-x")}
    if program == "stokes":
        record = runs(program, {**flow, "Problem/Case": "expressions", "Problem/Viscosity": m.scalar("1+9*(x>0.5)"),
                                "Problem/Boundaries": "no_slip",
                                "Problem/Body force": vector("y", "-x*x", "x"), "Linear solver/Tolerance": "1e-10",
                                "Output/Points": m.point(inside)}, mesh)
        return [record["dissipation"], *m_back(m, record["velocity_at_points"])]
    if program == "stationary_navier_stokes":
        record = runs(program, {**flow, "Problem/Viscosity": 0.05,
                                "Problem/Boundary velocity": "3: " + vector("4*x*(1-x)", "0", "0"),
                                "Problem/Body force": vector("y", "x", "0"), "Nonlinear solver/Tolerance": "1e-11",
                                "Output/Force boundaries": "0, 2"}, mesh)
        return [record["kinetic_energy"], *m_back(m, record["forces"]["0"]), *m_back(m, record["forces"]["2"])]
    record = runs(program, {**flow, "Problem/Viscosity": 0.05,
                            "Problem/Boundary velocity": "3: " + vector("4*x*(1-x)", "0", "0"),
                            "Problem/Body force": vector("y", "x", "0"), "Time stepping/Time step": "1e-3",
                            "Time stepping/End time": "1e-2",
                            "Linear solver/Tolerance": "1e-12", "Output/Force boundaries": "0, 2"}, mesh)
    return [record["kinetic_energy"], *m_back(m, record["forces"]["0"]), *m_back(m, record["forces"]["2"])]


def m_back(m, values):
    """A vector of the new coordinates in the old ones."""
    found = [0.0] * len(values)
    for value, (axis, sign) in zip(values, m.vector):
        found[axis] = sign * value
    return found


def moved(runs):
    for program in ("elasticity", "transport_diffusion", "poisson", "stokes", "stationary_navier_stokes",
                    "navier_stokes"):
        for dimension in (2, 3):
            def case(program=program, dimension=dimension):
                base = results(program, MOTIONS["as it is"], runs, dimension)
                rows = []
                for name in list(MOTIONS)[1:]:
                    try:
                        rows.append(compared(name, results(program, MOTIONS[name], runs, dimension), base, 2e-8))
                    except RuntimeError as error:
                        rows.append((name, False, str(error)))
                return rows
            yield f"moved: {program}, {dimension}D", case


def units(runs):
    """Lengths times 1e3, viscosities or moduli times 1e-18: results follow by their dimensions."""
    scaled = lambda length: Motion(lambda x, y, z: (length * x, length * y, length * z),
                                   [f"{c}/{length:g}" for c in "xyz"], [(0, 1), (1, 1), (2, 1)])
    big, tiny = scaled(1e3), scaled(1e-9)
    meter = MOTIONS["as it is"]

    def stokes():
        def dissipation(m, eta):
            return runs("stokes",
                        {"Problem/Case": "expressions", "Problem/Viscosity": m.scalar(f"{eta}*(1+9*(x>0.5))"),
                         "Problem/Boundaries": "no_slip", "Problem/Body force": m.field(["y", "-x"]),
                         "Mesh/Refinements": 2, "Linear solver/Tolerance": "1e-10",
                         "Output/Points": m.point([0.4, 0.3])},
                        meshes.box(2, 3, 0.2, seed=3).moved(m.map))["dissipation"]
        # u ~ f L^2 / eta, dissipation ~ f u L^2 in 2D
        return [compared("dissipation", dissipation(big, 1e-18) / 1e12 / 1e18, dissipation(meter, 1.0), 1e-8)]

    def elasticity():
        def energy(m, E):
            return runs("elasticity", {"Problem/Dimension": 2, "Problem/Young modulus": E,
                                       "Problem/Poisson ratio": 0.3, "Time stepping/Stationary": "true",
                                       "Problem/Dirichlet boundaries": "0: xy",
                                       "Problem/Body force": m.field(["y", "-x"]),
                                       "Discretization/Refinement": "uniform", "Discretization/Uniform refinements": 2,
                                       "Discretization/Refinement steps": 0,
                                       "Linear solver/Tolerance": "1e-11", "Output/Points": m.point([0.4, 0.3])},
                        meshes.box(2, 3, 0.2, seed=3).moved(m.map))["strain_energy"]
        return [compared("strain energy", energy(big, 1e-18) / 1e12 / 1e18, energy(meter, 1.0), 1e-8)]

    def flow(program):
        def energy(m, length, nu, time):
            more = FLOW[program] if program.startswith("stat") else {
                "Time stepping/Time step": f"{1e-3 * time:.15g}", "Time stepping/End time": f"{1e-2 * time:.15g}",
                "Linear solver/Tolerance": "1e-12"}
            speed = length / time
            return runs(program, {**more, "Problem/Viscosity": f"{nu:.15g}",
                                  "Problem/Boundary velocity": "3: " + m.field([f"{speed:.15g}*4*x*(1-x)", "0"]),
                                  "Mesh/Refinements": 2},
                        meshes.box(2, 3, 0.2, seed=3).moved(m.map))["kinetic_energy"] / speed**2 / length**2
        rows = []
        for m, length in ((big, 1e3), (tiny, 1e-9)):  # nu ~ L^2 / T
            rows.append(compared(f"kinetic energy, lengths times {length:g}", energy(m, length, 0.05 * length**2, 1.0),
                                 energy(meter, 1.0, 0.05, 1.0), 1e-8))
        return rows

    yield "units: stokes", stokes
    yield "units: elasticity", elasticity
    for program in FLOW:
        yield f"units: {program}", lambda program=program: flow(program)


# --- Balances ---------------------------------------------------------------------------------------------------------


def balance(runs):
    def stokes(dimension, velocity):
        record = runs("stokes", {"Problem/Case": "expressions", "Problem/Dimension": dimension,
                                 "Problem/Viscosity": "1+99*(x>0.5)", "Problem/Boundaries": "no_slip",
                                 "Problem/Body force": "y; -x*x; x" if dimension == 3 else "y; -x*x",
                                 "Discretization/Velocity": velocity, "Mesh/Refinements": 1,
                                 "Mesh/Local refinements": 1, "Mesh/Refine where": "0.4-x",
                                 "Linear solver/Tolerance": "1e-10",
                                 "Output/Points": ", ".join(["0.5"] * dimension)},
                      meshes.box(dimension, 3, 0.2, seed=5))
        return [compared("dissipation is the work of the force", record["dissipation"], record["work_of_force"], 1e-8)]

    def elasticity(dimension, degree):
        record = runs("elasticity", {"Problem/Dimension": dimension, "Problem/Young modulus": 1,
                                     "Problem/Poisson ratio": 0.3, "Discretization/Degree": degree,
                                     "Problem/Dirichlet boundaries": "0: xyz"[:5 + (dimension == 3)],
                                     "Problem/Body force": "y; 1+x; x"[:6 + 3 * (dimension == 3)],
                                     "Problem/Traction": "3: 1; x; y" if dimension == 3 else "3: 1; x",
                                     "Time stepping/Stationary": "true", "Discretization/Refinement": "kelly",
                                     "Discretization/Uniform refinements": 1, "Discretization/Refinement steps": 1,
                                     "Linear solver/Tolerance": "1e-11",
                                     "Output/Points": ", ".join(["0.5"] * dimension)},
                      meshes.box(dimension, 2, 0.2, seed=5))
        return [compared("twice the strain energy is the work of the load", 2 * record["strain_energy"],
                         record["work_of_load"], 1e-8)]

    def creeping(body, where):
        inner = BODIES[body]
        mesh = meshes.ring(inner, meshes.projected(inner, 1.1), 2)
        record = runs("stationary_navier_stokes", {**FLOW["stationary_navier_stokes"], "Problem/Viscosity": "1e6",
                                                   "Problem/Boundary velocity": "2: y; 1", "Mesh/Refinements": 1,
                                                   "Mesh/Local refinements": int(where != "uniform"),
                                                   "Mesh/Refine where": WHERE[where],
                                                   "Output/Force boundaries": "1, 2"}, mesh)
        a, b = record["forces"]["1"], record["forces"]["2"]
        return [compared("forces on body and outer boundary cancel", a, [-f for f in b], 1e-6)]

    def mass():
        record = runs("buoyant_flow", {"Mesh/Refinements": 2, "Time stepping/Steps": 5,
                                       "Problem/Initial composition": "if(y>0.6+0.1*x, 1, 0)"},
                      meshes.box(2, 2, 0.2, seed=5))
        c = record["composition"]
        return [compared("mass of the composition", c["mass"], c["first_mass"], 1e-10)]

    for dimension in (2, 3):
        for velocity in ("q1_iso_q2", "q2"):
            yield f"balance: stokes, {velocity}, {dimension}D", lambda d=dimension, v=velocity: stokes(d, v)
        for degree in (1, 2):
            yield f"balance: elasticity, Q{degree}, {dimension}D", lambda d=dimension, q=degree: elasticity(d, q)
    for body in BODIES:
        for where in WHERE:
            yield f"balance: creeping flow around {body}, {where}", lambda b=body, w=where: creeping(b, w)
    yield "balance: buoyant_flow", mass


# --- Patches ----------------------------------------------------------------------------------------------------------


def patch(runs):
    def errors(record):
        return [compared(key, value, 0.0, 1e-7 if key.startswith("p") else 1e-8, 1.0)
                for key, value in record["errors"].items()]

    def elasticity(dimension, degree, seed):
        u = ["1e-2*x+2e-2*y", "3e-2*x-1e-2*y", "1e-2*z-2e-2*x"][:dimension]
        return errors(runs("elasticity", {
            "Problem/Dimension": dimension, "Problem/Young modulus": 1, "Problem/Poisson ratio": 0.3,
            "Discretization/Degree": degree,
            "Problem/Dirichlet boundaries": ", ".join(f"{i}: {'xyz'[:dimension]}" for i in range(2 * dimension)),
            "Problem/Body force": "; ".join(["0"] * dimension), "Problem/Boundary displacement": "; ".join(u),
            "Problem/Exact displacement": "; ".join(u), "Time stepping/Stationary": "true",
            "Discretization/Refinement": "kelly", "Discretization/Uniform refinements": 0,
            "Discretization/Refinement steps": 2, "Discretization/Refine fraction": 0.3,
            "Linear solver/Tolerance": "1e-12", "Output/Points": ", ".join(["0.5"] * dimension)},
                           meshes.box(dimension, 3, 0.25, seed, turned=True)))

    def transport(dimension, degree, seed):
        u = "1+x-2*y" + ("+z" if dimension == 3 else "")
        return errors(runs("transport_diffusion", {
            "Problem/Dimension": dimension, "Problem/Transport": "1, 0.5, -1", "Problem/Diffusion": 0.1,
            "Problem/Source": "0" if dimension == 2 else "-1", "Problem/Boundary values": u,
            "Problem/Initial values": u, "Problem/Exact solution": u, "Discretization/Degree": degree,
            "Discretization/Refinements": 0,
            "Discretization/Adaptive cycles": 2, "Time stepping/End time": 0.1, "Time stepping/Time step": 0.05,
            "Linear solver/Tolerance": "1e-12"},
            meshes.box(dimension, 3, 0.25, seed, turned=True)))

    def poisson(dimension, seed):
        u = "1+x-2*y" + ("+z" if dimension == 3 else "")
        return errors(runs("poisson", {"Problem/Dimension": dimension, "Problem/Source": "0",
                                       "Problem/Boundary values": u, "Problem/Exact solution": u,
                                       "Problem/Samples": 1, "Mesh/Refinements": 1, "Mesh/Local refinements": 1,
                                       "Mesh/Refine where": "0.5-x"},
                           meshes.box(dimension, 3, 0.25, seed, turned=True)))

    def stokes(dimension, velocity, seed):
        u = ["y+0.5*x", "x-0.5*y"] if dimension == 2 else ["y+0.5*x", "z-y", "x+0.5*z"]
        return errors(runs("stokes", {"Problem/Case": "expressions", "Problem/Dimension": dimension,
                                      "Problem/Viscosity": 1, "Problem/Body force": "; ".join(["0"] * dimension),
                                      "Problem/Exact velocity": "; ".join(u), "Problem/Exact pressure": "0",
                                      "Problem/Boundary velocity": "exact", "Discretization/Velocity": velocity,
                                      "Mesh/Refinements": 0, "Mesh/Local refinements": 1, "Mesh/Refine where": "0.5-x",
                                      "Linear solver/Tolerance": "1e-11",
                                      "Output/Points": ", ".join(["0.5"] * dimension)},
                           meshes.box(dimension, 3, 0.25, seed, turned=True)))

    def shear(program, dimension, seed):
        # navier_stokes interpolates products of velocities at the nodes: linear ones have an error of second order.
        u = "; ".join(["1+2*y" if program.startswith("stat") else "1",
                       "0.5" if dimension == 2 and not program.startswith("stat") else "0", "0"][:dimension])
        more = FLOW[program] if program.startswith("stat") else {
            "Time stepping/Time step": "1e-3", "Time stepping/End time": "5e-3", "Linear solver/Tolerance": "1e-12",
            "Problem/Initial velocity": u}
        return errors(runs(program, {**more, "Problem/Dimension": dimension, "Problem/Viscosity": 0.1,
                                     "Problem/Exact velocity": u, "Problem/Exact pressure": "0",
                                     "Problem/Boundary velocity": ", ".join(f"{i}: {u}" for i in range(2 * dimension)),
                                     "Mesh/Refinements": 0,
                                     "Mesh/Local refinements": 1, "Mesh/Refine where": "0.5-x"},
                           meshes.box(dimension, 3, 0.25, seed, turned=True)))

    for dimension in (2, 3):
        for seed in (1, 2):
            for degree in (1, 2):
                which = f"Q{degree}, {dimension}D, seed {seed}"
                yield f"patch: elasticity, {which}", partial(elasticity, dimension, degree, seed)
                yield f"patch: transport_diffusion, {which}", partial(transport, dimension, degree, seed)
            which = f"{dimension}D, seed {seed}"
            yield f"patch: poisson, {which}", partial(poisson, dimension, seed)
            for velocity in ("q1_iso_q2", "q2"):
                yield f"patch: stokes, {velocity}, {which}", partial(stokes, dimension, velocity, seed)
            for program in FLOW:
                yield f"patch: {program}, shear, {which}", partial(shear, program, dimension, seed)


def run(arguments, report):
    parser = argparse.ArgumentParser(prog="scripts/check physics", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args(arguments)

    def one(name, case):
        try:
            return [(f"{name}: {row[0]}", *row[1:]) for row in case()]
        except (RuntimeError, KeyError) as error:
            return [(name, False, f"{type(error).__name__} {error}")]

    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(options.jobs) as pool:
        runs = Runs(options.build, place)
        work = [pool.submit(one, *case) for kind in (rest, moved, units, balance, patch) for case in kind(runs)
                if options.only in case[0]]
        for done in work:
            for row in done.result():
                report.add(*row)
