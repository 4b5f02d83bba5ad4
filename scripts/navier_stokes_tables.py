"""Tables of the Navier-Stokes records: beside Table 4 of the paper, and beside reference values."""

import re

from records import *

SETTING = re.compile(r"--set '?([^'=]*=[^']*?)'?(?= --set|$)")


def settings_of(record):
    return dict(s.split("/", 1)[1].split("=", 1) for s in SETTING.findall(record["command"]))


def flows(records, case):
    """The newest folder's records of a case, with their settings."""
    found = [{**r, "set": settings_of(r)} for r in records if r["application"] == "navier_stokes" and r["case"] == case]
    return found


def milliseconds(record, *parts):
    return 1e3 * sum(record["timings"].get(part, 0.0) for part in parts) / record["steps"]


def parts_of(record):
    """A step by the names of Table 4, in milliseconds. A fused product has one time for what it does."""
    fused = record["custom_kernels"]
    part = {name: None if fused else milliseconds(record, name) for name in ("mom-rhs-nonlin", "mom-rhs-p", "mom-rhs-visc", "mom-solve")}
    part["momentum"] = milliseconds(record, "momentum", "mom-rhs-nonlin", "mom-rhs-p", "mom-rhs-visc", "mom-solve")
    for name in ("pres-rhs", "pres-solve"):
        part[name] = milliseconds(record, name)
    part["pres"] = part["pres-rhs"] + part["pres-solve"]
    part["pres-up"] = milliseconds(record, "pres-up.rhs", "pres-up.solve")
    part["sum"] = part["momentum"] + part["pres"] + part["pres-up"]
    part["copy"] = milliseconds(record, "copy")
    return part


def beside_paper(records):
    """Table 4, in milliseconds a step: the paper's three columns and ours, from runs that time their parts."""
    runs = [r for r in flows(records, "paper") if r["set"].get("Time parts") == "true"]
    columns = {}
    for r in runs:
        columns.setdefault("CPU" if r["backend"] == "host" else "GPU" if r["custom_kernels"] else "GPU*", r)
    if not columns:
        return "No records."
    ours = {name: parts_of(r) for name, r in columns.items()}
    steps = ", ".join(f"{name} {r['steps']} steps" for name, r in columns.items())
    rows = []
    for row in paper_table("table4_navier_stokes.csv"):
        name = row["part"]
        if name in ("mom-rhs", "pres-up.rhs", "pres-up.solve"):
            continue
        cells = [name] + [number(float(row[key]) / 40) if row[key] else "–" for key in ("cpu", "gpu_star", "gpu")]
        cells += [number(ours[c][name]) if c in ours and ours[c].get(name) is not None else "–" for c in ("CPU", "GPU*", "GPU")]
        gpu = ours.get("GPU", {}).get(name)
        cells.append(number(float(row["gpu"]) / 40 / gpu) if row["gpu"] and gpu else "–")
        rows.append(cells)
    header = "part|paper CPU|paper GPU*|paper GPU|ours CPU|ours GPU*|ours GPU|paper GPU / ours".split("|")
    threads = columns["CPU"]["threads"] if "CPU" in columns else "–"
    return (
        f"Milliseconds a step; {describe(runs)} Ours: CPU with {threads} threads; GPU*: cuSPARSE, a product for each matrix and component,"
        " the products of velocities formed on the host (`Implementation/Custom kernels = false`); GPU: fused products, `momentum` for all"
        " of its parts and the interpolation of the pressure. Both use our multigrid. The divergence (div u, ψ) is computed once, under"
        f" pres-rhs. Timing the parts costs a wait after each; {steps}.\n\n" + table(header, rows)
    )


def whole_steps(records):
    """Time of a step without waits between its parts, and what the tolerance and other choices change."""
    runs = [r for r in flows(records, "paper") if r["backend"] == "cuda" and "Time parts" not in r["set"] and "Refinements" not in r["set"] and "Cells" not in r["set"]]
    runs.sort(key=lambda r: (r["pressure_solver"] != "multigrid", -r["tolerance"]))
    if not runs:
        return "No records."
    tightest = min((r for r in runs if r["pressure_solver"] == "multigrid"), key=lambda r: r["tolerance"])
    rows = []
    for r in runs:
        direct = r["pressure_solver"] != "multigrid"
        difference = abs(r["kinetic_energy"] / tightest["kinetic_energy"] - 1)
        rows.append(
            ["fast diagonalization" if direct else "multigrid", "–" if direct else f"{r['tolerance']:g}"]
            + ["–" if direct else f"{r['iterations']['mean']:.2f} / {r['iterations']['max']}", grouped(r["steps"]), number(1e3 * r["timings"]["time_loop"] / r["steps"])]
            + [f"{r['kinetic_energy']:.12f}", f"{difference:.1e}", f"{r['max_divergence']:.1e}", number(r["timings"]["init"])]
        )
    header = "pressure solver|tolerance|iterations mean / max|steps|ms a step|kinetic energy at the end|differs by|max. divergence|init, s".split("|")
    return f"Whole runs on the GPU; {describe(runs)} `differs by`: relative, from the tightest tolerance.\n\n" + table(header, rows)


