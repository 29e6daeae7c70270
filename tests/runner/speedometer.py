# SPDX-License-Identifier: MIT
"""Trains nothing, and says so as MXNet does by its callback Speedometer: the first batch of an epoch begins a line's time, and what
does not fill a line is not told. Epochs have 45 batches of 10 ms."""
import sys
import time

iterations, batch, rank, lines = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
EPOCH, FREQUENT = 45, 20
prints = lines == "each" or rank == (1 if lines == "last" else 0)

for iteration in range(iterations):
    epoch, count = divmod(iteration, EPOCH)
    time.sleep(0.01)
    now = time.monotonic()
    if count == 0:
        began = tic = now
    elif count % FREQUENT == 0 and prints:
        print("INFO:root:Epoch[%d] Batch [%d-%d]\tSpeed: %.2f samples/sec\taccuracy=0.100000" % (epoch, count - FREQUENT, count, FREQUENT * batch * (1 if lines == "each" else 2) / (now - tic)), flush=True)
        tic = now
    if count == EPOCH - 1:
        print("INFO:root:Epoch[%d] Time cost=%.3f" % (epoch, now - began), flush=True)
