#!/bin/sh
# as_ordinary_user.sh COMMAND...: runs it as uid 65534 with no group, no capability and an empty
# home of its own. For root only. The environment stays but for what names root's folders.
set -eu

if [ "$(id -u)" -ne 0 ]; then
  echo "as_ordinary_user.sh: only root can become another user" >&2
  exit 2
fi

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
chown 65534:65534 "$home"
cd "$home"

# What such a user may not do is skipped, loudly: root runs the same test, and may not skip it.
set -- env -u CELLBLOCK_TEST_REQUIRE_ALL -u XDG_CACHE_HOME -u XDG_CONFIG_HOME -u XDG_RUNTIME_DIR -u XDG_STATE_HOME \
  HOME="$home" TMPDIR="$home" USER=nobody LOGNAME=nobody "$@"
status=0
setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@" || status=$?
exit "$status"
