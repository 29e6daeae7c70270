#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: keyring.sh COMMAND…    with an unlocked keychain of its own on the session bus, which it ends with
set -euo pipefail
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
if command -v gnome-keyring-daemon >/dev/null; then
    printf keyring | HOME=$home XDG_DATA_HOME=$home/data XDG_RUNTIME_DIR=$home gnome-keyring-daemon --unlock --components=secrets >/dev/null
    # It goes to the background before it is on the bus, and a client that asks the bus first gets another one, which is
    # locked.
    for ((look = 0; look < 300; ++look)); do
        [[ $(dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
            string:org.freedesktop.secrets) != *true* ]] || break
        sleep 0.1
    done
    export RINGSIDE_KEYRING=1
fi
"$@"
