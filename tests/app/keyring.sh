#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: keyring.sh COMMAND…    with an unlocked keychain of its own on the session bus, which it ends with
set -euo pipefail
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
if command -v gnome-keyring-daemon >/dev/null; then
    printf keyring | HOME=$home XDG_DATA_HOME=$home/data XDG_RUNTIME_DIR=$home gnome-keyring-daemon --unlock --components=secrets >/dev/null
    export RINGSIDE_KEYRING=1
fi
"$@"
