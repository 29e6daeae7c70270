# SPDX-License-Identifier: MIT
"""Lets the Python that runs this import the torch of a folder, which lies there without the libraries of CUDA that only GPUs need
(installers/dependencies.sh fetches it so): 3 GB less. What PyTorch is linked to has to be found all the same, so that libraries with
nothing but names stand in for those, and a program that called one would end.    usage: standins.py FOLDER"""
import collections
import pathlib
import re
import subprocess
import sys
import sysconfig

LOADER = """import ctypes, glob, os
for library in glob.glob(os.path.join(os.path.dirname(__file__), "cuda_standins", "lib*")):
    ctypes.CDLL(library)
"""


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout


def missing_libraries(folder, libraries):
    """Names as the loader asks for them. That of the driver is no library of CUDA: a machine has it or not."""
    asked = set(re.findall(r"\[(lib(?:cu|nccl|nv)\S+)\]", output("readelf", "-d", *libraries))) - {"libcuda.so.1"}
    return {name for name in asked if not any(folder.rglob(name))}


def symbols(libraries, missing):
    """{library: {version: names}}. Which library has a name without a version is not told: any of those without versions may."""
    versions = {}
    for library, needs in re.findall(r"File: (\S+)  Cnt: \d+\n((?:.*Name: .*\n)*)", output("readelf", "-VW", *libraries)):
        versions.update((version, library) for version in re.findall(r"Name: (\S+)", needs))
    found = {library: collections.defaultdict(set) for library in missing}
    for name, version in re.findall(r" U (\w+)(?:@(\S+))?$", output("nm", "-D", "-u", *libraries), re.M):
        if version and versions[version] in missing:
            found[versions[version]][version].add(name)
        elif not version and re.match("cu|nccl", name):
            for library in missing - set(versions.values()):
                found[library][""].add(name)
    return found


def build(library, versions, into):
    source = "".join("void %s(void) { __builtin_trap(); }\n" % name for names in versions.values() for name in sorted(names))
    script = "".join("%s { %s; };\n" % (version, "; ".join(names)) for version, names in versions.items() if version)
    (into / "versions").write_text(script)
    subprocess.run(["gcc", "-w", "-fno-builtin", "-shared", "-fPIC", "-x", "c", "-", "-o", str(into / library), "-Wl,-soname," + library] +
                   (["-Wl,--version-script=%s" % (into / "versions")] if script else []),
                   input=source, universal_newlines=True, check=True)


def main(folder):
    libraries = [str(path) for path in folder.glob("torch/lib/lib*.so")]
    packages = pathlib.Path(sysconfig.get_paths()["purelib"])
    into = packages / "cuda_standins"
    into.mkdir(exist_ok=True)
    for library, versions in symbols(libraries, missing_libraries(folder, libraries)).items():
        build(library, versions, into)
    (packages / "cuda_standins_loaded.py").write_text(LOADER)
    (packages / "torch.pth").write_text("%s\nimport cuda_standins_loaded\n" % folder)


main(pathlib.Path(sys.argv[1]).resolve())
