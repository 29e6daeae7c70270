#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Brings up a demo cluster of its own, tries what a site must do, brings it down and looks for what is left. About two minutes.
# usage: tests/cluster/test.sh [--accounting] [--loopback]     The last line is "N passed, N failed".
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/parts/cluster.sh"
. "$ringside_root/tests/count.sh"
case ${1:-} in -h|--help) help_of "${BASH_SOURCE[0]}"; exit 0 ;; esac
[ "$(id -u)" = 0 ] || fail "the test looks at every process and mount of this machine: run it as root."

scripts=$ringside_root/tests/cluster
scratch=$(mktemp -d)
state=$scratch/cluster
export XDG_CONFIG_HOME=$scratch/config
up() { "$scripts/up.sh" --state "$state" --disk 64 "$@"; }
down() { "$scripts/down.sh" --state "$state"; }
ctl() { "$scripts/ctl.sh" --state "$state" "$@"; }
link() { "$scripts/link.sh" --state "$state" "$@"; }
trap 'down >/dev/null; rm -rf "$scratch"' EXIT

# remote COMMAND: one line for the login shell of the demo user.
remote() { timeout 200 ssh -F "$state/ssh_config" -o ConnectTimeout=10 demo "$1"; }
skip() { echo "skipped: $1"; }

# submit OPTIONS COMMAND: prints the job's number.
submit() { remote "sbatch --parsable --output /dev/null $1 --wrap '$2'"; }
# job_shows JOB FIELD=VALUE SECONDS
job_shows() {
    remote "for look in \$(seq $(($3 * 5))); do scontrol show job $1 | grep -qw $2 && exit 0; sleep 0.2; done
        echo 'job $1 has no $2 after $3 s:' >&2; scontrol show job $1 >&2; exit 1"
}
job_is() { job_shows "$1" "JobState=$2" "$3"; }

writes() { remote "head -c 1000000 /dev/zero >$1 2>/dev/null"; }
is_filled_and_freed() { ctl fill && not writes full && ctl free && writes free && remote "rm full free"; }

nodes_idle() {
    remote "for look in \$(seq 150); do [ \$(sinfo -h -N -p main -o %t | grep -c '^idle\$') = 3 ] && exit 0; sleep 0.2; done
        sinfo -N -l >&2; exit 1"
}

compile_hello() {
    remote 'cat >hello.c && mpicc -O2 -o hello hello.c' <<'END'
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char** argv)
{
    int rank, size, sum;
    char host[64];
    struct timespec now;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int one = rank + 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    gethostname(host, sizeof host);
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("rank %d of %d on %s at %ld: sum %d\n", rank, size, host, (long)now.tv_sec, sum);
    return MPI_Finalize();
}
END
}

# sums_up RANKS: each of that many lines on standard input tells the sum over all of them.
sums_up() { [ "$(tee "$scratch/hello" | grep -c "of $1 on .*: sum $(($1 * ($1 + 1) / 2))$")" = "$1" ] || { cat "$scratch/hello" >&2; false; }; }
runs_by_srun() { remote "srun --mpi=pmix -N $1 --ntasks-per-node=$2 ./hello" | sums_up $(($1 * $2)); }
runs_in_batch() { remote "sbatch --wait --output hello.out -N $1 --ntasks-per-node=1 --wrap 'srun --mpi=pmix ./hello' >&2; cat hello.out" | sums_up "$1"; }
runs_by_mpirun() { remote "salloc --quiet -N $1 --ntasks-per-node=1 timeout 30 mpirun ./hello" | sums_up "$1"; }
runs_without_slurm() { remote "timeout 30 mpirun --host n1,n2,n3 ./hello" | sums_up 3; }

# Reads what sums_up kept.
hosts_differ() { [ "$(sed 's/.* on \(.*\) at .*/\1/' "$scratch/hello" | sort -u | wc -l)" = 3 ]; }
clocks_differ() { sed 's/.* at \(.*\):.*/\1/' "$scratch/hello" | sort -n | awk 'NR > 1 && $1 - last < 60 { exit 1 } { last = $1 }'; }

