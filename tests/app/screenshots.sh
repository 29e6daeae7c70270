#!/bin/sh
# SPDX-License-Identifier: MIT
# Takes the pictures that the README and the desktop's software centre show, of the window with measured runs:
#     tests/app/screenshots.sh [build folder; default build/release]
# Needs test_app_looks to be built. Without ImageMagick the pictures are copied as they are.
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

mkdir -p "$kept"
for theme in light dark; do
    QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8 "$build/tests/test_app_looks" "pages:1280x800 $theme" -silent
done
keep monitor-1280-light.png monitor.png
keep compare-speedup-1280-light.png compare-speedup.png
keep compare-phases-1280-dark.png compare-phases-dark.png
