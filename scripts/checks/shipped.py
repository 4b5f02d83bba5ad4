"""The shipped parameter files, made small enough for a check: fewer steps, meshes of at most some refinements."""

import re

from .common import ROOT

REFINEMENTS = {  # the parameter of uniform refinements, and the largest ones kept: in 2D and 3D, small and medium
    "transport_diffusion": ("Discretization/Refinements", {"small": (5, 2), "medium": (8, 4)}),
    "elasticity": ("Discretization/Uniform refinements", {"small": (3, 1), "medium": (5, 3)}),
    "solid": ("Mesh/Refinements", {"small": (3, 1), "medium": (5, 3)}),
    "navier_stokes": ("Mesh/Refinements", {"small": (3, 1), "medium": (5, 4)}),
    "template": ("Heat/Refinements", {"small": (4, 2), "medium": (6, 4)}),
    "nonlinear_heat": ("Heat/Refinements", {"small": (4, 2), "medium": (6, 4)}),
    "stokes": ("Mesh/Refinements", {"small": (3, 1), "medium": (5, 3)}),
    "buoyant_flow": ("Mesh/Refinements", {"small": (3, 2), "medium": (5, 4)}),
    "stationary_navier_stokes": ("Mesh/Refinements", {"small": (3, 1), "medium": (5, 2)}),
    "poisson": ("Mesh/Refinements", {"small": (4, 2), "medium": (6, 4)}),
}
MOST = {  # other parameters that make a run long, and the largest values kept
    "elasticity": {"Discretization/Refinement steps": {"small": 1, "medium": 2}},
    "poisson": {"Problem/Samples": {"small": 8, "medium": 64}, "Solver/Columns at once": {"small": 8, "medium": 64},
                "Solver/Repetitions": {"small": 1, "medium": 1},
                "Schur complement/Coarse refinements": {"small": 2, "medium": 4}},
    "transport_diffusion": {"Adaptivity/Largest level": {"small": 5, "medium": 8}},
    "navier_stokes": {"Mesh/Local refinements": {"small": 1, "medium": 2}},
}
INSTATIONARY = ("transport_diffusion", "template", "nonlinear_heat")
DIMENSION = {"transport_diffusion": 2, "elasticity": 3, "solid": 3, "navier_stokes": 3, "stokes": 3, "buoyant_flow": 2,
             "stationary_navier_stokes": 2}


def files():
    """(program, parameter file) of all that are shipped."""
    return [(file.parent.name, file) for file in sorted((ROOT / "prm").glob("*/*.prm"))]


def settings(file):
    """What a parameter file sets: {"Section/key": value}."""
    found, where = {}, []
    for line in re.sub(r"\\\n", " ", file.read_text()).splitlines():
        words = line.split("#")[0].strip()
        if words.startswith("subsection "):
            where.append(words[11:].strip())
        elif words == "end":
            where.pop()
        elif words.startswith("set "):
            key, value = words[4:].split("=", 1)
            found["/".join(where + [key.strip()])] = " ".join(value.split())
    return found


def reduced(program, file, size, steps):
    """The settings behind --set that make the run of a shipped file one of this size ("small", "medium") and so many
    steps."""
    given, change = settings(file), []
    section = "Heat" if program in ("template", "nonlinear_heat") else "Time stepping"
    dimension = int(given.get("Heat/Dimension" if section == "Heat" else "Problem/Dimension",
                              DIMENSION.get(program, 2)))
    key, most = REFINEMENTS[program]
    if program != "elasticity" or "Mesh/File" not in given:
        limits = {key: most[size][dimension - 2]}
    else:
        limits = {key: 1}
    limits.update({k: v[size] for k, v in MOST.get(program, {}).items()})
    for key, limit in limits.items():
        if key in given and float(given[key]) > limit:
            change.append(f"{key}={limit}")
    if program == "buoyant_flow":
        change.append(f"Time stepping/Steps={steps}")
    elif {f"{section}/End time", f"{section}/Time step"} & set(given) or program in INSTATIONARY:
        step = given.get(f"{section}/Time step", {"transport_diffusion": "0.02"}.get(program, "0.05"))
        if given.get("Time stepping/Stationary") != "true":
            change.append(f"{section}/End time={steps * float(step):.12g}")
    if "Output/Statistics interval" in given:
        change.append("Output/Statistics interval=1")
    return change


def runs(size, steps):
    """(name, program, file, settings) of every shipped file, reduced; files that have become the same run come once,
    with all names."""
    found = {}
    for program, file in files():
        change = reduced(program, file, size, steps)
        effective = {**settings(file), **dict(c.split("=", 1) for c in change)}
        found.setdefault((program, tuple(sorted(effective.items()))), []).append((file, change))
    for (program, _), same in found.items():
        names = [file.stem for file, _ in same]
        yield f"{program}/{' '.join(names)}", program, *same[0]
