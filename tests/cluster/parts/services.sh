# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced: the daemons of each host. Each is known by the pid file that it writes itself, read where it runs.

# services_of HOST: in the order of starting. On loopback one munged serves all.
services_of() {
    local munged=''
    [ "$variant" != namespaces ] || munged=munged
    case $1 in
        head) echo munged ${accounting:+mariadbd slurmdbd} slurmctld ;;
        login) echo $munged sshd ;;
        n*) if [ "$variant" = namespaces ]; then echo munged sshd slurmd; else echo slurmd; fi ;;
    esac
}

# host_of SERVICE: where it runs if nothing else is said.
host_of() {
    case $1 in
        sshd) echo login ;;
        slurmctld|slurmdbd|mariadbd|munged) echo head ;;
        slurmd) fail "which node? For example: tests/cluster/ctl.sh restart slurmd n2" ;;
        *) fail "no service “$1”. There are sshd, slurmctld, slurmd, munged and, with --accounting, slurmdbd and mariadbd." ;;
    esac
}

pid_file() {
    case $2 in
        slurmd|sshd) echo "$run/$2-$1.pid" ;;
        mariadbd) echo "$run/database/pid" ;;
        *) echo "$run/$2.pid" ;;
    esac
}

# service_pid HOST SERVICE: as the host numbers it. A process that does not name this cluster's files is a later one of that number.
service_pid() {
    on "$1" bash -c 'read -r pid <"$0" && grep -qaF "$1/" "/proc/$pid/cmdline" "/proc/$pid/environ" && echo "$pid"' \
        "$(pid_file "$1" "$2")" "$base" 2>/dev/null
}

# start_service HOST SERVICE: returns when it serves; harmless if it does.
start_service() {
    local host=$1 service=$2
    if service_pid "$host" "$service" >/dev/null; then return; fi
    "start_$service" "$host" </dev/null >>"$folder/log/$service-$host.start" 2>&1 \
        || fail "$service could not be started on $host: $(tail -n 3 "$folder/log/$service-$host.start")"
    wait_for 30 "$service on $host" "${service}_serves" "$host"
}

# stop_service HOST SERVICE: TERM, and KILL after ten seconds.
stop_service() {
    local host=$1 service=$2 pid left=100
    pid=$(service_pid "$host" "$service") || return 0
    on "$host" kill "$pid"
    while service_pid "$host" "$service" >/dev/null; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || { on "$host" kill -KILL "$pid"; left=100; }
        sleep 0.1
    done
}

start_services() {
    local service
    for service in $(services_of "$1"); do start_service "$1" "$service"; done
}

munge_socket() { echo "$run/munge/munge.socket.2"; }
start_munged() {
    on "$1" munged --key-file="$base/etc/munge.key" --socket="$(munge_socket)" --pid-file="$run/munged.pid" \
        --log-file="$base/hosts/$1/log/munged.log" --seed-file="$base/hosts/$1/munge.seed"
}
munged_serves() { on "$1" munge --no-input --socket="$(munge_socket)"; }

# Not a child of this shell, so that its parent has no part in its end.
start_mariadbd() {
    on "$1" install -d -o "$database_uid" -m 755 "$run/database"
    on "$1" setsid --fork setpriv --reuid="$database_uid" --regid="$database_uid" --clear-groups mariadbd --no-defaults \
        --datadir="$base/database" --socket="$run/database/socket" --pid-file="$run/database/pid" --skip-networking \
        --innodb-buffer-pool-size=64M --innodb-log-file-size=16M --innodb-lock-wait-timeout=900 --innodb-flush-log-at-trx-commit=0
}
mariadbd_serves() { on "$1" test -S "$run/database/socket"; }

start_slurmdbd() { on "$1" slurmdbd; }
slurmdbd_serves() { on "$1" sacctmgr --noheader show cluster; }

start_slurmctld() { on "$1" slurmctld -f "$base/etc/slurm/slurm.conf"; }
slurmctld_serves() { on "$1" sh -c 'scontrol ping | grep -q "is UP"'; }

# The steps inherit the node's name: on loopback it tells whose they are.
start_slurmd() { on "$1" env SLURMD_NODENAME="$1" slurmd -f "$base/etc/slurm/slurm.conf" -N "$1"; }
slurmd_serves() { service_pid "$1" slurmd; }

start_sshd() {
    on "$1" /usr/sbin/sshd -f "$base/etc/ssh/sshd_config" -h "$base/hosts/$1/ssh_host_ed25519_key" -o "PidFile=$(pid_file "$1" sshd)"
}
sshd_serves() { service_pid "$1" sshd; }
