# SPDX-License-Identifier: MIT
"""The proof of the phases of one system, as it is installed here.

usage: test_proof.py SYSTEM [TEST…]"""
import unittest

from proof import Proof, ProofTogether
from systems import chosen


def proof_of(system):
    class OfSystem(Proof if system.name == "singa" else ProofTogether, unittest.TestCase):  # DistOpt needs GPUs
        @staticmethod
        def run_driver(arguments, **more):
            return system.run(arguments + " --image-size 32", **more)  # SINGA cannot pool LeNet's 28
    return OfSystem


if __name__ == "__main__":
    OfSystem = proof_of(chosen())
    unittest.main()
