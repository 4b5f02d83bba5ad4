"""The few settings of a failing run that matter."""

import time


def shrink(settings, fails, seconds):
    """A subset of the settings (a dictionary) with which fails(subset) still holds and from which, given the time, no
    single one can be left out."""
    end, size = time.monotonic() + seconds, max(len(settings) // 2, 1)
    while True:
        names, smaller = list(settings), False
        for begin in range(0, len(names), size):
            if time.monotonic() > end:
                return settings
            without = {key: text for key, text in settings.items() if key not in names[begin:begin + size]}
            if len(without) < len(settings) and fails(without):
                settings, smaller = without, True
        if size == 1 and not smaller:
            return settings
        size = max(size // 2, 1)
