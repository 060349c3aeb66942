#!/bin/sh
# Opens the window with its data folder on a file system of 4 MiB, mounted where nobody but the window sees it;
# with DISK_IS_FULL=1 not a byte is left on it.
if [ "$1" != inside ]; then
  mkdir -p "$MOORING_HOME"
  if [ "$(id -u)" = 0 ]; then as=; else as=--map-root-user; fi
  exec unshare --mount $as "$0" inside "$@"
fi
shift
if ! mount -t tmpfs -o size=4m,mode=0700 mooring "$MOORING_HOME"; then
  echo "this machine permits no private mounts, which this test needs" >&2
  exit 1
fi
[ -z "$DISK_IS_FULL" ] || head -c 5M /dev/zero >"$MOORING_HOME/filler" 2>/dev/null
exec "$MOORING_BIN_DIR/mooring-desktop" "$@"
