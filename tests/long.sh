#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The checks that take too long for every change and are run before a release; all of it takes most of a day on two cores, and closes with a
# table of its stages. Builds what it needs; some of it needs root (the cluster), and torch 2.7 is downloaded once.
# usage: tests/long.sh [STAGE…]     all of them if none is named:
#   sanitizers   all tests of core, agent, worker and window under the address sanitizer, then under the thread sanitizer
#   faults       200 faults while campaigns run on the demo cluster     RINGSIDE_FAULT_COUNT: another number
#   properties   200 sequences of hold, cancel and retry over the real conductor, relay and runner  RINGSIDE_ORDER_COUNT
#   hangs        a rank hung in each place under each plan: the verdict has to name it
#   fuzz         an hour of fuzzing                                     RINGSIDE_FUZZ_SECONDS: another time
#   cluster      all tests on a real Slurm, and the demo cluster itself
#   slow         the worker built as a site builds it, an agent of another architecture, ranks started by other MPIs
#   torch        the worker with the oldest torch that is supported, 2.7
#   frameworks   the systems themselves, as far as they can be had here; 6 GB to download once
#   studies      each study in its small form, with the systems that “frameworks” has installed
#   mpi          the worker with Open MPI 5, MPICH and Intel MPI
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../installers/common.sh"
. "$ringside_root/tests/count.sh"
cd "$ringside_root"
all=(sanitizers faults properties hangs fuzz cluster slow torch frameworks studies mpi)
case ${1:-} in -h|--help) sed -n '3,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit ;; esac
[ $# -gt 0 ] || set -- "${all[@]}"
for name in "$@"; do
    [[ " ${all[*]} " == *" $name "* ]] || fail "there is no stage “$name”. Stages: ${all[*]}."
done
export RINGSIDE_CI=1 # what cannot be tested here has failed
usual='cluster|slow|faults|brief|timing|gpu|frameworks'

# The thread sanitizer maps memory where the kernel may have put a library, unless it is told not to move these. It does
# not see how libtorch hands work to the thread that it has for each device, the stand-in's, too.
on_devices='^worker\.(device|selftest)$'
sanitizers() {
    check "asan builds" build_preset asan
    run_ctest asan -LE "$usual"
    check "tsan builds" build_preset tsan
    ctest_command=(setarch -R ctest)
    run_ctest tsan -LE "$usual" -E "$on_devices"
    ctest_command=(ctest)
}

# Asked for by the stages that use the cluster alone: the others can be run without root.
cluster_packages() { check "the demo cluster's packages are there" "$ringside_root/installers/dependencies.sh" --for cluster; }
faults() {
    cluster_packages
    RINGSIDE_FAULT_COUNT=${RINGSIDE_FAULT_COUNT:-200} \
        check "${RINGSIDE_FAULT_COUNT:-200} faults lose nothing" build/release/tests/test_faults
}

properties() {
    RINGSIDE_ORDER_COUNT=${RINGSIDE_ORDER_COUNT:-200} \
        check "${RINGSIDE_ORDER_COUNT:-200} sequences of orders end as they must" build/release/tests/test_orders
}
hangs() {
    RINGSIDE_HUNG_ALL=1 check "each hung rank is named" build/release/tests/test_runner.hung
}

# Two targets at a time: three rounds for six of them.
fuzz() {
    local targets=(frames spool journal slurm toml logs) seconds=$((${RINGSIDE_FUZZ_SECONDS:-3600} / 3)) logs target
    logs=$(mktemp -d)
    check "fuzz targets build" build_preset fuzz "${targets[@]/#/fuzz_}"
    export -f fuzz_target
    printf '%s\n' "${targets[@]}" | xargs -P 2 -I{} bash -c "fuzz_target {} '$logs' $seconds" || true
    for target in "${targets[@]}"; do check "fuzz_$target, $seconds s" was_good "$logs/fuzz_$target"; done
    rm -rf "$logs"
}
was_good() { [ -e "$1.good" ] || { tail -n 100 "$1.log" >&2; return 1; }; }

cluster() {
    cluster_packages
    run_ctest release -L cluster
    check "the demo cluster does what a site must do" tests/cluster/test.sh
    check "the same with accounting" tests/cluster/test.sh --accounting
    check "the same on one network" tests/cluster/test.sh --loopback
}
slow() {
    check "compiler and emulator for another architecture are there" "$ringside_root/installers/dependencies.sh" --for cross
    check "the mpirun of other MPIs is there" "$ringside_root/installers/dependencies.sh" --for launchers
    run_ctest release -L slow -E '^drivers'
}
torch() { check "the worker builds against torch 2.7.1 and tests itself" tests/torch.sh 2.7.1; }
# Each of those that CI does without is left out if it cannot be had.
frameworks() {
    tests/frameworks.sh pytorch mxnet singa cntk tensorflow keras horovod horovod-mxnet jax caffe || true
    run_ctest release -L frameworks
    run_ctest release -R '^drivers\.(horovod.*|.*\.(proof|variants))$'
    cluster_packages
    run_ctest release -R '^cli\.nodes$'
}
# Within the time that the form promises.
studies() {
    local study home; home=$(mktemp -d)
    mkdir "$home/ringside"
    ln -s "$(frameworks_folder)/ringside/engines" "$home/ringside/engines"
    for study in resources/experiments/studies/*.toml; do
        check "$(basename "$study" .toml) runs in its small form" small_study "$study" "$home"
    done
    rm -rf "$home"
}
small_study() {
    local name; name=$(sed -n 's/^name *= *"\(.*\)"/\1/p' "$1")-small
    XDG_DATA_HOME=$2 timeout 900 build/release/bin/ringside-cli run --small "$1" &&
        XDG_DATA_HOME=$2 build/release/bin/ringside-cli compare --experiment "$name" --show throughput
}
mpi() { check "the worker builds against each other MPI and speaks it" tests/mpi.sh; }

check "sets itself up and builds" build_release
table=()
for name in "$@"; do
    say "$name"
    began=$SECONDS passed_before=$passed failed_before=$failed
    "$name"
    table+=("$(printf '%-12s %7d s %8d %8d' "$name" $((SECONDS - began)) $((passed - passed_before)) $((failed - failed_before)))")
done
say "Stages"
printf '%-12s %9s %8s %8s\n' stage time passed failed
printf '%s\n' "${table[@]}"
print_counts
