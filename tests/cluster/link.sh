#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shapes or cuts a link of a demo cluster that is up.
# usage: tests/cluster/link.sh [--state DIR] LINK RATE|off|cut|mend
#   LINK   n1, n2 …, login, head: between that host and the switch; outside: between this machine and the login node
#   RATE   1gbit, 100mbit …: in both directions; off ends it
#   cut    the cable is pulled, mend puts it in again
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/parts/cluster.sh"
take_state "$@"
set -- "${arguments[@]}"
usage() { help_of "${BASH_SOURCE[0]}"; exit "$1"; }
case ${1:-} in -h|--help) usage 0 ;; esac
[ $# = 2 ] || usage 2 >&2
become_root "$0" --state "$state" "$@"
open_cluster
[ "$variant" = namespaces ] || fail "on loopback there are no links to shape: all hosts are this machine."

# on_both_ends COMMAND…: with the two interfaces of the link in place of INTERFACE.
on_both_ends() {
    if [ "$link" = outside ]; then
        net login "${@/INTERFACE/eth1}" && "${@/INTERFACE/$(outside_interface)}"
    else
        net "$link" "${@/INTERFACE/eth0}" && net switch "${@/INTERFACE/$link}"
    fi
}

link=$1 rate=$2
[ "$link" = outside ] || require_host "$link"
case $rate in
    off) on_both_ends tc qdisc delete dev INTERFACE root 2>/dev/null || true ;;
    cut) on_both_ends ip link set INTERFACE down ;;
    mend) on_both_ends ip link set INTERFACE up ;;
    *) # shellcheck disable=SC2046
        on_both_ends tc qdisc replace dev INTERFACE root $(tbf "$rate") \
        || fail "tc did not take the rate “$rate”. Give it as 1gbit or 100mbit." ;;
esac
