"""Tables of runs on several ranks and GPUs, and the model of docs/scaling.md, from the records of scripts/benchmark and rank_parts."""

import csv
import math
import re

from records import *

CELLS_PER_RANK = 200000  # Ranks/Cells per rank on GPUs


# rank_parts of elasticity on four GPUs, as the exchange became faster
VERSIONS = {
    "rank_parts_elasticity4_4_200000_before.csv": "ghosts by row, 200 000 cells a rank",
    "rank_parts_elasticity4_4_200000.csv": "ghosts by node",
    "rank_parts_elasticity4_4_33333.csv": "33 333 cells a rank",
    "rank_parts_elasticity4_4.csv": "sent by the product's kernel",
}
OTHERS = ["rank_parts_level12_1.csv", "rank_parts_level12_2.csv", "rank_parts_elasticity5_1.csv", "rank_parts_elasticity5_4.csv"]


def measured():
    """Whether there are the measurements that these tables are made of."""
    return all(any(RECORDS.glob(f"*/{name}")) for name in [*VERSIONS, *OTHERS, "ranks_on_the_host.log", "ranks_against_ml.log"])


def parts(name):
    """A file of rank_parts: {level: row of numbers}, and its comments."""
    file = sorted(RECORDS.glob(f"*/{name}"))[-1]
    lines = file.read_text().splitlines()
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return {int(row["level"]): {k: float(v) for k, v in row.items()} for row in rows}, [l[2:] for l in lines if l.startswith("#")]


def of_level(rows, l):
    """Microseconds that a V-cycle spends on this level."""
    return rows[l]["cycle up to here/us"] - (rows[l - 1]["cycle up to here/us"] if l > 0 else 0.0)


def setting(record, name):
    found = re.search(rf"{name}=([^' ]*)", record["command"])
    return found.group(1) if found else ""


def kind(record):
    """What grows with the GPUs: the name of a row in the table, or None."""
    if record["dofs"] > 1.2e7 * record.get("ranks", 1) and record["application"] == "elasticity":
        return "elasticity, uniform, the largest problem"
    if not re.search("face_6.prm|paper_level12.prm", record["command"]):
        return None
    if record["application"] == "transport_diffusion":
        if setting(record, "Adaptive cycles"):
            return "transport-diffusion, adaptive"
        return "transport-diffusion, uniform" if setting(record, "Coarse cells") else "transport-diffusion, level 12 (strong)"
    if setting(record, "Refinement") == "uniform":
        return "elasticity, uniform"
    return "elasticity, adaptive (face)" if setting(record, "Coarse cells") else "elasticity, face level 6 (strong)"


def gpus(records):
    """Runs on one and several GPUs of each machine that has several: the efficiency compares the time for each unknown of a GPU; for a
    strong case that is speed-up / GPUs."""
    kept = [r for r in records if r["backend"] == "cuda" and re.search(r"\d NVIDIA", r["hardware"]) and r["application"] in ("transport_diffusion", "elasticity")]
    parts = []
    for (machine,), there in sorted(group(kept, "hardware").items()):
        rows = []
        for (name,), runs in sorted(group([dict(r, kind=kind(r), gpus=r.get("ranks", 1)) for r in there if kind(r)], "kind").items()):
            rows += rows_of(name, runs)
        header = "case|GPUs|DoFs|million a GPU|V-cycle, µs|efficiency|solve, ms a step|rhs, ms a step|efficiency of a step|iterations|init, s|device, bytes a DoF|host, bytes a DoF|runs"
        parts.append(f"{machine}:\n\n{table(header.split('|'), rows)}")
    return "\n\n".join(parts) if parts else "No records."


def rows_of(name, runs):
    """A row for each number of GPUs that ran a case."""
    cost, rows = {}, []
    for (n,), same in sorted(group(runs, "gpus").items()):
        r = same[0]
        step = {part: 1e3 * median(same, part) / r["steps"] for part in ("solve", "rhs")}
        cycle = statistics.median(s["v_cycle"]["seconds"] for s in same)
        cost[n] = [seconds * n / r["dofs"] for seconds in (cycle, sum(step.values()))]
        efficiency = [f"{100 * cost[1][k] / cost[n][k]:.0f} %" if 1 in cost else "–" for k in range(2)]
        rows.append(
            [name, n, grouped(r["dofs"]), f"{r['dofs'] / n / 1e6:.2f}", number(1e6 * cycle), efficiency[0], number(step["solve"]), number(step["rhs"])]
            + [efficiency[1], f"{r['iterations']['mean']:.2f}", number(median(same, "init"))]
            + [f"{r['peak_memory_bytes']['device'] / (r['dofs'] / n):.0f}", f"{r['peak_memory_bytes']['host'] / r['dofs']:.0f}", len(same)]
        )
    return rows


