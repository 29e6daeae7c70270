# SPDX-License-Identifier: MIT
"""A system of its own kind: ranks that send a number to a server in each iteration and go on with the sum of all. They find
each other by what they were started with, record by ringside_records, and end when they are told to."""
import json
import os
import signal
import socket
import sys
import time

sys.path.insert(0, sys.argv[1])
import ringside_records  # noqa: E402

iterations, pause = int(sys.argv[2]), float(sys.argv[3])
cluster = json.loads(os.environ["CLUSTER"])
role, index = os.environ["ROLE"], int(os.environ["ROLE_INDEX"])
ranks = len(cluster["rank"])


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def serve():
    listener = socket.create_server(address(cluster["server"][index]))
    peers = [listener.accept()[0].makefile("rw") for _ in range(ranks)]
    while True:
        lines = [peer.readline() for peer in peers]
        if not all(lines):
            return
        for peer in peers:
            peer.write("%d\n" % sum(int(line) for line in lines))
            peer.flush()


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
    records = ringside_records.Records(items=int(os.environ.get("BATCH", 8)), rank=index, ranks=ranks, facts={"framework": "tiny", "cores": sorted(os.sched_getaffinity(0))})
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


sys.exit(serve() if role == "server" else train())
