# SPDX-License-Identifier: MIT
"""The proof of the phases of one system, as it is installed here.

usage: test_proof.py SYSTEM [TEST…]"""
import unittest

from proof import Proof, ProofTogether
from systems import chosen


ALONE = ("singa", "cntk")  # DistOpt needs GPUs; CNTK does not report its waits for other ranks
PHASES = {"cntk": ("input_wait",)}  # the rest is one call


def proof_of(system):
    class OfSystem(Proof if system.name in ALONE else ProofTogether, unittest.TestCase):
        phases = PHASES.get(system.name, Proof.phases)

        @staticmethod
        def run_driver(arguments, **more):
            return system.run(arguments + " --image-size 32", **more)  # SINGA cannot pool LeNet's 28
    return OfSystem


if __name__ == "__main__":
    OfSystem = proof_of(chosen())
    unittest.main()
