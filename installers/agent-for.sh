#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds ringside-agent for sites of another architecture, and puts it beside Ringside's programs, where a deployment
# finds it. Can be run again.
# usage: installers/agent-for.sh aarch64 [--to FOLDER]     FOLDER: build/release/bin unless given
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

usage() { sed -n '5s/^# //p' "${BASH_SOURCE[0]}"; }
case ${1:-} in
    aarch64) ;;
    [a-z]*) fail "there is no toolchain here for $1. Build on such a machine: cmake --preset agent-only && cmake --build --preset agent-only, and put build/agent-only/bin/ringside-agent beside Ringside's programs as ringside-agent-linux-$1." ;;
    *) usage >&2; exit 2 ;;
esac
arch=$1 debian_arch=arm64; shift
to=$ringside_root/build/release/bin
if [ "${1:-}" = --to ] && [ $# = 2 ]; then to=$(realpath -m -- "$2"); shift 2; fi
[ $# = 0 ] || { usage >&2; exit 2; }
build=$ringside_root/build/agent-$arch

# apt's lists of the other architecture are kept apart: the system's own stay as they are.
foreign_apt() {
    local state=$build/apt sources=/etc/apt/sources.list
    mkdir -p "$state/lists/partial" "$state/archives/partial"
    [ ! -e /etc/apt/sources.list.d/debian.sources ] || sources=/etc/apt/sources.list.d/debian.sources
    apt-get -q -o Acquire::Retries=3 -o APT::Architecture=$debian_arch -o APT::Architectures::=$debian_arch \
        -o Dir::State::lists="$state/lists" -o Dir::Cache="$state" -o Dir::Etc::sourcelist="$sources" \
        -o Dir::Etc::sourceparts=- -o APT::Sandbox::User= "$@"
}

# The one library that the agent links besides its compiler's.
provide_capnp() {
    [ ! -e "$build/sysroot/usr/lib/$arch-linux-gnu/libcapnp.a" ] || return 0
    say "Cap'n Proto for $arch"
    mkdir -p "$build/apt"
    foreign_apt update
    (cd "$build/apt" && rm -f ./*.deb && foreign_apt download libcapnp-dev && dpkg -x ./*.deb "$build/sysroot")
}

"$ringside_root/installers/dependencies.sh" --for cross
provide_capnp
say "Build"
cd "$ringside_root"
cmake --preset agent-only -B "$build" -DCMAKE_TOOLCHAIN_FILE="$PWD/installers/$arch.cmake" \
    -DCMAKE_PREFIX_PATH="$build/sysroot/usr"
cmake --build "$build" --target ringside-agent
install -D -m 755 "$build/bin/ringside-agent" "$to/ringside-agent-linux-$arch"
say "Built: $to/ringside-agent-linux-$arch"
