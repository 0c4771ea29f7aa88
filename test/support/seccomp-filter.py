"""Writes the system call filter of a systemd unit as BPF to standard output, as bubblewrap takes it.

Follows SystemCallFilter= and RestrictAddressFamilies= of systemd.exec(5). What the unit forbids fails with EPERM.
Needs the package python3-seccomp and the program systemd-analyze.
"""

import re
import socket
import subprocess
import sys

import seccomp


def read_sets():
    """Returns the members of each set, such as @system-service, as systemd-analyze lists them."""
    sets, current = {}, None
    text = subprocess.run(["systemd-analyze", "syscall-filter"], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        if line.startswith("@"):
            current = sets.setdefault(line.strip(), [])
        elif current is not None and re.match(r"\s+[@\w-]+$", line):
            current.append(line.strip())
    return sets


def expand(sets, names):
    for name in names:
        if name.startswith("@"):
            yield from expand(sets, sets[name])
        else:
            yield name


def main():
    sets = read_sets()
    settings = [line.split("=", 1) for line in open(sys.argv[1]) if re.match(r"^\w+=", line)]
    allowed = set(expand(sets, ["@default"]))
    for key, value in settings:
        if key != "SystemCallFilter":
            continue
        names = set(expand(sets, value.strip().lstrip("~").split()))
        allowed = allowed - names if value.startswith("~") else allowed | names
    families = [name for key, value in settings if key == "RestrictAddressFamilies" for name in value.split()]
    # bubblewrap starts the program after it has loaded the filter.
    calls = seccomp.SyscallFilter(seccomp.ERRNO(1))
    for name in sorted(allowed):
        if name == "socket":
            continue
        try:
            calls.add_rule(seccomp.ALLOW, name)
        except (RuntimeError, ValueError):
            # A system call of another architecture, or of a newer kernel than libseccomp knows.
            pass
    for family in families:
        calls.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, getattr(socket, family)))
    calls.export_bpf(sys.stdout.buffer)


main()
