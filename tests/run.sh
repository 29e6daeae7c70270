#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sets up, builds and tests. The last line is "N passed, N failed". Arguments go to ctest (-R NAME, -L LABEL …).
# Without any, those that take many minutes are left out: -L cluster runs those on a real Slurm, -L slow the one that
# builds the worker as a site does, -L faults the one in which everything goes wrong that can, -L brief a short part of
# those on Slurm. -L frameworks starts the systems that tests/frameworks.sh, or this user, has installed.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../installers/common.sh"

. "$ringside_root/tests/count.sh"

check "sets itself up and builds" build_release
if [ "$failed" = 0 ]; then
    say "Test"
    [ $# -gt 0 ] || set -- -LE 'cluster|slow|faults|brief'
    run_ctest release "$@"
fi
print_counts
