#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints one line a figure: name value unit target  # remarks.       usage: tests/bench/run.sh [--only NAME]
# NAME: one of $groups below. Machines are noisy: medians of several runs, ratios in pairs. A figure that is read for its
# own sake has “-” for its target.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../installers/common.sh"
groups=(worker load driver phases guard allreduce compression overhead ingest import stall launch timeleft start check jpeg agent dial
    transfer latency fanin paced wheels)
only=
while [ $# -gt 0 ]; do
    case $1 in
        --only) [ -n "${2:-}" ] || fail "--only needs a name. Names: ${groups[*]}."; only=$2; shift 2 ;;
        *) fail "unknown option “$1”. Use --only NAME." ;;
    esac
done
[ -z "$only" ] || printf '%s\n' "${groups[@]}" | grep -qxF -- "$only" || fail "there is no benchmark “$only”. Names: ${groups[*]}."
wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }

"$ringside_root/installers/dependencies.sh" --for bench >&2
build_preset release programs bench >&2
cd "$ringside_root"
bin=build/release/bin bench=build/release/bench
echo "# $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, $(date -u +%F)"

# PyTorch for Python needs the full set (4.7 GB): a virtual environment of its own, made once.
peer_python() {
    local folder="$XDG_DATA_HOME/ringside/bench-pytorch-$torch_version"
    if [ ! -e "$folder/.complete" ]; then
        say "PyTorch $torch_version for the comparison: 2.5 GB to download, into $folder" >&2
        rm -rf "$folder"
        { /usr/bin/python3 -m venv "$folder" && "$folder/bin/python" -m pip install --no-cache-dir "torch==$torch_version" &&
            touch "$folder/.complete"; } >&2 || fail "PyTorch could not be installed into $folder; read the message above and run this again."
    fi
    "$folder/bin/python" -c "import torchvision" 2>/dev/null ||
        "$folder/bin/python" -m pip install --no-cache-dir --no-deps "torchvision==$torchvision_version" pillow numpy >&2 ||
        fail "torchvision could not be installed into $folder; read pip's message and run this again."
    printf '%s\n' "$folder/bin/python"
}
if wanted worker || wanted load || wanted driver; then peer=$(peer_python); fi

! wanted worker || python3 tests/bench/worker_vs_pytorch.py --bin "$bin" --python "$peer"
! wanted load || python3 tests/bench/beside_load.py --bin "$bin" --python "$peer"
! wanted driver || "$peer" tests/bench/driver_cost.py
! wanted phases || python3 tests/bench/phases_cost.py
! wanted guard || python3 tests/bench/guard_cost.py --bin "$bin"
! wanted allreduce || [ ! -x "$bench/bench_allreduce" ] || "$bench/bench_allreduce"
if wanted allreduce && [ -x "$bench/bench_allreduce_nccl" ]; then
    "$bench/bench_allreduce_nccl"
elif wanted allreduce; then
    echo "# the all-reduce over NCCL is left out: this build has no CUDA plug-in"
fi
! wanted compression || [ ! -x "$bench/bench_compression" ] || "$bench/bench_compression"
! wanted overhead || python3 tests/bench/measuring_cost.py --bin "$bin"
! wanted ingest || "$bench/bench_ingest"
! wanted import || "$bench/bench_import"
! wanted stall || "$bench/bench_stall"
! wanted launch || "$bench/bench_launch"
! wanted timeleft || python3 tests/bench/time_left.py --bin "$bin" --bench "$bench"
! wanted start || python3 tests/bench/start_up.py --bin "$bin"
! wanted check || python3 tests/bench/check_time.py --bin "$bin"
! wanted jpeg || "$bench/bench_jpeg"
! wanted agent || "$bench/bench_agent"
! wanted dial || "$bench/bench_dial"
! wanted transfer || "$bench/bench_transfer"
! wanted latency || "$bench/bench_latency"
! wanted fanin || "$bench/bench_fanin"
! wanted paced || python3 tests/bench/paced.py --bin "$bin"
! wanted wheels || python3 tests/bench/wheels_to_chart.py --bin "$bin" --python /usr/bin/python3 --wheels "$XDG_DATA_HOME/ringside/bench-wheels"
