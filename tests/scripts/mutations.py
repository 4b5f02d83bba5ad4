#!/usr/bin/env python3
"""Runs the programs on parameter files that are shipped ones with mistakes in them: each ends with exit code 0 or 2, within a
minute, and without a word of a sanitizer.

  mutations.py --build DIR [--count N] [--seed S] [--keep DIR] [PROGRAM ...]

The run itself is small: --set reduces meshes and times after the file has been read, and no step is taken where the program
knows --dry-run.
"""

import argparse
import collections
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from checks.common import program_command  # noqa: E402
from checks.draws.small import SMALL  # noqa: E402
from checks.loaded import run_loaded  # noqa: E402

NUMBERS = ["1e308", "-1e308", "1e400", "-1", "0", "-0", "99999999999999999999", "2147483648", "4294967296", "1e-320", "nan", "inf", "-inf",
           "0x10", "1,5", "1e", "٣"]
PLAUSIBLE = ["0", "1", "2", "3", "5", "0.5", "1e-6", "1e3", "true", "false", "0, 0, 0", "1; 2; 3"]
TEXTS = ["", "true", "abc", "1, 2, 3, 4, 5, 6, 7", ";;;;", "::::", ",,,,", "|", "0: 1: 2", "a: b, c: d", "\\", "$(date)", "%s%n", "\x00",
         "é" * 50, "x" * 100000, " " * 100000 + "x"]
EXPRESSIONS = ["sin(", "x+", "1/0; 1/0; 1/0", "x^^2", ")(", "(" * 20000, "(" * 5000 + "x" + ")" * 5000, "sqrt(-1); 0; 0", "u; v; w",
               "x=1; 0; 0", "rand(); rand(); rand()", "if(x; y; z)", "1e999; 0; 0", "-" * 5000 + "x", "x;" * 5000, "pi pi", "0/0",
               "3: x, 3: y", "99999: 1; 1; 1", "t?x:y; 0; 0", "+".join(["x"] * 20000)]


def is_setting(line):
    return line.strip().startswith("set ") and "=" in line


def mutated(text, random):
    """The text with a few mistakes."""
    lines = text.split("\n")
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        settings = [i for i, line in enumerate(lines) if is_setting(line)]
        kind = random.choice(["byte", "bytes", "delete", "twice", "swap", "cut", "word", "move", "include"] + ["value"] * 5)
        i = random.randrange(len(lines))
        if kind == "byte" and lines[i]:
            k = random.randrange(len(lines[i]))
            lines[i] = lines[i][:k] + chr(ord(lines[i][k]) ^ (1 << random.randrange(7))) + lines[i][k + 1:]
        elif kind == "bytes":
            k = random.randint(0, len(lines[i]))
            lines[i] = lines[i][:k] + "".join(chr(random.randrange(256)) for _ in range(random.randint(1, 20))) + lines[i][k:]
        elif kind == "delete" and len(lines) > 1:
            del lines[i]
        elif kind == "twice":
            lines.insert(random.randint(0, len(lines)), lines[i])
        elif kind == "move":
            random.shuffle(lines)
        elif kind == "swap" and len(settings) > 1:
            a, b = random.sample(settings, 2)
            values = lines[a].split("=", 1)[1], lines[b].split("=", 1)[1]
            lines[a], lines[b] = lines[a].split("=", 1)[0] + "=" + values[1], lines[b].split("=", 1)[0] + "=" + values[0]
        elif kind == "value" and settings:
            i = random.choice(settings)
            lines[i] = lines[i].split("=", 1)[0] + "= " + random.choice(random.choice([NUMBERS, PLAUSIBLE, PLAUSIBLE, TEXTS, EXPRESSIONS]))
        elif kind == "cut":
            lines = "\n".join(lines)[:random.randrange(1 + len("\n".join(lines)))].split("\n")
        elif kind == "word":
            lines.insert(i, random.choice(["end", "subsection", "subsection " + "a" * 1000, "set", "set =", "set x", "subsection Problem", "\\"]))
        elif kind == "include":
            lines.insert(i, random.choice(["include mutated.prm", "include nowhere.prm", "include .", "include", "include /dev/null"]))
    return "\n".join(lines)


def complaint(done):
    """What is wrong with the end of a program, or None."""
    if done.code not in (0, 2):
        return f"{done.how()}, exit code 0 or 2 expected"
    if found := re.search(r"Sanitizer|runtime error:|terminate called", done.err):
        return found[0]
    if done.code == 2 and "error: " not in done.err:
        return "exit code 2 without a message"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="all where none is named")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200, help="files for each program")
    parser.add_argument("--first", type=int, default=0, help="number of the first file: to look at one again")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the files that a program failed on")
    arguments = parser.parse_args()
    failures = 0
    for program in arguments.programs or SMALL:
        executable = arguments.build.resolve() / "apps" / program
        shipped = sorted((ROOT / "prm" / program).glob("*.prm"))
        dry_run = ["--dry-run"] * ("--dry-run" in subprocess.run([executable, "--help"], capture_output=True, text=True).stdout)
        codes = collections.Counter()
        for number in range(arguments.first, arguments.first + arguments.count):
            chance = random.Random(f"{arguments.seed} {program} {number}")
            text = mutated(chance.choice(shipped).read_text(), chance)
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "mutated.prm"
                file.write_bytes(text.encode("utf-8", "surrogatepass"))
                command = program_command(executable, file, "--output", Path(folder) / "run", *dry_run,
                                          settings=SMALL[program])
                done = run_loaded(command, cwd=folder, timeout=120)
                codes[done.code] += 1
                if wrong := complaint(done):
                    failures += 1
                    print(f"{program}, file {number} of seed {arguments.seed}: {wrong}\n{done.err[-2000:]}",
                          file=sys.stderr)
                    if arguments.keep:
                        arguments.keep.mkdir(parents=True, exist_ok=True)
                        shutil.copy(file, arguments.keep / f"{program}_{number}.prm")
        print(f"{program}: {arguments.count} files, exit codes {dict(sorted(codes.items(), key=str))}")
    if failures:
        sys.exit(f"mutations.py: error: {failures} runs ended otherwise")


if __name__ == "__main__":
    main()
