#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Brings up a demo cluster on this machine: a login node and compute nodes with Slurm, and registers it as the site “demo”.
# usage: tests/cluster/up.sh [--accounting] [--disk MIB] [--loopback] [--nodes N] [--state DIR] [--steps]
#   --accounting  with slurmdbd and its database: accounts, fair share, qualities of service, preemption
#   --disk MIB    /home is a disk of its own of that size, in memory: ctl.sh fill, free (not on loopback)
#   --loopback    all hosts are this machine; chosen without being asked where namespaces cannot be made
#   --nodes N     compute nodes n1 to nN; 3 if not said
#   --state DIR   an empty or new folder instead of $XDG_DATA_HOME/ringside/demo-cluster
#   --steps       says “step: NAME” as each step begins, for programs: packages, loopback, files, hosts, services, site
# tests/cluster/down.sh removes all of it; tests/cluster/README.md says how to look around.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/parts/cluster.sh"

loopback='' steps=''
take_state "$@"
set -- "${arguments[@]}"
original=("$0" "$@" --state "$state")
while [ $# -gt 0 ]; do
    case $1 in
        --accounting) accounting=yes; shift ;;
        --loopback) loopback="asked for"; shift ;;
        --disk) [ -n "${2:-}" ] || fail "--disk needs a size in MiB."; disk=$2; shift 2 ;;
        --nodes) [ -n "${2:-}" ] || fail "--nodes needs a number from 1 to 99."; nodes=$2; shift 2 ;;
        --steps) steps=yes; shift ;;
        -h|--help) help_of "${BASH_SOURCE[0]}"; exit 0 ;;
        *) fail "unknown option “$1”. $(help_of "${BASH_SOURCE[0]}" | sed -n 2p)" ;;
    esac
done
[[ $nodes =~ ^[1-9][0-9]?$ ]] || fail "--nodes takes a number from 1 to 99."
[[ $disk =~ ^([1-9][0-9]{0,4})?$ ]] || fail "--disk takes a size in MiB."

step() { [ -z "$steps" ] || echo "step: $1"; }

is_up() {
    [ -e "$state/up" ] && load_settings || return 1
    if [ "$variant" = namespaces ]; then host_pid switch; else service_pid head munged; fi >/dev/null
}

choose_variant() {
    [ -n "$loopback" ] || loopback=$(why_no_namespaces)
    variant=namespaces
    [ -z "$loopback" ] || { variant=loopback; step loopback; say "No namespaces, all hosts are this machine: $loopback"; }
    if [ "$variant" = loopback ] && [ -n "$disk" ]; then disk=''; say "No disk of its own: /home stays on that of this machine"; fi
    remember nodes accounting variant disk
    "prepare_$variant"
}

make_files() {
    make_folders
    [ -z "$disk" ] || mount_disk
    write_names
    make_munge_key
    make_fake_gpus
    write_host_keys
    write_sshd_config
    write_callers_config
    write_slurm_files
    [ -z "$accounting" ] || write_slurmdbd_file
    make_home
    if [ "$variant" = loopback ]; then write_mpi_files; provide_torch_on_loopback; fi
    remember torch
}

boot_hosts() {
    local host
    [ "$variant" = namespaces ] || return 0
    for host in switch $(host_names); do boot_host "$host"; done
}

start_head() {
    local service
    [ -z "$accounting" ] || make_database
    for service in $(services_of head); do
        if [ "$service" = slurmctld ] && [ -n "$accounting" ]; then make_accounts; fi
        start_service head "$service"
    done
}

all_idle() { [ "$(on head sinfo --noheader --Node --partition main --format %t | grep -c '^idle$')" = "$nodes" ]; }
login_answers() { as_caller timeout 10 ssh -F "$state/ssh_config" -o ConnectTimeout=5 demo true; }

start_cluster() {
    local host
    step hosts
    boot_hosts
    step services
    start_head
    for host in login $(node_names); do start_services "$host"; done
    wait_for 30 "all $nodes nodes to be idle" all_idle
    wait_for 20 "the login node to let you in" login_answers
}

step packages
"$ringside_root/installers/dependencies.sh" --for cluster
require_empty_or_ours
become_root "${original[@]}"
lock_state
if is_up; then say "The demo cluster in $state is up"; exit 0; fi
tear_down
lock_state
trap '[ $? = 0 ] || echo "ringside: the demo cluster did not come up; tests/cluster/down.sh removes what is there." >&2' EXIT
say "Demo cluster: $nodes nodes${accounting:+, with accounting}, in $state"
choose_variant
step files
make_files
start_cluster
step site
register_site
: >"$state/up"
say "The demo cluster is up, as the site “demo” of Ringside"
printf '   %s\n' "ssh -F '$state/ssh_config' demo        looks at it; sinfo and sbatch are there" "tests/cluster/down.sh        removes it"
