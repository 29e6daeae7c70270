#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything that needs a GPU, in at most nine minutes, on a machine that has CUDA, torch, g++ and CMake, and perhaps no
# network, no MPI and no packages of Debian's. Builds the worker from its source bundle against the torch that is there
# (RINGSIDE_TORCH, else python3's), lets it test itself, runs the tests of the GPU path (collectives over NCCL, training
# against the CPU, every plan on two ranks, killed ranks), and sets its rate beside PyTorch's.
# usage: tests/gpu.sh            exit code 77: there is no GPU, or something else is missing, which is said
#        tests/gpu.sh --pack     on a machine with the usual build: puts what the other one may lack into build/gpu/input
#        tests/gpu.sh --build    builds only: says on a machine without a GPU whether it would
# The last line is "N passed, N failed".
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../installers/common.sh"
. "$ringside_root/tests/count.sh"
cd "$ringside_root"
folder=build/gpu input=build/gpu/input
limit=540 # seconds in all: what would begin after most of them is left out, and said

lacking() { printf 'gpu.sh: %s\n' "$*" >&2; exit 77; }

pack() {
    local header=/usr/include/doctest/doctest.h bundle=build/release/share/ringside/worker-source.tar.gz
    [ -e "$bundle" ] || fail "the source bundle is not there: run cmake --build --preset release --target worker_source first."
    [ -e "$header" ] || fail "$header is not there: run installers/dependencies.sh first."
    mkdir -p "$input/doctest"
    cp "$bundle" "$input" && cp "$header" "$input/doctest"
    say "Packed: $input"
}

# Finds where torch lies, for both programs; python3 says it unless RINGSIDE_TORCH does.
find_torch() {
    [ -z "${RINGSIDE_TORCH:-}" ] || return 0
    RINGSIDE_TORCH=$(python3 -c 'import os, torch; print(os.path.dirname(torch.__path__[0]))' 2>/dev/null) || RINGSIDE_TORCH=$(torch_folder)
    [ -e "$RINGSIDE_TORCH/torch/lib/libtorch_cpu.so" ] || lacking "there is no torch here: python3 has none, and RINGSIDE_TORCH names none."
    export RINGSIDE_TORCH
}
find_tools() {
    local tool
    for tool in g++ cmake tar; do command -v "$tool" >/dev/null || lacking "there is no $tool here."; done
    find_torch
    bundle=$input/worker-source.tar.gz doctest=$ringside_root/$input
    [ -e "$bundle" ] || bundle=build/release/share/ringside/worker-source.tar.gz
    [ -e "$bundle" ] || lacking "the worker's source bundle is not here: run tests/gpu.sh --pack where Ringside is built, and bring build/gpu/input."
    [ -e "$doctest/doctest/doctest.h" ] || doctest=/usr/include
    [ -e "$doctest/doctest/doctest.h" ] || lacking "doctest.h is not here: run tests/gpu.sh --pack where Ringside is built, and bring build/gpu/input."
}

# In the bundle's folder, with the tests beside it.
build() {
    local generator=()
    ! command -v ninja >/dev/null || generator=(-G Ninja)
    rm -rf "$folder/source" && mkdir -p "$folder/source" && tar xzf "$bundle" -C "$folder/source" &&
        cp -r tests "$folder/source" &&
        cmake -S "$folder/source/agent/worker" -B "$folder/build" "${generator[@]}" -DRINGSIDE_GPU_TESTS=ON \
            -DRINGSIDE_TORCH="$RINGSIDE_TORCH" -DRINGSIDE_DOCTEST="$doctest" &&
        cmake --build "$folder/build" --parallel "$(nproc)" --target gpu_tests
}
is_for_gpus() { [ -e "$folder/build/bin/ringside-worker-cuda.so" ] && [ -e "$folder/build/bin/ringside-worker-cudagraph.so" ]; }

# rate MODEL BATCH PRECISION: ours over PyTorch's, in turn, from the same weights.
rate() {
    local model=$1 batch=$2 precision=$3 start ours theirs
    start=$(mktemp -d)
    ours=$(RINGSIDE_EXPORT_START=$start RINGSIDE_GPU_CASE="$model $batch $precision 300 50" \
        "$folder/build/tests/test_worker.gputrain" --no-skip -tc='rate of*' | sed -n 's/^rate //p')
    theirs=$(python3 tests/bench/pytorch_peer.py --model "$model" --start "$start" --batch "$batch" --precision "$precision" \
        --iterations 300 --warmup 50 --layout channels_last --rate 0.001 --threads 2 --device cuda |
        sed -n 's/.*"images_per_second": *\([0-9.]*\).*/\1/p')
    rm -rf "$start"
    [ -n "$ours" ] && [ -n "$theirs" ] || return 1
    awk -v name="worker.$model.gpu.$precision.batch$batch" -v ours="$ours" -v theirs="$theirs" -v batch="$batch" 'BEGIN {
        printf "%s_vs_pytorch %.3f 1 %.2f  # %s and %s images/s, one pair\n", name, ours / theirs, batch <= 8 ? 1.05 : 1, ours, theirs }'
}
rates() {
    local model name batch precision
    python3 -c 'import torch' 2>/dev/null || { echo "PyTorch's rates are left out: python3 has no torch"; return; }
    for model in "alexnet 128" "resnet50 64" "resnet50 8"; do
        for precision in fp32 bf16; do
            if [ $SECONDS -gt $((limit - 40)) ]; then echo "left out, no time is left: $model $precision"; continue; fi
            read -r name batch <<<"$model"
            check "$name, batch $batch, $precision beside PyTorch" rate "$name" "$batch" "$precision"
        done
    done
}
# A GPU is here: what a test leaves out has failed, but for NCCL with a GPU of its own for each rank.
passes() {
    local log; log=$(mktemp)
    within_limit "$1" | tee "$log" && ! grep 'MESSAGE: skipped' "$log" | grep -v 'needs a GPU for each of' >&2
    local status=$?
    rm -f "$log"
    return $status
}
within_limit() { timeout $((limit - SECONDS > 10 ? limit - SECONDS : 10)) "$@"; }

case ${1:-} in
    --pack) pack; exit ;;
    -h|--help) sed -n '3,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit ;;
    ''|--build) ;;
    *) fail "unknown option “$1”. Use --pack or --build." ;;
esac
find_tools
[ "${1:-}" = --build ] || has_gpu || lacking "there is no GPU here that nvidia-smi knows: only the building can be tried, by tests/gpu.sh --build."
say "Build, against $RINGSIDE_TORCH"
check "the worker and the tests of its GPU path build" build
check "with what is for GPUs" is_for_gpus
if [ "${1:-}" != --build ] && [ "$failed" = 0 ]; then
    say "Self-test"
    check "the worker passes its self-test" within_limit "$folder/build/bin/ringside-worker" selftest
    say "The GPU path"
    check "collectives over NCCL" passes "$folder/build/tests/test_worker.gpu"
    check "training, plans and killed ranks" passes "$folder/build/tests/test_worker.gputrain"
    say "Rates"
    rates
fi
echo "$SECONDS s"
print_counts
