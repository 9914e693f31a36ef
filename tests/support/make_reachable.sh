#!/bin/sh
# make_reachable.sh FOLDER COMMAND...: for root in a mount namespace of its own. Covers the first
# folder on the way to FOLDER that others may not enter, so that FOLDER has the same path and can be
# reached by everybody, then runs the command.
set -eu
folder=$1
shift

mount --make-rprivate /
blocked=$folder
way=$folder
while [ "$way" != / ]; do
  if ! setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$way"; then blocked=$way; fi
  way=$(dirname "$way")
done

# The tree is held at a second place while the way to it is covered.
stage=$(mktemp -d)
mount --bind "$folder" "$stage"
mount -t tmpfs -o mode=755 tmpfs "$blocked"
mkdir -p "$folder"
if [ "$blocked" = "$folder" ]; then
  # The folder itself is private: its entries, one by one, in one that is not.
  for entry in "$stage"/* "$stage"/.[!.]*; do
    [ -e "$entry" ] || continue
    place=$folder/$(basename "$entry")
    if [ -d "$entry" ]; then mkdir "$place"; else : >"$place"; fi
    mount --bind "$entry" "$place"
  done
else
  mount --bind "$stage" "$folder"
fi
umount -l "$stage"
rmdir "$stage"
cd "$folder"
# Its files may still be private: then there is nothing to run.
setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$folder/tests/CMakeLists.txt"
exec "$@"
