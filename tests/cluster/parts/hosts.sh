# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced: the hosts of the cluster. In the variant “namespaces” a host is the namespaces of one process (its init, host.sh);
# killing that process ends everything on the host, its mounts and its interfaces. In “loopback” all hosts are this machine.

# host_pid HOST: its init as this machine numbers it; fails if the host is off. The namespace tells it from a later process of that number.
host_pid() {
    local pid namespace
    read -r pid namespace 2>/dev/null <"$state/hosts/$1" || return 1
    [ "$(readlink "/proc/$pid/ns/pid")" = "$namespace" ] && echo "$pid"
}

require_host() {
    case " $(host_names | tr '\n' ' ')" in
        *" $1 "*) ;;
        *) fail "no host “$1” in this cluster. It has: $(host_names | paste -sd ' ')." ;;
    esac
}

# on HOST COMMAND…: as root on that host, with a clean environment, without the lock, and not for longer than $limit seconds (0: for ever).
limit=120
on() {
    local host=$1 pid inside=(); shift
    if [ "$variant" = namespaces ]; then
        pid=$(host_pid "$host") || fail "host $host is off. tests/cluster/ctl.sh revive $host starts it."
        inside=(nsenter --all --target "$pid" --)
    fi
    "${inside[@]}" env -i PATH="$PATH" LANG=C.UTF-8 HOME=/root TERM="${TERM:-dumb}" SLURM_CONF="$base/etc/slurm/slurm.conf" \
        MYSQL_UNIX_PORT="$run/database/socket" timeout --foreground "$limit" "$@" 9>&-
}

# net HOST COMMAND…: this machine's command in that host's network.
net() {
    local pid; pid=$(host_pid "$1"); shift
    nsenter --target "$pid" --net -- "$@"
}

# Minutes apart, so that a difference taken across hosts is seen at once.
clock_options() {
    local offset=0
    [ "$clocks" = own ] || return 0
    case $1 in
        login) offset=1000 ;;
        n*) offset=$((137 * ${1#n})) ;;
    esac
    printf '%s\n' --time --monotonic "$offset" --boottime "$offset"
}

cgroup_of() { echo "/sys/fs/cgroup/$1/ringside-demo-${network##*.}/$2"; }

# join_cgroups HOST: moves the calling shell; what it becomes sees this as the root of its cgroups.
join_cgroups() {
    local controller group
    for controller in $controllers; do
        group=$(cgroup_of "$controller" "$1")
        mkdir -p "$group"
        echo 0 >"$group/cgroup.procs"
    done
}

# boot_host HOST: namespaces, mounts and network, without services.
boot_host() {
    local host=$1 clock
    mapfile -t clock < <(clock_options "$host")
    rm -f "$state/hosts/$host"
    (
        join_cgroups "$host"
        exec env -i PATH="$PATH" LANG=C.UTF-8 setsid unshare --mount --uts --ipc --net --pid --cgroup --fork "${clock[@]}" \
            "$cluster_parts/host.sh" "$state" "$host" "$(torch_folder)" "$controllers" "${HOME:-/}" "$ringside_root"
    ) </dev/null >"$folder/log/$host.boot" 2>&1 9>&- &
    wait_for 10 "host $host to start (see $folder/log/$host.boot)" host_is_ready "$host"
    connect_host "$host"
}
host_is_ready() { host_pid "$1" && grep -q '^ready$' "$folder/log/$1.boot"; }

# Networks of the compute nodes beside eth0, for what communication costs: interface, rate, addresses.
slow_networks="eth1g 1gbit 10.78.1
eth100m 100mbit 10.78.2"
# The arguments of “tc qdisc … root” for a rate.
tbf() { echo tbf rate "$1" burst 256k latency 50ms; }

# connect_host HOST: lo, and eth0 to the bridge of the host “switch”; nodes have the slow networks, too, and the login node eth1
# to this machine.
connect_host() {
    net "$1" ip link set lo up
    case $1 in
        switch) make_bridge bridge; while read -r interface _; do make_bridge "$interface"; done <<<"$slow_networks" ;;
        n*) plug "$1" eth0 "$1" bridge "$(address "$1")/25"; plug_slow_networks "$1" ;;
        *) plug "$1" eth0 "$1" bridge "$(address "$1")/25" ;;
    esac
    [ "$1" != login ] || connect_outside "$(host_pid login)"
}
make_bridge() { net switch ip link add "$1" type bridge && net switch ip link set "$1" up; }

# plug HOST INTERFACE END BRIDGE ADDRESS: a cable to that bridge; the switch's end of it is called END.
plug() {
    ip link add "$3" netns "$(host_pid switch)" type veth peer name "$2" netns "$(host_pid "$1")"
    net switch ip link set "$3" master "$4" up
    net "$1" ip address add "$5" dev "$2"
    net "$1" ip link set "$2" up
}

# A network that cannot be as slow as its name says is not there.
plug_slow_networks() {
    local interface rate addresses
    while read -r interface rate addresses; do
        plug "$1" "$interface" "$1-$interface" "$interface" "$addresses.${1#n}/24"
        # shellcheck disable=SC2046
        net "$1" tc qdisc add dev "$interface" root $(tbf "$rate") &&
            net switch tc qdisc add dev "$1-$interface" root $(tbf "$rate") && continue
        net "$1" ip link delete "$interface"
        say "No $interface on $1: tc makes no rates here"
    done <<<"$slow_networks"
}

# A link of two addresses: this machine reaches the login node alone, and no host has a route out.
make_outside_link() { ip link add "$(outside_interface)" type veth peer name "$(outside_interface)-login"; }
connect_outside() {
    local interface; interface=$(outside_interface)
    [ -e "/sys/class/net/$interface" ] || make_outside_link
    ip link set "$interface-login" netns "$1" name eth1
    ip address add "$(outside_address)/30" dev "$interface"
    ip link set "$interface" up
    net login ip address add "$(login_address)/30" dev eth1
    net login ip link set eth1 up
}

# The switch's ends of a host's cables.
unplug() {
    local interface
    net switch ip link delete "$1" 2>/dev/null || true
    while read -r interface _; do net switch ip link delete "$1-$interface" 2>/dev/null || true; done <<<"$slow_networks"
}

# crash_host HOST: as if its plug were pulled. The kernel removes interfaces a little later; a revived host needs their names at once.
crash_host() {
    local host=$1 pid
    pid=$(host_pid "$host") || return 0
    kill -KILL "$pid"
    wait_for 20 "the processes of host $host to end" not host_pid "$host"
    rm -f "$state/hosts/$host"
    if [ "$host" = login ]; then ip link delete "$(outside_interface)" 2>/dev/null || true; fi
    if host_pid switch >/dev/null; then unplug "$host"; fi
}
