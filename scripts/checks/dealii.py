"""Whether lib, modules and apps compile against the headers of another deal.II, which need not be built.

  scripts/check dealii FOLDER [--configured FOLDER] [--only WORD] [--jobs N] [-- COMPILER OPTION ...]

FOLDER is a source folder of deal.II, or a folder with an installation; its headers are in FOLDER/include. CONFIGURED is
where `cmake FOLDER` ran, and has the generated include/deal.II/base/config.h; without it that file is in FOLDER, too.
deal.II's sources may be had with git, and need not be compiled:

  git clone -b dealii-9.8 --depth 1 https://github.com/dealii/dealii
  cmake -S dealii -B configured -DDEAL_II_WITH_MPI=ON -DDEAL_II_WITH_P4EST=ON -DDEAL_II_WITH_MUPARSER=ON
  scripts/check dealii dealii --configured configured

The commands are those of a build of adamant with the deal.II that is installed, configured in build-headers, with the
other headers before it and without code generation. A file fails too if it takes a header of deal.II that FOLDER lacks
from the installed one. The table has each file of the repository with an error, and its first one. Options behind `--`
go to the compiler, such as -std=c++20.
"""

import argparse
import json
import os
import re
import shlex
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .common import ROOT, Outcome, fail

ERROR = re.compile(r"^(\S+?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$")
OURS = ("lib", "modules", "apps")


def commands(directory):
    """(file, words of the command, its folder) of all C++ sources of lib, modules and apps, without their tests."""
    done = Outcome(["cmake", "-S", ROOT, "-B", directory, "-DCMAKE_BUILD_TYPE=Release", "-DADAMANT_WITH_CUDA=OFF",
                    "-DADAMANT_BUILD_TESTS=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], timeout=1800)
    if done.code != 0:
        fail(f"cmake: {done.how()}\n{(done.out + done.err)[-3000:]}")
    for entry in json.loads((directory / "compile_commands.json").read_text()):
        file = Path(entry["file"])
        place = file.relative_to(directory if file.is_relative_to(directory) else ROOT)
        if place.parts[0] in OURS and file.is_file():  # not what a build generates
            yield place, shlex.split(entry["command"]), entry["directory"]


def include_folders(folder, configured):
    """Those of deal.II's headers, and of the libraries that deal.II's configuration takes from its own sources."""
    log = configured / "detailed.log"
    bundled = re.findall(rf"{re.escape(str(folder))}/bundled/[^,;>\s]+", log.read_text()) if log.is_file() else []
    return list(dict.fromkeys([configured / "include", folder / "include", *map(Path, bundled)]))


def syntax_command(words, folders, options, dependencies):
    """The command without its output and optimization, with other headers of deal.II in front."""
    words = words[1:] if Path(words[0]).name in ("ccache", "sccache") else words
    kept, rest = [], iter(words[1:])
    for word in rest:
        if word in ("-o", "-MF", "-MT", "-MQ"):
            next(rest)
        elif word in ("-isystem", "-I"):
            place = next(rest)
            kept += [] if has_deal_ii(place) else [word, place]
        elif word not in ("-c", "-MD", "-MMD") and not re.match("-O|-march|-g", word) and not (
                word.startswith("-I") and has_deal_ii(word[2:])):
            kept.append(word)
    before = [word for place in folders for word in ("-isystem", place)]
    return [words[0], *before, *kept, *options, "-w", "-fsyntax-only", "-MD", "-MF", dependencies]


def has_deal_ii(place):
    return (Path(place) / "deal.II" / "base" / "config.h").is_file()


def errors(out, place, directory):
    """{file of the repository: (line, message)}: the first error there, or the one that it caused in a header."""
    found, ours = {}, str(place)
    for line in out.splitlines():
        if where := re.match(r"(?:In file included from|\s+from|In instantiation of)?\s*(/\S+?):(\d+)", line):
            file = Path(os.path.normpath(where[1]))
            if file.is_relative_to(ROOT):
                ours = str(file.relative_to(ROOT))
        if error := ERROR.match(line):
            file = Path(os.path.normpath(Path(directory) / error[1]))
            inside = file.is_relative_to(ROOT)
            name = str(file.relative_to(ROOT)) if inside else ours
            found.setdefault(name, (f"line {error[2]}: " if inside else f"in {file}:{error[2]}: ") + error[3])
    return found


def other_headers(dependencies, folders):
    """Headers of deal.II from elsewhere: FOLDER lacks them, and the installed ones took their place."""
    if not dependencies.is_file():
        return []
    words = dependencies.read_text().replace("\\\n", " ").split()
    mine = [os.path.realpath(place) + "/" for place in folders]
    return [w for w in words if "/deal.II/" in w and not os.path.realpath(w).startswith(tuple(mine))]


def compile_one(one, folders, options):
    """{file: its first error} of one command."""
    place, words, directory = one
    with tempfile.TemporaryDirectory() as scratch:
        dependencies = Path(scratch) / "dependencies"
        done = Outcome(syntax_command(words, folders, options, dependencies), cwd=directory, timeout=1800)
        found = errors(done.out + done.err, place, directory)
        if done.code != 0 and not found:
            found[str(place)] = done.how() + ": " + (done.out + done.err)[:200]
        if not found and (others := other_headers(dependencies, folders)):
            found[str(place)] = f"takes a header that FOLDER lacks: {others[0]}"
    return found


def run(arguments, report):
    own, options_of_compiler = arguments, []
    if "--" in arguments:
        own, options_of_compiler = arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:]
    parser = argparse.ArgumentParser(prog="scripts/check dealii", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--configured", type=Path, metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="WORD", help="commands whose file has this word")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args(own)
    folder, configured = options.folder.resolve(), (options.configured or options.folder).resolve()
    config = configured / "include" / "deal.II" / "base" / "config.h"
    if not config.is_file():
        fail(f"there is no {config}: run cmake for deal.II, and name its build folder by --configured", 2)
    version = re.search(r'DEAL_II_PACKAGE_VERSION\s+"(.*)"', config.read_text())[1]
    folders = include_folders(folder, configured)
    todo = [one for one in commands(ROOT / "build-headers") if options.only in str(one[0])]
    failing = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        for one, found in zip(todo, pool.map(lambda one: compile_one(one, folders, options_of_compiler), todo)):
            report.add(str(one[0]), not found, f"{len(found)} files with errors" if found else "")
            for file, error in found.items():
                failing.setdefault(file, error)
    report.note(f"deal.II {version}: {len(todo)} compilations, {len(failing)} files with errors")
    print(f"\n| file (deal.II {version}) | its first error |\n| --- | --- |" if failing else "")
    for file, error in sorted(failing.items()):
        print(f"| {file} | {error[:200]} |")
