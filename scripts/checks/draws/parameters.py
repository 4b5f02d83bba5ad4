"""The parameters that a program declares, and values of those that a drawn problem leaves open."""

import json
import re
import subprocess

from checks.common import fail


def plain(name):
    """deal.II writes other characters than letters and digits as _ and two hexadecimal digits."""
    return re.sub(r"_([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), name)


def declared(executable):
    """Key -> the pattern's description, of all parameters that the program prints."""
    done = subprocess.run([executable, "--print-parameters", "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{executable} --print-parameters --json: {done.stderr.strip()}", 2)
    keys = {}

    def walk(prefix, entries):
        for name, entry in entries.items():
            if "default_value" in entry:
                keys[prefix + plain(name)] = entry["pattern_description"]
            elif isinstance(entry, dict):
                walk(prefix + plain(name) + "/", entry)

    walk("", json.loads(done.stdout))
    return keys


# What a pattern allows may make no sense: a step of 1e300, a million smoothing steps. By the end of the key.
SENSIBLE = {
    "Matrix format": ["compressed"] * 5 + ["cusparse"], "Checkpoint/Minutes": ["0", "1000"],
    "Checkpoint/Wall-time limit": ["0", "1000"], "Ranks/Cells per rank": ["0", "1", "5", "20", "100"],
    "Ranks/Share devices": ["false", "true"], "Linear solver/Tolerance": ["1e-4", "1e-6", "1e-10"],
    "Linear solver/Maximum iterations": ["60", "500"], "Linear solver/Restart": ["5", "30", "100"],
    "Linear solver/Cycles": ["1", "2", "3"], "Linear solver/Chebyshev range": ["4", "8", "20"],
    "Linear solver/Coarse steps": ["10", "40"], "smoothing steps": ["1", "2", "3", "5"],
    "Component blocks/Omega": ["0.9", "1", "1.2"],
    "Trilinos AMG/Smoother": ["Chebyshev", "symmetric Gauss-Seidel", "Jacobi", "ILU"],
    "Trilinos AMG/Sweeps": ["1", "2", "3"], "Trilinos AMG/Aggregation threshold": ["0", "0.0001", "0.02"],
    "Linear solver/Damping": ["0.5", "0.7"], "BFBT exponent": ["0.5", "1"], "BFBT boundary weight": ["0.5", "1", "4"],
    "Quadrature points": ["0", "2", "3", "5"], "Profile points": ["2", "5", "11"], "Force scale": ["1", "-2", "500"],
    "nterval": ["1", "2", "3"], "Steady tolerance": ["1e-3"], "Newton tolerance": ["1e-6", "1e-10"],
    "Newton steps": ["5", "30"], "Nonlinear solver/Maximum steps": ["30", "100"],
    "Nonlinear solver/Tolerance": ["1e-6", "1e-10"], "linear tolerance": ["0.01", "0.1", "0.001"],
    "Level tolerance": ["0.1", "1e-5"], "Picard until": ["0", "0.01", "0.5"], "Grad-div factor": ["0", "1"],
    "Stabilization constant": ["0", "36", "60"], "Solver/Max iterations": ["50", "100"],
    "Smoothing steps": ["1", "2", "4"], "Smoothing range": ["4", "10"],
    "Solver/Coarsest level cells": ["1", "4", "64"],
    "Linear solver/Coarsest level cells": ["1", "4", "16", "64", "1000"], "Viscosity varies by": ["1.1", "2", "10"],
}


def selection(pattern):
    """The names of which a pattern allows one; none where it is another pattern."""
    found = re.fullmatch(r"\[Selection (.*) ?\]", pattern)
    return [part.strip() for part in found[1].split("|")] if found else []


def value(chance, key, pattern):
    """A value that the pattern allows; None where only a problem can tell."""
    for end, choices in SENSIBLE.items():
        if key.endswith(end):
            return chance.choice(choices)
    if names := selection(pattern):
        return chance.choice(names)
    if pattern == "[Bool]":
        return chance.choice(["true", "false"])
    if number := re.fullmatch(r"\[(Integer|Double)(?: range)? (\S+)\.\.\.(\S+) \(inclusive\)\]", pattern):
        low, high = (0 if "MIN" in number[2] or "-" in number[2] else float(number[2])), number[3]
        high = low + 3 if "MAX" in high or float(high) > 1e6 else float(high)
        integer = number[1] == "Integer"
        return str(chance.randint(int(low), int(min(high, low + 4)))) if integer else f"{chance.uniform(low, high):.3g}"
    return None
