# SPDX-License-Identifier: MIT
# Sourced: runs checks, counts them, prints the closing line.
passed=0 failed=0

# Until the shell that calls it ends: no scheduling group for each session. Linux 6.18 does not share cores fairly between
# them, see README.md, "A kernel that starves tests". Only root can say so; others go without.
share_cores_fairly() {
    local setting=/proc/sys/kernel/sched_autogroup_enabled
    [ -w "$setting" ] && [ "$(cat "$setting")" = 1 ] && echo 0 2>/dev/null >"$setting" || return 0
    trap "echo 1 >$setting" EXIT
}

# run_ctest PRESET [ctest arguments]: adds its counts.
run_ctest() {
    local preset=$1 report; shift
    report=$(mktemp)
    (share_cores_fairly; cd "$ringside_root" && ctest --preset "$preset" -j2 --output-junit "$report" "$@") || true
    local all bad left_out
    all=$(sed -n 's/.*<testsuite.* tests="\([0-9]*\)".*/\1/p;s/^[[:space:]]*tests="\([0-9]*\)".*/\1/p' "$report" | head -n 1)
    bad=$(sed -n 's/.* failures="\([0-9]*\)".*/\1/p;s/^[[:space:]]*failures="\([0-9]*\)".*/\1/p' "$report" | head -n 1)
    left_out=$(sed -n 's/.* skipped="\([0-9]*\)".*/\1/p;s/^[[:space:]]*skipped="\([0-9]*\)".*/\1/p' "$report" | head -n 1)
    rm -f "$report"
    [ "${all:-0}" -gt 0 ] || { echo "no test ran in preset $preset" >&2; bad=1 all=1; }
    failed=$((failed + ${bad:-1}))
    passed=$((passed + all - ${bad:-1} - ${left_out:-0}))
    [ "${left_out:-0}" = 0 ] || echo "$left_out skipped in preset $preset"
}

# check NAME COMMAND…: one check by its exit status.
check() {
    local name=$1; shift
    if "$@"; then passed=$((passed + 1)); echo "ok: $name"
    else failed=$((failed + 1)); echo "FAILED: $name" >&2; fi
}

print_counts() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
