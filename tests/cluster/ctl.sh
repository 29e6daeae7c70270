#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Works on a demo cluster that is up: its services, its hosts.
# usage: tests/cluster/ctl.sh [--state DIR] COMMAND
#   start|stop|restart SERVICE [HOST]   sshd, slurmctld, slurmd n1, munged n1, slurmdbd, mariadbd
#   crash HOST                          as if its plug were pulled (hosts: head, login, n1, n2 …)
#   revive HOST                         boots it, with its services
#   fill, free                          the disk of up.sh --disk: nothing more fits, or all is as it was
#   shell PROGRAM                       the demo user's login shell, /bin/bash at first
#   status                              what runs where
#   run HOST COMMAND…                   as root on that host
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/parts/cluster.sh"
take_state "$@"
set -- "${arguments[@]}"
usage() { help_of "${BASH_SOURCE[0]}"; exit "$1"; }

service() {
    local action=$1 service=${2:-} host=${3:-}
    [ -n "$host" ] || host=$(host_of "$service")
    require_host "$host"
    case $action in
        start) start_service "$host" "$service" ;;
        stop) stop_service "$host" "$service" ;;
        restart) stop_service "$host" "$service"; start_service "$host" "$service" ;;
    esac
}

crash() {
    if [ "$variant" = namespaces ]; then crash_host "$1"; return; fi
    case $1 in
        n*) crash_node "$1" ;;
        *) fail "on loopback only compute nodes can crash: $1 is this machine." ;;
    esac
}

revive() {
    if [ "$variant" = namespaces ] && ! host_pid "$1" >/dev/null; then boot_host "$1"; fi
    start_services "$1"
}

shell() {
    [ -x "${1:-}" ] || fail "no program “${1:-}”. Give a login shell, for example /bin/dash."
    [ "$variant" = namespaces ] || { usermod --shell "$1" "$demo_user"; return; }
    local names; names=$(sed "s|^\($demo_user:.*:\).*|\1$1|" "$folder/etc/passwd")
    printf '%s\n' "$names" | write etc/passwd
}

fill() { require_disk; fill_disk; }
free() { require_disk; free_disk; }
require_disk() { [ -n "$disk" ] || fail "this cluster has no disk of its own to fill: tests/cluster/up.sh --disk 64 makes one."; }

status() {
    local host service
    for host in $(host_names); do
        if [ "$variant" = namespaces ] && ! host_pid "$host" >/dev/null; then echo "$host off"; continue; fi
        for service in $(services_of "$host"); do
            echo "$host $service $(service_pid "$host" "$service" || echo stopped)"
        done
    done
}

case ${1:-} in -h|--help) usage 0 ;; '') usage 2 >&2 ;; esac
become_root "$0" --state "$state" "$@"
open_cluster
command=$1; shift
case $command in
    start|stop|restart) service "$command" "$@" ;;
    crash|revive) require_host "${1:-}"; "$command" "$1" ;;
    shell) shell "$@" ;;
    fill|free) "$command" ;;
    status) status ;;
    run) require_host "${1:-}"; exec 9>&-; limit=0; on "$@" ;;
    *) usage 2 >&2 ;;
esac
