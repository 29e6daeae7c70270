# SPDX-License-Identifier: MIT
# Sourced by the scripts here and in tests/: where things lie, how progress is said. Not run by itself.
ringside_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# A variable that is set but empty, or to a relative path, counts as unset, as in the programs.
[[ ${XDG_DATA_HOME:-} == /* ]] || XDG_DATA_HOME="${HOME:?HOME is not set: set it to a folder that you may write to}/.local/share"
export XDG_DATA_HOME
for variable in XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR; do
    [[ ${!variable:-} == /* ]] || unset "$variable"
done
export LC_ALL=C.UTF-8
# A file that has not changed is not hashed again for each object: precompiled headers have a hundred megabytes and more.
export CCACHE_INODECACHE=${CCACHE_INODECACHE:-1}
# Each sixteenth of the cache is kept small by itself, and has to hold several precompiled headers: of the usual 5 GB they are
# soon gone, and each object that was compiled with one is compiled anew.
if [[ $(ccache -p 2>/dev/null) == *'(default) max_size'* ]]; then export CCACHE_MAXSIZE=10G; fi

torch_version=${RINGSIDE_TORCH_VERSION:-2.11.0} # another one is tried by tests/torch.sh
torchvision_version=0.26.0 # goes with torch 2.11
say() { printf '\n== %s\n' "$*"; }
fail() { printf 'ringside: %s\n' "$*" >&2; exit 1; }

has_gpu() { [ -e /dev/nvidia0 ] && nvidia-smi -L >/dev/null 2>&1; }

# as_root WHY COMMAND…: by sudo where a password can be typed or is not needed; by a dialog of the desktop otherwise.
as_root() {
    local why=$1; shift
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null && { (: </dev/tty) 2>/dev/null || sudo -n true 2>/dev/null; }; then sudo "$@"
    elif command -v pkexec >/dev/null && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then pkexec "$@"
    else fail "$why, which needs root: run this as root, or in a terminal with sudo: $0"
    fi
}

# The folder that holds torch/ and nvidia/: RINGSIDE_TORCH, else ours.
torch_folder() {
    if [ -n "${RINGSIDE_TORCH:-}" ]; then printf '%s\n' "$RINGSIDE_TORCH"; return; fi
    local full="$XDG_DATA_HOME/ringside/libtorch-$torch_version-full"
    if [ -e "$full/.complete" ] || has_gpu; then printf '%s\n' "$full"; return; fi
    printf '%s\n' "$XDG_DATA_HOME/ringside/libtorch-$torch_version-cpu"
}

# Other MPIs than the system's, each in a folder below it (installers/dependencies.sh --for launchers).
launchers_folder() { printf '%s\n' "$XDG_DATA_HOME/ringside/launchers"; }

# Holds what a home's .local/share does, with the systems that tests/frameworks.sh installs: not those of this user.
frameworks_folder() { printf '%s\n' "$XDG_DATA_HOME/ringside/frameworks"; }

# build_preset PRESET [TARGET …]: configures and builds; ninja prints one line a step.
build_preset() {
    local preset=$1; shift
    (cd "$ringside_root" && cmake --preset "$preset" && cmake --build --preset "$preset" ${1:+--target "$@"})
}
