# SPDX-License-Identifier: MIT
"""The proof of the phases, whatever the system: a pause in one part of every second iteration is seen in its phase, and in no other."""
import statistics

TINY = "--model lenet --batch-per-rank 4 --threads 1 "
DELAY_MS = 20
WITHIN_MS, MOST_MS = 1, 5  # by which a phase may be off: on an idle machine, and on the busiest
ITERATIONS = 120
WAIT = "comm_exposed"
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
            first = self.told(phase, ranks)[0].records
            grown, allowed = grown_and_allowed(f"{phase} late", first)
            if all(abs(ms - (DELAY_MS if name == phase else 0)) <= allowed[name] for name, ms in grown.items()):
                return
        self.fail(f"{phase}: {grown}")

    def told(self, phase, ranks):
        told = ranks()
        for rank in told:
            self.assertEqual((rank.begin["ranks"], rank.status, rank.end), (str(len(told)), 0, len(rank.records)), rank.errors)
        self.assertIn(phase, told[0].records[0].phases)
        return told


class ProofTogether(Proof):
    """Of several ranks, too."""

    def test_a_rank_that_is_late_is_waited_for(self):
        """As long as it is late. That is less than its pause where ranks share cores: each computes quicker while the other waits."""
        def late(rank):  # before its first gradient: those that it has would go their way in the pause
            return f"--delay forward={DELAY_MS}%" if rank == 1 else ""
        for _ in range(3):
            ranks = self.told(WAIT, lambda: self.run_driver(TINY + f"--iterations {ITERATIONS}", ranks=2, of_rank=late))
            grown, allowed = grown_and_allowed("waits", ranks[0].records)
            later = computing(grown_and_allowed("late rank", ranks[1].records)[0]) - computing(grown)
            is_waited = abs(grown[WAIT] - later) <= allowed[WAIT] and abs(later - DELAY_MS) <= MOST_MS
            if is_waited and all(-MOST_MS <= ms <= allowed[name] for name, ms in grown.items() if name != WAIT):
                return
        self.fail(f"{grown}, late by {later}")


def grown_and_allowed(title, records):
    grown = {name: grown_ms(records, name) for name in [*records[0].phases, REST]}
    allowed = {name: allowed_ms(records, name) for name in grown}
    print(f"{title}: " + ", ".join(f"{name} {ms:+.2f} ± {allowed[name]:.2f} ms" for name, ms in grown.items()), flush=True)
    return grown, allowed


def computing(grown):
    return sum(ms for name, ms in grown.items() if name != WAIT)


def spent(record, phase):
    return record.length - sum(record.phases.values()) if phase == REST else record.phases[phase]


def grown_ms(records, phase):
    """By how much a phase is longer in every second iteration, the odd ones, than in the one before: the median. The first are slower."""
    pairs_of = zip(records[6::2], records[7::2])
    return statistics.median(spent(late, phase) - spent(quiet, phase) for quiet, late in pairs_of) / 1e6


def allowed_ms(records, phase):
    first, _, third = statistics.quantiles((spent(record, phase) / 1e6 for record in records[6::2]), n=4)
    return min(WITHIN_MS + (third - first) / 2, MOST_MS)
