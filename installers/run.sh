#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sets Ringside up, builds it and starts it with the example running: the window where there is a display,
# else ringside-cli, which leaves figures in build/figures/. Can be run again; does only what is missing.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$ringside_root/installers/dependencies.sh" --for run
say "Build (the first takes some minutes)"
build_preset release programs
cd "$ringside_root"
bin=build/release/bin
example=resources/experiments/first-light.toml
store="$XDG_DATA_HOME/ringside/ringside.db"

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    say "Start"
    status=0
    "$bin/ringside" --example || status=$?
    [ "$status" = 69 ] || exit "$status"    # 69: the display does not answer
fi

say "No display: the example runs in the terminal; its database is $store"
status=0
"$bin/ringside-cli" run "$example" --store "$store" || status=$?
[ "$status" = 0 ] || [ "$status" = 3 ] || exit "$status"    # 3: some runs failed; the figures show the others
mkdir -p build/figures
for show in throughput speedup efficiency phases; do
    for suffix in pdf png; do
        "$bin/ringside-cli" figure --store "$store" --experiment first-light --show "$show" --to "build/figures/$show.$suffix"
    done
done
say "Figures"
ls -l build/figures
exit "$status"
