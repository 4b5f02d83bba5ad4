"""Tables of the elasticity records beside Table 3 of the paper."""

import re

from records import *

CASE = re.compile(r"(?:paper_)?(face|edge|vertex)_(\d)")
SETTINGS = re.compile(r"--set '?((?:Linear solver|Discretization)/[^']*?=[^' ]*(?: [^-' ][^' ]*)*)'?(?= --|$)")


def elasticity(records):
    """The multigrid runs of the refinements of Table 3, with their refinement, level and settings."""
    found = []
    for record in records:
        match = CASE.fullmatch(record["case"])
        if record["application"] == "elasticity" and match and record["preconditioner"] == "multigrid" and record["label"].startswith(("host-", "cuda-")):
            settings = [s.split("/")[-1] for s in SETTINGS.findall(record["command"])]
            coupled = record["formulation"] == "coupled"
            plain = [s for s in settings if not (coupled and s in ("Formulation=coupled", "Solver=gmres"))]
            found.append({**record, "refinement": match[1], "level": int(match[2]), "settings": ", ".join(plain)})
    return found


def newest(records):
    """Those of the newest folder."""
    return [r for r in records if r["folder"] == records[0]["folder"]] if records else []


def beside_paper(records):
    """Solve and sum of all refinements: the paper's and ours, both formulations and backends."""
    kept = newest([r for r in elasticity(records) if not from_zero(r) and not r["settings"] and r["steps"] == 100])
    if not kept:
        return "No records."
    paper = {(row["refinement"], int(row["level"])): row for row in paper_table("table3_elasticity.csv")}
    groups, copy = group(kept, "refinement", "level", "formulation", "backend"), bandwidth(kept)
    parts = []
    for title, names, key in (
        ("Solve, milliseconds a step", ("solve",), "solve"),
        ("Init + rhs + solve + copy, seconds for 100 steps", ("init", "rhs", "solve", "copy"), "sum"),
        ("Init, seconds", ("init",), "init"),
    ):
        scale, rows = (10.0 if key == "solve" else 1.0), []  # seconds for 100 steps to milliseconds a step
        for refinement, level in sorted({k[:2] for k in groups}, key=lambda k: (("face", "edge", "vertex").index(k[0]), k[1])):
            ours = {k[2:]: median(runs, *names) * scale for k, runs in groups.items() if k[:2] == (refinement, level)}
            row, gpu = paper.get((refinement, level)), ours.get(("condensed", "cuda"))
            nodes = next(runs[0]["nodes"] for k, runs in groups.items() if k[:2] == (refinement, level))
            cells = [f"{refinement} {level}", grouped(nodes)]
            cells += [number(float(row[f"{side}_{key}"]) * scale) if row else "–" for side in ("cpu", "gpu")]
            order = (("coupled", "host"), ("condensed", "host"), ("coupled", "cuda"), ("condensed", "cuda"))
            cells += [number(ours[k]) if k in ours else "–" for k in order]
            for same in ("coupled", "condensed"):
                time = ours.get((same, "cuda"))
                cells.append(number(float(row[f"gpu_{key}"]) * scale / time) if row and time else "–")
            cells.append(number(float(row[f"gpu_{key}"]) * scale / gpu * PAPER_BANDWIDTH / copy) if row and gpu and copy else "–")
            rows.append(cells)
        header = "mesh|nodes|paper CPU|paper GPU|ours CPU, coupled|condensed|ours GPU, coupled|condensed|paper GPU / ours, coupled|condensed|the same / bandwidth ratio"
        parts.append(f"{title}:\n\n" + table(header.split("|"), rows))
    threads = max(r["threads"] for r in kept if r["backend"] == "host") if any(r["backend"] == "host" for r in kept) else 0
    return f"Ours: CPU with {threads} threads. {describe(kept)}\n\n" + "\n\n".join(parts)


def iterations_by_level(records):
    """Iterations and time of a step from a zero guess, all levels of each refinement."""
    kept = newest([r for r in elasticity(records) if from_zero(r) and not r["settings"] and r["formulation"] == "condensed"])
    rows = []
    for (refinement, backend), runs in group(kept, "refinement", "backend").items():
        levels = {level: same for (level,), same in group(runs, "level").items()}
        counts = [levels[level][0]["iterations"]["max"] if level in levels else "–" for level in range(2, 7)]
        times = [number(1e3 * median(levels[level], "solve") / levels[level][0]["steps"]) if level in levels else "–" for level in range(2, 7)]
        rows.append([refinement, backend, *counts, *times])
    header = ["refinement", "backend"] + [f"iterations, level {level}" for level in range(2, 7)]
    header += [f"ms a step, level {level}" for level in range(2, 7)]
    return describe(kept) + "\n\n" + table(header, rows) if kept else "No records."


