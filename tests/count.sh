# SPDX-License-Identifier: MIT
# Sourced: builds, runs checks, counts them, prints the closing line.
passed=0 failed=0
ctest_command=(ctest)
RINGSIDE_LAUNCHERS=${RINGSIDE_LAUNCHERS:-$(launchers_folder)}; export RINGSIDE_LAUNCHERS
RINGSIDE_FRAMEWORKS=${RINGSIDE_FRAMEWORKS:-$(frameworks_folder)}; export RINGSIDE_FRAMEWORKS

# tests/run.sh and .ci/run begin with it.
build_release() { "$ringside_root/installers/dependencies.sh" --for test && say "Build" && build_preset release; }

# Until the shell that calls it ends: no scheduling group for each session. Linux 6.18 does not share cores fairly between
# them, see README.md, "A kernel that starves tests". Only root can say so; others go without.
share_cores_fairly() {
    local setting=/proc/sys/kernel/sched_autogroup_enabled
    [ -w "$setting" ] && [ "$(cat "$setting")" = 1 ] && echo 0 2>/dev/null >"$setting" || return 0
    trap "echo 1 >$setting" EXIT
}

# run_ctest PRESET [ctest arguments]: adds its counts. Six slots: a test that computes takes two of them, one that mostly
# waits takes one (ringside_test.cmake). The times of the tests go to the file that RINGSIDE_TEST_TIMES names.
run_ctest() {
    local preset=$1 report; shift
    report=$(mktemp)
    (share_cores_fairly; cd "$ringside_root" &&
        "${ctest_command[@]}" --preset "$preset" -j6 --output-junit "$report" --test-output-size-passed 1000000 "$@") || true
    local all bad left_out
    all=$(sed -n 's/.*<testsuite.* tests="\([0-9]*\)".*/\1/p;s/^[[:space:]]*tests="\([0-9]*\)".*/\1/p' "$report" | head -n 1)
    bad=$(sed -n 's/.* failures="\([0-9]*\)".*/\1/p;s/^[[:space:]]*failures="\([0-9]*\)".*/\1/p' "$report" | head -n 1)
    left_out=$(sed -n 's/.* skipped="\([0-9]*\)".*/\1/p;s/^[[:space:]]*skipped="\([0-9]*\)".*/\1/p' "$report" | head -n 1)
    [ "${all:-0}" -gt 0 ] || { echo "no test ran in preset $preset" >&2; bad=1 all=1; }
    failed=$((failed + ${bad:-1}))
    passed=$((passed + all - ${bad:-1} - ${left_out:-0}))
    [ "${left_out:-0}" = 0 ] || echo "$left_out skipped in preset $preset"
    [ -z "${RINGSIDE_TEST_TIMES:-}" ] || test_times "$preset" "$report" >>"$RINGSIDE_TEST_TIMES"
    fail_skips "$report"
    rm -f "$report"
}

# test_times PRESET REPORT: "seconds name (preset)" of each test.
test_times() { sed -n "s/.*<testcase name=\"\([^\"]*\)\".* time=\"\([^\"]*\)\".*/\2 \1 ($1)/p" "$2"; }

# In CI each part that a test leaves out counts as failed, unless tests/allowedskips.txt says why it may.
fail_skips() {
    [ -n "${RINGSIDE_CI:-}" ] || return 0
    local skips; skips=$(unexpected_skips <"$1")
    [ -n "$skips" ] || return 0
    failed=$((failed + $(wc -l <<<"$skips")))
    printf 'FAILED: left out, and tests/allowedskips.txt does not allow it: %s\n' "$skips" >&2
}

# Finds what doctest programs (MESSAGE), Qt programs (SKIP) and the worker's self-test say that they leave out.
unexpected_skips() {
    grep -E 'MESSAGE: skipped|^SKIP  |^skipped ' | sort -u |
        grep -vE -f <(sed -e '/^#/d;/^$/d;s/\t.*//' "$ringside_root/tests/allowedskips.txt") || true
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

# fuzz_target TARGET FOLDER SECONDS: what it says goes to FOLDER/fuzz_TARGET.log; FOLDER/fuzz_TARGET.good says that it
# ended well.
fuzz_target() {
    local corpus; corpus=$(mktemp -d)
    if build/fuzz/bin/fuzz_"$1" -max_total_time="$3" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 \
        "$corpus" "tests/fuzz/corpus/$1" >"$2/fuzz_$1.log" 2>&1; then touch "$2/fuzz_$1.good"; fi
    rm -rf "$corpus"
}
