#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Process 1 of one host of the demo cluster, in its new namespaces: makes what the host sees, prints “ready”, then reaps orphans.
# usage: host.sh STATE HOST TORCH CONTROLLERS HIDDEN…     The cluster lies at /srv; no mount of this machine is changed.
set -euo pipefail
state=$1 host=$2 torch=$3 controllers=$4; shift 4

# /proc is still this machine's: the number that it knows this process by.
read -r pid _ </proc/self/stat
echo "$pid $(readlink /proc/self/ns/pid)" >"$state/hosts/$host.new"
mv "$state/hosts/$host.new" "$state/hosts/$host"

own=/srv/hosts/$host
over() { mount --bind "$1" "$2"; }

# The network's own /sys, with cgroups whose root is this host's group.
mount_sys() {
    local sys=$own/sys controller
    mount -t sysfs sysfs "$sys"
    mount -t tmpfs -o mode=755,size=64k cgroups "$sys/fs/cgroup"
    for controller in $controllers; do
        mkdir "$sys/fs/cgroup/$controller"
        mount -t cgroup -o "$controller" cgroup "$sys/fs/cgroup/$controller"
    done
    mount --move "$sys" /sys
}

# A workstation's files are not on a cluster. An empty or missing name hides nothing.
hide() {
    local hidden
    for hidden in "$@"; do
        [ "$hidden" = / ] || [ ! -d "$hidden" ] || mount -t tmpfs -o ro,mode=700,size=4k hidden "$hidden"
    done
}

hostname "$host"
mount -t proc proc /proc
mount --rbind "$state/cluster" /srv
mount --bind -o ro "$torch" /srv/torch
mount_sys
cat /proc/sys/kernel/random/uuid >"$own/boot_id"
over "$own/boot_id" /proc/sys/kernel/random/boot_id
over /srv/etc /etc
rm -rf "$own/tmp"; mkdir -m 1777 "$own/tmp"
over "$own/log" /var/log
over "$own/tmp" /var/tmp
over "$own/tmp" /tmp
over /srv/home /home
hide "$@"
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t tmpfs -o mode=755,size=64m run /run
mkdir -m 755 /run/sshd /run/munge

# A background process whose wait ends with each child: bash reaps those whose parents have gone.
trap 'exit 0' TERM
echo ready
while :; do
    sleep infinity &
    wait $! || true
done
