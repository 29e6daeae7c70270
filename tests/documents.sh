#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every path that README.md names in backticks, and every local link of every document, is there. Prints those that are not.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
missing=0
need() { [ -e "$2" ] || { echo "$1: “$2” is not there"; missing=1; }; }
# Built, or written by the reader.
while read -r path; do need README.md "$path"; done < <(
    grep -o '`[^` ]*/[^` ]*`' README.md | tr -d '`' | grep -v '^build/')
while read -r document; do
    while read -r link; do need "$document" "$(dirname "$document")/$link"; done < <(
        grep -o '](\([^)#]*\)' "$document" | cut -c3- | grep -v -e '^[a-z]*:' -e ' ' | grep .)
done < <(git ls-files '*.md')
exit $missing
