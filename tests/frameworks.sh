#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs systems for the tests that are labelled frameworks, by ringside-cli as people do, into a folder of the tests that stays;
# does only what is missing.
# usage: tests/frameworks.sh [NAME…]     without any: pytorch, mxnet and singa, which CI does not do without
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../installers/common.sh"
cd "$ringside_root"
case ${1:-} in -h|--help) sed -n '3,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit ;; esac
[ $# -gt 0 ] || set -- pytorch mxnet singa
folder=$(frameworks_folder)
mkdir -p "$folder"

# An interpreter with PyTorch for CPUs, of the torch that is here anyway: 80 MB to download in place of 3 GB.
pytorch_of_here() {
    local torch environment=$folder/pytorch-$torch_version; torch=$(torch_folder)
    [ "$(cat "$environment/.complete" 2>/dev/null)" != "$torch, torchvision $torchvision_version" ] || return 0
    rm -rf "$environment"
    /usr/bin/python3 -m venv "$environment" &&
        "$environment/bin/python" -m pip install --no-input typing_extensions sympy networkx jinja2 fsspec filelock numpy &&
        "$environment/bin/python" -m pip install --no-input --no-deps "torchvision==$torchvision_version" pillow &&
        "$environment/bin/python" tests/frameworks/standins.py "$torch" &&
        printf '%s, torchvision %s\n' "$torch" "$torchvision_version" >"$environment/.complete"
}

has_python36() { command -v python3.6 >/dev/null || compgen -G "$HOME/.pyenv/versions/3.6.*" >/dev/null; }

# The Debian packages that a system's table needs and that are not here.
missing_packages() {
    local package
    for package in $(sed -n '/^needs *= *\[/,/\]/p' "resources/adapters/$1.toml" | grep -o '"[^"]*"' | tr -d '"'); do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
    done
}

# install NAME: one line at the end says what is there, or why it is not.
install() {
    local more=() packages
    if [ "$1" = singa ] && ! has_python36; then echo "left out: its package is for Python 3.6, which is not here"; return; fi
    packages=$([ "$1" != caffe ] || missing_packages caffe) # it is compiled here, with many libraries
    if [ -n "$packages" ]; then echo "left out: it is compiled with Debian packages that are not here: ${packages% }"; return; fi
    if [ "$1" = pytorch ]; then
        pytorch_of_here || return
        more=(--python "$folder/pytorch-$torch_version/bin/python")
    fi
    XDG_DATA_HOME=$folder build/release/bin/ringside-cli engine install "$1" --yes "${more[@]}"
}

missing=()
for name in "$@"; do
    say "$name"
    install "$name" || missing+=("$name")
done
[ ${#missing[@]} = 0 ] || fail "not installed: ${missing[*]}"
