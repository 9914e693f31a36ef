#!/usr/bin/env bash
# run_ctest.sh BUILD_FOLDER [CTEST ARGUMENT]...: runs the tests as who you are and, for root, again
# as an ordinary user. Ends in ctest's own summary.
set -euo pipefail

folder=$(cd "$1" && pwd)
shift
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

skip_log=$(mktemp)
chmod 666 "$skip_log"
trap 'rm -f "$skip_log"' EXIT
export CELLBLOCK_TEST_SKIP_LOG=$skip_log

skip() {
  printf 'SKIPPED: %s\n' "$1" >>"$skip_log"
  if [[ ${CELLBLOCK_TEST_REQUIRE_ALL:-} == 1 ]]; then
    printf 'CELLBLOCK_TEST_REQUIRE_ALL is set, and this cannot run: %s\n' "$1" >&2
    exit 1
  fi
}

readable_for_all() {
  setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$1/tests/CMakeLists.txt"
}

can_run_as_ordinary_user() {
  setpriv --reuid=65534 --regid=65534 --clear-groups "$1" -c 'pass' 2>/dev/null
}

cache_entry() { sed -n "s/^$1:[A-Z]*=//p" "$folder/CMakeCache.txt"; }

run=(ctest --test-dir "$folder" --output-on-failure --no-label-summary -j "$(nproc)")
if [[ $(id -u) -ne 0 ]]; then
  run+=(-LE as_ordinary_user)
elif ! can_run_as_ordinary_user "$(cache_entry CELLBLOCK_PYTHON)"; then
  skip "the tests as an ordinary user: the Python of this build is not readable for others"
  run+=(-LE as_ordinary_user)
elif ! readable_for_all "$checkout"; then
  # A checkout below a private folder, such as /root: a mount namespace of our own makes it
  # reachable, under the same path, for these tests alone.
  if unshare --mount "$checkout/tests/support/make_reachable.sh" "$checkout" true 2>/dev/null; then
    run=(unshare --mount "$checkout/tests/support/make_reachable.sh" "$checkout" "${run[@]}")
  else
    skip "the tests as an ordinary user: $checkout is not readable for others"
    run+=(-LE as_ordinary_user)
  fi
fi

# What was skipped is told before the summary, which stays last.
"${run[@]}" "$@" </dev/null | while IFS= read -r line; do
  if [[ $line =~ ^[0-9]+%\ tests\ passed && -s $skip_log ]]; then
    printf '\nNot run, because this machine lacks something:\n'
    sort -u "$skip_log"
  fi
  printf '%s\n' "$line"
done
