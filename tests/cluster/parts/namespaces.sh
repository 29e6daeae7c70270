# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced: whether hosts can be namespaces here, and their end.

# Prints why not; nothing if they can.
why_no_namespaces() {
    local text
    text=$(unshare --mount --uts --ipc --net --pid --cgroup --fork sh -ec '
        mount -t proc proc /proc
        mount -t tmpfs none /srv
        ip link add bridge type bridge
        ip link add one type veth peer name other' 2>&1) || echo "${text##*$'\n'}"
}

# Takes the first 10.77.x.0/24 that this machine does not route, and two user ids that go with it. The link to the login node,
# made at once, takes them for this cluster: no two clusters share a user whose processes one could mistake for its own.
take_network() {
    local number
    for number in $(seq 0 254); do
        network=10.77.$number demo_uid=$((59000 + 2 * number)) database_uid=$((59001 + 2 * number))
        if [ -z "$(ip -4 route show root "$network.0/24")" ] && is_free_id "$demo_uid" && is_free_id "$database_uid" \
            && make_outside_link 2>/dev/null; then
            remember network demo_uid database_uid
            return
        fi
    done
    fail "every network of 10.77.0.0/16 is in use on this machine; the demo cluster needs one."
}

# They are of version 1, where Slurm needs no systemd. Without them Slurm itself looks after memory, every five seconds.
usable_controllers() {
    if [ -w /sys/fs/cgroup/memory/cgroup.procs ] && [ -w /sys/fs/cgroup/freezer/cgroup.procs ]; then
        echo "memory freezer"
    else
        say "Memory limits by cgroup: not here (no version 1 controllers); Slurm watches memory itself" >&2
    fi
}

prepare_namespaces() {
    take_network
    controllers=$(usable_controllers)
    folder=$state/cluster base=/srv run=/run torch=/srv/torch
    if unshare --time --monotonic 60 --boottime 60 --fork true 2>/dev/null; then clocks=own
    else say "Clocks: no time namespaces here, all hosts share this machine's clock"; fi
    remember controllers folder base run torch clocks
    install -d -m 711 "$folder" "$state/hosts"
}

remove_cgroups() {
    local controller group
    for controller in $controllers; do
        group=$(cgroup_of "$controller" '')
        [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} \; || return 1
    done
}

end_namespaces() {
    local host
    [ -n "$network" ] || return 0
    for host in $(host_names) switch; do crash_host "$host"; done
    ip link delete "$(outside_interface)" 2>/dev/null || true
    wait_for 20 "the link $(outside_interface) to go" not ip link show "$(outside_interface)"
    wait_for 20 "the cgroups to empty" remove_cgroups
}