def solvers(records):
    """Krylov methods and smoothers on the largest mesh of each refinement, from a zero guess."""
    kept = newest([r for r in elasticity(records) if from_zero(r) and r["backend"] == "cuda"])
    varied = {(r["refinement"], r["level"]) for r in kept if r["settings"]}
    rows = []
    for (refinement, level, settings), same in sorted(group([r for r in kept if (r["refinement"], r["level"]) in varied], "refinement", "level", "settings").items()):
        cycle = statistics.median(r["v_cycle"]["seconds"] for r in same)
        rows.append([f"{refinement} {level}", settings or "as the parameter file says", f"{same[0]['iterations']['max']}",
                     number(1e3 * median(same, "solve") / same[0]["steps"]), number(1e6 * cycle), number(median(same, "init/solver"))])
    header = "mesh|settings|iterations|solve, ms a step|V-cycle, µs|init of the solver, s"
    return table(header.split("|"), rows) if rows else "No records."


def by_size(records):
    """V-cycle, step and memory over the sizes of the face refinement."""
    kept = newest([r for r in elasticity(records) if r["refinement"] == "face" and r["backend"] == "cuda" and not r["settings"] and r["formulation"] == "condensed"])
    rows = []
    for (level,), runs in sorted(group(kept, "level").items()):
        zero, plain = [r for r in runs if from_zero(r)], [r for r in runs if not from_zero(r)]
        if not zero or not plain:
            continue
        dofs, cycle = runs[0]["dofs"], statistics.median(r["v_cycle"]["seconds"] for r in runs)
        step, first = median(plain, "solve") / plain[0]["steps"], median(zero, "solve") / zero[0]["steps"]
        rows.append([f"face {level}", grouped(runs[0]["nodes"]), number(1e3 * step), f"{1e9 * step / dofs:.3f}", number(1e3 * first), f"{1e9 * first / dofs:.2f}",
                     number(1e6 * cycle), f"{1e9 * cycle / dofs:.3f}", number(max(r["peak_memory_bytes"]["device"] for r in runs) / 1e9), number(median(plain, "init"))])
    header = "mesh|nodes|solve, ms a step|ns a DoF|from a zero guess, ms|ns a DoF|V-cycle, µs|ns a DoF|device memory, GB|init, s"
    return table(header.split("|"), rows) if rows else "No records."


def sections(records):
    """The paragraphs of docs/benchmarks/README.md about elasticity."""
    if not elasticity(records):
        return []
    return [
        "## Linear elasticity beside the paper's Table 3",
        "Backward Euler reaches the static state after a few steps: from then on the last solution is the guess and needs no"
        " iteration, so the mean over 100 steps is far below the time of a solve from zero, which the next table has."
        " The condensed formulation has three unknowns a node, the coupled one six, as the paper's.",
        beside_paper(records),
        "### From a zero guess in each step",
        iterations_by_level(records),
        "### Sizes of the face refinement on the GPU",
        by_size(records),
        "### Krylov methods and smoothers",
        solvers(records),
    ]


def readme(records):
    """The shortest account: the largest mesh of each refinement on the GPU, beside the paper's GPU."""
    kept = [r for r in elasticity(records) if r["backend"] == "cuda" and not r["settings"] and r["formulation"] == "condensed"]
    kept = newest(kept)
    paper, rows = {(row["refinement"], int(row["level"])): row for row in paper_table("table3_elasticity.csv")}, []
    for (refinement, level), runs in sorted(group(kept, "refinement", "level").items()):
        plain, zero = [r for r in runs if not from_zero(r)], [r for r in runs if from_zero(r)]
        if (refinement, level) not in (("face", 5), ("edge", 6), ("vertex", 6)) or not plain or not zero:
            continue
        solve, first = (1e3 * median(same, "solve") / same[0]["steps"] for same in (plain, zero))
        gpu = 10.0 * float(paper[refinement, level]["gpu_solve"])
        rows.append([f"{refinement} {level}", grouped(runs[0]["nodes"]), number(solve), number(first), number(median(plain, "init")),
                     number(gpu), number(gpu / solve), number(gpu / first)])
    if not rows:
        return []
    header = "mesh|nodes|solve, ms a step|from a zero guess|init, s|paper GPU, ms a step|paper / ours|from a zero guess"
    return [f"Linear elasticity on adaptive meshes (Table 3), condensed, on {machine(kept)}; mean over 100 steps, whose last ones find"
            " the static state and need no iteration, and a solve from a zero guess in each step:",
            table(header.split("|"), rows)]
