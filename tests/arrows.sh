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
    lines=$(sources "$1" | xargs -r grep -HnE "^ *# *include *[<\"]($2)" | grep -vE "# *include *[<\"](${4:-^$})")
    [ -z "$lines" ] || complain "$1: $3" "$lines"
}
# knows FOLDER ROOMS WHY: it includes these rooms of core, an alternation, and no others, were they new.
knows() { forbid "$1" core/ "$3" "core/($2)/"; }

relative=$(git grep --untracked -nE '^ *# *include *"[^"]*\.\.?/' -- app core agent)
[ -z "$relative" ] || complain 'an include names its file from the root on: the rules read it there' "$relative"
libtorch='torch/|ATen/|c10/'
forbid core 'app/|agent/' 'core includes neither app nor agent'
forbid core "Q[A-Z]|$libtorch|mpi\.h|nccl\.h|cuda" 'core knows no Qt, torch, MPI, CUDA'
knows core/sites 'base|jobs|protocol|remote|sites|spec|wire' 'a site is known without runs'
knows core/remote 'base|protocol|remote|wire' 'a host is reached without knowing what for'
knows core/logs 'base|logs|protocol' 'lines are read without knowing what for'
knows core/imports 'base|imports|logs|model|protocol|spec|stats|store' 'imports read, and ask the store alone'
knows core/planning 'base|campaign|jobs|planning|protocol|sites|spec|store' 'planning is pure: it neither carries out nor asks'
forbid app "agent/|$libtorch|mpi\.h" 'app knows neither the agent nor its libraries'
forbid app core/remote/ 'hosts are reached by the conductor: what they ask is answered, no more' 'core/remote/interaction\.h'
forbid app/pages core/remote/ 'pages know sites, not the ways to them'
forbid app/session app/ 'the session has no looks' 'app/(session|style|text)/'
forbid agent 'app/|Q[A-Z]' 'agent knows neither app nor Qt'
# A plan (protocol) says all: what was asked, planned, kept or compared (spec, planning, store, report) stays with those
# who ask. Of the rest, runner and relay start processes (jobs), read their output (logs) and talk to the asker (wire);
# the worker knows the numbers of models.
knows agent 'base|jobs|logs|model|protocol|wire' 'agent carries out what a plan says'
knows agent/worker 'base|model|protocol' 'the worker is built on sites from these alone'
forbid agent/runner agent/gpuload/ 'the agent is static and cannot load NVML: it starts a program that does'
for room in agent/*/; do
    [ "$room" = agent/worker/ ] || forbid "${room%/}" "$libtorch|mpi\.h|nccl\.h|cuda" 'only the worker computes'
done
for room in timing runtime data collectives; do
    forbid agent/worker/$room "$libtorch" 'no torch below the device'
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
# facade FOLDER ROOM DRIVERS HEADERS: of the files beside ROOM only DRIVERS, an alternation, include ROOM, and of it only
# HEADERS; ROOM may include what lies beside it, but neither they nor ROOM include DRIVERS, so that includes go one way.
facade() {
    local lines
    ordered+=("$1")
    [ "$(rooms "$1" | paste -sd ' ')" = ". $2" ] || complain "$1: has other rooms than $2"
    forbid "$1/." "$1/$2/" 'the parts are known by their interface' "$1/$2/($4)\.h"
    lines=$(sources "$1/." | grep -vE "/($3)\.(h|cpp)$" | xargs -r grep -HnE "^ *# *include *\"$1/$2/")
    [ -z "$lines" ] || complain "$1: only $3 includes $2" "$lines"
    lines=$(sources "$1" | grep -vE "^$1/($3)\.(h|cpp)$" | xargs -r grep -HnE "^ *# *include *\"$1/($3)\.h")
    [ -z "$lines" ] || complain "$1: the parts do not know what drives them" "$lines"
}
levels core base protocol 'campaign jobs logs model spec stats wire' 'adapters remote store' 'imports report sites' planning conductor enginecheck
levels core/jobs . 'programs schedulers' launchers reasons attempts
levels core/jobs/schedulers "$(rooms core/jobs/schedulers | grep -v '\.' | paste -sd ' ')" .
levels core/remote . 'ssh transfer' deployment
facade core/report kinds analyse kinds
levels agent 'drivers rank' gpuload 'runner worker' 'builder cleaner' engines relay .
levels agent/worker 'timing runtime data collectives' device 'models cuda' 'plans calibrate' train selftest .
for room in models device; do
    forbid agent/worker/$room agent/worker/collectives/ 'the exchange knows models and devices, not they it'
done
levels agent/worker/plans sums compressions . servers
levels app 'figures style text' 'cli session widgets' 'charts drafts models shell' dialogs window pages .
levels app/pages 'compare editor experiments monitor settings sites welcome' .
facade app/figures formats 'exportfigure|exportfiles' format
while read -r folder; do
    ! rooms "$folder" | grep -qv '^\.$' || printf '%s\n' "${ordered[@]}" | grep -qxF "$folder" ||
        complain "$folder: its rooms have no levels"
done < <(find app core agent -type d)

# only_in PLACES PATTERN WHY: nothing else has it, in any case of letters. PLACES: beginnings of paths, an alternation.
# Programs, scripts and resources are searched; documents and tests are not.
only_in() {
    local lines; lines=$(git grep --untracked -InPi "$2" -- app core agent resources installers .ci CMakeLists.txt ':!*.md' | grep -vE "^($1)")
    [ -z "$lines" ] || complain "$3" "$lines"
}
right='core/jobs/schedulers/(table\.cpp|CMakeLists\.txt):' # they list all
right+='|agent/drivers/ringside_records\.py:' # a user's script imports it and nothing else, whatever has started the script
right+='|installers/dependencies\.sh:|\.ci/run:' # the demo cluster is one of Slurm
for folder in core/jobs/schedulers/*/; do
    name=$(basename "$folder")
    words=tests/jobs/schedulers/$name/words
    [ -s "$words" ] || { complain "$words: has to name the scheduler's programs, one a line"; continue; }
    only_in "$folder|$right" "(?-i:${name^})|\b($name|$(paste -sd '|' "$words"))" "$name is known by name in its own folder alone"
done
exit $broken
