"""What the kinds of scripts/check share: where things are, how a program is run, the table of results, its record."""

import contextlib
import datetime
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks" / "checks.md"
PROGRAMS = sorted(p.parent.name for p in (ROOT / "apps").glob("*/main.cc"))
AROUND = {"OMP_WAIT_POLICY": "passive", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
          "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}


def fail(message, code=1):
    print(f"check: error: {message}", file=sys.stderr)
    sys.exit(code)


def commit():
    """The commit of the sources, or the one that a packed copy carries in the file REVISION; `+` marks uncommitted
    changes."""
    if (ROOT / "REVISION").is_file():
        return (ROOT / "REVISION").read_text().strip()
    git = lambda *words: subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True).stdout.strip()
    return git("rev-parse", "--short=10", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")


def hardware():
    found = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    processor = re.sub(r"\((R|TM|r|tm)\)", "", found.group(1)).strip() if found else os.uname().machine
    text = f"{processor}, {len(os.sched_getaffinity(0))} cores"
    if shutil.which("nvidia-smi"):
        done = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True,
                              text=True)
        text += "".join(f", {name}" for name in done.stdout.splitlines()[:1]) if done.returncode == 0 else ""
    return text


# --- Programs ---------------------------------------------------------------------------------------------------------


class Groups:
    """The process groups of the programs that run. A signal that ends the check ends them, and none is started
    afterwards."""

    def __init__(self):
        self.running, self.starting, self.ended = set(), False, None
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # as nohup asks
                signal.signal(number, self.end)

    def start(self, command, **options):
        if main := threading.current_thread() is threading.main_thread():
            self.starting = True  # the handler runs in this thread, too, and must not lose what has just been started
        process = None if self.ended else subprocess.Popen(command, start_new_session=True, **options)
        if process:
            self.running.add(process)
        if main:
            self.starting = False
        if self.ended:
            if process:
                self.kill(process)
            raise SystemExit(128 + self.ended)
        return process

    def kill(self, process):
        """First SIGTERM, on which mpirun ends its ranks, whose groups are their own; then SIGKILL."""
        for number, seconds in ((signal.SIGTERM, 4), (signal.SIGKILL, 0)):
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                return
            end = time.monotonic() + seconds
            while process.poll() is None and time.monotonic() < end:
                time.sleep(0.02)

    def end(self, number, _):
        if self.ended:
            return
        self.ended = number
        killers = [threading.Thread(target=self.kill, args=(process,)) for process in list(self.running)]
        for thread in killers:
            thread.start()
        for thread in killers:
            thread.join()
        if not self.starting:
            raise SystemExit(128 + number)


groups = Groups()


class Outcome:
    """How a command ended: code (negative: a signal; None: it ran past its time), out, err, seconds."""

    def __init__(self, command, cwd=None, environment=None, timeout=300):
        begin = time.monotonic()
        process = groups.start([str(c) for c in command], cwd=cwd, env={**os.environ, **(environment or {})}, text=True,
                               errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        try:
            self.out, self.err = process.communicate(timeout=timeout)
            self.code, self.seconds = process.returncode, time.monotonic() - begin
        except subprocess.TimeoutExpired:
            self.code, self.seconds = None, time.monotonic() - begin
            groups.kill(process)
            self.out, self.err = process.communicate()
        finally:
            groups.running.discard(process)

    def how(self):
        if self.code is None:
            return f"ran past {self.seconds:.0f} s"
        return f"signal {-self.code}" if self.code < 0 else f"exit code {self.code}"


def executable(build, program):
    """The file of a program, in apps/ or bin/ of a folder or in it."""
    places = [Path(build).resolve() / folder / program for folder in ("apps", "bin", ".")]
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return place
    fail(f"no program '{program}' in {build}", 2)


def mpirun():
    """The command that starts ranks, also more than there are cores; None where there is none."""
    if not (found := shutil.which("mpirun") or shutil.which("mpiexec")):
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    return [found, "--oversubscribe", "--bind-to", "none"] if "Open MPI" in version or "OpenRTE" in version else [found]


def program_command(program, *arguments, settings=(), backend="host", threads=1):
    """The words that run a program; settings are a dictionary by keys or a list of `key=value`."""
    settings = [f"{key}={value}" for key, value in settings.items()] if isinstance(settings, dict) else settings
    words = [program, *arguments, "--backend", backend, "--threads", threads]
    return words + [word for s in settings for word in ("--set", s)]


@contextlib.contextmanager
def own_place(environment=None, ranks=0):
    """The environment of a run with a folder where Open MPI's files do not meet those of runs that begin or end now."""
    around = {**AROUND, **({} if ranks else {"OMPI_MCA_ess_singleton_isolated": "1"}), **(environment or {})}
    with tempfile.TemporaryDirectory(prefix="r") as place:
        yield {**around, "TMPDIR": place, "OMPI_MCA_orte_tmpdir_base": place}


def run_program(command, ranks=0, under=(), environment=None, **options):
    """The outcome of a program_command, by mpirun where there are ranks, under another program where one is named."""
    starts = [*(mpirun() or fail("there is no mpirun")), "-np", ranks] if ranks else []
    with own_place(environment, ranks) as around:
        return Outcome([*starts, *under, *command], environment=around, **options)


def build(preset, targets=(), options=()):
    """Configures a preset of CMakePresets.json in its own directory, builds targets (all without any) and returns the
    directory."""
    directory = ROOT / f"build-{preset}"
    available = re.search(r"^MemAvailable:\s*(\d+)", Path("/proc/meminfo").read_text(), re.MULTILINE)
    memory = int(available.group(1)) // 2_500_000
    jobs = max(1, min(len(os.sched_getaffinity(0)), memory))
    print(f"building {directory.name}, {jobs} at a time", flush=True)
    for command in [["cmake", "--preset", preset, *options],
                    ["cmake", "--build", directory, "-j", jobs, *(["--target", *targets] if targets else [])]]:
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
            more = f" and {len(failed) - 10} more" if len(failed) > 10 else ""
            result += f"; failed: {', '.join(failed[:10])}{more}"
        result = ". ".join([result] + self.notes)
        print(f"check {self.kind}: {result}")
        if to_record:
            self.record(result)
        return 1 if failed or not self.rows else 0

    def record(self, result):
        """Replaces this kind's row of the page, or adds it behind the last one."""
        when = f"{commit()}, {datetime.date.today()}"
        cells = [self.kind, f"`scripts/check {self.command}`", when, hardware(), result]
        row = f"| {' | '.join(cells)} |"
        lines = PAGE.read_text().splitlines()
        mine = [i for i, line in enumerate(lines) if line.startswith(f"| {self.kind} |")]
        table = [i for i, line in enumerate(lines) if line.startswith("|")]
        if mine:
            lines[mine[0]] = row
        else:
            lines.insert(table[-1] + 1 if table else len(lines), row)
        PAGE.write_text("\n".join(lines) + "\n")
