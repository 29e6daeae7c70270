# SPDX-License-Identifier: MIT
"""A system of its own kind: ranks that send a number to a server in each iteration and go on with the sum of all. They find
each other by what they were started with, record by ringside_records, and end when they are told to. Where there is a chief it
trains for them, and they and the server, each with a child, never end by themselves; nor does the server where ENDLESS is set."""
import json
import os
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, sys.argv[1])
import ringside_records  # noqa: E402

iterations, pause = int(sys.argv[2]), float(sys.argv[3])
cluster = json.loads(os.environ["CLUSTER"])
role, index = os.environ["ROLE"], int(os.environ["ROLE_INDEX"])
isLed = "chief" in cluster
ranks = len(cluster["worker" if isLed else "rank"])


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def serve():
    listener = socket.create_server(address(cluster["server"][index]))
    peers = [listener.accept()[0].makefile("rw") for _ in range(1 if isLed else ranks)]
    while True:
        lines = [peer.readline() for peer in peers]
        if not all(lines):
            return stay() if isLed or "ENDLESS" in os.environ else 0
        for peer in peers:
            peer.write("%d\n" % sum(int(line) for line in lines))
            peer.flush()


def stay():
    subprocess.Popen(["sleep", "1000"])
    while True:
        signal.pause()


def connect():
    for _ in range(100):
        try:
            return socket.create_connection(address(cluster["server"][0])).makefile("rw")
        except ConnectionRefusedError:
            time.sleep(0.1)
    sys.exit("There is no server at %s." % cluster["server"][0])


def train():
    server, told = connect(), []
    signal.signal(signal.SIGTERM, lambda *_: told.append(True))
    print("This line is the system's own.")
    records = ringside_records.Records(items=int(os.environ.get("BATCH", 8)) * (ranks if isLed else 1), rank=index, ranks=ranks,
                                       facts={"framework": "tiny", "cores": sorted(os.sched_getaffinity(0))},
                                       scope="all" if isLed else "rank")
    for iteration in range(iterations):
        time.sleep(pause)
        records.mark("forward")
        server.write("%d\n" % (iteration + index))
        server.flush()
        answer = server.readline()
        if not answer or told:
            break
        records.mark("comm_exposed")
        records.iteration(float(answer))
    records.end()
    return 0 if answer else 4


sys.exit(serve() if role == "server" else stay() if role == "worker" else train())
