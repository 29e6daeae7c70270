# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced: the variant for machines where no namespaces can be made. All hosts are this machine, told apart by ports of
# 127.0.0.1; the user stands in /etc/passwd while the cluster is up, and the folder lies where that user may look.

# The first of 200 ports of which none is listened at.
free_ports() {
    local first
    for first in $(seq 20000 200 29800); do
        [ -n "$(ss -Htln "sport >= $first and sport < $((first + 200))")" ] || { echo "$first"; return; }
    done
    fail "no 200 free ports between 20000 and 30000 for the demo cluster."
}

# With NoInAddrAny Slurm listens where this machine's own name points to, and calls back at 127.0.0.1.
require_own_name() {
    local address; address=$(getent ahostsv4 "$(hostname)" | awk 'NR == 1 { print $1 }')
    [ "$address" = 127.0.0.1 ] \
        || fail "without namespaces, this machine's name must point to 127.0.0.1 while the demo cluster is up, and $(hostname) points to “$address”. Put “127.0.0.1 $(hostname)” above that line of /etc/hosts."
}

prepare_loopback() {
    require_own_name
    ! getent passwd "$demo_user" >/dev/null \
        || fail "this machine has a user $demo_user already, perhaps of another demo cluster: tests/cluster/down.sh there removes it, or else userdel $demo_user."
    folder=$(mktemp -d /var/tmp/ringside-demo.XXXXXX)
    base=$folder run=$folder/run
    first_port=$(free_ports)
    demo_uid=58999
    until is_free_id "$demo_uid"; do demo_uid=$((demo_uid - 1)); done
    database_uid=58899
    remember folder base run first_port demo_uid database_uid
    useradd --uid "$demo_uid" --user-group --no-create-home --home-dir "$folder/home/$demo_user" --shell /bin/bash --password '*' "$demo_user"
    if [ ! -e /run/sshd ]; then mkdir -m 755 /run/sshd; : >"$state/made_run_sshd"; fi
}

# Hard links where the caller's home is closed to the user: no second copy of 1.2 GB.
provide_torch_on_loopback() {
    local folder_here; folder_here=$(torch_folder)
    torch=$folder_here
    as_user "$demo_uid" "$demo_uid" test ! -r "$folder_here/torch/lib/libtorch_cpu.so" || return 0
    torch=$base/torch
    cp -al "$folder_here/." "$torch" 2>/dev/null || cp -a "$folder_here/." "$torch"
}

# Nodes that share a host name would share Open MPI's memory files.
write_mpi_files() {
    write etc/slurm/taskprolog <<END
#!/bin/sh
echo "export OMPI_MCA_btl_vader_backing_directory=$base/hosts/\$SLURMD_NODENAME/tmp"
END
    chmod 755 "$folder/etc/slurm/taskprolog"
    mkdir -p "$folder/home/$demo_user/.openmpi"
    printf '%s\n' btl_tcp_if_include=lo oob_tcp_if_include=lo | write "home/$demo_user/.openmpi/mca-params.conf"
}

# crash_node NODE: its slurmd, the steps that this started, and their tasks; all stopped first, so that none reports another's end.
crash_node() {
    local process processes=()
    for process in /proc/[0-9]*; do
        ! is_of_node "$1" "$process" || processes+=("${process#/proc/}")
    done
    [ ${#processes[@]} -gt 0 ] || return 0
    kill -STOP "${processes[@]}"
    kill -KILL "${processes[@]}"
}
is_of_node() {
    grep -qaF "$base/etc/slurm/slurm.conf" "$2/environ" 2>/dev/null && tr '\0' '\n' <"$2/environ" | grep -qxF "SLURMD_NODENAME=$1"
}

# Every process that was started for this cluster, or runs as its users.
processes_of_cluster() {
    local process owner
    for process in /proc/[0-9]*; do
        owner=$(stat -c %u "$process" 2>/dev/null) || continue
        if [ "$owner" = "$demo_uid" ] || [ "$owner" = "$database_uid" ] \
            || grep -qaF "$base/" "$process/cmdline" "$process/environ" 2>/dev/null; then
            [ "${process#/proc/}" = $$ ] || echo "${process#/proc/}"
        fi
    done
}
kill_processes() {
    local pid
    for pid in $(processes_of_cluster); do kill -KILL "$pid" 2>/dev/null || true; done
    [ -z "$(processes_of_cluster)" ]
}

end_loopback() {
    [ -n "$folder" ] || return 0
    wait_for 20 "the cluster's processes to end" kill_processes
    ! getent passwd "$demo_user" >/dev/null || userdel "$demo_user"
    [ ! -e "$state/made_run_sshd" ] || rmdir --ignore-fail-on-non-empty /run/sshd
    rm -rf --one-file-system "$folder"
}
