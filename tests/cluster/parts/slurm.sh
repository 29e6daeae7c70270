# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced: Slurm's files and, with --accounting, its database.

cpus_of_node() { local share=$(($(nproc) / nodes)); echo $((share < 2 ? 2 : share)); }
megabytes_of_node() { awk -v n="$nodes" '/^MemTotal/ { printf "%d\n", $2 / 1024 * 0.8 / n }' /proc/meminfo; }

write_slurm_files() {
    { common_settings; "${variant}_settings"; limit_settings; accounting_settings; node_settings; } | write etc/slurm/slurm.conf
    echo "Name=gpu Type=fake File=$base/dev/gpu[0-1]" | write etc/slurm/gres.conf
    printf '%s\n' CgroupPlugin=cgroup/v1 "ConstrainRAMSpace=${controllers:+yes}" | sed 's/=$/=no/' | write etc/slurm/cgroup.conf
}

# A requeued job waits for its credential to expire: 120 s by default, too long to watch. A node that is silent for 20 s is down.
common_settings() {
    cat <<END
ClusterName=demo
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$(munge_socket),cred_expire=10
CredType=cred/munge
StateSaveLocation=$base/slurmctld
SlurmctldPidFile=$run/slurmctld.pid
SlurmctldLogFile=$base/log/slurmctld.log
SlurmdPidFile=$run/slurmd-%n.pid
SlurmdLogFile=$base/log/slurmd-%n.log
SlurmdSpoolDir=$base/hosts/%n/spool
SlurmdParameters=config_overrides
SlurmdTimeout=20
ReturnToService=2
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=5
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=5
KillWait=5
InactiveLimit=0
MailProg=/bin/true
GresTypes=gpu
DefMemPerCPU=$(($(megabytes_of_node) / $(cpus_of_node)))
END
}

namespaces_settings() { echo "SlurmctldHost=head($(address head))"; }

# All on one address: ports tell the daemons apart, folders keep the nodes' MPI sessions apart.
loopback_settings() {
    cat <<END
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$((first_port + 1))
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SrunPortRange=$((first_port + 100))-$((first_port + 199))
TmpFS=$base/hosts/%n/tmp
TaskProlog=$base/etc/slurm/taskprolog
END
}

limit_settings() {
    if [ -n "$controllers" ]; then
        printf '%s\n' ProctrackType=proctrack/cgroup TaskPlugin=task/cgroup
    else
        printf '%s\n' ProctrackType=proctrack/linuxproc TaskPlugin=task/none JobAcctGatherParams=OverMemoryKill
    fi
}

accounting_settings() {
    [ -n "$accounting" ] || { echo AccountingStorageType=accounting_storage/none; return; }
    cat <<END
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=$(address head)
AccountingStoragePort=$(database_port)
AccountingStoragePass=$(munge_socket)
AccountingStorageEnforce=associations,limits,qos
AccountingStorageTRES=gres/gpu
PriorityType=priority/multifactor
PriorityWeightFairshare=10000
PriorityWeightAge=1000
PriorityWeightQOS=1000
PreemptType=preempt/qos
PreemptMode=REQUEUE
END
}

node_settings() {
    local node port
    for node in $(node_names); do
        port=''
        [ "$variant" = namespaces ] || port=" NodeHostname=localhost Port=$((first_port + 2 + ${node#n}))"
        echo "NodeName=$node NodeAddr=$(address "$node")$port CPUs=$(cpus_of_node) CoresPerSocket=$(cpus_of_node) RealMemory=$(megabytes_of_node) Gres=gpu:fake:2"
    done
    echo "PartitionName=main Nodes=n[1-$nodes] Default=YES DefaultTime=60 MaxTime=1-0"
    echo "PartitionName=debug Nodes=n[1-$nodes] DefaultTime=1 MaxTime=5 PriorityTier=2"
}

database_port() { if [ "$variant" = namespaces ]; then echo 6819; else echo $((first_port + 2)); fi; }

write_slurmdbd_file() {
    write etc/slurm/slurmdbd.conf <<END
DbdHost=$(if [ "$variant" = namespaces ]; then echo head; else echo localhost; fi)
DbdAddr=$(address head)
DbdPort=$(database_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$(munge_socket)
PidFile=$run/slurmdbd.pid
LogFile=$base/log/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
$([ "$variant" = namespaces ] || echo CommunicationParameters=NoInAddrAny)
END
    chmod 600 "$folder/etc/slurm/slurmdbd.conf"
}

# The server asks the kernel who calls at its socket: root needs no password, others get nothing.
make_database() {
    install -d -o "$database_uid" -g "$database_uid" -m 700 "$folder/database"
    on head setpriv --reuid="$database_uid" --regid="$database_uid" --clear-groups mariadb-install-db --no-defaults \
        --datadir="$base/database" --auth-root-authentication-method=socket --auth-root-socket-user=root \
        --skip-test-db --skip-name-resolve >"$folder/log/database.install" 2>&1 \
        || fail "the accounting database could not be made: $(tail -n 3 "$folder/log/database.install")"
}

# Two accounts of different shares; jobs of the two preempt-… qualities give way to normal ones, ended or requeued.
make_accounts() {
    local command
    while read -r command; do
        # shellcheck disable=SC2086
        on head sacctmgr --immediate --quiet $command </dev/null >>"$folder/log/accounts" 2>&1 \
            || fail "sacctmgr refused “$command”: $(tail -n 3 "$folder/log/accounts")"
    done <<END
add cluster demo
add qos preempt-cancel preemptmode=cancel
add qos preempt-requeue preemptmode=requeue
modify qos normal set preempt=preempt-cancel,preempt-requeue priority=100
add account lab fairshare=3
add account teaching fairshare=1
add user $demo_user defaultaccount=lab account=lab,teaching qos=normal,preempt-cancel,preempt-requeue defaultqos=normal
END
}
