"""The records of scripts/benchmark (run.json files under docs/benchmarks) and what all tables of them need."""

import csv
import json
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "docs" / "benchmarks"
PAPER = RECORDS / "paper"


def fail(message):
    sys.exit(f"benchmark: error: {message}")


def load():
    """All records, the newest folder first; JSON of other kinds is passed over."""
    records = []
    for file in sorted(RECORDS.glob("*/*.json")):
        record = json.loads(file.read_text())
        if not isinstance(record, dict) or "application" not in record:
            continue
        missing = {"case", "label", "repeat", "hardware", "commit", "command"} - set(record)
        if missing:
            fail(f"{file} lacks {', '.join(sorted(missing))}: expected a record made by scripts/benchmark")
        record["folder"] = file.parent.name
        records.append(record)
    return sorted(records, key=lambda r: r["folder"], reverse=True)


def paper_table(name):
    with open(PAPER / name, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def group(records, *keys):
    groups = {}
    for record in records:
        groups.setdefault(tuple(record.get(key) for key in keys), []).append(record)
    return groups


def median(records, *names):
    """Median over the records of the sum of these timings."""
    return statistics.median(sum(record["timings"].get(name, 0.0) for name in names) for record in records)


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def from_zero(record):
    """Whether each step's solver started from a zero guess."""
    return "Extrapolation order=0" in record["command"]


PAPER_BANDWIDTH = 2e12  # bytes a second, as the paper states it for its GPU


def bandwidth(runs):
    """Median copy bandwidth that the runs on the GPU measured, or None."""
    values = [r["copy_bandwidth"] for r in runs if "copy_bandwidth" in r]
    return statistics.median(values) if values else None


def grouped(dofs):
    return f"{dofs:,}".replace(",", " ")


def machine(runs):
    """The hardware; with the load where other work was going on (our last run counts for at most its threads)."""
    load = max(r.get("load_average", 0) for r in runs)
    shared = f" (shared with other work: load up to {load:.1f})" if load > max(r["threads"] for r in runs) + 0.5 else ""
    return runs[0]["hardware"] + shared


def describe(runs):
    first = runs[0]
    commits = sorted({r["commit"][:10] + ("+" if r["commit"].endswith("+") else "") for r in runs})
    precision = sorted({r.get("precision", "float64") for r in runs})
    return (
        f"{machine(runs)}; deal.II {first['deal_ii']}; V-cycle in {' and '.join(precision)}; tolerance {first['tolerance']:g};"
        f" commit {', '.join(commits)}; records in `docs/benchmarks/{first['folder']}`."
    )
