#!/bin/sh
# skip.sh WHY: a test that this machine cannot run. It is told at the end of the tests, and fails
# under CELLBLOCK_TEST_REQUIRE_ALL=1.
set -eu

printf 'SKIPPED: %s\n' "$1" | tee -a "${CELLBLOCK_TEST_SKIP_LOG:-/dev/null}"
[ "${CELLBLOCK_TEST_REQUIRE_ALL:-}" != 1 ]
