"""What the kinds of scripts/check share: where things are, how a program is run, the table of results and its record."""

import datetime
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "checks.md"
PROGRAMS = sorted(p.parent.name for p in (ROOT / "apps").glob("*/main.cc"))


def fail(message, code=1):
    print(f"check: error: {message}", file=sys.stderr)
    sys.exit(code)


def commit():
    """The commit of the sources, or the one that a packed copy carries in the file REVISION; `+` marks uncommitted changes."""
    if (ROOT / "REVISION").is_file():
        return (ROOT / "REVISION").read_text().strip()
    git = lambda *words: subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short=10", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")


def hardware():
    found = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    processor = re.sub(r"\((R|TM|r|tm)\)", "", found.group(1)).strip() if found else os.uname().machine
    text = f"{processor}, {len(os.sched_getaffinity(0))} cores"
    if shutil.which("nvidia-smi"):
        done = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
        text += "".join(f", {name}" for name in done.stdout.splitlines()[:1]) if done.returncode == 0 else ""
    return text


class Outcome:
    """How a command ended: code (negative: a signal; None: it ran past its time), out, err, seconds."""

    def __init__(self, command, cwd=None, environment=None, timeout=300):
        begin = time.monotonic()
        process = subprocess.Popen([str(c) for c in command], cwd=cwd, env={**os.environ, **(environment or {})}, text=True, errors="replace",
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            self.out, self.err = process.communicate(timeout=timeout)
            self.code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            self.out, self.err = process.communicate()
            self.code = None
        self.seconds = time.monotonic() - begin

    def how(self):
        return f"ran past {self.seconds:.0f} s" if self.code is None else f"signal {-self.code}" if self.code < 0 else f"exit code {self.code}"


def build(preset, targets=(), options=()):
    """Configures a preset of CMakePresets.json in its own directory, builds targets (all without any) and returns the directory."""
    directory = ROOT / f"build-{preset}"
    memory = int(re.search(r"^MemAvailable:\s*(\d+)", Path("/proc/meminfo").read_text(), re.MULTILINE).group(1)) // 2_500_000
    jobs = max(1, min(len(os.sched_getaffinity(0)), memory))
    print(f"building {directory.name}, {jobs} at a time", flush=True)
    for command in [["cmake", "--preset", preset, *options], ["cmake", "--build", directory, "-j", jobs, *(["--target", *targets] if targets else [])]]:
        done = Outcome(command, cwd=ROOT, timeout=4 * 3600)
        if done.code != 0:
            fail(f"{' '.join(map(str, command[:3]))}: {done.how()}\n{(done.out + done.err)[-6000:]}")
    return directory


class Report:
    """The table of a check: a row for each case, printed as it comes."""

    def __init__(self, kind, command):
        self.kind, self.command, self.rows, self.notes, self.begin = kind, " ".join(command), [], [], time.monotonic()

    def add(self, case, passed, text=""):
        self.rows.append((case, passed, text))
        print(f"{'ok    ' if passed else 'FAILED'}  {case:60} {text}", flush=True)

    def note(self, text):
        """A sentence for the row in checks.md: what was counted, what was left out."""
        self.notes.append(text)

    def finish(self, to_record):
        failed = [case for case, passed, _ in self.rows if not passed]
        minutes = (time.monotonic() - self.begin) / 60
        result = f"{len(self.rows) - len(failed)} of {len(self.rows)} cases passed in {minutes:.1f} min"
        if failed:
            result += "; failed: " + ", ".join(failed[:10]) + (f" and {len(failed) - 10} more" if len(failed) > 10 else "")
        result = ". ".join([result] + self.notes)
        print(f"check {self.kind}: {result}")
        if to_record:
            self.record(result)
        return 1 if failed or not self.rows else 0

    def record(self, result):
        """Replaces this kind's row of the page, or adds it behind the last one."""
        row = f"| {self.kind} | `scripts/check {self.command}` | {commit()}, {datetime.date.today()} | {hardware()} | {result} |"
        lines = PAGE.read_text().splitlines()
        mine = [i for i, line in enumerate(lines) if line.startswith(f"| {self.kind} |")]
        table = [i for i, line in enumerate(lines) if line.startswith("|")]
        if mine:
            lines[mine[0]] = row
        else:
            lines.insert(table[-1] + 1 if table else len(lines), row)
        PAGE.write_text("\n".join(lines) + "\n")