def sizes(records):
    """Iterations from a zero guess, and time and memory of a step, over the meshes."""
    runs = [r for r in flows(records, "paper") if r["backend"] == "cuda" and r["set"].get("Extrapolation order") == "0"]
    parts = []
    if runs:
        rows = []
        for (nodes,), same in sorted(group(runs, "pressure_nodes").items()):
            by_degree = {r["set"].get("Pre-smoothing steps", "4"): f"{r['iterations']['mean']:.1f} / {r['iterations']['max']}" for r in same}
            rows.append([grouped(nodes), grouped(same[0]["velocity_nodes"])] + [by_degree.get(d, "–") for d in ("3", "4", "6", "8")])
        header = "pressure nodes|velocity nodes|degree 3|4|6|8".split("|")
        parts.append(
            "Pressure iterations from a zero guess to 1e-8, mean / max over the first steps, by the degree of the smoother; the aspect ratio"
            " of the cells doubles from one mesh to the next (41 on the second).\n\n" + table(header, rows)
        )
    runs = [r for r in flows(records, "paper") if r["backend"] == "cuda" and r["custom_kernels"] and "Time parts" not in r["set"]]
    runs = [r for r in runs if r["pressure_solver"] == "multigrid" and ("Cells" in r["set"] or "Extrapolation order" in r["set"] or not r["set"])]
    largest = {}
    for r in sorted(runs, key=lambda r: "Extrapolation order" in r["set"]):  # steps with a guess first
        largest.setdefault(r["dofs"], r)
    if len(largest) > 1:
        rows = []
        for dofs, r in sorted(largest.items()):
            step = 1e3 * r["timings"]["time_loop"] / r["steps"]
            rows.append([grouped(dofs), number(step), number(1e6 * step / dofs), f"{r['iterations']['mean']:.1f}", number(r["peak_memory_bytes"]["device"] / 1e9),
                         number(r["peak_memory_bytes"]["device"] / dofs), number(r["timings"]["init"])])
        header = "DoFs|ms a step|ns a DoF|iterations|device memory, GB|bytes a DoF|init, s".split("|")
        parts.append("Size: a step with as many iterations as it took (from a zero guess to 1e-8 where more than 3).\n\n" + table(header, rows))
    return "\n\n".join(parts)


EXTREMES_2D = {  # u_min on x = 1/2, v_max and v_min on y = 1/2
    "cavity_2d_re100": ("Botella & Peyret 1998", (-0.2140424, 0.1795728, -0.2538030)),
    "cavity_2d_re400": ("Ghia, Ghia & Shin 1982", (-0.32726, 0.30203, -0.44993)),
    "cavity_2d_re1000": ("Botella & Peyret 1998", (-0.3885698, 0.3769447, -0.5270771)),
}
# Albensoeder & Kuhlmann 2005, in the paper's axes: v on y = z = 1/2, then u on x = z = 1/2.
CUBE = {"y": (-0.22283, -0.27293, -0.25160, 0.00802, 0.07334, 0.33171), "x": (0.21738, 0.24407, 0.22924, 0.03674, -0.15223, -0.43423)}
CUBE_POINT = {"y": (0, 1, 2, 3, 4, 5), "x": (6, 7, 8, 3, 9, 10)}  # in the parameter file's list
CUBE_AT = {"y": ("x = .0625", ".1016", ".1719", ".5", ".7344", ".9531"), "x": ("y = .0625", ".0938", ".1563", ".5", ".8047", ".9063")}


def off(value, reference):
    return f"{value:.5f} ({100 * (value / reference - 1):+.2f}%)"


def by_mesh(records, case):
    """A record for each mesh, the coarsest first."""
    found = {}
    for r in flows(records, case):
        found.setdefault(r["dofs"], r)
    return [r for _, r in sorted(found.items())]


