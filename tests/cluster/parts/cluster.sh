# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by every script of the demo cluster, brings the other parts: names, settings, root, waits with a limit.
cluster_parts=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
. "$cluster_parts/../../../installers/common.sh"
. "$cluster_parts/hosts.sh"
. "$cluster_parts/namespaces.sh"
. "$cluster_parts/loopback.sh"
. "$cluster_parts/services.sh"
. "$cluster_parts/files.sh"
. "$cluster_parts/slurm.sh"
. "$cluster_parts/site.sh"
PATH=$PATH:/usr/sbin:/sbin
umask 022       # the demo user reads what is made here; the state folder keeps others out
demo_user=ringside-demo
caller=${RINGSIDE_CALLER:-$(id -u):$(id -g)}

# Decided by up.sh, which writes it to $state/settings.
state=$XDG_DATA_HOME/ringside/demo-cluster
variant=''      # namespaces or loopback
folder=''       # all that the hosts see of this cluster, as this machine names it
base=''         # the same, as the hosts name it
run=''          # where a host's daemons keep pid files and sockets, as the host names it
nodes=3
accounting=''   # yes, or empty
disk=''         # MiB of a disk of its own for /home, which can be full; empty: it lies on the disk of this machine
clocks=''       # own, or empty where time namespaces cannot be made
controllers=''  # the cgroup controllers (version 1) that limit and track jobs; empty for none
demo_uid='' database_uid=''
network=''      # of the namespaces, its first three numbers
first_port=''   # of the loopback variant's block of ports
torch=''        # libtorch, as the hosts name it

# take_state ARGUMENT…: takes --state DIR out; the rest is left in $arguments.
arguments=()
take_state() {
    while [ $# -gt 0 ]; do
        case $1 in
            --state) [ -n "${2:-}" ] || fail "--state needs a folder."; state=$(realpath -m -- "$2"); shift 2 ;;
            *) arguments+=("$1"); shift ;;
        esac
    done
}

# help_of SCRIPT: the comment at its head.
help_of() { sed -n '3,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"; }

# become_root SCRIPT ARGUMENT…: starts the script again as root, for the caller's home, unless the caller is root.
become_root() {
    [ "$(id -u)" != 0 ] || return 0
    local kept=(HOME="${HOME:-}" XDG_DATA_HOME="$XDG_DATA_HOME" RINGSIDE_CALLER="$caller") name
    for name in XDG_CONFIG_HOME RINGSIDE_TORCH; do
        [ -z "${!name:-}" ] || kept+=("$name=${!name}")
    done
    local script; script=$(realpath "$1"); shift # pkexec begins in another folder
    as_root "the demo cluster starts daemons for several users" env "${kept[@]}" "$script" "$@"
    exit
}

as_user() { local uid=$1 gid=$2; shift 2; setpriv --reuid="$uid" --regid="$gid" --clear-groups "$@"; }
as_caller() { as_user "${caller%:*}" "${caller#*:}" "$@"; }

# One script at a time changes a cluster. What is started closes descriptor 9, or it would hold the lock.
lock_state() {
    while :; do
        as_caller mkdir -p -m 700 "$state"
        exec 9>"$state/lock"
        flock -w 120 9 || fail "another script works on the cluster in $state and did not end within 120 s. Wait for it and run this again."
        [ ! "$state/lock" -ef /dev/fd/9 ] || return 0
    done
}

# A folder that holds something else is neither filled nor removed.
require_empty_or_ours() {
    [ -s "$state/settings" ] || [ -z "$(find "$state" -mindepth 1 -not -name lock 2>/dev/null | head -n 1)" ] \
        || fail "$state holds something that is no demo cluster. Name an empty or new folder with --state DIR."
}

# remember NAME…: writes these variables to the settings.
remember() {
    local name
    for name in "$@"; do printf '%s=%q\n' "$name" "${!name}"; done >>"$state/settings"
}

load_settings() {
    [ -s "$state/settings" ] || return 1
    # shellcheck source=/dev/null
    . "$state/settings"
}

# For the scripts that need a cluster: its settings, its lock.
open_cluster() {
    load_settings || fail "no demo cluster in $state. tests/cluster/up.sh brings one up; --state DIR names another folder."
    lock_state
}

# wait_for SECONDS WHAT COMMAND…: until the command succeeds.
wait_for() {
    local seconds=$1 what=$2 end; shift 2
    end=$((SECONDS + seconds))
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || fail "waited $seconds s for $what. The logs are in ${folder:-$state}/log; tests/cluster/down.sh removes what is there."
        sleep 0.1
    done
}
not() { ! "$@"; }

node_names() { seq -f 'n%.0f' "$nodes"; }
host_names() { echo head; echo login; node_names; }

# address HOST: inside the cluster.
address() {
    [ "$variant" = namespaces ] || { echo 127.0.0.1; return; }
    case $1 in
        head) echo "$network.101" ;;
        login) echo "$network.102" ;;
        *) echo "$network.${1#n}" ;;
    esac
}
# The login node as this machine reaches it, and this machine's end of that link.
login_address() { if [ "$variant" = namespaces ]; then echo "$network.254"; else echo 127.0.0.1; fi; }
login_port() { if [ "$variant" = namespaces ]; then echo 22; else echo "$first_port"; fi; }
outside_address() { echo "$network.253"; }
outside_interface() { echo "rsdemo${network##*.}"; }
