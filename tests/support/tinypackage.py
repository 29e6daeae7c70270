# SPDX-License-Identifier: MIT
"""Writes the package tinysystem, a system whose ranks sum up a number in each iteration, into a folder that pip takes for an
index: as a wheel, or as sources whose build waits while a file is there.    usage: FOLDER VERSION wheel|source HOLD"""
import io
import os
import sys
import tarfile
import zipfile

MAIN = '''
import os, socket, sys, time
sys.path.insert(0, sys.argv[1])
import ringside_records
iterations, ranks, batch = map(int, sys.argv[2:5])
rank = int(os.environ.get("TINY_RANK", "0"))
heard = told = None  # two files: one for both forgets, when it is written to, what it has read ahead
if ranks > 1:
    place = os.environ["TINY_HOST"], int(os.environ["TINY_PORT"])
    if rank == 0:
        peer = socket.create_server(place).accept()[0]
        heard, told = peer.makefile("r"), peer.makefile("w")
        print("hello", file=told, flush=True)
    for _ in range(100 if rank else 0):
        try:
            peer = socket.create_connection(place)
            heard, told = peer.makefile("r"), peer.makefile("w")
            if heard.readline():
                break
        except OSError:
            pass
        time.sleep(0.1)
records = ringside_records.Records(items=batch, rank=rank, ranks=ranks, facts={"framework": "tiny"})
for iteration in range(iterations):
    time.sleep(0.002)
    loss = float(rank + 1)
    if told:
        print(loss, file=told, flush=True)
        loss += float(heard.readline())
    records.iteration(loss)
records.end()
'''

BACKEND = '''
import os, time, zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    while os.path.exists({hold!r}):
        time.sleep(0.1)
    name = "tinysystem-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for path, text in {files!r}.items():
            wheel.writestr(path, text)
    return name
'''


def wheel_files(version):
    info = "tinysystem-%s.dist-info/" % version
    return {"tinysystem/__init__.py": "__version__ = %r\n" % version,
            "tinysystem/__main__.py": MAIN,
            info + "METADATA": "Metadata-Version: 2.1\nName: tinysystem\nVersion: %s\n" % version,
            info + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            info + "RECORD": ""}


def main(folder, version, kind, hold):
    files = wheel_files(version)
    if kind == "wheel":
        with zipfile.ZipFile(os.path.join(folder, "tinysystem-%s-py3-none-any.whl" % version), "w") as wheel:
            for path, text in files.items():
                wheel.writestr(path, text)
        return
    sources = {"PKG-INFO": "Metadata-Version: 2.1\nName: tinysystem\nVersion: %s\n" % version,
               "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
               "backend.py": BACKEND.format(hold=hold, version=version, files=files)}
    with tarfile.open(os.path.join(folder, "tinysystem-%s.tar.gz" % version), "w:gz") as archive:
        for path, text in sources.items():
            member = tarfile.TarInfo("tinysystem-%s/%s" % (version, path))
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


main(*sys.argv[1:])