def references(records):
    parts, rows, used = [], [], []
    for case, (source, values) in EXTREMES_2D.items():
        runs = by_mesh(records, case)
        for r in runs:
            u, v = r["profiles"][0]["u_x"], r["profiles"][1]["u_y"]
            found = (u["min"], v["max"], v["min"])
            rows.append([case[10:].replace("re", "Re = "), round(r["pressure_nodes"] ** 0.5) - 1, *map(off, found, values), grouped(r["steps"]), "yes" if r["steady"] else "no", source])
        used += runs
    if rows:
        header = "2D cavity|pressure cells a side|u min on x = ½|v max on y = ½|v min on y = ½|steps|steady|reference".split("|")
        parts.append("Steady extremes; in brackets, how far from the reference.\n\n" + table(header, rows))
    runs = by_mesh(records, "cavity_3d_cube")
    if runs:
        cells = lambda r: round(r["pressure_nodes"] ** (1 / 3)) - 1
        rows = []
        for component, name in (("y", "v"), ("x", "u")):
            for k, reference in enumerate(CUBE[component]):
                # Relative to the profile's largest value: some values are nearly zero.
                scale = max(map(abs, CUBE[component]))
                found = [r["velocity_at_points"][component][CUBE_POINT[component][k]] for r in runs]
                rows.append([f"{name} at {CUBE_AT[component][k]}", f"{reference:.5f}"] + [f"{x:.5f} ({100 * (x - reference) / scale:+.2f}%)" for x in found])
        header = ["3D cube, Re = 1000", "Albensoeder & Kuhlmann 2005"] + [f"{cells(r)}³ pressure cells" for r in runs]
        ends = ", ".join(f"{cells(r)}³: t = {r['end_time']:.0f}{', steady' if r['steady'] else ''}" for r in runs)
        parts.append(f"In brackets, the difference relative to the profile's largest value; {ends}.\n\n" + table(header, rows))
        used += runs
    runs = by_mesh(records, "cylinder_2d")
    if runs:
        rows = []
        for r in runs:
            (drag, lift), (front, back) = r["forces"]["2"], r["pressure_at_points"]
            rows.append([grouped(r["cells"] // 4), grouped(r["dofs"]), off(drag, 5.57953523384), off(lift, 0.010618948146), off(front - back, 0.11752016697), grouped(r["steps"])])
        header = "cylinder 2D-1, pressure cells|DoFs|drag (5.5795)|lift (0.010619)|pressure difference (0.11752)|steps".split("|")
        parts.append("Schäfer & Turek 1996, case 2D-1:\n\n" + table(header, rows))
        used += runs
    hardware = "; ".join(dict.fromkeys(f"{r['hardware']} ({r['backend']})" for r in used))
    return [f"Computed on {hardware}." if used else "No records."] + parts


def sections(records):
    if not any(r["application"] == "navier_stokes" for r in records):
        return []
    return [
        "## Navier-Stokes beside the paper's Table 4",
        "Lid-driven cavity, 32·32·64 pressure cells, 545 025 velocity and 70 785 pressure nodes, Δt = 1e-4. The paper's figures are its seconds over 40 000 steps.",
        beside_paper(records),
        whole_steps(records),
        sizes(records),
        "## Navier-Stokes beside reference values",
        *references(records),
    ]


def readme(records):
    """The shortest account: a step of the paper's case on the GPU."""
    whole = [r for r in flows(records, "paper") if r["backend"] == "cuda" and set(r["set"]) <= {"Tolerance"} and r["steps"] == 40000]
    timed = [r for r in flows(records, "paper") if r["set"].get("Time parts") == "true" and r["backend"] == "cuda" and r["custom_kernels"]]
    if not whole or not timed:
        return []
    paper = {row["part"]: float(row["gpu"]) / 40 for row in paper_table("table4_navier_stokes.csv") if row["gpu"]}
    rows = []
    for r in sorted((r for r in whole if r["folder"] == whole[0]["folder"]), key=lambda r: -r["tolerance"]):
        step = 1e3 * r["timings"]["time_loop"] / r["steps"]
        rows.append([f"{r['tolerance']:g}", f"{r['iterations']['mean']:.2f}", number(step), number(paper["sum"]), number(paper["sum"] / step),
                     f"{r['kinetic_energy']:.10f}"])
    pressure = parts_of(timed[0])["pres-solve"]
    header = "tolerance|iterations a step|ms a step|paper GPU|paper / ours|kinetic energy at t = 4".split("|")
    return [
        f"Navier-Stokes (Table 4), lid-driven cavity with 545 025 velocity nodes, 40 000 steps on {machine(whole)}; the pressure solve takes"
        f" {number(pressure)} ms of a step at {timed[0]['tolerance']:g} (paper {number(paper['pres-solve'])}):",
        table(header, rows),
    ]