sees_gpus() { [ "$(remote 'srun -w n2 --gres=gpu:2 sh -c "echo \$CUDA_VISIBLE_DEVICES"')" = 0,1 ]; }
is_cancelled() { local job; job=$(submit "-w n1,n2" "srun sleep 300") && job_is "$job" RUNNING 30 && remote "scancel $job" && job_is "$job" CANCELLED 30; }
is_out_of_memory() { local job; job=$(submit "-w n2 --mem=100" "head -c 600M /dev/zero | tail -c 500M | sleep 15") && job_is "$job" OUT_OF_MEMORY 40; }
is_requeued() {
    local job; job=$(submit "-w n1 --requeue" 'echo try >>tries; [ $(wc -l <tries) = 2 ] || sleep 300')
    job_is "$job" RUNNING 30 && remote "scontrol requeue $job" && job_is "$job" COMPLETED 40
}
outlives_slurmctld() {
    local job; job=$(submit "-w n1" "sleep 4")
    job_is "$job" RUNNING 30 && ctl restart slurmctld && job_is "$job" COMPLETED 40
}
lets_in_again() { ctl stop sshd && ! remote true 2>/dev/null && ctl start sshd && remote true; }
# By programs that put a new /etc/passwd in the place of the old one.
keeps_its_users() {
    local guest=ringside-guest$$ code=0
    useradd --no-create-home "$guest" || return 1
    { remote true && remote 'srun -w n2 id -un'; } || code=1
    userdel "$guest" && remote true && remote 'srun -w n2 id -un' || code=1
    return "$code"
}
changes_shell() { ctl shell /bin/dash && [ "$(remote 'echo $0')" = dash ] && ctl shell /bin/bash && [ "$(remote 'echo $0')" = bash ]; }
is_reached_by_jump() { [ "$(ssh -F "$state/ssh_config" n2 hostname)" = n2 ]; }

# Milliseconds for 4 MB from n1 to the login node, from the first byte.
transfer() {
    remote 'ssh n1 "echo; head -c 4000000 /dev/zero" | { read -r; began=$(date +%s%N); wc -c >&2; echo $((($(date +%s%N) - began) / 1000000)); }' 2>/dev/null
}
is_shaped() {
    local free shaped; free=$(transfer) && link n1 10mbit && shaped=$(transfer) && link n1 off
    echo "   4 MB: $free ms, at 10 Mbit/s $shaped ms"
    [ "$shaped" -gt 2800 ] && [ "$free" -lt 2800 ]
}
is_cut_and_mended() { link outside cut && ! ssh -F "$state/ssh_config" -o ConnectTimeout=1 demo true 2>/dev/null && link outside mend && remote true; }

is_recorded() { remote "sacct -n -X -j $1 -o state | grep -q $2"; }
is_preempted() {
    local low high; low=$(submit "--qos=$1 -w n2,n3 --exclusive" "sleep 300")
    job_is "$low" RUNNING 30 && high=$(submit "-w n2,n3 --exclusive" "sleep 1") && job_is "$high" COMPLETED 40 && job_shows "$low" "$2" 10 && remote "scancel $low"
}
fair_share_is_set() { [ "$(remote 'sshare -n -A lab,teaching -o account,rawshares' | awk 'NF == 2 && $2 == 3 || $2 == 1' | sort -u | wc -l)" -ge 2 ]; }

