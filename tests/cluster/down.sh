#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Ends a demo cluster and removes all that up.sh made, however far it came.
# usage: tests/cluster/down.sh [--state DIR]
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/parts/cluster.sh"
take_state "$@"
case ${arguments[0]:-} in
    '') ;;
    -h|--help) help_of "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail "unknown option “${arguments[0]}”. $(help_of "${BASH_SOURCE[0]}" | tail -n 1)" ;;
esac
[ -e "$state" ] || { say "No demo cluster in $state: nothing to do"; exit 0; }
require_empty_or_ours
become_root "$0" --state "$state"
lock_state
tear_down
say "The demo cluster is gone"
