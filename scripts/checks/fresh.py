"""The two set-up commands in an empty Debian: scripts/run, then scripts/test, whole.

  scripts/check fresh SUITE [--root DIR] [--only run|test]

SUITE is bookworm (Debian 12, deal.II 9.4.1) or trixie (Debian 13, deal.II 9.6.2). It needs root and debootstrap, 6 GB
of disk and, on two cores, half an hour. The commit that is checked out is cloned into the new root, without what is not
committed. DIR is kept; without --root a folder is made and removed. Results go to logs beside it.
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .common import ROOT, Outcome, fail

# The root gets its own /proc, terminals, and shared memory, which MPI's ranks need, and loses them with the mount
# namespace.
INSIDE = """set -e
mount -t proc proc "$0/proc"
mkdir -p "$0/dev/shm" "$0/dev/pts"; mount -t tmpfs tmpfs "$0/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$0/dev/pts"; ln -sf pts/ptmx "$0/dev/ptmx"
exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb CI=true \\
  bash -c "cd /root/adamant && $1"
"""


def make_root(suite, root):
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        fail("fresh needs root and the program debootstrap")
    done = Outcome(["debootstrap", "--variant=minbase", suite, root], timeout=1800)
    if done.code != 0:
        fail(f"debootstrap {suite}: {done.how()}\n{done.out[-2000:]}{done.err[-2000:]}")
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")
    (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n")  # as an installed system has it


def run(arguments, report):
    parser = argparse.ArgumentParser(prog="scripts/check fresh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=["bookworm", "trixie"])
    parser.add_argument("--root", type=Path)
    parser.add_argument("--only", choices=["run", "test"])
    options = parser.parse_args(arguments)
    report.kind += f" {options.suite}"
    root = options.root or Path(tempfile.mkdtemp(prefix=f"adamant_{options.suite}_"))
    if not (root / "bin").exists():
        make_root(options.suite, root)
    sources = root / "root" / "adamant"
    shutil.rmtree(sources, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(sources)], check=True)
    for command in ["run", "test"] if options.only is None else [options.only]:
        log = Path(f"{root}.{command}.log")
        done = Outcome(["unshare", "--mount", "--pid", "--fork", "bash", "-c", INSIDE, root, f"scripts/{command}"],
                       timeout=7200)
        log.write_text(done.out + done.err)
        closing = re.findall(r"^.*tests passed.*$|^Total Test time.*$|^error: .*$|^.*error: the build failed.*$",
                             done.out + done.err, re.MULTILINE)
        text = f"{done.how()} after {done.seconds / 60:.0f} min; " + "; ".join(line.strip() for line in closing[:3])
        report.add(f"scripts/{command}", done.code == 0, text + f" (log: {log})")
        report.note(f"scripts/{command}: {text}")
        if done.code != 0:
            print((done.out + done.err)[-3000:])
    if options.root is None:
        shutil.rmtree(root)
