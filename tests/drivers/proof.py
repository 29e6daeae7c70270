# SPDX-License-Identifier: MIT
"""The proof of the phases, whatever the system: a pause in one part of every second iteration is seen in its phase, and in no other."""
import statistics

TINY = "--model lenet --batch-per-rank 4 --threads 1 "
DELAY_MS = 20
WITHIN_MS, MOST_MS = 1, 5  # by which a phase may be off: on an idle machine, and on the busiest
ITERATIONS = 120
REST = "no phase"  # what is left of an iteration's length


class Proof:
    """Reads clocks: up to three tries, and a phase that spreads by itself may be off by half of that more. A test has
    run_driver(arguments, ranks=1, of_rank=…), which starts its driver."""
    phases = ("input_wait", "forward", "backward", "update")

    def test_each_phase_is_what_its_name_says(self):
        for phase in self.phases:
            self.prove(phase, lambda: self.run_driver(TINY + f"--iterations {ITERATIONS} --delay {phase}={DELAY_MS}%"))

    def prove(self, phase, ranks):
        for _ in range(3):
            told = ranks()
            for rank in told:
                self.assertEqual((rank.begin["ranks"], rank.status, rank.end), (str(len(told)), 0, len(rank.records)), rank.errors)
            first = told[0]
            self.assertIn(phase, first.records[0].phases)
            grown = {name: grown_ms(first.records, name) for name in [*first.records[0].phases, REST]}
            allowed = {name: allowed_ms(first.records, name) for name in grown}
            print(f"{phase} late: " + ", ".join(f"{name} {ms:+.2f} ± {allowed[name]:.2f} ms" for name, ms in grown.items()), flush=True)
            if all(abs(ms - (DELAY_MS if name == phase else 0)) <= allowed[name] for name, ms in grown.items()):
                return
        self.fail(f"{phase}: {grown}")


class ProofTogether(Proof):
    """Of several ranks, too."""

    def test_a_rank_that_is_late_is_waited_for(self):
        def late(rank):  # before its first gradient: those that it has would go their way in the pause
            return f"--delay forward={DELAY_MS}%" if rank == 1 else ""
        self.prove("comm_exposed", lambda: self.run_driver(TINY + f"--iterations {ITERATIONS}", ranks=2, of_rank=late))


def spent(record, phase):
    return record.length - sum(record.phases.values()) if phase == REST else record.phases[phase]


def grown_ms(records, phase):
    """By how much a phase is longer in every second iteration, the odd ones, than in the one before: the median. The first are slower."""
    pairs_of = zip(records[6::2], records[7::2])
    return statistics.median(spent(late, phase) - spent(quiet, phase) for quiet, late in pairs_of) / 1e6


def allowed_ms(records, phase):
    first, _, third = statistics.quantiles((spent(record, phase) / 1e6 for record in records[6::2]), n=4)
    return min(WITHIN_MS + (third - first) / 2, MOST_MS)
