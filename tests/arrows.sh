#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# app -> core <- agent, read from the includes, and what only one folder may know. Prints each line that breaks this, and
# each folder that no rule looks at; exit 1 if there is one.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
broken=0
complain() { printf '%s\n' "$@"; broken=1; }

# sources FOLDER: its files of C++; of “FOLDER/.” those beside its rooms alone.
sources() {
    local depth=(); [[ $1 != */. ]] || depth=(-maxdepth 1)
    find "$1" "${depth[@]}" \( -name '*.h' -o -name '*.cpp' \)
}
# forbid FOLDER PATTERN WHY [EXCEPT]: no include that begins like PATTERN, unless it begins like EXCEPT.
forbid() {
    [ -d "$1" ] || { complain "$1: there is no such folder"; return; }
    local lines
    lines=$(sources "$1" | xargs -r grep -HnE "^#include [<\"]($2)" | grep -vE "#include [<\"](${4:-^$})")
    [ -z "$lines" ] || complain "$1: $3" "$lines"
}

forbid core 'app/|agent/' 'core includes neither app nor agent'
forbid core 'Q[A-Z]|torch/|ATen/|c10/|mpi\.h|nccl\.h|cuda' 'core knows no Qt, torch, MPI, CUDA'
forbid app 'agent/|torch/|ATen/|mpi\.h' 'app knows neither the agent nor its libraries'
forbid core/sites 'core/(store|campaign|planning|conductor|report)/' 'a site is known without runs'
forbid core/remote 'core/(jobs|sites|spec|store|campaign|planning|conductor|report|stats)/' 'a host is reached without knowing what for'
forbid core/logs 'core/(adapters|spec|store|imports)/' 'lines are read without knowing what for'
forbid core/imports 'core/(planning|conductor|report|remote|wire|jobs|sites)/' 'imports read, and ask the store alone'
forbid core/planning 'core/(conductor|report|remote|wire)/' 'planning is pure: it neither carries out nor asks'
forbid app/session 'app/(widgets|shell|models|drafts|figures|charts|dialogs|pages|window|cli)/' 'the session has no looks'
forbid agent 'app/|Q[A-Z]' 'agent knows neither app nor Qt'
forbid agent/runner 'torch/|ATen/|c10/|mpi\.h' 'the runner knows no torch and no MPI'
forbid agent/rank 'agent/(runner|worker|relay)/|torch/|ATen/|c10/|mpi\.h' 'what surrounds a rank does not know who computes'
forbid agent/runner 'agent/gpuload/' 'the agent is static and cannot load NVML: it starts a program that does'
forbid agent/relay 'torch/|ATen/|c10/|mpi\.h' 'the relay knows no torch and no MPI'
forbid agent/worker 'core/(wire|store|spec|remote|jobs|campaign|conductor|stats|report)/' 'the worker is built on sites from core/base, core/protocol and core/model alone'
for room in timing runtime data; do
    forbid agent/worker/$room 'torch/|ATen/|c10/' 'no torch below the device'
done

# rooms FOLDER: the folders in it that have files of C++, and “.” where such files lie beside them.
rooms() {
    (cd "$1" && find . -name '*.h' -o -name '*.cpp') | sed -E 's|^\./[^/]*$|.|; s|^\./([^/]*)/.*|\1|' | LC_ALL=C sort -u
}
ordered=()
# levels FOLDER LEVEL…: all rooms in it, the lowest level first. None includes another one of its level, or one above.
levels() {
    local folder=$1 room others unequal; shift
    ordered+=("$folder")
    unequal=$(diff <(rooms "$folder") <(tr ' ' '\n' <<<"$*" | LC_ALL=C sort)) ||
        complain "$folder: rooms without a level (<), and levels of rooms that are not there (>)" "$unequal"
    while [ $# -gt 0 ]; do
        for room in $1; do
            others=$(tr ' ' '\n' <<<"$*" | grep -vxF "$room" | sed 's|^\.$|[^/]*\\.h|; t; s|$|/|' | paste -sd '|')
            [ -z "$others" ] || forbid "$folder/$room" "$folder/($others)" 'only what is below is included'
        done
        shift
    done
}
# facade FOLDER ROOM HEADERS: what lies beside the room is a facade of its parts, which are made with its tools, and knows
# them by these headers alone.
facade() {
    ordered+=("$1")
    [ "$(rooms "$1" | paste -sd ' ')" = ". $2" ] || complain "$1: has other rooms than $2"
    forbid "$1/." "$1/$2/" 'the parts are known by their interface' "$1/$2/($3)\.h"
}
levels core base protocol 'campaign jobs logs model spec stats wire' 'adapters remote store' 'imports report sites' planning conductor
levels core/jobs . 'programs schedulers' 'launchers reasons' attempts
levels core/jobs/schedulers "$(rooms core/jobs/schedulers | grep -v '\.' | paste -sd ' ')" .
levels core/remote . 'ssh transfer' deployment
facade core/report kinds 'comparedkind|kinds'
levels agent 'drivers rank' gpuload 'runner worker' 'builder cleaner' engines relay .
levels agent/worker 'timing runtime data collectives' device 'models cuda' 'plans calibrate' train selftest .
levels agent/worker/plans sums compressions . servers
levels app 'figures style text' 'cli session widgets' 'charts drafts models shell' dialogs window pages .
levels app/pages 'compare editor experiments monitor settings sites welcome' .
facade app/figures formats format
while read -r folder; do
    ! rooms "$folder" | grep -qv '^\.$' || printf '%s\n' "${ordered[@]}" | grep -qxF "$folder" ||
        complain "$folder: its rooms have no levels"
done < <(find app core agent -type d)

# only_in PLACES PATTERN WHY: of all program code, nothing else has it. PLACES: beginnings of paths, an alternation.
only_in() {
    local lines; lines=$(grep -rnE "$2" --include='*.h' --include='*.cpp' app core agent | grep -vE "^($1)")
    if [ -n "$lines" ]; then printf '%s: %s\n%s\n' "$1" "$3" "$lines"; broken=1; fi
}
# srun is of Slurm, and so is the demonstration of the window.
only_in 'core/jobs/schedulers/|core/jobs/launchers/srun|app/shell/democard' '[Ss]lurm|SLURM|sbatch|squeue|scancel' \
    'a scheduler is known by name in its own folder alone'
exit $broken
