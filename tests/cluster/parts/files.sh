# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced: the files of the cluster, all below $folder, and the caller's key.

# write FILE: standard input into $folder/FILE.
write() { cat >"$folder/$1"; }

# for_caller FILE: standard input into $state/FILE, which belongs to the caller.
for_caller() { as_caller tee "$state/$1" >/dev/null; }

make_folders() {
    local host
    chmod 711 "$folder"
    install -d -m 700 "$folder/slurmctld"
    mkdir -p "$folder"/{etc,hosts,log,dev,home,torch}
    [ "$variant" != namespaces ] || copy_etc
    mkdir "$folder"/etc/{slurm,ssh}
    for host in switch $(host_names); do
        mkdir -p "$folder/hosts/$host"/{log,sys,spool,tmp}
        chmod 1777 "$folder/hosts/$host/tmp"
    done
    [ "$variant" = namespaces ] || install -d -m 711 "$run" "$run/munge"
}

# The hosts' /etc is a copy of what everybody may read in this machine's. Mounts over its single files would not last: useradd
# puts a new /etc/passwd in the place of the old one, and the kernel then ends what is mounted there, on all hosts.
copy_etc() {
    local ours=(--anchored --exclude=./{passwd,group,hosts,slurm,ssh})
    { as_user "$demo_uid" "$demo_uid" tar -C /etc -c "${ours[@]}" . 2>/dev/null || true; } | tar -x --numeric-owner -C "$folder/etc"
}

# A disk for /home that all hosts share. It is filled by making it no larger than what it holds.
mount_disk() { mount -t tmpfs -o "mode=755,size=${disk}m" disk "$folder/home"; }
disk_used() { df --output=used --block-size=1K "$folder/home" | tail -n 1 | tr -d ' '; }
is_full() { mount -o "remount,size=$(disk_used)k" "$folder/home"; }
fill_disk() { wait_for 10 "the disk to be filled" is_full; } # what is written meanwhile is in the way
free_disk() { mount -o "remount,size=${disk}m" "$folder/home"; }
unmount_disk() { ! mountpoint -q "$folder/home" || umount --lazy "$folder/home"; }

is_free_id() { ! getent passwd "$1" >/dev/null && ! getent group "$1" >/dev/null; }

# The hosts' own list of users: this machine's, and ours. The password field “*” allows no sign-in by password.
write_names() {
    local host
    { cat /etc/passwd; echo "$demo_user:*:$demo_uid:$demo_uid:Demo cluster:/home/$demo_user:/bin/bash"; } | write etc/passwd
    { cat /etc/group; echo "$demo_user:*:$demo_uid:"; } | write etc/group
    {
        echo "127.0.0.1 localhost"
        for host in $(host_names); do echo "$(address "$host") $host"; done
    } | write etc/hosts
}

# The user's home: the caller's key opens the login node, the user's own opens the nodes from there.
make_home() {
    local home=$folder/home/$demo_user
    [ -e "$state/id_ed25519" ] || as_caller ssh-keygen -q -t ed25519 -N '' -C ringside-demo -f "$state/id_ed25519"
    install -d -m 700 "$home" "$home/.ssh"
    ssh-keygen -q -t ed25519 -N '' -C "$demo_user" -f "$home/.ssh/id_ed25519"
    cat "$state/id_ed25519.pub" "$home/.ssh/id_ed25519.pub" >"$home/.ssh/authorized_keys"
    if [ "$variant" = namespaces ]; then # else Open MPI spreads messages over the slow networks, too
        mkdir "$home/.openmpi"
        echo "btl_tcp_if_include = eth0" >"$home/.openmpi/mca-params.conf"
    fi
    chown -R "$demo_uid:$demo_uid" "$home"
}

host_key() { cut -d ' ' -f 1,2 "$folder/hosts/$1/ssh_host_ed25519_key.pub"; }

write_host_keys() {
    local host known_as
    known_as=$(login_address)
    [ "$(login_port)" = 22 ] || known_as="[$known_as]:$(login_port)"
    for host in $(host_names); do
        ssh-keygen -q -t ed25519 -N '' -C "$host" -f "$folder/hosts/$host/ssh_host_ed25519_key"
        echo "$host,$(address "$host") $(host_key "$host")"
    done | write etc/ssh/ssh_known_hosts
    { echo "$known_as $(host_key login)"; grep '^n' "$folder/etc/ssh/ssh_known_hosts"; } | for_caller known_hosts
}

write_sshd_config() {
    local listen=0.0.0.0 environment=''
    [ "$variant" = namespaces ] || listen=127.0.0.1 environment="SetEnv SLURM_CONF=$base/etc/slurm/slurm.conf"
    write etc/ssh/sshd_config <<END
ListenAddress $listen
Port $(login_port)
AllowUsers $demo_user
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintMotd no
Subsystem sftp internal-sftp
$environment
END
    echo "HashKnownHosts no" | write etc/ssh/ssh_config
}

# The nodes stand behind the login node, as on most clusters: from outside, ssh jumps through it.
write_callers_config() {
    local jump=''
    [ "$variant" != namespaces ] || jump=$'Host n*\n    ProxyJump demo'
    for_caller ssh_config <<END
Host demo
    HostName $(login_address)
    Port $(login_port)
$jump
Host *
    User $demo_user
    IdentityFile "$state/id_ed25519"
    IdentitiesOnly yes
    UserKnownHostsFile "$state/known_hosts"
    GlobalKnownHostsFile /dev/null
    StrictHostKeyChecking yes
END
}

make_munge_key() {
    head -c 1024 /dev/urandom | write etc/munge.key
    chmod 400 "$folder/etc/munge.key"
}

# Slurm wants devices; these swallow what is written, as /dev/null does.
make_fake_gpus() {
    local gpu
    for gpu in 0 1; do
        mknod -m 666 "$folder/dev/gpu$gpu" c 1 3 \
            || fail "no device can be made in $folder (mknod), which the fake GPUs need. In a container: allow it the capability MKNOD."
    done
}
