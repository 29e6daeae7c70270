#!/bin/sh
# SPDX-License-Identifier: MIT
# Takes the pictures that the README and the desktop's software centre show, of runs that this machine does for them:
# LeNet under four plans (pictures.toml), some five minutes on two cores that have nothing else to do.
#     tests/app/screenshots.sh [build folder; default build/release]
# Needs ringside-cli, ringside-agent and ringside-worker to be built. Without ImageMagick the pictures are copied as they are.
set -eu

source=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$source/build/release}
taken=$build/screenshots
kept=$source/resources/screenshots
most=150000 # bytes of a picture

keep() { # keep PICTURE NAME
    rm -f "$kept/$2"
    if command -v convert >/dev/null; then
        convert "$taken/$1" -strip -colors 256 -define png:compression-level=9 "png8:$kept/$2"
    else
        cp "$taken/$1" "$kept/$2"
    fi
    [ "$(wc -c <"$kept/$2")" -lt "$most" ] || { echo "$kept/$2 is larger than $most bytes" >&2; exit 1; }
}

data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
cmake --build "$build" --target app_pictures
XDG_DATA_HOME=$data "$build/bin/ringside-cli" run "$source/tests/app/pictures.toml" --store "$data/ringside.db"
mkdir -p "$kept"
QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 "$build/tests/app_pictures" "$data"
keep pictures-monitor-light.png monitor.png
keep pictures-speedup-light.png compare-speedup.png
keep pictures-phases-dark.png compare-phases-dark.png
