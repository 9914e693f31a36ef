#!/bin/sh
# as_ordinary_user.sh COMMAND...: runs it as uid 65534 with no group, no capability and an empty
# home of its own. For root only; the CELLBLOCK_TEST_* variables and LANG go along, nothing else.
set -eu

if [ "$(id -u)" -ne 0 ]; then
  echo "as_ordinary_user.sh: only root can become another user" >&2
  exit 2
fi

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
chown 65534:65534 "$home"
cd "$home"

set -- env -i HOME="$home" TMPDIR="$home" PATH=/usr/local/bin:/usr/bin:/bin LANG="${LANG:-C.UTF-8}" \
  PYTHONDONTWRITEBYTECODE=1 \
  CELLBLOCK_TEST_REQUIRE_ALL="${CELLBLOCK_TEST_REQUIRE_ALL:-}" \
  CELLBLOCK_TEST_SKIP_LOG="${CELLBLOCK_TEST_SKIP_LOG:-/dev/null}" "$@"
status=0
setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@" || status=$?
exit "$status"
