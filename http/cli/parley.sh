#!/bin/sh
# The `parley` command. It makes the clone ready, as `npm start` does, and becomes Node 22 from node_modules: the node on
# the PATH may be older. No process stays in between that could lose a signal or an exit code.
file=$0
while [ -h "$file" ]; do
  link=$(readlink "$file")
  case $link in
    /*) file=$link ;;
    *) file=$(dirname "$file")/$link ;;
  esac
done
root=$(CDPATH='' cd -P "$(dirname "$file")/../.." && pwd) || exit 1
own=$root/node_modules/.bin/node
if [ -x "$own" ]; then node=$own; else node=node; fi
if ! command -v "$node" >/dev/null 2>&1; then
  echo 'Parley needs Node.js 20 or newer: install it (Debian: `apt-get install nodejs npm`) and try again.' >&2
  exit 1
fi
"$node" "$root/runtime/bootstrap.mjs" serve >&2 || exit 1
# One arena of the allocator: one a thread keeps 25 MiB that nothing uses (docs/benchmarks.md, boot).
MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX:-1} NODE_COMPILE_CACHE=${NODE_COMPILE_CACHE:-$root/node_modules/.cache/compiled} exec "$own" "$root/http/cli/parley.ts" "$@"
