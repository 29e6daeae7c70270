#!/bin/sh
# SPDX-License-Identifier: MIT
# Packs the worker's source with the header-only libraries that it needs and their licences.
# usage: pack.sh PROJECT OUTPUT [HEADER_FOLDER PACKAGE]…     Writes OUTPUT only if it would differ.
set -eu
project=$1
output=$2
shift 2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bundle/libraries/include" "$folder/bundle/libraries/licences" "$(dirname "$output")"

cd "$project"
find core/base core/protocol core/model agent/gpuload agent/rank agent/worker \( -name '*.h' -o -name '*.cpp' -o -name '*.cmake' -o -name CMakeLists.txt \) \
    -not -path 'agent/worker/bundle/*' -exec cp --parents {} "$folder/bundle" \;
cp --parents core/settings.cmake core/libraries.cmake LICENSE "$folder/bundle"

# Debian keeps a package's licence in doc, others in licenses.
licence_of() {
    for place in /usr/share/doc/"$1"/copyright /usr/share/licenses/"$1"/* /usr/share/licenses/"${1%-dev}"/*; do
        if [ -f "$place" ]; then printf '%s\n' "$place"; return; fi
    done
    echo "pack.sh: there is no licence text of $1 on this computer, which has to travel with it" >&2
    exit 1
}
while [ $# -gt 0 ]; do
    cp -RL "$1" "$folder/bundle/libraries/include"
    cp "$(licence_of "$2")" "$folder/bundle/libraries/licences/$2"
    shift 2
done

tar --format=gnu --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    -C "$folder/bundle" -cf "$folder/tar" .
gzip -9 -n "$folder/tar"
cmp -s "$folder/tar.gz" "$output" || mv "$folder/tar.gz" "$output"