def one_rank(records):
    """The same programs alone and under mpirun -np 1 with p4est's mesh."""
    rows = []
    for (_, prm, dofs), same in sorted(group([dict(r, prm=re.search(r"(\w+)\.prm", r["command"]).group(1)) for r in records if r["backend"] == "cuda"], "hardware", "prm", "dofs").items()):
        sides = [[r for r in same if ("Distributed mesh=true" in r["command"]) == under and r.get("ranks", 1) == 1] for under in (False, True)]
        if not all(sides):
            continue
        alone, under = ([1e3 * median(side, part) / side[0]["steps"] for part in ("rhs", "solve")] for side in sides)
        rows.append([prm, grouped(dofs), *map(number, (sum(alone), sum(under))), f"{100 * (sum(under) / sum(alone) - 1):+.1f} %", f"{len(sides[0])}, {len(sides[1])}"])
    return table("case|DoFs|alone, ms a step|one rank under mpirun|difference|runs".split("|"), rows)


def printed(name):
    """What scripts/benchmark printed of its runs, kept in files of this name: (folder, case, label, init, rhs, solve, iterations)."""
    for file in sorted(RECORDS.glob(f"*/{name}")):
        for line in file.read_text().splitlines():
            found = re.match(r"(\S+)\s+(\S+)\s+init\s+(\S+)\s+rhs\s+(\S+)\s+solve\s+(\S+)\s.*iterations (\S+)", line)
            if found:
                yield (file.parent.name, found.group(1), found.group(2), *map(float, found.groups()[2:]))


def levels():
    """Where a V-cycle's time goes, level by level."""
    one, _ = parts("rank_parts_level12_1.csv")
    two, comments = parts("rank_parts_level12_2.csv")
    alone = {row["unknowns"]: number(of_level(one, l)) for l, row in one.items()}
    rows = []
    for l in sorted(two, reverse=True):
        shared = two[l]["unknowns of the first rank"] < two[l]["unknowns"]
        exchange = two[l]["product/us"] - two[l]["product of owned columns/us"]
        rows.append([l, grouped(int(two[l]["unknowns"])), alone.get(two[l]["unknowns"], "–"), number(of_level(two, l)), 2 if shared else 1, number(exchange) if shared else "–", int(two[l]["sent by the first rank/B"])])
    total = [side[max(side)]["cycle up to here/us"] for side in (one, two)]
    rows.append(["all", "", number(total[0]), number(total[1]), "", "", ""])
    header = "level|unknowns|one GPU, µs|two GPUs, µs|GPUs at work|what an exchange adds to a product, µs|sent, bytes"
    return table(header.split("|"), rows), "; ".join(comments)


def elasticity_levels():
    """V-cycle up to a level and a product's exchange on four GPUs, as the exchange became faster."""
    rows = []
    for name, version in VERSIONS.items():
        levels_, _ = parts(name)
        for l in sorted(levels_, reverse=True)[:2]:
            row = levels_[l]
            exchange = row["product/us"] - row["product of owned columns/us"]
            rows.append([version, l, grouped(int(row["unknowns"])), grouped(int(row["unknowns of the first rank"])), number(row["cycle up to here/us"])]
                        + [number(row["product/us"]), number(exchange) if row["sent by the first rank/B"] else "–", grouped(int(row["sent by the first rank/B"]))])
    header = "version|level|unknowns|of the first rank|V-cycle up to it, µs|product|of it exchange|sent, bytes"
    return table(header.split("|"), rows)


def weak_levels():
    """Where a V-cycle's time goes when four GPUs have as many unknowns each as one has alone."""
    (one, _), (four, comments) = parts("rank_parts_elasticity5_1.csv"), parts("rank_parts_elasticity5_4.csv")
    rows = []
    for l in sorted(four, reverse=True):
        alone, together = of_level(one, l), of_level(four, l)
        exchange = four[l]["product/us"] - four[l]["product of owned columns/us"]
        shared = four[l]["unknowns of the first rank"] < four[l]["unknowns"]
        rows.append([l, grouped(int(one[l]["unknowns"])), number(alone), grouped(int(four[l]["unknowns of the first rank"])), number(together), number(exchange) if shared else "–"])
    total = [side[max(side)]["cycle up to here/us"] for side in (one, four)]
    rows.append(["all", "", number(total[0]), "", number(total[1]), ""])
    return table("level|unknowns of one GPU|µs|of the first of four|µs|what an exchange adds to a product, µs".split("|"), rows), comments[0]


def preconditioner(label):
    return "ML, general, ILU" if "ILU" in label else "ML, elliptic, symmetric Gauss-Seidel" if "trilinos" in label else "multigrid"


def host_lines():
    """The newest runs of `scripts/benchmark --ranks` on the host: (ranks, threads, preconditioner, init, solve, iterations)."""
    runs = list(printed("ranks_on_the_host.log"))
    for folder, _, label, init, _, solve, iterations in runs:
        found = re.match(r"ranks-(\d+)-host-(\d+)", label)
        if found and folder == runs[-1][0]:
            yield int(found.group(1)), int(found.group(2)), preconditioner(label), init, solve, iterations


def host():
    runs = sorted(host_lines())
    ours = {ranks: solve for ranks, _, what, _, solve, _ in runs if what == "multigrid"}
    rows = [[r, t, what, number(init), number(solve), iterations, f"{solve / ours[r]:.2f}" if r in ours else "–"] for r, t, what, init, solve, iterations in runs]
    return table("ranks|threads of each|preconditioner|init|solve|iterations|solve: this / multigrid on as many ranks".split("|"), rows)


