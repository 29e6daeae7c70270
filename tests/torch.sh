#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the worker from its source bundle against several versions of torch, as a site would that has them, and lets
# each test itself. 2.7 is the oldest that is supported, and the last family for V100, P100 and P40.
# usage: tests/torch.sh [VERSION…]    2.7.1 and 2.11.0 if none is named
# Not part of the usual tests: each version is downloaded once (0.5 to 0.8 GB), beside the one that Ringside uses. The
# bundle is that of build/release. The last line is "N passed, N failed".
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../installers/common.sh"
. "$ringside_root/tests/count.sh"
case ${1:-} in -h|--help) sed -n '3,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit ;; esac
[ $# -gt 0 ] || set -- 2.7.1 2.11.0
bundle=$ringside_root/build/release/share/ringside/worker-source.tar.gz
[ -e "$bundle" ] || fail "the source bundle is not there yet: run installers/run.sh or tests/run.sh first."
unset RINGSIDE_TORCH

# build_worker FOLDER TORCH: in FOLDER/build, from the bundle that lies unpacked in FOLDER.
build_worker() {
    cmake -S "$1/agent/worker" -B "$1/build" -G Ninja -DRINGSIDE_TORCH="$2" && cmake --build "$1/build" --target ringside-worker
}

for version in "$@"; do
    export RINGSIDE_TORCH_VERSION=$version
    check "torch $version is there" "$ringside_root/installers/dependencies.sh" --for run
    torch=$(torch_version=$version torch_folder)
    folder=$(mktemp -d)
    tar xzf "$bundle" -C "$folder"
    check "the worker builds against torch $version" build_worker "$folder" "$torch"
    check "the worker with torch $version tests itself" "$folder/build/bin/ringside-worker" selftest
    rm -rf "$folder"
done
print_counts