# The namespaces of the hosts, which no process and no mount may have later.
look_at_hosts() {
    local host pid
    load_settings
    for host in $(host_names); do
        ! pid=$(host_pid "$host") || readlink "/proc/$pid"/ns/{mnt,net,pid,uts,ipc,time,cgroup}
    done | grep -vxFf <(readlink /proc/self/ns/*) | sort -u >"$scratch/namespaces" || true
}
leftovers() {
    readlink /proc/[0-9]*/ns/* | sort -u | grep -xFf "$scratch/namespaces"
    grep -lF -e "$state" -f "$scratch/namespaces" /proc/[0-9]*/mountinfo
    grep -laF "$folder" /proc/[0-9]*/cmdline
    find /proc -maxdepth 1 \( -uid "$demo_uid" -o -uid "$database_uid" \)
    find /tmp /var/tmp /run /dev/shm -xdev \( -uid "$demo_uid" -o -uid "$database_uid" -o -path "$folder" \)
    find /sys/fs/cgroup -maxdepth 2 -name "ringside-demo-${network##*.}"
    find "$state" "$XDG_CONFIG_HOME/ringside" -maxdepth 0
    getent passwd "$demo_user"
    ip -o link show "$(outside_interface)"
}
nothing_left() {
    local left
    left=$(leftovers 2>/dev/null) || true
    [ -z "$left" ] || { echo "left: $left" >&2; false; }
}

# up.sh is killed where hosts and the first daemon run, and the rest does not.
half_up() { load_settings && [ -e "$folder/log/munged-head.start" ]; }
ends_after_a_kill() {
    up "$@" >/dev/null 2>&1 &
    local killed=$!
    wait_for 60 "up.sh to be in the middle" half_up
    kill -KILL "$killed"
    wait "$killed" 2>/dev/null || true
    look_at_hosts
    down
}

began=$SECONDS
check "up.sh brings a cluster up" up "$@"
[ "$failed" = 0 ] || exit 1
load_settings
look_at_hosts
echo "   after $((SECONDS - began)) s"
check "up.sh, repeated, changes nothing" up "$@"
check "three nodes are idle" nodes_idle
check "a program for MPI is compiled on the login node" compile_hello
too_long=$(submit "-w n1 -n 1 -p debug -t 1" "sleep 600")
for n in 1 2 3; do
    check "srun --mpi=pmix over $n nodes" runs_by_srun "$n" 1
    check "mpirun over $n nodes" runs_by_mpirun "$n"
done
check "sbatch over three nodes" runs_in_batch 3
if [ "$variant" = namespaces ]; then
    check "the ranks' host names differ" hosts_differ
    if [ -n "$clocks" ]; then check "their monotonic clocks are minutes apart" clocks_differ; else skip "clocks: no time namespaces here"; fi
    check "mpirun over a host list, without Slurm" runs_without_slurm
    check "a node is reached through the login node" is_reached_by_jump
    check "a link is shaped" is_shaped
    check "the link to the login node is cut and mended" is_cut_and_mended
    check "the disk of /home is filled and freed" is_filled_and_freed
else
    skip "host names, clocks, links, jump, disk: all hosts are this machine"
fi
victim=$(submit "-w n3 --no-requeue" "sleep 600")
check "a job runs on n3" job_is "$victim" RUNNING 30
check "n3 crashes" ctl crash n3
check "a job sees its fake GPUs" sees_gpus
check "scancel" is_cancelled
if [ -n "$controllers" ]; then check "a job that takes too much memory ends so" is_out_of_memory
else skip "out of memory: without cgroups Slurm ends such a job as FAILED"; fi
check "a job outlives a restart of slurmctld" outlives_slurmctld
check "sshd stops and starts" lets_in_again
check "users added to this machine and removed leave the cluster's as they are" keeps_its_users
check "the user's login shell changes" changes_shell
check "a requeued job runs again" is_requeued
check "the crash of n3 ends its job with NODE_FAIL" job_is "$victim" NODE_FAIL 60
check "n3 is revived" ctl revive n3
if [ -n "$accounting" ]; then
    check "sacct knows the end of a job" is_recorded "$victim" NODE_FAIL
    check "a preempted job ends" is_preempted preempt-cancel JobState=PREEMPTED
    check "a preempted job is requeued" is_preempted preempt-requeue Restarts=1
    check "accounts have their shares" fair_share_is_set
fi
check "a job over its time ends with TIMEOUT" job_is "$too_long" TIMEOUT 120
check "three nodes are idle again" nodes_idle
check "down.sh brings it down" down
check "nothing is left" nothing_left
check "down.sh, repeated, finds nothing to do" down
check "up.sh, killed in the middle, is cleared away" ends_after_a_kill "$@"
check "nothing is left of that" nothing_left
echo "   $((SECONDS - began)) s in all"
print_counts