def against_ml():
    """Multigrid against ML on as many ranks and threads of the host."""
    runs = {}
    for _, case, label, _, _, solve, iterations in printed("ranks_against_ml.log"):
        ranks, threads = map(int, re.match(r"ranks-(\d+)-host-(\d+)", label).groups())
        runs.setdefault((case, -ranks, threads), {}).setdefault(preconditioner(label), []).append((solve, iterations))
    rows = []
    for (case, ranks, threads), by_kind in sorted(runs.items(), key=lambda run: (len(run[0][0]), run[0])):
        solve = {what: statistics.median(s for s, _ in same) for what, same in by_kind.items()}
        for what in sorted(by_kind, key=solve.get):
            rows.append([case, -ranks, threads, what, number(solve[what]), by_kind[what][0][1], f"{solve[what] / solve['multigrid']:.2f}", len(by_kind[what])])
    return table("case|ranks|threads of each|preconditioner|solve|iterations|solve: this / multigrid|runs".split("|"), rows)


# --- The model ----------------------------------------------------------------------------------------------------------


def constants():
    """Measured on one and two GPUs: the time of a level on one GPU by its unknowns, what an exchange adds, a sum over two ranks."""
    one, _ = parts("rank_parts_level12_1.csv")
    two, comments = parts("rank_parts_level12_2.csv")
    alone = sorted((row["unknowns"], of_level(one, l)) for l, row in one.items())
    added = []
    for l, row in two.items():
        if l > 0 and row["unknowns of the first rank"] < row["unknowns"]:
            work = level_time(alone, row["unknowns of the first rank"])
            added.append(of_level(two, l) - work)
    total = float(re.search(r"an entry a rank: ([\d.]+)", " ".join(comments)).group(1))
    return alone, statistics.median(added), total


def level_time(alone, unknowns):
    """Of a level with so many unknowns on one GPU: between the measured ones, and beyond them by unknowns."""
    for (n0, t0), (n1, t1) in zip(alone, alone[1:]):
        if unknowns <= n1:
            return t0 + (t1 - t0) * max(0.0, unknowns - n0) / (n1 - n0)
    return alone[-1][1] * unknowns / alone[-1][0]


def model(n_gpus, per_gpu, network):
    """Microseconds of a V-cycle: (work of the levels, exchange, levels on one GPU), and of the sums of one GMRES iteration."""
    alone, added, total = constants()
    unknowns, work, exchange, gathered = float(n_gpus) * per_gpu, 0.0, 0.0, 0.0
    while unknowns > 1089:
        busy = max(1, min(n_gpus, int(unknowns / CELLS_PER_RANK)))
        if busy > 1:
            work += level_time(alone, unknowns / busy)
            exchange += added + network * 5
        else:
            gathered += level_time(alone, unknowns)
        unknowns /= 4
    gathered += alone[0][1]
    return work, exchange, gathered, 2 * (total * max(1.0, math.log2(n_gpus)) + network * math.log2(max(n_gpus, 8) / 8))


def prospect():
    per_gpu, rows = 8.4e6, []
    base = sum(model(1, per_gpu, 0)[:3])
    for n, network in ((1, 0), (2, 0), (8, 0), (64, 15), (1000, 15), (4096, 15)):
        work, exchange, gathered, sums = model(n, per_gpu, network)
        cycle = work + exchange + gathered
        rows.append([n, f"{n * per_gpu / 1e9:.3g}", *map(number, (work, exchange, gathered, cycle)), f"{100 * base / cycle:.0f} %", number(sums) if n > 1 else "–"])
    header = "GPUs|unknowns, 10⁹|work of shared levels, µs|exchange|levels on one GPU|V-cycle|efficiency|sums of an iteration"
    return table(header.split("|"), rows)


def sections(records):
    if not measured():
        return []
    shared, comments = levels()
    weak, weak_comments = weak_levels()
    return [
        "## Several ranks and GPUs",
        "The unknowns grow with the GPUs, but for the cases called strong. The efficiency compares the times for an unknown of a GPU; one GPU has"
        " a serial mesh (on two GPUs' machine, of elasticity, strong, p4est's in one of two runs). See [scaling](../scaling.md).",
        gpus(records),
        "One rank, medians:",
        one_rank(records),
        f"Where a V-cycle's time goes (`benchmarks/cuda/rank_parts`, {comments}):",
        shared,
        "Elasticity, V(3,3), on four GPUs, the two finest levels (`rank_parts elasticity 4`), as the exchange became faster:",
        elasticity_levels(),
        f"The same with as many unknowns a GPU on one and on four (`rank_parts elasticity 5`, {weak_comments}):",
        weak,
        "Ranks and threads of the host on 16 cores, transport-diffusion level 9, 100 steps from a zero guess, one run each:",
        host(),
        "The same against ML on 16 cores with nothing else on them, medians of runs in turn (`ranks_against_ml.log`):",
        against_ml(),
    ]
