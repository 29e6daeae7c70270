# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced: the site “demo” of Ringside, and the end of a cluster.

site_file() { echo "${XDG_CONFIG_HOME:-${HOME:?HOME is not set: set it to a folder that you may write to}/.config}/ringside/sites/demo.toml"; }
demo_home() { if [ "$variant" = namespaces ]; then echo "/home/$demo_user"; else echo "$base/home/$demo_user"; fi; }
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"; }

is_our_site() { grep -qsxF "ssh_config = $(quoted "$state/ssh_config")" "$(site_file)"; }

# A site of that name that was made otherwise stays as it is.
register_site() {
    local file; file=$(site_file)
    if [ -e "$file" ] && ! is_our_site; then
        say "There is a site “demo” already, in $file: it stays. Without it, up.sh registers this cluster"
        return
    fi
    as_caller mkdir -p "$(dirname "$file")"
    as_caller tee "$file" >/dev/null <<END
format = 1
name = "demo"
host = "demo"
ssh_config = $(quoted "$state/ssh_config")
root = $(quoted "$(demo_home)/ringside")
scheduler = "slurm"
torch = $(quoted "$torch")
[slurm]
partition = "main"
END
    as_caller chmod 600 "$file" # as Ringside writes it
}

unregister_site() {
    local sites; sites=$(dirname "$(site_file)")
    is_our_site || return 0
    rm "$(site_file)"
    remove_if_empty "$sites"
    remove_if_empty "$(dirname "$sites")"
}
remove_if_empty() { [ ! -d "$1" ] || rmdir --ignore-fail-on-non-empty "$1"; }

# tear_down: whatever up.sh made, however far it came.
tear_down() {
    load_settings || true
    unregister_site
    [ -z "$disk" ] || unmount_disk
    [ -z "$variant" ] || "end_$variant"
    rm -rf --one-file-system "$state"
    remove_if_empty "$XDG_DATA_HOME/ringside"
}
