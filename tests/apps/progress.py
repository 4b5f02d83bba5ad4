#!/usr/bin/env python3
"""progress.py PROGRAM: what a time loop shows while it runs, on a terminal and in a file."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

PROGRAM = sys.argv.pop(1)
LINE = re.compile(r"step (\d+)/400  time [\d.e-]+  iterations \d+  residual \d\.\de-\d+  [\d.e+]+ steps/s  left \d+ (s|min|h|d)")


def command(folder):
    settings = ["Discretization/Refinements=5", "Time stepping/Time step=0.005", "Time stepping/Output interval=0"]
    return [PROGRAM, "--backend", "host", "--threads", "1", "--output", folder] + [a for s in settings for a in ("--set", s)]


def on_terminal(columns, kind="xterm"):
    """What the program writes to a terminal of that width, its exit code, and the seconds from its first words to its last."""
    with tempfile.TemporaryDirectory() as folder:
        terminal, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        process = subprocess.Popen(command(folder), stdout=side, stderr=side, env={**os.environ, "TERM": kind})
        os.close(side)
        text, begin, end = b"", None, None
        try:
            while part := os.read(terminal, 65536):
                text += part
                end = time.monotonic()
                begin = begin or end
        except OSError:  # what Linux says at the end
            pass
        os.close(terminal)
        return text.decode().replace("\r\n", "\n"), process.wait(), end - begin


class LiveView(unittest.TestCase):
    def test_one_line_written_over(self):
        text, code, seconds = on_terminal(100)
        self.assertEqual(code, 0, text)
        live = [line for line in text.split("\n") if "step 1/400" in line]
        self.assertEqual(len(live), 1, f"expected all steps on one line of the terminal:\n{text}")
        states = [state for state in live[0].split("\r") if state.startswith("step ")]
        steps = [int(LINE.match(state)[1]) for state in states]
        self.assertEqual((steps[0], steps[-1]), (1, 400))
        self.assertEqual(steps, sorted(set(steps)))
        self.assertGreater(len(steps), 2 * seconds, f"expected several updates a second in {seconds} s")
        self.assertLess(len(steps), 10 * seconds + 3, f"expected at most ten updates a second in {seconds} s")
        self.assertIn("left 0 s", states[-1])
        self.assertIn("\rset-up: mesh (1 of 5), 0 s so far\r", text)
        self.assertLess(text.rindex("set-up: "), text.index("step 1/400"))
        for before, after in zip(states, states[1:]):
            self.assertGreaterEqual(len(after), len(before.rstrip()), "expected the old line to be covered")
        self.assertIn("\nL2 error", text, "expected what follows on a line of its own")

    def test_narrow_terminal(self):
        text, code, _ = on_terminal(40)
        self.assertEqual(code, 0, text)
        live = [line for line in text.split("\n") if "step 1/400" in line][0].split("\r")
        self.assertEqual({len(state) for state in live if state.startswith("step ")}, {39}, "expected lines that a terminal of 40 columns does not wrap")

    def plain(self, text):
        lines = [line for line in text.split("\n") if line.startswith("step ")]
        self.assertNotIn("\r", text)
        self.assertEqual([LINE.fullmatch(lines[i])[1] for i in (0, -1)], ["1", "400"], text)
        self.assertLess(len(lines), 30, "expected at most one line a second")

    def test_plain_lines_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(command(folder), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.plain(done.stdout)

    def test_plain_lines_on_a_terminal_that_cannot_more(self):
        text, code, _ = on_terminal(100, kind="dumb")
        self.assertEqual(code, 0, text)
        self.plain(text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
