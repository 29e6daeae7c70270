#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the worker from its source bundle against several versions of torch, as a site would that has them, and lets
# each test itself. 2.7 is the oldest that is supported, and the last family for V100, P100 and P40; what is for GPUs is
# compiled with the headers of its CUDA, 12.6.
# usage: tests/torch.sh [VERSION…]    2.7.1 and 2.11.0 if none is named
# Not part of the usual tests: each version is downloaded once (0.5 to 0.8 GB), beside the one that Ringside uses. The
# bundle is that of build/release. The last line is "N passed, N failed".
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../installers/common.sh"
. "$ringside_root/tests/count.sh"
case ${1:-} in -h|--help) sed -n '3,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit ;; esac
[ $# -gt 0 ] || set -- 2.7.1 2.11.0
bundle=$ringside_root/build/release/share/ringside/worker-source.tar.gz
[ -e "$bundle" ] || fail "the source bundle is not there yet: run installers/run.sh or tests/run.sh first."
unset RINGSIDE_TORCH RINGSIDE_CUDA

# cuda_headers VERSION FOLDER: in FOLDER/include, those that this torch was made with; none where the machine's own are.
cuda_headers() {
    case $1 in
        2.7.*) /usr/bin/python3 -m pip install -q --no-cache-dir --no-deps --root-user-action=ignore --target "$2" \
            nvidia-cuda-runtime-cu12==12.6.77 nvidia-cuda-nvcc-cu12==12.6.77 nvidia-nccl-cu12==2.26.2 ;;
        *) return 0 ;;
    esac && mkdir -p "$2/include" && cp -r "$2"/nvidia/*/include/. "$2/include"
}

# build_worker FOLDER TORCH [TARGET …]: in FOLDER/build, from the bundle that lies unpacked in FOLDER.
build_worker() {
    local folder=$1 torch=$2; shift 2
    cmake -S "$folder/agent/worker" -B "$folder/build" -G Ninja -DRINGSIDE_TORCH="$torch" -DRINGSIDE_CUDA="$folder/cuda" &&
        cmake --build "$folder/build" --target "$@"
}

for version in "$@"; do
    export RINGSIDE_TORCH_VERSION=$version
    check "torch $version is there" "$ringside_root/installers/dependencies.sh" --for run
    torch=$(torch_version=$version torch_folder)
    folder=$(mktemp -d)
    tar xzf "$bundle" -C "$folder"
    check "the headers of its CUDA are there" cuda_headers "$version" "$folder/cuda"
    check "the worker builds against torch $version" build_worker "$folder" "$torch" ringside-worker
    check "what is for GPUs compiles with them" build_worker "$folder" "$torch" ringside_cuda_plugin ringside-worker-cudagraph
    check "the worker with torch $version tests itself" "$folder/build/bin/ringside-worker" selftest
    rm -rf "$folder"
done
print_counts
