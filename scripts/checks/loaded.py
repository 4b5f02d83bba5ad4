"""Programs that have loaded their libraries and fork for each run."""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from .common import Outcome, groups, own_place, run_program


class LoadedProgram:
    """A program with tests/support/fork_runs.cc, which saves each run the 0.25 s that the dynamic linker takes."""

    def __init__(self, program, library):
        self.socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            n = other.fileno()
            start = f'LD_PRELOAD="$1" exec "$0" 3<&{n}' + f" {n}<&-" * (n != 3)
            self.process = groups.start(["bash", "-c", start, program, library], pass_fds=[n],
                                        stdin=subprocess.DEVNULL)

    def run(self, words, folder, output, environment, timeout):
        """The code of an Outcome; the run writes out.txt and err.txt to the folder `output`."""
        variables = [f"{name}={value}" for name, value in environment.items()]
        message = b"".join(os.fsencode(str(word)) + b"\0" for word in [folder, output, *words, "", *variables])
        self.socket.settimeout(timeout)
        try:
            self.socket.send(message)
            status = self.socket.recv(4)
        except socket.timeout:
            groups.kill(self.process)
            return None
        if not status:
            raise RuntimeError(f"{words[0]}, which waits for runs, has ended")
        return os.waitstatus_to_exitcode(int.from_bytes(status, sys.byteorder))


loaded = threading.local()


def loaded_program(program):
    """The program of this thread, or None where its build has no library to preload."""
    library = Path(program).parents[1] / "tests" / "libfork_runs.so"
    if not library.is_file():
        return None
    of_thread = loaded.__dict__.setdefault("programs", {})
    if program not in of_thread or of_thread[program].process.poll() is not None:
        of_thread[program] = LoadedProgram(program, library)
    return of_thread[program]


class LoadedOutcome(Outcome):
    def __init__(self, program, command, cwd, environment, timeout):
        begin, place = time.monotonic(), environment["TMPDIR"]
        self.code = program.run(command, cwd, place, {**os.environ, **environment}, timeout)
        self.out, self.err = (Path(place, name).read_text(errors="replace") for name in ("out.txt", "err.txt"))
        self.seconds = time.monotonic() - begin


def run_loaded(command, cwd, environment=None, timeout=300):
    """As run_program on one rank, without loading libraries where that can be spared."""
    if not (program := loaded_program(command[0])):
        return run_program(command, cwd=cwd, environment=environment, timeout=timeout)
    with own_place(environment) as around:
        return LoadedOutcome(program, command, cwd, around, timeout)
