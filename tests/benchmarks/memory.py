"""The peak memory of a process, for the scripts that tests measure in a process of their own."""

from __future__ import annotations

from pathlib import Path


def peak_memory() -> int:
    """Bytes that this program has held at most.

    Not ru_maxrss: that is the process's and survives exec, so that a child of a large parent begins with the parent's.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status has no VmHWM: peak memory is measured on Linux only")
