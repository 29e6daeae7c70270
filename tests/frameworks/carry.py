# SPDX-License-Identifier: MIT
"""Copies the environment of an interpreter, with the interpreter itself where it is not the system's, so that it works from another
folder, on hosts that see nothing of this one. Nothing but the standard library is needed.
usage: carry.py PYTHON FOLDER SEEN_AS     copies into FOLDER, which those who use it have as SEEN_AS; SEEN_AS/environment/bin/python runs"""
import pathlib
import shutil
import subprocess
import sys


def prefixes(python):
    """Folders of its environment and of the interpreter that the environment was made with."""
    script = "import sys; print(sys.prefix); print(sys.base_prefix)"
    lines = subprocess.run([python, "-c", script], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout.split("\n")
    return pathlib.Path(lines[0]), pathlib.Path(lines[1])


def copy(source, target):
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))


def carry_paths(packages, folder, seen_as):
    """Folders outside of the environment that its .pth files add to the search path."""
    for file in packages.glob("*.pth"):
        lines = file.read_text().splitlines()
        for number, line in enumerate(lines):
            if pathlib.Path(line).is_absolute() and pathlib.Path(line).is_dir():
                copy(line, folder / pathlib.Path(line).name)
                lines[number] = str(seen_as / pathlib.Path(line).name)
        file.write_text("\n".join(lines) + "\n")


def point_at(environment, home):
    """Makes it an environment of the interpreter that its users find in `home`."""
    settings = (environment / "pyvenv.cfg").read_text().splitlines()
    kept = [line for line in settings if line.partition("=")[0].strip() not in ("home", "executable", "command")]
    (environment / "pyvenv.cfg").write_text("\n".join(["home = %s" % home] + kept) + "\n")
    for name in ("python", "python3"):
        link = environment / "bin" / name
        link.unlink()
        link.symlink_to(home / "python3")


def main(python, folder, seen_as):
    prefix, base = prefixes(python)
    if prefix == base:
        sys.exit("%s is no interpreter of a virtual environment" % python)
    copy(prefix, folder / "environment")
    home = base / "bin"
    if base != pathlib.Path("/usr"):
        copy(base, folder / "base")
        home = seen_as / "base" / "bin"
    point_at(folder / "environment", home)
    for packages in (folder / "environment").glob("lib/python3.*/site-packages"):
        carry_paths(packages, folder, seen_as)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
